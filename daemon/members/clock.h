/*
 * clock.h - counts memberships as settled when their time has come.
 *
 * A pool with settles_after has a clock for each membership that is not settled yet.
 * When one has run out, the writer is asked to settle the pool as far as that
 * membership. Clocks are the pool's own and stored with it, so a restart loses none.
 *
 * They run by the system's clock, which somebody may set: forward, and copies would
 * count that nobody had the time to make. So a clock runs out when that time has also
 * passed by a clock that nobody sets.
 */
#ifndef HRWD_MEMBERS_CLOCK_H
#define HRWD_MEMBERS_CLOCK_H

#include "daemon/members/writer.h"

struct clock {
	struct writer *writer;
	uv_timer_t timer;
	bool is_asking; /* a change is on its way */
	bool is_stopped;
};

/* On the main loop. Nothing runs until the first clock_look(). */
void clock_init(struct clock *c, uv_loop_t *loop);

/* The pools may be others now: waits for the clock that runs out next. */
void clock_look(struct clock *c, struct writer *writer);

/* For the last time; its handle is closed by the loop. */
void clock_stop(struct clock *c);

#endif
