/*
 * histogram.c - from a lookup's microseconds to a plan's minutes.
 */
#include "daemon/base/histogram.h"

const uint64_t histogram_bound_ns[HISTOGRAM_BOUNDS] = {10000, 25000, 50000, 100000, 250000, 1000000,
    5000000, 10000000, 50000000, 100000000, 500000000, 1000000000, 10000000000, 60000000000};

uint64_t
histogram_gather(struct histogram_sum *sum, const struct histogram *h)
{
	uint64_t all = 0;

	for (unsigned i = 0; i <= HISTOGRAM_BOUNDS; i++) {
		uint64_t count = atomic_load_explicit(&h->count[i], memory_order_relaxed);

		sum->count[i] += count;
		all += count;
	}
	sum->sum_ns += atomic_load_explicit(&h->sum_ns, memory_order_relaxed);
	return all;
}
