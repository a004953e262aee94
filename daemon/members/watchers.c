/*
 * watchers.c - a list, and one timer for the earliest time that any of it asked
 * for.
 */
#include <stdlib.h>

#include "daemon/members/watchers.h"

struct watchers {
	uv_timer_t timer;
	uint64_t armed; /* when it fires, by the loop's clock; UINT64_MAX: it is off */
	struct watcher *first;
	struct watcher *at; /* told next, while all are told */
	bool is_ending;
};

static void on_time(uv_timer_t *timer);

static void
arm(struct watchers *ws, uint64_t due)
{
	uint64_t now = uv_now(ws->timer.loop);

	if (due >= ws->armed)
		return;
	ws->armed = due;
	uv_timer_start(&ws->timer, on_time, due > now ? due - now : 0, 0);
}

static void
on_time(uv_timer_t *timer)
{
	struct watchers *ws = timer->data;
	uint64_t now = uv_now(timer->loop);

	ws->armed = UINT64_MAX;
	for (struct watcher *w = ws->first; w != NULL; w = ws->at) {
		ws->at = w->next;
		if (w->due <= now) {
			w->due = UINT64_MAX;
			w->news(w, WATCH_DUE);
		}
	}
	for (struct watcher *w = ws->first; w != NULL; w = w->next)
		arm(ws, w->due);
}

struct watchers *
watchers_new(uv_loop_t *loop)
{
	struct watchers *ws = calloc(1, sizeof(*ws));

	if (ws == NULL)
		return NULL;
	uv_timer_init(loop, &ws->timer);
	ws->timer.data = ws;
	ws->armed = UINT64_MAX;
	return ws;
}

static void
closed(uv_handle_t *handle)
{
	free(handle->data);
}

void
watchers_free(struct watchers *ws)
{
	if (ws != NULL)
		uv_close((uv_handle_t *)&ws->timer, closed);
}

static void
see(struct watcher *w, const struct pool *pool)
{
	memcpy(w->seen, pool != NULL ? pool->etag : "", pool != NULL ? sizeof(w->seen) : 1);
}

void
watcher_join(struct watchers *ws, struct watcher *w, const struct pool *known)
{
	w->list = ws;
	w->due = UINT64_MAX;
	see(w, known);
	w->previous = NULL;
	w->next = ws->first;
	if (w->next != NULL)
		w->next->previous = w;
	ws->first = w;
	if (ws->is_ending)
		watcher_due(w, 0);
}

void
watcher_leave(struct watcher *w)
{
	struct watchers *ws = w->list;

	if (ws->at == w)
		ws->at = w->next;
	if (w->previous != NULL)
		w->previous->next = w->next;
	else
		ws->first = w->next;
	if (w->next != NULL)
		w->next->previous = w->previous;
}

void
watcher_due(struct watcher *w, uint64_t ms)
{
	w->due = uv_now(w->list->timer.loop) + ms;
	arm(w->list, w->due);
}

void
watchers_tell(struct watchers *ws, const struct snapshot *s)
{
	for (struct watcher *w = ws->first; w != NULL; w = ws->at) {
		const struct pool *pool = snapshot_pool(s, w->name);

		ws->at = w->next;
		if (strcmp(w->seen, pool != NULL ? pool->etag : "") == 0)
			continue;
		see(w, pool);
		w->news(w, WATCH_POOL);
	}
}

void
watchers_end(struct watchers *ws)
{
	ws->is_ending = true;
	for (struct watcher *w = ws->first; w != NULL; w = ws->at) {
		ws->at = w->next;
		w->news(w, WATCH_END);
	}
}

bool
watchers_are_ending(const struct watchers *ws)
{
	return ws->is_ending;
}
