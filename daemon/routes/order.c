/*
 * order.c - from a path and a body to the tasks of a change.
 */
#include <math.h>
#include <stdlib.h>

#include "daemon/routes/order.h"

enum {
	NODE_ALL = NODE_NAME | NODE_ADDRESS | NODE_WEIGHT | NODE_ZONE | NODE_STATE | NODE_ID |
		   NODE_HASH_NAME,
	NODE_PATCHABLE = NODE_ADDRESS | NODE_WEIGHT | NODE_ZONE,
};

/* What a row reads with. */
struct reader {
	struct app *app;
	const struct pool *pool;
	const struct order *order;
	struct change *change;
	struct hrw_fault *fault;
};

static int
no_memory(struct reader *r)
{
	return hrw_fault(r->fault, HRW_INTERNAL, "no memory for the change");
}

static const struct hrw_limits *
limits(const struct reader *r)
{
	return &r->app->config->limits;
}

static int
must_be_object(struct reader *r)
{
	const struct json *body = r->order->body;

	if (json_type(body) == JSON_OBJECT)
		return 0;
	return json_fault(body, r->fault, HRW_BAD_FIELD, "the body is %s, not an object",
	    json_type_name(json_type(body)));
}

/* A text of a node, copied: true unless memory lacks. */
static bool
own(char **text)
{
	if (*text == NULL)
		return true;
	*text = strdup(*text);
	return *text != NULL;
}

/* Gives a node texts of its own; those it cannot have are NULL. */
static bool
own_texts(struct hrw_node *node)
{
	bool has_all = own(&node->name);

	has_all = own(&node->address) && has_all;
	has_all = own(&node->zone) && has_all;
	return own(&node->hash_name) && has_all;
}

/* A node object into a task. */
static int
read_node(
    struct reader *r, enum task_op op, unsigned allowed, bool takes_answers, struct task **out)
{
	struct hrw_node node;
	struct task *task;
	unsigned set;
	int rc;

	rc = must_be_object(r);
	if (rc < 0)
		return rc;
	rc = document_node_read(
	    r->order->body, allowed, takes_answers, limits(r), &node, &set, r->fault);
	if (rc < 0)
		return rc;
	if (r->order->node.text[0] != '\0') {
		if ((set & NODE_NAME) && strcmp(node.name, r->order->node.text) != 0)
			return json_fault(json_get(r->order->body, "name"), r->fault, HRW_BAD_FIELD,
			    "name is \"%s\", but the path names \"%s\": a name never changes, so "
			    "leave it out or add a node of the other name",
			    node.name, r->order->node.text);
		node.name = (char *)r->order->node.text; /* copied below */
	}
	task = change_add(r->change, op);
	if (task == NULL)
		return no_memory(r);
	task->node = node;
	task->set = set;
	*out = task;
	return own_texts(&task->node) ? 0 : no_memory(r);
}

static int
read_add(struct reader *r)
{
	struct task *task;
	int rc;

	rc = read_node(r, TASK_ADD, NODE_ALL, true, &task);
	if (rc < 0)
		return rc;
	if (!(task->set & NODE_NAME))
		return json_fault(r->order->body, r->fault, HRW_BAD_SERVER,
		    "name is missing: {\"name\":\"cache-e\",\"address\":\"10.0.0.5:11211\"}");
	if (!(task->set & NODE_ADDRESS))
		return json_fault(r->order->body, r->fault, HRW_BAD_ADDRESS,
		    "address is missing: give node %s one, as \"10.0.0.5:11211\"", task->node.name);
	if (task->node.state == HRW_DRAINING)
		return json_fault(json_get(r->order->body, "state"), r->fault, HRW_BAD_FIELD,
		    "state is \"draining\", but a node is added as active or joining");
	return 0;
}

static int
read_put(struct reader *r)
{
	struct task *task;

	return read_node(r, TASK_PUT, NODE_ALL, true, &task);
}

