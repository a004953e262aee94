/*
 * order.c - from a path and a body to the tasks of a change.
 */
#include <stdlib.h>

#include "daemon/routes/order.h"

/* What a row reads with. */
struct reader {
	const struct order *order;
	const struct hrw_limits *limits;
	struct change *change;
	struct hrw_fault *fault;
};

static int
must_be_object(struct reader *r)
{
	const struct json *body = r->order->body;

	if (json_type(body) == JSON_OBJECT)
		return 0;
	return json_fault(body, r->fault, HRW_BAD_FIELD, "the body is %s, not an object",
	    json_type_name(json_type(body)));
}

static int
add_bare(struct reader *r, enum task_op op)
{
	if (change_add(r->change, op) != NULL)
		return 0;
	return hrw_fault(r->fault, HRW_INTERNAL, "no memory for the change");
}

static int
add_named(struct reader *r, enum task_op op)
{
	return change_add_named(r->change, op, hrw_text(r->order->node.text), r->fault);
}

static int
read_node(struct reader *r, enum task_op op)
{
	const char *name = r->order->node.text;
	int rc = must_be_object(r);

	if (rc < 0)
		return rc;
	return change_read_node(r->change, op,
	    name[0] != '\0' ? hrw_text(name) : hrw_bytes(NULL, 0), r->order->body, false, r->limits,
	    r->fault);
}

static int
read_add(struct reader *r)
{
	return read_node(r, TASK_ADD);
}

static int
read_put(struct reader *r)
{
	return read_node(r, TASK_PUT);
}

static int
read_patch(struct reader *r)
{
	return read_node(r, TASK_PATCH);
}

static int
read_remove(struct reader *r)
{
	return add_named(r, TASK_REMOVE);
}

static int
read_drain(struct reader *r)
{
	return add_named(r, TASK_DRAIN);
}

static int
read_activate(struct reader *r)
{
	return add_named(r, TASK_ACTIVATE);
}

static int
read_rejoin(struct reader *r)
{
	return add_named(r, TASK_REJOIN);
}

/* PUT /nodes takes an array, or what GET /nodes gave if that was the whole. */
static int
read_nodes(struct reader *r)
{
	static const char *const known[] = {"pool", "epoch", "nodes", "next", "warnings", NULL};
	const struct json *list = r->order->body;
	int rc;

	if (json_type(list) == JSON_OBJECT) {
		rc = json_only(list, known, r->fault);
		if (rc < 0)
			return rc;
		if (json_get(list, "next") != NULL)
			return json_fault(json_get(list, "next"), r->fault, HRW_BAD_FIELD,
			    "next says that this list was cut: read all of it with "
			    "GET /nodes?limit=1000 and after=, then send it without next");
		if (json_get(list, "nodes") == NULL)
			return json_lacks(list, "nodes", r->fault, HRW_BAD_FIELD,
			    "nodes is missing: send the list of nodes, [] for none");
		list = json_get(list, "nodes");
	}
	if (json_type(list) != JSON_ARRAY)
		return json_fault(list, r->fault, HRW_BAD_FIELD,
		    "the list of nodes is %s, not an array", json_type_name(json_type(list)));
	return change_read_nodes(r->change, list, r->limits, r->fault);
}

static int
read_pool(struct reader *r)
{
	int rc = must_be_object(r);

	return rc < 0 ? rc : change_read_pool(r->change, r->order->body, r->limits, r->fault);
}

static int
read_pool_patch(struct reader *r)
{
	int rc = must_be_object(r);

	return rc < 0 ? rc : change_read_pool_patch(r->change, r->order->body, r->limits, r->fault);
}

static int
read_drop(struct reader *r)
{
	return add_bare(r, TASK_DROP);
}

static int
read_settle(struct reader *r)
{
	return add_bare(r, TASK_SETTLE);
}

static int
read_revert(struct reader *r)
{
	static const char *const known[] = {"to", NULL};
	const struct json *body = r->order->body, *to = json_get(body, "to");
	char shown[HRW_SHOWN];
	int64_t epoch;
	int rc;

	rc = must_be_object(r);
	if (rc < 0)
		return rc;
	rc = json_only(body, known, r->fault);
	if (rc < 0)
		return rc;
	if (to == NULL)
		return json_lacks(body, "to", r->fault, HRW_BAD_FIELD,
		    "to is missing: {\"to\":4} goes back to epoch 4");
	if (!json_integer(to, &epoch) || epoch < 1)
		return json_fault(to, r->fault, HRW_BAD_FIELD,
		    "to is %s here: use the number of the epoch to go back to, such as 4",
		    hrw_show(json_source(to), shown, sizeof(shown)));
	rc = add_bare(r, TASK_REVERT);
	if (rc == 0)
		r->change->task[r->change->count - 1].epoch = (uint64_t)epoch;
	return rc;
}

