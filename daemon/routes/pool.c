/*
 * pool.c - pools: listed, read as they are and as they were, waited for, and
 * changed whole.
 *
 * The number of stored keys is asked of a file, so both reads go by the libuv
 * pool, with the snapshot kept meanwhile. Who waits for a change keeps none.
 */
#include <stdlib.h>

#include "daemon/http/watching.h"
#include "daemon/members/document.h"
#include "daemon/routes/apply.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"

enum { WAIT_SECONDS_MAX = 300 };

struct reading {
	struct watcher watcher; /* while it waits */
	struct request *req;
	bool waits;
	const struct pool *pool; /* of GET /pools/{pool} */
	uint64_t epoch;		 /* as of; 0: the present */
	size_t limit, from;	 /* of GET /pools */
	struct pool *then;	 /* the pool as of `epoch` */
	struct buffer body;
	int rc;
};

static void
stop_waiting(struct reading *r)
{
	if (!r->waits)
		return;
	r->waits = false;
	watcher_leave(&r->watcher);
	watching_leave(r->req->listener);
}

static void
reading_free(void *state)
{
	struct reading *r = state;

	stop_waiting(r);
	pool_release(r->then);
	buffer_fini(&r->body);
	free(r);
}

static struct reading *
reading_new(struct request *req)
{
	struct reading *r = calloc(1, sizeof(*r));

	req->state = r;
	req->state_free = reading_free;
	if (r == NULL)
		hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	else
		r->req = req;
	return r;
}

/* How many keys its stored set has; null when the file cannot say. */
static void
put_keys(struct json_out *o, struct request *req, const struct pool *pool)
{
	struct keyset_stats stats;
	char name[KEYSET_NAME];

	if (keyset_stats(
		req->app->keyset, keyset_name(pool->name, pool->lineage, name), &stats, NULL) < 0)
		json_put_null(o, "keys");
	else
		json_put_count(o, "keys", stats.keys);
}

static void
put_summary(struct json_out *o, struct request *req, const struct pool *pool)
{
	json_open_object(o, NULL);
	json_put_text(o, "name", pool->name);
	json_put_count(o, "epoch", pool->epoch);
	json_put_text(o, "placement", pool->present->placement->name);
	json_put_count(o, "copies", pool->present->copies);
	json_put_count(o, "nodes", pool->present->count);
	json_put_bool(o, "settled", pool_is_settled(pool));
	put_keys(o, req, pool);
	json_put_text(o, "fingerprint", pool->fingerprint);
	json_close_object(o);
}

static void
list_work(struct request *req)
{
	const struct snapshot *s = req->snapshot;
	struct reading *r = req->state;
	const char *last = NULL, *next = NULL;
	struct json_out o = json_out(&r->body);
	size_t listed = 0;

	json_open_object(&o, NULL);
	json_open_array(&o, "pools");
	for (size_t i = r->from; i < s->count && next == NULL; i++) {
		if (!request_sees(req, s->pool[i]->name))
			continue;
		if (listed++ == r->limit) {
			next = last;
			continue;
		}
		put_summary(&o, req, s->pool[i]);
		last = s->pool[i]->name;
	}
	json_close_array(&o);
	if (next != NULL)
		json_put_text(&o, "next", next);
	json_close_object(&o);
}

static int
answer(struct request *req)
{
	struct reading *r = req->state;

	return r->rc < 0 ? r->rc : respond_json(req, 200, &r->body);
}

/* GET /pools */
int
pool_list(struct request *req)
{
	struct hrw_bytes after = request_parameter(req, "after");
	struct reading *r = reading_new(req);
	const struct snapshot *s = req->snapshot;
	int rc;

	if (r == NULL)
		return HRW_INTERNAL;
	rc = common_limit(req, &r->limit);
	if (rc < 0)
		return rc;
	while (r->from < s->count && after.data != NULL &&
	       hrw_bytes_cmp(hrw_text(s->pool[r->from]->name), after) <= 0)
		r->from++;
	request_keep_snapshot(req);
	return request_background(req, list_work, answer);
}

static void
put_pool(struct json_out *o, struct request *req, const struct pool *pool, bool is_present)
{
	json_open_object(o, NULL);
	json_put_text(o, "name", pool->name);
	document_pool_write(o, pool);
	/* Key sets have generations of their own: none belongs to an old epoch. */
	if (is_present)
		put_keys(o, req, pool);
	else
		json_put_null(o, "keys");
	json_close_object(o);
}

