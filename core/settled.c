/*
 * settled.c - warmth, fallback, and whether a drain would strand keys.
 */
#include <stdlib.h>

#include "core/settled.h"
#include "core/zones.h"

int
hrw_settled_init(struct hrw_settled *s, const struct hrw_membership *present,
    const struct hrw_membership *settled)
{
	*s = (struct hrw_settled){.present = present, .settled = settled};
	if (present == settled || hrw_membership_equal(present, settled))
		return 0;

	/* One more, so that an empty settled membership allocates too: NULL says "the same". */
	s->to_present = malloc((settled->count + 1) * sizeof(*s->to_present));
	if (s->to_present == NULL)
		return HRW_INTERNAL;
	for (size_t i = 0; i < settled->count; i++) {
		const struct hrw_node *node = hrw_membership_find(present, settled->node[i].name);

		s->to_present[i] = node == NULL ? HRW_NOT_LISTED : (uint32_t)(node - present->node);
	}
	return 0;
}

void
hrw_settled_fini(struct hrw_settled *s)
{
	free(s->to_present);
	s->to_present = NULL;
}

/* Where a settled node stands in the present membership. */
static uint32_t
to_present(const struct hrw_settled *s, size_t i)
{
	return s->to_present == NULL ? (uint32_t)i : s->to_present[i];
}

static bool
contains(const uint32_t *list, size_t count, uint32_t value)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

int
hrw_settled_lookup(
    const struct hrw_settled *s, struct hrw_bytes key, size_t copies, struct hrw_lookup *out)
{
	uint32_t was[HRW_COPIES_MAX];
	size_t wanted = copies == 0 ? s->settled->copies : copies;
	int held, before;

	out->count = out->fallback_count = 0;
	if (copies > HRW_COPIES_MAX)
		return HRW_BAD_COPIES;
	held = hrw_holders(s->present, key, copies == 0 ? s->present->copies : copies, out->holder);
	if (held < 0 && held != HRW_NO_SERVERS)
		return held;
	if (held > 0)
		out->count = (size_t)held;
	if (s->to_present == NULL) {
		for (size_t i = 0; i < out->count; i++)
			out->is_warm[i] = true;
		return held;
	}

	/* The number asked for suits the present placement; the settled one may
	 * define fewer. */
	if (wanted > hrw_copies_most(s->settled->placement))
		wanted = hrw_copies_most(s->settled->placement);
	before = hrw_holders(s->settled, key, wanted, was);
	if (before < 0)
		before = 0;
	for (size_t i = 0; i < (size_t)before; i++) {
		was[i] = s->to_present[was[i]];
		if (was[i] != HRW_NOT_LISTED && !contains(out->holder, out->count, was[i]))
			out->fallback[out->fallback_count++] = was[i];
	}
	for (size_t i = 0; i < out->count; i++)
		out->is_warm[i] = contains(was, (size_t)before, out->holder[i]);
	return held;
}

/* Is what a settled node holds on its way out? */
static bool
is_leaving(const struct hrw_settled *s, size_t i)
{
	uint32_t at = to_present(s, i);

	return at == HRW_NOT_LISTED || !hrw_node_is_taker(&s->present->node[at]);
}

/* May this settled node hold copies that count? One that was draining when the
 * pool settled has been emptied. One whose weight was set to 0 has not: that
 * settles at once, its copies still being the only ones there are. */
static bool
is_holder(const struct hrw_settled *s, size_t i)
{
	const struct hrw_node *node = &s->settled->node[i];

	return hrw_node_is_taker(node) || (node->state != HRW_DRAINING && is_leaving(s, i));
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

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* A key's settled holders are any min(copies, nodes) nodes that stand in
 * min(copies, zones) zones: whichever they are, some ranking begins with them.
 * So the draining nodes contain such a set when they have both numbers. */
bool
hrw_settled_at_risk(const struct hrw_settled *s)
{
	const struct hrw_membership *settled = s->settled;
	struct spread all = {0}, leaving = {0};

	if (s->present->copies < 2 && settled->copies < 2)
		return false;
	for (size_t i = 0; i < settled->count; i++) {
		if (!is_holder(s, i))
			continue;
		spread_add(&all, settled->zone_of[i]);
		if (is_leaving(s, i))
			spread_add(&leaving, settled->zone_of[i]);
	}
	return leaving.nodes > 0 && leaving.nodes >= smaller(settled->copies, all.nodes) &&
	       leaving.zones >= smaller(settled->copies, all.zones);
}
