/*
 * plan.h - what a change does to keys, key by key.
 *
 * Two memberships and the settled one determine it: for each key the holders
 * before and after are merged into lost, gained and from, the node a new copy
 * can be made from. tally.h counts many of them.
 */
#ifndef HRW_PLAN_H
#define HRW_PLAN_H

#include "core/settled.h"

/* The nodes of before and after in one list, by name. Read only; any thread. */
struct hrw_plan {
	const struct hrw_membership *before, *settled, *after; /* borrowed, frozen */
	size_t count;
	const char **name;	   /* borrowed from the memberships, bytewise order */
	uint32_t *before_to_union; /* node of before -> index into name[] */
	uint32_t *after_to_union;
	uint32_t *settled_to_union; /* HRW_NOT_LISTED: in neither */
	bool *is_untouched;	    /* by name[]: it stands in both, and alike */

	/* Where one side only takes nodes away from the other, and the placement
	 * keeps the order of those that stay, one ranking tells both. */
	const struct hrw_membership *wide, *narrow; /* NULL: two rankings */
	uint32_t *wide_to_narrow;		    /* HRW_NOT_LISTED: takes no keys there */
	size_t places;				    /* of the ranking */
	bool is_alike;				    /* as many copies on both sides */
};

/* All three frozen, and outliving it. NULL: no memory.
 *   settled  before the change; where it equals `before`, keys are ranked once
 *            for both
 *   cost     n log n */
struct hrw_plan *hrw_plan_new(const struct hrw_membership *before,
    const struct hrw_membership *settled, const struct hrw_membership *after);
void hrw_plan_free(struct hrw_plan *plan);

/* What happens to one key. Nodes are indexes into plan->name[]. */
struct hrw_change {
	/* Holders, in rank order. */
	uint32_t before_count, after_count;
	uint32_t before[HRW_COPIES_MAX], after[HRW_COPIES_MAX];

	/* Those of before that after lacks, and the reverse; each in its own order. */
	uint32_t lost_count, gained_count;
	uint32_t lost[HRW_COPIES_MAX], gained[HRW_COPIES_MAX];

	/* The first of before that is in after too and was warm. HRW_NOT_LISTED
	 * where there is none, and for a key that is not listed. */
	uint32_t from;

	/* Copies that moved between nodes that the change does not touch: of lost
	 * and gained such, the fewer. 0 where the placement is HRW_MINIMAL. */
	uint32_t needless;

	bool owner_changed; /* to none, or from none, too */
	bool is_cold;	    /* the owner changed, and the new one was no settled holder */
};

/* Is the key's set of holders another after the change? */
static inline bool
hrw_change_is_listed(const struct hrw_change *c)
{
	return c->lost_count != 0 || c->gained_count != 0;
}

/* One key. A pool without servers has no holders: that is no error here.
 *   cost  one ranking where it tells both sides, else two; one more for a key that
 *         changes in an unsettled pool. No allocation, any thread */
void hrw_plan_key(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out);

#endif
