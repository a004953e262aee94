/*
 * removable.c - GET /nodes/{name}/removable: may a node be switched off, and when?
 *
 * A request that waits looks again when the pool has changed, and now and then: that
 * nobody asks for the node any longer is no change.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/wall.h"
#include "daemon/http/watching.h"
#include "daemon/members/removable.h"
#include "daemon/metrics/metrics.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"

enum { WAIT_SECONDS_MAX = 300, LOOK_MS = 500 };

static const char *const forms[] = {"application/json", "text/plain", NULL};

struct waiting {
	struct watcher watcher; /* its first member */
	struct request *req;
	bool waits;
	char pool[HRW_NAME_BYTES_MAX + 1];
	uint64_t until_ms; /* by the loop's clock */
};

static void
stop_waiting(struct waiting *w)
{
	if (!w->waits)
		return;
	w->waits = false;
	watcher_leave(&w->watcher);
	watching_leave(w->req->listener);
}

static void
waiting_free(void *state)
{
	stop_waiting(state);
	free(state);
}

/* Whole seconds that have surely passed since. */
static uint64_t
seconds_since(int64_t ms)
{
	int64_t ago = (wall_ms_passed() - ms) / 1000;

	return ago > 0 ? (uint64_t)ago : 0;
}

/* Judges the node as things stand. A draining node ceased to hold keys when it began
 * to drain. */
static int
judge(struct request *req, const struct pool **pool, struct removable *out)
{
	const struct hrw_node *node;
	struct removable_asked asked;
	struct common_name name;
	int rc = common_pool(req, pool);

	*out = (struct removable){0};
	if (rc < 0)
		return rc;
	common_node_name(req->segment[0], &name);
	node = hrw_membership_find((*pool)->present, name.text);
	if (node == NULL)
		return common_unknown_node(req, *pool, name.text);
	asked.ago = metrics_asked_ago(
	    req->app->metrics, *pool, node->name, seconds_since(node->since_ms), &asked.is_start);
	removable_judge((struct pool *)*pool, node, &asked, req->app->config->members.limits, out);
	return 0;
}

static void
put_checks(struct json_out *o, const struct removable *r)
{
	json_open_array(o, "checks");
	for (int i = 0; i < REMOVABLE_CHECKS; i++) {
		json_open_object(o, NULL);
		json_put_text(o, "check", removable_name((enum removable_check)i));
		json_put_bool(o, "ok", r->is_ok[i]);
		if (!r->is_ok[i])
			json_put_text(o, "detail", r->detail[i]);
		json_close_object(o);
	}
	json_close_array(o);
}

static void
write_text(struct buffer *body, const struct removable *r)
{
	const char *before = "no: ";

	for (int i = 0; i < REMOVABLE_CHECKS; i++) {
		if (r->is_ok[i])
			continue;
		buffer_printf(body, "%s%s", before, removable_name((enum removable_check)i));
		before = ", ";
	}
	buffer_add_text(body, body->len > 0 ? "\n" : "yes\n");
}

static int
answer(struct request *req, const struct pool *pool, const struct removable *r)
{
	struct common_name name;
	struct buffer body = {0};
	struct json_out o;

	common_headers(req, pool);
	respond_text(req, "Cache-Control", "no-cache");
	if (request_accepts(req, forms) == 1) {
		write_text(&body, r);
		return respond(req, 200, "text/plain; charset=utf-8", &body);
	}
	common_node_name(req->segment[0], &name);
	o = json_out(&body);
	json_open_object(&o, NULL);
	json_put_text(&o, "node", name.text);
	json_put_text(&o, "pool", pool->name);
	json_put_count(&o, "epoch", pool->epoch);
	json_put_bool(&o, "removable", removable_is(r));
	put_checks(&o, r);
	json_close_object(&o);
	return respond_json(req, 200, &body);
}

static int
answer_now(struct request *req)
{
	const struct pool *pool;
	struct removable r;
	int rc = judge(req, &pool, &r);

	return rc < 0 ? rc : answer(req, pool, &r);
}

static void
news(struct watcher *watcher, enum watch_news what)
{
	struct waiting *w = (struct waiting *)watcher;
	struct request *req = w->req;
	const struct pool *pool;
	struct removable r;

	request_renew_snapshot(req);
	if (what != WATCH_END && uv_now(request_loop(req)) < w->until_ms &&
	    judge(req, &pool, &r) == 0 && !removable_is(&r)) {
		watcher_due(watcher, LOOK_MS);
		return;
	}
	stop_waiting(w);
	if (!request_still_may(req))
		request_resume(req, hrw_fault(&req->fault, HRW_UNAUTHORIZED,
					"the token that was sent is no longer known here"));
	else
		request_go_on(req, answer_now);
}

static void
gone(struct request *req)
{
	stop_waiting(req->state);
	request_resume(req, respond_empty(req, 204));
}

static int
wait_for_it(struct request *req, const struct pool *pool, int64_t seconds)
{
	struct waiting *w = calloc(1, sizeof(*w));
	int rc;

	if (w == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	w->req = req;
	req->state = w;
	req->state_free = waiting_free;
	rc = watching_enter(req);
	if (rc < 0)
		return rc;
	w->waits = true;
	w->until_ms = uv_now(request_loop(req)) + (uint64_t)seconds * 1000;
	snprintf(w->pool, sizeof(w->pool), "%s", pool->name);
	w->watcher = (struct watcher){.name = hrw_text(w->pool), .news = news};
	watcher_join(req->app->watchers, &w->watcher, pool);
	if (!watchers_are_ending(req->app->watchers))
		watcher_due(&w->watcher, LOOK_MS);
	return request_suspend(req, gone);
}

/* GET /nodes/{name}/removable */
int
node_removable(struct request *req)
{
	const struct pool *pool;
	struct removable r;
	int64_t wait;
	int rc = request_number(req, "wait", 0, WAIT_SECONDS_MAX, 0, HRW_BAD_PARAMETER, &wait);

	if (rc < 0)
		return rc;
	rc = judge(req, &pool, &r);
	if (rc < 0)
		return rc;
	if (wait > 0 && !removable_is(&r))
		return wait_for_it(req, pool, wait);
	return answer(req, pool, &r);
}
