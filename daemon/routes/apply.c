/*
 * apply.c - a change's way: read, queued, made, reported, answered.
 *
 * apply_request()/apply_plan() -> queue() -> [writer] -> changed() -> [report]
 * -> reported() -> the answer. In brackets the connection is suspended.
 */
#include <assert.h>
#include <stdlib.h>

#include "core/keytype.h"
#include "daemon/log.h"
#include "daemon/members/guard.h"
#include "daemon/members/report.h"
#include "daemon/members/source.h"
#include "daemon/metrics.h"
#include "daemon/routes/apply.h"
#include "daemon/routes/change_line.h"
#include "daemon/routes/rights.h"

enum {
	WAIT_SECONDS = 10,
	WAIT_SECONDS_MAX = 300,
	CHANGES_MAX = 1000,
};

struct apply {
	struct request *req;
	struct order order;
	struct json *body;	 /* what order.body points into */
	const struct pool *pool; /* as it stood when the request came; NULL: none */
	struct change *change;	 /* until the writer has it */
	char *pool_name, *plan_id;
	bool is_dry_run;
	int rc; /* of the work off the loop */

	/* What is wanted of the report. */
	bool wants_report, is_async, is_streamed;
	uint64_t wait_ms;
	size_t changes;
	struct buffer keys; /* sent along, as records */
	bool has_keys;
	uint64_t key_count;

	/* What came of it. */
	struct buffer stored; /* the order, for the kept plan */
	struct buffer bare;   /* the answer where there is no report */
	unsigned status;
	struct report *report;
	struct changes *listed;
	uv_work_t work;
	bool is_gone; /* the client, that is */
};

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

/* A parameter that knows one word. */
static int
read_word(struct request *req, const char *name, const char *word, bool *out)
{
	struct hrw_bytes value = request_parameter(req, name);
	char shown[HRW_SHOWN];

	*out = value.data != NULL && hrw_bytes_equal(value, hrw_text(word));
	if (value.data == NULL || *out)
		return 0;
	hrw_fault(&req->fault, HRW_BAD_PARAMETER, "%s is \"%s\": it can be %s, or be left out",
	    name, hrw_show(value, shown, sizeof(shown)), word);
	return hrw_fault_at(&req->fault, "%s", name);
}

/* What is asked of the report. */
static int
read_report_parameters(struct apply *a)
{
	static const char *const forms[] = {"application/json", "application/x-ndjson", NULL};
	struct request *req = a->req;
	int64_t wait, changes;
	bool has_none;
	int rc;

	rc = read_word(req, "report", "none", &has_none);
	if (rc < 0)
		return rc;
	rc = request_number(
	    req, "wait", 0, WAIT_SECONDS_MAX, WAIT_SECONDS, HRW_BAD_PARAMETER, &wait);
	if (rc < 0)
		return rc;
	rc = request_number(
	    req, "changes", 0, CHANGES_MAX, CHANGES_MAX, HRW_BAD_PARAMETER, &changes);
	if (rc < 0)
		return rc;
	a->wants_report = !has_none;
	a->wait_ms = (uint64_t)wait * 1000;
	a->changes = (size_t)changes;
	a->is_async = common_lists(request_header(req, "Prefer"), "respond-async");
	a->is_streamed = request_accepts(req, forms) == 1;
	return 0;
}

static bool
copy_text(const char *from, char **to)
{
	*to = from != NULL ? strdup(from) : NULL;
	return from == NULL || *to != NULL;
}

