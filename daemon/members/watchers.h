/*
 * watchers.h - who waits for a pool to become another, on one loop.
 *
 * A list of its own to each loop, told when the loop has taken a new snapshot;
 * so nothing here is locked. A watcher costs a name's look-up at each change.
 */
#ifndef HRWD_MEMBERS_WATCHERS_H
#define HRWD_MEMBERS_WATCHERS_H

#include <uv.h>

#include "daemon/members/snapshot.h"

struct watchers;

enum watch_news {
	WATCH_POOL, /* the pool is another version, or gone */
	WATCH_DUE,  /* the time asked for by watcher_due() */
	WATCH_END,  /* the daemon ends: whoever waits is to be answered */
};

/* Its owner's memory, from join to leave. */
struct watcher {
	struct hrw_bytes name; /* of the pool; the owner's */
	/* On the loop. It may leave, or ask for another time, from within. */
	void (*news)(struct watcher *w, enum watch_news what);

	/* The list's own. */
	struct watchers *list;
	struct watcher *next, *previous;
	char seen[sizeof(((struct pool *)0)->etag)]; /* "": there was no pool */
	uint64_t due;
};

/* NULL: no memory. */
struct watchers *watchers_new(uv_loop_t *loop);
/* When nobody watches any more. The loop must run once more for its handle. */
void watchers_free(struct watchers *ws); /* NULL is fine */

/* From now on it hears of versions other than this one (NULL: no pool), and, where
 * the daemon is ending, is told so at once. */
void watcher_join(struct watchers *ws, struct watcher *w, const struct pool *known);
void watcher_leave(struct watcher *w);

/* So many ms from now it is told, once; a time asked for before is dropped. */
void watcher_due(struct watcher *w, uint64_t ms);

/* The loop has this snapshot now. */
void watchers_tell(struct watchers *ws, const struct snapshot *s);

/* Nobody waits any longer: tells all, and whoever comes from now on. */
void watchers_end(struct watchers *ws);
bool watchers_are_ending(const struct watchers *ws);

#endif