static int
read_patch(struct reader *r)
{
	struct task *task;

	return read_node(r, TASK_PATCH, NODE_PATCHABLE, false, &task);
}

static int
add_named(struct reader *r, enum task_op op)
{
	struct task *task = change_add(r->change, op);

	if (task == NULL)
		return no_memory(r);
	task->node.name = strdup(r->order->node.text);
	return task->node.name != NULL ? 0 : no_memory(r);
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
find_list(struct reader *r, const struct json **list)
{
	static const char *const known[] = {"pool", "epoch", "nodes", "next", NULL};
	const struct json *body = r->order->body;
	int rc;

	*list = body;
	if (json_type(body) == JSON_OBJECT) {
		rc = json_only(body, known, r->fault);
		if (rc < 0)
			return rc;
		if (json_get(body, "next") != NULL)
			return json_fault(json_get(body, "next"), r->fault, HRW_BAD_FIELD,
			    "next says that this list was cut: read all of it with "
			    "GET /nodes?limit=1000 and after=, then send it without next");
		*list = json_get(body, "nodes");
		if (*list == NULL)
			return json_fault(body, r->fault, HRW_BAD_FIELD,
			    "nodes is missing: send the list of nodes, [] for none");
	}
	if (json_type(*list) != JSON_ARRAY)
		return json_fault(*list, r->fault, HRW_BAD_FIELD,
		    "the list of nodes is %s, not an array", json_type_name(json_type(*list)));
	return 0;
}

static int
read_nodes(struct reader *r)
{
	const struct json *list;
	struct task *task;
	size_t count;
	int rc;

	rc = find_list(r, &list);
	if (rc < 0)
		return rc;
	count = json_count(list);
	if (count > limits(r)->nodes)
		return json_fault(list, r->fault, HRW_TOO_MANY,
		    "%zu nodes are listed, and limits.nodes is %zu", count, limits(r)->nodes);
	task = change_add(r->change, TASK_NODES);
	if (task == NULL)
		return no_memory(r);
	task->list = calloc(count + 1, sizeof(*task->list));
	task->list_set = calloc(count + 1, sizeof(*task->list_set));
	if (task->list == NULL || task->list_set == NULL)
		return no_memory(r);
	json_each (j, list) {
		struct hrw_node node;
		unsigned set;

		rc = document_node_read(j, NODE_ALL, true, limits(r), &node, &set, r->fault);
		if (rc < 0)
			return rc;
		if (!(set & NODE_NAME))
			return json_fault(
			    j, r->fault, HRW_BAD_SERVER, "name is missing: every node has one");
		task->list[task->list_count] = node;
		task->list_set[task->list_count] = set;
		if (!own_texts(&task->list[task->list_count++]))
			return no_memory(r);
	}
	return 0;
}

static int
read_pool(struct reader *r)
{
	struct task *task;
	int rc;

	rc = must_be_object(r);
	if (rc < 0)
		return rc;
	task = change_add(r->change, TASK_POOL);
	if (task == NULL)
		return no_memory(r);
	task->template = document_pool_read(r->order->body, limits(r), &task->max_moved, r->fault);
	return task->template != NULL ? 0 : (int)r->fault->error;
}

static int
read_max_moved(struct reader *r, const struct json *j)
{
	struct task *task;
	double part = json_number(j);

	if (json_type(j) == JSON_NULL)
		part = -1; /* no such guard */
	else if (!(part >= 0 && part <= 1))
		return json_fault(j, r->fault, HRW_BAD_FIELD,
		    "max_moved is a part of all keys, from 0 to 1, or null for no such guard");
	task = change_add(r->change, TASK_MAX_MOVED);
	if (task == NULL)
		return no_memory(r);
	task->max_moved = part;
	return 0;
}

/* copies and placement are read as a POST /changes would read them. */
static int
read_pool_patch(struct reader *r)
{
	static const char *const known[] = {"copies", "placement", "max_moved", NULL};
	const struct json *body = r->order->body, *max_moved = json_get(body, "max_moved");
	struct buffer text = {0};
	struct json_out o = json_out(&text);
	struct json *rest;
	int rc;

	rc = must_be_object(r);
	if (rc < 0)
		return rc;
	rc = json_only(body, known, r->fault);
	if (rc < 0)
		return rc;
	if (max_moved != NULL) {
		rc = read_max_moved(r, max_moved);
		if (rc < 0)
			return rc;
	}
	json_open_object(&o, NULL);
	json_each (j, body) {
		if (j != max_moved)
			json_put_tree(&o, json_name(j), j);
	}
	json_close_object(&o);
	rest = json_parse(buffer_bytes(&text), JSON_STRICT, r->fault);
	if (rest == NULL)
		rc = (int)r->fault->error;
	else
		rc = change_read(r->change, rest, false, limits(r), r->fault);
	json_free(rest);
	buffer_fini(&text);
	return rc;
}

static int
read_drop(struct reader *r)
{
	return change_add(r->change, TASK_DROP) != NULL ? 0 : no_memory(r);
}

static int
read_settle(struct reader *r)
{
	return change_add(r->change, TASK_SETTLE) != NULL ? 0 : no_memory(r);
}

static int
read_revert_body(struct reader *r, int64_t *to)
{
	static const char *const known[] = {"to", NULL};
	const struct json *j = json_get(r->order->body, "to");
	int rc;

	rc = must_be_object(r);
	if (rc < 0)
		return rc;
	rc = json_only(r->order->body, known, r->fault);
	if (rc < 0)
		return rc;
	if (j == NULL)
		return json_fault(r->order->body, r->fault, HRW_BAD_FIELD,
		    "to is missing: {\"to\":4} goes back to epoch 4");
	if (!json_integer(j, to) || *to < 1)
		return json_fault(j, r->fault, HRW_BAD_FIELD,
		    "to is the epoch to go back to, a whole number from 1");
	return 0;
}

/* Both memberships as they stood at an epoch. */
static int
read_revert(struct reader *r)
{
	struct pool *then = NULL;
	struct task *task;
	char *document = NULL;
	int64_t to = 0;
	int rc;

	rc = read_revert_body(r, &to);
	if (rc < 0 || r->pool == NULL)
		return rc;
	document =
	    store_document(r->app->store, r->pool->name, r->pool->lineage, (uint64_t)to, r->fault);
	if (document != NULL)
		then = document_load(r->pool->name, document, r->fault);
	if (then == NULL) {
		rc = (int)r->fault->error;
		goto out;
	}
	task = change_add(r->change, TASK_REVERT);
	if (task != NULL) {
		task->template = hrw_membership_copy(then->present);
	}
	if (task == NULL || task->template == NULL)
		rc = no_memory(r);
out:
	pool_release(then);
	free(document);
	return rc;
}

static int
read_changes(struct reader *r)
{
	int rc = must_be_object(r);

	return rc < 0 ? rc : change_read(r->change, r->order->body, false, limits(r), r->fault);
}

static int
read_plan(struct reader *r)
{
	int rc = must_be_object(r);

	return rc < 0 ? rc : change_read(r->change, r->order->body, true, limits(r), r->fault);
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
    [ORDER_REVERT] = {"revert", ORDER_HAS_BODY | ORDER_NAMES_POOL | ORDER_BLOCKS, read_revert},
};

unsigned
order_traits(enum order_kind kind)
{
	return rows[kind].traits;
}

int
order_read(struct app *app, const struct pool *pool, const struct order *order,
    struct change *change, struct hrw_fault *fault)
{
	struct reader reader = {app, pool, order, change, fault};

	change->settles_later = order->settles_later;
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
	if (order->settles_later)
		json_put_bool(&o, "settles_later", true);
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
	    .body = json_get(j, "body"), .settles_later = json_get(j, "settles_later") != NULL};
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
