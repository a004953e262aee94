/*
 * linger.c - a socket closed with unread bytes sends a reset, which may destroy
 * the answer before the client has read it. So what still comes is read and
 * dropped, within reason.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/http/private.h"

enum {
	LINGER_MS = 10000,
	LINGER_BYTES = 64 << 20,
	LINGER_MAX = 64, /* at once, to a server; one more is closed as it is */
};

struct lingerer {
	struct http_server *server;
	struct lingerer *next, *previous;
	uv_poll_t poll;
	uv_timer_t timer;
	unsigned handles;
	int fd;
	size_t read;
};

static void
on_closed(uv_handle_t *handle)
{
	struct lingerer *l = handle->data;
	struct http_server *server = l->server;

	if (--l->handles > 0)
		return;
	close(l->fd);
	free(l);
	server_handle_closed(server);
}

static void
finish(struct lingerer *l)
{
	if (l->previous != NULL)
		l->previous->next = l->next;
	else
		l->server->lingers = l->next;
	if (l->next != NULL)
		l->next->previous = l->previous;
	l->server->lingering--;
	uv_close((uv_handle_t *)&l->poll, on_closed);
	uv_close((uv_handle_t *)&l->timer, on_closed);
}

static void
on_readable(uv_poll_t *poll, int status, int events)
{
	struct lingerer *l = poll->data;
	char dropped[16384];
	ssize_t got;

	(void)events;
	got = status < 0 ? 0 : recv(l->fd, dropped, sizeof(dropped), MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got > 0)
		l->read += (size_t)got;
	if (got <= 0 || l->read > LINGER_BYTES)
		finish(l);
}

static void
on_time(uv_timer_t *timer)
{
	finish(timer->data);
}

void
linger_start(struct http_server *server, int fd)
{
	struct lingerer *l;

	if (fd < 0)
		return;
	l = server->lingering == LINGER_MAX ? NULL : calloc(1, sizeof(*l));
	if (l == NULL || uv_poll_init(server->loop, &l->poll, fd) < 0) {
		free(l);
		close(fd);
		return;
	}
	uv_timer_init(server->loop, &l->timer);
	l->server = server;
	l->fd = fd;
	l->handles = 2;
	l->poll.data = l->timer.data = l;
	l->next = server->lingers;
	if (l->next != NULL)
		l->next->previous = l;
	server->lingers = l;
	server->lingering++;
	server->handles++;
	uv_timer_start(&l->timer, on_time, LINGER_MS, 0);
	uv_poll_start(&l->poll, UV_READABLE, on_readable);
}

void
linger_stop_all(struct http_server *server)
{
	while (server->lingers != NULL)
		finish(server->lingers);
}
