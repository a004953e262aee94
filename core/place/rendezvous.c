/*
 * rendezvous.c - highest random weight, 32 bits: the default.
 *
 * raw(node, key) = fmix32(FNV-1a(hash_name) XOR FNV-1a(key)), and the score is
 * weight / -ln((raw + 0.5) / 2^32): a node wins a key with probability weight /
 * total. Best first: score, then name; where all weights are equal that is the
 * order of raw, and no logarithm is taken. Two texts of one hash would tie on
 * every key and starve one node, so they are refused.
 *
 * This plain loop is the reference for any faster one.
 *
 * Source: Thaler & Ravishankar, IEEE/ACM ToN 6(1), 1998; weights by the
 * logarithm: Schindelhauer & Schomaker, SPAA 2005.
 */
#include <assert.h>
#include <stdlib.h>

#include "core/hash/fmix.h"
#include "core/hash/fnv1a.h"
#include "core/membership.h"
#include "core/place/race.h"

/* Nodes mixed at once: a constant, so that compilers unroll it into vectors. */
enum { BLOCK = 64 };

/* The takers in order of name, a field an array. hash[] is padded to whole
 * blocks by repeating a hash of the last block. */
struct index {
	const struct hrw_membership *m;
	size_t count;
	bool has_weights; /* they differ, so the order needs scores */
	uint32_t *hash;
	double *weight;
	uint32_t *node; /* index into m->node[] */
};

static void
drop(void *index)
{
	struct index *ix = index;

	if (ix == NULL)
		return;
	free(ix->hash);
	free(ix->weight);
	free(ix->node);
	free(ix);
}

/* With what fills the last block. */
static size_t
size(const void *index)
{
	const struct index *ix = index;
	size_t padded = (ix->count + BLOCK - 1) / BLOCK * BLOCK;

	return sizeof(*ix) + padded * (sizeof(*ix->hash) + sizeof(*ix->weight) + sizeof(*ix->node));
}

/* A node's hash, to be sorted. */
struct hash_of {
	uint32_t hash, node;
};

static int
by_hash(const void *left, const void *right)
{
	const struct hash_of *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* No two nodes may share a hash, draining ones included: they may come back. */
static int
check_collisions(const struct hrw_membership *m, struct hrw_fault *fault)
{
	struct hash_of *list = calloc(m->count + 1, sizeof(*list));
	int rc = 0;

	if (list == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	for (size_t i = 0; i < m->count; i++)
		list[i] =
		    (struct hash_of){hrw_fnv1a32(hrw_text(m->node[i].hash_name)), (uint32_t)i};
	qsort(list, m->count, sizeof(*list), by_hash);
	for (size_t i = 1; rc == 0 && i < m->count; i++)
		if (list[i - 1].hash == list[i].hash) {
			rc = hrw_fault(fault, HRW_BAD_SERVER,
			    "\"%s\" and \"%s\" both hash to 0x%08x, so one of them would get no "
			    "key: "
			    "choose a name or a \"hash_name\" for one of them",
			    m->node[list[i - 1].node].name, m->node[list[i].node].name,
			    list[i].hash);
			if (fault != NULL)
				fault->reason = "collision";
		}
	free(list);
	return rc;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	size_t padded = (m->taker_count + BLOCK - 1) / BLOCK * BLOCK;
	struct index *ix;
	int rc = check_collisions(m, fault);

	if (rc < 0)
		return rc;
	ix = calloc(1, sizeof(*ix));
	if (ix == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	ix->m = m;
	ix->hash = calloc(padded + 1, sizeof(*ix->hash));
	ix->weight = calloc(padded + 1, sizeof(*ix->weight));
	ix->node = calloc(padded + 1, sizeof(*ix->node));
	if (ix->hash == NULL || ix->weight == NULL || ix->node == NULL) {
		drop(ix);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	for (size_t i = 0; i < m->count; i++) {
		const struct hrw_node *node = &m->node[i];

		if (!hrw_node_is_taker(node))
			continue;
		ix->hash[ix->count] = hrw_fnv1a32(hrw_text(node->hash_name));
		ix->weight[ix->count] = node->weight;
		ix->node[ix->count] = (uint32_t)i;
		ix->has_weights = ix->has_weights || node->weight != ix->weight[0];
		ix->count++;
	}
	for (size_t i = ix->count; i < padded; i++)
		ix->hash[i] = ix->hash[ix->count - 1];
	*index = ix;
	return 0;
}

/* Mixes a block; returns the highest raw. */
static uint32_t
mix(const uint32_t *hash, uint32_t key, uint32_t *raw)
{
	uint32_t highest = 0;

	for (size_t i = 0; i < BLOCK; i++) {
		raw[i] = hrw_fmix32(hash[i] ^ key);
		highest = raw[i] > highest ? raw[i] : highest;
	}
	return highest;
}

static void
scan(struct hrw_race *best, const struct index *ix, uint32_t key)
{
	uint32_t raw[BLOCK], highest, floor = 0;

	for (size_t at = 0; at < ix->count; at += BLOCK) {
		size_t count = ix->count - at < BLOCK ? ix->count - at : BLOCK;

		highest = mix(ix->hash + at, key, raw);
		if (highest < floor)
			continue;
		/* Of one owner a block can only give its highest. */
		if (best->want == 1)
			floor = highest;
		for (size_t i = 0; i < count; i++) {
			if (raw[i] < floor)
				continue;
			hrw_race_offer(best, raw[i], 0, (uint32_t)(at + i));
			if (best->count == best->want)
				floor = (uint32_t)best->heap[0].raw;
		}
	}
}

/* As scan(), where weights differ. Since -ln u > 1 - u, a score is below
 * weight / (1 - u): few nodes are left that need a logarithm. */
static void
scan_weighted(struct hrw_race *best, const struct index *ix, uint32_t key)
{
	uint32_t raw[BLOCK];
	double bar = 0;

	for (size_t at = 0; at < ix->count; at += BLOCK) {
		size_t count = ix->count - at < BLOCK ? ix->count - at : BLOCK;

		mix(ix->hash + at, key, raw);
		for (size_t i = 0; i < count; i++) {
			double weight = ix->weight[at + i];

			/* 1 - u times 2^32, exactly */
			if (weight < bar * (4294967295.5 - raw[i]))
				continue;
			hrw_race_offer(
			    best, raw[i], hrw_ln_score(raw[i], 32, weight), (uint32_t)(at + i));
			if (best->count == best->want)
				bar = best->heap[0].score * (1 - 1e-9) / 4294967296.0;
		}
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

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;

	if (want > ix->count)
		want = ix->count;
	assert(want > 0); /* hrw_rank() answers where nobody takes keys */
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
    .traits = HRW_WEIGHTED | HRW_ZONED | HRW_FAIR | HRW_MINIMAL,
    .weights = {HRW_WEIGHT_REAL, 0, 1e9},
    .hashed = HRW_HASHED_NAME,
    .source = "Thaler & Ravishankar, IEEE/ACM ToN 6(1), 1998",
    .prepare = prepare,
    .rank = rank,
    .explain = explain,
    .free = drop,
    .size = size,
};
