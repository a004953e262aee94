/*
 * report_private.h - a report's inside, shared by the files that make it:
 * report.c (life), report_run.c (computing), report_write.c (the planChange).
 */
#ifndef HRWD_MEMBERS_REPORT_PRIVATE_H
#define HRWD_MEMBERS_REPORT_PRIVATE_H

#include <stdatomic.h>

#include "core/plan.h"
#include "core/tally.h"
#include "daemon/members/missing.h"
#include "daemon/members/past.h"
#include "daemon/members/report.h"
#include "daemon/members/source.h"

enum { REPORT_LANES_MAX = 8, REPORT_ID = 28 };

enum report_state { REPORT_RUNNING, REPORT_DONE, REPORT_STOPPED, REPORT_FAILED };

struct reports {
	uv_loop_t *loop;
	const struct members_config *config;
	struct store *store;
	struct keyset *keyset;
	struct report *first;		/* oldest first: those that run, then those that wait */
	struct errand *errand;		/* alike; they start when no report waits */
	atomic_size_t running, waiting; /* written here alone; read by any thread */
	size_t threads, threads_max;	/* taken by those that run */
	struct report_figures figures;
	struct missing *missing;
};

/* One thread's part of a run. */
struct lane {
	uv_work_t work;
	struct report *report;
	struct hrw_tally *tally;
};

struct report {
	/* Main loop only. */
	unsigned references;
	struct reports *reports;
	struct report *next; /* in the list of those that run or wait */
	struct waiter *waiters;
	unsigned lanes_queued;
	bool is_started, has_ended;

	/* Set before the run, read only from then on. */
	char id[REPORT_ID + 1]; /* "": it is not kept */
	char *pool, *outcome, *ops, *change;
	char *emptied; /* names of nodes that came back empty, separated by spaces */
	bool has_refusal;
	struct hrw_fault refusal;
	struct pool *before_pool, *after_pool;
	struct hrw_membership *nobody; /* stands for a pool that is not */
	struct hrw_plan *plan;
	int64_t history, at_ms;
	bool has_keys, is_sampled;
	struct buffer keys;
	uint64_t key_count;
	size_t changes_max;
	unsigned lanes;

	/* The run. */
	uint64_t started_ns;
	atomic_bool is_stopping;
	atomic_bool is_listed; /* the list of changes is full */
	_Atomic uint64_t keys_done, keys_total;
	atomic_uint lanes_left;
	uv_mutex_t lock; /* for what follows, until the last lane is done */
	uv_cond_t turn_came;
	struct source source;
	bool is_open;
	uint64_t batch, turn; /* the next batch to read, to list */
	bool has_failed;
	struct hrw_fault fault;
	struct lane lane[REPORT_LANES_MAX];

	/* The second pass: old copies on the nodes that gain. */
	struct past past;
	struct source again;
	bool has_begun_again, is_open_again;
	bool has_leftovers;		    /* they were counted, or none is possible */
	uint64_t leftover_keys, *leftovers; /* by plan->name[]; NULL: none */
	_Atomic uint64_t keys_again;

	/* The result, written by the last lane. */
	enum report_state state;
	struct hrw_tally *total;
	struct buffer changes; /* entries, separated by commas */
	size_t change_count;
	bool is_truncated;
};

/* Starts what waits, as far as limits.running_plans goes. */
void reports_next(struct reports *reports);
/* May one more run, that takes so many threads? */
bool reports_has_room(const struct reports *reports, size_t threads);
void errands_next(struct reports *reports);

/* The plan between two versions of a pool; before or after NULL: `nobody`.
 *   emptied  as in outcome; NULL: none. NULL: no memory */
struct hrw_plan *report_plan(const struct pool *before, const struct pool *after,
    const struct hrw_membership *nobody, const char *emptied);

/* A lane's work; the last one to end finishes the report and keeps it. */
void report_run(uv_work_t *work);

/* The planChange, as of a state. */
void report_write_as(const struct report *r, enum report_state state, struct buffer *out);

/* What the history keeps of it. */
void report_summary(const struct report *r, struct buffer *out);

/* What is needed to compute the changes anew, and to apply the plan. */
void report_inputs(const struct report *r, struct buffer *out);

/* One entry of `changes`.
 *   old   gaining nodes that may have an old copy; named where old_count is not 0 */
void report_change_write(struct buffer *out, const struct hrw_plan *plan, struct hrw_bytes key,
    const struct hrw_change *c, const uint32_t *old, uint32_t old_count);

static inline const struct hrw_membership *
report_before(const struct report *r)
{
	return r->before_pool != NULL ? r->before_pool->present : r->nobody;
}

/* The pool whose stored keys are counted. */
static inline const struct pool *
report_keys_of(const struct report *r)
{
	return r->before_pool != NULL ? r->before_pool : r->after_pool;
}

static inline const struct hrw_membership *
report_after(const struct report *r)
{
	return r->after_pool != NULL ? r->after_pool->present : r->nobody;
}

#endif
