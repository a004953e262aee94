/*
 * pool.h - one published version of a pool; never written again.
 *
 * A pool is settled when both its memberships are equal: all copies are where
 * they belong. Nodes that are draining make it unsettled until it is settled
 * anew or they are removed; a joining node makes it so only while the settled
 * membership lacks it.
 */
#ifndef HRWD_MEMBERS_POOL_H
#define HRWD_MEMBERS_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/membership.h"
#include "core/settled.h"

enum { POOL_LINEAGE = 16, POOL_FINGERPRINT = 16 };

struct pool {
	atomic_uint references;
	char *name;
	uint32_t name_hash; /* spreads pools over a table */
	uint64_t epoch;
	char lineage[POOL_LINEAGE + 1];
	char fingerprint[POOL_FINGERPRINT + 1];
	char epoch_text[24];		/* the epoch as every answer's header has it */
	char etag[48];			/* "EPOCH-LINEAGE", quotes included */
	double max_moved;		/* a part of 1; negative: no such guard */
	struct hrw_membership *present; /* owned, frozen */
	struct hrw_membership *settled; /* the same pointer when the pool is settled */
	struct hrw_settled match;
	pthread_mutex_t share_lock;
	atomic_bool has_shares;
	double *share; /* by node of present: see pool_shares() */
	char *extra;   /* members of its document that this version does not know, as a
			* JSON object; NULL: none. Set before it is published */
};

/* Takes both memberships (frozen), also on an error; settled may be present
 * itself, or equal to it, which becomes the same. lineage NULL: a new random
 * one. NULL: no memory.
 *   cost  the shares: a formula for fair placements without zones, else one
 *         ranking for each key of the sample */
struct pool *pool_new(const char *name, uint64_t epoch, const char *lineage, double max_moved,
    struct hrw_membership *present, struct hrw_membership *settled);
struct pool *pool_acquire(struct pool *pool);
void pool_release(struct pool *pool); /* NULL is fine */

/* The part of all keys that each node of `present` owns. By formula where there
 * is one; else counted on the sample at the first call, which may take seconds:
 * off the loops, unless pool_has_shares() says that it is done. Any thread. */
const double *pool_shares(struct pool *pool);

static inline bool
pool_has_shares(const struct pool *pool)
{
	return atomic_load_explicit(&pool->has_shares, memory_order_acquire);
}

static inline bool
pool_is_settled(const struct pool *pool)
{
	return pool->present == pool->settled;
}

#endif
