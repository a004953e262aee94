#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "tests/dsl/http.h"
#include "tests/dsl/text.h"
#include "tests/interop/fakes.h"

enum { REQUEST_MAX = 16384, EVENTS = 64, PORT_FIRST = 10000, PORTS = 22000 };

/* A listener, or a connection that it took. */
struct socket {
	int fd;
	const char *name;
	bool is_listener;
	size_t len;
	char *request; /* a connection's, NUL behind it */
};

struct fakes {
	enum speech speech;
	int epoll;
	pthread_t thread;
};

static int
socket_on(const char *address)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct sockaddr_in in = {.sin_family = AF_INET};
	const char *colon = strrchr(address, ':');
	char host[64];
	int fd, rc, yes = 1;

	if (strncmp(address, "unix:", 5) == 0) {
		ck_assert_uint_lt(strlen(address + 5), sizeof(un.sun_path));
		strcpy(un.sun_path, address + 5);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		rc = bind(fd, (struct sockaddr *)&un, sizeof(un));
	} else {
		snprintf(host, sizeof(host), "%.*s", (int)(colon - address), address);
		inet_pton(AF_INET, host, &in.sin_addr);
		in.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
		rc = bind(fd, (struct sockaddr *)&in, sizeof(in));
	}
	if (rc != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

const char *
loopback_address(struct dice *d, unsigned port)
{
	for (;;) {
		const char *address = text("127.%u.%u.%u:%u", 1 + dice_below(d, 254),
		    dice_below(d, 256), 1 + dice_below(d, 254),
		    port != 0 ? port : PORT_FIRST + dice_below(d, PORTS));
		int fd = socket_on(address);

		if (fd < 0)
			continue;
		close(fd);
		return address;
	}
}

struct fakes *
fakes_new(enum speech speech)
{
	struct fakes *f = kept(calloc(1, sizeof(*f)));

	f->speech = speech;
	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	ck_assert_int_ge(f->epoll, 0);
	return f;
}

static void
watch(struct fakes *f, struct socket *s)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};

	if (epoll_ctl(f->epoll, EPOLL_CTL_ADD, s->fd, &event) != 0)
		abort();
}

void
fakes_add(struct fakes *f, const char *address, const char *name)
{
	struct socket *s = kept(calloc(1, sizeof(*s)));

	s->fd = socket_on(address);
	s->name = name;
	s->is_listener = true;
	ck_assert_msg(s->fd >= 0 && listen(s->fd, 64) == 0, "%s is in use", address);
	watch(f, s);
}

static void
welcome(struct fakes *f, struct socket *listener)
{
	struct socket *s = calloc(1, sizeof(*s));
	int yes = 1;

	if (s == NULL || (s->request = malloc(REQUEST_MAX + 1)) == NULL)
		abort();
	s->name = listener->name;
	s->fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
	if (s->fd < 0) {
		free(s->request);
		free(s);
		return;
	}
	setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	watch(f, s);
}

/* A program that is just being forked holds the connection still, so closing alone
 * would not end its events. */
static void
hang_up(const struct fakes *f, struct socket *s)
{
	epoll_ctl(f->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	close(s->fd);
	free(s->request);
	free(s);
}

static void
answer_http(const struct socket *s)
{
	char head[160];

	snprintf(head, sizeof(head),
	    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
	    "Content-Length: %zu\r\n\r\n%s",
	    strlen(s->name), s->name);
	raw_send(s->fd, head, strlen(head));
}

/* "get KEY\r\n" */
static void
answer_memcached(const struct socket *s, const char *line, size_t len)
{
	char answer[REQUEST_MAX + 128];
	int head = snprintf(answer, sizeof(answer), "VALUE ");

	memcpy(answer + head, line + 4, len - 4);
	head += (int)len - 4;
	head += snprintf(answer + head, sizeof(answer) - (size_t)head, " 0 %zu\r\n%s\r\nEND\r\n",
	    strlen(s->name), s->name);
	raw_send(s->fd, answer, (size_t)head);
}

/* Answers all whole requests and keeps the rest; false: to be hung up. */
static bool
answer_all(const struct fakes *f, struct socket *s)
{
	const char *end_mark = f->speech == SPEAKS_HTTP ? "\r\n\r\n" : "\r\n";
	size_t mark = strlen(end_mark);
	char *at = s->request, *end;

	while ((end = memmem(at, s->len - (size_t)(at - s->request), end_mark, mark)) != NULL) {
		if (f->speech == SPEAKS_HTTP)
			answer_http(s);
		else if (end - at >= 4 && memcmp(at, "get ", 4) == 0)
			answer_memcached(s, at, (size_t)(end - at));
		else
			return false;
		at = end + mark;
	}
	s->len -= (size_t)(at - s->request);
	memmove(s->request, at, s->len);
	return s->len < REQUEST_MAX;
}

static void *
serve(void *arg)
{
	struct fakes *f = arg;
	struct epoll_event events[EVENTS];

	for (;;) {
		int count = epoll_wait(f->epoll, events, EVENTS, -1);

		for (int i = 0; i < count; i++) {
			struct socket *s = events[i].data.ptr;
			ssize_t got;

			if (s->is_listener) {
				welcome(f, s);
				continue;
			}
			got = recv(s->fd, s->request + s->len, REQUEST_MAX - s->len, 0);
			if (got > 0)
				s->len += (size_t)got;
			if (got <= 0 || !answer_all(f, s))
				hang_up(f, s);
		}
	}
	return NULL;
}

void
fakes_run(struct fakes *f)
{
	ck_assert_int_eq(pthread_create(&f->thread, NULL, serve, f), 0);
}
