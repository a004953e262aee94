/*
 * removable.c - the checks, each with what it waits for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/members/removable.h"

static const char *const names[REMOVABLE_CHECKS] = {
    [REMOVABLE_DRAINING] = "draining",
    [REMOVABLE_SETTLED] = "settled",
    [REMOVABLE_GUARDS] = "guards",
    [REMOVABLE_ASKED] = "asked",
};

const char *
removable_name(enum removable_check check)
{
	return names[check];
}

static bool
judge_draining(const struct hrw_node *node, char *detail, size_t size)
{
	if (node->state != HRW_DRAINING)
		snprintf(detail, size, "it is %s: drain it first", hrw_state_name(node->state));
	return node->state == HRW_DRAINING;
}

static bool
judge_settled(const struct pool *pool, const struct hrw_node *node, char *detail, size_t size)
{
	if (!hrw_settled_counts(pool->settled, node->name) && !hrw_node_is_taker(node))
		return true;
	snprintf(detail, size, "%s%s",
	    hrw_node_is_taker(node) ? "it takes keys"
				    : "readers are still sent to it for copies that are not known "
				      "to be elsewhere: make "
				      "those of GET /copies, then settle the pool",
	    !hrw_node_is_taker(node) && pool->terms.settles_after > 0
		? ", or wait until settles_after has passed"
		: "");
	return false;
}

/* Whether it is draining is a check of its own. */
static bool
judge_guards(struct pool *pool, const struct hrw_node *node, const struct hrw_limits *limits,
    char *detail, size_t size)
{
	struct change *c = change_new(pool->name);
	struct hrw_fault fault = {0};
	struct outcome out = {0};
	int rc = c == NULL ? hrw_fault(&fault, HRW_INTERNAL, "no memory to judge it") : 0;
	bool is_ok;

	if (rc == 0)
		rc = change_add_named(c, TASK_REMOVE, hrw_text(node->name), &fault);
	if (rc == 0) {
		c->is_dry_run = true;
		c->force = GUARD_NOT_DRAINING;
		rc = change_build(c, pool, 0, limits, &out, &fault);
	}
	is_ok = rc == 0 && out.refusal == 0;
	if (!is_ok)
		snprintf(detail, size, "%s", rc < 0 ? fault.detail : out.fault.detail);
	outcome_fini(&out);
	change_free(c);
	return is_ok;
}

static bool
judge_asked(
    const struct hrw_node *node, const struct removable_asked *asked, char *detail, size_t size)
{
	if (hrw_node_is_taker(node)) {
		snprintf(detail, size, "it takes keys, so lookups name it");
		return false;
	}
	if (asked->ago >= REMOVABLE_QUIET_SECONDS)
		return true;
	snprintf(detail, size,
	    asked->is_start ? "hrwd was started %" PRIu64 " s ago, and does not know whom lookups "
			      "named before: wait until that is %d s ago"
			    : "a lookup named it %" PRIu64 " s ago: wait until none has for %d s",
	    asked->ago, REMOVABLE_QUIET_SECONDS);
	return false;
}

void
removable_judge(struct pool *pool, const struct hrw_node *node, const struct removable_asked *asked,
    const struct hrw_limits *limits, struct removable *out)
{
	enum { SIZE = sizeof(out->detail[0]) };

	memset(out, 0, sizeof(*out));
	out->is_ok[REMOVABLE_DRAINING] =
	    judge_draining(node, out->detail[REMOVABLE_DRAINING], SIZE);
	out->is_ok[REMOVABLE_SETTLED] =
	    judge_settled(pool, node, out->detail[REMOVABLE_SETTLED], SIZE);
	out->is_ok[REMOVABLE_GUARDS] =
	    judge_guards(pool, node, limits, out->detail[REMOVABLE_GUARDS], SIZE);
	out->is_ok[REMOVABLE_ASKED] = judge_asked(node, asked, out->detail[REMOVABLE_ASKED], SIZE);
}

bool
removable_is(const struct removable *r)
{
	for (size_t i = 0; i < REMOVABLE_CHECKS; i++)
		if (!r->is_ok[i])
			return false;
	return true;
}
