/*
 * build.h - the parts of change_build(): what build.c asks of precondition.c,
 * edit.c, settle.c and ops.c.
 */
#ifndef HRWD_MEMBERS_BUILD_H
#define HRWD_MEMBERS_BUILD_H

#include "daemon/members/change.h"

/* If-Match, If-None-Match and the plan's epoch, against the pool as it stands
 * (NULL: none). STALE_EPOCH says the present epoch; PRECONDITION_REQUIRED. */
int precondition_judge(const struct change *c, const struct pool *now, struct hrw_fault *fault);

/* Has it a task of this kind? */
bool build_has(const struct change *c, enum task_op op);

/* The membership after all tasks, frozen, and the terms that go with it.
 * UNKNOWN_NODE and whatever a node or the whole may lack; then there is none. */
int edit_apply(const struct change *c, const struct pool *now, int64_t now_ms,
    const struct hrw_limits *limits, struct hrw_membership **present, struct pool_terms *terms,
    struct hrw_fault *fault);

/* Where a change leaves the copies. */
struct settling {
	struct pool_terms terms;	/* of the pool after it; given */
	struct hrw_membership *kept;	/* the settled membership as if it did not settle */
	struct hrw_membership *settled; /* and as it is */
	bool only_joins;
	struct pool_clocks clocks;
};

/* What the settled membership is to be: see the table in settle.c.
 *   now      the pool before the change; NULL: none
 *   present  the membership after it, frozen
 *   s        zeroed but for its terms; receives frozen memberships, the caller's to
 *            free, on an error too */
int settle_follow(const struct change *c, const struct pool *now,
    const struct hrw_membership *present, int64_t now_ms, struct settling *s,
    struct hrw_fault *fault);

/* The array of ops from the difference of two versions (before NULL: the pool is
 * new; after NULL: it is removed), the names of nodes that are no longer listed, and
 * of those that came back empty. */
void ops_write(
    const struct pool *before, const struct pool *after, bool settles, struct buffer *ops);
void ops_removed(const struct pool *before, const struct pool *after, struct buffer *names);
void ops_emptied(const struct pool *before, const struct pool *after, struct buffer *names);

/* What was asked for, where nothing changes. */
void ops_asked(const struct change *c, struct buffer *ops);

/* The fields of enum node_field in which two nodes differ; hash_name not, where
 * both have the default. */
unsigned ops_differing(const struct hrw_node *a, const struct hrw_node *b);

/* A draft with the placement and parameters of m and no nodes. NULL: no memory. */
struct hrw_membership *build_bare(const struct hrw_membership *m, unsigned copies);

#endif
