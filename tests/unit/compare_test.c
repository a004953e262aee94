/*
 * compare_test.c - how evenly keys lie, and what is counted for one placement.
 */
#include <math.h>

#include "core/compare.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"

START_TEST(equal_nodes_deviate_by_the_plain_standard_deviation)
{
	static const uint64_t owned[] = {10, 20, 30};
	struct hrw_spread s;

	ck_assert(hrw_spread(nodes("a b c"), owned, &s));
	ck_assert_double_eq_tol(s.deviation, sqrt(200.0 / 3) / 20, 1e-12);
	ck_assert_uint_eq(s.busiest.node, 2);
	ck_assert_uint_eq(s.busiest.keys, 30);
	ck_assert_double_eq_tol(s.busiest.share, 0.5, 1e-12);
	ck_assert_double_eq_tol(s.busiest.fair, 1.0 / 3, 1e-12);
	ck_assert_uint_eq(s.quietest.node, 0);
}
END_TEST

START_TEST(a_node_of_weight_2_is_as_two_of_weight_1)
{
	static const uint64_t owned[] = {20, 60}, apart[] = {10, 10, 60};
	struct hrw_spread s, t;

	ck_assert(hrw_spread(nodes("a:2 b"), owned, &s));
	ck_assert(hrw_spread(nodes("a b c"), apart, &t));
	ck_assert_double_eq_tol(s.deviation, t.deviation, 1e-12);
	ck_assert_uint_eq(s.busiest.node, 1);
	ck_assert_double_eq_tol(s.busiest.fair, 1.0 / 3, 1e-12);
}
END_TEST

START_TEST(fair_shares_deviate_by_nothing_and_the_first_by_name_is_named)
{
	static const uint64_t owned[] = {30, 10, 5, 0};
	struct hrw_spread s;

	ck_assert(hrw_spread(nodes("a:6 b:2 c d!draining"), owned, &s));
	ck_assert_double_eq_tol(s.deviation, 0, 1e-12);
	ck_assert_uint_eq(s.busiest.node, 0);
	ck_assert_uint_eq(s.quietest.node, 0);
}
END_TEST

START_TEST(without_keys_or_takers_there_is_no_spread)
{
	static const uint64_t none[] = {0, 0};
	struct hrw_spread s;

	ck_assert(!hrw_spread(nodes("a b"), none, &s));
	ck_assert(!hrw_spread(nodes("a!draining b:0"), none, &s));
	ck_assert(!hrw_spread(nodes(""), none, &s));
}
END_TEST

static struct hrw_compared
compared(const struct hrw_membership *before, const struct hrw_membership *after, size_t keys)
{
	struct hrw_compared c;

	ck_assert_int_eq(hrw_compared_init(&c, before, after), 0);
	for_each_key (key, keys)
		ck_assert_int_eq(hrw_compared_key(&c, key, NULL), 0);
	ck_assert_uint_eq(c.keys, keys);
	return c;
}

START_TEST(owners_are_counted_alike_with_and_without_a_change)
{
	const struct hrw_membership *m = nodes("b c d e"), *after = nodes("a b d e");
	struct hrw_compared without = compared(m, NULL, 1000), with = compared(m, after, 1000);

	ck_assert_ptr_null(without.tally);
	for (size_t i = 0; i < m->count; i++)
		ck_assert_uint_eq(without.owned[i], with.owned[i]);
	ck_assert_uint_gt(with.tally->changed, 250);
	ck_assert_uint_eq(with.tally->needless, 0);
	hrw_compared_fini(&without);
	hrw_compared_fini(&with);
}
END_TEST

START_TEST(modulo_moves_most_keys_and_most_of_them_needlessly)
{
	struct hrw_compared c =
	    compared(frozen(placed("modulo", "a b c d")), frozen(placed("modulo", "a b d")), 10000);

	ck_assert_uint_gt(c.tally->changed, 7000);
	ck_assert_uint_gt(c.tally->needless, 4500);
	ck_assert_uint_lt(c.tally->needless, c.tally->changed);
	hrw_compared_fini(&c);
}
END_TEST

START_TEST(keys_that_nobody_owns_are_counted_apart_and_bad_ones_refused)
{
	struct hrw_membership *half = placed("redis-cluster", "a b");
	struct hrw_compared c;
	struct hrw_fault fault = {0};

	give_slots(half, "a", 0, 8191);
	frozen(half);
	c = compared(half, half, 1000);
	ck_assert_uint_gt(c.unplaced, 400);
	ck_assert_uint_lt(c.unplaced, 600);
	ck_assert_uint_eq(c.unplaced + c.owned[0], 1000);
	hrw_compared_fini(&c);

	for (int has_change = 0; has_change < 2; has_change++) {
		struct hrw_membership *m = frozen(placed("jump key_type=uint64", "a b"));

		ck_assert_int_eq(hrw_compared_init(&c, m, has_change ? m : NULL), 0);
		ck_assert_int_eq(hrw_compared_key(&c, hrw_text("7"), &fault), 0);
		ck_assert_int_eq(hrw_compared_key(&c, hrw_text("x"), &fault), HRW_BAD_KEY);
		ck_assert_ptr_nonnull(strstr(fault.detail, "uint64"));
		ck_assert_uint_eq(c.keys, 1);
		hrw_compared_fini(&c);
	}
}
END_TEST

SUITE(compare)
{
	tcase_add_test(tests, equal_nodes_deviate_by_the_plain_standard_deviation);
	tcase_add_test(tests, a_node_of_weight_2_is_as_two_of_weight_1);
	tcase_add_test(tests, fair_shares_deviate_by_nothing_and_the_first_by_name_is_named);
	tcase_add_test(tests, without_keys_or_takers_there_is_no_spread);
	tcase_add_test(tests, owners_are_counted_alike_with_and_without_a_change);
	tcase_add_test(tests, modulo_moves_most_keys_and_most_of_them_needlessly);
	tcase_add_test(tests, keys_that_nobody_owns_are_counted_apart_and_bad_ones_refused);
}
