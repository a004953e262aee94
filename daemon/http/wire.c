/*
 * wire.c - sees the bytes that libmicrohttpd reads.
 *
 * It has no call for that, and it reads with recv(), or over TLS with
 * gnutls_record_recv(). What a program defines is found before what its libraries do,
 * so these two here are what it calls: they read, and have scan.c count. Where a build
 * of the library reads in another way, nothing is counted, and so every request is
 * refused: it cannot be missed.
 */
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "daemon/http/private.h"

/* Whose turn of the library this thread is in; NULL: none. */
static _Thread_local struct http_server *running;

/* Would the library wait for more of what is refused in any case? */
static bool
is_in_vain(const struct connection *c)
{
	const struct exchange *ex = c->exchange;

	/* The library may have answered by itself. */
	return ex != NULL && !ex->is_suspended && !ex->is_sent &&
	       MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_HTTP_STATUS) == NULL &&
	       (ex->phase == PHASE_BODY || (ex->phase == PHASE_HEAD && c->scan.is_long)) &&
	       scan_is_bad(&c->scan, ex->number);
}

void
wire_note(struct connection *c)
{
	if (c->is_noted || c->scan.why == NULL)
		return;
	c->is_noted = true;
	c->next_bad = c->server->bad;
	c->server->bad = c;
}

void
wire_run(struct http_server *server)
{
	struct connection *c;

	running = server;
	MHD_run(server->mhd);
	running = NULL;
	while ((c = server->bad) != NULL) {
		server->bad = c->next_bad;
		c->is_noted = false;
		if (is_in_vain(c))
			connection_refuse(c);
	}
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
	struct connection **at = &c->server->bad;

	while (c->is_noted && *at != c)
		at = &(*at)->next_bad;
	if (c->is_noted)
		*at = c->next_bad;
	if ((size_t)c->fd < c->server->by_fd_room && c->server->by_fd[c->fd] == c)
		c->server->by_fd[c->fd] = NULL;
}

static struct connection *
connection_of(int fd)
{
	return fd >= 0 && (size_t)fd < running->by_fd_room ? running->by_fd[fd] : NULL;
}

static void
see(struct connection *c, const void *bytes, ssize_t len)
{
	if (c == NULL || len <= 0)
		return;
	/* The library's buffer may grow by 128 bytes a turn: each of them comes to something. */
	running->progress++;
	scan_bytes(&c->scan, bytes, (size_t)len);
	wire_note(c);
}

/* GnuTLS reads with it, too. One that was refused is at its end for the library, which
 * would read on in what TLS holds back, or what came before. */
ssize_t
recv(int fd, void *to, size_t room, int flags)
{
	bool is_seen = running != NULL && !running->is_tls && (flags & MSG_PEEK) == 0;
	struct connection *c = is_seen ? connection_of(fd) : NULL;
	ssize_t got;

	if (c != NULL && c->is_cut) {
		errno = ECONNRESET;
		return -1;
	}
	got = recvfrom(fd, to, room, flags, NULL, NULL);
	see(c, to, got);
	return got;
}

/* The same call, by another name, of the library. */
ssize_t
gnutls_record_recv(gnutls_session_t session, void *to, size_t room)
{
	struct connection *c = running != NULL && running->is_tls
				   ? connection_of(gnutls_transport_get_int(session))
				   : NULL;
	unsigned char sequence[8];
	ssize_t got;

	if (c != NULL && c->is_cut)
		return GNUTLS_E_PREMATURE_TERMINATION;
	got = gnutls_record_recv_seq(session, to, room, sequence);
	see(c, to, got);
	return got;
}
