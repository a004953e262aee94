/*
 * edit.c - the tasks of a change edit a list of nodes, which then becomes the
 * next membership.
 */
#include <assert.h>
#include <stdlib.h>

#include "core/node.h"
#include "daemon/members/edit_private.h"

static int
no_memory(struct edit *edit)
{
	return hrw_fault(edit->fault, HRW_INTERNAL, "no memory for the change");
}

static struct entry *
entry_add(struct edit *edit)
{
	size_t room = edit->room == 0 ? 64 : edit->room * 2;
	struct entry *more;

	if (edit->count == edit->room) {
		more = realloc(edit->entry, room * sizeof(*more));
		if (more == NULL)
			return NULL;
		edit->entry = more;
		edit->room = room;
	}
	edit->entry[edit->count] = (struct entry){0};
	return &edit->entry[edit->count++];
}

static int
begin(struct edit *edit)
{
	const struct hrw_membership *m = edit->now != NULL ? edit->now->present : NULL;

	/* A file's text alone says what its pool is: as at a start, nothing of what was
	 * there counts. */
	if (edit->change->is_file)
		m = NULL;
	edit->terms = edit->now != NULL ? edit->now->terms : pool_no_terms;
	for (size_t i = 0; m != NULL && i < m->count; i++) {
		struct entry *e = entry_add(edit);

		if (e == NULL)
			return no_memory(edit);
		e->node = m->node[i];
		e->was = &m->node[i];
	}
	edit->known = edit->count;
	edit->template = m;
	edit->copies = m != NULL ? m->copies : 1;
	return 0;
}

