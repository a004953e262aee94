/*
 * connection.c - libmicrohttpd's timeout is one of idleness, which a byte now
 * and then puts off forever; these deadlines are for a whole head or body.
 */
#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/http/own_socket.h"
#include "daemon/http/private.h"

enum { SWEEP_MS = 1000 };

static void
name_peer(struct connection *c, const struct sockaddr *peer)
{
	char host[INET6_ADDRSTRLEN] = "?";

	if (peer != NULL && peer->sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)peer;

		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		snprintf(c->peer, sizeof(c->peer), "%s:%u", host, ntohs(v4->sin_port));
	} else if (peer != NULL && peer->sa_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const void *)peer;

		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		snprintf(c->peer, sizeof(c->peer), "[%s]:%u", host, ntohs(v6->sin6_port));
	} else {
		snprintf(c->peer, sizeof(c->peer), "unix");
	}
}

/* Who is at the other end of a unix socket, for the history. */
static void
name_user(struct connection *c)
{
	struct ucred credentials;
	socklen_t len = sizeof(credentials);
	struct passwd entry, *found = NULL;
	char room[1024];

	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &credentials, &len) < 0)
		return;
	getpwuid_r(credentials.uid, &entry, room, sizeof(room), &found);
	if (found != NULL && strlen(found->pw_name) < sizeof(c->by) - 4)
		snprintf(c->by, sizeof(c->by), "uid:%s", found->pw_name);
	else
		snprintf(c->by, sizeof(c->by), "uid:%lu", (unsigned long)credentials.uid);
}

/* The session that the library made, with the present certificate. */
static bool
begin_tls(struct connection *c)
{
	const struct tls *tls = atomic_load(&c->server->config->tls);

	c->tls = MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION)->tls_session;
	return tls != NULL && c->tls != NULL && tls_begin(tls, c->tls);
}

struct connection *
connection_open(struct http_server *server, struct MHD_Connection *mhd)
{
	struct connection *c = calloc(1, sizeof(*c));
	const struct sockaddr *peer;

	if (c == NULL)
		return NULL;
	peer = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
	if (server->is_unix)
		peer = NULL;
	c->server = server;
	c->mhd = mhd;
	c->fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	c->queue = QUEUE_NONE;
	c->scan.head_max = server->head_room;
	if (!wire_add(c)) {
		free(c);
		return NULL;
	}
	if (server->is_own && !own_socket_is_ours(c->fd))
		shutdown(c->fd, SHUT_RDWR);
	/* A session without a certificate fails by itself. */
	if (server->is_tls && !begin_tls(c))
		log_error("TLS of a connection could not begin: no memory");
	c->is_refused = !accept_enter(&c->place, server->listener, peer, server->config);
	name_peer(c, peer);
	if (server->is_unix && server->listener == LISTENER_ADMIN)
		name_user(c);
	c->next = server->connections;
	if (c->next != NULL)
		c->next->previous = c;
	server->connections = c;
	server->open++;
	connection_queue(c, c->is_refused ? QUEUE_REFUSED : QUEUE_HEAD);
	return c;
}

static void
watch_closed(uv_handle_t *handle)
{
	struct connection *c = handle->data;
	struct http_server *server = c->server;

	free(c);
	server_handle_closed(server);
}

void
connection_close(struct connection *c)
{
	struct http_server *server = c->server;
	char byte;

	connection_unwatch(c);
	wire_remove(c);
	/* A head that was refused by the library itself leaves bytes behind, too. */
	if ((c->lingers || c->queue == QUEUE_HEAD) && !server->is_stopping &&
	    recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0)
		linger_start(server, dup(c->fd));
	connection_queue(c, QUEUE_NONE);
	if (c->previous != NULL)
		c->previous->next = c->next;
	else
		server->connections = c->next;
	if (c->next != NULL)
		c->next->previous = c->previous;
	accept_leave(&c->place);
	/* It listens again in a turn that begins with a place free. */
	if (server->open-- >= server->most)
		server->is_closing = true;
	if (c->has_watch)
		uv_close((uv_handle_t *)&c->watch, watch_closed);
	else
		free(c);
}

void
connection_queue(struct connection *c, enum queue queue)
{
	struct http_server *server = c->server;

	if (c->queue != QUEUE_NONE) {
		if (c->sooner != NULL)
			c->sooner->later = c->later;
		else
			server->queue[c->queue].first = c->later;
		if (c->later != NULL)
			c->later->sooner = c->sooner;
		else
			server->queue[c->queue].last = c->sooner;
	}
	c->queue = queue;
	c->later = c->sooner = NULL;
	if (queue == QUEUE_NONE)
		return;
	c->deadline = uv_now(server->loop) + server->queue[queue].ms;
	c->sooner = server->queue[queue].last;
	if (c->sooner != NULL)
		c->sooner->later = c;
	else
		server->queue[queue].first = c;
	server->queue[queue].last = c;
}

/* Did it come between two requests since the last look? One look is enough: an end
 * that comes later has an edge of its own. */
