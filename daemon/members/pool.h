/*
 * pool.h - one published version of a pool; never written again.
 *
 * Beside its membership it keeps the settled one, under which all copies were last
 * known to be in place: core/settled.h says what that means for a key, settle.c what
 * each change does to it.
 */
#ifndef HRWD_MEMBERS_POOL_H
#define HRWD_MEMBERS_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/membership.h"
#include "core/settled.h"

enum { POOL_LINEAGE = 16, POOL_FINGERPRINT = 16 };

/* What an operator sets for a pool, beside its membership. */
struct pool_terms {
	double max_moved;	/* a part of 1; negative: no such guard */
	uint32_t settles_after; /* seconds until a membership counts as settled; 0: never */
	uint32_t max_ttl;	/* seconds that the longest value lives; 0: not known */
};

enum { POOL_SECONDS_MAX = 10 * 366 * 86400 };

extern const struct pool_terms pool_no_terms;

/* Memberships that are not settled yet, oldest first, by the epoch that made them:
 * settles_after later their copies count. A change that moves keys, or empties a node,
 * leaves only its own: a node that lost a key has missed its writes since. */
enum { POOL_CLOCKS = 32 };

struct pool_clock {
	uint64_t epoch;
	int64_t at_ms; /* Unix time */
};

struct pool_clocks {
	size_t count;
	struct pool_clock at[POOL_CLOCKS];
};

struct pool {
	atomic_uint references;
	char *name;
	uint32_t name_hash; /* spreads pools over a table */
	uint64_t epoch;
	char lineage[POOL_LINEAGE + 1];
	char fingerprint[POOL_FINGERPRINT + 1];
	char epoch_text[24]; /* the epoch as every answer's header has it */
	char etag[48];	     /* "EPOCH-LINEAGE", quotes included */
	int64_t made_ms;     /* Unix time of this version; 0: not known */
	struct pool_terms terms;
	struct hrw_membership *present; /* owned, frozen */
	struct hrw_membership *settled; /* the same pointer when the pool is settled */
	/* Since it was last settled, nodes did nothing but join, rejoin and become
	 * active: when the last of them is active, the pool is settled. */
	bool only_joins;
	struct pool_clocks clocks;
	struct hrw_settled match;
	pthread_mutex_t share_lock;
	atomic_bool has_shares;
	double *share;	/* by node of present: see pool_shares() */
	char *warnings; /* elements of "warnings", of `present`; "": none */
	char *extra;	/* members of its document that this version does not know, as a
			 * JSON object; NULL: none. Set before it is published */
};

/* Takes both memberships (frozen), also on an error; settled may be present itself,
 * and becomes it where hrw_is_settled(). only_joins is true of a settled pool, else
 * false; clocks and made_ms are 0: to be set before it is published. lineage NULL: a new
 * random one. NULL: no memory.
 *   cost  the shares: a formula for fair placements without zones, else one
 *         ranking for each key of the sample */
struct pool *pool_new(const char *name, uint64_t epoch, const char *lineage,
    const struct pool_terms *terms, struct hrw_membership *present, struct hrw_membership *settled);
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
