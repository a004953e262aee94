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

/* The membership after all tasks, frozen, and the max_moved that goes with it.
 * UNKNOWN_NODE and whatever a node or the whole may lack; then there is none. */
int edit_apply(const struct change *c, const struct pool *now, int64_t now_ms,
    const struct hrw_limits *limits, struct hrw_membership **present, double *max_moved,
    struct hrw_fault *fault);

/* What the settled membership is to be, as a draft: see the table of states.
 *   now      the pool before the change; NULL: none
 *   present  the membership after it, frozen
 *   returns  NULL with the fault filled */
struct hrw_membership *settle_follow(const struct change *c, const struct pool *now,
    const struct hrw_membership *present, struct hrw_fault *fault);

/* The array of ops from the difference of two versions (before NULL: the pool
 * is new; after NULL: it is removed), and the names that are listed no more. */
void ops_write(
    const struct pool *before, const struct pool *after, bool settles, struct buffer *ops);
void ops_removed(const struct pool *before, const struct pool *after, struct buffer *names);

/* What was asked for, where nothing changes. */
void ops_asked(const struct change *c, struct buffer *ops);

/* The fields of enum node_field in which two nodes differ; hash_name not, where
 * both have the default. */
unsigned ops_differing(const struct hrw_node *a, const struct hrw_node *b);

/* A draft with the placement and parameters of m and no nodes. NULL: no memory. */
struct hrw_membership *build_bare(const struct hrw_membership *m, unsigned copies);

#endif
