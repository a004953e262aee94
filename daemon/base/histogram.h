/*
 * histogram.h - how long things took: counts by upper bound, as Prometheus has them.
 *
 * An addition by the one thread that owns a histogram is two plain additions; where
 * several add, they use the shared form. Any thread may read.
 */
#ifndef HRWD_BASE_HISTOGRAM_H
#define HRWD_BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

enum { HISTOGRAM_BOUNDS = 14 };

struct histogram {
	atomic_uint_least64_t count[HISTOGRAM_BOUNDS + 1]; /* of each bound alone, and above */
	atomic_uint_least64_t sum_ns;
};

/* The bounds in nanoseconds, rising. */
extern const uint64_t histogram_bound_ns[HISTOGRAM_BOUNDS];

static inline unsigned
histogram_place(uint64_t ns)
{
	unsigned i = 0;

	while (i < HISTOGRAM_BOUNDS && ns > histogram_bound_ns[i])
		i++;
	return i;
}

static inline void
histogram_add_shared(struct histogram *h, uint64_t ns)
{
	atomic_fetch_add_explicit(&h->count[histogram_place(ns)], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&h->sum_ns, ns, memory_order_relaxed);
}

/* A count of one thread alone: nobody else adds to it, so no locked add. */
static inline void
histogram_count(atomic_uint_least64_t *at, uint64_t more)
{
	atomic_store_explicit(
	    at, atomic_load_explicit(at, memory_order_relaxed) + more, memory_order_relaxed);
}

static inline void
histogram_add(struct histogram *h, uint64_t ns)
{
	histogram_count(&h->count[histogram_place(ns)], 1);
	histogram_count(&h->sum_ns, ns);
}

/* What several histograms come to; it starts as all zero.
 *   returns  how many things were counted in this one */
struct histogram_sum {
	uint64_t count[HISTOGRAM_BOUNDS + 1], sum_ns;
};

uint64_t histogram_gather(struct histogram_sum *sum, const struct histogram *h);

#endif
