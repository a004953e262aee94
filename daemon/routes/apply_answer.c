/*
 * apply_answer.c - from an outcome to the answer: with its report, without one, or
 * with the list of single changes.
 */
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/members/warnings.h"
#include "daemon/routes/apply_private.h"
#include "daemon/routes/change_line.h"

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
	json_put_count_or_null(&o, "epoch_before", before != NULL ? before->epoch : 0);
	json_put_count_or_null(&o, "epoch_after", after != NULL ? after->epoch : 0);
	if (after != NULL)
		json_put_count(&o, "copies", after->present->copies);
	if (before != NULL && after != NULL && before->present->copies != after->present->copies)
		json_put_count(&o, "copies_before", before->present->copies);
	json_put_raw(&o, "change", out->ops.len > 0 ? buffer_bytes(&out->ops) : hrw_text("[]"));
	if (after != NULL)
		warnings_put(&o, after->warnings);
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
	    a->req->app->reports, report_id(a->report), LISTING_NDJSON, &all, &a->req->fault);
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

	if (!a->is_kept && !a->is_gone && report_is_running(a->report)) {
		/* Nobody could ask for it again: it ends here, as far as it has come. */
		report_stop(a->report);
		if (report_wait(a->report, WAIT_SECONDS_MAX * 1000, reported, a) == 0)
			return;
	}
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
	char *emptied = strndup(out->emptied.len > 0 ? out->emptied.data : "", out->emptied.len);
	struct report_request ask = {
	    .pool = a->pool_name,
	    .outcome = outcome,
	    .refusal = out->refusal != 0 ? &out->fault : NULL,
	    .before = out->before,
	    .after = out->after,
	    .ops = ops,
	    .emptied = emptied,
	    .change = buffer_text(&a->stored),
	    .history = history,
	    .has_keys = a->has_keys,
	    .keys = a->keys,
	    .key_count = a->key_count,
	    .changes = a->changes,
	    .is_kept = a->is_kept,
	    .is_sampled = a->is_sampled,
	};
	int rc;

	a->keys = (struct buffer){0}; /* taken */
	if (ops == NULL || emptied == NULL)
		rc = hrw_fault(&a->req->fault, HRW_INTERNAL, "no memory for the report");
	else
		rc = report_start(a->req->app->reports, &ask, &a->report, &a->req->fault);
	free(ops);
	free(emptied);
	return rc;
}

static void
forget_keys(uv_work_t *work)
{
	struct apply *a = work->data;
	struct keyset_stats stats;
	struct hrw_fault fault;

	if (keyset_clear(a->req->app->keyset, a->set, true, &stats, &fault) < 0)
		log_event(LOG_ERROR, "the key set of a removed pool stays",
		    log_text("pool", a->pool_name), log_text("detail", fault.detail));
}

static void
keys_forgotten(uv_work_t *work, int status)
{
	(void)status; /* never cancelled */
	answer_bare(work->data);
}

void
apply_tell(const struct apply *a, const struct outcome *out)
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
		apply_tell(a, out);
		answer_bare(a);
		return;
	}
	rc = start_report(a, out, outcome, history);
	if (rc < 0 && a->is_dry_run) {
		request_resume(a->req, rc);
	} else if (rc < 0) {
		/* The change is made: that is the answer, report or no report. */
		log_event(LOG_WARN, "a change has no report", log_text("pool", a->pool_name),
		    log_text("detail", a->req->fault.detail), REQUEST_FIELDS(a->req));
		apply_tell(a, out);
		answer_bare(a);
	} else {
		bool waits = !a->is_async && report_wait(a->report, a->wait_ms, reported, a) == 0;

		/* Whoever waits last is called first: the line is there before the answer. */
		apply_tell(a, out);
		if (!waits)
			answer_report(a);
	}
}

void
apply_answer(struct apply *a, const struct outcome *out, int64_t history)
{
	struct request *req = a->req;
	const char *outcome = "applied";

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
		apply_tell(a, out);
		keyset_name(out->before->name, out->before->lineage, a->set);
		uv_queue_work(request_loop(req), &a->work, forget_keys, keys_forgotten);
	} else {
		report(a, out, outcome, history);
	}
}
