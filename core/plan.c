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

static const struct hrw_node *
find(const struct hrw_membership *m, const char *name)
{
	return hrw_membership_find(m, name);
}

/* What each node is, before and after. NULL: no memory. */
static struct hrw_plan_node *
nodes(const struct hrw_plan *plan)
{
	struct hrw_plan_node *list = calloc(plan->count + 1, sizeof(*list));

	for (size_t i = 0; list != NULL && i < plan->count; i++) {
		const char *name = plan->name[i];
		const struct hrw_node *was = find(plan->before, name),
				      *is = find(plan->after, name);

		list[i] = (struct hrw_plan_node){
		    .counts_before = was != NULL && hrw_settled_counts(plan->settled, name),
		    .counts_after = is != NULL && hrw_settled_counts(plan->settled_after, name),
		    .can_give = is != NULL,
		    .takes_after = is != NULL && hrw_node_is_taker(is),
		    .is_untouched = was != NULL && is != NULL && hrw_node_is_untouched(was, is)};
	}
	return list;
}

static bool
loses_copies(const struct hrw_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->node[i].counts_before && !plan->node[i].counts_after)
			return true;
	return false;
}

/* Leaving nodes cost a place in the ranking each; of more, two rankings are
 * cheaper. */
enum { LEAVING_MAX = 4, PLACES_MAX = HRW_COPIES_MAX + LEAVING_MAX };

/* Do all takers weigh the same? Some placements rank by other bits then. */
static bool
is_even(const struct hrw_membership *m)
{
	double weight = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (!hrw_node_is_taker(&m->node[i]))
			continue;
		if (weight != 0 && m->node[i].weight != weight)
			return false;
		weight = m->node[i].weight;
	}
	return true;
}

/* Is the ranking of every key by `narrow` that by `wide` with some nodes left
 * out? Zones and copies do not matter: they choose from a ranking. */
static bool
is_part_of(const struct hrw_membership *narrow, const struct hrw_membership *wide)
{
	if ((wide->placement->traits & HRW_DELETES) == 0 ||
	    !hrw_membership_places_alike(narrow, wide) || is_even(narrow) != is_even(wide) ||
	    wide->taker_count < narrow->taker_count ||
	    wide->taker_count > narrow->taker_count + LEAVING_MAX)
		return false;
	for (size_t i = 0; i < narrow->count; i++) {
		const struct hrw_node *node = &narrow->node[i], *other;

		if (!hrw_node_is_taker(node))
			continue;
		other = hrw_membership_find(wide, node->name);
		if (other == NULL || !hrw_node_is_taker(other) || other->weight != node->weight ||
		    other->id != node->id || strcmp(other->hash_name, node->hash_name) != 0)
			return false;
	}
	return true;
}

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Prepares one ranking for both sides; 0 or HRW_INTERNAL (no memory). */
static int
share_ranking(
    struct hrw_plan *plan, const struct hrw_membership *wide, const struct hrw_membership *narrow)
{
	size_t leaving = wide->taker_count - narrow->taker_count;

	plan->wide_to_narrow = malloc((wide->count + 1) * sizeof(*plan->wide_to_narrow));
	if (plan->wide_to_narrow == NULL)
		return HRW_INTERNAL;
	for (size_t i = 0; i < wide->count; i++) {
		const struct hrw_node *node = hrw_membership_find(narrow, wide->node[i].name);
		bool is_taker = node != NULL && hrw_node_is_taker(node);

		plan->wide_to_narrow[i] =
		    is_taker ? (uint32_t)(node - narrow->node) : HRW_NOT_LISTED;
	}
	plan->wide = wide;
	plan->narrow = narrow;
	plan->places = larger(hrw_holders_places(wide, wide->copies),
	    hrw_holders_places(narrow, narrow->copies) + leaving);
	plan->is_alike = wide->copies == narrow->copies;
	return 0;
}

/* One pointer for both memberships of a settled side: then a key is ranked once. */
static const struct hrw_membership *
settled_of(const struct hrw_membership *m, const struct hrw_membership *settled)
{
	return hrw_is_settled(m, settled) ? m : settled;
}

