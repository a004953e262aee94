/*
 * plan.c - kept reports: listed, read, their changes computed anew, applied.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/members/report.h"
#include "daemon/routes/apply.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/turns.h"

enum { WAIT_SECONDS_MAX = 300, PLAN_ID = sizeof(((struct store_plan *)0)->id) };

/* GET /plans */

/* One that runs or waits, as it stood when it was asked for: the store has it as it
 * began, or not yet. */
struct underway {
	char id[PLAN_ID];
	char *pool;
	int64_t at_ms;
	struct buffer report;
	bool is_told;
};

struct plans {
	char *pool; /* NULL: every pool's */
	char *after;
	struct request *req;
	struct underway *live; /* newest first */
	size_t live_count;
	size_t limit, count;
	size_t given;			   /* by the store, in one go */
	char last[PLAN_ID], seen[PLAN_ID]; /* the last one listed, and given */
	bool has_more;
	struct buffer body;
	struct json_out out;
	int rc;
};

static void
plans_free(void *state)
{
	struct plans *p = state;

	for (size_t i = 0; i < p->live_count; i++) {
		free(p->live[i].pool);
		buffer_fini(&p->live[i].report);
	}
	free(p->live);
	free(p->pool);
	free(p->after);
	buffer_fini(&p->body);
	free(p);
}

/* On the main loop, where reports live. */
static void
add_live(void *arg, const struct report *report)
{
	struct plans *p = arg;
	struct underway *more = realloc(p->live, (p->live_count + 1) * sizeof(*more)), *live;

	if (more == NULL) {
		p->rc = HRW_INTERNAL;
		return;
	}
	p->live = more;
	memmove(more + 1, more, p->live_count * sizeof(*more));
	p->live_count++;
	live = &more[0];
	*live = (struct underway){.pool = strdup(report_pool(report)), .at_ms = report_at(report)};
	snprintf(live->id, sizeof(live->id), "%s", report_id(report));
	report_write(report, &live->report);
	if (live->pool == NULL || live->report.failed)
		p->rc = HRW_INTERNAL;
}

/* A list shows reports without their single changes, which may be many. */
static int
tell_plan(struct plans *p, const char *id, struct hrw_bytes text, int64_t at_ms)
{
	struct json *report;

	if (p->count == p->limit) {
		p->has_more = true;
		return 0;
	}
	report = json_parse(text, JSON_STRICT, NULL);
	if (report == NULL)
		return HRW_STORE_FAILED;
	json_open_object(&p->out, NULL);
	json_each (j, report) {
		if (strcmp(json_name(j), "changes") != 0)
			json_put_tree(&p->out, json_name(j), j);
	}
	json_put_time(&p->out, "at", at_ms);
	json_close_object(&p->out);
	json_free(report);
	memcpy(p->last, id, sizeof(p->last));
	p->count++;
	return 0;
}

/* Ids sort by age. Those that are newer than `id`, NULL: all. */
static int
tell_live(struct plans *p, const char *id)
{
	int rc = 0;

	for (size_t i = 0; i < p->live_count && rc == 0; i++) {
		struct underway *live = &p->live[i];

		if (live->is_told || (id != NULL && strcmp(live->id, id) <= 0) ||
		    (p->after != NULL && strcmp(live->id, p->after) >= 0))
			continue;
		live->is_told = true;
		if ((p->pool == NULL || strcmp(p->pool, live->pool) == 0) &&
		    request_sees(p->req, live->pool))
			rc = tell_plan(p, live->id, buffer_bytes(&live->report), live->at_ms);
	}
	return rc;
}

static struct underway *
find_live(struct plans *p, const char *id)
{
	for (size_t i = 0; i < p->live_count; i++)
		if (strcmp(p->live[i].id, id) == 0)
			return &p->live[i];
	return NULL;
}

static int
add_plan(void *arg, const struct store_plan *plan)
{
	struct plans *p = arg;
	struct underway *live = find_live(p, plan->id);
	struct hrw_bytes text = hrw_text(plan->report);
	int rc = tell_live(p, plan->id);

	p->given++;
	memcpy(p->seen, plan->id, sizeof(p->seen));
	if (rc < 0 || !request_sees(p->req, plan->pool) || (live != NULL && live->is_told))
		return rc;
	if (live != NULL) {
		live->is_told = true;
		/* It may have ended since. */
		if (strcmp(plan->state, "running") == 0)
			text = buffer_bytes(&live->report);
	}
	return tell_plan(p, plan->id, text, plan->at_ms);
}

static void
read_plans(struct request *req)
{
	struct plans *p = req->state;
	struct store_plan first;

	/* Where a page begins must not tell of a plan that cannot be seen. */
	if (p->after != NULL) {
		const struct underway *live = find_live(p, p->after);

		p->rc = common_plan(req, p->after, &first);
		/* One that waits is newer than all that the store has. */
		if (p->rc < 0 && (live == NULL || !request_sees(req, live->pool)))
			return;
		if (p->rc == 0) {
			store_plan_fini(&first);
			snprintf(p->seen, sizeof(p->seen), "%s", p->after);
		}
	}
	p->out = json_out(&p->body);
	json_open_object(&p->out, NULL);
	json_open_array(&p->out, "plans");
	do {
		p->given = 0;
		p->rc = store_plans(
		    req->app->store, p->pool, p->seen, p->limit + 1, add_plan, p, &req->fault);
	} while (p->rc == 0 && !p->has_more && p->given == p->limit + 1);
	if (p->rc == 0)
		p->rc = tell_live(p, NULL);
	json_close_array(&p->out);
	if (p->has_more)
		json_put_text(&p->out, "next", p->last);
	json_close_object(&p->out);
}

