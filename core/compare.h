/*
 * compare.h - how one placement does with a pool's nodes and keys, in the numbers
 * by which placements are chosen: how evenly keys lie, and what a change moves.
 *
 * A node counts by its weight: one of weight 2 is as two of weight 1 that own
 * half its keys each. So the yardstick is the weights as they are listed, also
 * for a placement that ignores them.
 */
#ifndef HRW_COMPARE_H
#define HRW_COMPARE_H

#include "core/tally.h"

/* A node's part of the keys. */
struct hrw_load {
	uint32_t node; /* of the membership */
	uint64_t keys; /* that it owns */
	double share;  /* of all owned keys, a part of 1 */
	double fair;   /* its weight by that of all that take keys */
};

struct hrw_spread {
	/* The population standard deviation of the keys owned for each unit of
	 * weight, divided by their mean. 0: every node has its fair share */
	double deviation;
	struct hrw_load busiest, quietest; /* by share / fair; the first by name */
};

/* How evenly keys lie.
 *   owned    keys by node of m, those of nodes that take none are passed over
 *   returns  false where no node takes keys, or no key is owned */
bool hrw_spread(const struct hrw_membership *m, const uint64_t *owned, struct hrw_spread *out);

struct hrw_compared {
	const struct hrw_membership *before; /* borrowed, frozen */
	uint64_t keys;
	uint64_t unplaced;	 /* that have no owner */
	uint64_t *owned;	 /* by node of before */
	struct hrw_tally *tally; /* of the change; NULL without one */
	struct hrw_plan *plan;
	uint32_t *node_of; /* plan->name[] -> node of before */
};

/* Without a change `after` is NULL. Both frozen, and outliving it.
 *   errors  INTERNAL (no memory): nothing is to be freed then
 *   cost    n log n */
int hrw_compared_init(struct hrw_compared *c, const struct hrw_membership *before,
    const struct hrw_membership *after);
void hrw_compared_fini(struct hrw_compared *c);

/* Counts one key.
 *   errors  BAD_KEY with its fault: the placement cannot place it. INTERNAL.
 *           Nothing is counted then
 *   cost    one ranking, with a change two */
int hrw_compared_key(struct hrw_compared *c, struct hrw_bytes key, struct hrw_fault *fault);

#endif
