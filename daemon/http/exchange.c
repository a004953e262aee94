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
#include <strings.h>

#include "daemon/http/auth.h"
#include "daemon/http/origin.h"
#include "daemon/http/private.h"
#include "daemon/http/spool.h"
#include "daemon/members/snapshot.h"

enum {
	SPARE_MAX = 64,	       /* exchanges kept for the next requests */
	SPARE_ROOM = 16 << 10, /* bytes of each buffer kept with them */
	DROP_MAX = 1 << 20,    /* of a refused body; more is not waited for */
	NOTHING_MAX = 64,      /* of a body where none is taken */
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
	prepared_return(ex->prepared);
	snapshot_release(ex->kept);
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

static bool
has_body(const struct exchange *ex)
{
	return ex->framing.is_chunked || ex->framing.length > 0;
}

/* An answer to the head alone; libmicrohttpd closes the connection after it. */
static enum MHD_Result
answer_now(struct exchange *ex, int status)
{
	response_fault(ex, status);
	ex->closes = true;
	ex->connection->lingers = has_body(ex);
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

/* The Content-Type against the types of the row. */
static int
judge_type(struct exchange *ex, const char *method)
{
	const struct route *route = ex->request.route;
	struct hrw_bytes sent = ex->framing.content_type;
	const char *at = route->types, *end;
	char shown[HRW_SHOWN], host[HRW_SHOWN];
	bool takes_json;

	ex->type = 0;
	if (at == NULL || *at == '\0')
		return 0;
	if (sent.data == NULL && ex->framing.origin.data == NULL)
		return 0;
	if (sent.data == NULL)
		sent = hrw_text("");
	end = memchr(sent.data, ';', sent.len);
	if (end != NULL)
		sent.len = (size_t)(end - (const char *)sent.data);
	while (sent.len > 0 && (sent.data[sent.len - 1] == ' ' || sent.data[sent.len - 1] == '\t'))
		sent.len--;
	for (int i = 0; *at != '\0'; i++) {
		size_t len = strcspn(at, " ");

		if (len == sent.len && strncasecmp(at, (const char *)sent.data, len) == 0) {
			ex->type = i;
			return 0;
		}
		at += len;
		at += strspn(at, " ");
	}
	takes_json = strstr(route->types, "application/json") != NULL;
	hrw_show(ex->framing.host, host, sizeof(host));
	hrw_show(sent, shown, sizeof(shown));
	return hrw_fault(&ex->request.fault, HRW_BAD_TYPE,
	    "the body's Content-Type is \"%s\"; this takes %s. With curl: curl %s -X %s "
	    "'%s://%s%s'",
	    shown, route->types,
	    takes_json ? "--json @FILE" : "--data-binary @FILE -H 'Content-Type: text/plain'",
	    method, ex->server->is_tls ? "https" : "http", host, route->path);
}

static int
too_large(struct exchange *ex)
{
	return hrw_fault(&ex->request.fault, HRW_TOO_LARGE,
	    "the body is longer than %llu bytes (limits.%s)", (unsigned long long)ex->limit,
	    ex->request.route->body == BODY_STREAM ? "body_bytes" : "json_bytes");
}

static int
judge_length(struct exchange *ex)
{
	const struct config *config = ex->server->config;

	switch (ex->request.route->body) {
	case BODY_NONE:
	case BODY_WHOLE:
		ex->limit = config->json_bytes;
		break;
	case BODY_STREAM:
		ex->limit = config->body_bytes;
		break;
	case BODY_LONG:
		ex->limit = UINT64_MAX;
		break;
	}
	return ex->framing.length > ex->limit ? too_large(ex) : 0;
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
		rc = judge_type(ex, method);
	if (rc == 0)
		rc = judge_length(ex);
	return rc;
}

/* Is what remains of a refused body too much to wait for? */
static bool
is_too_much(const struct exchange *ex)
{
	if (ex->framing.is_chunked)
		return ex->dropped > DROP_MAX;
	return ex->framing.length - ex->seen > DROP_MAX;
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
		if (has_body(ex) && (ex->framing.expects_continue || is_too_much(ex)))
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
	const struct framing_head head = {method, version, ex->target_end,
	    MHD_get_connection_info(ex->connection->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
		->header_size,
	    ex->server->head_room};
	int rc = framing_read(ex->connection->mhd, &head, &ex->framing, &req->fault);

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
	connection_queue(ex->connection, has_body(ex) ? QUEUE_BODY : QUEUE_NONE);
	if (has_body(ex))
		set_idle(ex, ex->server->config->body_seconds + 1);
	rc = judge(ex, method);
	if (rc == 0 && req->route->begin != NULL) {
		req->snapshot = *ex->server->snapshot;
		rc = wait_run(ex, req->route->begin);
	}
	/* A length over the limit is known to be in vain: refused at once. */
	if (rc == HRW_TOO_LARGE && has_body(ex))
		return answer_now(ex, rc);
	return after_begin(ex, rc);
}

static int
take_piece(struct exchange *ex, struct hrw_bytes piece)
{
	const struct route *route = ex->request.route;

	ex->seen += piece.len;
	if (ex->failed < 0) {
		ex->dropped += piece.len;
		return ex->failed;
	}
	if (ex->seen > ex->limit)
		return too_large(ex);
	switch (route->body) {
	case BODY_NONE:
		/* As much as tells nothing from something. */
		if (ex->in.len < NOTHING_MAX)
			buffer_add(
			    &ex->in, piece.data, piece.len < NOTHING_MAX ? piece.len : NOTHING_MAX);
		return 0;
	case BODY_WHOLE:
		buffer_add(&ex->in, piece.data, piece.len);
		return ex->in.failed
			   ? hrw_fault(&ex->request.fault, HRW_INTERNAL, "no memory for the body")
			   : 0;
	case BODY_STREAM:
	case BODY_LONG:
		return wait_feed(ex, piece);
	}
	return 0;
}

/* A piece of the body. */
static enum MHD_Result
piece(struct exchange *ex, const char *data, size_t *len)
{
	int rc;

	/* Within chunked bodies the library calls on while suspended: not taken yet. */
	if (ex->is_suspended)
		return MHD_YES;
	if (ex->framing.is_chunked) {
		if (ex->is_back)
			ex->chunks.unsure = ex->server->turn;
		ex->is_back = false;
		rc = framing_chunk(
		    &ex->framing, &ex->chunks, ex->server->turn, data, *len, &ex->request.fault);
		if (rc < 0) {
			exchange_refuse(ex, rc);
			return MHD_NO;
		}
	}
	rc = take_piece(ex, hrw_bytes(data, *len));
	*len = 0;
	if (rc == REQUEST_PENDING) {
		wait_suspend(ex);
		return MHD_YES;
	}
	ex->failed = rc;
	if (rc == 0 || !is_too_much(ex))
		return MHD_YES;
	exchange_refuse(ex, rc);
	return MHD_NO;
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

/* A change that takes no body must not be made by a request that says more in
 * one: {"dry_run":true} would be read over. Nothing is white space or {}. */
static int
judge_nothing(struct exchange *ex)
{
	struct request *req = &ex->request;
	struct hrw_bytes body = buffer_bytes(&ex->in);
	char shown[HRW_SHOWN];
	struct json *root;
	bool is_nothing;
	size_t at = 0;

	if (req->route->body != BODY_NONE || req->method == METHOD_GET)
		return 0;
	while (at < body.len && body.data[at] != '\0' && strchr(" \t\r\n", body.data[at]) != NULL)
		at++;
	if (at == body.len)
		return 0;
	/* A longer one is not kept whole, and is not nothing. */
	root = body.len < NOTHING_MAX ? json_parse(body, JSON_STRICT, &req->fault) : NULL;
	if (root == NULL && body.len < NOTHING_MAX)
		return (int)req->fault.error;
	is_nothing = json_type(root) == JSON_OBJECT && json_count(root) == 0;
	json_free(root);
	if (is_nothing)
		return 0;
	return hrw_fault(&req->fault, HRW_BAD_FIELD,
	    "this takes no body, and \"%s\" came: leave it out; what a change needs goes into the "
	    "query, as ?dry_run=true",
	    hrw_show(body, shown, sizeof(shown)));
}

static int
judge_chunks(struct exchange *ex)
{
	int rc = framing_chunks_end(&ex->chunks, ex->server->turn, &ex->request.fault);

	return rc < 0
		   ? rc
		   : framing_read_trailer(ex->connection->mhd, ex->framing.end, &ex->request.fault);
}

/* The whole request is there. */
static enum MHD_Result
finish(struct exchange *ex)
{
	struct request *req = &ex->request;
	int rc = ex->failed;

	ex->phase = PHASE_HANDLE;
	connection_queue(ex->connection, QUEUE_NONE);
	if (has_body(ex))
		set_idle(ex, ex->server->config->idle_seconds);
	if (ex->framing.is_chunked) {
		int framed = judge_chunks(ex);

		if (framed < 0) {
			exchange_refuse(ex, framed);
			return MHD_NO;
		}
	}
	if (rc == 0)
		rc = judge_nothing(ex);
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
		return *len > 0 ? piece(ex, data, len) : finish(ex);
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
