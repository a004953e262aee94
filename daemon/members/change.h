/*
 * change.h - a change is data: a list of tasks on a pool's two memberships.
 *
 * Every route that changes a pool and every dry run builds such a list, and
 * change_build() alone applies it: pure, without store, clock or lock. The
 * writer makes the outcome durable and publishes it.
 */
#ifndef HRWD_MEMBERS_CHANGE_H
#define HRWD_MEMBERS_CHANGE_H

#include "daemon/base/json.h"
#include "daemon/members/document.h"

enum task_op {
	TASK_ADD,	/* node: a newcomer; one that has every field sent is no change */
	TASK_PUT,	/* node: adds it, or updates it to what was sent */
	TASK_DRAIN,	/* name */
	TASK_ACTIVATE,	/* name */
	TASK_REJOIN,	/* name */
	TASK_REMOVE,	/* name */
	TASK_PATCH,	/* node: the fields in `set` */
	TASK_NODES,	/* list: the membership becomes exactly this */
	TASK_COPIES,	/* copies */
	TASK_PLACEMENT, /* template: a draft with the placement and its parameters */
	TASK_TERMS,	/* terms: those in terms_set */
	TASK_SETTLE,
	TASK_SETTLE_EPOCH, /* epoch; template: its membership, which the writer loads while the
			    * pool's clocks have that epoch; without one nothing is done */
	TASK_POOL,	   /* template, list, terms: makes the pool, or makes it exactly this */
	TASK_DROP,	   /* removes the pool */
	TASK_REVERT,	   /* epoch; template: the membership as of it, which the writer loads */
};

/* One task; owns its texts. In a list, what a node leaves out is its default,
 * but for a node that is there already: it keeps its id, hash_name and state. */
struct task {
	enum task_op op;
	struct hrw_node node; /* node.name names the node of most ops */
	unsigned set;	      /* of enum node_field */
	struct hrw_node *list;
	unsigned *list_set;
	size_t list_count;
	unsigned copies;
	struct pool_terms terms;
	unsigned terms_set; /* of enum pool_term */
	uint64_t epoch;
	struct hrw_membership *template; /* without a list, its nodes are one with every field */
	char *at;      /* JSON pointer of where it was asked for; NULL: the body itself */
	bool at_field; /* that is the one field in `set`, not an object with it */
};

enum guard {
	GUARD_NOT_DRAINING = 1u << 0,
	GUARD_KEYS_AT_RISK = 1u << 1,
	GUARD_TOO_MUCH_MOVED = 1u << 2,
	GUARD_POOL_NOT_EMPTY = 1u << 3,
	GUARD_LAST_NODE = 1u << 4,
};

/* If-Match and If-None-Match of the request, as given. */
struct precondition {
	char *if_match;	     /* NULL: none sent */
	char *if_none_match; /* "*": only where there is no such pool */
	bool is_required;    /* 428 without one */
};

/* Is it a list of entity tags, "*", or absent (NULL)? BAD_PARAMETER names the
 * header, which was sent with that value. */
int precondition_check(const char *header, const char *list, struct hrw_fault *fault);

struct change {
	char *pool;
	struct task *task;
	size_t count, room;
	unsigned force;	  /* guards overridden, of enum guard */
	bool settles_now; /* all copies are in place once it is made */
	bool is_file;	  /* a plain file's pool: what was there says nothing of what will be */
	bool is_dry_run;
	bool takes_unused;   /* newcomers may have fields that the placement does not use */
	char *expected_etag; /* a plan's epoch to be applied to: 412 otherwise; NULL: any */
	struct precondition precondition;
	char *by, *from, *reason; /* for the history; may be NULL */
};

struct change *change_new(const char *pool); /* NULL: no memory */
void change_free(struct change *c);
/* A zeroed task at the end of the list, with no terms; NULL: no memory. */
struct task *change_add(struct change *c, enum task_op op);

/* A task on one node by its name, which is copied. UNKNOWN_NODE for a name that
 * holds a NUL: no node has it. */
int change_add_named(
    struct change *c, enum task_op op, struct hrw_bytes name, struct hrw_fault *fault);

/* TASK_ADD, TASK_PUT or TASK_PATCH from a node object.
 *   name      of the path, where the object may leave it out but not differ;
 *             data NULL: the object's own
 *   is_plan   a node to add needs no address
 *   errors    as document_node_read(); BAD_ADDRESS when it lacks */
int change_read_node(struct change *c, enum task_op op, struct hrw_bytes name, const struct json *j,
    bool is_plan, const struct hrw_limits *limits, struct hrw_fault *fault);

/* TASK_NODES from a list of node objects. */
int change_read_nodes(struct change *c, const struct json *array, const struct hrw_limits *limits,
    struct hrw_fault *fault);

/* TASK_POOL from a pool object, as GET gives it or a configuration has it. */
int change_read_pool(struct change *c, const struct json *j, const struct hrw_limits *limits,
    struct hrw_fault *fault);

/* TASK_COPIES, TASK_PLACEMENT and TASK_TERMS from a patch of a pool. */
int change_read_pool_patch(struct change *c, const struct json *j, const struct hrw_limits *limits,
    struct hrw_fault *fault);

/* Appends the tasks of a POST /changes or /plan body ("keys" aside).
 *   is_plan   a node to add needs only a name
 *   errors    BAD_FIELD (unknown, one name in two lists), the fields' codes */
int change_read(struct change *c, const struct json *body, bool is_plan,
    const struct hrw_limits *limits, struct hrw_fault *fault);

/* What a change comes to. */
struct outcome {
	bool is_unchanged;   /* already so: same epoch, after is before */
	struct pool *before; /* a reference; NULL: the pool was made by it */
	struct pool *after;  /* NULL: refused, or the pool is removed */
	bool is_removed;
	enum hrw_error refusal; /* 0, or the guard that refuses (dry runs go on past it) */
	struct hrw_fault fault; /* of the refusal */
	unsigned forced;	/* guards that were overridden and would have refused */
	struct buffer ops;	/* JSON array: [{"op":"drain","node":"cache-c"}] */
	struct buffer removed;	/* names, separated by spaces */
	struct buffer emptied;	/* names of nodes that came back empty, likewise */
};
void outcome_fini(struct outcome *out);

/* Its ops for a line of the log: "patch cache-a weight, copies 2 to 3"; past some
 * hundred bytes only how many more there are. */
void ops_words(const struct outcome *out, struct buffer *words);

/* Applies a change to the pool as it stands.
 *   now      NULL: there is no such pool
 *   now_ms   Unix time, for states and new nodes
 *   limits   bind what the change brings, never what is there
 *   fault    not NULL
 *   out      filled, also on an error; to be freed by outcome_fini()
 *   returns  0, also when unchanged; an error with the fault filled: then there
 *            is no `after` (except for a dry run that only a guard refuses,
 *            which returns 0)
 *   order    the pool, preconditions, nodes named exist, already so, guards
 *   cost     n log n; with max_moved two rankings of each sample key */
int change_build(const struct change *c, struct pool *now, int64_t now_ms,
    const struct hrw_limits *limits, struct outcome *out, struct hrw_fault *fault);

#endif
