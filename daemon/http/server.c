/*
 * server.c - libmicrohttpd inside libuv.
 *
 * Its sockets are edge triggered, so what it has left to do stands in its
 * timeout alone, asked for after every run; a timeout of zero means "again", and
 * is given a turn of the loop (uv_idle), never a loop here: the other servers
 * and streams of this loop have theirs in between.
 */
#include <arpa/inet.h>
#include <gnutls/abstract.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/http/private.h"

enum {
	CONNECTION_MEMORY = 32 << 10, /* of a head, beside three times a key (%XX) */
	ANSWER_MEMORY = 4 << 10,      /* of the answer's head: left when a head is taken */
	PAGE = 4096,		      /* what the library rounds it up to */
	REFUSED_MS = 2000,
	GRACE_MS = 1000,
	TAKE_TURNS = 64, /* each takes some ten connections */
	CLOSING_MS = 10,
	FRUITLESS_LOOK = 32, /* turns that come to nothing, from one look at who asks to the next */
	FRUITLESS_MAX = 80, /* … until the next ones wait: a full buffer grows by 128 bytes each */
	WAIT_MS = 64,
};

/* The raw request line's target: copied, then hidden from the library, which
 * would take it apart by rules of its own and hang on some 500 parameters. What
 * it parses begins behind the '?', a place it has noted already: an end there is
 * what stops it (tried: one over the '?' alone does not). */
static void *
on_target(void *arg, const char *uri, struct MHD_Connection *mhd)
{
	struct http_server *server = arg;
	struct connection *c =
	    MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
	struct exchange *ex = c == NULL ? NULL : exchange_new(c, uri);
	char *query, *version;

	server->progress++;
	if (ex == NULL || uri == NULL)
		return ex;
	version = (char *)(uintptr_t)uri + ex->raw.len + 1;
	framing_prepare(mhd, version + strlen(version));
	query = memchr((char *)(uintptr_t)uri, '?', ex->raw.len);
	if (query != NULL)
		query[0] = query[1] = '\0';
	return ex;
}

static size_t
leave_escaped(void *arg, struct MHD_Connection *mhd, char *text)
{
	(void)arg;
	(void)mhd;
	return strlen(text);
}

static enum MHD_Result
on_request(void *arg, struct MHD_Connection *mhd, const char *url, const char *method,
    const char *version, const char *data, size_t *len, void **context)
{
	struct http_server *server = arg;

	(void)mhd;
	(void)url;
	server->progress++;
	if (*context == NULL)
		return MHD_NO;
	return exchange_step(*context, method, version, data, len);
}

static void
on_completed(
    void *arg, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode why)
{
	struct http_server *server = arg;
	struct exchange *ex = *context;
	struct connection *c;

	(void)mhd;
	server->progress++;
	if (ex == NULL)
		return;
	c = ex->connection;
	if (why == MHD_REQUEST_TERMINATED_WITH_ERROR)
		c->lingers = true;
	if (ex->stream != NULL)
		c->server->is_closing = true;
	exchange_end(ex);
	*context = NULL;
	/* Its answer went out without a word of closing, before the quiesce. */
	if (c->server->is_quiesced)
		shutdown(c->fd, SHUT_RD);
}

/* What the library would write to stderr: its own refusals, and clients that went
 * away. When it has read a head to its end and cannot go on, it tells here first, then
 * sends the head of its answer twice; so ours is sent, and its own finds no way out. */
static void
on_complaint(void *arg, const char *format, va_list values)
{
	struct http_server *server = arg;
	struct hrw_fault fault = {0};
	int rc = 0;

	(void)values;
	if (strstr(format, "Content-Length") != NULL && strstr(format, "large") != NULL)
		rc = hrw_fault(
		    &fault, HRW_TOO_LARGE, "the Content-Length is more than 64 bits hold");
	else if (strstr(format, "Content-Length") != NULL)
		rc = hrw_fault(&fault, HRW_BAD_PARAMETER,
		    "the Content-Length is no whole number; the connection is closed");
	else if (strstr(format, "Not enough memory") != NULL)
		rc = framing_too_long(server->head_room, &fault);
	if (rc < 0)
		connection_refuse_head(server, &fault);
}

