/*
 * change.c - the list of tasks.
 */
#include <stdlib.h>

#include "daemon/members/change.h"

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory for the change");
}

struct change *
change_new(const char *pool)
{
	struct change *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->pool = strdup(pool);
	if (c->pool == NULL) {
		free(c);
		return NULL;
	}
	return c;
}

static void
texts_free(struct hrw_node *node)
{
	free(node->name);
	free(node->address);
	free(node->zone);
	free(node->hash_name);
	document_node_fini(node);
}

static void
task_fini(struct task *task)
{
	texts_free(&task->node);
	for (size_t i = 0; i < task->list_count; i++)
		texts_free(&task->list[i]);
	free(task->list);
	free(task->list_set);
	hrw_membership_free(task->template);
	free(task->at);
}

void
change_free(struct change *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->count; i++)
		task_fini(&c->task[i]);
	free(c->task);
	free(c->pool);
	free(c->expected_etag);
	free(c->precondition.if_match);
	free(c->precondition.if_none_match);
	free(c->by);
	free(c->from);
	free(c->reason);
	free(c);
}

struct task *
change_add(struct change *c, enum task_op op)
{
	size_t room = c->room == 0 ? 4 : c->room * 2;
	struct task *more;

	if (c->count == c->room) {
		more = realloc(c->task, room * sizeof(*more));
		if (more == NULL)
			return NULL;
		c->task = more;
		c->room = room;
	}
	c->task[c->count] = (struct task){.op = op, .terms = pool_no_terms};
	return &c->task[c->count++];
}

int
change_add_named(struct change *c, enum task_op op, struct hrw_bytes name, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];
	struct task *task;

	task = change_add(c, op);
	if (task == NULL)
		return no_memory(fault);
	/* What cannot be a name is shown as no name is: it is unknown when its turn comes,
	 * behind the pool and If-Match. */
	if (name.len == 0 || memchr(name.data, '\0', name.len) != NULL)
		task->node.name = strdup(hrw_show(name, shown, sizeof(shown)));
	else
		task->node.name = strndup((const char *)name.data, name.len);
	return task->node.name != NULL ? 0 : no_memory(fault);
}
