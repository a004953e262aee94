/*
 * response.c - answers, and the one place where an error becomes a status.
 */
#include <assert.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#include "daemon/base/json.h"
#include "daemon/base/log.h"
#include "daemon/http/private.h"
#include "daemon/http/spool.h"

/* No default: a new error does not compile without a status. */
unsigned
respond_status(enum hrw_error error, const char *reason)
{
	switch (error) {
	case HRW_OK:
		break;
	case HRW_BAD_SERVER:
		/* A name that is taken, or hashes as another's, is no fault of its text. */
		return reason == NULL || strcmp(reason, "name") == 0 ? 400 : 409;
	case HRW_TOO_MANY:
	case HRW_BAD_KEY:
	case HRW_BAD_COPIES:
	case HRW_BAD_WEIGHT:
	case HRW_BAD_ADDRESS:
	case HRW_BAD_ZONE:
	case HRW_BAD_POOL:
	case HRW_BAD_JSON:
	case HRW_BAD_FIELD:
	case HRW_BAD_PARAMETER:
		return 400;
	case HRW_UNAUTHORIZED:
		return 401;
	case HRW_FORBIDDEN:
	case HRW_READ_ONLY:
		return 403;
	case HRW_UNKNOWN_PATH:
	case HRW_UNKNOWN_POOL:
	case HRW_UNKNOWN_NODE:
	case HRW_UNKNOWN_PLAN:
	case HRW_UNKNOWN_EPOCH:
		return 404;
	case HRW_BAD_METHOD:
		return 405;
	case HRW_TIMEOUT:
		return 408;
	case HRW_NOT_DRAINING:
	case HRW_KEYS_AT_RISK:
	case HRW_LAST_NODE:
	case HRW_TOO_MUCH_MOVED:
	case HRW_POOL_NOT_EMPTY:
	case HRW_KEYS_CHANGED:
	case HRW_CONFLICT:
		return 409;
	case HRW_STALE_EPOCH:
		return 412;
	case HRW_TOO_LARGE:
		return reason == NULL ? 413 : 431; /* the body; the head */
	case HRW_BAD_TYPE:
		return 415;
	case HRW_PRECONDITION_REQUIRED:
		return 428;
	case HRW_BUSY:
		return 429;
	case HRW_NO_SERVERS:
	case HRW_STORE_FAILED:
		return 503;
	case HRW_INTERNAL:
		break;
	}
	return 500;
}

static void
write_problem(struct buffer *out, unsigned status, const struct hrw_fault *fault)
{
	struct json_out o = json_out(out);

	json_open_object(&o, NULL);
	json_put_text(&o, "type", "about:blank");
	json_put_text(&o, "title", hrw_error_title(fault->error));
	json_put_int(&o, "status", status);
	json_put_text(&o, "code", hrw_error_code(fault->error));
	if (fault->reason != NULL)
		json_put_text(&o, "reason", fault->reason);
	if (fault->field[0] != '\0')
		json_put_text(&o, "field", fault->field);
	json_put_text(&o, "detail", fault->detail);
	json_close_object(&o);
	buffer_add_text(out, "\n");
}

/* One line for our own faults; what clients do wrong is no news at that level. */
static void
log_fault(const struct exchange *ex, unsigned status, const struct hrw_fault *fault)
{
	const struct request *req = &ex->request;
	bool is_ours = fault->error == HRW_INTERNAL || fault->error == HRW_STORE_FAILED;

	log_event(is_ours ? LOG_ERROR : LOG_DEBUG, "request failed", log_count("status", status),
	    log_text("code", hrw_error_code(fault->error)),
	    log_text("route", req->route == NULL ? NULL : req->route->path),
	    log_text("detail", fault->detail), REQUEST_FIELDS(req));
}

