/*
 * apply.c - a change's way: read (apply_read.c), queued, made, reported and answered
 * (apply_answer.c).
 *
 * apply_request()/apply_plan() -> queue() -> [writer] -> changed() -> [report]
 * -> reported() -> the answer. In brackets the connection is suspended.
 */
#include <assert.h>
#include <stdlib.h>

#include "daemon/metrics/metrics.h"
#include "daemon/routes/apply_private.h"

static void
apply_free(void *state)
{
	struct apply *a = state;

	json_free(a->body);
	change_free(a->change);
	free(a->pool_name);
	free(a->plan_id);
	buffer_fini(&a->keys);
	buffer_fini(&a->stored);
	buffer_fini(&a->bare);
	report_release(a->report);
	free(a);
}

static int
no_memory(struct request *req)
{
	return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for the change");
}

static struct apply *
apply_new(struct request *req)
{
	struct apply *a = calloc(1, sizeof(*a));

	if (a == NULL) {
		no_memory(req);
		return NULL;
	}
	a->req = req;
	a->work.data = a;
	req->state = a;
	req->state_free = apply_free;
	return a;
}

/* The client went away: its change goes on, its report need not. */
static void
gone(struct request *req)
{
	struct apply *a = req->state;

	a->is_gone = true;
	if (a->report != NULL)
		report_stop(a->report);
}

static void
changed(void *arg, int status, const struct outcome *out, int64_t history,
    const struct hrw_fault *fault)
{
	struct apply *a = arg;
	struct request *req = a->req;
	bool is_refused = status < 0 || (out != NULL && out->refusal != 0);

	assert(is_refused || out != NULL);
	if (!a->is_dry_run)
		metrics_change(req->app->metrics, is_refused	      ? METRICS_REFUSED
						  : out->is_unchanged ? METRICS_UNCHANGED
								      : METRICS_APPLIED);
	/* Only a guard's refusal leaves an outcome, and only a dry run goes past it. */
	if (is_refused && !(a->is_dry_run && out != NULL && out->refusal != 0)) {
		if (out != NULL)
			apply_tell(a, out);
		req->fault = *fault;
		if (a->plan_id != NULL)
			apply_forget_place(&req->fault);
		request_resume(req, status);
		return;
	}
	apply_answer(a, out, history);
}

/* The whole order is read: it goes to the writer, and the connection waits. */
static int
queue(struct apply *a)
{
	struct request *req = a->req;
	struct change *change = a->change;
	int rc;

	order_write(&a->order, &a->stored);
	if (a->stored.failed)
		return no_memory(req);
	rc = request_suspend(req, gone);
	if (rc != REQUEST_PENDING)
		return rc;
	a->change = NULL;
	writer_apply(req->app->writer, change, changed, a);
	return REQUEST_PENDING;
}

int
apply_request(struct request *req, enum order_kind kind)
{
	unsigned traits = order_traits(kind);
	struct apply *a = apply_new(req);
	struct hrw_bytes name;
	int rc;

	if (a == NULL)
		return HRW_INTERNAL;
	a->order.kind = kind;
	name = traits & ORDER_NAMES_POOL ? req->segment[0] : request_parameter(req, "pool");
	a->pool = snapshot_pool(req->snapshot, name);
	rc = apply_read_request(a, name);
	return rc < 0 ? rc : queue(a);
}

static void
plan_off_loop(struct request *req)
{
	struct apply *a = req->state;
	struct store_plan plan = {0};

	a->rc = common_plan(req, a->plan_id, &plan);
	if (a->rc >= 0)
		a->rc = apply_read_plan(a, &plan);
	store_plan_fini(&plan);
}

static int
plan_is_read(struct request *req)
{
	struct apply *a = req->state;

	return a->rc < 0 ? a->rc : queue(a);
}

int
apply_plan(struct request *req)
{
	struct apply *a = apply_new(req);
	struct report *running;
	int rc;

	if (a == NULL)
		return HRW_INTERNAL;
	rc = apply_read_parameters(a);
	if (rc < 0)
		return rc;
	rc = common_plan_id(req, &a->plan_id);
	if (rc < 0)
		return rc;
	running = common_running(req, a->plan_id);
	if (running != NULL) {
		report_release(running);
		return hrw_fault(&req->fault, HRW_BUSY,
		    "plan %s is still being computed: apply it when GET /plans/%s?wait=30 says "
		    "that it is done",
		    a->plan_id, a->plan_id);
	}
	request_keep_snapshot(req);
	return request_background(req, plan_off_loop, plan_is_read);
}
