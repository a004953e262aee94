/*
 * settled_test.c - warm holders, the fallback, and the guard by example.
 */
#include "core/settled.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

#define FOUR "cache-a cache-b cache-c cache-d"

/* One lookup. Returns what it returned. */
static int
look(const struct hrw_membership *present, const struct hrw_membership *settled,
    struct hrw_bytes key, size_t copies, struct hrw_lookup *out)
{
	struct hrw_settled s;
	int rc;

	ck_assert_int_eq(hrw_settled_init(&s, present, settled), 0);
	rc = hrw_settled_lookup(&s, key, copies, out);
	hrw_settled_fini(&s);
	return rc;
}

START_TEST(in_a_settled_pool_every_holder_is_warm)
{
	struct hrw_membership *m = pool(2, FOUR);

	for_each_photo (key, 100) {
		struct hrw_lookup got;

		ck_assert_int_eq(look(m, pool(2, FOUR), key, 0, &got), 2);
		ck_assert(got.is_warm[0] && got.is_warm[1]);
		ck_assert_uint_eq(got.fallback_count, 0);
	}
}
END_TEST

START_TEST(a_draining_node_is_the_fallback_of_the_keys_it_held)
{
	struct hrw_membership *present = pool(2, "cache-a cache-b cache-c!draining cache-d");
	struct hrw_membership *settled = pool(2, FOUR);
	unsigned held = 0;

	for_each_photo (key, 24) {
		struct hrw_lookup got;
		bool is_held = strstr(holders(settled, key, 2), "cache-c") != NULL;

		ck_assert_int_eq(look(present, settled, key, 0, &got), 2);
		ck_assert_uint_eq(got.fallback_count, is_held);
		ck_assert_uint_eq(got.is_warm[0] + got.is_warm[1], is_held ? 1 : 2);
		if (is_held)
			ck_assert_str_eq(present->node[got.fallback[0]].name, "cache-c");
		held += is_held;
	}
	ck_assert_uint_eq(held, 13);
}
END_TEST

START_TEST(a_joining_node_is_cold_and_whom_it_displaced_is_the_fallback)
{
	struct hrw_membership *present = pool(1, FOUR " cache-e!joining");
	struct hrw_membership *settled = pool(1, FOUR);

	for_each_photo (key, 100) {
		struct hrw_lookup got;
		bool is_new = owns(present, "cache-e", key);

		ck_assert_int_eq(look(present, settled, key, 0, &got), 1);
		ck_assert_int_eq(got.is_warm[0], !is_new);
		ck_assert_uint_eq(got.fallback_count, is_new);
		if (is_new)
			ck_assert_str_eq(present->node[got.fallback[0]].name, owner(settled, key));
	}
}
END_TEST

START_TEST(without_servers_the_fallback_is_still_told)
{
	struct hrw_lookup got;

	ck_assert_int_eq(
	    look(pool(2, "a!draining b!draining"), pool(2, "a b"), hrw_text("photo-7"), 0, &got),
	    HRW_NO_SERVERS);
	ck_assert_uint_eq(got.count, 0);
	ck_assert_uint_eq(got.fallback_count, 2);
}
END_TEST

START_TEST(a_node_that_is_listed_no_more_is_no_fallback)
{
	struct hrw_lookup got;

	ck_assert_int_eq(look(pool(1, "b"), pool(1, "a"), hrw_text("photo-7"), 0, &got), 1);
	ck_assert_uint_eq(got.fallback_count, 0);
	ck_assert(!got.is_warm[0]);
}
END_TEST

START_TEST(asked_for_copies_lengthen_the_list_and_change_nothing_else)
{
	struct hrw_membership *present = pool(2, "a b c d!draining"), *settled = pool(2, "a b c d");

	for_each_photo (key, 50) {
		struct hrw_lookup own, more, less;

		ck_assert_int_eq(look(present, settled, key, 0, &own), 2);
		ck_assert_int_eq(look(present, settled, key, 3, &more), 3);
		ck_assert_int_eq(look(present, settled, key, 1, &less), 1);
		ck_assert_uint_eq(more.holders, 2);
		ck_assert_uint_eq(less.holders, 2);
		ck_assert(!more.is_warm[2]);
		for (size_t i = 0; i < 2; i++) {
			ck_assert_uint_eq(more.holder[i], own.holder[i]);
			ck_assert_uint_eq(less.holder[i], own.holder[i]);
			ck_assert_int_eq(more.is_warm[i], own.is_warm[i]);
		}
		ck_assert_uint_eq(more.fallback_count, own.fallback_count);
		ck_assert_uint_eq(less.fallback_count, own.fallback_count);
	}
	for_each_photo (key, 20) {
		struct hrw_lookup got;

		ck_assert_int_eq(look(pool(1, "a b c"), pool(1, "a b c"), key, 3, &got), 3);
		ck_assert(got.is_warm[0] && !got.is_warm[1] && !got.is_warm[2]);
	}
}
END_TEST

