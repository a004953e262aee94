/*
 * edit_private.h - an edit under way: what edit.c and edit_fault.c share.
 */
#ifndef HRWD_MEMBERS_EDIT_PRIVATE_H
#define HRWD_MEMBERS_EDIT_PRIVATE_H

#include "daemon/members/build.h"

/* A node while it is edited. Its texts are borrowed, from the pool or a task. */
struct entry {
	struct hrw_node node;
	const struct hrw_node *was; /* NULL: a newcomer */
	const struct task *task;    /* that spoke of it last; NULL: none */
	size_t index;		    /* in the task's list */
	unsigned set;		    /* fields that the task gave */
	bool is_gone;
};

struct edit {
	const struct change *change;
	const struct pool *now;
	int64_t now_ms;
	const struct hrw_limits *limits;
	struct hrw_fault *fault;
	struct entry *entry; /* the pool's own first, by name */
	size_t known, count, room;
	const struct hrw_membership *template; /* placement and parameters */
	unsigned copies;
	struct pool_terms terms;
	bool retakes_hash_names; /* the placement is another: defaults are taken anew */
};

/* Points the fault, which is filled, at the place in the body that asked for what
 * is refused: a field of a task ("": the task itself), of the task that spoke last
 * of a node. Each returns the fault's error. */
int edit_at_task(struct edit *edit, const struct task *task, const char *field);
int edit_at_entry(struct edit *edit, const struct entry *e, const char *field);

/* The same for a fault of add_all() at a field of one node, and of freezing at
 * anything: where nobody spoke of it, the placement's that was asked for.
 *   entry  by the order in which nodes were added: which entry it is */
int edit_added(struct edit *edit, const struct entry *e);
int edit_frozen(struct edit *edit, const size_t *entry);

#endif