/* What binds the change, and who asks for it. The pool is named later. */
static int
read_change_parameters(struct apply *a)
{
	struct request *req = a->req;
	struct hrw_bytes force = request_parameter(req, "force");
	unsigned traits = order_traits(a->order.kind);
	struct change *c = a->change = change_new("");
	int rc;

	if (c == NULL)
		return no_memory(req);
	rc = request_flag(req, "dry_run", &c->is_dry_run);
	if (rc < 0)
		return rc;
	if (force.data != NULL) {
		rc = guard_read(force, &c->force, &req->fault);
		if (rc < 0)
			return rc;
	}
	rc = read_word(req, "settle", "later", &a->order.settles_later);
	if (rc < 0)
		return rc;
	if (traits & ORDER_ONLY_PLANS)
		c->is_dry_run = true;
	a->is_dry_run = c->is_dry_run;
	c->precondition.is_required = (traits & ORDER_NEEDS_MATCH) != 0;
	rc = common_reason(req, &c->reason);
	if (rc < 0)
		return rc;
	rc = precondition_check("If-Match", request_header(req, "If-Match"), &req->fault);
	if (rc == 0)
		rc = precondition_check(
		    "If-None-Match", request_header(req, "If-None-Match"), &req->fault);
	if (rc < 0)
		return rc;
	if (!copy_text(request_header(req, "If-Match"), &c->precondition.if_match) ||
	    !copy_text(request_header(req, "If-None-Match"), &c->precondition.if_none_match) ||
	    !copy_text(req->by, &c->by) || !copy_text(req->peer, &c->from))
		return no_memory(req);
	return 0;
}

static int
name_pool(struct apply *a, struct hrw_bytes name)
{
	free(a->change->pool);
	a->change->pool = strndup((const char *)name.data, name.len);
	a->pool_name = strndup((const char *)name.data, name.len);
	return a->change->pool != NULL && a->pool_name != NULL ? 0 : no_memory(a->req);
}

static int
add_key(void *arg, struct hrw_bytes key)
{
	struct apply *a = arg;
	int rc = a->pool != NULL ? hrw_key_check(a->pool->present, key, &a->req->fault) : 0;

	if (rc < 0)
		return rc;
	record_add(&a->keys, key);
	a->key_count++;
	return a->keys.failed ? no_memory(a->req) : 0;
}

/* "keys" of a POST /changes or /plan. */
static int
read_keys(struct apply *a)
{
	const struct json *keys = NULL;

	if (a->order.kind == ORDER_CHANGES || a->order.kind == ORDER_PLAN)
		keys = json_get(a->body, "keys");
	a->has_keys = keys != NULL;
	return keys != NULL ? common_json_keys(a->req, keys, add_key, a) : 0;
}

static void changed(void *arg, int status, const struct outcome *out, int64_t history,
    const struct hrw_fault *fault);

