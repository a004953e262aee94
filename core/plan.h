/*
 * plan.h - what a change does to keys, key by key.
 *
 * Two memberships and the settled one determine it: for each key the holders
 * before and after are merged into lost, gained and from, the node a new copy
 * can be made from. Totals, counts a node and the lost/gained matrix are kept
 * in a tally whose size does not depend on the number of keys.
 */
#ifndef HRW_PLAN_H
#define HRW_PLAN_H

#include "core/membership.h"

/* The nodes of before and after in one list, by name. Read only; any thread. */
struct hrw_plan {
	const struct hrw_membership *before, *settled, *after; /* borrowed, frozen */
	size_t count;
	const char **name;        /* borrowed from the memberships, bytewise order */
	uint32_t *before_to_union; /* node of before -> index into name[] */
	uint32_t *after_to_union;
	uint32_t *settled_to_union; /* HRW_NOT_LISTED: in neither */
};

struct hrw_plan *hrw_plan_new(const struct hrw_membership *before,
    const struct hrw_membership *settled, const struct hrw_membership *after);
void hrw_plan_free(struct hrw_plan *plan);

/* What happens to one key. Nodes are indexes into plan->name[]. */
struct hrw_change {
	uint32_t before_count, after_count, lost_count, gained_count;
	uint32_t before[HRW_COPIES_MAX], after[HRW_COPIES_MAX]; /* holders, in rank order */
	uint32_t lost[HRW_COPIES_MAX];   /* in the order of before */
	uint32_t gained[HRW_COPIES_MAX]; /* in the order of after */
	uint32_t from;                   /* HRW_NOT_LISTED: no staying node has a warm copy */
	bool owner_changed;
	bool is_cold; /* the owner changed, and the new one was no settled holder */
};

/* Is the key's set of holders another after the change? */
static inline bool
hrw_change_is_listed(const struct hrw_change *c)
{
	return c->lost_count != 0 || c->gained_count != 0;
}

/* One key. A pool without servers has no holders: that is no error here.
 * No allocation; any thread. */
void hrw_plan_key(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out);

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
	uint64_t keys, changed, copies_lost, copies_gained, keys_without_source;
	uint64_t owners_changed, owners_cold;
	size_t count;                /* nodes, as plan->count */
	struct hrw_tally_node *node;
	struct hrw_move *move;       /* open addressing; an empty place has keys 0 */
	size_t move_count, move_room;
};

/* NULL: no memory. */
struct hrw_tally *hrw_tally_new(const struct hrw_plan *plan);
void hrw_tally_free(struct hrw_tally *t);

/* Counts one key. 0 or HRW_INTERNAL (no memory for a new pair). */
int hrw_tally_add(struct hrw_tally *t, const struct hrw_change *c);

/* Adds `from` into `into` (same plan): tallies of several threads make one. */
int hrw_tally_merge(struct hrw_tally *into, const struct hrw_tally *from);

/* The moves in order of (lost, gained), empty sides first. Allocated for the
 * caller; NULL with *count 0 when there are none or no memory. */
struct hrw_move *hrw_tally_moves(const struct hrw_tally *t, size_t *count);

#endif
