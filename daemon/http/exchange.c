/*
 * exchange.c - one request from its first byte to its answer's last.
 *
 * libmicrohttpd calls once when the head is there, once for each piece of the
 * body, and once when all is there. It takes an answer in the first call (and
 * closes the connection after it) or in the last; so an error within a body
 * waits for its end, or is written past the library when too much would come.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/auth.h"
#include "daemon/http/gunzip.h"
#include "daemon/http/origin.h"
#include "daemon/http/private.h"
#include "daemon/http/spool.h"

enum {
	SPARE_MAX = 64,	       /* exchanges kept for the next requests */
	SPARE_ROOM = 16 << 10, /* bytes of each buffer kept with them */
};

static struct exchange *
spare_or_new(struct http_server *server)
{
	struct exchange *ex = server->spare;

	if (ex != NULL) {
		server->spare = ex->next_spare;
		server->spare_count--;
		return ex;
	}
	return calloc(1, sizeof(*ex) + server->config->parameters * sizeof(ex->parameter[0]));
}

/* The buffers' room outlives the exchange, so that a lookup allocates nothing. */
static void
keep_or_free(struct buffer *b)
{
	if (b->room > SPARE_ROOM)
		buffer_fini(b);
	buffer_clear(b);
}

struct exchange *
exchange_new(struct connection *c, const char *raw_target)
{
	struct http_server *server = c->server;
	struct exchange *ex = spare_or_new(server);

	if (ex == NULL)
		return NULL;
	ex->server = server;
	ex->connection = c;
	ex->number = ++c->asked;
	ex->arrived = ex->began = server->turn;
	ex->request.exchange = ex;
	ex->request.app = server->app;
	ex->request.listener = server->listener;
	ex->request.peer = c->peer;
	ex->request.by = c->by;
	ex->target.parameter = ex->parameter;
	ex->target.parameter_max = server->config->parameters;
	if (raw_target != NULL)
		buffer_add_text(&ex->raw, raw_target);
	/* The other one is decoded in place. */
	if (server->config->log_access && raw_target != NULL)
		ex->asked = strndup(raw_target, LOG_VALUE);
	c->exchange = ex;
	connection_queue(c, c->is_refused ? QUEUE_REFUSED : QUEUE_HEAD);
	return ex;
}

void
exchange_end(struct exchange *ex)
{
	struct http_server *server = ex->server;
	struct connection *c = ex->connection;
	struct buffer raw = ex->raw, in = ex->in, headers = ex->headers, out = ex->out;

	if (ex->asked != NULL && ex->has_answer)
		access_line(ex);
	free(ex->asked);
	server->sending -= ex->is_queued;
	if (ex->request.state_free != NULL)
		ex->request.state_free(ex->request.state);
	if (ex->stream != NULL)
		stream_free(ex->stream);
	spool_free(ex->spool);
	gunzip_free(ex->gunzip);
	prepared_return(ex->prepared);
	ex->server->site->release(ex->kept);
	c->exchange = NULL;
	if (c->queue != QUEUE_REFUSED)
		connection_queue(c, QUEUE_NEXT);
	if (server->spare_count == SPARE_MAX) {
		buffer_fini(&raw);
		buffer_fini(&in);
		buffer_fini(&headers);
		buffer_fini(&out);
		free(ex);
		return;
	}
	memset(ex, 0, sizeof(*ex));
	keep_or_free(&raw);
	keep_or_free(&in);
	keep_or_free(&headers);
	keep_or_free(&out);
	ex->raw = raw;
	ex->in = in;
	ex->headers = headers;
	ex->out = out;
	ex->next_spare = server->spare;
	server->spare = ex;
	server->spare_count++;
}

/* An answer to the head alone; libmicrohttpd closes the connection after it. */
static enum MHD_Result
answer_now(struct exchange *ex, int status)
{
	response_fault(ex, status);
	ex->closes = true;
	ex->connection->lingers = body_is_expected(ex);
	return response_queue(ex);
}

void
exchange_refuse(struct exchange *ex, int status)
{
	response_fault(ex, status);
	response_send(ex);
	ex->is_sent = true;
	ex->connection->lingers = true;
}

/* Everything that the head alone decides, in the order of judgement. */
static int
judge(struct exchange *ex, const char *method)
{
	struct request *req = &ex->request;
	struct http_server *server = ex->server;
	bool is_asked = auth_is_asked(server->config, server->listener);
	struct hrw_bytes host;
	char allow[ROUTER_ALLOW];
	int rc;

	rc = target_parse(ex->raw.data, ex->raw.len, &ex->target, &req->fault);
	/* The authority of an absolute target stands for Host (RFC 9112, 3.2.2). */
	host = ex->target.authority.data != NULL ? ex->target.authority : ex->framing.host;
	if (server->listener == LISTENER_ADMIN && !server->is_unix) {
		int allowed = origin_check(host, ex->framing.origin, is_asked ? NULL : server->own,
		    server->is_tls ? "https" : "http", server->config, &req->fault);

		if (allowed < 0)
			return allowed;
	}
	if (rc < 0)
		return rc;
	req->route =
	    router_find(server->router, method, &ex->target, req->segment, allow, &req->fault);
	/* Whoever is not known does not learn which paths there are. */
	if (is_asked && (req->route == NULL || req->route->role != ROLE_NONE)) {
		rc = auth_identify(req, ex->framing.authorization);
		if (rc < 0)
			return rc;
	}
	if (req->route == NULL) {
		if (req->fault.error == HRW_BAD_METHOD)
			respond_text(req, "Allow", allow);
		return req->fault.error;
	}
	ex->is_head = strcmp(method, "HEAD") == 0;
	req->method = req->route->method;
	rc = target_only(&ex->target, req->route->parameters, &req->fault);
	if (rc == 0)
		rc = auth_judge(req);
	if (rc == 0)
		rc = type_judge(ex, method, host);
	if (rc == 0)
		rc = body_judge(ex);
	return rc;
}