void
response_fault(struct exchange *ex, int status)
{
	struct request *req = &ex->request;
	unsigned code;

	/* What a handler had answered before it failed is dropped, its headers too. */
	if (ex->has_answer)
		buffer_clear(&ex->headers);
	if (ex->stream != NULL)
		stream_free(ex->stream);
	ex->stream = NULL;
	spool_free(ex->spool);
	ex->spool = NULL;
	if ((int)req->fault.error != status)
		hrw_fault(&req->fault, (enum hrw_error)status, "%s", hrw_error_title(status));
	code = respond_status(req->fault.error, req->fault.reason);
	if (req->fault.error == HRW_NO_SERVERS)
		respond_text(req, "Retry-After", "5");
	if (req->fault.error == HRW_BUSY)
		respond_text(req, "Retry-After", "1");
	if (req->fault.error == HRW_UNAUTHORIZED)
		respond_text(req, "WWW-Authenticate", "Bearer");
	respond_text(req, "Content-Type", "application/problem+json");
	buffer_clear(&ex->out);
	write_problem(&ex->out, code, &req->fault);
	ex->status = code;
	ex->has_answer = true;
	log_fault(ex, code, &req->fault);
}

void
respond_header(struct request *req, const char *name, const char *format, ...)
{
	struct buffer *to = &req->exchange->headers;
	va_list values, again;
	int len;

	buffer_add(to, name, strlen(name) + 1);
	va_start(values, format);
	va_copy(again, values);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len >= 0 && buffer_reserve(to, (size_t)len + 1) == 0) {
		vsnprintf(to->data + to->len, (size_t)len + 1, format, values);
		to->len += (size_t)len + 1;
	}
	va_end(values);
}

void
respond_text(struct request *req, const char *name, const char *value)
{
	struct buffer *to = &req->exchange->headers;

	buffer_add(to, name, strlen(name) + 1);
	buffer_add(to, value, strlen(value) + 1);
}

struct buffer *
request_buffer(struct request *req)
{
	buffer_clear(&req->exchange->out);
	return &req->exchange->out;
}

static int
answered(struct exchange *ex, unsigned status, const char *type)
{
	assert(!ex->has_answer);
	if (type != NULL)
		respond_text(&ex->request, "Content-Type", type);
	ex->status = status;
	ex->has_answer = true;
	return 0;
}

int
respond(struct request *req, unsigned status, const char *type, struct buffer *body)
{
	struct exchange *ex = req->exchange;

	if (body->failed) {
		buffer_clear(body);
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for the answer");
	}
	if (body != &ex->out) {
		buffer_fini(&ex->out);
		ex->out = *body;
		*body = (struct buffer){0};
	}
	return answered(ex, status, type);
}

int
respond_json(struct request *req, unsigned status, struct buffer *body)
{
	buffer_add_text(body, "\n");
	return respond(req, status, "application/json", body);
}

int
respond_empty(struct request *req, unsigned status)
{
	buffer_clear(&req->exchange->out);
	return answered(req->exchange, status, NULL);
}

int
respond_spool(struct request *req, unsigned status, const char *type, struct spool *spool)
{
	req->exchange->spool = spool;
	return answered(req->exchange, status, type);
}

/* An answer whose body has a length that is not said: of a stream asked for with
 * HEAD, and of 304, where "Content-Length: 0" would be a lie. The library would
 * end a chunked body that it never began; so the connection's end must do. */
static bool
is_without_length(const struct exchange *ex)
{
	return ex->status == 304 || (ex->is_head && ex->stream != NULL);
}

static ssize_t
read_nothing(void *arg, uint64_t at, char *out, size_t max)
{
	(void)arg;
	(void)at;
	(void)out;
	(void)max;
	return MHD_CONTENT_READER_END_OF_STREAM;
}

void
response_add_headers(struct MHD_Response *response, const struct buffer *headers)
{
	const char *at = headers->data, *end = at + headers->len;

	while (at < end) {
		const char *value = at + strlen(at) + 1;

		MHD_add_response_header(response, at, value);
		at = value + strlen(value) + 1;
	}
}

