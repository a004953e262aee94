/*
 * stuck.c - connections for which libmicrohttpd asks for turn after turn, though
 * nothing can come of one. Both were seen in 0.9.75.
 *
 * A TLS handshake that has a part of a message: it keeps the socket for readable,
 * though all was read. It is suspended until there is more to read.
 *
 * A line with a chunk's size that fills the buffer: it waits for its end, and has no
 * room for it. It is refused.
 */
#include <ctype.h>
#include <gnutls/gnutls.h>
#include <sys/socket.h>

#include "daemon/http/private.h"

enum { PAGE = 4096 };

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

/* Does the body's buffer begin with a size and show no end of its line? */
static bool
may_be_full(const struct connection *c)
{
	const struct exchange *ex = c->exchange;
	const char *at = ex->framing.end;

	return ex->phase == PHASE_BODY && ex->framing.is_chunked && !ex->is_suspended &&
	       isxdigit((unsigned char)*at) &&
	       memchr(at, '\n', PAGE - ((uintptr_t)at & (PAGE - 1))) == NULL;
}

/* Is its memory used up? An entry that fits tells that it is not; it costs some of
 * that memory, so this is asked of a few only. */
static bool
is_full(const struct connection *c)
{
	return MHD_set_connection_value_n(c->mhd, MHD_FOOTER_KIND, framing_hidden,
		   strlen(framing_hidden), "", 0) == MHD_NO;
}

static void
refuse_line(struct connection *c)
{
	struct exchange *ex = c->exchange;

	exchange_refuse(ex, hrw_fault(&ex->request.fault, HRW_BAD_PARAMETER,
				"the line before a chunk of the body is longer than any that is "
				"taken; the connection is closed"));
	/* libmicrohttpd sees that both directions are shut, and closes it. */
	connection_queue(c, QUEUE_NONE);
	shutdown(c->fd, SHUT_RDWR);
}

void
connection_unstick(struct http_server *server)
{
	static const enum queue heads[] = {QUEUE_HEAD, QUEUE_REFUSED};
	struct connection *c, *later;

	for (size_t i = 0; server->is_tls && i < sizeof(heads) / sizeof(heads[0]); i++)
		for (c = server->queue[heads[i]].first; c != NULL; c = c->later)
			if (may_be_in_handshake(c))
				park(c);
	for (c = server->queue[QUEUE_BODY].first; c != NULL; c = later) {
		later = c->later;
		if (may_be_full(c) && is_full(c))
			refuse_line(c);
	}
}
