/*
 * watchdog.h - tells the service manager that hrwd lives, while all of it does.
 *
 * The main loop asks each worker for a sign and passes one on only when all have
 * given theirs: a loop that hangs, whichever it is, has hrwd restarted.
 */
#ifndef HRWD_WATCHDOG_H
#define HRWD_WATCHDOG_H

#include <uv.h>

#include "daemon/worker.h"

struct watchdog {
	uv_timer_t timer; /* the owner closes it */
	struct worker *const *worker;
	size_t worker_count;
};

void watchdog_init(struct watchdog *dog, uv_loop_t *loop);

/* Watches those workers until watchdog_stop(); nothing where nobody waits for a
 * sign. The array outlives the watch. */
void watchdog_start(struct watchdog *dog, struct worker *const *worker, size_t count);
void watchdog_stop(struct watchdog *dog);

#endif
