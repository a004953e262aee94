/*
 * report.c - the life of a report: started, waited for, stopped, ended.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "daemon/base/wall.h"
#include "daemon/members/errand.h"
#include "daemon/members/report_private.h"

/* Below this many keys a second thread costs more than it brings. */
enum { KEYS_A_LANE = 16384 };

/* Somebody who waits for the end, or for so long. */
struct waiter {
	uv_timer_t timer;
	struct report *report;
	struct waiter *next;
	void (*done)(void *arg);
	void *arg;
};

/* Of one report: a CPU each. */
static size_t
lanes_most(void)
{
	size_t cpus = uv_available_parallelism();

	return cpus < REPORT_LANES_MAX ? cpus : REPORT_LANES_MAX;
}

size_t
reports_threads(const struct members_config *config)
{
	return config->running_plans * lanes_most();
}

struct reports *
reports_new(uv_loop_t *loop, const struct members_config *config, struct store *store,
    struct keyset *keyset)
{
	struct reports *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->loop = loop;
	r->config = config;
	r->store = store;
	r->keyset = keyset;
	r->threads_max = reports_threads(config);
	r->missing = missing_new();
	if (r->missing == NULL) {
		free(r);
		return NULL;
	}
	return r;
}

int64_t
report_at(const struct report *report)
{
	return report->at_ms;
}

void
reports_each(struct reports *r, void (*each)(void *arg, const struct report *report), void *arg)
{
	for (const struct report *at = r->first; at != NULL; at = at->next)
		if (at->id[0] != '\0')
			each(arg, at);
}

bool
reports_is_idle(const struct reports *r)
{
	return r->first == NULL && r->errand == NULL;
}

size_t
reports_running(const struct reports *r)
{
	return atomic_load(&r->running);
}

size_t
reports_waiting(const struct reports *r)
{
	return atomic_load(&r->waiting);
}

const struct report_figures *
reports_figures(const struct reports *r)
{
	return &r->figures;
}

struct missing *
reports_missing(const struct reports *reports)
{
	return reports->missing;
}

void
reports_free(struct reports *r)
{
	missing_free(r->missing);
	free(r);
}

/* Time first, so that ids sort by age; then chance, so that none is guessed. */
static int
make_id(char id[REPORT_ID + 1], int64_t now_ms)
{
	uint64_t chance;

	if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		return HRW_INTERNAL;
	snprintf(id, REPORT_ID + 1, "%012" PRIx64 "%016" PRIx64, (uint64_t)now_ms, chance);
	return 0;
}

static void
report_free(struct report *r)
{
	for (unsigned i = 0; i < REPORT_LANES_MAX; i++)
		hrw_tally_free(r->lane[i].tally);
	hrw_tally_free(r->total);
	past_close(&r->past);
	free(r->leftovers);
	hrw_plan_free(r->plan);
	hrw_membership_free(r->nobody);
	pool_release(r->before_pool);
	pool_release(r->after_pool);
	buffer_fini(&r->keys);
	buffer_fini(&r->changes);
	free(r->pool);
	free(r->outcome);
	free(r->ops);
	free(r->emptied);
	free(r->change);
	uv_mutex_destroy(&r->lock);
	uv_cond_destroy(&r->turn_came);
	free(r);
}

void
report_release(struct report *report)
{
	if (report != NULL && --report->references == 0)
		report_free(report);
}

/* A copy; NULL stays NULL. */
static char *
copy(const char *text)
{
	return text != NULL ? strdup(text) : NULL;
}

static bool
lacks(const char *from, const char *to)
{
	return from != NULL && to == NULL;
}

/* An empty membership, frozen: the pool before it was made, or after its end. */
static struct hrw_membership *
nobody(void)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);

	if (m != NULL && hrw_membership_freeze(m, NULL, NULL) < 0) {
		hrw_membership_free(m);
		m = NULL;
	}
	return m;
}

struct hrw_plan *
report_plan(const struct pool *before, const struct pool *after,
    const struct hrw_membership *nobody, const char *emptied)
{
	struct hrw_plan *plan = hrw_plan_new(before != NULL ? before->present : nobody,
	    before != NULL ? before->settled : nobody, after != NULL ? after->present : nobody,
	    after != NULL ? after->settled : nobody);

	while (plan != NULL && emptied != NULL && *emptied != '\0') {
		size_t len = strcspn(emptied, " ");

		hrw_plan_empties(plan, hrw_bytes(emptied, len));
		emptied += len + (emptied[len] == ' ');
	}
	return plan;
}

