/*
 * ops.c - a change in words: the list of ops that reports and history show.
 *
 * It is told from the two versions, so it says what happened, whichever route
 * asked for it.
 */
#include <stdlib.h>

#include "core/node.h"
#include "daemon/members/build.h"

unsigned
ops_differing(const struct hrw_node *a, const struct hrw_node *b)
{
	unsigned fields = 0;

	if (!hrw_text_same(a->address, b->address))
		fields |= NODE_ADDRESS;
	if (a->weight != b->weight)
		fields |= NODE_WEIGHT;
	if (!hrw_text_same(a->zone, b->zone))
		fields |= NODE_ZONE;
	if (a->state != b->state)
		fields |= NODE_STATE;
	if (a->id != b->id)
		fields |= NODE_ID;
	if (!(a->hash_name_is_default && b->hash_name_is_default) &&
	    !hrw_text_same(a->hash_name, b->hash_name))
		fields |= NODE_HASH_NAME;
	if (!hrw_slots_same(a, b))
		fields |= NODE_SLOTS;
	if (!hrw_tokens_same(a, b))
		fields |= NODE_TOKENS;
	if (!hrw_reweight_same(a, b))
		fields |= NODE_REWEIGHT;
	if (a->is_unhealthy != b->is_unhealthy)
		fields |= NODE_HEALTHY;
	return fields;
}

static void
put_op(struct json_out *o, const char *op, const char *node)
{
	json_open_object(o, NULL);
	json_put_text(o, "op", op);
	json_put_text(o, "node", node);
	json_close_object(o);
}

static void
put_patch(struct json_out *o, const char *node, unsigned fields)
{
	json_open_object(o, NULL);
	json_put_text(o, "op", "patch");
	json_put_text(o, "node", node);
	json_open_array(o, "fields");
	for (unsigned bit = 1; bit <= fields; bit <<= 1)
		if ((fields & bit) != 0)
			json_put_text(o, NULL, document_field_name(bit));
	json_close_array(o);
	json_close_object(o);
}

/* A draining node that becomes joining was activated: its copies did not count. */
static const char *
state_op(enum hrw_state was, enum hrw_state is)
{
	switch (is) {
	case HRW_ACTIVE:
		return "activate";
	case HRW_JOINING:
		return was == HRW_DRAINING ? "activate" : "rejoin";
	case HRW_DRAINING:
		break;
	}
	return "drain";
}

/* One node that is listed on both sides. */
static void
put_node(struct json_out *o, const struct hrw_node *was, const struct hrw_node *is)
{
	unsigned fields = ops_differing(was, is);

	if ((fields & ~(unsigned)NODE_STATE) != 0)
		put_patch(o, is->name, fields & ~(unsigned)NODE_STATE);
	if ((fields & NODE_STATE) != 0)
		put_op(o, state_op(was->state, is->state), is->name);
}

/* Both lists stand by name: one walk over the two. */
static void
put_nodes(
    struct json_out *o, const struct hrw_membership *before, const struct hrw_membership *after)
{
	size_t i = 0, k = 0, before_count = before != NULL ? before->count : 0;

	while (i < before_count || k < after->count) {
		int order = i == before_count	? 1
			    : k == after->count ? -1
						: strcmp(before->node[i].name, after->node[k].name);

		if (order < 0)
			put_op(o, "remove", before->node[i].name);
		else if (order > 0)
			put_op(o, "add", after->node[k].name);
		else
			put_node(o, &before->node[i], &after->node[k]);
		i += order <= 0;
		k += order >= 0;
	}
}

/* A rejoin of a node that was not active changes no state. */
static void
put_rejoined(struct json_out *o, const struct pool *before, const struct pool *after)
{
	for (size_t i = 0; i < after->present->count; i++) {
		const struct hrw_node *is = &after->present->node[i];
		const struct hrw_node *was = hrw_membership_find(before->present, is->name);

		if (was != NULL && was->joined != is->joined && was->state == is->state)
			put_op(o, "rejoin", is->name);
	}
}

static bool
same_placement(const struct hrw_membership *a, const struct hrw_membership *b)
{
	struct buffer x = {0}, y = {0};
	struct json_out ox = json_out(&x), oy = json_out(&y);
	bool is_same;

	document_placement_write(&ox, NULL, a);
	document_placement_write(&oy, NULL, b);
	is_same = hrw_bytes_equal(buffer_bytes(&x), buffer_bytes(&y));
	buffer_fini(&x);
	buffer_fini(&y);
	return is_same;
}

