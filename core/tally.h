/*
 * tally.h - what a change does to many keys, counted.
 *
 * Totals, counts a node and the lost/gained matrix. The size of a tally depends
 * on the nodes alone, never on the number of keys; tallies of several threads
 * add up to the one that a single thread would have made.
 */
#ifndef HRW_TALLY_H
#define HRW_TALLY_H

#include "core/plan.h"

struct hrw_tally_node {
	uint64_t before, after, gains, loses; /* keys */
};

/* Keys that lost a copy on the one node and gained one on the other;
 * HRW_NOT_LISTED for the side that is empty. */
struct hrw_move {
	uint32_t lost, gained;
	uint64_t keys;
};

struct hrw_tally {
	uint64_t keys, changed, copies_lost, copies_gained, needless;
	uint64_t keys_without_source, keys_with_leaving_source;
	uint64_t owners_changed, owners_cold;
	uint64_t missing_before, missing_after; /* copies: cold holders */
	uint64_t nowhere_before, nowhere_after; /* keys that no node has warm */
	size_t count;				/* nodes, as plan->count */
	struct hrw_tally_node *node;
	struct hrw_move *move; /* open addressing; an empty place has keys 0 */
	size_t move_count, move_room;
};

/* NULL: no memory. */
struct hrw_tally *hrw_tally_new(const struct hrw_plan *plan);
void hrw_tally_free(struct hrw_tally *t);

/* Counts one key. 0, or HRW_INTERNAL (no memory for a new pair) with nothing
 * counted. */
int hrw_tally_add(struct hrw_tally *t, const struct hrw_change *c);

/* Adds `from` into `into` (same plan). 0, or HRW_INTERNAL (no memory) with
 * `into` as before. */
int hrw_tally_merge(struct hrw_tally *into, const struct hrw_tally *from);

/* The moves in order of (lost, gained), empty sides first. Allocated for the
 * caller; NULL with *count 0 when there are none, or (move_count is not 0) no
 * memory. */
struct hrw_move *hrw_tally_moves(const struct hrw_tally *t, size_t *count);

#endif