struct hrw_plan *
hrw_plan_new(const struct hrw_membership *before, const struct hrw_membership *settled,
    const struct hrw_membership *after, const struct hrw_membership *settled_after)
{
	struct hrw_plan *plan = calloc(1, sizeof(*plan));
	int rc = 0;

	if (plan == NULL)
		return NULL;
	plan->before = before;
	plan->after = after;
	plan->settled = settled_of(before, settled);
	plan->settled_after = settled_of(after, settled_after);
	plan->name = malloc((before->count + after->count + 1) * sizeof(*plan->name));
	if (plan->name == NULL)
		goto fail;
	unite(plan);
	plan->before_to_union = places(plan, before);
	plan->after_to_union = places(plan, after);
	plan->settled_to_union = places(plan, plan->settled);
	plan->settled_after_to_union = places(plan, plan->settled_after);
	plan->node = nodes(plan);
	if (plan->before_to_union == NULL || plan->after_to_union == NULL ||
	    plan->settled_to_union == NULL || plan->settled_after_to_union == NULL ||
	    plan->node == NULL)
		goto fail;
	plan->is_settled_alike = hrw_holders_same(plan->settled, plan->settled_after);
	plan->has_all_copies =
	    plan->settled == before &&
	    (plan->settled_after == after || (plan->is_settled_alike && !loses_copies(plan)));
	if (is_part_of(after, before))
		rc = share_ranking(plan, before, after);
	else if (is_part_of(before, after))
		rc = share_ranking(plan, after, before);
	if (rc == 0)
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
	free(plan->node);
	free(plan->wide_to_narrow);
	free(plan->settled_after_to_union);
	free(plan->settled_to_union);
	free(plan->after_to_union);
	free(plan->before_to_union);
	free(plan->name);
	free(plan);
}

void
hrw_plan_empties(struct hrw_plan *plan, struct hrw_bytes name)
{
	for (size_t i = 0; i < plan->count; i++)
		if (hrw_bytes_equal(hrw_text(plan->name[i]), name))
			plan->node[i].can_give = false;
}

static void
translate(uint32_t *list, size_t count, const uint32_t *place)
{
	for (size_t i = 0; i < count; i++)
		list[i] = place[list[i]];
}

/* A membership's own holders of a key, as places in the union. */
static uint32_t
holders(const struct hrw_membership *m, const uint32_t *place, struct hrw_bytes key, uint32_t *out)
{
	int count = hrw_holders(m, key, m->copies, out);

	if (count < 0)
		return 0;
	translate(out, (size_t)count, place);
	return (uint32_t)count;
}

/* Both sides' holders from one ranking. False where it is too short to tell, or
 * there is none. */
static bool
holders_of_both(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out)
{
	uint32_t ranking[PLACES_MAX], rest[PLACES_MAX];
	const struct hrw_membership *wide = plan->wide, *narrow = plan->narrow;
	bool is_before_wide = wide == plan->before;
	uint32_t *of_wide = is_before_wide ? out->before : out->after;
	uint32_t *of_narrow = is_before_wide ? out->after : out->before;
	int ranked = hrw_rank(wide, key, plan->places, ranking), wide_count, narrow_count;
	size_t left = 0;

	if (ranked <= 0 || narrow->taker_count == 0)
		return false;
	for (int i = 0; i < ranked; i++) {
		rest[left] = plan->wide_to_narrow[ranking[i]];
		left += rest[left] != HRW_NOT_LISTED;
	}
	wide_count = hrw_holders_among(wide, ranking, (size_t)ranked, wide->copies, of_wide);
	narrow_count = hrw_holders_among(narrow, rest, left, narrow->copies, of_narrow);
	if (wide_count == 0 || narrow_count == 0)
		return false;
	out->before_count = (uint32_t)(is_before_wide ? wide_count : narrow_count);
	out->after_count = (uint32_t)(is_before_wide ? narrow_count : wide_count);
	translate(out->before, out->before_count, plan->before_to_union);
	translate(out->after, out->after_count, plan->after_to_union);
	return true;
}

/* Do the nodes stand in as many zones? */
static bool
are_apart(const struct hrw_membership *m, const uint32_t *list, int count)
{
	for (int i = 1; m->has_zones && i < count; i++)
		for (int j = 0; j < i; j++)
			if (m->zone_of[list[i]] == m->zone_of[list[j]])
				return false;
	return true;
}

/* Most keys stay where they are: the first nodes of the ranking, no two of them in
 * a zone, take keys on both sides, so they are the holders on both. False, and
 * nothing is filled, where it is not so plain. */
static bool
stays(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out)
{
	const uint32_t *place =
	    plan->wide == plan->before ? plan->before_to_union : plan->after_to_union;
	uint32_t of_wide[HRW_COPIES_MAX], of_narrow[HRW_COPIES_MAX];
	int count = hrw_rank(plan->wide, key, plan->wide->copies, of_wide);

	for (int i = 0; i < count; i++) {
		of_narrow[i] = plan->wide_to_narrow[of_wide[i]];
		if (of_narrow[i] == HRW_NOT_LISTED)
			return false;
	}
	if (count <= 0 || !are_apart(plan->wide, of_wide, count) ||
	    !are_apart(plan->narrow, of_narrow, count))
		return false;
	for (int i = 0; i < count; i++)
		out->before[i] = out->after[i] = place[of_wide[i]];
	out->before_count = out->after_count = (uint32_t)count;
	out->lost_count = out->gained_count = out->needless = 0;
	out->owner_changed = false;
	return true;
}