static struct report *
report_new(struct reports *reports, struct report_request *ask)
{
	struct report *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	if (uv_mutex_init(&r->lock) < 0) {
		free(r);
		return NULL;
	}
	if (uv_cond_init(&r->turn_came) < 0) {
		uv_mutex_destroy(&r->lock);
		free(r);
		return NULL;
	}
	r->references = 1;
	r->reports = reports;
	r->pool = copy(ask->pool);
	r->outcome = copy(ask->outcome);
	r->ops = copy(ask->ops);
	r->change = copy(ask->change);
	r->emptied = copy(ask->emptied);
	if (ask->refusal != NULL) {
		r->has_refusal = true;
		r->refusal = *ask->refusal;
	}
	r->before_pool = ask->before != NULL ? pool_acquire(ask->before) : NULL;
	r->after_pool = ask->after != NULL ? pool_acquire(ask->after) : NULL;
	r->nobody = nobody();
	r->history = ask->history;
	r->changes_max = ask->changes;
	r->has_keys = ask->has_keys;
	r->is_sampled = ask->is_sampled;
	r->source.kind = ask->has_keys	   ? SOURCE_REQUEST
			 : ask->is_sampled ? SOURCE_ESTIMATE
					   : SOURCE_STORED; /* until it is opened */
	r->key_count = ask->key_count;
	r->keys = ask->keys;
	ask->keys = (struct buffer){0};
	if (r->nobody == NULL || lacks(ask->pool, r->pool) || lacks(ask->outcome, r->outcome) ||
	    lacks(ask->ops, r->ops) || lacks(ask->change, r->change) ||
	    lacks(ask->emptied, r->emptied))
		goto fail;
	r->plan = report_plan(r->before_pool, r->after_pool, r->nobody, r->emptied);
	r->total = r->plan != NULL ? hrw_tally_new(r->plan) : NULL;
	if (r->total == NULL)
		goto fail;
	return r;
fail:
	report_release(r);
	return NULL;
}

/* Threads to count with. A stored set's size is not asked here, where nothing
 * may block: a lane that finds no keys left ends at once. */
static unsigned
lane_count(const struct report *r)
{
	uint64_t lanes = lanes_most();

	if (r->has_keys && r->key_count / KEYS_A_LANE < lanes)
		lanes = r->key_count / KEYS_A_LANE;
	return lanes > 0 ? (unsigned)lanes : 1;
}

static void waiter_end(struct waiter *waiter);

static void
unlink_report(struct reports *reports, struct report *r)
{
	struct report **at = &reports->first;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
}

/* What it counted of the stored keys holds for both versions, whatever came of it. */
static void
note_missing(const struct report *r)
{
	if (r->state != REPORT_DONE || r->source.kind != SOURCE_STORED)
		return;
	if (r->before_pool != NULL)
		missing_note(r->reports->missing, r->before_pool, r->total->missing_before);
	if (r->after_pool != NULL && strcmp(r->outcome, "dry_run") != 0)
		missing_note(r->reports->missing, r->after_pool, r->total->missing_after);
}

/* The end, on the main loop: whoever waits is told. */
static void
report_end(struct report *r)
{
	struct reports *reports = r->reports;

	r->has_ended = true;
	note_missing(r);
	reports->running--;
	reports->threads -= r->lanes;
	unlink_report(reports, r);
	while (r->waiters != NULL)
		waiter_end(r->waiters);
	report_release(r);
	reports_next(reports);
}

static void
lane_ended(uv_work_t *work, int status)
{
	struct lane *lane = work->data;
	struct report *r = lane->report;

	(void)status; /* lanes are never cancelled: they look at is_stopping */
	if (--r->lanes_queued == 0)
		report_end(r);
}

/* Lanes are counted before the first is queued: it may be the last to end. */
static void
report_begin(struct report *r)
{
	struct reports *reports = r->reports;

	r->is_started = true;
	r->started_ns = uv_hrtime();
	reports->running++;
	reports->threads += r->lanes;
	r->lanes_queued = r->lanes;
	atomic_store(&r->lanes_left, r->lanes);
	for (unsigned i = 0; i < r->lanes; i++) {
		r->lane[i].report = r;
		r->lane[i].work.data = &r->lane[i];
		uv_queue_work(reports->loop, &r->lane[i].work, report_run, lane_ended);
	}
}

bool
reports_has_room(const struct reports *reports, size_t threads)
{
	return reports->running < reports->config->running_plans &&
	       reports->threads + threads <= reports->threads_max;
}

