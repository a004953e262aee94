/*
 * wire.c - sees the bytes that libmicrohttpd reads.
 *
 * It has no call for that, and it reads with recv(), or over TLS with
 * gnutls_record_recv(). What a program defines is found before what its libraries do,
 * so these two here are what it calls: they read, and have scan.c count. Where a build
 * of the library reads in another way, nothing is counted, and so every request is
 * refused: it cannot be missed.
 */
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "daemon/http/private.h"

/* Whose turn of the library this thread is in; NULL: none. */
static _Thread_local struct http_server *running;

void
wire_run(struct http_server *server)
{
	running = server;
	MHD_run(server->mhd);
	running = NULL;
}

bool
wire_add(struct connection *c)
{
	struct http_server *server = c->server;
	size_t room = server->by_fd_room == 0 ? 64 : server->by_fd_room;
	struct connection **more;

	while (room <= (size_t)c->fd)
		room *= 2;
	if (room > server->by_fd_room) {
		more = realloc(server->by_fd, room * sizeof(more[0]));
		if (more == NULL)
			return false;
		for (size_t i = server->by_fd_room; i < room; i++)
			more[i] = NULL;
		server->by_fd = more;
		server->by_fd_room = room;
	}
	server->by_fd[c->fd] = c;
	return true;
}

void
wire_remove(struct connection *c)
{
	if ((size_t)c->fd < c->server->by_fd_room && c->server->by_fd[c->fd] == c)
		c->server->by_fd[c->fd] = NULL;
}

static void
see(int fd, const void *bytes, ssize_t len)
{
	struct connection *c =
	    fd >= 0 && (size_t)fd < running->by_fd_room ? running->by_fd[fd] : NULL;

	if (c != NULL && len > 0)
		scan_bytes(&c->scan, bytes, (size_t)len);
}

/* GnuTLS reads with it, too. */
ssize_t
recv(int fd, void *to, size_t room, int flags)
{
	ssize_t got = recvfrom(fd, to, room, flags, NULL, NULL);

	if (running != NULL && !running->is_tls && (flags & MSG_PEEK) == 0)
		see(fd, to, got);
	return got;
}

/* The same call, by another name, of the library. */
ssize_t
gnutls_record_recv(gnutls_session_t session, void *to, size_t room)
{
	unsigned char sequence[8];
	ssize_t got = gnutls_record_recv_seq(session, to, room, sequence);

	if (running != NULL && running->is_tls)
		see(gnutls_transport_get_int(session), to, got);
	return got;
}
