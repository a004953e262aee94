/*
 * change_read.c - from a request's JSON to tasks.
 */
#include <stdlib.h>

#include "daemon/members/change.h"

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory for the change");
}

/* A borrowed text becomes one's own. */
static bool
own(char **text)
{
	if (*text != NULL)
		*text = strdup(*text);
	return *text != NULL;
}

/* Moves a node that was read, with borrowed texts, to one that owns them. On a
 * failure the texts that there was no memory for are NULL. */
static bool
take_node(struct hrw_node *to, struct hrw_node *from)
{
	bool is_whole;

	*to = *from;
	from->slots = NULL;
	from->tokens = NULL;
	is_whole = own(&to->name);
	is_whole = (own(&to->address) || from->address == NULL) && is_whole;
	is_whole = (own(&to->zone) || from->zone == NULL) && is_whole;
	return (own(&to->hash_name) || from->hash_name == NULL) && is_whole;
}

static int
note_place(struct task *task, const struct json *j, struct hrw_fault *fault)
{
	char pointer[HRW_FAULT_FIELD];

	json_pointer(j, pointer, sizeof(pointer));
	task->at = strdup(pointer);
	return task->at != NULL ? 0 : no_memory(fault);
}

/* Which fields an object may have, by what it is for. */
static unsigned
allowed_fields(enum task_op op)
{
	return op == TASK_PATCH ? NODE_EDITABLE : NODE_FIELDS;
}

/* What a read node lacks or may not say, for this op. */
static int
check_node(enum task_op op, const struct json *j, const struct hrw_node *node, bool is_plan,
    struct hrw_fault *fault)
{
	if (op == TASK_ADD && node->state == HRW_DRAINING)
		return json_fault(json_get(j, "state"), fault, HRW_BAD_FIELD,
		    "a node is added as \"active\" or \"joining\", not as \"draining\"");
	return document_node_is_whole(j, node, op == TASK_ADD && !is_plan, fault);
}

int
change_read_node(struct change *c, enum task_op op, struct hrw_bytes name, const struct json *j,
    bool is_plan, const struct hrw_limits *limits, struct hrw_fault *fault)
{
	struct hrw_node node;
	char shown[HRW_SHOWN];
	struct task *task;
	char *path = NULL;
	unsigned set;
	int rc;

	rc =
	    document_node_read(j, allowed_fields(op), op != TASK_PATCH, limits, &node, &set, fault);
	if (rc < 0)
		return rc;
	if (name.data != NULL && memchr(name.data, '\0', name.len) != NULL) {
		rc = hrw_check_name(name, limits->name_bytes, HRW_BAD_SERVER, fault);
		goto out;
	}
	if (name.data != NULL) {
		rc = no_memory(fault);
		path = strndup((const char *)name.data, name.len);
		if (path == NULL)
			goto out;
		if (node.name != NULL && strcmp(node.name, path) != 0) {
			rc = json_fault(json_get(j, "name"), fault, HRW_BAD_FIELD,
			    "the body names \"%s\", the path another node: a name never changes, "
			    "leave it out",
			    hrw_show(hrw_text(node.name), shown, sizeof(shown)));
			goto out;
		}
		node.name = path;
	}
	rc = check_node(op, j, &node, is_plan, fault);
	if (rc < 0)
		goto out;
	task = change_add(c, op);
	if (task == NULL || !take_node(&task->node, &node)) {
		rc = no_memory(fault);
		goto out;
	}
	task->set = set | NODE_NAME;
	rc = note_place(task, j, fault);
out:
	document_node_fini(&node);
	free(path);
	return rc;
}

/* Moves what was read into a task, which then owns it. */
static int
take_parts(struct task *task, struct document_parts *parts, struct hrw_fault *fault)
{
	bool is_whole = true;

	task->template = parts->template;
	parts->template = NULL;
	task->terms = parts->terms;
	task->list = calloc(parts->count + 1, sizeof(*task->list));
	task->list_set = calloc(parts->count + 1, sizeof(*task->list_set));
	if (task->list == NULL || task->list_set == NULL)
		return no_memory(fault);
	for (; task->list_count < parts->count; task->list_count++) {
		size_t i = task->list_count;

		is_whole = take_node(&task->list[i], &parts->node[i]) && is_whole;
		task->list_set[i] = parts->set[i];
	}
	return is_whole ? 0 : no_memory(fault);
}

static int
add_parts(struct change *c, enum task_op op, const struct json *nodes, struct document_parts *parts,
    struct hrw_fault *fault)
{
	struct task *task = change_add(c, op);
	int rc = task != NULL ? take_parts(task, parts, fault) : no_memory(fault);

	document_parts_fini(parts);
	if (rc == 0 && nodes != NULL)
		rc = note_place(task, nodes, fault);
	return rc;
}

int
change_read_nodes(struct change *c, const struct json *array, const struct hrw_limits *limits,
    struct hrw_fault *fault)
{
	struct document_parts parts;
	int rc = document_list_read(array, limits, &parts, fault);

