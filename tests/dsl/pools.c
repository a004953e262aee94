/*
 * pools.c - pools and changes from short text.
 */
#include "tests/dsl/pools.h"

#include <check.h>
#include <stdlib.h>

#include "tests/dsl/nodes.h"

/* What was made, so that it stays reachable: a test need not free it. */
static void **kept;
static size_t kept_count;

static void *
keep(void *made_here)
{
	ck_assert_ptr_nonnull(made_here);
	kept = realloc(kept, (kept_count + 1) * sizeof(*kept));
	ck_assert_ptr_nonnull(kept);
	kept[kept_count++] = made_here;
	return made_here;
}

struct pool *
made(unsigned copies, const char *text)
{
	struct hrw_membership *m = draft(text);

	m->copies = copies;
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	return keep(pool_new("default", 1, NULL, &pool_no_terms, m, m));
}

const char *
quoted(const char *text)
{
	char *copy = keep(strdup(text));

	for (char *at = copy; *at != '\0'; at++)
		if (*at == '\'')
			*at = '"';
	return copy;
}

struct change *
blank(void)
{
	return keep(change_new("default"));
}

struct change *
asked(const char *json)
{
	struct hrw_fault fault = {0};
	struct json *body = json_parse(hrw_text(quoted(json)), JSON_STRICT, &fault);
	struct change *c = blank();

	if (body == NULL || change_read(c, body, true, &hrw_limits_max, &fault) < 0)
		ck_abort_msg("%s: %s", json, fault.detail);
	json_free(body);
	return c;
}

struct change *
task_on(enum task_op op, const char *name)
{
	struct change *c = blank();
	struct task *task = change_add(c, op);

	if (name != NULL)
		task->node.name = strdup(name);
	return c;
}

const struct tried *
tried(struct pool *pool, struct change *c)
{
	struct tried *t = keep(calloc(1, sizeof(*t)));

	t->rc = change_build(c, pool, TEST_NOW_MS, &hrw_limits_max, &t->out, &t->fault);
	return t;
}

struct pool *
after_change(struct pool *pool, struct change *c)
{
	const struct tried *t = tried(pool, c);

	ck_assert_msg(t->rc == 0 && t->out.after != NULL, "%s", t->fault.detail);
	return t->out.after;
}

struct pool *
after(struct pool *pool, const char *json)
{
	return after_change(pool, asked(json));
}

struct pool *
forced(struct pool *pool, const char *json)
{
	struct change *c = asked(json);

	c->force = ~0u;
	return after_change(pool, c);
}

int
error_of(struct pool *pool, const char *json)
{
	return tried(pool, asked(json))->rc;
}

const char *
shown(const struct hrw_membership *m)
{
	struct buffer text = {0};

	for (size_t i = 0; i < m->count; i++) {
		const struct hrw_node *node = &m->node[i];

		buffer_printf(&text, "%s%s", i > 0 ? " " : "", node->name);
		if (node->weight != 1)
			buffer_printf(&text, ":%g", node->weight);
		if (node->zone != NULL)
			buffer_printf(&text, "@%s", node->zone);
		if (node->state != HRW_ACTIVE)
			buffer_printf(&text, "!%s", hrw_state_name(node->state));
	}
	return keep(buffer_take(&text));
}
