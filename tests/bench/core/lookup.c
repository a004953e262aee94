/*
 * lookup.c - one owner: every kernel, a scalar loop, and libmemcached's ring on the
 * same nodes.
 */
#include <libmemcached/memcached.h>
#include <math.h>
#include <stdlib.h>

#include "core/hash/fmix.h"
#include "core/hash/fnv1a.h"
#include "core/kernel.h"
#include "tests/bench/core/bench.h"
#include "tests/bench/core/measure.h"

static volatile uint32_t sink;

/* What one would write down first: a node after the other. */
struct loop {
	size_t count;
	bool has_weights;
	uint32_t *hash;
	double *weight;
};

static void
run_loop(void *with, size_t times)
{
	const struct loop *l = with;
	uint32_t sum = 0;

	for (size_t i = 0; i < times; i++) {
		uint32_t key = hrw_fnv1a32(bench_key(i)), best_raw = 0, best = 0;
		double best_score = 0;

		for (size_t n = 0; n < l->count; n++) {
			uint32_t raw = hrw_fmix32(l->hash[n] ^ key);

			if (l->has_weights) {
				double score = l->weight[n] / -log((raw + 0.5) * 0x1p-32);

				if (score > best_score) {
					best_score = score;
					best = (uint32_t)n;
				}
			} else if (raw > best_raw) {
				best_raw = raw;
				best = (uint32_t)n;
			}
		}
		sum += best;
	}
	sink = sum;
}

static struct loop
loop_of(const struct hrw_membership *m, bool has_weights)
{
	struct loop l = {m->count, has_weights, calloc(m->count, sizeof(*l.hash)),
	    calloc(m->count, sizeof(*l.weight))};

	for (size_t i = 0; l.hash != NULL && l.weight != NULL && i < m->count; i++) {
		l.hash[i] = hrw_fnv1a32(hrw_text(m->node[i].hash_name));
		l.weight[i] = m->node[i].weight;
	}
	return l;
}

static void
run_ring(void *with, size_t times)
{
	const memcached_st *ring = with;
	uint32_t sum = 0;

	for (size_t i = 0; i < times; i++) {
		struct hrw_bytes key = bench_key(i);

		sum += memcached_generate_hash(ring, (const char *)key.data, key.len);
	}
	sink = sum;
}

/* Weighted ketama: 160 points a node on average. */
static memcached_st *
ring_of(size_t nodes, bool has_weights)
{
	memcached_st *ring = memcached_create(NULL);

	for (size_t i = 0; i < nodes; i++) {
		char host[32];

		snprintf(host, sizeof(host), "node-%zu", i);
		memcached_server_add_with_weight(
		    ring, host, 11211, (uint32_t)bench_weight(i, has_weights));
	}
	memcached_behavior_set(ring, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
	return ring;
}

/* What is measured of one pool: kernels, the loop and the ring. */
enum { KERNELS = 3, CONTENDERS = KERNELS + 2 };

/* libmemcached itself takes no more nodes; of more its ring is ours, which gives
 * the same answers. */
enum { LIBRARY_MAX = 100 };

struct side {
	bool has_weights;
	struct contender *contender;
	struct hrw_membership *m[KERNELS], *ring_pool;
	struct loop loop;
	memcached_st *ring;
};

static void
side_init(struct side *s, size_t nodes, size_t kernels)
{
	for (size_t i = 0; i < kernels; i++) {
		s->m[i] = bench_pool(nodes, s->has_weights, 1, hrw_kernel_runnable(i));
		s->contender[i] = (struct contender){bench_rank, s->m[i], 0};
	}
	s->loop = loop_of(s->m[0], s->has_weights);
	s->contender[kernels] = (struct contender){run_loop, &s->loop, 0};
	if (nodes <= LIBRARY_MAX) {
		s->ring = ring_of(nodes, s->has_weights);
		s->contender[kernels + 1] = (struct contender){run_ring, s->ring, 0};
		return;
	}
	s->ring_pool = bench_pool_by(
	    hrw_placement_find("libmemcached-ketama-weighted"), nodes, s->has_weights, 1);
	s->contender[kernels + 1] = (struct contender){bench_rank, s->ring_pool, 0};
}

static void
side_fini(struct side *s, size_t kernels)
{
	for (size_t i = 0; i < kernels; i++)
		hrw_membership_free(s->m[i]);
	hrw_membership_free(s->ring_pool);
	free(s->loop.hash);
	free(s->loop.weight);
	if (s->ring != NULL)
		memcached_free(s->ring);
}

/* Returns what the quickest kernel took. */
static double
side_print(const struct side *s, size_t nodes, size_t kernels)
{
	double loop = s->contender[kernels].ns, ring = s->contender[kernels + 1].ns;
	double best = INFINITY;

	for (size_t i = 0; i < kernels; i++) {
		double ns = s->contender[i].ns;
		const char *kernel = hrw_kernel_runnable(i);
		char what[64], beside[64];

		/* The one that is chosen at start has a star. */
		snprintf(what, sizeof(what), "lookup, %zu nodes, %s, %s%s", nodes,
		    s->has_weights ? "unequal" : "equal", kernel,
		    strcmp(kernel, hrw_kernel_chosen()) == 0 ? "*" : "");
		snprintf(beside, sizeof(beside), "%s: %.1f ns",
		    nodes <= LIBRARY_MAX ? "libmemcached's ring" : "libmemcached's ring by us",
		    ring);
		row(what, ns, "ns", beside, ns / ring);
		snprintf(beside, sizeof(beside), "a scalar loop: %.1f ns", loop);
		row("", ns, "ns", beside, ns / loop);
		best = fmin(best, ns);
	}
	return best;
}

static void
bench_size(size_t nodes)
{
	struct contender list[2 * CONTENDERS] = {{0}};
	struct side equal = {.contender = list}, unequal = {.has_weights = true};
	size_t kernels = 0;
	double equal_ns, unequal_ns;
	char what[64], beside[64];

	while (kernels < KERNELS && hrw_kernel_runnable(kernels) != NULL)
		kernels++;
	unequal.contender = list + kernels + 2;
	side_init(&equal, nodes, kernels);
	side_init(&unequal, nodes, kernels);
	measure(list, 2 * (kernels + 2));
	equal_ns = side_print(&equal, nodes, kernels);
	unequal_ns = side_print(&unequal, nodes, kernels);
	snprintf(what, sizeof(what), "lookup, %zu nodes, unequal", nodes);
	snprintf(beside, sizeof(beside), "equal weights: %.1f ns", equal_ns);
	row(what, unequal_ns, "ns", beside, unequal_ns / equal_ns);
	side_fini(&unequal, kernels);
	side_fini(&equal, kernels);
}

void
bench_lookups(void)
{
	static const size_t sizes[] = {8, 64, 1024, 16384};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		bench_size(sizes[i]);
}
