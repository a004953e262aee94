/*
 * estimate_test.c - sample keys, shares and intervals.
 */
#include <math.h>

#include "core/estimate.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

static const char *
sample(const struct hrw_membership *m, uint32_t i)
{
	static char room[HRW_SAMPLE_KEY_BYTES];
	struct hrw_bytes key = hrw_sample_key(m, i, room);

	ck_assert_uint_eq(key.len, strlen(room));
	return room;
}

/* The default placement with other traits or parameters; not frozen. */
static struct hrw_membership *
drafted_by(const struct hrw_placement *placement, const char *text)
{
	struct hrw_membership *m = draft(text);

	m->placement = placement;
	return m;
}

START_TEST(the_sample_never_changes)
{
	struct hrw_membership *m = nodes("a");

	ck_assert_str_eq(sample(m, 0), "sample-0");
	ck_assert_str_eq(sample(m, 12345), "sample-12345");
	ck_assert_str_eq(sample(m, HRW_SAMPLE_KEYS - 1), "sample-65535");
}
END_TEST

START_TEST(sample_keys_are_of_the_pools_key_type)
{
	static const char *const types[] = {
	    "text", "int32", "uint32", "int64", "uint64", "uuid", NULL};
	static const struct hrw_param params[] = {
	    {.name = "other", .type = HRW_PARAM_FLAG},
	    {.name = "key_type", .type = HRW_PARAM_CHOICE, .choices = types},
	    {.name = NULL},
	};
	static const char *const third[] = {"sample-3", "-2047822809", "2247144487",
	    "-8795331989883893891", "9651412083825657725", "85f0b427-a557-477d-8aa0-44bfdd3f1aad"};
	struct hrw_placement placement = *hrw_placements[0];
	struct hrw_membership *m;

	placement.params = params;
	m = drafted_by(&placement, "a");
	for (size_t i = 0; types[i] != NULL; i++) {
		m->param[1].number = i;
		ck_assert_str_eq(sample(m, 3), third[i]);
	}
	m->placement = hrw_placements[0];
	hrw_membership_free(m);
}
END_TEST

/* 9 degrees of freedom: chi-square exceeds 27.9 once in a thousand samples. */
START_TEST(the_sample_spreads_evenly)
{
	struct hrw_membership *m =
	    nodes("node-0 node-1 node-2 node-3 node-4 node-5 node-6 node-7 node-8 node-9");
	double count[10] = {0}, mean = HRW_SAMPLE_KEYS / 10.0, chi = 0;

	for (uint32_t i = 0; i < HRW_SAMPLE_KEYS; i++)
		count[owner(m, hrw_text(sample(m, i)))[5] - '0']++;
	for (size_t i = 0; i < 10; i++)
		chi += (count[i] - mean) * (count[i] - mean) / mean;
	ck_assert_double_lt(chi, 27.9);
}
END_TEST

