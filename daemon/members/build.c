/*
 * build.c - from a change and the pool as it stands to the pool's next version.
 */
#include <stdlib.h>

#include "daemon/members/build.h"
#include "daemon/members/guard.h"

struct hrw_membership *
build_bare(const struct hrw_membership *m, unsigned copies)
{
	struct hrw_membership bare = *m;

	bare.count = 0;
	bare.copies = copies;
	return hrw_membership_copy(&bare);
}

bool
build_has(const struct change *c, enum task_op op)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->task[i].op == op)
			return true;
	return false;
}

/* What a change makes of a pool, before it is a version of it. */
struct next {
	struct hrw_membership *present;
	struct settling settling;
};

static void
next_fini(struct next *next)
{
	hrw_membership_free(next->present);
	hrw_membership_free(next->settling.settled);
	hrw_membership_free(next->settling.kept);
	*next = (struct next){0};
}

/* Both memberships after the tasks, frozen; on an error there are none. */
static int
next_make(struct next *next, const struct change *c, const struct pool *now, int64_t now_ms,
    const struct hrw_limits *limits, struct hrw_fault *fault)
{
	int rc;

	*next = (struct next){0};
	rc = edit_apply(c, now, now_ms, limits, &next->present, &next->settling.terms, fault);
	if (rc < 0)
		return rc;
	rc = settle_follow(c, now, next->present, now_ms, &next->settling, fault);
	if (rc < 0) {
		next_fini(next);
		hrw_fault_at(fault, "%s", ""); /* no place in what was sent */
	}
	return rc;
}

/* A settled pool's two memberships are one. */
static bool
is_settled_same(const struct next *next, const struct pool *now)
{
	const struct hrw_membership *settled = next->settling.settled;

	return hrw_membership_equal(settled, now->settled) ||
	       (pool_is_settled(now) && hrw_is_settled(next->present, settled));
}

/* A rejoin states what has happened to the copies: it is always another epoch. */
static bool
is_same(const struct change *c, const struct next *next, const struct pool *now)
{
	return now != NULL && !build_has(c, TASK_REJOIN) &&
	       document_terms_differing(&next->settling.terms, &now->terms) == 0 &&
	       hrw_membership_equal(next->present, now->present) && is_settled_same(next, now);
}

/* The next version; takes its memberships out of `next`. NULL: no memory. */
static struct pool *
next_version(struct next *next, const char *name, const struct pool *now, int64_t now_ms)
{
	struct settling *s = &next->settling;
	struct pool *pool = pool_new(name, now != NULL ? now->epoch + 1 : 1,
	    now != NULL ? now->lineage : NULL, &s->terms, next->present, s->settled);

	next->present = s->settled = NULL;
	if (pool == NULL)
		return NULL;
	pool->only_joins = pool->only_joins || s->only_joins;
	pool->clocks = s->clocks;
	pool->made_ms = now_ms;
	if (now == NULL || now->extra == NULL)
		return pool;
	pool->extra = strdup(now->extra);
	if (pool->extra == NULL) {
		pool_release(pool);
		return NULL;
	}
	return pool;
}

/* Is there such a pool, or may it be made by that name? */
static int
judge_pool(const struct change *c, const struct pool *now, const struct hrw_limits *limits,
    struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	if (now != NULL)
		return 0;
	if (build_has(c, TASK_POOL))
		return hrw_check_name(hrw_text(c->pool), limits->name_bytes, HRW_BAD_POOL, fault);
	return hrw_fault(fault, HRW_UNKNOWN_POOL,
	    "there is no pool \"%s\": GET /pools lists those there are",
	    hrw_show(hrw_text(c->pool), shown, sizeof(shown)));
}

/* Judged by the guards; then told.
 *   kept  the settled membership as if the change did not settle; NULL: no pool */
static int
conclude(const struct change *c, const struct hrw_membership *kept, struct outcome *out,
    struct hrw_fault *fault)
{
	bool settles =
	    c->settles_now || build_has(c, TASK_SETTLE) || build_has(c, TASK_SETTLE_EPOCH);
	int rc;

	ops_write(out->before, out->after, settles, &out->ops);
	ops_removed(out->before, out->after, &out->removed);
	ops_emptied(out->before, out->after, &out->emptied);
	if (out->ops.failed || out->removed.failed || out->emptied.failed)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for the change");
	rc = guard_judge(out->before, out->after, kept, c->force, &out->forced, &out->fault);
	if (rc == 0)
		return 0;
	out->refusal = (enum hrw_error)rc;
	if (c->is_dry_run)
		return 0;
	*fault = out->fault;
	return rc;
}

int
change_build(const struct change *c, struct pool *now, int64_t now_ms,
    const struct hrw_limits *limits, struct outcome *out, struct hrw_fault *fault)
{
	struct next next = {0};
	int rc;

	*out = (struct outcome){.before = now != NULL ? pool_acquire(now) : NULL};
	rc = judge_pool(c, now, limits, fault);
	if (rc == 0)
		rc = precondition_judge(c, now, fault);
	if (rc < 0)
		return rc;
	if (build_has(c, TASK_DROP)) {
		out->is_removed = true;
		rc = conclude(c, NULL, out, fault);
		goto out;
	}
	rc = next_make(&next, c, now, now_ms, limits, fault);
	if (rc < 0)
		return rc;
	if (is_same(c, &next, now)) {
		out->is_unchanged = true;
		out->after = pool_acquire(now);
		ops_asked(c, &out->ops);
		goto out;
	}
	out->after = next_version(&next, c->pool, now, now_ms);
	rc = out->after != NULL ? conclude(c, next.settling.kept, out, fault)
				: hrw_fault(fault, HRW_INTERNAL, "no memory for the change");
out:
	next_fini(&next);
	if (rc < 0) {
		pool_release(out->after);
		out->after = NULL;
		out->is_removed = false;
	}
	return rc;
}

void
outcome_fini(struct outcome *out)
{
	pool_release(out->before);
	pool_release(out->after);
	buffer_fini(&out->ops);
	buffer_fini(&out->removed);
	buffer_fini(&out->emptied);
	*out = (struct outcome){0};
}
