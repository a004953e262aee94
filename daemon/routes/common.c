/*
 * common.c - what handlers share.
 */
#include <stdlib.h>
#include <strings.h>

#include "core/keytype.h"
#include "core/params.h"
#include "daemon/members/nobody.h"
#include "daemon/routes/common.h"

enum {
	LIMIT_DEFAULT = 100,
	LIMIT_MAX = 1000,
	KNOWN_POOLS = 5, /* so many names stand in an error */
	REASON_BYTES = 200,
};

const char *const common_keylist_types[] = {
    [KEYLIST_TEXT] = "text/plain; charset=utf-8",
    [KEYLIST_JSON] = "application/json",
    [KEYLIST_NDJSON] = "application/x-ndjson",
};

/* "alpha, beta and 3 more", of those that who asks may know of. */
static void
list_pools(const struct request *req, char *out, size_t size)
{
	const struct snapshot *s = req->snapshot;
	size_t seen = 0, at = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (!request_sees(req, s->pool[i]->name))
			continue;
		if (seen < KNOWN_POOLS && at < size)
			at += (size_t)snprintf(out + at, size - at, "%s%s",
			    seen > 0 ? ", " : "there is ", s->pool[i]->name);
		seen++;
	}
	if (seen == 0)
		snprintf(out, size, "there is none");
	else if (seen > KNOWN_POOLS && at < size)
		snprintf(out + at, size - at, " and %zu more (GET /pools)", seen - KNOWN_POOLS);
}

/* Where this daemon takes no changes, the advice to make one gives way, from the last
 * such words on, to what helps here. */
static int
advise(struct request *req, const char *advice, const char *glue, int rc)
{
	const struct config *c = req->app->config;
	char *at = NULL, *end = req->fault.detail + sizeof(req->fault.detail);

	for (char *next = req->fault.detail; (next = strstr(next, advice)) != NULL; next++)
		at = next;
	if (at == NULL || (c->store != CONFIG_STORE_FILE && c->http.admin.count > 0))
		return rc;
	if (c->store == CONFIG_STORE_FILE)
		snprintf(at, (size_t)(end - at), "%schange %s, which this hrwd reads again", glue,
		    c->members.store_path);
	else
		snprintf(at, (size_t)(end - at),
		    "%sthis hrwd takes no changes (listen.admin is off)", glue);
	return rc;
}

int
common_pool_named(struct request *req, struct hrw_bytes name, const struct pool **out)
{
	const struct snapshot *s = req->snapshot;
	char known[256];
	int rc;

	*out = snapshot_pool(s, name);
	if (*out != NULL)
		return 0;
	if (name.data != NULL) {
		rc = hrw_check_name(
		    name, req->app->config->members.limits->name_bytes, HRW_BAD_POOL, &req->fault);
		if (rc < 0)
			return rc;
	} else {
		name = hrw_text(s->default_name);
	}
	list_pools(req, known, sizeof(known));
	rc = hrw_fault(&req->fault, HRW_UNKNOWN_POOL,
	    "there is no pool \"%.*s\": %s; PUT /pools/%.*s on the admin listener makes one",
	    (int)name.len, (const char *)name.data, known, (int)name.len, (const char *)name.data);
	return advise(req, "; PUT ", "; ", rc);
}

int
common_pool(struct request *req, const struct pool **out)
{
	int rc = common_pool_named(req, request_parameter(req, "pool"), out);

	if (rc < 0)
		hrw_fault_at(&req->fault, "pool");
	return rc;
}

int
common_past_pool(struct request *req, char **out)
{
	struct hrw_bytes name = request_parameter(req, "pool");
	int rc;

	*out = NULL;
	if (hrw_bytes_equal(name, hrw_text("*")))
		return 0;
	if (name.data == NULL)
		name = hrw_text(req->snapshot->default_name);
	rc = hrw_check_name(name, HRW_NAME_BYTES_MAX, HRW_BAD_POOL, &req->fault);
	if (rc < 0) {
		hrw_fault_at(&req->fault, "pool");
		return rc;
	}
	*out = strndup((const char *)name.data, name.len);
	return *out != NULL ? 0 : hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
}

int
common_plan(struct request *req, const char *id, struct store_plan *out)
{
	int rc = store_plan_get(req->app->store, id, out, &req->fault);

	if (rc < 0 || request_sees(req, out->pool))
		return rc;
	store_plan_fini(out);
	return store_unknown_plan(id, &req->fault);
}

struct report *
common_running(struct request *req, const char *id)
{
	struct report *report = reports_find(req->app->reports, id);

	if (report == NULL || request_sees(req, report_pool(report)))
		return report;
	report_release(report);
	return NULL;
}

void
common_node_name(struct hrw_bytes name, struct common_name *out)
{
	hrw_show(name, out->text, sizeof(out->text));
}

int
common_unknown_node(struct request *req, const struct pool *pool, const char *name)
{
	return hrw_fault(&req->fault, HRW_UNKNOWN_NODE,
	    "pool %s has no node \"%s\": GET /nodes?pool=%s lists those it has", pool->name, name,
	    pool->name);
}

int
common_check_copies(struct request *req, const struct pool *pool, size_t copies)
{
	int rc = hrw_check_most_copies(pool->present->placement, copies, &req->fault);

	if (rc < 0)
		hrw_fault_at(&req->fault, "copies");
	return rc;
}