/* Newcombe, Statistics in Medicine 17, 1998, table I, method 3. */
START_TEST(wilson_agrees_with_the_published_intervals)
{
	static const struct {
		uint64_t hits, total;
		double low, high;
	} rows[] = {
	    {81, 263, 0.2553, 0.3662},
	    {15, 148, 0.0624, 0.1605},
	    {0, 20, 0, 0.1611},
	    {1, 29, 0.0061, 0.1718},
	    {20, 20, 0.8389, 1},
	    {0, 0, 0, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double low, high;

		hrw_wilson(rows[i].hits, rows[i].total, &low, &high);
		ck_assert_double_eq_tol(low, rows[i].low, 0.00005);
		ck_assert_double_eq_tol(high, rows[i].high, 0.00005);
	}
}
END_TEST

/* The normal point is 1.959964, not 1.96: the seventh digit tells. */
START_TEST(wilson_takes_the_exact_normal_point)
{
	double low, high;

	hrw_wilson(10, 100, &low, &high);
	ck_assert_double_eq_tol(low, 0.05522914, 1e-8);
	ck_assert_double_eq_tol(high, 0.17436566, 1e-8);
}
END_TEST

START_TEST(an_interval_reaches_the_end_that_was_counted)
{
	for (uint64_t total = 1; total < 1000; total++) {
		double low, high;

		hrw_wilson(0, total, &low, &high);
		ck_assert_double_eq(low, 0);
		hrw_wilson(total, total, &low, &high);
		ck_assert_double_eq(high, 1);
	}
}
END_TEST

START_TEST(a_share_is_the_weight_by_the_total)
{
	double share[5];

	hrw_shares(nodes("a b:2 c:3 d:4!draining e:0"), share);
	ck_assert_double_eq_tol(share[0], 1 / 6.0, 1e-15);
	ck_assert_double_eq_tol(share[1], 2 / 6.0, 1e-15);
	ck_assert_double_eq_tol(share[2], 3 / 6.0, 1e-15);
	ck_assert_double_eq(share[3], 0);
	ck_assert_double_eq(share[4], 0);
}
END_TEST

START_TEST(without_a_formula_shares_are_counted_on_the_sample)
{
	struct hrw_placement placement = *hrw_placements[0];
	double share[4];

	placement.traits &= ~(unsigned)HRW_FAIR;
	hrw_shares(frozen(drafted_by(&placement, "a b:2 c:3 d!draining")), share);
	ck_assert_double_eq_tol(share[0], 1 / 6.0, 0.006);
	ck_assert_double_eq_tol(share[1], 2 / 6.0, 0.006);
	ck_assert_double_eq_tol(share[2], 3 / 6.0, 0.006);
	ck_assert_double_eq(share[3], 0);
	ck_assert_double_eq(share[0] + share[1] + share[2], 1);
	ck_assert_double_ne(share[0], 1 / 6.0);
}
END_TEST

START_TEST(nobody_has_a_share_where_nobody_takes_keys)
{
	double share[2] = {1, 1};

	hrw_shares(nodes("a!draining b:0"), share);
	ck_assert_double_eq(share[0], 0);
	ck_assert_double_eq(share[1], 0);
}
END_TEST

START_TEST(a_fifth_node_moves_a_fifth_of_the_owners)
{
	ck_assert_double_eq_tol(hrw_owners_moved(nodes("a b c d"), nodes("a b c d e")), 0.2, 0.006);
	ck_assert_double_eq(hrw_owners_moved(nodes("a b c d"), nodes("d c b a")), 0);
}
END_TEST

START_TEST(every_owner_moves_to_and_from_an_empty_pool)
{
	ck_assert_double_eq(hrw_owners_moved(nodes(""), nodes("a")), 1);
	ck_assert_double_eq(hrw_owners_moved(nodes("a"), nodes("a!draining")), 1);
	ck_assert_double_eq(hrw_owners_moved(nodes(""), nodes("a!draining")), 0);
}
END_TEST

SUITE(estimate)
{
	tcase_add_test(tests, the_sample_never_changes);
	tcase_add_test(tests, sample_keys_are_of_the_pools_key_type);
	tcase_add_test(tests, the_sample_spreads_evenly);
	tcase_add_test(tests, wilson_agrees_with_the_published_intervals);
	tcase_add_test(tests, wilson_takes_the_exact_normal_point);
	tcase_add_test(tests, an_interval_reaches_the_end_that_was_counted);
	tcase_add_test(tests, a_share_is_the_weight_by_the_total);
	tcase_add_test(tests, without_a_formula_shares_are_counted_on_the_sample);
	tcase_add_test(tests, nobody_has_a_share_where_nobody_takes_keys);
	tcase_add_test(tests, a_fifth_node_moves_a_fifth_of_the_owners);
	tcase_add_test(tests, every_owner_moves_to_and_from_an_empty_pool);
}