static enum MHD_Result
after_begin(struct exchange *ex, int status)
{
	if (status == REQUEST_PENDING) {
		ex->begins = true;
		wait_suspend(ex);
		return MHD_YES;
	}
	if (status < 0) {
		ex->failed = status;
		if (body_is_expected(ex) && (ex->framing.expects_continue || body_is_too_much(ex)))
			return answer_now(ex, status);
	}
	return MHD_YES;
}

/* How long the library lets the connection be silent. While a body comes its own
 * deadline decides, and answers; the library would hang up without a word. */
static void
set_idle(struct exchange *ex, unsigned seconds)
{
	MHD_set_connection_option(ex->connection->mhd, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/* The head is there. */
static enum MHD_Result
start(struct exchange *ex, const char *method, const char *version)
{
	struct request *req = &ex->request;
	const struct framing_head head = {method, version,
	    MHD_get_connection_info(ex->connection->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
		->header_size,
	    ex->server->head_room};
	int rc = framing_read(ex->connection->mhd, &head, &ex->framing, &req->fault);

	if (rc == 0)
		rc = scan_head(&ex->connection->scan, ex->number, &req->fault);
	ex->method = method;
	identity_give(
	    &ex->identity, ex->framing.request_id, ex->framing.trace, &ex->server->identities);
	if (rc == HRW_TOO_LARGE) { /* no memory is left to queue an answer */
		exchange_refuse(ex, rc);
		return MHD_NO;
	}
	if (rc < 0)
		return answer_now(ex, rc);
	if (ex->connection->is_refused)
		return answer_now(ex,
		    hrw_fault(&req->fault, HRW_BUSY,
			"there are too many connections (limits.connections, "
			"limits.connections_per_address); keep those you have open and use them "
			"again"));
	ex->phase = PHASE_BODY;
	connection_queue(ex->connection, body_is_expected(ex) ? QUEUE_BODY : QUEUE_NONE);
	if (body_is_expected(ex))
		set_idle(ex, ex->server->config->body_seconds + 1);
	rc = judge(ex, method);
	if (rc == 0 && req->route->begin != NULL) {
		req->snapshot = *ex->server->snapshot;
		rc = wait_run(ex, req->route->begin);
	}
	/* A length over the limit is known to be in vain: refused at once. */
	if (rc == HRW_TOO_LARGE && body_is_expected(ex))
		return answer_now(ex, rc);
	return after_begin(ex, rc);
}

/* A handler's status, turned into an answer unless it made one. */
static void
settle(struct exchange *ex, int status)
{
	assert(status != REQUEST_PENDING);
	if (status >= 0 && !ex->has_answer)
		status = hrw_fault(
		    &ex->request.fault, HRW_INTERNAL, "the request was left without an answer");
	if (status < 0)
		response_fault(ex, status);
}

/* The whole request is there. */
static enum MHD_Result
finish(struct exchange *ex)
{
	struct request *req = &ex->request;
	int rc = ex->failed, scanned;

	if (rc == 0)
		rc = body_end(ex);
	if (rc == REQUEST_PENDING) {
		wait_suspend(ex);
		return MHD_YES;
	}
	ex->phase = PHASE_HANDLE;
	connection_queue(ex->connection, QUEUE_NONE);
	if (body_is_expected(ex))
		set_idle(ex, ex->server->config->idle_seconds);
	scanned = scan_end(&ex->connection->scan, ex->number, &req->fault);
	if (scanned < 0) {
		exchange_refuse(ex, scanned);
		return MHD_NO;
	}
	if (rc == 0)
		rc = body_judge_nothing(ex);
	if (rc == 0) {
		if (ex->kept == NULL)
			req->snapshot = *ex->server->snapshot;
		req->body = buffer_bytes(&ex->in);
		rc = wait_run(ex, req->route->handle);
	}
	if (rc == REQUEST_PENDING) {
		wait_suspend(ex);
		return MHD_YES;
	}
	settle(ex, rc);
	return response_queue(ex);
}

enum MHD_Result
exchange_step(
    struct exchange *ex, const char *method, const char *version, const char *data, size_t *len)
{
	switch (ex->phase) {
	case PHASE_HEAD:
		return start(ex, method, version);
	case PHASE_BODY:
		if (ex->begins) {
			ex->begins = false;
			return after_begin(ex, ex->failed);
		}
		return *len > 0 ? body_piece(ex, data, len) : finish(ex);
	case PHASE_HANDLE:
		if (*len > 0) {
			*len = 0;
			return MHD_YES;
		}
		return response_queue(ex);
	}
	return MHD_NO;
}

void
exchange_continue(struct exchange *ex, int status)
{
	if (status == REQUEST_PENDING)
		return;
	if (ex->phase == PHASE_HANDLE)
		settle(ex, status);
	else
		ex->failed = status < 0 ? status : 0;
	wait_resume(ex);
}

void
exchange_expire(struct exchange *ex)
{
	hrw_fault(&ex->request.fault, HRW_TIMEOUT,
	    "the request's %s did not end in %u seconds (%s)",
	    ex->phase == PHASE_HEAD ? "head" : "body",
	    ex->phase == PHASE_HEAD ? ex->server->config->head_seconds
				    : ex->server->config->body_seconds,
	    ex->phase == PHASE_HEAD ? "limits.head_seconds" : "limits.body_seconds");
	response_fault(ex, HRW_TIMEOUT);
	response_send(ex);
}