static struct MHD_Response *
make_response(struct exchange *ex)
{
	struct MHD_Response *response;

	if (is_without_length(ex)) {
		response = MHD_create_response_from_callback(
		    MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);
		if (response != NULL)
			MHD_set_response_options(
			    response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
		return response;
	}
	if (ex->stream != NULL)
		return stream_response(ex);
	if (ex->spool != NULL)
		return spool_response(ex);
	/* The exchange outlives the response: nothing is copied. */
	return MHD_create_response_from_buffer(ex->out.len, ex->out.data, MHD_RESPMEM_PERSISTENT);
}

static void
count(struct exchange *ex)
{
	const struct http_site *site = ex->server->site;
	const struct route *route = ex->request.route;

	site->answered(ex->server->app,
	    route == NULL ? site->route_count : (size_t)(route - site->routes), ex->status,
	    uv_hrtime() - ex->began);
}

enum MHD_Result
response_queue(struct exchange *ex)
{
	bool closes = ex->closes || ex->server->is_quiesced;
	struct MHD_Response *response;
	enum MHD_Result result;

	respond_text(&ex->request, "Request-Id", ex->identity.id);
	ex->server->sending += !ex->is_queued;
	ex->is_queued = true;
	if (!closes && ex->stream == NULL && ex->spool == NULL && !is_without_length(ex))
		ex->prepared = prepared_take(ex->server->prepared, &ex->headers, &ex->out);
	if (ex->prepared != NULL) {
		result = MHD_queue_response(
		    ex->connection->mhd, ex->status, prepared_response(ex->prepared));
		count(ex);
		return result;
	}
	response = make_response(ex);
	if (response == NULL)
		return MHD_NO;
	response_add_headers(response, &ex->headers);
	if (closes)
		MHD_add_response_header(response, "Connection", "close");
	result = MHD_queue_response(ex->connection->mhd, ex->status, response);
	MHD_destroy_response(response);
	count(ex);
	return result;
}

/* Sends at once what fits into the socket: an answer of a few hundred bytes on a
 * connection that has sent nothing yet. */
static void
send_raw(struct connection *c, unsigned status, const char *headers, const struct buffer *body)
{
	char head[1024], date[64];
	time_t now = time(NULL);
	struct tm utc;
	struct iovec part[2];
	struct msghdr message = {.msg_iov = part, .msg_iovlen = 2};

	gmtime_r(&now, &utc);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &utc);
	part[0].iov_base = head;
	part[0].iov_len = (size_t)snprintf(head, sizeof(head),
	    "HTTP/1.1 %u %s\r\nDate: %s\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n",
	    status, MHD_get_reason_phrase_for(status), date, headers, body->len);
	part[1].iov_base = body->data;
	part[1].iov_len = body->len;
	if (c->tls == NULL) {
		sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
		return;
	}
	/* Before the end of a handshake nothing is sent, nor could it be read. */
	if (gnutls_record_send(c->tls, head, part[0].iov_len) > 0) {
		gnutls_record_send(c->tls, body->data, body->len);
		gnutls_bye(c->tls, GNUTLS_SHUT_WR);
	}
}

void
response_send(struct exchange *ex)
{
	struct buffer headers = {0};
	const char *at, *end;

	if (ex->identity.id[0] == '\0') /* its head is not whole */
		identity_give(
		    &ex->identity, hrw_bytes(NULL, 0), hrw_bytes(NULL, 0), &ex->server->identities);
	respond_text(&ex->request, "Request-Id", ex->identity.id);
	at = ex->headers.data;
	end = at + ex->headers.len;
	while (at < end) {
		const char *value = at + strlen(at) + 1;

		buffer_printf(&headers, "%s: %s\r\n", at, value);
		at = value + strlen(value) + 1;
	}
	send_raw(ex->connection, ex->status, buffer_text(&headers), &ex->out);
	buffer_fini(&headers);
	count(ex);
}

void
response_send_timeout(struct connection *c)
{
	struct identity identity;
	struct hrw_fault fault;
	struct buffer body = {0};
	char headers[160];
	unsigned status;

	if (c->is_refused)
		hrw_fault(&fault, HRW_BUSY, "there are too many connections");
	else
		hrw_fault(&fault, HRW_TIMEOUT,
		    "the request's head did not end in %u seconds (limits.head_seconds)",
		    c->server->config->head_seconds);
	status = respond_status(fault.error, NULL);
	write_problem(&body, status, &fault);
	identity_give(&identity, hrw_bytes(NULL, 0), hrw_bytes(NULL, 0), &c->server->identities);
	snprintf(headers, sizeof(headers),
	    "Content-Type: application/problem+json\r\nRequest-Id: %s\r\n", identity.id);
	send_raw(c, status, headers, &body);
	buffer_fini(&body);
}
