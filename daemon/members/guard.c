/*
 * guard.c - the guards, a row each.
 */
#include "daemon/members/guard.h"
#include "core/estimate.h"
#include "core/place/slots.h"

/* What a guard judges by. */
struct judged {
	const struct pool *before, *after; /* after NULL: the pool is removed */
	const struct hrw_membership *kept; /* settled as if the change did not settle */
	struct hrw_settled match;	   /* of after and kept */
};

/* A node that is taken out while it may still hold copies. */
static int
judge_draining(const struct judged *j, struct hrw_fault *fault)
{
	for (size_t i = 0; j->after != NULL && i < j->before->present->count; i++) {
		const struct hrw_node *node = &j->before->present->node[i];

		if (node->state != HRW_DRAINING &&
		    hrw_membership_find(j->after->present, node->name) == NULL)
			return hrw_fault(fault, HRW_NOT_DRAINING,
			    "\"%s\" is %s, and a node is removed only while it is draining: drain "
			    "it first, or send force=not-draining",
			    node->name, hrw_state_name(node->state));
	}
	return 0;
}

static int
judge_last(const struct judged *j, struct hrw_fault *fault)
{
	if (j->after == NULL || j->before->present->taker_count == 0 ||
	    j->after->present->taker_count > 0)
		return 0;
	return hrw_fault(fault, HRW_LAST_NODE,
	    "no node of pool \"%s\" would take keys, and every lookup would fail: add or activate "
	    "another node first, or send force=last-node",
	    j->before->name);
}

/* Does a node take no keys, or is it gone? */
static bool
is_going(const struct hrw_membership *m, const char *name)
{
	const struct hrw_node *node = hrw_membership_find(m, name);

	return node == NULL || !hrw_node_is_taker(node);
}

/* Does this change make the settled node going, or remove it with its copies? */
static bool
is_lost(const struct judged *j, enum hrw_risk risk, const struct hrw_node *stood)
{
	if (!hrw_node_is_taker(stood))
		return false;
	if (risk == HRW_RISK_GOING)
		return !is_going(j->before->present, stood->name) &&
		       is_going(j->after->present, stood->name);
	return hrw_membership_find(j->before->present, stood->name) != NULL &&
	       hrw_membership_find(j->after->present, stood->name) == NULL &&
	       hrw_settled_counts(j->before->settled, stood->name);
}

/* Names of the settled nodes that are lost by the change, or by others before. */
static size_t
name_lost(const struct judged *j, enum hrw_risk risk, bool by_others, struct buffer *names)
{
	size_t count = 0;

	for (size_t i = 0; i < j->kept->count; i++) {
		const struct hrw_node *stood = &j->kept->node[i];
		bool is_ours = is_lost(j, risk, stood);
		bool is_theirs = hrw_node_is_taker(stood) && !is_ours &&
				 (stood->is_empty || (risk == HRW_RISK_GOING &&
							 is_going(j->after->present, stood->name)));

		if (by_others ? is_theirs : is_ours)
			buffer_printf(names, "%s%s", count++ > 0 ? ", " : "", stood->name);
	}
	return count;
}

static int
at_risk(const struct judged *j, enum hrw_risk risk, struct buffer *names, struct hrw_fault *fault)
{
	struct buffer others = {0};
	const char *list, *with;
	int rc;

	name_lost(j, risk, true, &others);
	list = others.len > 0 ? buffer_text(&others) : "";
	with = others.len > 0 ? ", beside " : "";
	if (risk == HRW_RISK_GONE)
		rc = hrw_fault(fault, HRW_KEYS_AT_RISK,
		    "with %s removed%s%s, some keys could lose their last copy: let the copies be "
		    "made "
		    "(GET /copies lists them) and settle the pool first, or send "
		    "force=keys-at-risk "
		    "to give them up",
		    buffer_text(names), with, list);
	else
		rc = hrw_fault(fault, HRW_KEYS_AT_RISK,
		    "with %s on the way out%s%s, some keys could have all their %u settled copies "
		    "on "
		    "nodes that are leaving or empty: let the copies be made (GET /copies lists "
		    "them) "
		    "and settle the pool first, or send force=keys-at-risk",
		    buffer_text(names), with, list, j->kept->copies);
	buffer_fini(&others);
	return rc;
}