static void
on_connection(
    void *arg, struct MHD_Connection *mhd, void **context, enum MHD_ConnectionNotificationCode what)
{
	struct http_server *server = arg;

	server->progress++;
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*context = connection_open(server, mhd);
	else if (*context != NULL)
		connection_close(*context);
}

/* The library asks for another turn at once: how long does it wait? A connection may
 * ask for them without end (0.9.75: one whose TLS handshake has a part of a message,
 * or whose buffer is full of one line), so a turn that comes to nothing counts. What
 * is ready wakes the loop in any case; the wait bounds what is not known to us. */
static uint64_t
patience(struct http_server *server, bool has_progress)
{
	unsigned beyond;

	if (has_progress)
		server->fruitless = 0;
	else if (++server->fruitless % FRUITLESS_LOOK == 2)
		connection_unstick(server);
	if (server->fruitless < FRUITLESS_MAX)
		return 0;
	beyond = server->fruitless - FRUITLESS_MAX;
	/* A long answer over TLS is sent a record a turn, and no call of ours tells. */
	return server->sending > 0 ? 1 : beyond < 6 ? 1u << beyond : WAIT_MS;
}

static void finish_stop(struct http_server *server);

static void on_timer(uv_timer_t *timer);
static void on_again(uv_idle_t *again);

/* One turn: what is over, what is ready, and when to come again. */
static void
turn(struct http_server *server)
{
	MHD_UNSIGNED_LONG_LONG timeout;
	uint64_t due, before;

	if (server->is_stopped)
		return;
	server->turn = uv_hrtime();
	connection_expire(server);
	connection_sweep(server);
	before = server->progress;
	wire_run(server);
	if (server->is_stopping && server->suspended == 0) {
		finish_stop(server);
		return;
	}
	due = connection_earliest(server);
	if (MHD_get_timeout(server->mhd, &timeout) == MHD_NO)
		timeout = UINT64_MAX;
	/* A stream without chunks ends by closing, amid the library's turn, while its
	 * descriptor is not polled: only a later turn sees that and lets it go. */
	if (server->is_closing || (server->is_quiesced && server->connections != NULL))
		timeout = timeout < CLOSING_MS ? timeout : CLOSING_MS;
	if (timeout == 0)
		timeout = patience(server, server->progress != before);
	else
		server->fruitless = 0;
	if (timeout == 0) {
		uv_idle_start(&server->again, on_again);
		return;
	}
	server->is_closing = false;
	uv_idle_stop(&server->again);
	if (timeout < UINT64_MAX - uv_now(server->loop) && uv_now(server->loop) + timeout < due)
		due = uv_now(server->loop) + timeout;
	/* A timer that fires early costs a turn; to move it each time would cost more. */
	if (due < server->due) {
		server->due = due;
		uv_timer_start(&server->timer, on_timer,
		    due > uv_now(server->loop) ? due - uv_now(server->loop) : 1, 0);
	}
}

static void
on_timer(uv_timer_t *timer)
{
	struct http_server *server = timer->data;

	server->due = UINT64_MAX;
	turn(server);
}

static void
on_again(uv_idle_t *again)
{
	turn(again->data);
}

void
server_wake(struct http_server *server)
{
	uv_idle_start(&server->again, on_again);
}

static void
on_ready(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	turn(poll->data);
}