static int
plans_read(struct request *req)
{
	struct plans *p = req->state;
	const struct pool *pool;
	int rc;

	if (p->rc < 0)
		return p->rc;
	/* A pool that is gone left plans; one that never was left none. */
	if (p->count == 0 && p->after == NULL && p->pool != NULL) {
		rc = common_pool(req, &pool);
		if (rc < 0)
			return rc;
	}
	return respond_json(req, 200, &p->body);
}

int
plan_list(struct request *req)
{
	struct plans *p = calloc(1, sizeof(*p));
	int rc;

	if (p == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	p->req = req;
	req->state = p;
	req->state_free = plans_free;
	rc = common_limit(req, &p->limit);
	if (rc < 0)
		return rc;
	rc = common_text(req, "after", &p->after);
	if (rc < 0)
		return rc;
	rc = common_past_pool(req, &p->pool);
	if (rc < 0)
		return rc;
	reports_each(req->app->reports, add_live, p);
	if (p->rc < 0)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	request_keep_snapshot(req);
	return request_background(req, read_plans, plans_read);
}

/* GET /plans/{id} and its changes */

struct reading {
	struct request *req;
	char *id;
	struct report *report; /* while it runs */
	struct store_plan kept;
	enum listing_form form;
	struct changes_filter filter;
	struct changes *changes;
	enum turn turn; /* to list them */
	int rc;
};

static void
reading_free(void *state)
{
	struct reading *r = state;

	free(r->id);
	report_release(r->report);
	store_plan_fini(&r->kept);
	turn_give_back(r->turn);
	free(r->filter.lost);
	free(r->filter.gained);
	free(r->filter.from);
	free(r);
}

/* NULL with the fault filled. */
static struct reading *
reading_new(struct request *req)
{
	struct reading *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
		return NULL;
	}
	r->req = req;
	req->state = r;
	req->state_free = reading_free;
	return common_plan_id(req, &r->id) == 0 ? r : NULL;
}

static void
read_kept(struct request *req)
{
	struct reading *r = req->state;

	r->rc = common_plan(req, r->id, &r->kept);
}

static int
kept_read(struct request *req)
{
	struct reading *r = req->state;
	struct buffer body = {0};

	if (r->rc < 0)
		return r->rc;
	buffer_add_text(&body, r->kept.report);
	return respond_json(req, 200, &body);
}

/* The end of a running report, or of the patience for it. */
static void
waited(void *arg)
{
	struct reading *r = arg;
	struct buffer body = {0};

	report_write(r->report, &body);
	request_resume(r->req, respond_json(r->req, 200, &body));
}

/* Whoever only watches a report does not stop it by going away. */
static void
gone(struct request *req)
{
	struct reading *r = req->state;

	report_forget(r->report, r);
	request_resume(req, respond_empty(req, 204));
}

int
plan_get(struct request *req)
{
	struct reading *r = reading_new(req);
	struct buffer body = {0};
	int64_t wait;
	int rc;

	if (r == NULL)
		return req->fault.error;
	rc = request_number(req, "wait", 0, WAIT_SECONDS_MAX, 0, HRW_BAD_PARAMETER, &wait);
	if (rc < 0)
		return rc;
	r->report = common_running(req, r->id);
	if (r->report == NULL)
		return request_background(req, read_kept, kept_read);
	if (wait == 0) {
		report_write(r->report, &body);
		return respond_json(req, 200, &body);
	}
	rc = request_suspend(req, gone);
	if (rc == REQUEST_PENDING && report_wait(r->report, (uint64_t)wait * 1000, waited, r) < 0)
		waited(r);
	return rc;
}

static const char *const forms[] = {
    [LISTING_NDJSON] = "application/x-ndjson",
    [LISTING_JSON] = "application/json",
    [LISTING_CSV] = "text/csv",
    NULL,
};

static void
open_changes(struct request *req)
{
	struct reading *r = req->state;

	if (common_plan(req, r->id, &r->kept) < 0)
		return;
	r->changes = changes_open(req->app->reports, r->id, r->form, &r->filter, &req->fault);
}

static int
changes_opened(struct request *req)
{
	struct reading *r = req->state;

	if (r->changes == NULL)
		return (int)req->fault.error;
	return respond_stream(req, 200, forms[r->form], changes_fill, r->changes, changes_close);
}

int
plan_changes(struct request *req)
{
	struct reading *r = reading_new(req);
	int rc;

	if (r == NULL)
		return req->fault.error;
	r->form = (enum listing_form)request_accepts(req, forms);
	rc = common_text(req, "lost", &r->filter.lost);
	if (rc >= 0)
		rc = common_text(req, "gained", &r->filter.gained);
	if (rc >= 0)
		rc = common_text(req, "from", &r->filter.from);
	if (rc >= 0)
		rc = request_flag(req, "leftover", &r->filter.leftover);
	if (rc >= 0)
		rc = common_page(req, &r->filter.limit, &r->filter.after);
	if (rc < 0)
		return rc;
	r->report = common_running(req, r->id);
	if (r->report != NULL)
		return hrw_fault(&req->fault, HRW_BUSY,
		    "plan %s is still being computed: ask again when GET /plans/%s?wait=30 says "
		    "that it has ended",
		    r->id, r->id);
	rc = turn_take(req, TURN_LIST, &r->turn);
	if (rc < 0)
		return rc;
	return request_background(req, open_changes, changes_opened);
}

int
plan_apply(struct request *req)
{
	return apply_plan(req);
}