	return rc < 0 ? rc : add_parts(c, TASK_NODES, array, &parts, fault);
}

int
change_read_pool(struct change *c, const struct json *j, const struct hrw_limits *limits,
    struct hrw_fault *fault)
{
	struct document_parts parts;
	int rc = document_parts_read(j, false, limits, &parts, fault);

	return rc < 0 ? rc : add_parts(c, TASK_POOL, json_get(j, "nodes"), &parts, fault);
}

static int
read_copies(struct change *c, const struct json *j, const struct hrw_limits *limits,
    struct hrw_fault *fault)
{
	struct task *task;
	unsigned copies;
	int rc = document_copies_read(j, limits, &copies, fault);

	if (rc < 0)
		return rc;
	task = change_add(c, TASK_COPIES);
	if (task == NULL)
		return no_memory(fault);
	task->copies = copies;
	return 0;
}

static int
read_placement(struct change *c, const struct json *j, struct hrw_fault *fault)
{
	struct task *task = change_add(c, TASK_PLACEMENT);

	if (task == NULL)
		return no_memory(fault);
	task->template = document_placement_read(j, false, 1, fault);
	return task->template != NULL ? 0 : (int)fault->error;
}

/* A task only where the object has one of them. */
static int
read_terms(struct change *c, const struct json *j, struct hrw_fault *fault)
{
	struct pool_terms terms = pool_no_terms;
	struct task *task;
	unsigned set;
	int rc = document_terms_read(j, &terms, &set, fault);

	if (rc < 0 || set == 0)
		return rc;
	task = change_add(c, TASK_TERMS);
	if (task == NULL)
		return no_memory(fault);
	task->terms = terms;
	task->terms_set = set;
	return 0;
}

int
change_read_pool_patch(struct change *c, const struct json *j, const struct hrw_limits *limits,
    struct hrw_fault *fault)
{
	static const char *const names[] = {
	    "copies", "placement", "max_moved", "settles_after", "max_ttl", NULL};
	const struct json *copies = json_get(j, "copies"), *placement = json_get(j, "placement");
	int rc;

	if (json_type(j) != JSON_OBJECT)
		return json_fault(j, fault, HRW_BAD_FIELD,
		    "the body is %s: give an object with \"copies\", \"placement\", "
		    "\"max_moved\", \"settles_after\" or \"max_ttl\"",
		    json_type_name(json_type(j)));
	rc = json_only(j, names, fault);
	if (rc == 0 && placement != NULL)
		rc = read_placement(c, placement, fault);
	if (rc == 0 && copies != NULL)
		rc = read_copies(c, copies, limits, fault);
	if (rc == 0)
		rc = read_terms(c, j, fault);
	return rc;
}

/* Lists of a /changes body and how an entry is read. */

enum entry_form {
	FORM_NODES,  /* a list of node objects */
	FORM_NAMES,  /* a list of names */
	FORM_PATCH,  /* an object: name to fields */
	FORM_WEIGHT, /* an object: name to weight */
};

static const struct {
	const char *name;
	enum task_op op;
	enum entry_form form;
} lists[] = {
    {"add", TASK_ADD, FORM_NODES},
    {"drain", TASK_DRAIN, FORM_NAMES},
    {"activate", TASK_ACTIVATE, FORM_NAMES},
    {"rejoin", TASK_REJOIN, FORM_NAMES},
    {"remove", TASK_REMOVE, FORM_NAMES},
    {"patch", TASK_PATCH, FORM_PATCH},
    {"reweight", TASK_PATCH, FORM_WEIGHT},
};

enum { LISTS = sizeof(lists) / sizeof(lists[0]), TASKS_MAX = 2 * HRW_NODES_MAX };

static int
read_name(struct change *c, enum task_op op, const struct json *j, struct hrw_fault *fault)
{
	int rc;

	if (json_type(j) != JSON_STRING)
		return json_fault(j, fault, HRW_BAD_FIELD, "a node's name is %s here: give a text",
		    json_type_name(json_type(j)));
	rc = change_add_named(c, op, json_bytes(j), fault);
	if (rc == 0)
		return note_place(&c->task[c->count - 1], j, fault);
	json_fault_at(j, fault);
	return rc;
}

static int
read_weight(struct change *c, const struct json *j, struct hrw_fault *fault)
{
	struct task *task;
	double weight;
	int rc = document_weight_read(j, true, &weight, fault);

	if (rc == 0)
		rc = change_add_named(c, TASK_PATCH, hrw_text(json_name(j)), fault);
	if (rc < 0)
		return rc;
	task = &c->task[c->count - 1];
	task->node.weight = weight;
	task->set = NODE_WEIGHT;
	task->at_field = true;
	return note_place(task, j, fault);
}

