/*
 * private.h - a loop's place, between metrics.c, which counts, and
 * write.c, which adds the places up.
 */
#ifndef HRWD_METRICS_PRIVATE_H
#define HRWD_METRICS_PRIVATE_H

#include <pthread.h>

#include "daemon/base/histogram.h"
#include "daemon/members/pool.h"
#include "daemon/metrics/metrics.h"

/* Status codes by their first digit. */
enum { CLASSES = 6, OUTCOMES = 3 };

/* The nodes of one version of a pool, each with its lookups; a later version
 * takes over the counts of the nodes that stayed. */
struct node_counts {
	uint64_t epoch;
	size_t count;
	struct node_count {
		char *name;
		atomic_uint_least64_t keys;
		atomic_uint_least64_t asked; /* metrics_asked() last: seconds, 0 never */
	} node[];
};

/* A pool made anew under an old name is another pool: its lineage says so. */
struct pool_count {
	char *name;
	uint32_t name_hash;
	char lineage[POOL_LINEAGE + 1];
	atomic_uint_least64_t keys;
	atomic_uint_least64_t last;  /* its last lookup: seconds, 0 never */
	atomic_uint_least64_t found; /* when it was found in the store; 0: made since */
	struct node_counts *nodes;   /* NULL: none was counted yet */
};

struct drift {
	char *name;
	bool differs;
};

struct metrics {
	struct metrics *first;
	struct metrics *_Atomic next; /* workers that run already may be scraping */
	const struct route *routes;
	size_t route_count;
	struct histogram *request; /* (route_count + 1) by CLASSES */
	struct histogram lag;
	uint64_t now; /* seconds, as of the loop's last tick; 0: it has none */
	/* Taken by the loop itself when it writes to the table of pools or to a list
	 * of nodes, and by who scrapes to read them: counting takes no lock. */
	pthread_mutex_t lock;
	struct pool_count **slot; /* from the hash of a name on; NULL: free */
	size_t slots, pools;	  /* slots: a power of 2, or 0 */
	atomic_uint_least64_t change[OUTCOMES];
	/* Of the first place alone. */
	int64_t started;
	atomic_uint_least64_t reload_failures;
	struct drift *drift; /* pools that were compared */
	size_t drifts;
};

/* The pool's place; NULL: no key of it was looked up. By the loop itself, or under
 * the lock. */
struct pool_count *metrics_pool(const struct metrics *m, const struct pool *pool);

static inline uint64_t
counted(const atomic_uint_least64_t *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

#endif
