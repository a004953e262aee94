/*
 * states_vectors_test.c - replays states.json: sequences of changes, and after each of
 * them which nodes hold a key, which are warm, and which copies are to be made.
 */
#include <stdio.h>

#include "tests/dsl/replay.h"
#include "tests/dsl/suite.h"

static void
check_names(const struct json *names, const struct pool *pool, const uint32_t *node, size_t count,
    const char *where)
{
	size_t i = 0;

	ck_assert_msg(json_count(names) == count, "%s: %zu nodes in %s, not %zu", where, count,
	    json_name(names), json_count(names));
	json_each (name, names) {
		const char *is = pool->present->node[node[i++]].name;

		ck_assert_msg(strcmp(json_text(name), is) == 0, "%s: %s in %s, not %s", where, is,
		    json_name(names), json_text(name));
	}
}

/* The holders that are warm, or cold. */
static size_t
holders(const struct hrw_lookup *found, bool is_warm, uint32_t *out)
{
	size_t count = 0;

	for (size_t i = 0; i < found->holders; i++)
		if (found->is_warm[i] == is_warm)
			out[count++] = found->holder[i];
	return count;
}

static void
check_case(const struct json *j, const struct pool *pool, const char *where)
{
	uint32_t missing[HRW_COPIES_MAX], from[2 * HRW_COPIES_MAX];
	struct hrw_lookup found;
	size_t i = 0, count;

	hrw_settled_lookup(&pool->match, json_bytes(json_get(j, "key")), 0, &found);
	check_names(json_get(j, "replicas"), pool, found.holder, found.count, where);
	check_names(json_get(j, "fallback"), pool, found.fallback, found.fallback_count, where);
	ck_assert_uint_eq(json_count(json_get(j, "warm")), found.count);
	json_each (warm, json_get(j, "warm"))
		ck_assert_msg(json_bool(warm) == found.is_warm[i++], "%s: warm", where);
	check_names(json_get(j, "missing"), pool, missing, holders(&found, false, missing), where);
	count = holders(&found, true, from);
	memcpy(from + count, found.fallback, found.fallback_count * sizeof(*from));
	check_names(json_get(j, "from"), pool, from, count + found.fallback_count, where);
}

static void
check_joining(const struct json *names, const struct pool *pool, const char *where)
{
	size_t count = 0;

	json_each (name, names)
		ck_assert_int_eq(
		    hrw_membership_find(pool->present, json_text(name))->state, HRW_JOINING);
	for (size_t i = 0; i < pool->present->count; i++)
		count += pool->present->node[i].state == HRW_JOINING;
	ck_assert_msg(count == json_count(names), "%s: %zu joining", where, count);
}

START_TEST(sequences_of_changes_end_where_they_should)
{
	struct json *root = replay_load("tests/vectors/states.json");
	size_t sequences = 0, cases = 0;
	char where[32];

	json_each (sequence, json_get(root, "sequences")) {
		struct pool *pool = replay_first(sequence);

		snprintf(where, sizeof(where), "sequence %zu", sequences);
		json_each (step, json_get(sequence, "steps"))
			pool = replay_step(pool, step);
		ck_assert_msg(pool_is_settled(pool) == json_bool(json_get(sequence, "settled")),
		    "%s: settled", where);
		check_joining(json_get(sequence, "joining"), pool, where);
		json_each (j, json_get(sequence, "cases")) {
			check_case(j, pool, where);
			cases++;
		}
		pool_release(pool);
		sequences++;
	}
	ck_assert_uint_eq(sequences, 140);
	ck_assert_uint_gt(cases, 1000);
	json_free(root);
}
END_TEST

SUITE(states_vectors)
{
	tcase_add_test(tests, sequences_of_changes_end_where_they_should);
}