static int
read_list(struct change *c, size_t list, const struct json *j, bool is_plan,
    const struct hrw_limits *limits, struct hrw_fault *fault)
{
	enum entry_form form = lists[list].form;
	bool is_array = form == FORM_NODES || form == FORM_NAMES;
	int rc = 0;

	if (json_type(j) != (is_array ? JSON_ARRAY : JSON_OBJECT))
		return json_fault(j, fault, HRW_BAD_FIELD, "\"%s\" is %s: give %s",
		    lists[list].name, json_type_name(json_type(j)),
		    form == FORM_NODES	 ? "a list of node objects"
		    : form == FORM_NAMES ? "a list of names"
					 : "an object with nodes' names as members");
	if (c->count + json_count(j) > TASKS_MAX)
		return json_fault(j, fault, HRW_TOO_MANY,
		    "a change names %zu nodes here: it may name %d, twice what a pool can have",
		    c->count + json_count(j), TASKS_MAX);
	json_each (entry, j) {
		switch (form) {
		case FORM_NODES:
			rc = change_read_node(
			    c, lists[list].op, hrw_bytes(NULL, 0), entry, is_plan, limits, fault);
			break;
		case FORM_NAMES:
			rc = read_name(c, lists[list].op, entry, fault);
			break;
		case FORM_PATCH:
			rc = change_read_node(c, lists[list].op, hrw_text(json_name(entry)), entry,
			    is_plan, limits, fault);
			break;
		case FORM_WEIGHT:
			rc = read_weight(c, entry, fault);
			break;
		}
		if (rc < 0)
			break;
	}
	return rc;
}

/* By name; of one name, as they were read. */
static int
task_cmp(const void *left, const void *right)
{
	const struct task *const *a = left, *const *b = right;
	int order = strcmp((*a)->node.name, (*b)->node.name);

	return order != 0 ? order : (*a > *b) - (*a < *b);
}

/* Is it an entry of "patch"? It may stand beside one other: another address and a
 * rejoin are one change. */
static bool
is_patch(const struct task *task)
{
	return task->op == TASK_PATCH && !task->at_field;
}

/* What two lists want of one node has no order: each is named once, or patched once
 * and named in one other list. */
static int
check_named_twice(const struct change *c, size_t from, struct hrw_fault *fault)
{
	const struct task **task = calloc(c->count - from + 1, sizeof(*task));
	size_t count = 0;
	int rc = 0;

	if (task == NULL)
		return no_memory(fault);
	for (size_t i = from; i < c->count; i++)
		if (c->task[i].node.name != NULL)
			task[count++] = &c->task[i];
	qsort(task, count, sizeof(*task), task_cmp);
	for (size_t i = 1; rc == 0 && i < count; i++) {
		bool is_third = i > 1 && strcmp(task[i - 2]->node.name, task[i]->node.name) == 0;

		if (strcmp(task[i - 1]->node.name, task[i]->node.name) != 0 ||
		    (is_patch(task[i - 1]) != is_patch(task[i]) && !is_third))
			continue;
		rc = hrw_fault(fault, HRW_BAD_FIELD,
		    "\"%s\" is named twice: name a node once, or once in \"patch\" and once in "
		    "one other list",
		    task[i]->node.name);
		hrw_fault_at(fault, "%s", task[i]->at);
	}
	free(task);
	return rc;
}

/* Nor does the list of newcomers have a name or an id twice. They stand first. */
static int
check_added_twice(const struct change *c, size_t from, struct hrw_fault *fault)
{
	struct hrw_node *node = calloc(c->count - from + 1, sizeof(*node));
	size_t count = 0, at;
	const char *field;
	int rc;

	if (node == NULL)
		return no_memory(fault);
	while (from + count < c->count && c->task[from + count].op == TASK_ADD) {
		node[count] = c->task[from + count].node;
		count++;
	}
	rc = document_twice(node, count, &at, &field, fault);
	if (rc == HRW_BAD_SERVER)
		hrw_fault_at(fault, "%s/%s", c->task[from + at].at, field);
	free(node);
	return rc;
}

int
change_read(struct change *c, const struct json *body, bool is_plan,
    const struct hrw_limits *limits, struct hrw_fault *fault)
{
	static const char *const names[] = {"add", "drain", "activate", "rejoin", "remove", "patch",
	    "reweight", "copies", "placement", "keys", NULL};
	const struct json *copies = json_get(body, "copies"),
			  *placement = json_get(body, "placement");
	size_t from = c->count;
	int rc;

	if (json_type(body) != JSON_OBJECT)
		return json_fault(body, fault, HRW_BAD_FIELD,
		    "the body is %s: give an object such as {\"drain\":[\"cache-c\"]}",
		    json_type_name(json_type(body)));
	rc = json_only(body, names, fault);
	for (size_t i = 0; rc == 0 && i < LISTS; i++) {
		const struct json *list = json_get(body, lists[i].name);

		if (list != NULL)
			rc = read_list(c, i, list, is_plan, limits, fault);
	}
	if (rc == 0 && placement != NULL)
		rc = read_placement(c, placement, fault);
	if (rc == 0 && copies != NULL)
		rc = read_copies(c, copies, limits, fault);
	if (rc == 0)
		rc = check_added_twice(c, from, fault);
	return rc < 0 ? rc : check_named_twice(c, from, fault);
}
