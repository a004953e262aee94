/*
 * settled.h - who holds a key, who of them is warm, and where else a copy is.
 *
 * Beside its membership a pool keeps the settled one: that under which all
 * copies were last in place. A holder is warm when it is a settled holder too.
 * The fallback is the settled holders that hold no more and are still listed.
 */
#ifndef HRW_SETTLED_H
#define HRW_SETTLED_H

#include "core/membership.h"

/* A present and a settled membership with the nodes of the one matched to the
 * other by name. Read only once made; any thread. */
struct hrw_settled {
	const struct hrw_membership *present, *settled; /* borrowed; may be the same */
	uint32_t *to_present; /* settled node -> present node, HRW_NOT_LISTED; NULL when same */
};

#define HRW_NOT_LISTED UINT32_MAX

/* Both memberships frozen, and outliving it. 0 or HRW_INTERNAL (no memory). */
int hrw_settled_init(struct hrw_settled *s, const struct hrw_membership *present,
    const struct hrw_membership *settled);
void hrw_settled_fini(struct hrw_settled *s);

struct hrw_lookup {
	size_t count, fallback_count;
	uint32_t holder[HRW_COPIES_MAX]; /* indexes into present->node[], owner first */
	bool is_warm[HRW_COPIES_MAX];
	uint32_t fallback[HRW_COPIES_MAX]; /* into present->node[], in settled order */
};

/* Holders, warmth and fallback of a key.
 *   copies   how many were asked for; 0: each membership's own number
 *   returns  out->count
 *   errors   HRW_NO_SERVERS (out->fallback is still filled), HRW_BAD_COPIES
 *   cost     one ranking when settled, else two. No allocation */
int hrw_settled_lookup(
    const struct hrw_settled *s, struct hrw_bytes key, size_t copies, struct hrw_lookup *out);

/* Could a key have all its settled copies on nodes that are on their way out?
 * That is: draining at present, of weight 0, or listed no more; and standing in
 * the settled membership, not draining there. It goes by that membership's
 * copies and zones:
 *
 *     without zones  as many such nodes as copies
 *     with zones     such nodes in as many zones as copies
 *
 * and where there are fewer nodes or zones than copies, all of them. It needs
 * no key. False where neither membership has two copies. */
bool hrw_settled_at_risk(const struct hrw_settled *s);

#endif
