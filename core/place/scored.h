/*
 * scored.h - rendezvous placements that score each node by a hash of their own:
 * everything of them but the hash.
 *
 * rendezvous.c stands apart: its hash is so quick that the loop around it
 * matters.
 */
#ifndef HRW_PLACE_SCORED_H
#define HRW_PLACE_SCORED_H

#include "core/membership.h"

/* Who wins between equal scores. */
enum hrw_ties {
	HRW_TIES_SMALLER_NAME,
	HRW_TIES_LARGER_NAME,
	HRW_TIES_LOWER_ID,
};

struct hrw_scored;

/* What makes the one such placement another. */
struct hrw_scorer {
	/* Of a node's or a key's text, once; NULL: not needed, 0. */
	uint64_t (*hash_node)(const struct hrw_scored *s, struct hrw_bytes text);
	uint64_t (*hash_key)(const struct hrw_scored *s, struct hrw_bytes text);
	/* The raw of a node: `key` is what hash_key() made, `text` the key itself. */
	uint64_t (*raw)(
	    const struct hrw_scored *s, uint32_t node, uint64_t key, struct hrw_bytes text);
	enum hrw_ties ties;
	unsigned bits; /* raw's top bits that make weighted scores: 52; 0: no scores */
	bool is_wide;  /* raw has 64 bits, not 32 */
};

struct hrw_scored {
	const struct hrw_membership *m;
	const struct hrw_scorer *by;
	bool has_weights; /* takers' weights differ */
	size_t count;
	uint32_t *node; /* takers, the winner of a tie first */
	double *weight;
	uint64_t *hash; /* by node of the membership: of its text; for raw() */
};

/* As a placement's prepare; `by` is static.
 *   errors   INTERNAL; BAD_SERVER "collision" where two nodes' hashes are equal
 *            and would tie on every key */
int hrw_scored_prepare(const struct hrw_membership *m, const struct hrw_scorer *by, void **index,
    struct hrw_fault *fault);

/* As a placement's free. */
void hrw_scored_free(void *scored);

/* As a placement's size. */
size_t hrw_scored_size(const void *scored);

/* As a placement's rank and explain, on a struct hrw_scored. */
int hrw_scored_rank(const void *scored, struct hrw_bytes key, size_t want, uint32_t *out);
void hrw_scored_explain(const void *scored, struct hrw_bytes key, struct hrw_score *out);

#endif