static void
get_work(struct request *req)
{
	struct reading *r = req->state;
	const struct pool *pool = r->pool;
	struct json_out o = json_out(&r->body);
	char *document;

	if (r->epoch != 0 && r->epoch != pool->epoch) {
		document = store_document(
		    req->app->store, pool->name, pool->lineage, r->epoch, &req->fault);
		if (document != NULL)
			r->then = document_load(pool->name, document, &req->fault);
		free(document);
		if (r->then == NULL) {
			r->rc = (int)req->fault.error;
			return;
		}
	}
	put_pool(&o, req, r->then != NULL ? r->then : pool, r->then == NULL);
}

static int
got(struct request *req)
{
	struct reading *r = req->state;
	const struct pool *pool = r->then != NULL ? r->then : r->pool;

	if (r->rc < 0)
		return r->rc;
	common_headers(req, pool);
	if (common_is_known(req, pool))
		return respond_empty(req, 304);
	return respond_json(req, 200, &r->body);
}

/* The pool as it is now, for who has waited. */
static int
read_again(struct request *req)
{
	struct reading *r = req->state;
	int rc = common_pool_named(req, req->segment[0], &r->pool);

	if (rc < 0)
		return rc;
	request_keep_snapshot(req);
	return request_background(req, get_work, got);
}

static int
still_the_same(struct request *req)
{
	struct reading *r = req->state;
	int rc = common_pool_named(req, req->segment[0], &r->pool);

	if (rc < 0)
		return rc;
	common_headers(req, r->pool);
	return respond_empty(req, 304);
}

static void
news(struct watcher *watcher, enum watch_news what)
{
	struct reading *r = (struct reading *)watcher; /* its first member */
	struct request *req = r->req;

	request_renew_snapshot(req);
	if (what == WATCH_POOL) {
		const struct pool *now = snapshot_pool(req->snapshot, req->segment[0]);

		if (now != NULL && common_is_known(req, now))
			return;
	}
	stop_waiting(r);
	if (!request_still_may(req))
		request_resume(req, hrw_fault(&req->fault, HRW_UNAUTHORIZED,
					"the token that was sent is no longer known here"));
	else
		request_go_on(req, what == WATCH_POOL ? read_again : still_the_same);
}

static void
gone(struct request *req)
{
	stop_waiting(req->state);
	request_resume(req, respond_empty(req, 204));
}

/* What a client that waits must say. */
static int
judge_wait(struct request *req, const struct reading *r)
{
	const char *known = request_header(req, "If-None-Match");

	if (r->epoch != 0)
		hrw_fault(&req->fault, HRW_BAD_PARAMETER,
		    "wait asks for a change, and epoch for what never changes: leave out one of "
		    "them");
	else if (known == NULL || common_lists(known, "*"))
		hrw_fault(&req->fault, HRW_BAD_PARAMETER,
		    "wait needs the version that is to change: send the ETag of an answer, as it "
		    "is, in If-None-Match");
	else
		return 0;
	return hrw_fault_at(&req->fault, "wait");
}

static int
wait_for_change(struct request *req, struct reading *r, int64_t seconds)
{
	int rc = watching_enter(req);

	if (rc < 0)
		return rc;
	r->waits = true;
	r->watcher = (struct watcher){.name = req->segment[0], .news = news};
	watcher_join(req->app->watchers, &r->watcher, r->pool);
	if (!watchers_are_ending(req->app->watchers))
		watcher_due(&r->watcher, (uint64_t)seconds * 1000);
	return request_suspend(req, gone);
}

/* GET /pools/{pool} */
int
pool_get(struct request *req)
{
	struct reading *r = reading_new(req);
	int64_t epoch, wait;
	int rc;

	if (r == NULL)
		return HRW_INTERNAL;
	rc = request_number(req, "epoch", 1, INT64_MAX, 0, HRW_BAD_PARAMETER, &epoch);
	if (rc < 0)
		return rc;
	r->epoch = (uint64_t)epoch;
	rc = request_number(req, "wait", 0, WAIT_SECONDS_MAX, 0, HRW_BAD_PARAMETER, &wait);
	if (rc == 0 && wait > 0)
		rc = judge_wait(req, r);
	if (rc < 0)
		return rc;
	rc = common_pool_named(req, req->segment[0], &r->pool);
	if (rc < 0)
		return rc;
	if (wait > 0 && common_is_known(req, r->pool))
		return wait_for_change(req, r, wait);
	request_keep_snapshot(req);
	return request_background(req, get_work, got);
}

int
pool_put(struct request *req)
{
	return apply_request(req, ORDER_POOL);
}

int
pool_patch(struct request *req)
{
	return apply_request(req, ORDER_POOL_PATCH);
}

int
pool_drop(struct request *req)
{
	return apply_request(req, ORDER_DROP);
}

int
pool_settle(struct request *req)
{
	return apply_request(req, ORDER_SETTLE);
}

int
pool_revert(struct request *req)
{
	return apply_request(req, ORDER_REVERT);
}