static void
name_own(struct http_server *server)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	char host[INET6_ADDRSTRLEN] = "";

	memset(&name, 0, sizeof(name));
	getsockname(server->fd, (struct sockaddr *)&name, &len);
	server->is_unix = name.ss_family == AF_UNIX;
	server->is_own = server->is_unix && len > sizeof(sa_family_t) &&
			 ((struct sockaddr_un *)&name)->sun_path[0] == '\0';
	if (name.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&name)->sin6_addr, host, sizeof(host));
		snprintf(server->own, sizeof(server->own), "[%s]", host);
	} else if (name.ss_family == AF_INET) {
		inet_ntop(AF_INET, &((struct sockaddr_in *)&name)->sin_addr, host, sizeof(host));
		snprintf(server->own, sizeof(server->own), "%s", host);
	}
}

/* Never asked: each session has a certificate of ours before it begins. But
 * without one, or this, the library does not start. */
static int
no_certificate(gnutls_session_t session, const gnutls_datum_t *issuers, int issuer_count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **certificate,
    unsigned *count, gnutls_privkey_t *key)
{
	(void)session;
	(void)issuers;
	(void)issuer_count;
	(void)algorithms;
	(void)algorithm_count;
	(void)certificate;
	(void)count;
	(void)key;
	return -1;
}

