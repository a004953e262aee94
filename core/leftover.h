/*
 * leftover.h - old copies that a node may still have of a key that comes back to it.
 *
 * A node that lost a key keeps its copy, which no later write reaches. When a change
 * gives the key back to that node, the old copy would be served: it is a leftover,
 * to be purged before the change. The memberships of earlier epochs tell which node
 * held which key.
 */
#ifndef HRW_LEFTOVER_H
#define HRW_LEFTOVER_H

#include "core/plan.h"

enum { HRW_LEFTOVERS_MAX = 64 }; /* distinct memberships that are looked at */

/* An earlier membership of the pool. */
struct hrw_past {
	const struct hrw_membership *membership; /* borrowed, frozen */
	uint64_t epoch;				 /* the last one in which it was in force */
};

struct hrw_leftovers;

/* Of a plan and the pool's earlier memberships (the present one not among them).
 *   past     newest first; those that place every key as a newer one are passed
 *            over, and of the others the first HRW_LEFTOVERS_MAX count
 *   returns  NULL: no memory
 *   cost     n log n for each membership */
struct hrw_leftovers *hrw_leftovers_new(
    const struct hrw_plan *plan, const struct hrw_past *past, size_t count);
void hrw_leftovers_free(struct hrw_leftovers *l);

/* Could some key have one? False: no key need be asked about. */
bool hrw_leftovers_are_possible(const struct hrw_leftovers *l);

/* The gained nodes that may have an old copy of this key: they held it in an earlier
 * membership since they were added or came back empty, and are not warm.
 *   c        what the plan says of the key
 *   out      room for HRW_COPIES_MAX indexes into plan->name[]
 *   returns  how many
 *   cost     nothing where nothing is gained; else at most a ranking for each
 *            earlier membership. No allocation, any thread */
uint32_t hrw_leftovers_of(
    const struct hrw_leftovers *l, struct hrw_bytes key, const struct hrw_change *c, uint32_t *out);

#endif
