/*
 * plan.h - what a change does to keys, key by key.
 *
 * Two memberships and their settled ones determine it: for each key the holders
 * before and after are merged into lost, gained and from, the node that a new copy
 * can be made from, and the cold holders of both sides are counted. tally.h counts
 * many keys, leftover.h the old copies that a gaining node may still have.
 */
#ifndef HRW_PLAN_H
#define HRW_PLAN_H

#include "core/settled.h"

/* The nodes of before and after in one list, by name. Read only once made; any thread. */
struct hrw_plan {
	/* Borrowed, frozen. A side that is settled has one pointer for both. */
	const struct hrw_membership *before, *settled, *after, *settled_after;
	size_t count;
	const char **name;	   /* borrowed from the memberships, bytewise order */
	uint32_t *before_to_union; /* node of before -> index into name[] */
	uint32_t *after_to_union;
	uint32_t *settled_to_union; /* HRW_NOT_LISTED: in neither */
	uint32_t *settled_after_to_union;
	struct hrw_plan_node *node; /* by name[] */
	bool is_settled_alike;	    /* the two settled memberships give the same holders */
	bool has_all_copies;	    /* of a key that stays: both sides are settled, or the first is
				     * and no copy ceases to count */

	/* Where one side only takes nodes away from the other, and the placement
	 * keeps the order of those that stay, one ranking tells both. */
	const struct hrw_membership *wide, *narrow; /* NULL: two rankings */
	uint32_t *wide_to_narrow;		    /* HRW_NOT_LISTED: takes no keys there */
	size_t places;				    /* of the ranking */
	bool is_alike;				    /* as many copies on both sides */
};

/* What a plan knows of one node. */
struct hrw_plan_node {
	bool counts_before, counts_after; /* listed there, and its settled copies count */
	bool can_give;	   /* a copy can be made from it: listed after, not emptied */
	bool takes_after;  /* it takes keys after */
	bool is_untouched; /* it stands in both, unchanged */
};

/* All four frozen, and outliving it. NULL: no memory.
 *   settled, settled_after   of before and after; where one equals its membership,
 *                            keys are ranked once for both
 *   cost                     n log n */
struct hrw_plan *hrw_plan_new(const struct hrw_membership *before,
    const struct hrw_membership *settled, const struct hrw_membership *after,
    const struct hrw_membership *settled_after);
void hrw_plan_free(struct hrw_plan *plan);

/* The change empties this node (a rejoin): no copy can be made from it. A name that
 * is not in the plan is passed over. */
void hrw_plan_empties(struct hrw_plan *plan, struct hrw_bytes name);

/* What happens to one key. Nodes are indexes into plan->name[]. */
struct hrw_change {
	/* Holders, in rank order. */
	uint32_t before_count, after_count;
	uint32_t before[HRW_COPIES_MAX], after[HRW_COPIES_MAX];

	/* Those of before that after lacks, and the reverse; each in its own order. */
	uint32_t lost_count, gained_count;
	uint32_t lost[HRW_COPIES_MAX], gained[HRW_COPIES_MAX];

	/* Copies that moved between nodes that the change does not touch: of lost
	 * and gained such, the fewer. 0 where the placement is HRW_MINIMAL. */
	uint32_t needless;

	/* Where a gained copy can be made from: of the nodes that were warm, the first
	 * holder before that is one after too; else the first, in settled order, that
	 * takes keys after; else the first that is leaving and still listed. Never one
	 * that the change removes or empties. HRW_NOT_LISTED where there is none, or
	 * nothing is gained. */
	uint32_t from;

	bool owner_changed;			  /* to none, or from none, too */
	bool is_cold;				  /* it did, and the new one was not warm */
	bool is_from_leaving;			  /* from takes no keys after */
	bool is_nowhere_before, is_nowhere_after; /* no node is warm */

	uint32_t missing_before, missing_after; /* cold holders */

	/* The nodes that were warm, in settled order; none where nothing is gained. */
	uint32_t warm_count;
	uint32_t warm[HRW_COPIES_MAX];
};

/* Is the key's set of holders another after the change? */
static inline bool
hrw_change_is_listed(const struct hrw_change *c)
{
	return c->lost_count != 0 || c->gained_count != 0;
}

/* One key. A pool without servers has no holders: that is no error here.
 *   cost  one ranking where it tells both sides, else two; one more for each settled
 *         membership that is not one of these. No allocation, any thread */
void hrw_plan_key(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out);

#endif