static int
read_changes(struct reader *r)
{
	int rc = must_be_object(r);

	return rc < 0 ? rc : change_read(r->change, r->order->body, false, r->limits, r->fault);
}

static int
read_plan(struct reader *r)
{
	int rc = must_be_object(r);

	return rc < 0 ? rc : change_read(r->change, r->order->body, true, r->limits, r->fault);
}

/* Names stand in stored plans: they never change. */
static const struct {
	const char *name;
	unsigned traits;
	int (*read)(struct reader *r);
} rows[ORDER_KINDS] = {
    [ORDER_CHANGES] = {"changes", ORDER_HAS_BODY, read_changes},
    [ORDER_PLAN] = {"changes", ORDER_HAS_BODY | ORDER_ONLY_PLANS, read_plan},
    [ORDER_ADD] = {"add", ORDER_HAS_BODY | ORDER_MAKES_NODE, read_add},
    [ORDER_PUT] = {"put", ORDER_HAS_BODY | ORDER_NAMES_NODE | ORDER_MAKES_NODE, read_put},
    [ORDER_PATCH] = {"patch", ORDER_HAS_BODY | ORDER_NAMES_NODE, read_patch},
    [ORDER_REMOVE] = {"remove", ORDER_NAMES_NODE, read_remove},
    [ORDER_DRAIN] = {"drain", ORDER_NAMES_NODE, read_drain},
    [ORDER_ACTIVATE] = {"activate", ORDER_NAMES_NODE, read_activate},
    [ORDER_REJOIN] = {"rejoin", ORDER_NAMES_NODE, read_rejoin},
    [ORDER_NODES] = {"nodes", ORDER_HAS_BODY | ORDER_NEEDS_MATCH, read_nodes},
    [ORDER_POOL] = {"pool",
	ORDER_HAS_BODY | ORDER_NAMES_POOL | ORDER_MAKES_POOL | ORDER_NEEDS_MATCH, read_pool},
    [ORDER_POOL_PATCH] = {"pool-patch", ORDER_HAS_BODY | ORDER_NAMES_POOL, read_pool_patch},
    [ORDER_DROP] = {"drop", ORDER_NAMES_POOL, read_drop},
    [ORDER_SETTLE] = {"settle", ORDER_NAMES_POOL, read_settle},
    [ORDER_REVERT] = {"revert", ORDER_HAS_BODY | ORDER_NAMES_POOL, read_revert},
};

unsigned
order_traits(enum order_kind kind)
{
	return rows[kind].traits;
}

int
order_read(const struct order *order, const struct hrw_limits *limits, struct change *change,
    struct hrw_fault *fault)
{
	struct reader reader = {order, limits, change, fault};

	change->settles_now = order->settles_now;
	return rows[order->kind].read(&reader);
}

void
order_write(const struct order *order, struct buffer *out)
{
	struct json_out o = json_out(out);

	json_open_object(&o, NULL);
	json_put_text(&o, "do", rows[order->kind].name);
	if (order->node.text[0] != '\0')
		json_put_text(&o, "node", order->node.text);
	if (order->settles_now)
		json_put_bool(&o, "settles_now", true);
	if (order->body != NULL && json_type(order->body) == JSON_OBJECT) {
		/* Keys sent along were the plan's, not the change's. */
		json_open_object(&o, "body");
		json_each (j, order->body) {
			if (strcmp(json_name(j), "keys") != 0)
				json_put_tree(&o, json_name(j), j);
		}
		json_close_object(&o);
	} else if (order->body != NULL) {
		json_put_tree(&o, "body", order->body);
	}
	json_close_object(&o);
}

int
order_parse(const struct json *j, struct order *out, struct hrw_fault *fault)
{
	const char *name = json_text(json_get(j, "do"));
	const char *node = json_text(json_get(j, "node"));

	*out = (struct order){
	    .body = json_get(j, "body"), .settles_now = json_get(j, "settles_now") != NULL};
	while (name != NULL && out->kind < ORDER_KINDS && strcmp(rows[out->kind].name, name) != 0)
		out->kind++;
	if (name == NULL || out->kind == ORDER_KINDS ||
	    ((rows[out->kind].traits & ORDER_HAS_BODY) && out->body == NULL) ||
	    (node != NULL && strlen(node) >= sizeof(out->node.text)))
		return hrw_fault(fault, HRW_STORE_FAILED,
		    "the plan's change cannot be read: make the plan anew");
	if (node != NULL)
		strcpy(out->node.text, node);
	return 0;
}
