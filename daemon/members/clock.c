/*
 * clock.c - one timer, for the clock that runs out next.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/base/wall.h"
#include "daemon/members/clock.h"
#include "daemon/members/writer_private.h"

/* A membership that cannot be counted now, because the store fails, is tried again
 * after so long; and the system's clock may be set back, so none is trusted for longer. */
enum { AGAIN_MS = 60000 };

static int64_t
due_ms(const struct pool *pool, size_t i)
{
	return pool->clocks.at[i].at_ms + (int64_t)pool->terms.settles_after * 1000;
}

/* The newest membership of a pool that is due; 0: none. */
static uint64_t
due_epoch(const struct pool *pool, int64_t now_ms)
{
	uint64_t epoch = 0;

	for (size_t i = 0; i < pool->clocks.count; i++)
		if (due_ms(pool, i) <= now_ms)
			epoch = pool->clocks.at[i].epoch;
	return epoch;
}

static void look(struct clock *c, int64_t delay_ms);

static void
asked(void *arg, int status, const struct outcome *outcome, int64_t history,
    const struct hrw_fault *fault)
{
	struct clock *c = arg;

	(void)outcome, (void)history;
	c->is_asking = false;
	if (status < 0)
		log_event(LOG_ERROR,
		    "a membership is not counted as settled, though its "
		    "time has come",
		    log_text("detail", fault->detail));
	look(c, status < 0 ? AGAIN_MS : 0);
}

static void
ask(struct clock *c, const struct pool *pool, uint64_t epoch)
{
	struct change *change = change_new(pool->name);
	struct task *task = change != NULL ? change_add(change, TASK_SETTLE_EPOCH) : NULL;

	if (task == NULL || (change->by = strdup("settles_after")) == NULL) {
		change_free(change);
		log_error("no memory to settle pool %s", pool->name);
		return;
	}
	task->epoch = epoch;
	c->is_asking = true;
	writer_apply(c->writer, change, asked, c);
}

static void
rang(uv_timer_t *timer)
{
	struct clock *c = timer->data;
	const struct snapshot *s = *writer_snapshot(c->writer);
	int64_t now_ms = wall_ms_passed();

	for (size_t i = 0; i < s->count && !c->is_asking; i++) {
		uint64_t epoch = due_epoch(s->pool[i], now_ms);

		if (epoch != 0)
			ask(c, s->pool[i], epoch);
	}
	if (!c->is_asking)
		look(c, 0);
}

/* Waits for the clock that runs out next, but for `delay_ms` at least. */
static void
look(struct clock *c, int64_t delay_ms)
{
	const struct snapshot *s = *writer_snapshot(c->writer);
	int64_t now_ms = wall_ms_passed(), next_ms = INT64_MAX;

	if (c->is_asking || c->is_stopped || !store_is_writable(c->writer->store))
		return;
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->pool[i]->clocks.count; k++)
			if (due_ms(s->pool[i], k) < next_ms)
				next_ms = due_ms(s->pool[i], k);
	if (next_ms == INT64_MAX) {
		uv_timer_stop(&c->timer);
		return;
	}
	next_ms = next_ms > now_ms ? next_ms - now_ms : 1;
	next_ms = next_ms > AGAIN_MS ? AGAIN_MS : next_ms;
	next_ms = next_ms < delay_ms ? delay_ms : next_ms;
	uv_update_time(c->timer.loop);
	uv_timer_start(&c->timer, rang, (uint64_t)next_ms, 0);
}

void
clock_init(struct clock *c, uv_loop_t *loop)
{
	uv_timer_init(loop, &c->timer);
	wall_ms_passed(); /* counts from here on */
	c->timer.data = c;
}

void
clock_look(struct clock *c, struct writer *writer)
{
	c->writer = writer;
	look(c, 0);
}

void
clock_stop(struct clock *c)
{
	c->is_stopped = true;
	uv_timer_stop(&c->timer);
}
