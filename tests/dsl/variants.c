/*
 * variants.c - generated pools, and the definition of holders word for word.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/dsl/variants.h"

static const double weights[] = {0.5, 1, 1, 1, 2, 4};

/* What the seed alone decides of a node. */
static struct hrw_node
base_node(uint64_t seed, unsigned i, char *name, char *zone)
{
	struct dice d = {seed * VARIANT_NODES + i};
	struct hrw_node node = {.name = name, .id = (int32_t)i, .state = HRW_ACTIVE};

	sprintf(name, "n%u", i);
	sprintf(zone, "z%u", dice_below(&d, 4));
	node.weight = weights[dice_below(&d, sizeof(weights) / sizeof(weights[0]))];
	node.zone = seed % 2 == 0 && dice_percent(&d, 80) ? zone : NULL;
	return node;
}

struct hrw_membership *
variant(uint64_t seed, struct dice *d)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1 + dice_below(d, 4));
	unsigned count = 1 + (unsigned)(seed / 2 % VARIANT_NODES);

	for (unsigned i = 0; i < count; i++) {
		char name[8], zone[8];
		struct hrw_node node = base_node(seed, i, name, zone);

		if (dice_percent(d, 15))
			continue;
		if (dice_percent(d, 10))
			node.weight = dice_below(d, 4);
		if (dice_percent(d, 5))
			node.zone = NULL;
		if (dice_percent(d, 30))
			node.state = dice_percent(d, 50) ? HRW_DRAINING : HRW_JOINING;
		ck_assert_int_eq(hrw_membership_add(m, &node, NULL, NULL), 0);
	}
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	return m;
}

bool
names_have(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

/* The node of that rank; NULL when fewer take keys. */
static const struct hrw_node *
of_rank(const struct hrw_membership *m, const struct hrw_score *scores, uint32_t rank)
{
	for (size_t i = 0; i < m->count; i++)
		if (scores[i].rank == rank)
			return &m->node[i];
	return NULL;
}

size_t
holders_by_hand(
    const struct hrw_membership *m, struct hrw_bytes key, size_t copies, const char **out)
{
	struct hrw_score *scores = calloc(m->count + 1, sizeof(*scores));
	const struct hrw_node *node;
	const char *zones[VARIANT_NODES], *passed_over[VARIANT_NODES];
	size_t count = 0, zone_count = 0, passed_count = 0;

	hrw_explain(m, key, scores);
	for (uint32_t rank = 1; (node = of_rank(m, scores, rank)) != NULL; rank++) {
		if (node->zone != NULL && names_have(zones, zone_count, node->zone)) {
			passed_over[passed_count++] = node->name;
			continue;
		}
		if (node->zone != NULL)
			zones[zone_count++] = node->zone;
		if (count < copies)
			out[count++] = node->name;
	}
	for (size_t i = 0; i < passed_count && count < copies; i++)
		out[count++] = passed_over[i];
	free(scores);
	return count;
}