/* The client went away: its change goes on, its report need not. */
static void
gone(struct request *req)
{
	struct apply *a = req->state;

	a->is_gone = true;
	if (a->report != NULL)
		report_stop(a->report);
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

/* The pool of the request: it must be there, or be one that can be made. */
static int
check_pool(struct apply *a, struct hrw_bytes name)
{
	struct request *req = a->req;
	const struct pool *pool;

	if (a->pool != NULL)
		return 0;
	if (!(order_traits(a->order.kind) & ORDER_MAKES_POOL))
		return common_pool_named(req, name, &pool);
	return hrw_check_name(
	    name, req->app->config->limits->name_bytes, HRW_BAD_POOL, &req->fault);
}

/* Syntax, types and limits of the request, in which no pool is regarded. */
static int
read_request(struct apply *a)
{
	struct request *req = a->req;
	unsigned traits = order_traits(a->order.kind);
	int rc;

	rc = read_report_parameters(a);
	if (rc < 0)
		return rc;
	rc = read_change_parameters(a);
	if (rc < 0)
		return rc;
	if (traits & ORDER_NAMES_NODE)
		common_node_name(req->segment[0], &a->order.node);
	if (traits & ORDER_HAS_BODY) {
		a->body = json_parse(req->body, JSON_STRICT, &req->fault);
		if (a->body == NULL)
			return (int)req->fault.error;
		a->order.body = a->body;
	}
	rc = order_read(&a->order, req->app->config->limits, a->change, &req->fault);
	if (rc == 0)
		rc = rights_judge(req, a->change);
	return rc < 0 ? rc : read_keys(a);
}

/* A body that says whose it is must be sent to that pool. */
static int
check_said_pool(struct apply *a, struct hrw_bytes name)
{
	static const char *const members[] = {"pool", "name"};
	unsigned traits = order_traits(a->order.kind);
	char shown[HRW_SHOWN], own[HRW_SHOWN];

	/* A node's own name is no pool's; other bodies have neither member. */
	for (size_t i = 0; i < (traits & ORDER_MAKES_POOL ? 2 : 1); i++) {
		const struct json *said = json_get(a->body, members[i]);

		if (said == NULL || hrw_bytes_equal(json_bytes(said), name))
			continue;
		return json_fault(said, &a->req->fault, HRW_BAD_FIELD,
		    "the body is of pool %s, and the request changes \"%s\": name that pool in "
		    "the request, or leave the field out",
		    hrw_show(json_source(said), shown, sizeof(shown)),
		    hrw_show(name, own, sizeof(own)));
	}
	return 0;
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
	rc = read_request(a);
	if (rc < 0)
		return rc;
	rc = check_pool(a, name);
	if (rc < 0)
		return rc;
	if (name.data == NULL)
		name = hrw_text(req->snapshot->default_name);
	rc = check_said_pool(a, name);
	if (rc < 0)
		return rc;
	rc = name_pool(a, name);
	if (rc < 0)
		return rc;
	return queue(a);
}

/* A kept plan's order, to be applied to the very version it was made for. */
static int
read_plan(struct apply *a, const struct store_plan *plan)
{
	struct request *req = a->req;
	const char *etag;
	int rc;

	a->body = json_parse(hrw_text(plan->inputs), JSON_STRICT, &req->fault);
	if (a->body == NULL)
		return (int)req->fault.error;
	rc = order_parse(json_get(a->body, "change"), &a->order, &req->fault);
	if (rc < 0)
		return rc;
	rc = name_pool(a, hrw_text(plan->pool));
	if (rc < 0)
		return rc;
	etag = json_text(json_get(a->body, "etag"));
	if (!copy_text(etag, &a->change->expected_etag))
		return no_memory(req);
	/* A plan to make a pool holds as long as there is none. */
	if (etag == NULL && a->change->precondition.if_none_match == NULL &&
	    !copy_text("*", &a->change->precondition.if_none_match))
		return no_memory(req);
	a->pool = snapshot_pool(req->snapshot, hrw_text(plan->pool));
	rc = check_pool(a, hrw_text(plan->pool));
	if (rc < 0)
		return rc;
	rc = order_read(&a->order, req->app->config->limits, a->change, &req->fault);
	return rc < 0 ? rc : rights_judge(req, a->change);
}

/* Where a kept plan is at fault is no place in this request. */
static void
forget_place(struct hrw_fault *fault)
{
	if (fault->field[0] == '/')
		hrw_fault_at(fault, "%s", "");
}

static void
plan_off_loop(struct request *req)
{
	struct apply *a = req->state;
	struct store_plan plan = {0};

	a->rc = common_plan(req, a->plan_id, &plan);
	if (a->rc >= 0)
		a->rc = read_plan(a, &plan);
	if (a->rc < 0)
		forget_place(&req->fault);
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
	rc = read_report_parameters(a);
	if (rc < 0)
		return rc;
	rc = read_change_parameters(a);
	if (rc < 0)
		return rc;
	a->plan_id = strndup((const char *)req->segment[0].data, req->segment[0].len);
	if (a->plan_id == NULL)
		return no_memory(req);
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

/* The planChange as far as it is known without a report. */
static void
write_bare(struct apply *a, const struct outcome *out, const char *outcome)
{
	const struct pool *before = out->before, *after = out->after;
	struct json_out o = json_out(&a->bare);

	json_open_object(&o, NULL);
	json_put_null(&o, "plan");
	json_put_text(&o, "pool", a->pool_name);
	json_put_text(&o, "outcome", outcome);
	if (out->refusal != 0) {
		json_open_object(&o, "refusal");
		json_put_text(&o, "code", hrw_error_code(out->refusal));
		json_put_text(&o, "detail", out->fault.detail);
		json_close_object(&o);
	} else {
		json_put_null(&o, "refusal");
	}
	json_put_null(&o, "state");
	document_epoch_write(&o, "epoch_before", before != NULL ? before->epoch : 0);
	document_epoch_write(&o, "epoch_after", after != NULL ? after->epoch : 0);
	if (after != NULL)
		json_put_count(&o, "copies", after->present->copies);
	if (before != NULL && after != NULL && before->present->copies != after->present->copies)
		json_put_count(&o, "copies_before", before->present->copies);
	json_put_raw(&o, "change", out->ops.len > 0 ? buffer_bytes(&out->ops) : hrw_text("[]"));
	json_close_object(&o);
}

/* Where the thing that was made is found; the status follows. */
static void
note_made(struct apply *a, const struct outcome *out)
{
	unsigned traits = order_traits(a->order.kind);
	const char *node = a->order.node.text;

	if (out->before == NULL && (traits & ORDER_MAKES_POOL)) {
		a->status = 201;
		if (!a->is_async)
			respond_header(a->req, "Location", "/pools/%s", a->pool_name);
	} else if (out->before != NULL && out->after != NULL && (traits & ORDER_MAKES_NODE)) {
		if (node[0] == '\0')
			node = json_text(json_get(a->order.body, "name"));
		if (node == NULL || hrw_membership_find(out->before->present, node) != NULL)
			return;
		a->status = 201;
		if (!a->is_async)
			respond_header(a->req, "Location", "/nodes/%s?pool=%s", node, a->pool_name);
	}
}

static void
answer_bare(struct apply *a)
{
	request_resume(a->req, respond_json(a->req, a->status, &a->bare));
}

static void
answer_report(struct apply *a)
{
	struct buffer body = {0};

	report_write(a->report, &body);
	if (a->is_async) {
		respond_header(a->req, "Preference-Applied", "respond-async");
		respond_header(a->req, "Location", "/plans/%s", report_id(a->report));
		a->status = 202;
	}
	request_resume(a->req, respond_json(a->req, a->status, &body));
}

static void
open_list(uv_work_t *work)
{
	static const struct changes_filter all = {0};
	struct apply *a = work->data;

	a->listed = changes_open(
	    a->req->app->reports, report_id(a->report), CHANGES_NDJSON, &all, &a->req->fault);
}

static void
answer_list(uv_work_t *work, int status)
{
	struct apply *a = work->data;
	struct request *req = a->req;

	(void)status; /* never cancelled */
	if (a->listed == NULL) {
		request_resume(req, (int)req->fault.error);
		return;
	}
	request_resume(req, respond_stream(req, a->status, "application/x-ndjson", changes_fill,
				a->listed, changes_close));
}

/* The report has ended, or took too long to be waited for. */
static void
reported(void *arg)
{
	struct apply *a = arg;

	if (!a->is_streamed || !a->has_keys || a->is_gone)
		answer_report(a);
	else if (report_is_running(a->report) &&
		 report_wait(a->report, WAIT_SECONDS_MAX * 1000, reported, a) == 0)
		return; /* the list is the answer, and it has none before its end */
	else
		uv_queue_work(request_loop(a->req), &a->work, open_list, answer_list);
}

static int
start_report(struct apply *a, const struct outcome *out, const char *outcome, int64_t history)
{
	char *ops = strndup(
	    out->ops.data != NULL ? out->ops.data : "[]", out->ops.data != NULL ? out->ops.len : 2);
	struct report_request ask = {
	    .pool = a->pool_name,
	    .outcome = outcome,
	    .refusal = out->refusal != 0 ? &out->fault : NULL,
	    .before = out->before,
	    .after = out->after,
	    .ops = ops,
	    .change = buffer_text(&a->stored),
	    .history = history,
	    .has_keys = a->has_keys,
	    .keys = a->keys,
	    .key_count = a->key_count,
	    .changes = a->changes,
	};
	int rc;

	a->keys = (struct buffer){0}; /* taken */
	if (ops == NULL)
		rc = no_memory(a->req);
	else
		rc = report_start(a->req->app->reports, &ask, &a->report, &a->req->fault);
	free(ops);
	return rc;
}

static void
forget_keys(uv_work_t *work)
{
	struct apply *a = work->data;
	struct keyset_stats stats;
	struct hrw_fault fault;

	if (keyset_clear(a->req->app->keyset, a->pool_name, true, &stats, &fault) < 0)
		log_event(CONFIG_LOG_ERROR, "the key set of a removed pool stays",
		    log_text("pool", a->pool_name), log_text("detail", fault.detail));
}

static void
keys_forgotten(uv_work_t *work, int status)
{
	(void)status; /* never cancelled */
	answer_bare(work->data);
}

/* A line for what was done; what is so already, or was only planned, is no news. */
static void
tell(const struct apply *a, const struct outcome *out)
{
	if (!a->is_dry_run && !out->is_unchanged)
		change_line_tell(a->req, a->pool_name, out, a->report);
}

/* Reports and answers, once the outcome stands. */
static void
report(struct apply *a, const struct outcome *out, const char *outcome, int64_t history)
{
	int rc;

	if (a->is_gone || !a->wants_report) {
		tell(a, out);
		answer_bare(a);
		return;
	}
	rc = start_report(a, out, outcome, history);
	if (rc < 0 && a->is_dry_run) {
		request_resume(a->req, rc);
	} else if (rc < 0) {
		/* The change is made: that is the answer, report or no report. */
		log_event(CONFIG_LOG_WARN, "a change has no report", log_text("pool", a->pool_name),
		    log_text("detail", a->req->fault.detail), REQUEST_FIELDS(a->req));
		tell(a, out);
		answer_bare(a);
	} else {
		bool waits = !a->is_async && report_wait(a->report, a->wait_ms, reported, a) == 0;

		/* Whoever waits last is called first: the line is there before the answer. */
		tell(a, out);
		if (!waits)
			answer_report(a);
	}
}

static void
changed(void *arg, int status, const struct outcome *out, int64_t history,
    const struct hrw_fault *fault)
{
	struct apply *a = arg;
	struct request *req = a->req;
	bool is_refused = status < 0 || (out != NULL && out->refusal != 0);
	const char *outcome = "applied";

	assert(is_refused || out != NULL);
	if (!a->is_dry_run)
		metrics_change(req->app->metrics, is_refused	      ? METRICS_REFUSED
						  : out->is_unchanged ? METRICS_UNCHANGED
								      : METRICS_APPLIED);
	/* Only a guard's refusal leaves an outcome, and only a dry run goes past it. */
	if (is_refused && !(a->is_dry_run && out != NULL && out->refusal != 0)) {
		if (out != NULL)
			tell(a, out);
		req->fault = *fault;
		if (a->plan_id != NULL)
			forget_place(&req->fault);
		request_resume(req, status);
		return;
	}
	a->status = 200;
	if (a->is_dry_run) {
		outcome = "dry_run";
		if (out->before != NULL)
			common_headers(req, out->before);
	} else {
		if (out->is_unchanged)
			outcome = "unchanged";
		if (out->after != NULL)
			common_headers(req, out->after);
		note_made(a, out);
	}
	write_bare(a, out, outcome);
	if (out->is_removed && !a->is_dry_run) {
		tell(a, out);
		uv_queue_work(request_loop(req), &a->work, forget_keys, keys_forgotten);
	} else {
		report(a, out, outcome, history);
	}
}
