/*
 * states_vectors_test.c - replays states.json: sequences of changes, and who
 * holds what, warm or not, after each of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

static struct json *
load(const char *path)
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

static struct pool *
first_pool(const struct json *sequence)
{
	struct hrw_membership *m = hrw_membership_new(
	    hrw_placements[0], (unsigned)json_number(json_get(sequence, "copies")));
	struct hrw_fault fault = {0};
	struct pool *pool;

	json_each (j, json_get(sequence, "nodes")) {
		struct hrw_node node;
		unsigned set;

		if (document_node_read(j, NODE_FIELDS, false, NULL, &node, &set, &fault) < 0 ||
		    hrw_membership_add(m, &node, NULL, &fault) < 0)
			ck_abort_msg("%s", fault.detail);
	}
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, &fault), 0);
	pool = pool_new("default", 1, NULL, -1, m, m);
	ck_assert_ptr_nonnull(pool);
	return pool;
}

/* A step as the request it stands for: a /changes body with "later" as the
 * parameter, or a settle. */
static struct change *
change_of(const struct json *step)
{
	struct change *c = change_new("default");
	struct buffer body = {0};
	struct json_out o = json_out(&body);
	struct hrw_fault fault = {0};
	struct json *parsed;

	c->force = GUARD_KEYS_AT_RISK;
	c->settles_later = json_bool(json_get(step, "later"));
	if (json_get(step, "settle") != NULL) {
		ck_assert_ptr_nonnull(change_add(c, TASK_SETTLE));
		return c;
	}
	json_open_object(&o, NULL);
	json_each (member, step)
		if (strcmp(json_name(member), "later") != 0)
			json_put_tree(&o, json_name(member), member);
	json_close_object(&o);
	parsed = json_parse(buffer_bytes(&body), JSON_STRICT, &fault);
	if (parsed == NULL || change_read(c, parsed, true, &hrw_limits_max, &fault) < 0)
		ck_abort_msg("%s: %s", buffer_text(&body), fault.detail);
	json_free(parsed);
	buffer_fini(&body);
	return c;
}

static struct pool *
step_on(struct pool *pool, const struct json *step)
{
	struct change *c = change_of(step);
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

static void
check_names(const struct json *names, const struct pool *pool, const uint32_t *node, size_t count)
{
	size_t i = 0;

	ck_assert_uint_eq(json_count(names), count);
	json_each (name, names)
		ck_assert_str_eq(json_text(name), pool->present->node[node[i++]].name);
}

static void
check_case(const struct json *j, const struct pool *pool)
{
	struct hrw_lookup found;
	size_t i = 0;

	hrw_settled_lookup(&pool->match, json_bytes(json_get(j, "key")), 0, &found);
	check_names(json_get(j, "replicas"), pool, found.holder, found.count);
	check_names(json_get(j, "fallback"), pool, found.fallback, found.fallback_count);
	ck_assert_uint_eq(json_count(json_get(j, "warm")), found.count);
	json_each (warm, json_get(j, "warm"))
		ck_assert_int_eq(json_bool(warm), found.is_warm[i++]);
}

START_TEST(sequences_of_changes_end_where_they_should)
{
	struct json *root = load("tests/vectors/states.json");
	size_t sequences = 0, cases = 0;

	json_each (sequence, json_get(root, "sequences")) {
		struct pool *pool = first_pool(sequence);

		json_each (step, json_get(sequence, "steps"))
			pool = step_on(pool, step);
		ck_assert_msg(pool_is_settled(pool) == json_bool(json_get(sequence, "settled")),
		    "sequence %zu: settled", sequences);
		json_each (j, json_get(sequence, "cases")) {
			check_case(j, pool);
			cases++;
		}
		pool_release(pool);
		sequences++;
	}
	ck_assert_uint_eq(sequences, 60);
	ck_assert_uint_gt(cases, 1000);
	json_free(root);
}
END_TEST

SUITE(states_vectors)
{
	tcase_add_test(tests, sequences_of_changes_end_where_they_should);
}