static bool
is_new_there(const struct connection *c)
{
	const struct http_server *server = c->server;

	return c->deadline >= server->swept + server->queue[QUEUE_NEXT].ms;
}

static bool
has_to_sweep(const struct http_server *server)
{
	const struct connection *newest = server->queue[QUEUE_NEXT].last;

	return server->queue[QUEUE_HEAD].first != NULL || server->queue[QUEUE_BODY].first != NULL ||
	       (newest != NULL && is_new_there(newest));
}

uint64_t
connection_earliest(const struct http_server *server)
{
	uint64_t earliest = UINT64_MAX;

	for (size_t i = 0; i < QUEUE_COUNT; i++)
		if (server->queue[i].first != NULL && server->queue[i].first->deadline < earliest)
			earliest = server->queue[i].first->deadline;
	if (has_to_sweep(server) && server->swept + SWEEP_MS < earliest)
		earliest = server->swept + SWEEP_MS;
	return earliest;
}

void
connection_expire(struct http_server *server)
{
	for (enum queue queue = 0; queue < QUEUE_COUNT; queue++) {
		struct connection *c;

		while ((c = server->queue[queue].first) != NULL &&
		       c->deadline <= uv_now(server->loop)) {
			if (c->exchange != NULL && c->exchange->is_suspended) {
				/* We are waited for, not the client. */
				connection_queue(c, queue);
				continue;
			}
			connection_queue(c, QUEUE_NONE);
			if (queue == QUEUE_GRACE) {
				shutdown(c->fd, SHUT_RD);
				continue;
			}
			if (c->exchange != NULL)
				exchange_expire(c->exchange);
			else
				response_send_timeout(c);
			/* libmicrohttpd sees the end of the stream and closes it. */
			shutdown(c->fd, SHUT_RDWR);
		}
	}
}

/* The one head that was read to its end, but is neither ours yet nor answered. */
static struct connection *
refused_by_library(struct http_server *server)
{
	static const enum queue heads[] = {QUEUE_HEAD, QUEUE_REFUSED};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		for (struct connection *c = server->queue[heads[i]].last; c != NULL; c = c->sooner)
			if (c->exchange != NULL && c->exchange->phase == PHASE_HEAD &&
			    !c->exchange->is_sent &&
			    MHD_get_connection_info(
				c->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) != NULL &&
			    MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_HTTP_STATUS) ==
				NULL)
				return c;
	return NULL;
}

void
connection_refuse_head(struct http_server *server, const struct hrw_fault *fault)
{
	struct connection *c = refused_by_library(server);

	if (c == NULL)
		return;
	c->exchange->request.fault = *fault;
	exchange_refuse(c->exchange, (int)fault->error);
	shutdown(c->fd, SHUT_WR);
}

static bool
has_ended(const struct connection *c)
{
	char byte;

	if (c->exchange != NULL && c->exchange->is_suspended)
		return false;
	if (c->tls != NULL && gnutls_record_check_pending(c->tls) > 0)
		return false;
	return recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void
look(struct connection *c)
{
	if (has_ended(c))
		shutdown(c->fd, SHUT_RD);
}

/* libmicrohttpd waits for an edge when a read brought less than it had room for;
 * an end that was there with those bytes has had its edge, and would be waited for
 * until the deadline (seen in 0.9.75). To shut down what is at its end already
 * changes nothing, but makes another edge. */
void
connection_sweep(struct http_server *server)
{
	static const enum queue reading[] = {QUEUE_HEAD, QUEUE_BODY};
	struct connection *c;

	if (uv_now(server->loop) < server->swept + SWEEP_MS)
		return;
	for (size_t i = 0; i < sizeof(reading) / sizeof(reading[0]); i++)
		for (c = server->queue[reading[i]].first; c != NULL; c = c->later)
			look(c);
	for (c = server->queue[QUEUE_NEXT].last; c != NULL && is_new_there(c); c = c->sooner)
		look(c);
	server->swept = uv_now(server->loop);
}

static void
on_disconnect(uv_poll_t *watch, int status, int events)
{
	struct connection *c = watch->data;
	struct exchange *ex = c->exchange;

	(void)status;
	(void)events;
	connection_unwatch(c);
	if (ex != NULL && ex->gone != NULL) {
		void (*gone)(struct request * req) = ex->gone;

		ex->gone = NULL;
		gone(&ex->request);
	}
}

bool
connection_watch_for(struct connection *c, int events, uv_poll_cb seen)
{
	if (!c->has_watch) {
		if (uv_poll_init(c->server->loop, &c->watch, c->fd) < 0)
			return false;
		c->watch.data = c;
		c->has_watch = true;
		c->server->handles++;
	}
	c->is_watched = uv_poll_start(&c->watch, events, seen) == 0;
	return c->is_watched;
}

void
connection_watch(struct connection *c)
{
	connection_watch_for(c, UV_DISCONNECT, on_disconnect);
}

void
connection_unwatch(struct connection *c)
{
	if (c->is_watched)
		uv_poll_stop(&c->watch);
	c->is_watched = false;
}