/* The members of a that b lacks, in the order of a. */
static uint32_t
difference(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count, uint32_t *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < a_count; i++)
		if (!hrw_is_among(b, b_count, a[i]))
			out[count++] = a[i];
	return count;
}

static uint32_t
count_untouched(const struct hrw_plan *plan, const uint32_t *list, uint32_t count)
{
	uint32_t untouched_count = 0;

	for (uint32_t i = 0; i < count; i++)
		untouched_count += plan->node[list[i]].is_untouched;
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

/* Ranks a key on both sides, and tells the lost copies and the gained ones. */
static void
merge(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out)
{
	if (plan->wide == NULL || !holders_of_both(plan, key, out)) {
		out->before_count = holders(plan->before, plan->before_to_union, key, out->before);
		out->after_count = holders(plan->after, plan->after_to_union, key, out->after);
	}
	out->lost_count =
	    difference(out->before, out->before_count, out->after, out->after_count, out->lost);
	out->gained_count =
	    difference(out->after, out->after_count, out->before, out->before_count, out->gained);
	out->needless = needless(plan, out);
	out->owner_changed = is_owner_changed(out);
}

/* Of a list of settled holders, those whose copies count on one side. */
static uint32_t
counting(
    const struct hrw_plan *plan, const uint32_t *list, uint32_t count, bool is_after, uint32_t *out)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct hrw_plan_node *node =
		    list[i] != HRW_NOT_LISTED ? &plan->node[list[i]] : NULL;

		if (node != NULL && (is_after ? node->counts_after : node->counts_before))
			out[kept++] = list[i];
	}
	return kept;
}

static uint32_t
count_missing(const uint32_t *holder, uint32_t count, const uint32_t *warm, uint32_t warm_count)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < count; i++)
		missing += !hrw_is_among(warm, warm_count, holder[i]);
	return missing;
}

/* Fills out->warm[] with the nodes that were warm before, and counts the copies that
 * are missing on each side. */
static void
look_for_copies(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out)
{
	uint32_t room[HRW_COPIES_MAX], warm[HRW_COPIES_MAX], count, warm_count;
	const uint32_t *stood = room;

	if (plan->settled == plan->before) {
		stood = out->before;
		count = out->before_count;
	} else {
		count = holders(plan->settled, plan->settled_to_union, key, room);
	}
	out->warm_count = counting(plan, stood, count, false, out->warm);

	if (plan->settled_after == plan->after) {
		warm_count = out->after_count;
		memcpy(warm, out->after, warm_count * sizeof(*warm));
	} else if (plan->is_settled_alike) {
		warm_count = counting(plan, stood, count, true, warm);
	} else {
		count = holders(plan->settled_after, plan->settled_after_to_union, key, room);
		warm_count = counting(plan, room, count, true, warm);
	}
	out->missing_before =
	    count_missing(out->before, out->before_count, out->warm, out->warm_count);
	out->missing_after = count_missing(out->after, out->after_count, warm, warm_count);
	out->is_nowhere_before = out->warm_count == 0;
	out->is_nowhere_after = warm_count == 0;
}

static void
choose_source(const struct hrw_plan *plan, struct hrw_change *c)
{
	for (uint32_t i = 0; i < c->before_count; i++)
		if (plan->node[c->before[i]].can_give &&
		    hrw_is_among(c->after, c->after_count, c->before[i]) &&
		    hrw_is_among(c->warm, c->warm_count, c->before[i])) {
			c->from = c->before[i];
			return;
		}
	/* The displaced ones first, then those that are leaving. */
	for (int leaving = 0; leaving < 2; leaving++)
		for (uint32_t i = 0; i < c->warm_count; i++)
			if (plan->node[c->warm[i]].can_give &&
			    plan->node[c->warm[i]].takes_after == !leaving) {
				c->from = c->warm[i];
				c->is_from_leaving = leaving != 0;
				return;
			}
}

void
hrw_plan_key(const struct hrw_plan *plan, struct hrw_bytes key, struct hrw_change *out)
{
	bool stays_put = plan->is_alike && stays(plan, key, out);

	if (!stays_put)
		merge(plan, key, out);
	out->from = HRW_NOT_LISTED;
	out->is_cold = out->is_from_leaving = false;
	out->is_nowhere_before = out->is_nowhere_after = false;
	out->missing_before = out->missing_after = out->warm_count = 0;
	/* Most keys of a settled pool: the settled memberships are not looked at. */
	if (plan->has_all_copies &&
	    (stays_put ||
		(!hrw_change_is_listed(out) && !out->owner_changed && out->before_count > 0)))
		return;
	look_for_copies(plan, key, out);
	out->is_cold = out->owner_changed && out->after_count > 0 &&
		       !hrw_is_among(out->warm, out->warm_count, out->after[0]);
	if (out->gained_count > 0)
		choose_source(plan, out);
}