START_TEST(more_copies_than_there_may_be_are_refused)
{
	struct hrw_lookup got;

	ck_assert_int_eq(
	    look(nodes("a"), nodes("a"), hrw_text("k"), HRW_COPIES_MAX + 1, &got), HRW_BAD_COPIES);
	ck_assert_uint_eq(got.count + got.fallback_count, 0);
}
END_TEST

START_TEST(the_guard_counts_draining_nodes_or_their_zones)
{
	static const struct {
		const char *why;
		unsigned copies;
		const char *settled, *present;
		bool is_at_risk;
	} rows[] = {
	    {"nothing drains", 2, "a b c", "a b c", false},
	    {"one of two copies drains", 2, "a b c", "a!draining b c", false},
	    {"both copies may drain", 2, "a b c d", "a!draining b!draining c d", true},
	    {"three copies bear two", 3, "a b c d", "a!draining b!draining c d", false},
	    {"the one copy of some keys", 1, "a b", "a!draining b", true},
	    {"weight 0 counts as draining", 2, "a b c", "a!draining b:0 c", true},
	    {"what took no keys held none", 2, "a b:0 c d", "a!draining b:0 c d", false},
	    {"a weight that comes back drains nothing", 2, "a b:0 c", "a!draining b c", false},
	    {"gone counts as draining", 2, "a b c", "a!draining c", true},
	    {"drained when it settled: it is empty", 2, "a!draining b c d",
		"a!draining b!draining c d", false},
	    {"it drained while joining: it holds nothing", 2, "a b c", "a!draining b c e!draining",
		false},
	    {"fewer nodes than copies: all of them", 3, "a b", "a!draining b!draining c", true},
	    {"fewer nodes than copies: one stays", 3, "a b", "a!draining b c", false},
	    {"nobody ever held a key", 2, "", "a!draining", false},
	    {"two of one zone hold no two copies", 2, "a@x b@x c@y",
		"a@x!draining b@x!draining c@y", false},
	    {"two zones hold two copies", 2, "a@x b@x c@y", "a@x!draining b@x c@y!draining", true},
	    {"a node without a zone is its own", 2, "a@x b c@y", "a@x!draining b!draining c@y",
		true},
	    {"zones as they were settled", 2, "a@x b@x c@y", "a@x!draining b@z!draining c@y",
		false},
	    {"fewer zones than copies: two of one zone", 2, "a@x b@x c@x",
		"a@x!draining b@x!draining c@x", true},
	    {"fewer zones than copies: a zone has none", 3, "a@x b@x c@x d@y",
		"a@x!draining b@x!draining c@x!draining d@y", false},
	    {"fewer zones than copies: too few nodes", 3, "a@x b@x c@y",
		"a@x!draining b@x c@y!draining", false},
	    {"fewer zones than copies: every zone, enough nodes", 3, "a@x b@x c@y d@y",
		"a@x!draining b@x!draining c@y!draining d@y", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hrw_settled s;

		ck_assert_int_eq(hrw_settled_init(&s, pool(rows[i].copies, rows[i].present),
				     pool(rows[i].copies, rows[i].settled)),
		    0);
		ck_assert_msg(hrw_settled_at_risk(&s, HRW_RISK_GOING) == rows[i].is_at_risk, "%s",
		    rows[i].why);
		hrw_settled_fini(&s);
	}
}
END_TEST

/* Settled, a key has one copy; the second is still to be made. */
START_TEST(the_guard_goes_by_the_copies_that_are_in_place)
{
	struct hrw_settled s;

	ck_assert_int_eq(hrw_settled_init(&s, pool(2, "a!draining b c"), pool(1, "a b c")), 0);
	ck_assert(hrw_settled_at_risk(&s, HRW_RISK_GOING));
	hrw_settled_fini(&s);
}
END_TEST

SUITE(settled)
{
	tcase_add_test(tests, in_a_settled_pool_every_holder_is_warm);
	tcase_add_test(tests, a_draining_node_is_the_fallback_of_the_keys_it_held);
	tcase_add_test(tests, a_joining_node_is_cold_and_whom_it_displaced_is_the_fallback);
	tcase_add_test(tests, without_servers_the_fallback_is_still_told);
	tcase_add_test(tests, a_node_that_is_listed_no_more_is_no_fallback);
	tcase_add_test(tests, asked_for_copies_lengthen_the_list_and_change_nothing_else);
	tcase_add_test(tests, more_copies_than_there_may_be_are_refused);
	tcase_add_test(tests, the_guard_counts_draining_nodes_or_their_zones);
	tcase_add_test(tests, the_guard_goes_by_the_copies_that_are_in_place);
}
