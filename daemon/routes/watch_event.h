/*
 * watch_event.h - a version of a pool as a server-sent event.
 *
 * Everybody who watches a pool is sent the same bytes, so they are made once and
 * counted; the last few are kept while anybody watches.
 *
 * Source: WHATWG HTML, 9.2 (server-sent events).
 */
#ifndef HRWD_ROUTES_WATCH_EVENT_H
#define HRWD_ROUTES_WATCH_EVENT_H

#include "daemon/members/pool.h"

struct watch_event;

/* The one that was made already; NULL: none is kept.
 *   before  the epoch before it, for the event of a change; 0: the whole pool
 *           to begin with
 *   epoch   the version that it tells, of a pool of that lineage */
struct watch_event *watch_event_find(uint64_t before, uint64_t epoch, const char *lineage);

/* Makes it: the pool as GET /pools/{pool} gives it, and for a change also what
 * was changed since `before` (NULL: to begin with). NULL: no memory. Off the
 * loop: a pool may be large. */
struct watch_event *watch_event_new(const struct pool *before, const struct pool *pool);

void watch_event_release(struct watch_event *e); /* NULL is fine */
struct hrw_bytes watch_event_bytes(const struct watch_event *e);
uint64_t watch_event_epoch(const struct watch_event *e);

/* Nobody watches any more. */
void watch_events_forget(void);

#endif