static struct entry *
find(const struct edit *edit, const char *name)
{
	size_t low = 0, high = edit->known;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(edit->entry[middle].node.name, name);

		if (order == 0)
			return &edit->entry[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The epoch that the change makes. */
static uint64_t
next_epoch(const struct edit *edit)
{
	return edit->now != NULL ? edit->now->epoch + 1 : 1;
}

/* An active node that is to be joining has come back without its copies. */
static void
set_state(struct edit *edit, struct hrw_node *node, enum hrw_state state)
{
	if (node->state == state)
		return;
	if (node->state == HRW_ACTIVE && state == HRW_JOINING)
		node->joined = next_epoch(edit);
	node->state = state;
	node->since_ms = edit->now_ms;
}

/* A draining node whose settled copies count has kept them: the drain is undone.
 * Another one has missed writes since, and is filled anew. */
static void
activate(struct edit *edit, struct hrw_node *node)
{
	bool is_filled =
	    node->state != HRW_DRAINING || hrw_settled_counts(edit->now->settled, node->name);

	set_state(edit, node, is_filled ? HRW_ACTIVE : HRW_JOINING);
}

/* It came back empty: whatever its state, its copies are gone. */
static void
rejoin(struct edit *edit, struct hrw_node *node)
{
	if (node->state == HRW_ACTIVE)
		set_state(edit, node, HRW_JOINING);
	node->joined = next_epoch(edit);
}

/* Copies the fields in `set` but those that never change. */
static void
set_fields(struct hrw_node *node, const struct hrw_node *from, unsigned set)
{
	if ((set & NODE_ADDRESS) != 0)
		node->address = from->address;
	if ((set & NODE_WEIGHT) != 0)
		node->weight = from->weight;
	if ((set & NODE_ZONE) != 0)
		node->zone = from->zone;
	if ((set & NODE_SLOTS) != 0) {
		node->slots = from->slots;
		node->slot_count = from->slot_count;
	}
	if ((set & NODE_TOKENS) != 0) {
		node->tokens = from->tokens;
		node->token_count = from->token_count;
	}
	if ((set & NODE_REWEIGHT) != 0) {
		node->has_reweight = from->has_reweight;
		node->reweight = from->reweight;
	}
	if ((set & NODE_HEALTHY) != 0) {
		node->has_healthy = from->has_healthy;
		node->is_unhealthy = from->is_unhealthy;
	}
}

static void
note(struct entry *e, const struct task *task, size_t index, unsigned set)
{
	e->task = task;
	e->index = index;
	e->set = set;
}

/* Is a newcomer to be filled first? Not one that is said to be active, nor the first
 * ones of a pool; one that a revert brings back in any case. */
static bool
joins(const struct edit *edit, const struct task *task, unsigned set)
{
	return task->op == TASK_REVERT || (edit->known != 0 && (set & NODE_STATE) == 0);
}

static int
add_newcomer(struct edit *edit, const struct task *task, const struct hrw_node *node, size_t index,
    unsigned set)
{
	struct entry *e = entry_add(edit);

	if (e == NULL)
		return no_memory(edit);
	e->node = *node;
	e->node.joined = next_epoch(edit);
	if (joins(edit, task, set) && node->state != HRW_DRAINING)
		e->node.state = HRW_JOINING;
	if (node->since_ms == 0 || task->op != TASK_REVERT)
		e->node.since_ms = edit->now_ms;
	note(e, task, index, set);
	return 0;
}

static int
apply_add(struct edit *edit, const struct task *task)
{
	struct entry *e = find(edit, task->node.name);
	unsigned differing;

	if (e == NULL)
		return add_newcomer(edit, task, &task->node, 0, task->set);
	differing = ops_differing(&task->node, e->was) & task->set & ~(unsigned)NODE_STATE;
	if (differing == 0)
		return 0;
	hrw_fault(edit->fault, HRW_BAD_SERVER,
	    "\"%s\" is in pool \"%s\" already, with another %s: patch it, or choose another name",
	    task->node.name, edit->now->name, document_field_name(differing & -differing));
	if (edit->fault != NULL)
		edit->fault->reason = "taken";
	return edit_at_task(edit, task, "name");
}

/* The part of an update that PUT /nodes/{name} may not make. */
static int
check_fixed(struct edit *edit, const struct task *task, const struct hrw_node *was)
{
	unsigned fixed = task->set & (NODE_ID | NODE_HASH_NAME);
	unsigned differing = ops_differing(&task->node, was) & fixed;

	if (differing == 0)
		return 0;
	hrw_fault(edit->fault, HRW_BAD_FIELD,
	    "\"%s\" of \"%s\" is fixed since it joined: leave it out, or remove the node and add "
	    "it "
	    "anew",
	    document_field_name(differing & -differing), was->name);
	return edit_at_task(edit, task, document_field_name(differing & -differing));
}

static int
apply_put(struct edit *edit, const struct task *task)
{
	struct entry *e = find(edit, task->node.name);

	if (e != NULL) {
		set_fields(&e->node, &task->node, task->set);
		if ((task->set & NODE_STATE) != 0)
			set_state(edit, &e->node, task->node.state);
		note(e, task, 0, task->set);
		return check_fixed(edit, task, e->was);
	}
	if (task->node.address == NULL) {
		hrw_fault(edit->fault, HRW_BAD_ADDRESS,
		    "\"%s\" is new here and has no address: give it an \"address\" \"host:port\"",
		    task->node.name);
		return edit_at_task(edit, task, "address");
	}
	if (task->node.state == HRW_DRAINING) {
		hrw_fault(edit->fault, HRW_BAD_FIELD,
		    "\"%s\" is new here: add it as \"active\" or \"joining\", not as \"draining\"",
		    task->node.name);
		return edit_at_task(edit, task, "state");
	}
	return add_newcomer(edit, task, &task->node, 0, task->set);
}

/* Back to an earlier state: a drain is undone as activate does it, and a node that
 * is being filled stays so. */
static void
revert_state(struct edit *edit, struct hrw_node *node, enum hrw_state state)
{
	if (state == HRW_DRAINING)
		set_state(edit, node, HRW_DRAINING);
	else if (node->state == HRW_DRAINING)
		activate(edit, node);
}

/* What is joining has been filled; with a task, what was joining in its membership
 * and has not come back empty since. */
static void
settle(struct edit *edit, const struct task *task)
{
	for (size_t i = 0; i < edit->count; i++) {
		struct hrw_node *node = &edit->entry[i].node, *then;

		if (edit->entry[i].is_gone || node->state != HRW_JOINING)
			continue;
		then = task != NULL ? hrw_membership_find(task->template, node->name) : node;
		if (then != NULL && then->state == HRW_JOINING &&
		    (then == node || node->joined <= task->epoch))
			set_state(edit, node, HRW_ACTIVE);
	}
}

/* A listed node that is there: what it leaves out is its default, but for what
 * it is known by. */
static void
list_known(struct edit *edit, const struct task *task, struct entry *e, const struct hrw_node *node,
    size_t index, unsigned set)
{
	bool keeps_hash_name =
	    (set & NODE_HASH_NAME) == 0 ||
	    (node->hash_name_is_default && e->was->hash_name_is_default && task->op != TASK_REVERT);

	e->node = *node;
	if ((set & NODE_ID) == 0)
		e->node.id = e->was->id;
	if (keeps_hash_name) {
		e->node.hash_name = e->was->hash_name;
		e->node.hash_name_is_default = e->was->hash_name_is_default;
	}
	e->node.state = e->was->state;
	e->node.since_ms = e->was->since_ms;
	e->node.joined = e->was->joined;
	if (task->op == TASK_REVERT)
		revert_state(edit, &e->node, node->state);
	else if ((set & NODE_STATE) != 0)
		set_state(edit, &e->node, node->state);
	e->is_gone = false;
	note(e, task, index, set);
}

/* The membership becomes exactly the task's list, or that of its template. */
static int
apply_list(struct edit *edit, const struct task *task)
{
	bool is_list = task->list != NULL;
	size_t count = is_list ? task->list_count : task->template->count;

	for (size_t i = 0; i < edit->known; i++)
		edit->entry[i].is_gone = true;
	for (size_t i = 0; i < count; i++) {
		const struct hrw_node *node = is_list ? &task->list[i] : &task->template->node[i];
		unsigned set = is_list ? task->list_set[i] : (unsigned)NODE_FIELDS;
		struct entry *e = find(edit, node->name);
		int rc = 0;

		if (e != NULL)
			list_known(edit, task, e, node, i, set);
		else
			rc = add_newcomer(edit, task, node, i, set);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void
set_template(struct edit *edit, const struct task *task)
{
	edit->retakes_hash_names =
	    edit->template == NULL || edit->template->placement != task->template->placement;
	edit->template = task->template;
}

static void
set_terms(struct edit *edit, const struct task *task)
{
	if ((task->terms_set & TERM_MAX_MOVED) != 0)
		edit->terms.max_moved = task->terms.max_moved;
	if ((task->terms_set & TERM_SETTLES_AFTER) != 0)
		edit->terms.settles_after = task->terms.settles_after;
	if ((task->terms_set & TERM_MAX_TTL) != 0)
		edit->terms.max_ttl = task->terms.max_ttl;
}

/* The node that a task names, which check_named() has found. */
static struct entry *
named(const struct edit *edit, const struct task *task)
{
	struct entry *e = find(edit, task->node.name);

	assert(e != NULL);
	return e;
}

static int
apply_task(struct edit *edit, const struct task *task)
{
	struct entry *e;

	switch (task->op) {
	case TASK_ADD:
		return apply_add(edit, task);
	case TASK_PUT:
		return apply_put(edit, task);
	case TASK_DRAIN:
		set_state(edit, &named(edit, task)->node, HRW_DRAINING);
		break;
	case TASK_ACTIVATE:
		activate(edit, &named(edit, task)->node);
		break;
	case TASK_REJOIN:
		rejoin(edit, &named(edit, task)->node);
		break;
	case TASK_REMOVE:
		named(edit, task)->is_gone = true;
		break;
	case TASK_PATCH:
		e = named(edit, task);
		set_fields(&e->node, &task->node, task->set);
		note(e, task, 0, task->set);
		break;
	case TASK_NODES:
		return apply_list(edit, task);
	case TASK_COPIES:
		edit->copies = task->copies;
		break;
	case TASK_PLACEMENT:
		set_template(edit, task);
		break;
	case TASK_TERMS:
		set_terms(edit, task);
		break;
	case TASK_POOL:
		set_template(edit, task);
		edit->copies = task->template->copies;
		edit->terms = task->terms;
		return apply_list(edit, task);
	case TASK_REVERT:
		edit->template = task->template;
		edit->copies = task->template->copies;
		return apply_list(edit, task);
	case TASK_SETTLE:
		settle(edit, NULL);
		break;
	case TASK_SETTLE_EPOCH:
		if (task->template != NULL)
			settle(edit, task);
		break;
	case TASK_DROP: /* change_build()'s */
		break;
	}
	return 0;
}

/* Every node that must be there is. */
static int
check_named(struct edit *edit)
{
	for (size_t i = 0; i < edit->change->count; i++) {
		const struct task *task = &edit->change->task[i];
		bool may_be_new = task->op == TASK_ADD || task->op == TASK_PUT;

		if (task->node.name == NULL || may_be_new || find(edit, task->node.name) != NULL)
			continue;
		hrw_fault(edit->fault, HRW_UNKNOWN_NODE,
		    "pool \"%s\" has no node \"%s\": GET /nodes lists those it has",
		    edit->change->pool, task->node.name);
		return edit_at_task(edit, task, "");
	}
	return 0;
}

/* Newcomers are bound by the limits; who is there is not. */
static int
check_limits(struct edit *edit)
{
	size_t count = 0;

	for (size_t i = 0; i < edit->count; i++) {
		struct entry *e = &edit->entry[i];

		count += !e->is_gone;
		if (e->was == NULL &&
		    hrw_check_name(hrw_text(e->node.name), edit->limits->name_bytes, HRW_BAD_SERVER,
			edit->fault) < 0)
			return edit_at_entry(edit, e, "name");
	}
	if (count <= edit->limits->nodes || count <= edit->known)
		return 0;
	return hrw_fault(edit->fault, HRW_TOO_MANY,
	    "the pool would have %zu nodes, and limits.nodes is %zu: remove some, or raise it (to "
	    "%d at most)",
	    count, edit->limits->nodes, HRW_NODES_MAX);
}

/* A field that was sent although the placement uses none such. One that is kept
 * from another placement may be sent back as it is. */
static int
check_used(struct edit *edit, const struct entry *e)
{
	const char *field;

	assert(edit->template != NULL); /* a pool that is not there is made by TASK_POOL */
	if (e->task == NULL || e->task->op == TASK_REVERT || edit->change->takes_unused)
		return 0;
	field = hrw_unused_field(edit->template->placement, &e->node, e->was);
	if (field == NULL)
		return 0;
	hrw_unused_fault(edit->fault, edit->template->placement, field);
	return edit_at_entry(edit, e, field);
}

/* The list of nodes as a frozen membership. */
static int
assemble(struct edit *edit, struct hrw_membership **out)
{
	struct hrw_membership *m = build_bare(edit->template, edit->copies);
	struct hrw_node *node = calloc(edit->count + 1, sizeof(*node));
	size_t *entry = calloc(edit->count + 1, sizeof(*entry));
	size_t count = 0, at = 0;
	int rc = m == NULL || node == NULL || entry == NULL ? no_memory(edit) : 0;

	for (size_t i = 0; rc == 0 && i < edit->count; i++) {
		struct entry *e = &edit->entry[i];

		if (e->is_gone)
			continue;
		rc = check_used(edit, e);
		if (edit->retakes_hash_names && e->node.hash_name_is_default)
			e->node.hash_name = NULL;
		entry[count] = i;
		node[count++] = e->node;
	}
	if (rc == 0) {
		rc = hrw_membership_add_all(m, node, count, NULL, &at, edit->fault);
		if (rc < 0)
			edit_added(edit, &edit->entry[entry[at]]);
	}
	if (rc == 0) {
		rc = hrw_membership_freeze(m, NULL, edit->fault);
		if (rc < 0)
			edit_frozen(edit, entry);
	}
	free(node);
	free(entry);
	if (rc < 0) {
		hrw_membership_free(m);
		m = NULL;
	}
	*out = m;
	return rc;
}

/* What a file does not tell of a node: since when it is in its state, and here. */
static void
carry(const struct edit *edit, struct hrw_membership *m)
{
	for (size_t i = 0; i < m->count; i++) {
		struct hrw_node *is = &m->node[i];
		const struct hrw_node *was = hrw_membership_find(edit->now->present, is->name);

		if (was == NULL || (was->state == HRW_ACTIVE && is->state == HRW_JOINING))
			continue;
		is->joined = was->joined;
		if (was->state == is->state)
			is->since_ms = was->since_ms;
	}
}

int
edit_apply(const struct change *c, const struct pool *now, int64_t now_ms,
    const struct hrw_limits *limits, struct hrw_membership **present, struct pool_terms *terms,
    struct hrw_fault *fault)
{
	struct edit edit = {
	    .change = c, .now = now, .now_ms = now_ms, .limits = limits, .fault = fault};
	int rc = begin(&edit);

	*present = NULL;
	if (rc == 0)
		rc = check_named(&edit);
	for (size_t i = 0; rc == 0 && i < c->count; i++)
		rc = apply_task(&edit, &c->task[i]);
	if (rc == 0 && c->settles_now)
		settle(&edit, NULL);
	if (rc == 0)
		rc = check_limits(&edit);
	if (rc == 0)
		rc = assemble(&edit, present);
	if (rc == 0 && c->is_file && now != NULL)
		carry(&edit, *present);
	*terms = edit.terms;
	free(edit.entry);
	return rc;
}
