/*
 * edit_fault.c - from a fault to the place in the request's body that it is of.
 *
 * Core knows a node by its place in a list that the request never saw, and a
 * placement that nodes do not fit is at fault where the nodes were not sent.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/members/edit_private.h"

int
edit_at_task(struct edit *edit, const struct task *task, const char *field)
{
	if (task->op == TASK_REVERT)
		return hrw_fault_at(edit->fault, "/to");
	/* What names one field has no more below it. */
	return hrw_fault_at(edit->fault, "%s%s%s", task->at != NULL ? task->at : "",
	    task->at_field || field[0] == '\0' ? "" : "/", task->at_field ? "" : field);
}

int
edit_at_entry(struct edit *edit, const struct entry *e, const char *field)
{
	const struct task *task = e->task;
	char within[HRW_FAULT_FIELD];

	if (task->list == NULL)
		return edit_at_task(edit, task, field);
	snprintf(within, sizeof(within), "%zu%s%s", e->index, field[0] == '\0' ? "" : "/", field);
	return edit_at_task(edit, task, within);
}

/* The last task of one of these kinds; NULL: none. */
static const struct task *
asked(const struct edit *edit, enum task_op op, enum task_op other)
{
	const struct change *c = edit->change;

	for (size_t i = c->count; i > 0; i--)
		if (c->task[i - 1].op == op || c->task[i - 1].op == other)
			return &c->task[i - 1];
	return NULL;
}

/* Of the placement as a whole, or of one of its parameters. */
static int
at_placement(struct edit *edit, const char *param)
{
	if (asked(edit, TASK_REVERT, TASK_REVERT) != NULL)
		return hrw_fault_at(edit->fault, "/to");
	if (asked(edit, TASK_PLACEMENT, TASK_POOL) == NULL)
		return hrw_fault_at(edit->fault, "%s", "");
	return hrw_fault_at(edit->fault, "/placement%s", param);
}

/* The bit of a field that a pointer begins with; 0: none. */
static unsigned
field_bit(const char *field)
{
	size_t len = strcspn(field, "/");

	for (unsigned bit = 1; bit <= NODE_FIELDS; bit <<= 1)
		if (strncmp(document_field_name(bit), field, len) == 0 &&
		    document_field_name(bit)[len] == '\0')
			return bit;
	return 0;
}

/* Did the request say this field of the node, or bring the node without it? */
static bool
speaks_of(const struct entry *e, unsigned bit)
{
	return e->task != NULL && (e->was == NULL || (e->set & bit) != 0);
}

/* Where two nodes clash, core names one of them, which may be the one that was
 * there: then the other is meant, which the request did speak of. */
static int
at_node(struct edit *edit, const struct entry *e, const char *field)
{
	unsigned bit = field_bit(field);

	if (speaks_of(e, bit))
		return edit_at_entry(edit, e, field);
	for (size_t i = 0; i < edit->count && asked(edit, TASK_PLACEMENT, TASK_POOL) == NULL; i++)
		if (!edit->entry[i].is_gone && speaks_of(&edit->entry[i], bit))
			return edit_at_entry(edit, &edit->entry[i], document_field_name(bit));
	return at_placement(edit, "");
}

int
edit_added(struct edit *edit, const struct entry *e)
{
	char field[HRW_FAULT_FIELD];

	if (edit->fault == NULL)
		return 0;
	memcpy(field, edit->fault->field, sizeof(field));
	return at_node(edit, e, field + (field[0] == '/'));
}

int
edit_frozen(struct edit *edit, const size_t *entry)
{
	static const char nodes[] = "/nodes/", placement[] = "/placement", copies[] = "/copies";
	char field[HRW_FAULT_FIELD], *end;
	size_t at;

	if (edit->fault == NULL)
		return 0;
	memcpy(field, edit->fault->field, sizeof(field));
	if (strncmp(field, nodes, sizeof(nodes) - 1) == 0) {
		at = strtoul(field + sizeof(nodes) - 1, &end, 10);
		return at_node(edit, &edit->entry[entry[at]], end + (*end == '/'));
	}
	if (strcmp(field, copies) == 0 && asked(edit, TASK_COPIES, TASK_POOL) != NULL)
		return (int)edit->fault->error;
	if (strncmp(field, placement, sizeof(placement) - 1) == 0)
		return at_placement(edit, field + sizeof(placement) - 1);
	return at_placement(edit, "");
}
