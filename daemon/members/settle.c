/*
 * settle.c - where a change leaves the settled membership.
 *
 * It is that under which all copies were last in place. What a change does to
 * it depends on each node's state before and after, not on which request asked:
 *
 *     becomes draining           it stays as it stood there, copies and all
 *     becomes active             it stands there as it now is
 *     becomes joining, is gone   it leaves
 *     is new as joining          it does not stand there yet
 *     anything else, and placement and copies
 *                                edited alike where the pool was settled and
 *                                the change does not settle later
 *
 * Address and id are not a matter of copies and follow always.
 */
#include <stdlib.h>

#include "core/params.h"
#include "daemon/members/build.h"

struct follow {
	bool is_alike;			      /* other edits reach it too */
	const struct hrw_membership *before;  /* the membership as it was; NULL: none */
	const struct hrw_membership *settled; /* as it was; NULL: none */
	const struct hrw_membership *rule;    /* whose placement it will have */
};

/* The node as it now is, under the placement that the copies are settled by. */
static struct hrw_node
as_it_is(const struct follow *f, const struct hrw_membership *present, const struct hrw_node *node,
    const struct hrw_node *stood)
{
	struct hrw_node copy = *node;

	if (f->rule->placement == present->placement)
		return copy;
	/* One that the settled placement does not take would keep it from being. */
	if (!hrw_takes_weight(&f->rule->placement->weights, copy.weight))
		copy.weight = 1;
	if (copy.hash_name_is_default)
		copy.hash_name = stood != NULL ? stood->hash_name : NULL;
	return copy;
}

/* Does the node stand in the settled membership afterwards, and how? Texts of
 * *out are borrowed. */
static bool
follows(const struct follow *f, const struct hrw_membership *present, const struct hrw_node *node,
    struct hrw_node *out)
{
	const struct hrw_node *was =
	    f->before != NULL ? hrw_membership_find(f->before, node->name) : NULL;
	const struct hrw_node *stood =
	    f->settled != NULL ? hrw_membership_find(f->settled, node->name) : NULL;

	if (was == NULL) {
		*out = as_it_is(f, present, node, NULL);
		return f->is_alike && node->state != HRW_JOINING;
	}
	if (was->state != node->state && node->state == HRW_JOINING)
		return false;
	if (was->state != node->state && node->state == HRW_ACTIVE) {
		*out = as_it_is(f, present, node, stood);
		return true;
	}
	if (stood == NULL)
		return false;
	*out = f->is_alike ? as_it_is(f, present, node, stood) : *stood;
	out->state = stood->state;
	out->address = node->address;
	out->id = node->id;
	return true;
}

/* A node that came back empty while it was joining: its state says nothing. */
static void
drop_rejoined(const struct change *c, struct hrw_membership *settled)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->task[i].op == TASK_REJOIN)
			hrw_membership_remove(settled, c->task[i].node.name);
}

struct hrw_membership *
settle_follow(const struct change *c, const struct pool *now, const struct hrw_membership *present,
    struct hrw_fault *fault)
{
	struct follow f = {.is_alike = (now == NULL || pool_is_settled(now)) && !c->settles_later,
	    .before = now != NULL ? now->present : NULL,
	    .settled = now != NULL ? now->settled : NULL};
	struct hrw_membership *settled = NULL;
	struct hrw_node *node;
	size_t count = 0;

	if (build_has(c, TASK_SETTLE)) {
		settled = hrw_membership_copy(present);
		if (settled == NULL)
			hrw_fault(fault, HRW_INTERNAL, "out of memory");
		return settled;
	}
	f.rule = f.is_alike || now == NULL ? present : now->settled;
	settled = build_bare(f.rule, f.rule->copies);
	node = calloc(present->count + 1, sizeof(*node));
	if (settled == NULL || node == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto fail;
	}
	for (size_t i = 0; i < present->count; i++)
		if (follows(&f, present, &present->node[i], &node[count]))
			count++;
	if (hrw_membership_add_all(settled, node, count, NULL, NULL, fault) < 0)
		goto fail;
	free(node);
	drop_rejoined(c, settled);
	return settled;
fail:
	free(node);
	hrw_membership_free(settled);
	return NULL;
}
