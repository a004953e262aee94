/*
 * snapshot.h - all pools as they stand at one moment.
 *
 * Published once and read by every loop; a change makes the next snapshot
 * beside it. Counted: the last reader frees it.
 */
#ifndef HRWD_MEMBERS_SNAPSHOT_H
#define HRWD_MEMBERS_SNAPSHOT_H

#include "core/bytes.h"
#include "daemon/members/pool.h"

struct snapshot {
	atomic_uint references;
	bool is_ready; /* every pool's membership is loaded */
	size_t count;
	struct pool **pool;	  /* by name, bytewise; references of its own */
	const char *default_name; /* outlives every snapshot */
};

struct snapshot *snapshot_new(const char *default_name); /* empty, not ready; NULL: no memory */
struct snapshot *snapshot_acquire(struct snapshot *s);
void snapshot_release(struct snapshot *s); /* NULL is fine */

/* A copy in which `pool` (taken; may be NULL) stands for the pool of that name;
 * NULL removes it. NULL: no memory, and pool is released. */
struct snapshot *snapshot_with(const struct snapshot *s, const char *name, struct pool *pool);

/* The pool of that name; data NULL: the default pool. NULL: there is none.
 * log n, no lock. */
const struct pool *snapshot_pool(const struct snapshot *s, struct hrw_bytes name);

#endif
