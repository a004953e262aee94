/*
 * settle.c - what a change does to the settled membership.
 *
 * It is the membership under which all copies were last known to be in place. It
 * changes as a whole, when somebody says that the copies are made, and never by
 * guess:
 *
 *     change                            settled membership
 *     --------------------------------  ------------------------------------------
 *     drain, weight, zone, copies,      stays
 *     placement, add, undo of a drain
 *     a node is removed, or rejoins     the node is empty there; one that takes no
 *                                       keys there is dropped
 *     a joining node becomes active     stays; becomes the membership when no node
 *                                       is joining, and since the pool was settled
 *                                       nodes did nothing but join (only_joins)
 *     settle, any change that settles   becomes the membership
 *     settles_after has passed          becomes the membership of that epoch
 *     a new pool, the first nodes of    becomes the membership, without joining
 *     an empty one                      nodes, and draining ones counted as active
 *
 * A file's pool is new each time that it is read: nobody else could settle it.
 */
#include <stdlib.h>

#include "daemon/members/build.h"

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory for the change");
}

/* Nodes that take keys are empty, others are dropped. */
static void
empty(struct hrw_membership *settled, const char *name)
{
	struct hrw_node *stood = hrw_membership_find(settled, name);

	if (stood == NULL)
		return;
	if (hrw_node_is_taker(stood))
		stood->is_empty = true;
	else
		hrw_membership_remove(settled, name);
}

/* Did the node come back without its copies? A rejoin says so, and so does a list
 * that calls an active node joining. */
static bool
came_back(const struct hrw_node *was, const struct hrw_node *is)
{
	return is->joined != was->joined || (was->state == HRW_ACTIVE && is->state == HRW_JOINING);
}

/* The settled membership, less the copies of nodes that went or came back empty. */
static struct hrw_membership *
stays(const struct pool *now, const struct hrw_membership *present)
{
	struct hrw_membership *settled = hrw_membership_copy(now->settled);

	for (size_t i = 0; settled != NULL && i < now->present->count; i++) {
		const struct hrw_node *was = &now->present->node[i];
		const struct hrw_node *is = hrw_membership_find(present, was->name);

		if (is == NULL || came_back(was, is))
			empty(settled, was->name);
	}
	return settled;
}

/* A new pool's: what is joining has no copies yet, a drain has only begun. */
static struct hrw_membership *
made(const struct hrw_membership *present)
{
	struct hrw_membership *settled = hrw_membership_copy(present);

	for (size_t i = 0; settled != NULL && i < present->count; i++) {
		const struct hrw_node *node = &present->node[i];

		if (node->state == HRW_JOINING)
			hrw_membership_remove(settled, node->name);
		else if (node->state == HRW_DRAINING)
			hrw_membership_find(settled, node->name)->state = HRW_ACTIVE;
	}
	return settled;
}

/* The membership of an earlier epoch, less what went or came back since. */
static struct hrw_membership *
caught_up(const struct task *task, const struct hrw_membership *present)
{
	const struct hrw_membership *then = task->template;
	struct hrw_membership *settled = hrw_membership_copy(then);

	for (size_t i = 0; settled != NULL && i < then->count; i++) {
		const struct hrw_node *is = hrw_membership_find(present, then->node[i].name);
		struct hrw_node *stood = hrw_membership_find(settled, then->node[i].name);

		if (stood->state == HRW_JOINING)
			stood->state = HRW_ACTIVE;
		if (is == NULL || is->joined > task->epoch)
			empty(settled, then->node[i].name);
	}
	return settled;
}

/* Does the change add joining nodes, empty nodes and activate joining ones, and do
 * nothing else? Another address is not a matter of copies. */
static bool
only_joins(const struct hrw_membership *before, const struct hrw_membership *after)
{
	/* Where others gain keys too when a node joins, its own copies are not all. */
	if (before->copies != after->copies || !hrw_membership_places_alike(before, after) ||
	    (before->placement->traits & HRW_MINIMAL) == 0)
		return false;
	for (size_t i = 0; i < before->count; i++)
		if (hrw_membership_find(after, before->node[i].name) == NULL)
			return false;
	for (size_t i = 0; i < after->count; i++) {
		struct hrw_node is = after->node[i];
		const struct hrw_node *was = hrw_membership_find(before, is.name);
		bool joins = is.state == HRW_JOINING;

		if (was == NULL && !joins)
			return false;
		if (was == NULL)
			continue;
		if (was->state != is.state && !joins &&
		    !(was->state == HRW_JOINING && is.state == HRW_ACTIVE))
			return false;
		is.state = was->state;
		is.address = was->address;
		if (ops_differing(was, &is) != 0)
			return false;
	}
	return true;
}

