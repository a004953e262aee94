/*
 * rendezvous.c - highest random weight, 32 bits: the default.
 *
 * raw(node, key) = fmix32(FNV-1a(hash_name) XOR FNV-1a(key)), and the score is
 * weight / -ln((raw + 0.5) / 2^32): a node wins a key with probability weight /
 * total. Best first: score, then name; where all weights are equal that is the
 * order of raw, and no logarithm is taken. Two texts of one hash would tie on
 * every key and starve one node, so they are refused.
 *
 * The plain loops here are the reference; the kernels of kernel.h answer where
 * few are wanted and the CPU has vectors.
 *
 * Source: Thaler & Ravishankar, IEEE/ACM ToN 6(1), 1998; weights by the
 * logarithm: Schindelhauer & Schomaker, SPAA 2005.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash/fmix.h"
#include "core/hash/fnv1a.h"
#include "core/membership.h"
#include "core/place/hashes.h"
#include "core/place/kernel.h"
#include "core/place/race.h"

/* The takers in order of name, a field an array, padded as kernels want them. */
struct index {
	const struct hrw_kernel *kernel;
	struct hrw_kernel_nodes nodes;
	uint32_t *node; /* index into m->node[] */
	double *weight;
	bool has_weights;  /* they differ, so the order needs scores */
	size_t small_want; /* up to so many wanted, costs are small enough */
	uint32_t *hash;	   /* nodes.hash, to be written and freed */
	float *per_unit;   /* alike */
	const struct hrw_membership *m;
};

static void
drop(void *index)
{
	struct index *ix = index;

	if (ix == NULL)
		return;
	free(ix->per_unit);
	free(ix->hash);
	free(ix->weight);
	free(ix->node);
	free(ix);
}

/* Places in each array: whole vectors, one of them at least. */
static size_t
room_for(size_t takers)
{
	return (takers / HRW_KERNEL_PAD + (takers % HRW_KERNEL_PAD != 0 || takers == 0)) *
	       HRW_KERNEL_PAD;
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) +
	       room_for(ix->nodes.count) * (sizeof(*ix->hash) + sizeof(*ix->per_unit) +
					       sizeof(*ix->weight) + sizeof(*ix->node));
}

