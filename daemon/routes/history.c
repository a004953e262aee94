/*
 * history.c - GET /history: what was changed, refused, and by whom.
 */
#include <stdlib.h>

#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"

struct history {
	struct request *req;
	char *pool; /* NULL: every pool's */
	int64_t after;
	size_t limit, count;
	size_t given; /* by the store, in one go */
	int64_t last; /* listed */
	int64_t seen; /* given */
	struct buffer body, entry;
	struct json_out out;
	bool has_more;
	int rc;
};

static void
history_free(void *state)
{
	struct history *h = state;

	free(h->pool);
	buffer_fini(&h->body);
	buffer_fini(&h->entry);
	free(h);
}

/* May who asks see an entry? Most who ask may see all. */
static bool
is_seen(const struct history *h, const char *entry)
{
	struct json *j;
	bool seen;

	if (h->req->token == NULL || h->req->token->pattern_count == 0)
		return true;
	j = json_parse(hrw_text(entry), JSON_STORED, NULL);
	seen = json_text(json_get(j, "pool")) != NULL &&
	       request_sees(h->req, json_text(json_get(j, "pool")));
	json_free(j);
	return seen;
}

/* The entry is an object without id and summary: both are set into it. */
static int
add_entry(void *arg, int64_t id, const char *entry, const char *summary)
{
	struct history *h = arg;
	size_t len = strlen(entry);

	h->given++;
	h->seen = id;
	if (!is_seen(h, entry))
		return 0;
	if (h->count == h->limit) {
		h->has_more = true;
		return 0;
	}
	buffer_clear(&h->entry);
	buffer_printf(&h->entry, "{\"id\":%lld,", (long long)id);
	buffer_add(&h->entry, entry + 1, len - 2);
	buffer_printf(&h->entry, ",\"summary\":%s}", summary != NULL ? summary : "null");
	json_put_raw(&h->out, NULL, buffer_bytes(&h->entry));
	h->last = id;
	h->count++;
	return h->entry.failed ? HRW_INTERNAL : 0;
}

static void
read_history(struct request *req)
{
	struct history *h = req->state;

	h->out = json_out(&h->body);
	json_open_object(&h->out, NULL);
	json_open_array(&h->out, "history");
	h->seen = h->after;
	do {
		h->given = 0;
		h->rc = store_history(
		    req->app->store, h->pool, h->seen, h->limit + 1, add_entry, h, &req->fault);
	} while (h->rc == 0 && !h->has_more && h->given == h->limit + 1);
	json_close_array(&h->out);
	if (h->has_more)
		json_put_int(&h->out, "next", h->last);
	json_close_object(&h->out);
}

static int
history_read(struct request *req)
{
	struct history *h = req->state;
	const struct pool *pool;

	if (h->rc < 0)
		return h->rc;
	/* A pool that is gone left entries; one that never was left none. */
	if (h->count == 0 && h->after == 0 && h->pool != NULL) {
		int rc = common_pool(req, &pool);

		if (rc < 0)
			return rc;
	}
	return respond_json(req, 200, &h->body);
}

int
history_list(struct request *req)
{
	struct history *h = calloc(1, sizeof(*h));
	int rc;

	if (h == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	h->req = req;
	req->state = h;
	req->state_free = history_free;
	rc = common_limit(req, &h->limit);
	if (rc < 0)
		return rc;
	rc = request_number(req, "after", 1, INT64_MAX, 0, HRW_BAD_PARAMETER, &h->after);
	if (rc < 0)
		return rc;
	rc = common_past_pool(req, &h->pool);
	if (rc < 0)
		return rc;
	request_keep_snapshot(req);
	return request_background(req, read_history, history_read);
}
