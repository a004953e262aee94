/*
 * lag.h - a timer that sees how late a loop is, once a second.
 */
#ifndef HRWD_METRICS_LAG_H
#define HRWD_METRICS_LAG_H

#include <uv.h>

struct metrics;

struct lag {
	uv_timer_t timer; /* the owner closes it with the loop's other handles */
	struct metrics *metrics;
	uint64_t due;
};

void lag_init(struct lag *lag, uv_loop_t *loop);
/* metrics: the loop's own place. */
void lag_start(struct lag *lag, struct metrics *metrics);

#endif
