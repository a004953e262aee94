/*
 * access.c - the access log: a line for each request that was answered.
 */
#include "daemon/base/log.h"
#include "daemon/http/private.h"

enum { TARGET_SHOWN = 256, KEY_SHOWN = 64 }; /* bytes */

/* Of the answer's body, as far as the library took it. */
static uint64_t
body_bytes(const struct exchange *ex)
{
	if (ex->is_head)
		return 0;
	return ex->stream != NULL || ex->spool != NULL ? ex->sent : ex->out.len;
}

/* "http://user:password@host/…" without what is a secret. */
static const char *
without_user(const char *asked)
{
	const char *from = strstr(asked, "://"), *at;

	if (asked[0] == '/')
		return asked;
	from = from != NULL ? from + 3 : asked;
	at = memrchr(from, '@', strcspn(from, "/?#"));
	return at != NULL ? at + 1 : asked;
}

/* Nothing of its headers but the key: no token can be among it. */
void
access_line(const struct exchange *ex)
{
	const struct request *req = &ex->request;
	const struct target_parameter *key = target_parameter(&ex->target, "key");
	const struct log_field fields[] = {
	    log_text("method", ex->method),
	    log_bytes("target", hrw_text(without_user(ex->asked)), TARGET_SHOWN),
	    log_count("status", ex->status),
	    log_text("route", req->route != NULL ? req->route->path : NULL),
	    log_bytes("key", key != NULL ? key->value : ex->framing.key, KEY_SHOWN),
	    log_count("bytes", body_bytes(ex)),
	    log_count("duration_us", (uv_hrtime() - ex->arrived) / 1000),
	    REQUEST_FIELDS(req),
	};

	log_access(fields, sizeof(fields) / sizeof(fields[0]));
}
