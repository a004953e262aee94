/*
 * exchange_body.c - a request's body, as it comes: bounded, decoded, handed on.
 */
#include <strings.h>

#include "daemon/base/json.h"
#include "daemon/http/gunzip.h"
#include "daemon/http/private.h"

enum {
	DROP_MAX = 1 << 20,  /* of a refused body; more is not waited for */
	NOTHING_MAX = 64,    /* of a body where none is taken */
	TURN_MAX = 64 << 10, /* decoded bytes of one body, until others have their turn */
};

bool
body_is_expected(const struct exchange *ex)
{
	return ex->framing.is_chunked || ex->framing.length > 0;
}

/* The Content-Encoding: of a body that is read, gzip or none. */
static int
judge_encoding(struct exchange *ex)
{
	struct request *req = &ex->request;
	struct hrw_bytes sent = ex->framing.content_encoding;
	const char *text = (const char *)sent.data;
	char shown[HRW_SHOWN];

	if (sent.len == 0 || !body_is_expected(ex) ||
	    (sent.len == 8 && strncasecmp(text, "identity", 8) == 0))
		return 0;
	if (req->route->body != BODY_NONE &&
	    ((sent.len == 4 && strncasecmp(text, "gzip", 4) == 0) ||
		(sent.len == 6 && strncasecmp(text, "x-gzip", 6) == 0))) {
		ex->gunzip = gunzip_new();
		return ex->gunzip != NULL
			   ? 0
			   : hrw_fault(&req->fault, HRW_INTERNAL, "no memory to decode the body");
	}
	respond_text(req, "Accept-Encoding", req->route->body == BODY_NONE ? "identity" : "gzip");
	hrw_fault(&req->fault, HRW_BAD_TYPE, "the body's Content-Encoding is \"%s\"; this takes %s",
	    hrw_show(sent, shown, sizeof(shown)),
	    req->route->body == BODY_NONE ? "none" : "gzip, or none");
	return hrw_fault_at(&req->fault, "Content-Encoding");
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
	const struct http_config *config = ex->server->config;

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

int
body_judge(struct exchange *ex)
{
	int rc = judge_encoding(ex);

	return rc < 0 ? rc : judge_length(ex);
}

bool
body_is_too_much(const struct exchange *ex)
{
	if (ex->framing.is_chunked)
		return ex->dropped > DROP_MAX;
	return ex->framing.length - ex->came > DROP_MAX;
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

static void
nothing(struct request *req)
{
	(void)req;
}

static int
nothing_done(struct request *req)
{
	(void)req;
	return 0;
}

/* What can be decoded of `in`, up to a step that waits: then the rest comes again. A
 * kilobyte may become a megabyte, so others have their turn between. */
static int
take_encoded(struct exchange *ex, struct hrw_bytes *in)
{
	struct hrw_bytes out;
	size_t taken = 0;
	int rc;

	while ((rc = gunzip_next(ex->gunzip, in, &out, &ex->request.fault)) > 0) {
		rc = take_piece(ex, out);
		if (rc != 0)
			return rc;
		taken += out.len;
		if (taken >= TURN_MAX)
			return request_background(&ex->request, nothing, nothing_done);
	}
	return rc;
}

enum MHD_Result
body_piece(struct exchange *ex, const char *data, size_t *len)
{
	struct hrw_bytes in;
	int rc;

	/* Within chunked bodies the library calls on while suspended: not taken yet. */
	if (ex->is_suspended)
		return MHD_YES;
	if (scan_is_bad(&ex->connection->scan, ex->number)) {
		exchange_refuse(
		    ex, scan_end(&ex->connection->scan, ex->number, &ex->request.fault));
		return MHD_NO;
	}
	in = hrw_bytes(data, *len);
	if (ex->gunzip != NULL && ex->failed == 0) {
		rc = take_encoded(ex, &in);
		ex->came += *len - in.len;
		*len = rc == REQUEST_PENDING ? in.len : 0;
	} else {
		rc = take_piece(ex, in);
		ex->came += *len;
		*len = 0;
	}
	if (rc == REQUEST_PENDING) {
		wait_suspend(ex);
		return MHD_YES;
	}
	ex->failed = rc;
	if (rc == 0 || !body_is_too_much(ex))
		return MHD_YES;
	exchange_refuse(ex, rc);
	return MHD_NO;
}

int
body_end(struct exchange *ex)
{
	struct hrw_bytes rest = hrw_bytes(NULL, 0);
	int rc = ex->gunzip == NULL ? 0 : take_encoded(ex, &rest);

	return rc == 0 && ex->gunzip != NULL ? gunzip_end(ex->gunzip, &ex->request.fault) : rc;
}

int
body_judge_nothing(struct exchange *ex)
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
