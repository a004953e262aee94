/*
 * settled.c - warmth, fallback, and whether a change could strand keys.
 */
#include <stdlib.h>

#include "core/node.h"
#include "core/settled.h"
#include "core/zones.h"

int
hrw_settled_init(struct hrw_settled *s, const struct hrw_membership *present,
    const struct hrw_membership *settled)
{
	*s = (struct hrw_settled){.present = present, .settled = settled};
	if (present == settled)
		return 0;

	/* One more, so that an empty settled membership allocates too: NULL says "the same". */
	s->to_present = malloc((settled->count + 1) * sizeof(*s->to_present));
	if (s->to_present == NULL)
		return HRW_INTERNAL;
	for (size_t i = 0; i < settled->count; i++) {
		const struct hrw_node *stood = &settled->node[i];
		const struct hrw_node *node = hrw_membership_find(present, stood->name);

		s->to_present[i] = node == NULL || stood->is_empty
				       ? HRW_NOT_LISTED
				       : (uint32_t)(node - present->node);
	}
	return 0;
}

void
hrw_settled_fini(struct hrw_settled *s)
{
	free(s->to_present);
	s->to_present = NULL;
}

/* The warm nodes of a key, in settled order, as indexes into present->node[]. */
static size_t
warm_nodes(const struct hrw_settled *s, struct hrw_bytes key, uint32_t *out)
{
	int held = hrw_holders(s->settled, key, s->settled->copies, out);
	size_t count = 0;

	for (int i = 0; i < held; i++) {
		uint32_t node = s->to_present[out[i]];

		if (node != HRW_NOT_LISTED)
			out[count++] = node;
	}
	return count;
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

int
hrw_settled_lookup(
    const struct hrw_settled *s, struct hrw_bytes key, size_t copies, struct hrw_lookup *out)
{
	size_t own = s->present->copies, wanted = copies == 0 ? own : copies;
	uint32_t warm[HRW_COPIES_MAX];
	size_t warm_count, ranked;
	int held;

	out->count = out->holders = out->fallback_count = 0;
	if (copies > HRW_COPIES_MAX)
		return HRW_BAD_COPIES;
	/* The holders of fewer copies are the first of those of more. */
	held = hrw_holders(s->present, key, wanted > own ? wanted : own, out->holder);
	if (held < 0 && held != HRW_NO_SERVERS)
		return held;
	ranked = held > 0 ? (size_t)held : 0;
	out->count = smaller(ranked, wanted);
	out->holders = smaller(ranked, own);
	if (s->to_present == NULL) {
		for (size_t i = 0; i < ranked; i++)
			out->is_warm[i] = i < own;
		return held < 0 ? held : (int)out->count;
	}

	warm_count = warm_nodes(s, key, warm);
	for (size_t i = 0; i < ranked; i++)
		out->is_warm[i] = hrw_is_among(warm, warm_count, out->holder[i]);
	for (size_t i = 0; i < warm_count; i++)
		if (!hrw_is_among(out->holder, out->holders, warm[i]))
			out->fallback[out->fallback_count++] = warm[i];
	return held < 0 ? held : (int)out->count;
}

/* Is every node of `of` that takes keys one of `among`, and ranks the same there? */
static bool
takers_stand_in(const struct hrw_membership *of, const struct hrw_membership *among)
{
	bool counts_ids = (of->placement->traits & HRW_BY_ID) != 0;

	for (size_t i = 0; i < of->count; i++) {
		const struct hrw_node *node = &of->node[i], *other;

		if (!hrw_node_is_taker(node))
			continue;
		other = hrw_membership_find(among, node->name);
		if (other == NULL || !hrw_node_is_taker(other) || node->weight != other->weight ||
		    !hrw_text_same(node->zone, other->zone) ||
		    !hrw_text_same(node->hash_name, other->hash_name) ||
		    !hrw_reweight_same(node, other) || node->is_unhealthy != other->is_unhealthy ||
		    !hrw_slots_same(node, other) || !hrw_tokens_same(node, other) ||
		    (counts_ids && node->id != other->id))
			return false;
	}
	return true;
}

bool
hrw_holders_same(const struct hrw_membership *a, const struct hrw_membership *b)
{
	return a == b || (a->copies == b->copies && hrw_membership_places_alike(a, b) &&
			     takers_stand_in(a, b) && takers_stand_in(b, a));
}

bool
hrw_is_settled(const struct hrw_membership *present, const struct hrw_membership *settled)
{
	for (size_t i = 0; i < present->count; i++)
		if (present->node[i].state == HRW_JOINING)
			return false;
	for (size_t i = 0; i < settled->count; i++)
		if (settled->node[i].is_empty && hrw_node_is_taker(&settled->node[i]))
			return false;
	return hrw_holders_same(present, settled);
}

bool
hrw_settled_counts(const struct hrw_membership *settled, const char *name)
{
	const struct hrw_node *node = hrw_membership_find(settled, name);

	return node != NULL && hrw_node_is_taker(node) && !node->is_empty;
}

/* The numbers a set of nodes is judged by. */
struct spread {
	size_t nodes, zones;
	uint8_t seen[HRW_NODES_MAX / 8]; /* a bit for each zone */
};

static void
spread_add(struct spread *spread, uint32_t zone)
{
	uint8_t bit = (uint8_t)(1u << (zone % 8));

	spread->nodes++;
	if ((spread->seen[zone / 8] & bit) == 0)
		spread->zones++;
	spread->seen[zone / 8] |= bit;
}

static bool
is_lost(const struct hrw_settled *s, const struct hrw_node *stood, enum hrw_risk risk)
{
	const struct hrw_node *node = hrw_membership_find(s->present, stood->name);

	if (stood->is_empty || node == NULL)
		return true;
	return risk == HRW_RISK_GOING && !hrw_node_is_taker(node);
}

/* A key's settled holders are any min(copies, nodes) nodes that stand in
 * min(copies, zones) zones: whichever they are, some ranking begins with them.
 * So a set contains all holders of some key when it has both numbers. */
bool
hrw_settled_at_risk(const struct hrw_settled *s, enum hrw_risk risk)
{
	const struct hrw_membership *settled = s->settled;
	struct spread all = {0}, lost = {0};

	for (size_t i = 0; i < settled->count; i++) {
		if (!hrw_node_is_taker(&settled->node[i]))
			continue;
		spread_add(&all, settled->zone_of[i]);
		if (is_lost(s, &settled->node[i], risk))
			spread_add(&lost, settled->zone_of[i]);
	}
	return lost.nodes > 0 && lost.nodes >= smaller(settled->copies, all.nodes) &&
	       lost.zones >= smaller(settled->copies, all.zones);
}