int
common_lookup_failed(struct request *req, const struct pool *pool, struct hrw_bytes key, int error)
{
	if (error == HRW_BAD_KEY && hrw_key_check(pool->present, key, &req->fault) < 0)
		return error;
	if (error != HRW_NO_SERVERS)
		return hrw_fault(&req->fault, error, "pool %s (%s) cannot place this key",
		    pool->name, pool->present->placement->name);
	return advise(req, ": ", ": ", nobody_owns(pool->present, pool->name, &req->fault));
}

void
common_epoch_headers(struct request *req, const struct pool *pool)
{
	respond_text(req, "Hrw-Epoch", pool->epoch_text);
	respond_text(req, "Hrw-Fingerprint", pool->fingerprint);
}

void
common_headers(struct request *req, const struct pool *pool)
{
	respond_text(req, "ETag", pool->etag);
	common_epoch_headers(req, pool);
}

bool
common_lists(const char *header, const char *token)
{
	size_t len = strlen(token);

	for (const char *at = header; at != NULL && *at != '\0';) {
		size_t part = strcspn(at, ",");
		const char *next = at + part + (at[part] == ',');

		while (part > 0 && (*at == ' ' || *at == '\t')) {
			at++;
			part--;
		}
		while (part > 0 && (at[part - 1] == ' ' || at[part - 1] == '\t'))
			part--;
		if (part > 2 && strncmp(at, "W/", 2) == 0) {
			at += 2;
			part -= 2;
		}
		if (part == len && strncasecmp(at, token, len) == 0)
			return true;
		at = next;
	}
	return false;
}

bool
common_is_known(const struct request *req, const struct pool *pool)
{
	const char *known = request_header(req, "If-None-Match");
	char epoch[32];

	snprintf(epoch, sizeof(epoch), "\"%llu\"", (unsigned long long)pool->epoch);
	return common_lists(known, "*") || common_lists(known, pool->etag) ||
	       common_lists(known, epoch);
}

int
common_reason(struct request *req, char **out)
{
	const char *header = request_header(req, "Hrw-Reason");
	char shown[REASON_BYTES + 1];

	*out = NULL;
	if (header == NULL)
		return 0;
	*out = strdup(hrw_show(hrw_text(header), shown, sizeof(shown)));
	return *out != NULL ? 0 : hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
}

int
common_limit(struct request *req, size_t *limit)
{
	int64_t number;
	int rc =
	    request_number(req, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT, HRW_BAD_PARAMETER, &number);

	if (rc == 0)
		*limit = (size_t)number;
	return rc;
}

int
common_page(struct request *req, uint64_t *limit, struct hrw_bytes *after)
{
	int64_t number;
	int rc = request_number(req, "limit", 1, INT32_MAX, 0, HRW_BAD_PARAMETER, &number);

	if (rc == 0)
		*limit = (uint64_t)number;
	*after = request_parameter(req, "after");
	return rc;
}

/* The type was checked against the route's before the handler ran. */
enum keylist_form
common_keylist_form(const struct request *req)
{
	const char *type = request_header(req, "Content-Type");

	if (type == NULL || strncasecmp(type, "text/", 5) == 0)
		return KEYLIST_TEXT;
	if (strncasecmp(type, "application/json", 16) == 0)
		return KEYLIST_JSON;
	return KEYLIST_NDJSON;
}

int
common_text(struct request *req, const char *name, char **out)
{
	struct hrw_bytes value = request_parameter(req, name);

	*out = NULL;
	if (value.data == NULL)
		return 0;
	if (value.len > 0 && memchr(value.data, '\0', value.len) != NULL) {
		hrw_fault(
		    &req->fault, HRW_BAD_PARAMETER, "%s holds a NUL byte: leave it out", name);
		return hrw_fault_at(&req->fault, "%s", name);
	}
	*out = strndup((const char *)value.data, value.len);
	return *out != NULL ? 0 : hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
}

int
common_plan_id(struct request *req, char **id)
{
	struct hrw_bytes sent = req->segment[0];
	char shown[HRW_SHOWN];

	*id = NULL;
	if (memchr(sent.data, '\0', sent.len) != NULL)
		return hrw_fault(&req->fault, HRW_UNKNOWN_PLAN,
		    "there is no plan %s: GET /plans lists those there are",
		    hrw_show(sent, shown, sizeof(shown)));
	*id = strndup((const char *)sent.data, sent.len);
	return *id != NULL ? 0 : hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
}

int
common_json_keys(struct request *req, const struct json *keys, keylist_each each, void *arg)
{
	char field[HRW_FAULT_FIELD];
	struct keylist *list;
	int rc;

	if (json_type(keys) != JSON_ARRAY)
		return json_fault(keys, &req->fault, HRW_BAD_FIELD, "keys is %s, not an array",
		    json_type_name(json_type(keys)));
	list = keylist_new(KEYLIST_JSON, req->app->config->members.limits->key_bytes, each, arg);
	if (list == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for keys");
	rc = keylist_feed(list, json_source(keys), &req->fault);
	if (rc >= 0)
		rc = keylist_end(list, &req->fault);
	if (rc < 0) {
		/* The array's own pointer is to one of its keys. */
		memcpy(field, req->fault.field, sizeof(field));
		hrw_fault_at(&req->fault, "/keys%s", field);
	}
	keylist_free(list);
	return rc;
}

/* Some 3 us a node, measured: a JSON object, or three samples of metrics. */
enum { NODES_AT_ONCE = 512 };

int
common_make(struct request *req, size_t nodes, void (*make)(struct request *req),
    int (*answer)(struct request *req))
{
	if (nodes <= NODES_AT_ONCE) {
		make(req);
		return answer(req);
	}
	request_keep_snapshot(req);
	return request_background(req, make, answer);
}
