/*
 * replay.c - sequences of changes from JSON.
 */
#include "tests/dsl/replay.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

struct json *
replay_load(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct hrw_fault fault = {0};
	struct json *root;
	char *text = NULL;
	size_t room = 0;
	ssize_t len;

	ck_assert_msg(file != NULL, "no %s: run from the root of the repository", path);
	len = getdelim(&text, &room, '\0', file);
	ck_assert_int_gt(len, 0);
	root = json_parse(hrw_bytes(text, (size_t)len), JSON_STORED, &fault);
	ck_assert_msg(root != NULL, "%s", fault.detail);
	free(text);
	fclose(file);
	return root;
}

static void
freeze(struct hrw_membership *m)
{
	struct hrw_fault fault = {0};

	if (hrw_membership_freeze(m, NULL, &fault) < 0)
		ck_abort_msg("%s", fault.detail);
}

struct pool *
replay_first(const struct json *j)
{
	unsigned copies = (unsigned)json_number(json_get(j, "copies"));
	struct hrw_membership *present = hrw_membership_new(hrw_placements[0], copies);
	struct hrw_membership *settled;
	struct hrw_fault fault = {0};
	struct pool *pool;
	bool drains = false;

	json_each (entry, json_get(j, "nodes")) {
		struct hrw_node node;
		unsigned set;

		if (document_node_read(entry, NODE_FIELDS, false, NULL, &node, &set, &fault) < 0 ||
		    hrw_membership_add(present, &node, NULL, &fault) < 0)
			ck_abort_msg("%s", fault.detail);
	}
	freeze(present);
	settled = hrw_membership_copy(present);
	for (size_t i = 0; i < present->count; i++) {
		if (present->node[i].state == HRW_JOINING)
			hrw_membership_remove(settled, present->node[i].name);
		else
			hrw_membership_find(settled, present->node[i].name)->state = HRW_ACTIVE;
		drains = drains || present->node[i].state == HRW_DRAINING;
	}
	freeze(settled);
	pool = pool_new("default", 1, NULL, &pool_no_terms, present, settled);
	ck_assert_ptr_nonnull(pool);
	pool->only_joins = !drains;
	return pool;
}

struct change *
replay_change(const struct json *step)
{
	bool settles = json_get(step, "settle") != NULL;
	struct change *c = change_new("default");
	struct buffer body = {0};
	struct json_out o = json_out(&body);
	struct hrw_fault fault = {0};
	struct json *parsed;

	c->force = ~0u;
	if (settles && json_count(step) == 1) {
		ck_assert_ptr_nonnull(change_add(c, TASK_SETTLE));
		return c;
	}
	c->settles_now = settles;
	json_open_object(&o, NULL);
	json_each (member, step)
		if (strcmp(json_name(member), "settle") != 0)
			json_put_tree(&o, json_name(member), member);
	json_close_object(&o);
	parsed = json_parse(buffer_bytes(&body), JSON_STRICT, &fault);
	if (parsed == NULL || change_read(c, parsed, true, &hrw_limits_max, &fault) < 0)
		ck_abort_msg("%s: %s", buffer_text(&body), fault.detail);
	json_free(parsed);
	buffer_fini(&body);
	return c;
}

struct pool *
replay_step(struct pool *pool, const struct json *step)
{
	struct change *c = replay_change(step);
	struct outcome out;
	struct hrw_fault fault = {0};
	struct pool *next;

	if (change_build(c, pool, TEST_NOW_MS, &hrw_limits_max, &out, &fault) < 0)
		ck_abort_msg("%s", fault.detail);
	next = pool_acquire(out.after);
	ck_assert_uint_eq(next->epoch, pool->epoch + !out.is_unchanged);
	outcome_fini(&out);
	change_free(c);
	pool_release(pool);
	return next;
}
