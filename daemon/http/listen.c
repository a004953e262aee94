/*
 * listen.c - the first socket of a TCP address is bound without SO_REUSEPORT: the
 * kernel lets only one such socket listen. Once it does, it lets the others of this
 * process in. (Tried instead: a name in the abstract namespace for each address. Any
 * local process can bind that, and keep the daemon down.)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/bytes.h"
#include "daemon/http/listen.h"
#include "daemon/http/occupant.h"

enum {
	BACKLOG = 4096, /* the kernel lowers it to net.core.somaxconn */
	HOST_MAX = 256,
	SOCKETS_MAX = 32, /* of a process: config has 16 of each listener */
	LISTEN_TRIES = 8,
};

#define UNIX_PREFIX "unix:"

struct address {
	const char *path; /* of a unix socket; NULL: TCP */
	char host[HOST_MAX];
	char port[8];
};

static int
bad_address(const char *address, const char *why, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	return hrw_fault(fault, HRW_BAD_ADDRESS,
	    "\"%s\" is no address to listen on: %s; write host:port, [v6]:port or unix:/path",
	    hrw_show(hrw_text(address), shown, sizeof(shown)), why);
}

static int
parse_path(const char *address, struct address *out, struct hrw_fault *fault)
{
	out->path = address + strlen(UNIX_PREFIX);
	if (out->path[0] != '/')
		return bad_address(address, "the path of a unix socket begins with /", fault);
	if (strlen(out->path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return bad_address(
		    address, "the path of a unix socket has 107 bytes at most", fault);
	return 0;
}

/* Where the host ends, and its first byte; NULL with the fault. */
static const char *
find_colon(const char *address, const char **host, size_t *host_len, struct hrw_fault *fault)
{
	bool has_bracket = *address == '[';
	const char *end = has_bracket ? strchr(address, ']') : strrchr(address, ':'), *why = NULL;

	if (end == NULL)
		why = has_bracket ? "its [ has no ]" : "it has no port";
	else if (has_bracket && end[1] != ':')
		why = end[1] == '\0' ? "it has no port" : "a : and the port stand behind its ]";
	else if (!has_bracket && memchr(address, ':', (size_t)(end - address)) != NULL)
		why = "an IPv6 address stands in brackets";
	if (why != NULL) {
		bad_address(address, why, fault);
		return NULL;
	}
	*host = address + has_bracket;
	*host_len = (size_t)(end - *host);
	return end + has_bracket;
}

static int
parse(const char *address, struct address *out, struct hrw_fault *fault)
{
	const char *colon, *host, *port;
	unsigned long number;
	size_t host_len;
	struct in6_addr v6;

	*out = (struct address){0};
	if (listen_is_unix(address))
		return parse_path(address, out, fault);
	colon = find_colon(address, &host, &host_len, fault);
	if (colon == NULL)
		return HRW_BAD_ADDRESS;
	if (host_len == 0 || host_len >= HOST_MAX)
		return bad_address(address, "it has no host", fault);
	memcpy(out->host, host, host_len);
	if (*address == '[' && inet_pton(AF_INET6, out->host, &v6) != 1)
		return bad_address(address, "what is in brackets is no IPv6 address", fault);
	port = colon + 1;
	number = strtoul(port, NULL, 10);
	if (*port == '\0' || strlen(port) > 5 || strspn(port, "0123456789") != strlen(port) ||
	    number > 65535)
		return bad_address(address, "its port is no number from 0 to 65535", fault);
	snprintf(out->port, sizeof(out->port), "%lu", number);
	return 0;
}

int
listen_check(const char *address, struct hrw_fault *fault)
{
	struct address a;

	return parse(address, &a, fault);
}

bool
listen_is_local(const char *address)
{
	struct address a;
	struct in_addr v4;
	struct in6_addr v6;

	if (parse(address, &a, NULL) < 0)
		return false;
	if (a.path != NULL || strcmp(a.host, "localhost") == 0)
		return true;
	if (inet_pton(AF_INET, a.host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, a.host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

/* Do two hosts have an address in common, as far as their texts tell? */
static bool
do_hosts_meet(const char *a, const char *b)
{
	struct in6_addr a6, b6;
	struct in_addr a4, b4;

	if (inet_pton(AF_INET, a, &a4) == 1 && inet_pton(AF_INET, b, &b4) == 1)
		return a4.s_addr == b4.s_addr || a4.s_addr == INADDR_ANY || b4.s_addr == INADDR_ANY;
	if (inet_pton(AF_INET6, a, &a6) == 1 && inet_pton(AF_INET6, b, &b6) == 1)
		return IN6_ARE_ADDR_EQUAL(&a6, &b6) || IN6_IS_ADDR_UNSPECIFIED(&a6) ||
		       IN6_IS_ADDR_UNSPECIFIED(&b6);
	return strcasecmp(a, b) == 0;
}

bool
listen_meet(const char *address, const char *other)
{
	struct address a, b;

	if (parse(address, &a, NULL) < 0 || parse(other, &b, NULL) < 0)
		return false;
	if (a.path != NULL || b.path != NULL)
		return a.path != NULL && b.path != NULL && strcmp(a.path, b.path) == 0;
	return strcmp(a.port, "0") != 0 && strcmp(a.port, b.port) == 0 &&
	       do_hosts_meet(a.host, b.host);
}

bool
listen_is_unix(const char *address)
{
	return strncmp(address, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0;
}

static int
failed(const char *bound, const char *what, struct hrw_fault *fault)
{
	return hrw_fault(
	    fault, HRW_INTERNAL, "cannot listen on %s: %s: %s", bound, what, strerror(errno));
}

static void
name_bound(const struct sockaddr *name, socklen_t len, char bound[LISTEN_BOUND])
{
	char host[INET6_ADDRSTRLEN + 1], port[8];

	if (getnameinfo(name, len, host, sizeof(host), port, sizeof(port),
		NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return;
	snprintf(
	    bound, LISTEN_BOUND, name->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

/* A bound socket. SO_REUSEADDR so that connections of a former daemon that wind
 * down do not hold the port; v6 alone, so that "[::]" leaves IPv4 to its own. */
static int
bind_one(const struct addrinfo *info, bool is_shared)
{
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (info->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if ((is_shared && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0) ||
	    bind(fd, info->ai_addr, info->ai_addrlen) < 0) {
		int why = errno;

		close(fd);
		errno = why;
		return -1;
	}
	return fd;
}

/* Why a port could not be had, with its owner where that is known. */
static int
not_taken(const struct addrinfo *info, const char *bound, const char *what, struct hrw_fault *fault)
{
	struct occupant who;

	if (errno != EADDRINUSE)
		return failed(bound, what, fault);
	occupant_find(info->ai_addr, &who);
	return occupant_fault(&who, bound, fault);
}

/* A socket that listens on the address alone; -1 with the fault. */
static int
take_alone(const struct addrinfo *info, const char *bound, struct hrw_fault *fault)
{
	for (unsigned i = 0;; i++) {
		int fd = bind_one(info, false);
		bool is_over;

		if (fd < 0) {
			not_taken(info, bound, "bind", fault);
			return -1;
		}
		if (listen(fd, BACKLOG) == 0)
			return fd;
		/* Several may be bound before one listens, and two that begin to in one
		 * moment both fail: not again, unless they take the same time. */
		is_over = errno != EADDRINUSE || i == LISTEN_TRIES;
		if (is_over)
			not_taken(info, bound, "listen", fault);
		close(fd);
		if (is_over)
			return -1;
		usleep(1000 * (1 + ((unsigned)getpid() * 7 + i * 13) % 31));
	}
}

/* The others, beside the first. Nothing stays open on an error. */
static int
open_others(const struct addrinfo *info, unsigned count, int *fds, const char *bound,
    struct hrw_fault *fault)
{
	unsigned opened = 1;
	int rc = 0, on = 1;

	if (count > 1 && setsockopt(fds[0], SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0)
		rc = failed(bound, "SO_REUSEPORT", fault);
	while (rc == 0 && opened < count) {
		fds[opened] = bind_one(info, true);
		if (fds[opened] < 0)
			rc = not_taken(info, bound, "bind", fault);
		else if (listen(fds[opened++], BACKLOG) < 0)
			rc = not_taken(info, bound, "listen", fault);
	}
	while (rc < 0 && opened > 0)
		close(fds[--opened]);
	return rc;
}

/* The first address of a host, to freeaddrinfo(), and its text. */
static int
resolve(const struct address *a, struct addrinfo **info, char bound[LISTEN_BOUND])
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	int rc = getaddrinfo(a->host, a->port, &hints, info);

	if (rc == 0)
		name_bound((*info)->ai_addr, (*info)->ai_addrlen, bound);
	return rc;
}

static int
listen_tcp(const struct address *a, unsigned count, int *fds, char bound[LISTEN_BOUND],
    struct hrw_fault *fault)
{
	struct addrinfo *info;
	int rc = resolve(a, &info, bound);

	if (rc != 0)
		return hrw_fault(fault, HRW_INTERNAL, "cannot listen on %s: no such host: %s",
		    bound, gai_strerror(rc));
	fds[0] = take_alone(info, bound, fault);
	if (fds[0] < 0) {
		rc = HRW_INTERNAL;
	} else {
		/* Of port 0, the one that it got. */
		getsockname(fds[0], info->ai_addr, &info->ai_addrlen);
		name_bound(info->ai_addr, info->ai_addrlen, bound);
		rc = open_others(info, count, fds, bound, fault);
	}
	freeaddrinfo(info);
	return rc;
}

/* One socket, known by several descriptors: fds[0] is open. On an error nothing
 * stays open. */
static int
share(unsigned count, int *fds, const char *bound, struct hrw_fault *fault)
{
	unsigned opened = 1;
	int rc = 0;

	while (rc == 0 && opened < count) {
		fds[opened] = fcntl(fds[0], F_DUPFD_CLOEXEC, 0);
		if (fds[opened] < 0)
			rc = failed(bound, "dup", fault);
		else
			opened++;
	}
	while (rc < 0 && opened > 0)
		close(fds[--opened]);
	return rc;
}

/* Sockets that were handed over and not opened yet. */
static struct {
	char bound[LISTEN_BOUND];
	int fd;
} handed[SOCKETS_MAX];
static size_t handed_count;

/* The one at an address, no longer held here; -1: there is none. */
static int
take_handed(const char *address)
{
	for (size_t i = 0; i < handed_count; i++) {
		int fd = handed[i].fd;

		if (strcmp(handed[i].bound, address) != 0)
			continue;
		memmove(&handed[i], &handed[i + 1], (--handed_count - i) * sizeof(handed[0]));
		return fd;
	}
	return -1;
}

int
listen_adopt(int fd, char bound[LISTEN_BOUND], struct hrw_fault *fault)
{
	struct sockaddr_storage name = {0};
	const struct sockaddr_un *path = (const void *)&name;
	socklen_t len = sizeof(name), size = sizeof(int);
	int is_listening = 0, flags = fcntl(fd, F_GETFL);

	getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size);
	bound[0] = '\0';
	if (is_listening && getsockname(fd, (struct sockaddr *)&name, &len) == 0) {
		if (name.ss_family == AF_INET || name.ss_family == AF_INET6)
			name_bound((struct sockaddr *)&name, len, bound);
		else if (name.ss_family == AF_UNIX && path->sun_path[0] == '/')
			snprintf(bound, LISTEN_BOUND, UNIX_PREFIX "%.107s", path->sun_path);
	}
	if (bound[0] == '\0' || flags < 0 || handed_count == SOCKETS_MAX)
		return hrw_fault(fault, HRW_BAD_ADDRESS,
		    "descriptor %d was handed over, but it is no listening TCP or unix socket "
		    "(ListenStream= with a port or a path)",
		    fd);
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	snprintf(handed[handed_count].bound, LISTEN_BOUND, "%s", bound);
	handed[handed_count++].fd = fd;
	return 0;
}

/* Unix sockets of this process: removed at its end, if they are still ours. */
static struct {
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	dev_t dev;
	ino_t ino;
} made[SOCKETS_MAX];
static size_t made_count;

void
listen_unlink(void)
{
	struct stat now;

	while (made_count > 0) {
		made_count--;
		if (lstat(made[made_count].path, &now) == 0 && now.st_dev == made[made_count].dev &&
		    now.st_ino == made[made_count].ino)
			unlink(made[made_count].path);
	}
}

/* Removes a socket that a killed daemon left; anything else stays. */
static int
remove_stale(const struct sockaddr_un *name, const char *bound, struct hrw_fault *fault)
{
	struct occupant who;
	struct stat found;

	if (lstat(name->sun_path, &found) < 0)
		return errno == ENOENT ? 0 : failed(bound, "look", fault);
	if (!S_ISSOCK(found.st_mode))
		return hrw_fault(fault, HRW_INTERNAL,
		    "cannot listen on %s: there is a file of that name that is no socket", bound);
	if (occupant_find((const struct sockaddr *)name, &who))
		return occupant_fault(&who, bound, fault);
	if (unlink(name->sun_path) < 0)
		return failed(bound, "remove the old socket", fault);
	return 0;
}

static int
listen_unix(const struct address *a, const struct listen_access *access, unsigned count, int *fds,
    char bound[LISTEN_BOUND], struct hrw_fault *fault)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct stat now = {0};
	int rc;

	if (made_count == sizeof(made) / sizeof(made[0]))
		return hrw_fault(fault, HRW_INTERNAL, "too many unix sockets");
	memcpy(name.sun_path, a->path, strlen(a->path) + 1);
	rc = remove_stale(&name, bound, fault);
	if (rc < 0)
		return rc;
	fds[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fds[0] < 0)
		return failed(bound, "socket", fault);
	/* Group and mode are set before anyone can connect, which listen() allows. */
	if (bind(fds[0], (struct sockaddr *)&name, sizeof(name)) < 0)
		rc = failed(bound, "bind", fault);
	else if (chown(a->path, (uid_t)-1, access->group) < 0)
		rc = failed(bound, "give it to the group", fault);
	else if (chmod(a->path, access->mode) < 0 || lstat(a->path, &now) < 0)
		rc = failed(bound, "chmod", fault);
	else if (listen(fds[0], BACKLOG) < 0)
		rc = failed(bound, "listen", fault);
	if (rc < 0) {
		close(fds[0]);
		return rc;
	}
	/* There is no SO_REUSEPORT here. */
	rc = share(count, fds, bound, fault);
	if (rc < 0)
		return rc;
	memcpy(made[made_count].path, name.sun_path, sizeof(name.sun_path));
	made[made_count].dev = now.st_dev;
	made[made_count].ino = now.st_ino;
	made_count++;
	return 0;
}

int
listen_open(const char *address, const struct listen_access *access, unsigned count, int *fds,
    char bound[LISTEN_BOUND], struct hrw_fault *fault)
{
	static const struct listen_access usual = {.mode = 0660, .group = (gid_t)-1};
	struct address a;
	int rc;

	snprintf(bound, LISTEN_BOUND, "%s", address);
	fds[0] = take_handed(address);
	if (fds[0] >= 0)
		return share(count, fds, bound, fault);
	rc = parse(address, &a, fault);
	if (rc < 0)
		return rc;
	if (a.path == NULL)
		return listen_tcp(&a, count, fds, bound, fault);
	return listen_unix(&a, access != NULL ? access : &usual, count, fds, bound, fault);
}

bool
listen_name(const char *address, char bound[LISTEN_BOUND])
{
	struct addrinfo *info;
	struct address a;

	if (parse(address, &a, NULL) < 0 || a.path != NULL || resolve(&a, &info, bound) != 0)
		return false;
	freeaddrinfo(info);
	return true;
}

static int
connect_to(const struct sockaddr *name, socklen_t len, int seconds)
{
	struct timeval limit = {.tv_sec = seconds};
	int fd = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, name, len) == 0)
		return fd;
	close(fd);
	return -1;
}

int
listen_connect(const char *address, int seconds, struct hrw_fault *fault)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *info = NULL;
	struct sockaddr_un path = {.sun_family = AF_UNIX};
	struct address a;
	int fd = -1;

	if (parse(address, &a, fault) < 0)
		return fault->error;
	if (a.path != NULL) {
		memcpy(path.sun_path, a.path, strlen(a.path) + 1);
		fd = connect_to((struct sockaddr *)&path, sizeof(path), seconds);
	} else if (getaddrinfo(a.host, a.port, &hints, &info) == 0) {
		fd = connect_to(info->ai_addr, info->ai_addrlen, seconds);
		freeaddrinfo(info);
	}
	if (fd < 0)
		return hrw_fault(fault, HRW_INTERNAL, "nobody answers on %s", address);
	return fd;
}