void
reports_next(struct reports *reports)
{
	for (struct report *r = reports->first; r != NULL; r = r->next) {
		if (r->is_started)
			continue;
		if (!reports_has_room(reports, r->lanes))
			return;
		reports->waiting--;
		report_begin(r);
	}
	errands_next(reports);
}

int
report_start(struct reports *reports, struct report_request *ask, struct report **out,
    struct hrw_fault *fault)
{
	bool is_dry_run = strcmp(ask->outcome, "dry_run") == 0;
	size_t limit = is_dry_run ? reports->config->running_plans : reports->config->plans;
	struct report **at = &reports->first;
	struct report *r;

	if (reports->waiting >= limit) {
		buffer_fini(&ask->keys);
		return hrw_fault(fault, HRW_BUSY,
		    "%zu reports run and %zu wait (limits.running_plans is %zu): ask again later",
		    reports->running, reports->waiting, reports->config->running_plans);
	}
	r = report_new(reports, ask);
	buffer_fini(&ask->keys);
	if (r != NULL)
		r->at_ms = wall_ms();
	if (r == NULL || (ask->is_kept && make_id(r->id, r->at_ms) < 0)) {
		report_release(r);
		return hrw_fault(fault, HRW_INTERNAL, "no memory for a report");
	}
	r->lanes = lane_count(r);
	while (*at != NULL)
		at = &(*at)->next;
	*at = r; /* the list's reference */
	r->references++;
	*out = r;
	reports->waiting++;
	reports_next(reports);
	return 0;
}

void
report_stop(struct report *report)
{
	atomic_store(&report->is_stopping, true);
	uv_mutex_lock(&report->lock);
	uv_cond_broadcast(&report->turn_came);
	uv_mutex_unlock(&report->lock);
}

void
reports_stop(struct reports *r)
{
	struct errand *errand = r->errand, *next;

	for (struct report *at = r->first; at != NULL; at = at->next)
		report_stop(at);
	for (; errand != NULL; errand = next) {
		next = errand->next;
		errand_stop(errand);
	}
}

static void
waiter_closed(uv_handle_t *handle)
{
	free(handle->data);
}

/* Takes a waiter off its report and, unless it was forgotten, tells it. */
static void
waiter_end(struct waiter *waiter)
{
	struct report *r = waiter->report;
	struct waiter **at = &r->waiters;

	while (*at != waiter)
		at = &(*at)->next;
	*at = waiter->next;
	uv_close((uv_handle_t *)&waiter->timer, waiter_closed);
	if (waiter->done != NULL)
		waiter->done(waiter->arg);
	report_release(r);
}

static void
waiter_timed_out(uv_timer_t *timer)
{
	waiter_end(timer->data);
}

int
report_wait(struct report *report, uint64_t timeout_ms, void (*done)(void *arg), void *arg)
{
	struct waiter *waiter = calloc(1, sizeof(*waiter));

	if (waiter == NULL)
		return HRW_INTERNAL;
	waiter->report = report;
	waiter->done = done;
	waiter->arg = arg;
	waiter->next = report->waiters;
	waiter->timer.data = waiter;
	uv_timer_init(report->reports->loop, &waiter->timer);
	uv_timer_start(&waiter->timer, waiter_timed_out, report->has_ended ? 0 : timeout_ms, 0);
	report->waiters = waiter;
	report->references++;
	return 0;
}

void
report_forget(struct report *report, void *arg)
{
	for (struct waiter *w = report->waiters; w != NULL; w = w->next) {
		if (w->arg == arg) {
			w->done = NULL;
			waiter_end(w);
			return;
		}
	}
}

const char *
report_pool(const struct report *report)
{
	return report->pool;
}

const char *
report_id(const struct report *report)
{
	return report->id;
}

bool
report_is_running(const struct report *report)
{
	return !report->has_ended;
}

bool
report_counted(const struct report *report, struct report_count *out)
{
	if (!report->has_ended || report->state != REPORT_DONE ||
	    report->source.kind == SOURCE_ESTIMATE)
		return false;
	*out = (struct report_count){.keys = report->total->keys,
	    .moved = report->total->changed,
	    .owners_moved = report->total->owners_changed};
	return true;
}

void
report_write(const struct report *report, struct buffer *out)
{
	report_write_as(report, report->has_ended ? report->state : REPORT_RUNNING, out);
}

struct report *
reports_find(struct reports *r, const char *id)
{
	for (struct report *at = r->first; at != NULL; at = at->next) {
		if (at->id[0] != '\0' && strcmp(at->id, id) == 0) {
			at->references++;
			return at;
		}
	}
	return NULL;
}
