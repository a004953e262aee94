/*
 * guard.c - the guards, a row each.
 */
#include "daemon/members/guard.h"
#include "core/estimate.h"
#include "core/place/slots.h"

/* A node that is taken out while it may still hold copies. */
static int
judge_draining(const struct pool *before, const struct pool *after, struct hrw_fault *fault)
{
	for (size_t i = 0; after != NULL && i < before->present->count; i++) {
		const struct hrw_node *node = &before->present->node[i];

		if (node->state != HRW_DRAINING &&
		    hrw_membership_find(after->present, node->name) == NULL)
			return hrw_fault(fault, HRW_NOT_DRAINING,
			    "\"%s\" is %s, and a node is removed only while it is draining: drain "
			    "it first, or send force=not-draining",
			    node->name, hrw_state_name(node->state));
	}
	return 0;
}

/* Stands in the settled membership with copies, and takes keys no more. */
static bool
is_leaving(const struct pool *pool, const struct hrw_node *settled)
{
	const struct hrw_node *node = hrw_membership_find(pool->present, settled->name);

	return settled->state != HRW_DRAINING && (node == NULL || !hrw_node_is_taker(node));
}

static bool
was_leaving(const struct pool *before, const char *name)
{
	const struct hrw_node *settled = hrw_membership_find(before->settled, name);

	return settled != NULL && is_leaving(before, settled);
}

/* Were its keys safe? In a pool of single copies no drain is refused, so what
 * is draining there is no news when it gets a second copy. */
static bool
was_safe(const struct pool *pool)
{
	return (pool->present->copies > 1 || pool->settled->copies > 1) &&
	       !hrw_settled_at_risk(&pool->match);
}

/* Refused is what puts keys at risk, or more of them: a pool that was forced
 * into it can still be changed otherwise. */
static int
judge_copies(const struct pool *before, const struct pool *after, struct hrw_fault *fault)
{
	const struct hrw_membership *settled;
	bool is_worse = was_safe(before);
	struct buffer names = {0};
	size_t count = 0;
	int rc;

	if (after == NULL || !hrw_settled_at_risk(&after->match))
		return 0;
	settled = after->settled;
	for (size_t i = 0; i < settled->count; i++) {
		if (!is_leaving(after, &settled->node[i]))
			continue;
		is_worse = is_worse || !was_leaving(before, settled->node[i].name);
		buffer_printf(&names, "%s%s", count++ > 0 ? ", " : "", settled->node[i].name);
	}
	rc = !is_worse ? 0
		       : hrw_fault(fault, HRW_KEYS_AT_RISK,
			     "with %s draining (or of weight 0), some keys could have all their %u "
			     "settled copies on nodes that are leaving: let the copies be made and "
			     "settle the pool first, or send force=keys-at-risk",
			     buffer_text(&names), settled->copies);
	buffer_fini(&names);
	return rc;
}

/* Slots are handed over before their node goes: else their keys are nobody's. */
static int
judge_slots(const struct pool *before, const struct pool *after, struct hrw_fault *fault)
{
	struct hrw_orphan orphan;
	int rc = after != NULL ? hrw_slots_orphaned(before->present, after->present, &orphan) : 0;

	if (rc < 0)
		return hrw_fault(fault, rc, "no memory to judge the change");
	if (rc == 0)
		return 0;
	if (!orphan.has_slot)
		return hrw_fault(fault, HRW_KEYS_AT_RISK,
		    "\"%s\" is a partition itself, as no node holds slots, and its keys would have "
		    "no "
		    "owner: list the partitions that each node holds as its slots first (PUT "
		    "/nodes), or send force=keys-at-risk",
		    orphan.node);
	return hrw_fault(fault, HRW_KEYS_AT_RISK,
	    "\"%s\" holds slot %u, which no node that takes keys would hold, so its keys would "
	    "have "
	    "no owner: hand its slots over first (PUT /nodes), or send force=keys-at-risk",
	    orphan.node, orphan.slot);
}

/* Of one guard: what takes keys away from their last copy, or from any owner. */
static int
judge_risk(const struct pool *before, const struct pool *after, struct hrw_fault *fault)
{
	int rc = judge_slots(before, after, fault);

	return rc < 0 ? rc : judge_copies(before, after, fault);
}