static bool
is_joining(const struct hrw_membership *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->node[i].state == HRW_JOINING)
			return true;
	return false;
}

/* Has every node that was joining become active by this change, the last of them? */
static bool
ends_joining(const struct hrw_membership *before, const struct hrw_membership *after)
{
	return is_joining(before) && !is_joining(after);
}

/* The task of a clock that has run out; NULL: none. */
static const struct task *
clock_task(const struct change *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->task[i].op == TASK_SETTLE_EPOCH && c->task[i].template != NULL)
			return &c->task[i];
	return NULL;
}

static bool
is_new(const struct change *c, const struct pool *now)
{
	return now == NULL || now->present->count == 0 || c->is_file;
}

/* Does every node keep its keys and its copies? One that loses a key misses its writes
 * from then on, and one that came back empty has none: what an earlier membership says
 * of them is true no longer, so its clock stops. */
static bool
keeps_copies(const struct hrw_membership *before, const struct hrw_membership *after)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct hrw_node *is = hrw_membership_find(after, before->node[i].name);

		if (is != NULL && came_back(&before->node[i], is))
			return false;
	}
	return hrw_holders_same(before, after);
}

/* Starts a clock for the present membership where the change made another, and
 * stops those of memberships that are settled. */
static void
run_clocks(const struct change *c, const struct pool *now, const struct hrw_membership *present,
    int64_t now_ms, struct settling *s)
{
	const struct task *own = clock_task(c);
	uint64_t epoch = now != NULL ? now->epoch + 1 : 1;
	bool is_another = now == NULL || now->terms.settles_after == 0 ||
			  build_has(c, TASK_REJOIN) || !hrw_membership_equal(now->present, present);

	if (s->terms.settles_after == 0 || hrw_is_settled(present, s->settled))
		return;
	for (size_t i = 0;
	     now != NULL && keeps_copies(now->present, present) && i < now->clocks.count; i++)
		if (own == NULL || now->clocks.at[i].epoch > own->epoch)
			s->clocks.at[s->clocks.count++] = now->clocks.at[i];
	if (own != NULL || !is_another)
		return;
	/* Of too many, the newest but one gives way: its copies are counted with the
	 * newest, a little later. */
	if (s->clocks.count == POOL_CLOCKS)
		s->clocks.count--;
	s->clocks.at[s->clocks.count++] = (struct pool_clock){epoch, now_ms};
}

/* What the settled membership would be without settle=now, and then is. */
static int
follow(const struct change *c, const struct pool *now, const struct hrw_membership *present,
    struct settling *s)
{
	const struct task *own = clock_task(c);
	bool is_made = is_new(c, now);

	s->only_joins = is_made ? true : now->only_joins && only_joins(now->present, present);
	s->kept = is_made ? made(present) : stays(now, present);
	if (s->kept == NULL)
		return HRW_INTERNAL;
	if (is_made)
		for (size_t i = 0; i < present->count; i++)
			if (present->node[i].state == HRW_DRAINING)
				s->only_joins = false;
	if (own != NULL)
		s->settled = caught_up(own, present);
	else if (c->settles_now || build_has(c, TASK_SETTLE) ||
		 (!is_made && s->only_joins && ends_joining(now->present, present)))
		s->settled = hrw_membership_copy(present);
	else
		s->settled = hrw_membership_copy(s->kept);
	return s->settled != NULL ? 0 : HRW_INTERNAL;
}

int
settle_follow(const struct change *c, const struct pool *now, const struct hrw_membership *present,
    int64_t now_ms, struct settling *s, struct hrw_fault *fault)
{
	int rc = follow(c, now, present, s);

	if (rc < 0)
		return no_memory(fault);
	rc = hrw_membership_freeze(s->kept, NULL, fault);
	if (rc == 0)
		rc = hrw_membership_freeze(s->settled, NULL, fault);
	if (rc < 0)
		return rc;
	if (clock_task(c) != NULL)
		s->only_joins = false; /* what came after that epoch is not known to be joins */
	run_clocks(c, now, present, now_ms, s);
	return 0;
}
