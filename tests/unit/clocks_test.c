/*
 * clocks_test.c - memberships that count as settled when their time has come.
 */
#include <stdlib.h>

#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* The pool with a term of its own, as PATCH /pools/{pool} sets it; NULL with *error
 * where it may not. */
static struct pool *
patched(struct pool *pool, const char *json, int *error)
{
	struct hrw_fault fault = {0};
	struct json *j = json_parse(hrw_text(quoted(json)), JSON_STRICT, &fault);
	struct change *c = blank();

	*error = change_read_pool_patch(c, j, &hrw_limits_max, &fault);
	json_free(j);
	return *error == 0 ? after_change(pool, c) : NULL;
}

static struct pool *
clocked(unsigned copies, const char *nodes)
{
	int error;

	return patched(made(copies, nodes), "{'settles_after':60}", &error);
}

/* The clock of `then` runs out. */
static struct pool *
counted(struct pool *pool, const struct pool *then)
{
	struct change *c = task_on(TASK_SETTLE_EPOCH, NULL);

	c->task[0].epoch = then->epoch;
	c->task[0].template = hrw_membership_copy(then->present);
	return after_change(pool, c);
}

START_TEST(a_time_is_a_whole_number_of_seconds_or_null)
{
	static const char *const terms[] = {"settles_after", "max_ttl"};
	static const char *const bad[] = {"0", "-1", "1.5", "'60'", "true", "316224001", "1e300"};
	int error;

	for (size_t t = 0; t < 2; t++) {
		struct pool *p = made(1, "a");

		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			patched(p, text("{'%s':%s}", terms[t], bad[i]), &error);
			ck_assert_msg(error == HRW_BAD_FIELD, "%s %s", terms[t], bad[i]);
		}
		p = patched(p, text("{'%s':%d}", terms[t], POOL_SECONDS_MAX), &error);
		ck_assert_uint_eq(p->terms.settles_after + p->terms.max_ttl, POOL_SECONDS_MAX);
		p = patched(p, text("{'%s':null}", terms[t]), &error);
		ck_assert_uint_eq(p->terms.settles_after + p->terms.max_ttl, 0);
	}
}
END_TEST

START_TEST(a_clock_starts_with_a_change_of_copies_and_ends_when_the_pool_is_settled)
{
	struct pool *p = clocked(1, "a b"), *next;
	int error;

	ck_assert_uint_eq(p->clocks.count, 0);
	next = after(p, "{'add':[{'name':'c'}]}");
	ck_assert_uint_eq(next->clocks.count, 1);
	ck_assert_uint_eq(next->clocks.at[0].epoch, next->epoch);
	ck_assert(next->clocks.at[0].at_ms == TEST_NOW_MS);
	/* A term is not a matter of copies. */
	ck_assert_uint_eq(patched(next, "{'max_moved':1}", &error)->clocks.count, 1);
	ck_assert_uint_eq(patched(next, "{'settles_after':null}", &error)->clocks.count, 0);
	ck_assert_uint_eq(after_change(next, task_on(TASK_SETTLE, NULL))->clocks.count, 0);
	ck_assert_uint_eq(counted(next, next)->clocks.count, 0);
	ck_assert(pool_is_settled(counted(next, next)));
	ck_assert_str_eq(shown(counted(next, next)->present), "a b c");
	ck_assert_uint_eq(after(p, "{'rejoin':['a']}")->clocks.count, 1);
	ck_assert_uint_eq(after(made(1, "a b"), "{'drain':['a']}")->clocks.count, 0);
}
END_TEST

/* A node that loses a key to a later change misses its writes: it would be called warm. */
START_TEST(a_clock_stops_when_a_later_change_moves_keys_or_empties_a_node)
{
	struct pool *p = after(clocked(1, "a b"), "{'add':[{'name':'c'}]}");
	static const char *const changes[] = {"{'add':[{'name':'d'}]}", "{'reweight':{'a':2}}",
	    "{'drain':['a']}", "{'copies':2}", "{'rejoin':['c']}"};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct pool *next = after(p, changes[i]);

		ck_assert_uint_eq(next->clocks.count, 1);
		ck_assert_uint_eq(next->clocks.at[0].epoch, next->epoch);
	}
	p = after(p, "{'patch':{'a':{'address':'new.test:1'}}}");
	ck_assert_uint_eq(p->clocks.at[0].epoch, p->epoch - 1);
}
END_TEST

START_TEST(the_oldest_clock_and_the_newest_are_kept)
{
	struct pool *p = after(clocked(1, "a b"), "{'add':[{'name':'c'}]}");
	uint64_t first = p->epoch;

	for (int i = 0; i < POOL_CLOCKS + 8; i++)
		p = after(p, text("{'patch':{'a':{'address':'new.test:%d'}}}", i + 1));
	ck_assert_uint_eq(p->clocks.count, POOL_CLOCKS);
	ck_assert_uint_eq(p->clocks.at[0].epoch, first);
	ck_assert_uint_eq(p->clocks.at[POOL_CLOCKS - 1].epoch, p->epoch);
}
END_TEST

/* Its last activation says nothing of the keys that others gained. */
START_TEST(an_activation_settles_no_pool_whose_other_nodes_gained_keys)
{
	struct pool *p = after(made(1, "a b c"), "{'placement':'modulo'}");

	p = after_change(p, task_on(TASK_SETTLE, NULL));
	p = after(after(p, "{'add':[{'name':'d'}]}"), "{'activate':['d']}");
	ck_assert(!pool_is_settled(p));
}
END_TEST

SUITE(clocks)
{
	tcase_add_test(tests, a_time_is_a_whole_number_of_seconds_or_null);
	tcase_add_test(
	    tests, a_clock_starts_with_a_change_of_copies_and_ends_when_the_pool_is_settled);
	tcase_add_test(tests, a_clock_stops_when_a_later_change_moves_keys_or_empties_a_node);
	tcase_add_test(tests, the_oldest_clock_and_the_newest_are_kept);
	tcase_add_test(tests, an_activation_settles_no_pool_whose_other_nodes_gained_keys);
}