/* Refused is a change that makes a node going, where some key could have all its
 * settled copies on such nodes; and one that removes a node whose copies count, where
 * some key could have them all on nodes that are empty or gone. */
static int
judge_copies(const struct judged *j, struct hrw_fault *fault)
{
	struct buffer names = {0};
	int rc = 0;

	if (j->after == NULL)
		return 0;
	if (name_lost(j, HRW_RISK_GONE, false, &names) > 0 &&
	    hrw_settled_at_risk(&j->match, HRW_RISK_GONE))
		rc = at_risk(j, HRW_RISK_GONE, &names, fault);
	buffer_clear(&names);
	if (rc == 0 && j->kept->copies > 1 && name_lost(j, HRW_RISK_GOING, false, &names) > 0 &&
	    hrw_settled_at_risk(&j->match, HRW_RISK_GOING))
		rc = at_risk(j, HRW_RISK_GOING, &names, fault);
	buffer_fini(&names);
	return rc;
}

/* Slots are handed over before their node goes: else their keys are nobody's. */
static int
judge_slots(const struct judged *j, struct hrw_fault *fault)
{
	struct hrw_orphan orphan;
	int rc = j->after != NULL
		     ? hrw_slots_orphaned(j->before->present, j->after->present, &orphan)
		     : 0;

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
judge_risk(const struct judged *j, struct hrw_fault *fault)
{
	int rc = judge_slots(j, fault);

	return rc < 0 ? rc : judge_copies(j, fault);
}

static int
judge_moved(const struct judged *j, struct hrw_fault *fault)
{
	const struct pool *before = j->before, *after = j->after;
	double moved;

	/* Keys that had no owner do not move when they get one. */
	if (after == NULL || before->terms.max_moved < 0 || before->present->taker_count == 0 ||
	    hrw_membership_equal(before->present, after->present))
		return 0;
	moved = hrw_owners_moved(before->present, after->present);
	if (moved <= before->terms.max_moved)
		return 0;
	return hrw_fault(fault, HRW_TOO_MUCH_MOVED,
	    "%.4g of the keys would get another owner, and max_moved is %.4g: go in smaller steps, "
	    "or send force=too-much-moved",
	    moved, before->terms.max_moved);
}

static int
judge_empty(const struct judged *j, struct hrw_fault *fault)
{
	size_t count = j->before->present->count;

	if (j->after != NULL || count == 0)
		return 0;
	return hrw_fault(fault, HRW_POOL_NOT_EMPTY,
	    "pool \"%s\" still has %zu %s first, or send force=pool-not-empty", j->before->name,
	    count, count == 1 ? "node: remove it" : "nodes: remove them");
}

/* In the order in which they are judged. */
static const struct {
	enum guard guard;
	enum hrw_error error;
	int (*judge)(const struct judged *j, struct hrw_fault *fault);
} guards[] = {
    {GUARD_POOL_NOT_EMPTY, HRW_POOL_NOT_EMPTY, judge_empty},
    {GUARD_NOT_DRAINING, HRW_NOT_DRAINING, judge_draining},
    {GUARD_LAST_NODE, HRW_LAST_NODE, judge_last},
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
guard_judge(const struct pool *before, const struct pool *after, const struct hrw_membership *kept,
    unsigned force, unsigned *forced, struct hrw_fault *fault)
{
	struct judged j = {.before = before, .after = after, .kept = kept};
	int rc = 0;

	*forced = 0;
	if (before == NULL)
		return 0;
	if (after != NULL && hrw_settled_init(&j.match, after->present, kept) < 0)
		return hrw_fault(fault, HRW_INTERNAL, "no memory to judge the change");
	for (size_t i = 0; rc == 0 && i < GUARDS; i++) {
		rc = guards[i].judge(&j, fault);
		if (rc == guards[i].error && (force & guards[i].guard) != 0) {
			*forced |= guards[i].guard;
			rc = 0;
		}
	}
	hrw_settled_fini(&j.match);
	return rc;
}
