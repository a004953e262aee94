/*
 * bench.h - the parts of the benchmark of core/, and the pools and keys of all.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdio.h>

#include "core/membership.h"

/* Rows of lookups, and of plans. */
void bench_lookups(void);
void bench_plans(void);

/* Lookup cost against nodes and plan cost against keys, as CSV. */
void bench_growth(FILE *csv);

/* A frozen pool of node-0, node-1, …, scored by the kernel of that name (NULL: the
 * one chosen). Weights are 1, or 1, 2, 4 and 3 in turn. Exits where it fails. */
struct hrw_membership *bench_pool(
    size_t nodes, bool has_weights, unsigned copies, const char *kernel);

/* The same nodes, placed otherwise. */
struct hrw_membership *bench_pool_by(
    const struct hrw_placement *placement, size_t nodes, bool has_weights, unsigned copies);
double bench_weight(size_t node, bool has_weights);

/* Finds the owners of so many keys; `with` is a pool: what is measured of it. */
void bench_rank(void *with, size_t times);

/* Keys of ten bytes, "photo-0000" to "photo-4095", in turn. */
enum { BENCH_KEYS = 4096, BENCH_KEY_BYTES = 10 };
extern char bench_keys[BENCH_KEYS][BENCH_KEY_BYTES + 1];

static inline struct hrw_bytes
bench_key(size_t i)
{
	return hrw_bytes(bench_keys[i % BENCH_KEYS], BENCH_KEY_BYTES);
}

#endif
