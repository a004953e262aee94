/*
 * request.c - what handlers ask of a request.
 */
#include <stdio.h>

#include "core/range.h"
#include "daemon/http/accept_header.h"
#include "daemon/http/auth.h"
#include "daemon/http/private.h"

struct hrw_bytes
request_parameter(const struct request *req, const char *name)
{
	const struct target_parameter *p = target_parameter(&req->exchange->target, name);

	return p == NULL ? hrw_bytes(NULL, 0) : p->value;
}

/* Fills the fault of a parameter's value. */
static int
bad_value(struct request *req, const char *name, struct hrw_bytes value, enum hrw_error error,
    const char *wanted)
{
	char shown[HRW_SHOWN];

	hrw_fault(&req->fault, error, "%s is \"%s\", not %s", name,
	    hrw_show(value, shown, sizeof(shown)), wanted);
	return hrw_fault_at(&req->fault, "%s", name);
}

int
request_number(struct request *req, const char *name, int64_t min, int64_t max, int64_t otherwise,
    enum hrw_error error, int64_t *out)
{
	const struct target_parameter *p = target_parameter(&req->exchange->target, name);
	char wanted[HRW_RANGE_SHOWN];
	bool is_negative, is_number;
	uint64_t n = 0;
	size_t i;

	*out = otherwise;
	if (p == NULL)
		return 0;
	is_negative = p->value.len > 0 && p->value.data[0] == '-';
	i = is_negative;
	is_number = p->value.len > i && p->value.len - i <= 18;
	for (; is_number && i < p->value.len; i++) {
		is_number = p->value.data[i] >= '0' && p->value.data[i] <= '9';
		n = n * 10 + (unsigned)(p->value.data[i] - '0');
	}
	*out = is_negative ? -(int64_t)n : (int64_t)n;
	if (!is_number || *out < min || *out > max) {
		*out = otherwise;
		return bad_value(req, name, p->value, error,
		    hrw_show_whole_range((uint64_t)min, (uint64_t)max, wanted));
	}
	return 0;
}

int
request_flag(struct request *req, const char *name, bool *out)
{
	const struct target_parameter *p = target_parameter(&req->exchange->target, name);

	*out = false;
	if (p == NULL)
		return 0;
	if (!p->has_value || hrw_bytes_equal(p->value, hrw_text("true")))
		*out = true;
	else if (!hrw_bytes_equal(p->value, hrw_text("false")))
		return bad_value(req, name, p->value, HRW_BAD_PARAMETER, "true or false");
	return 0;
}

const char *
request_header(const struct request *req, const char *name)
{
	const char *value = NULL;
	size_t len = 0;

	if (MHD_lookup_connection_value_n(req->exchange->connection->mhd, MHD_HEADER_KIND, name,
		strlen(name), &value, &len) == MHD_NO)
		return NULL;
	if (value == NULL)
		return "";
	/* The library trims the front alone. The text is in the connection's own
	 * memory, ours to write to as the target is. */
	while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
		((char *)(uintptr_t)value)[--len] = '\0';
	return value;
}

const char *
request_id(const struct request *req)
{
	return req->exchange->identity.id;
}

const char *
request_trace(const struct request *req)
{
	const char *trace = req->exchange->identity.trace;

	return trace[0] != '\0' ? trace : NULL;
}

int
request_key(struct request *req, struct hrw_bytes *key)
{
	const struct target_parameter *p = target_parameter(&req->exchange->target, "key");
	struct hrw_bytes header = req->exchange->framing.key;
	size_t limit = req->exchange->server->config->key_bytes;

	if (p != NULL && header.data != NULL)
		return hrw_fault(&req->fault, HRW_BAD_PARAMETER,
		    "the key is given twice: use either ?key= or the header Hrw-Key");
	if (p == NULL && header.data == NULL) {
		hrw_fault(&req->fault, HRW_BAD_KEY,
		    "no key is given: curl -G --data-urlencode 'key=photo-7' …, or a header "
		    "Hrw-Key");
		return hrw_fault_at(&req->fault, "key");
	}
	*key = p != NULL ? p->value : header;
	if (key->len == 0)
		hrw_fault(&req->fault, HRW_BAD_KEY, "the key is empty; a key has 1 byte or more");
	else if (key->len > limit)
		hrw_fault(&req->fault, HRW_BAD_KEY,
		    "the key has %zu bytes; at most %zu are taken (limits.key_bytes)", key->len,
		    limit);
	else
		return 0;
	return hrw_fault_at(&req->fault, "key");
}

int
request_accepts(const struct request *req, const char *const *types)
{
	const char *accept =
	    req->exchange->framing.has_accept ? request_header(req, "Accept") : NULL;

	return accept_header_choose(accept, types);
}

int
request_needs(struct request *req, enum role role, const char *what)
{
	const struct token *token = req->token;

	if (token == NULL || token->role >= role)
		return 0;
	return hrw_fault(&req->fault, HRW_FORBIDDEN,
	    "%s needs a token of role %s; the token \"%s\" has the role %s", what, role_name(role),
	    token->name, role_name(token->role));
}

bool
request_sees(const struct request *req, const char *pool)
{
	return token_sees(req->token, hrw_text(pool));
}

int
request_type(const struct request *req)
{
	return req->exchange->type;
}

void
request_keep_snapshot(struct request *req)
{
	struct exchange *ex = req->exchange;

	if (ex->kept == NULL && req->snapshot != NULL)
		ex->kept = ex->server->site->keep((struct snapshot *)(uintptr_t)req->snapshot);
}

void
request_renew_snapshot(struct request *req)
{
	struct exchange *ex = req->exchange;

	ex->server->site->release(ex->kept);
	ex->kept = NULL;
	req->snapshot = *ex->server->snapshot;
}

bool
request_still_may(const struct request *req)
{
	return auth_still_stands(req);
}

uv_loop_t *
request_loop(const struct request *req)
{
	return req->exchange->server->loop;
}
