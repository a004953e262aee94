/*
 * errand.h - work that takes its turn among the reports.
 *
 * It runs on one thread of the libuv pool; it and the reports together are no
 * more than limits.running_plans at a time, and as many errands may wait. Whoever
 * wants it no more says so, and it ends early.
 */
#ifndef HRWD_MEMBERS_ERRAND_H
#define HRWD_MEMBERS_ERRAND_H

#include <stdatomic.h>

#include "daemon/members/report.h"

struct errand {
	/* Set by its owner before the start. */
	void (*run)(struct errand *e);	/* off the loop; looks at is_stopping now and then */
	void (*done)(struct errand *e); /* on the main loop, once, also without a run */
	void *owner;			/* for `done` */

	atomic_bool is_stopping;

	/* The reports' own. */
	struct reports *reports;
	struct errand *next;
	uv_work_t work;
	bool is_started;
};

/* Starts it or has it wait; `e` stays until `done`, which never comes from
 * within this call. On the main loop. BUSY: too many wait already. */
int errand_start(struct reports *r, struct errand *e, struct hrw_fault *fault);

/* Its client went away. One that still waits is done at once, from within. */
void errand_stop(struct errand *e);

#endif