static struct MHD_Daemon *
start_mhd(struct http_server *server)
{
	const struct http_config *config = server->config;
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem tls[] = {
	    {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(uintptr_t)no_certificate},
	    {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)tls_priorities},
	    {MHD_OPTION_END, 0, NULL},
	};

	if (server->is_tls)
		flags |= MHD_USE_TLS;
	else
		tls[0].option = MHD_OPTION_END;
	return MHD_start_daemon(flags, 0, NULL, NULL, on_request, server,
	    MHD_OPTION_EXTERNAL_LOGGER, on_complaint, server, MHD_OPTION_LISTEN_SOCKET, server->fd,
	    MHD_OPTION_URI_LOG_CALLBACK, on_target, server, MHD_OPTION_UNESCAPE_CALLBACK,
	    leave_escaped, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_CONNECTION_LIMIT,
	    (unsigned)server->most, MHD_OPTION_CONNECTION_TIMEOUT, config->idle_seconds,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, 3 * config->key_bytes + CONNECTION_MEMORY,
	    MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

static void
free_server(struct http_server *server)
{
	while (server->spare != NULL) {
		struct exchange *ex = server->spare;

		server->spare = ex->next_spare;
		buffer_fini(&ex->raw);
		buffer_fini(&ex->in);
		buffer_fini(&ex->headers);
		buffer_fini(&ex->out);
		free(ex);
	}
	free(server->by_fd);
	prepared_free(server->prepared);
	router_free(server->router);
	free(server);
}

struct http_server *
http_server_new(uv_loop_t *loop, int fd, enum listener listener, bool is_tls,
    const struct http_config *config, const struct http_site *site, struct app *app,
    struct snapshot *const *snapshot, struct hrw_fault *fault)
{
	struct http_server *server = calloc(1, sizeof(*server));
	const union MHD_DaemonInfo *info;

	if (server == NULL)
		goto no_memory;
	server->loop = loop;
	server->fd = fd;
	server->listener = listener;
	server->is_tls = is_tls;
	server->app = app;
	server->config = config;
	server->site = site;
	server->snapshot = snapshot;
	server->due = UINT64_MAX;
	server->identities = identity_seed();
	server->queue[QUEUE_REFUSED].ms = REFUSED_MS;
	server->queue[QUEUE_GRACE].ms = GRACE_MS;
	server->queue[QUEUE_HEAD].ms = 1000 * (uint64_t)config->head_seconds;
	server->queue[QUEUE_NEXT].ms =
	    server->queue[QUEUE_HEAD].ms + 1000 * (uint64_t)config->idle_seconds;
	server->queue[QUEUE_BODY].ms = 1000 * (uint64_t)config->body_seconds;
	server->head_room = 3 * config->key_bytes + CONNECTION_MEMORY + PAGE - 1;
	server->head_room -= server->head_room % PAGE + ANSWER_MEMORY;
	name_own(server);
	accept_prepare(config);
	server->most = accept_limit(config, listener);
	server->router = router_new(site->routes, site->route_count, listener);
	server->prepared = prepared_new();
	if (server->router == NULL || server->prepared == NULL)
		goto no_memory;
	server->mhd = start_mhd(server);
	if (server->mhd == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "the HTTP server of a listener did not start: %s",
		    strerror(errno));
		goto failed;
	}
	info = MHD_get_daemon_info(server->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	if (uv_poll_init(loop, &server->poll, info->epoll_fd) < 0) {
		MHD_stop_daemon(server->mhd);
		server->fd = -1;
		hrw_fault(fault, HRW_INTERNAL, "the loop cannot watch the HTTP server");
		goto failed;
	}
	uv_timer_init(loop, &server->timer);
	uv_idle_init(loop, &server->again);
	server->handles = 3;
	server->poll.data = server->timer.data = server->again.data = server;
	uv_poll_start(&server->poll, UV_READABLE, on_ready);
	return server;
no_memory:
	hrw_fault(fault, HRW_INTERNAL, "no memory for an HTTP server");
failed:
	if (server == NULL || server->fd >= 0)
		close(fd);
	if (server != NULL)
		free_server(server);
	return NULL;
}

/* Who has connected already is not sent away when the socket is closed. */
static void
take_waiting(struct http_server *server)
{
	struct pollfd waiting = {server->fd, POLLIN, 0};

	for (int i = 0; i < TAKE_TURNS && poll(&waiting, 1, 0) > 0; i++)
		wire_run(server);
}

void
http_server_quiesce(struct http_server *server)
{
	if (server->is_quiesced || server->is_stopping)
		return;
	take_waiting(server);
	server->is_quiesced = true;
	MHD_quiesce_daemon(server->mhd);
	close(server->fd);
	/* No more is read from who asks for nothing any more: a request that is here
	 * already is still answered, and the others see the end of the stream. The first
	 * request of a connection may be a moment behind it, and its client would not try
	 * again. */
	for (struct connection *c = server->connections; c != NULL; c = c->next)
		if (c->exchange == NULL && c->asked == 0 && !c->is_refused)
			connection_queue(c, QUEUE_GRACE);
		else if (c->exchange == NULL)
			shutdown(c->fd, SHUT_RD);
	server_wake(server);
}

bool
http_server_is_idle(const struct http_server *server)
{
	const struct connection *c = server->connections;

	/* Those without a request are about to be closed, if not at once. */
	while (!server->is_quiesced && c != NULL && c->exchange == NULL)
		c = c->next;
	return c == NULL;
}

void
http_server_stop(struct http_server *server, void (*closed)(void *arg), void *arg)
{
	struct connection *next;

	server->is_stopping = true;
	server->closed = closed;
	server->closed_arg = arg;
	for (struct connection *c = server->connections; c != NULL; c = next) {
		next = c->next;
		connection_unpark(c);
		if (c->exchange != NULL)
			wait_stop(c->exchange);
	}
	/* The end comes in a turn of its own, when nothing is suspended any more. */
	server_wake(server);
}

static void
main_handle_closed(uv_handle_t *handle)
{
	struct http_server *server = handle->data;

	/* Nobody polls its descriptor any more: now it may close it. */
	if (handle == (uv_handle_t *)&server->poll)
		MHD_stop_daemon(server->mhd);
	server_handle_closed(server);
}

static void
finish_stop(struct http_server *server)
{
	server->is_stopped = true;
	linger_stop_all(server);
	uv_close((uv_handle_t *)&server->poll, main_handle_closed);
	uv_close((uv_handle_t *)&server->timer, main_handle_closed);
	uv_close((uv_handle_t *)&server->again, main_handle_closed);
}

void
server_handle_closed(struct http_server *server)
{
	void (*closed)(void *arg) = server->closed;
	void *arg = server->closed_arg;

	if (--server->handles > 0 || !server->is_stopped)
		return;
	free_server(server);
	closed(arg);
}
