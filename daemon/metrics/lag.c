/*
 * lag.c - a loop that is busy with one thing is late for all others.
 */
#include "daemon/metrics/lag.h"
#include "daemon/metrics/metrics.h"

enum { LAG_MS = 1000 };

static void wait_on(struct lag *lag);

static void
look(uv_timer_t *timer)
{
	struct lag *lag = timer->data;
	uint64_t now = uv_hrtime();

	/* The loop's own clock has whole milliseconds: it may be early by one. */
	metrics_lag(lag->metrics, now > lag->due ? now - lag->due : 0);
	wait_on(lag);
}

static void
wait_on(struct lag *lag)
{
	lag->due = uv_hrtime() + (uint64_t)LAG_MS * 1000000;
	uv_timer_start(&lag->timer, look, LAG_MS, 0);
}

void
lag_init(struct lag *lag, uv_loop_t *loop)
{
	uv_timer_init(loop, &lag->timer);
	lag->timer.data = lag;
}

void
lag_start(struct lag *lag, struct metrics *metrics)
{
	lag->metrics = metrics;
	wait_on(lag);
}
