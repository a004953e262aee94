/*
 * metrics.h - counts of what the daemon does, as Prometheus reads them.
 *
 * Each loop counts in a place of its own with relaxed atomics, so a lookup
 * writes to no line of memory that another core writes to; a scrape adds the
 * places up. What can be read from the present state (epochs, nodes by state)
 * is read at the scrape and counted nowhere.
 *
 * Source: Prometheus text format 0.0.4.
 */
#ifndef HRWD_METRICS_METRICS_H
#define HRWD_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/buffer.h"

struct app;
struct pool;
struct route;
struct snapshot;
struct token;
struct metrics; /* one loop's place; it knows the others */

/* The first loop's place. NULL: no memory.
 *   rows   the routes that requests are counted by; they outlive it */
struct metrics *metrics_new(const struct route *rows, size_t count);
/* One more loop's place, made on the main thread before that loop runs, while
 * others may run already; freed with the first. NULL: no memory. */
struct metrics *metrics_join(struct metrics *first);
void metrics_free(struct metrics *first);

/* A request was answered, `ns` after it was read. `route` is an index into
 * the rows, their number for what no route matched. On the loop's own thread, as
 * the next four. */
void metrics_request(struct metrics *m, size_t route, unsigned status, uint64_t ns);
/* The loop did so much later what it was to do. */
void metrics_lag(struct metrics *m, uint64_t ns);
/* A key was looked up; `owner` is an index into the pool's nodes. It costs a few
 * nanoseconds, however many pools there are; a pool's first one makes its place, and
 * the first one after a change a new list of nodes: without memory for these it is
 * not counted. */
#define METRICS_NOBODY UINT32_MAX
void metrics_lookup(struct metrics *m, const struct pool *pool, uint32_t owner);
/* A lookup named these nodes as its fallback, indexes into the pool's nodes: that is
 * where clients still ask a node that is draining. */
void metrics_asked(struct metrics *m, const struct pool *pool, const uint32_t *node, size_t count);
/* The pool was in the store at the start: lookups of before may have named any node.
 * Before any other loop runs. */
void metrics_found(struct metrics *m, const struct pool *pool);
/* How many seconds ago a lookup on any loop may have named the node last, as a holder
 * or as its fallback; UINT64_MAX: none did. Any thread.
 *   held_ago   how many seconds ago it ceased to be a holder
 *   is_start   receives whether that is the daemon's start, before which nobody knows */
uint64_t metrics_asked_ago(struct metrics *m, const struct pool *pool, const char *node,
    uint64_t held_ago, bool *is_start);
/* The loop reads `s` from now on: what it counted for pools that are gone, or were
 * made anew, is forgotten. */
void metrics_adopt(struct metrics *m, const struct snapshot *s);
/* A change was judged; outcome "applied", "unchanged" or "refused". */
enum metrics_change { METRICS_APPLIED, METRICS_UNCHANGED, METRICS_REFUSED };
void metrics_change(struct metrics *m, enum metrics_change outcome);

/* The configuration was to be read again, and stays as it was. Main loop. */
void metrics_reload_failed(struct metrics *m);

/* Does the configuration's pool differ from the store's? At start, before any
 * other loop runs. */
void metrics_drift(struct metrics *m, const char *pool, bool differs);

/* When the daemon started, in Unix time. */
int64_t metrics_started(const struct metrics *m);

/* The names in the order of /metrics; NULL past the last. */
const char *metrics_name(size_t i);

/* The whole of /metrics.
 *   token   whose pools alone are named; NULL: all are */
void metrics_write(const struct app *app, const struct snapshot *snapshot,
    const struct token *token, struct buffer *out);

#endif