static int
judge_moved(const struct pool *before, const struct pool *after, struct hrw_fault *fault)
{
	double moved;

	/* Keys that had no owner do not move when they get one. */
	if (after == NULL || before->max_moved < 0 || before->present->taker_count == 0 ||
	    hrw_membership_equal(before->present, after->present))
		return 0;
	moved = hrw_owners_moved(before->present, after->present);
	if (moved <= before->max_moved)
		return 0;
	return hrw_fault(fault, HRW_TOO_MUCH_MOVED,
	    "%.4g of the keys would get another owner, and max_moved is %.4g: go in smaller steps, "
	    "or send force=too-much-moved",
	    moved, before->max_moved);
}

static int
judge_empty(const struct pool *before, const struct pool *after, struct hrw_fault *fault)
{
	size_t count = before->present->count;

	if (after != NULL || count == 0)
		return 0;
	return hrw_fault(fault, HRW_POOL_NOT_EMPTY,
	    "pool \"%s\" still has %zu %s first, or send force=pool-not-empty", before->name, count,
	    count == 1 ? "node: remove it" : "nodes: remove them");
}

/* In the order in which they are judged. */
static const struct {
	enum guard guard;
	enum hrw_error error;
	int (*judge)(const struct pool *before, const struct pool *after, struct hrw_fault *fault);
} guards[] = {
    {GUARD_POOL_NOT_EMPTY, HRW_POOL_NOT_EMPTY, judge_empty},
    {GUARD_NOT_DRAINING, HRW_NOT_DRAINING, judge_draining},
    {GUARD_KEYS_AT_RISK, HRW_KEYS_AT_RISK, judge_risk},
    {GUARD_TOO_MUCH_MOVED, HRW_TOO_MUCH_MOVED, judge_moved},
};

enum { GUARDS = sizeof(guards) / sizeof(guards[0]) };

unsigned
guard_from_code(struct hrw_bytes code)
{
	for (size_t i = 0; i < GUARDS; i++)
		if (hrw_bytes_equal(code, hrw_text(hrw_error_code(guards[i].error))))
			return guards[i].guard;
	return 0;
}

void
guard_write(struct json_out *o, const char *name, unsigned set)
{
	json_open_array(o, name);
	for (size_t i = 0; i < GUARDS; i++)
		if ((set & guards[i].guard) != 0)
			json_put_text(o, NULL, hrw_error_code(guards[i].error));
	json_close_array(o);
}

void
guard_list(struct buffer *out, unsigned set)
{
	for (size_t i = 0; i < GUARDS; i++)
		if ((set & guards[i].guard) != 0)
			buffer_printf(
			    out, "%s%s", out->len > 0 ? "," : "", hrw_error_code(guards[i].error));
}

int
guard_read(struct hrw_bytes list, unsigned *out, struct hrw_fault *fault)
{
	struct buffer known = {0};
	char shown[HRW_SHOWN];
	size_t at = 0;

	*out = 0;
	for (size_t end = 0; end <= list.len; end++) {
		struct hrw_bytes code = hrw_bytes(list.data + at, end - at);
		unsigned guard;

		if (end < list.len && list.data[end] != ',')
			continue;
		at = end + 1;
		guard = guard_from_code(code);
		if (guard != 0) {
			*out |= guard;
			continue;
		}
		for (size_t i = 0; i < GUARDS; i++)
			buffer_printf(
			    &known, "%s%s", i > 0 ? ", " : "", hrw_error_code(guards[i].error));
		hrw_fault(fault, HRW_BAD_PARAMETER,
		    "force names no guard \"%s\": use one or more of %s, with commas between",
		    hrw_show(code, shown, sizeof(shown)), buffer_text(&known));
		hrw_fault_at(fault, "force");
		buffer_fini(&known);
		return HRW_BAD_PARAMETER;
	}
	return 0;
}

int
guard_judge(const struct pool *before, const struct pool *after, unsigned force, unsigned *forced,
    struct hrw_fault *fault)
{
	*forced = 0;
	for (size_t i = 0; before != NULL && i < GUARDS; i++) {
		int rc = guards[i].judge(before, after, fault);

		if (rc == 0)
			continue;
		if ((force & guards[i].guard) == 0 || rc != guards[i].error)
			return rc;
		*forced |= guards[i].guard;
	}
	return 0;
}
