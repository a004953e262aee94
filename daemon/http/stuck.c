/*
 * stuck.c - connections for which libmicrohttpd asks for turn after turn, though
 * nothing can come of one. Both were seen in 0.9.75.
 *
 * A TLS handshake that has a part of a message: it keeps the socket for readable,
 * though all was read. It is suspended until there is more to read.
 *
 * A line with a chunk's size that fills the buffer: it waits for its end, and has no
 * room for it. The scan finds such a line too long before, and it is refused.
 */
#include <gnutls/gnutls.h>
#include <sys/socket.h>

#include "daemon/http/private.h"

/* It has sent nothing of a request that we know of, and none of the library's own
 * answers is on its way. One whose handshake is over may be among them: it goes on as
 * soon as more comes, like the others. */
static bool
may_be_in_handshake(const struct connection *c)
{
	return c->tls != NULL && c->exchange == NULL && !c->is_parked &&
	       gnutls_record_check_pending(c->tls) == 0 &&
	       MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_HTTP_STATUS) == NULL;
}

static void
on_more(uv_poll_t *watch, int status, int events)
{
	(void)status;
	(void)events;
	connection_unpark(watch->data);
}

static void
park(struct connection *c)
{
	if (!connection_watch_for(c, UV_READABLE, on_more))
		return;
	MHD_suspend_connection(c->mhd);
	c->is_parked = true;
	c->server->suspended++;
}

void
connection_unpark(struct connection *c)
{
	if (!c->is_parked)
		return;
	connection_unwatch(c);
	c->is_parked = false;
	c->server->suspended--;
	MHD_resume_connection(c->mhd);
	server_wake(c->server);
}

void
connection_refuse(struct connection *c)
{
	struct exchange *ex = c->exchange;
	struct hrw_fault *fault = &ex->request.fault;

	exchange_refuse(ex, c->scan.is_long ? framing_too_long(c->server->head_room, fault)
					    : scan_end(&c->scan, ex->number, fault));
	/* libmicrohttpd closes it at its next read, or when it sees both directions shut. */
	c->is_cut = true;
	connection_queue(c, QUEUE_NONE);
	shutdown(c->fd, SHUT_RDWR);
	server_wake(c->server);
}

void
connection_unstick(struct http_server *server)
{
	static const enum queue heads[] = {QUEUE_HEAD, QUEUE_REFUSED};
	struct connection *c;

	for (size_t i = 0; server->is_tls && i < sizeof(heads) / sizeof(heads[0]); i++)
		for (c = server->queue[heads[i]].first; c != NULL; c = c->later)
			if (may_be_in_handshake(c))
				park(c);
}
