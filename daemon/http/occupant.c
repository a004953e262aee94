/*
 * occupant.c - the kernel tells anybody the user of a port, and the process to that
 * user and root alone: its descriptors name the socket.
 *
 * Sources: proc(5); Linux Documentation/networking/proc_net_tcp.rst.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/bytes.h"
#include "daemon/http/occupant.h"

enum { LISTENS = 0x0a, ADDRESS_HEX = 33, LINE = 512, PATH_BYTES = 320 };

/* As the kernel writes an address there: 32 bits a word, in the CPU's order. */
static void
hex_of(const struct sockaddr *address, char out[ADDRESS_HEX])
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;
	const uint32_t *word = v6->sin6_addr.s6_addr32;

	if (address->sa_family == AF_INET)
		snprintf(out, ADDRESS_HEX, "%08X", v4->sin_addr.s_addr);
	else
		snprintf(out, ADDRESS_HEX, "%08X%08X%08X%08X", word[0], word[1], word[2], word[3]);
}

static bool
is_any(const char *hex)
{
	return strspn(hex, "0") == strlen(hex);
}

/* The socket that listens on an address: its number, and its user. 0: none is seen. */
static unsigned long
socket_of(const char *file, const char *wanted, unsigned port, uid_t *user)
{
	FILE *sockets = fopen(file, "re");
	unsigned long number = 0;
	char line[LINE];

	if (sockets == NULL)
		return 0;
	while (number == 0 && fgets(line, sizeof(line), sockets) != NULL) {
		char at[ADDRESS_HEX];
		unsigned at_port, state, its_user;
		unsigned long its_number;

		if (sscanf(line,
			"%*d: %32[0-9A-F]:%x %*[0-9A-F]:%*x %x %*x:%*x %*x:%*x %*x %u %*d %lu", at,
			&at_port, &state, &its_user, &its_number) == 5 &&
		    at_port == port && state == LISTENS &&
		    (strcmp(at, wanted) == 0 || is_any(at) || is_any(wanted))) {
			number = its_number;
			*user = (uid_t)its_user;
		}
	}
	fclose(sockets);
	return number;
}

static bool
holds(const char *process, const char *socket)
{
	char folder[PATH_BYTES], to[64];
	bool is_there = false;
	DIR *fds;

	snprintf(folder, sizeof(folder), "/proc/%s/fd", process);
	fds = opendir(folder);
	if (fds == NULL)
		return false;
	for (const struct dirent *fd; !is_there && (fd = readdir(fds)) != NULL;) {
		ssize_t len = readlinkat(dirfd(fds), fd->d_name, to, sizeof(to) - 1);

		to[len > 0 ? len : 0] = '\0';
		is_there = strcmp(to, socket) == 0;
	}
	closedir(fds);
	return is_there;
}

/* The process that has it open, of those that may be looked at; 0: none of them. */
static pid_t
process_of(unsigned long number)
{
	DIR *processes = opendir("/proc");
	char socket[64];
	long pid = 0;

	if (processes == NULL)
		return 0;
	snprintf(socket, sizeof(socket), "socket:[%lu]", number);
	for (const struct dirent *p; pid == 0 && (p = readdir(processes)) != NULL;)
		if (isdigit((unsigned char)p->d_name[0]) && holds(p->d_name, socket))
			sscanf(p->d_name, "%ld", &pid);
	closedir(processes);
	return (pid_t)pid;
}

static void
read_name(struct occupant *who)
{
	char path[PATH_BYTES];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)who->pid);
	file = who->pid > 0 ? fopen(path, "re") : NULL;
	if (file == NULL)
		return;
	if (fgets(who->name, sizeof(who->name), file) == NULL)
		who->name[0] = '\0';
	fclose(file);
	who->name[strcspn(who->name, "\n")] = '\0';
}

/* Whoever answers on a path says who it is. */
static bool
find_unix(const struct sockaddr *address, struct occupant *out)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	bool is_there = true;

	if (fd < 0)
		return true;
	if (connect(fd, address, sizeof(struct sockaddr_un)) < 0) {
		is_there = errno == EAGAIN; /* its queue is full */
	} else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) {
		out->pid = peer.pid;
		out->user = peer.uid;
		out->has_user = true;
	}
	close(fd);
	return is_there;
}

static bool
find_tcp(const struct sockaddr *address, struct occupant *out)
{
	/* Both families have it at the same place. */
	unsigned port = ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
	char hex[ADDRESS_HEX];
	unsigned long number;

	hex_of(address, hex);
	number =
	    socket_of(address->sa_family == AF_INET6 ? "/proc/self/net/tcp6" : "/proc/self/net/tcp",
		hex, port, &out->user);
	/* One that takes both families takes this port of IPv4, too. */
	if (number == 0 && address->sa_family == AF_INET)
		number = socket_of("/proc/self/net/tcp6", "0", port, &out->user);
	out->has_user = number > 0;
	out->pid = number > 0 ? process_of(number) : 0;
	return true;
}

bool
occupant_find(const struct sockaddr *address, struct occupant *out)
{
	bool is_there;

	*out = (struct occupant){0};
	is_there = address->sa_family == AF_UNIX ? find_unix(address, out) : find_tcp(address, out);
	read_name(out);
	return is_there;
}

int
occupant_fault(const struct occupant *who, const char *address, struct hrw_fault *fault)
{
	const struct passwd *user = who->has_user ? getpwuid(who->user) : NULL;
	char shown[HRW_SHOWN];

	if (who->pid == getpid())
		return hrw_fault(fault, HRW_INTERNAL,
		    "%s is taken by another listener of this configuration: give each an address "
		    "of its own",
		    address);
	if (strcmp(who->name, "hrwd") == 0)
		return hrw_fault(fault, HRW_INTERNAL,
		    "%s is in use by another hrwd (process %ld); stop it, or listen elsewhere",
		    address, (long)who->pid);
	if (who->pid > 0)
		return hrw_fault(fault, HRW_INTERNAL,
		    "%s is in use by process %ld%s%s; stop it, or listen elsewhere", address,
		    (long)who->pid, who->name[0] != '\0' ? ", " : "",
		    hrw_show(hrw_text(who->name), shown, sizeof(shown)));
	if (user != NULL)
		return hrw_fault(fault, HRW_INTERNAL,
		    "%s is in use by a process of the user %s; stop it, or listen elsewhere",
		    address, user->pw_name);
	if (who->has_user)
		return hrw_fault(fault, HRW_INTERNAL,
		    "%s is in use by a process of user %ld; stop it, or listen elsewhere", address,
		    (long)who->user);
	return hrw_fault(fault, HRW_INTERNAL,
	    "%s is in use; find out by whom (ss -ltnp), or listen elsewhere", address);
}
