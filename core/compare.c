/*
 * compare.c - counts for one placement, and what they say.
 */
#include <math.h>
#include <stdlib.h>

#include "core/compare.h"
#include "core/keytype.h"

static struct hrw_load
load_of(const struct hrw_membership *m, const uint64_t *owned, uint32_t node, uint64_t total)
{
	return (struct hrw_load){.node = node,
	    .keys = owned[node],
	    .share = (double)owned[node] / (double)total,
	    .fair = m->node[node].weight / m->taker_weight};
}

/* Is a busier than b? Without a division: both weights are above 0. */
static bool
is_busier(struct hrw_load a, struct hrw_load b)
{
	return a.share * b.fair > b.share * a.fair;
}

bool
hrw_spread(const struct hrw_membership *m, const uint64_t *owned, struct hrw_spread *out)
{
	uint64_t total = 0;
	double square = 0;
	bool is_first = true;

	for (size_t i = 0; i < m->count; i++)
		if (hrw_node_is_taker(&m->node[i]))
			total += owned[i];
	if (total == 0)
		return false;
	for (uint32_t i = 0; i < m->count; i++) {
		struct hrw_load load;
		double off;

		if (!hrw_node_is_taker(&m->node[i]))
			continue;
		load = load_of(m, owned, i, total);
		off = load.share / load.fair - 1; /* from the mean for each unit of weight */
		square += load.fair * off * off;
		if (is_first || is_busier(load, out->busiest))
			out->busiest = load;
		if (is_first || is_busier(out->quietest, load))
			out->quietest = load;
		is_first = false;
	}
	out->deviation = sqrt(square);
	return true;
}

static int
change_init(struct hrw_compared *c, const struct hrw_membership *after)
{
	c->plan = hrw_plan_new(c->before, c->before, after, after);
	if (c->plan == NULL)
		return HRW_INTERNAL;
	c->tally = hrw_tally_new(c->plan);
	c->node_of = calloc(c->plan->count + 1, sizeof(*c->node_of));
	if (c->tally == NULL || c->node_of == NULL)
		return HRW_INTERNAL;
	for (uint32_t i = 0; i < c->before->count; i++)
		c->node_of[c->plan->before_to_union[i]] = i;
	return 0;
}

int
hrw_compared_init(
    struct hrw_compared *c, const struct hrw_membership *before, const struct hrw_membership *after)
{
	int rc = 0;

	*c = (struct hrw_compared){.before = before};
	c->owned = calloc(before->count + 1, sizeof(*c->owned));
	if (c->owned == NULL)
		rc = HRW_INTERNAL;
	else if (after != NULL)
		rc = change_init(c, after);
	if (rc < 0)
		hrw_compared_fini(c);
	return rc;
}

void
hrw_compared_fini(struct hrw_compared *c)
{
	free(c->node_of);
	free(c->owned);
	hrw_tally_free(c->tally);
	hrw_plan_free(c->plan);
	*c = (struct hrw_compared){0};
}

/* The key's owner; NO_SERVERS, BAD_KEY. With a change it is counted, too. */
static int
owner_of(struct hrw_compared *c, struct hrw_bytes key, uint32_t *owner)
{
	struct hrw_change change;

	if (c->plan == NULL)
		return hrw_rank(c->before, key, 1, owner);
	hrw_plan_key(c->plan, key, &change);
	if (change.before_count == 0 && hrw_key_check(c->before, key, NULL) < 0)
		return HRW_BAD_KEY;
	if (hrw_tally_add(c->tally, &change) < 0)
		return HRW_INTERNAL;
	if (change.before_count == 0)
		return HRW_NO_SERVERS;
	*owner = c->node_of[change.before[0]];
	return 1;
}

int
hrw_compared_key(struct hrw_compared *c, struct hrw_bytes key, struct hrw_fault *fault)
{
	uint32_t owner;
	int rc = owner_of(c, key, &owner);

	if (rc == HRW_BAD_KEY && hrw_key_check(c->before, key, fault) < 0)
		return rc;
	if (rc == HRW_INTERNAL)
		return hrw_fault(fault, rc, "no memory to compare");
	c->keys++;
	if (rc > 0)
		c->owned[owner]++;
	else
		c->unplaced++;
	return 0;
}
