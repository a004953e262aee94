/*
 * leftover.c - who held a key in an earlier membership.
 */
#include <stdlib.h>

#include "core/leftover.h"
#include "core/zones.h"

struct hrw_leftovers {
	const struct hrw_plan *plan;
	size_t count;
	const struct hrw_membership *past[HRW_LEFTOVERS_MAX]; /* newest first */
	size_t *since; /* by plan->name[]: so many of past[] are later than its joining */
	bool is_possible;
};

static bool
is_known(const struct hrw_leftovers *l, const struct hrw_membership *m)
{
	for (size_t i = 0; i < l->count; i++)
		if (hrw_holders_same(l->past[i], m))
			return true;
	return false;
}

/* How many of the epochs, which descend, are not before the node joined. */
static size_t
epochs_since(const uint64_t *epoch, size_t count, uint64_t joined)
{
	size_t since = 0;

	while (since < count && epoch[since] >= joined)
		since++;
	return since;
}

struct hrw_leftovers *
hrw_leftovers_new(const struct hrw_plan *plan, const struct hrw_past *past, size_t count)
{
	struct hrw_leftovers *l = calloc(1, sizeof(*l));
	uint64_t epoch[HRW_LEFTOVERS_MAX];

	if (l == NULL)
		return NULL;
	l->plan = plan;
	l->since = calloc(plan->count + 1, sizeof(*l->since));
	if (l->since == NULL) {
		free(l);
		return NULL;
	}
	for (size_t i = 0; i < count && l->count < HRW_LEFTOVERS_MAX; i++) {
		if (hrw_holders_same(past[i].membership, plan->before) ||
		    is_known(l, past[i].membership))
			continue;
		epoch[l->count] = past[i].epoch;
		l->past[l->count++] = past[i].membership;
	}
	for (size_t i = 0; i < plan->count; i++) {
		const struct hrw_node *node = hrw_membership_find(plan->before, plan->name[i]);

		if (node == NULL || !plan->node[i].can_give || !plan->node[i].takes_after)
			continue; /* new, emptied, removed or leaving: it gains no old copy */
		l->since[i] = epochs_since(epoch, l->count, node->joined);
		l->is_possible = l->is_possible || l->since[i] > 0;
	}
	return l;
}

void
hrw_leftovers_free(struct hrw_leftovers *l)
{
	if (l == NULL)
		return;
	free(l->since);
	free(l);
}

bool
hrw_leftovers_are_possible(const struct hrw_leftovers *l)
{
	return l->is_possible;
}

static bool
held(const struct hrw_membership *m, const uint32_t *holder, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(m->node[holder[i]].name, name) == 0)
			return true;
	return false;
}

uint32_t
hrw_leftovers_of(
    const struct hrw_leftovers *l, struct hrw_bytes key, const struct hrw_change *c, uint32_t *out)
{
	uint32_t asked[HRW_COPIES_MAX], holder[HRW_COPIES_MAX], count = 0, found = 0;
	size_t most = 0;

	for (uint32_t i = 0; i < c->gained_count; i++) {
		uint32_t node = c->gained[i];

		if (l->since[node] == 0 || hrw_is_among(c->warm, c->warm_count, node))
			continue;
		asked[count++] = node;
		most = l->since[node] > most ? l->since[node] : most;
	}
	for (size_t at = 0; at < most && found < count; at++) {
		const struct hrw_membership *m = l->past[at];
		int held_count = hrw_holders(m, key, m->copies, holder);

		for (uint32_t i = 0; i < count; i++)
			if (at < l->since[asked[i]] && !hrw_is_among(out, found, asked[i]) &&
			    held(m, holder, held_count, l->plan->name[asked[i]]))
				out[found++] = asked[i];
	}
	return found;
}