static void
put_bare(struct json_out *o, const char *op)
{
	json_open_object(o, NULL);
	json_put_text(o, "op", op);
	json_close_object(o);
}

static void
put_terms(struct json_out *o, unsigned set)
{
	for (unsigned term = 1; term <= set; term <<= 1)
		if ((set & term) != 0)
			put_bare(o, document_term_name((enum pool_term)term));
}

/* What is the pool's own, not a node's. */
static void
put_pool(struct json_out *o, const struct pool *before, const struct pool *after)
{
	if (before->present->copies != after->present->copies) {
		json_open_object(o, NULL);
		json_put_text(o, "op", "copies");
		json_put_count(o, "from", before->present->copies);
		json_put_count(o, "to", after->present->copies);
		json_close_object(o);
	}
	if (!same_placement(before->present, after->present)) {
		json_open_object(o, NULL);
		json_put_text(o, "op", "placement");
		document_placement_write(o, "from", before->present);
		document_placement_write(o, "to", after->present);
		json_close_object(o);
	}
	put_terms(o, document_terms_differing(&before->terms, &after->terms));
}

void
ops_write(const struct pool *before, const struct pool *after, bool settles, struct buffer *ops)
{
	struct json_out o = json_out(ops);

	json_open_array(&o, NULL);
	if (after == NULL) {
		put_bare(&o, "drop");
	} else {
		if (before == NULL)
			put_bare(&o, "make");
		put_nodes(&o, before != NULL ? before->present : NULL, after->present);
		if (before != NULL)
			put_rejoined(&o, before, after);
		if (before != NULL)
			put_pool(&o, before, after);
		if (settles)
			put_bare(&o, "settle");
	}
	json_close_array(&o);
}

void
ops_removed(const struct pool *before, const struct pool *after, struct buffer *names)
{
	for (size_t i = 0; before != NULL && i < before->present->count; i++) {
		const char *name = before->present->node[i].name;

		if (after == NULL || hrw_membership_find(after->present, name) == NULL)
			buffer_printf(names, "%s%s", names->len > 0 ? " " : "", name);
	}
}

void
ops_emptied(const struct pool *before, const struct pool *after, struct buffer *names)
{
	for (size_t i = 0; before != NULL && after != NULL && i < before->present->count; i++) {
		const struct hrw_node *was = &before->present->node[i];
		const struct hrw_node *is = hrw_membership_find(after->present, was->name);

		if (is != NULL && is->joined != was->joined)
			buffer_printf(names, "%s%s", names->len > 0 ? " " : "", was->name);
	}
}

/* NULL: an op on no single node, which changes nothing that could be shown. */
static const char *
asked_op(enum task_op op)
{
	switch (op) {
	case TASK_ADD:
		return "add";
	case TASK_PUT:
	case TASK_PATCH:
		return "patch";
	case TASK_DRAIN:
		return "drain";
	case TASK_ACTIVATE:
		return "activate";
	case TASK_REJOIN:
		return "rejoin";
	case TASK_REMOVE:
		return "remove";
	case TASK_COPIES:
		return "copies";
	case TASK_PLACEMENT:
		return "placement";
	case TASK_SETTLE:
	case TASK_SETTLE_EPOCH:
		return "settle";
	case TASK_TERMS: /* put_terms()'s */
	case TASK_NODES:
	case TASK_POOL:
	case TASK_DROP:
	case TASK_REVERT:
		break;
	}
	return NULL;
}

void
ops_asked(const struct change *c, struct buffer *ops)
{
	struct json_out o = json_out(ops);

	json_open_array(&o, NULL);
	for (size_t i = 0; i < c->count; i++) {
		const struct task *task = &c->task[i];
		const char *op = asked_op(task->op);

		if (task->op == TASK_TERMS)
			put_terms(&o, task->terms_set);
		else if (op != NULL && strcmp(op, "patch") == 0)
			put_patch(&o, task->node.name, task->set & NODE_EDITABLE);
		else if (op != NULL && task->node.name != NULL)
			put_op(&o, op, task->node.name);
		else if (op != NULL)
			put_bare(&o, op);
	}
	json_close_array(&o);
}
