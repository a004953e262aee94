/*
 * settled.h - which copies are known to be in place, and which nodes hold a key.
 *
 * Beside its membership a pool keeps the settled one: the membership under which
 * all copies were last known to be in place. A node there can be empty: it was
 * removed, or came back without its copies. It still ranks there, because nobody
 * is known to have taken its place. For a key:
 *
 *     holders    the first `copies` nodes of the membership
 *     warm       the first `copies` nodes of the settled membership (its own
 *                number), less those that are empty there or not listed now
 *     fallback   the warm nodes that are not holders, in settled order
 *     cold       the holders that are not warm
 *
 * A reader asks the warm holders, the fallback, then the cold holders.
 */
#ifndef HRW_SETTLED_H
#define HRW_SETTLED_H

#include "core/membership.h"

/* A present and a settled membership with the nodes of the one matched to the
 * other by name. Read only once made; any thread. */
struct hrw_settled {
	const struct hrw_membership *present, *settled; /* borrowed; may be the same */
	/* Settled node -> present node, HRW_NOT_LISTED where its copies do not count;
	 * NULL: both are the same. */
	uint32_t *to_present;
};

#define HRW_NOT_LISTED UINT32_MAX

/* Is a node in a list of indexes? */
static inline bool
hrw_is_among(const uint32_t *list, size_t count, uint32_t node)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == node)
			return true;
	return false;
}

/* Both memberships frozen, and outliving it. 0 or HRW_INTERNAL (no memory). */
int hrw_settled_init(struct hrw_settled *s, const struct hrw_membership *present,
    const struct hrw_membership *settled);
void hrw_settled_fini(struct hrw_settled *s);

struct hrw_lookup {
	/* The nodes that were asked for, best first: the holders, or fewer or more. */
	size_t count;
	/* How many of them are holders. */
	size_t holders;
	size_t fallback_count;
	uint32_t holder[HRW_COPIES_MAX]; /* indexes into present->node[], owner first */
	bool is_warm[HRW_COPIES_MAX];
	uint32_t fallback[HRW_COPIES_MAX]; /* into present->node[], in settled order */
};

/* Holders, warmth and fallback of a key.
 *   copies   how many nodes to rank; 0: the holders. It cuts or lengthens the list
 *            and changes nothing else: holder[] is filled up to out->holders all
 *            the same
 *   returns  out->count
 *   errors   HRW_NO_SERVERS (out->fallback is still filled), HRW_BAD_COPIES
 *   cost     one ranking when settled, else two. No allocation */
int hrw_settled_lookup(
    const struct hrw_settled *s, struct hrw_bytes key, size_t copies, struct hrw_lookup *out);

/* Do both give every key the same holders, in the same order? The nodes that take
 * keys, the copies and the placement are the same; empty or not does not matter.
 *   cost  n log n */
bool hrw_holders_same(const struct hrw_membership *a, const struct hrw_membership *b);

/* Are all copies known to be in place? Nothing is joining, and the nodes that take
 * keys, the copies and the placement are those of the settled membership, none of
 * them empty there. Both frozen.
 *   cost  n log n */
bool hrw_is_settled(const struct hrw_membership *present, const struct hrw_membership *settled);

/* Does the settled membership count this node's copies: it takes keys there and is
 * not empty? */
bool hrw_settled_counts(const struct hrw_membership *settled, const char *name);

/* Which nodes could be all the settled holders of a key. */
enum hrw_risk {
	HRW_RISK_GOING, /* the empty ones, and those that take keys no longer or are gone */
	HRW_RISK_GONE,	/* the empty ones, and those that are gone */
};

/* Could they be? Of the nodes that take keys in the settled membership, they are at
 * least min(copies, all of these) and stand in at least min(copies, zones) zones, by
 * that membership's copies and zones; a node without a zone is a zone of its own.
 * Exact for every placement that can rank any nodes first. It needs no key. */
bool hrw_settled_at_risk(const struct hrw_settled *s, enum hrw_risk risk);

#endif
