/*
 * plan.c - the nodes of both memberships in one list, and one key's change.
 */
#include <stdlib.h>

#include "core/node.h"
#include "core/plan.h"
#include "core/zones.h"

/* Merges the names of two sorted memberships into plan->name[]. */
static void
unite(struct hrw_plan *plan)
{
	const struct hrw_membership *a = plan->before, *b = plan->after;
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		int order;

		if (i == a->count || j == b->count)
			order = i == a->count ? 1 : -1;
		else
			order = strcmp(a->node[i].name, b->node[j].name);
		plan->name[plan->count++] = order <= 0 ? a->node[i].name : b->node[j].name;
		i += order <= 0;
		j += order >= 0;
	}
}

static int
name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each node's place in plan->name[]; NULL: no memory. */
static uint32_t *
places(const struct hrw_plan *plan, const struct hrw_membership *m)
{
	uint32_t *place = malloc((m->count + 1) * sizeof(*place));

	if (place == NULL)
		return NULL;
	for (size_t i = 0; i < m->count; i++) {
		const char *const *at = bsearch(
		    &m->node[i].name, plan->name, plan->count, sizeof(*plan->name), name_cmp);

		place[i] = at == NULL ? HRW_NOT_LISTED : (uint32_t)(at - plan->name);
	}
	return place;
}

/* Which nodes neither join nor leave nor change; NULL: no memory. */
static bool *
untouched(const struct hrw_plan *plan)
{
	const struct hrw_membership *before = plan->before, *after = plan->after;
	bool *is_untouched = calloc(plan->count + 1, sizeof(*is_untouched));

	for (size_t i = 0; is_untouched != NULL && i < before->count; i++) {
		const struct hrw_node *is = hrw_membership_find(after, before->node[i].name);

		is_untouched[plan->before_to_union[i]] =
		    is != NULL && hrw_node_is_untouched(&before->node[i], is);
	}
	return is_untouched;
}

struct hrw_plan *
hrw_plan_new(const struct hrw_membership *before, const struct hrw_membership *settled,
    const struct hrw_membership *after)
{
	struct hrw_plan *plan = calloc(1, sizeof(*plan));

	if (plan == NULL)
		return NULL;
	plan->before = before;
	plan->after = after;
	/* One pointer for equal memberships: then a key is ranked once for both. */
	plan->settled = hrw_membership_equal(before, settled) ? before : settled;
	plan->name = malloc((before->count + after->count + 1) * sizeof(*plan->name));
	if (plan->name == NULL)
		goto fail;
	unite(plan);
	plan->before_to_union = places(plan, before);
	plan->after_to_union = places(plan, after);
	plan->settled_to_union = places(plan, plan->settled);
	if (plan->before_to_union == NULL || plan->after_to_union == NULL ||
	    plan->settled_to_union == NULL)
		goto fail;
	plan->is_untouched = untouched(plan);
	if (plan->is_untouched == NULL)
		goto fail;
	return plan;
fail:
	hrw_plan_free(plan);
	return NULL;
}

void
hrw_plan_free(struct hrw_plan *plan)
{
	if (plan == NULL)
		return;
	free(plan->is_untouched);
	free(plan->settled_to_union);
	free(plan->after_to_union);
	free(plan->before_to_union);
	free(plan->name);
	free(plan);
}

/* A membership's own holders of a key, as places in the union. */
static uint32_t
holders(const struct hrw_membership *m, const uint32_t *place, struct hrw_bytes key, uint32_t *out)
{
	int count = hrw_holders(m, key, m->copies, out);

	for (int i = 0; i < count; i++)
		out[i] = place[out[i]];
	return count < 0 ? 0 : (uint32_t)count;
}

static bool
contains(const uint32_t *list, uint32_t count, uint32_t value)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

/* The members of a that b lacks, in the order of a. */
static uint32_t
difference(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count, uint32_t *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < a_count; i++)
		if (!contains(b, b_count, a[i]))
			out[count++] = a[i];
	return count;
}

static uint32_t
count_untouched(const struct hrw_plan *plan, const uint32_t *list, uint32_t count)
{
	uint32_t untouched_count = 0;

	for (uint32_t i = 0; i < count; i++)
		untouched_count += plan->is_untouched[list[i]];
	return untouched_count;
}

static uint32_t
needless(const struct hrw_plan *plan, const struct hrw_change *c)
{
	uint32_t lost = count_untouched(plan, c->lost, c->lost_count);
	uint32_t gained = count_untouched(plan, c->gained, c->gained_count);

	return lost < gained ? lost : gained;
}

static bool
is_owner_changed(const struct hrw_change *c)
{
	if (c->before_count == 0 || c->after_count == 0)
		return c->before_count != c->after_count;
	return c->before[0] != c->after[0];
}

void
hrw_plan_key(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out)
{
	uint32_t room[HRW_COPIES_MAX];
	const uint32_t *warm = room;
	uint32_t warm_count;

	out->before_count = holders(plan->before, plan->before_to_union, key, out->before);
	out->after_count = holders(plan->after, plan->after_to_union, key, out->after);
	out->lost_count =
	    difference(out->before, out->before_count, out->after, out->after_count, out->lost);
	out->gained_count =
	    difference(out->after, out->after_count, out->before, out->before_count, out->gained);
	out->needless = needless(plan, out);
	out->from = HRW_NOT_LISTED;
	out->owner_changed = is_owner_changed(out);
	out->is_cold = false;
	/* Most keys do not change: who of their holders is warm is never asked. */
	if (!out->owner_changed && !hrw_change_is_listed(out))
		return;

	if (plan->settled == plan->before) {
		warm = out->before;
		warm_count = out->before_count;
	} else {
		warm_count = holders(plan->settled, plan->settled_to_union, key, room);
	}
	out->is_cold = out->owner_changed && out->after_count > 0 &&
		       !contains(warm, warm_count, out->after[0]);
	if (!hrw_change_is_listed(out))
		return;
	for (uint32_t i = 0; i < out->before_count && out->from == HRW_NOT_LISTED; i++)
		if (contains(out->after, out->after_count, out->before[i]) &&
		    contains(warm, warm_count, out->before[i]))
			out->from = out->before[i];
}
