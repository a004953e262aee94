/*
 * slots.h - numbered slots that nodes hold by ranges: a stored table, where
 * nothing of a node is hashed.
 *
 * A draining node keeps its slots: their keys belong to nobody until the slots
 * are handed over.
 */
#ifndef HRW_PLACE_SLOTS_H
#define HRW_PLACE_SLOTS_H

#include "core/membership.h"

/* A range and who holds it. */
struct hrw_held {
	uint32_t first, last;
	uint32_t node;
};

struct hrw_slots {
	const struct hrw_membership *m;
	size_t count;
	struct hrw_held *held; /* ascending; they do not overlap */
};

/* The slots of all nodes.
 *   highest  the highest number a slot may have
 *   errors   BAD_FIELD: a range that ends before it begins or goes beyond
 *            `highest`, a slot held twice; INTERNAL. Then `slots` holds nothing
 *   cost     n log n in ranges */
int hrw_slots_init(struct hrw_slots *slots, const struct hrw_membership *m, uint32_t highest,
    struct hrw_fault *fault);
void hrw_slots_fini(struct hrw_slots *slots);

/* Bytes that it holds. */
size_t hrw_slots_size(const struct hrw_slots *slots);

/* The slot's node into out[0]: 1, or NO_SERVERS where no node holds the slot or
 * its node takes no keys. log n. */
int hrw_slots_rank(const struct hrw_slots *slots, uint64_t slot, uint32_t *out);

/* A slot that a change leaves to nobody. */
struct hrw_orphan {
	const char *node; /* of the membership before */
	bool has_slot;	  /* else the node itself stands for a slot */
	uint32_t slot;
};

/* Is there a node that holds slots before the change and is drained or removed
 * by it, while one of them has no taker afterwards? Where nobody holds slots and
 * nodes stand for them (HRW_BY_ID), a drained one leaves its own to nobody; a
 * removed one is no slot any more.
 *   before, after  frozen; both HRW_SLOTS, else false
 *   returns  1 with *out filled, 0, or INTERNAL
 *   cost     n log n in ranges */
int hrw_slots_orphaned(const struct hrw_membership *before, const struct hrw_membership *after,
    struct hrw_orphan *out);

#endif
