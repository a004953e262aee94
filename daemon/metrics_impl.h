/*
 * metrics_impl.h - a loop's place, between metrics.c, which counts, and
 * metrics_write.c, which adds the places up.
 */
#ifndef HRWD_METRICS_IMPL_H
#define HRWD_METRICS_IMPL_H

#include <pthread.h>

#include "daemon/histogram.h"
#include "daemon/members/pool.h"
#include "daemon/metrics.h"

/* Status codes by their first digit. POOLS: a label is a time series for ever
 * somewhere, so pools past so many are counted together. */
enum { CLASSES = 6, POOLS = 64, OUTCOMES = 3 };

/* Of the table that finds a pool's count: most of them are free. */
enum { SLOTS = 4 * POOLS };

/* The nodes of one version of a pool, each with its lookups; a later version
 * takes over the counts of the nodes that stayed. */
struct node_counts {
	uint64_t epoch;
	char lineage[POOL_LINEAGE + 1];
	size_t count;
	struct node_count {
		char *name;
		atomic_uint_least64_t keys;
	} node[];
};

struct pool_count {
	_Atomic(char *) name; /* set once, by the place's own loop */
	atomic_uint_least64_t keys;
	pthread_mutex_t lock; /* of `nodes` against a scrape: taken when a pool changed */
	struct node_counts *nodes;
};

struct metrics {
	struct metrics *first;
	struct metrics *_Atomic next; /* workers that run already may be scraping */
	struct histogram *request;    /* (route_count + 1) by CLASSES */
	struct histogram lag;
	struct pool_count pool[POOLS]; /* in the order of their first lookups */
	uint8_t slot[SLOTS]; /* from the hash of a name on: a pool's number from 1; 0: free */
	uint8_t pools;	     /* in use */
	atomic_uint_least64_t other_keys;
	atomic_uint_least64_t change[OUTCOMES];
	/* Of the first place alone. */
	int64_t started;
	char *drift[POOLS]; /* names of pools that were compared */
	bool differs[POOLS];
};

static inline uint64_t
counted(const atomic_uint_least64_t *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

#endif