static int
check_collisions(const struct hrw_membership *m, struct hrw_fault *fault)
{
	uint64_t *hash = calloc(m->count + 1, sizeof(*hash));
	int rc;

	if (hash == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	for (size_t i = 0; i < m->count; i++)
		hash[i] = hrw_fnv1a32(hrw_text(m->node[i].hash_name));
	rc = hrw_hashes_check(m, hash, fault);
	free(hash);
	return rc;
}

/* Repeats the last taker up to whole vectors. */
static void
pad(struct index *ix, size_t room)
{
	for (size_t i = ix->nodes.count; ix->nodes.count > 0 && i < room; i++) {
		ix->hash[i] = ix->hash[ix->nodes.count - 1];
		ix->per_unit[i] = ix->per_unit[ix->nodes.count - 1];
	}
}

/* Up to which cost, and how many wanted, small costs serve. The heaviest node's
 * raw is above 3/4 of all where its cost is below -ln 0.75 / heaviest, and others'
 * then too. Of costs, 0.28 * all / heaviest are below that on average, so the best
 * few are nearly always. */
static void
limit_small(struct index *ix, double all, double heaviest)
{
	float limit = heaviest > 0 ? (float)(0.2876 / heaviest) : 0;

	memcpy(&ix->nodes.small_limit, &limit, sizeof(limit));
	ix->small_want = heaviest > 0 && all > 8 * heaviest ? (size_t)(all / heaviest / 8) - 1 : 0;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	size_t room = room_for(m->taker_count), at = 0;
	double heaviest = 0;
	struct index *ix;
	int rc = check_collisions(m, fault);

	if (rc < 0)
		return rc;
	ix = calloc(1, sizeof(*ix));
	if (ix == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	ix->m = m;
	ix->kernel = hrw_kernel_now();
	ix->hash = aligned_alloc(64, room * sizeof(*ix->hash));
	ix->per_unit = aligned_alloc(64, room * sizeof(*ix->per_unit));
	ix->weight = calloc(room, sizeof(*ix->weight));
	ix->node = calloc(room, sizeof(*ix->node));
	if (ix->hash == NULL || ix->per_unit == NULL || ix->weight == NULL || ix->node == NULL) {
		drop(ix);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	for (size_t i = 0; i < m->count; i++) {
		const struct hrw_node *node = &m->node[i];

		if (!hrw_node_is_taker(node))
			continue;
		ix->hash[at] = hrw_fnv1a32(hrw_text(node->hash_name));
		ix->weight[at] = node->weight;
		ix->per_unit[at] = (float)(1 / node->weight);
		ix->node[at] = (uint32_t)i;
		heaviest = node->weight > heaviest ? node->weight : heaviest;
		ix->has_weights = ix->has_weights || node->weight != ix->weight[0];
		at++;
	}
	ix->nodes = (struct hrw_kernel_nodes){at, ix->hash, ix->per_unit, 0};
	pad(ix, room);
	limit_small(ix, m->taker_weight, heaviest);
	*index = ix;
	return 0;
}

/* One owner, and equal weights: no list to keep. */
static uint32_t
best_of(const struct index *ix, uint32_t key)
{
	uint32_t best = 0, at = 0;

	for (uint32_t i = 0; i < ix->nodes.count; i++) {
		uint32_t raw = hrw_fmix32(ix->hash[i] ^ key);

		at = raw > best ? i : at;
		best = raw > best ? raw : best;
	}
	return at;
}

static void
scan(struct hrw_race *best, const struct index *ix, uint32_t key)
{
	uint32_t floor = 0;

	for (uint32_t i = 0; i < ix->nodes.count; i++) {
		uint32_t raw = hrw_fmix32(ix->hash[i] ^ key);

		if (raw < floor)
			continue;
		hrw_race_offer(best, raw, 0, i);
		if (best->count == best->want)
			floor = (uint32_t)best->heap[0].raw;
	}
}

/* As scan(), where weights differ. Since -ln u > 1 - u, a score is below
 * weight / (1 - u): few nodes are left that need a logarithm. */
static void
scan_weighted(struct hrw_race *best, const struct index *ix, uint32_t key)
{
	double bar = 0;

	for (uint32_t i = 0; i < ix->nodes.count; i++) {
		uint32_t raw = hrw_fmix32(ix->hash[i] ^ key);
		double weight = ix->weight[i];

		/* 1 - u times 2^32, exactly */
		if (weight < bar * (4294967295.5 - raw))
			continue;
		hrw_race_offer(best, raw, hrw_ln_score(raw, 32, weight), i);
		if (best->count == best->want)
			bar = best->heap[0].score * (1 - 1e-9) / 4294967296.0;
	}
}

static int
rank_into(const struct index *ix, struct hrw_bytes key, size_t want,
    struct hrw_race_candidate *heap, uint32_t *out)
{
	struct hrw_race best = {
	    .weight = ix->has_weights ? ix->weight : NULL, .bits = 32, .heap = heap, .want = want};

	if (ix->has_weights)
		scan_weighted(&best, ix, hrw_fnv1a32(key));
	else
		scan(&best, ix, hrw_fnv1a32(key));
	return hrw_race_finish(&best, ix->node, out);
}

/* The two frames stand apart, so that a lookup never needs the large one. */
__attribute__((noinline)) static int
rank_few(const struct index *ix, struct hrw_bytes key, size_t want, uint32_t *out)
{
	struct hrw_race_candidate heap[HRW_RACE_FEW];

	return rank_into(ix, key, want, heap, out);
}

__attribute__((noinline)) static int
rank_many(const struct index *ix, struct hrw_bytes key, size_t want, uint32_t *out)
{
	struct hrw_race_candidate heap[HRW_NODES_MAX];

	return rank_into(ix, key, want, heap, out);
}

/* Ranks by the kernel; false where it cannot tell. */
static bool
rank_fast(const struct index *ix, struct hrw_bytes key, size_t want, uint32_t *out)
{
	hrw_kernel_rank *by =
	    want <= ix->small_want ? ix->kernel->by_small_cost : ix->kernel->by_cost;

	if (!ix->has_weights)
		by = ix->kernel->by_raw;
	if (by == NULL || !by(&ix->nodes, hrw_fnv1a32(key), want, out))
		return false;
	for (size_t i = 0; i < want; i++)
		out[i] = ix->node[out[i]];
	return true;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;

	if (want > ix->nodes.count)
		want = ix->nodes.count;
	assert(want > 0); /* hrw_rank() answers where nobody takes keys */
	/* Loading vectors takes longer than four nodes do. */
	if (want == 1 && !ix->has_weights && (ix->nodes.count <= 4 || ix->kernel->by_raw == NULL)) {
		out[0] = ix->node[best_of(ix, hrw_fnv1a32(key))];
		return 1;
	}
	if (want <= HRW_KERNEL_FEW && rank_fast(ix, key, want, out))
		return (int)want;
	return want <= HRW_RACE_FEW ? rank_few(ix, key, want, out) : rank_many(ix, key, want, out);
}

static void
explain(const void *index, struct hrw_bytes key, struct hrw_score *out)
{
	const struct index *ix = index;
	uint32_t hash = hrw_fnv1a32(key);

	for (size_t i = 0; i < ix->m->count; i++) {
		const struct hrw_node *node = &ix->m->node[i];

		out[i].has_raw = out[i].has_score = true;
		out[i].raw = hrw_fmix32(hrw_fnv1a32(hrw_text(node->hash_name)) ^ hash);
		out[i].score = node->weight > 0 ? hrw_ln_score(out[i].raw, 32, node->weight) : 0;
	}
}

const struct hrw_placement hrw_rendezvous = {
    .name = "rendezvous",
    .traits = HRW_WEIGHTED | HRW_ZONED | HRW_FAIR | HRW_MINIMAL | HRW_DELETES,
    .weights = {HRW_WEIGHT_REAL, 0, 1e9},
    .hashed = HRW_HASHED_NAME,
    .source = "Thaler & Ravishankar, IEEE/ACM ToN 6(1), 1998",
    .prepare = prepare,
    .rank = rank,
    .explain = explain,
    .free = drop,
    .size = size,
};
