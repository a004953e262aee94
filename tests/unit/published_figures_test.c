/*
 * published_figures_test.c - the published figures of placements other than the
 * default: how many keys move, and how evenly they lie.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

/* node-00 … of a placement, `count` of them but the one named `without`; one
 * parameter may be set. */
static struct hrw_membership *
fleet(const char *placement, size_t count, const char *without, size_t param, uint64_t value)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placement_find(placement), 1);
	char name[32];

	if (value != 0) {
		m->param[param].is_given = true;
		m->param[param].number = value;
	}
	for (size_t i = 0; i < count; i++) {
		struct hrw_node node = {.name = name, .weight = 1, .id = HRW_ID_UNSET};

		snprintf(name, sizeof(name), "node-%02zu", i);
		if (without != NULL && strcmp(name, without) == 0)
			continue;
		ck_assert_int_eq(hrw_membership_add(m, &node, NULL, NULL), 0);
	}
	return frozen(m);
}

enum { DEFAULTS = 0 };

static size_t
moved(const struct hrw_membership *before, const struct hrw_membership *after, size_t keys)
{
	size_t count = 0;

	for_each_key (key, keys)
		count += strcmp(owner(before, key), owner(after, key)) != 0;
	return count;
}

/* Keys that moved between nodes that stand in both. */
static size_t
needless(const struct hrw_membership *before, const struct hrw_membership *after, size_t keys)
{
	size_t count = 0;

	for_each_key (key, keys) {
		const char *was = owner(before, key), *is = owner(after, key);

		count += strcmp(was, is) != 0 && hrw_membership_find(after, was) != NULL &&
			 hrw_membership_find(before, is) != NULL;
	}
	return count;
}

/* Standard deviation by mean of the keys a node, in hundredths of a percent. */
static long
spread(const struct hrw_membership *m, size_t keys)
{
	double *count = calloc(m->count, sizeof(*count));
	double mean = (double)keys / (double)m->count, sum = 0;
	uint32_t node;

	for_each_key (key, keys) {
		ck_assert_int_eq(hrw_rank(m, key, 1, &node), 1);
		count[node]++;
	}
	for (size_t i = 0; i < m->count; i++)
		sum += (count[i] - mean) * (count[i] - mean);
	free(count);
	return lround(sqrt(sum / (double)m->count) / mean * 10000);
}

START_TEST(when_node_03_leaves_10107_of_100000_keys_move_and_9141_when_node_10_joins)
{
	const struct hrw_membership *ten = fleet("rendezvous-blake2b", 10, NULL, 0, DEFAULTS);
	const struct hrw_membership *nine = fleet("rendezvous-blake2b", 10, "node-03", 0, DEFAULTS);
	const struct hrw_membership *eleven = fleet("rendezvous-blake2b", 11, NULL, 0, DEFAULTS);

	ck_assert_uint_eq(moved(ten, nine, 100000), 10107);
	ck_assert_uint_eq(moved(ten, eleven, 100000), 9141);
	ck_assert_uint_eq(needless(ten, nine, 100000), 0);
	ck_assert_uint_eq(needless(ten, eleven, 100000), 0);
}
END_TEST

START_TEST(on_a_ring_of_100_points_9146_and_8955_move)
{
	const struct hrw_membership *ten = fleet("ring", 10, NULL, 0, DEFAULTS);

	ck_assert_uint_eq(moved(ten, fleet("ring", 10, "node-03", 0, DEFAULTS), 100000), 9146);
	ck_assert_uint_eq(moved(ten, fleet("ring", 11, NULL, 0, DEFAULTS), 100000), 8955);
}
END_TEST

START_TEST(by_modulo_90123_and_90931_move)
{
	enum { BLAKE2B = 1 };
	const struct hrw_membership *ten = fleet("modulo", 10, NULL, 0, BLAKE2B);

	ck_assert_uint_eq(moved(ten, fleet("modulo", 10, "node-03", 0, BLAKE2B), 100000), 90123);
	ck_assert_uint_eq(moved(ten, fleet("modulo", 11, NULL, 0, BLAKE2B), 100000), 90931);
}
END_TEST

/* By name of its size, `large` with a weight of its own. */
static struct hrw_membership *
sizes(double large)
{
	static const char *const names[] = {"small", "medium", "large", "xlarge"};
	struct hrw_membership *m = hrw_membership_new(hrw_placement_find("rendezvous-blake2b"), 1);

	for (size_t i = 0; i < 4; i++) {
		struct hrw_node node = {.name = (char *)names[i],
		    .weight = i == 2 ? large : (double)i + 1,
		    .id = HRW_ID_UNSET};

		ck_assert_int_eq(hrw_membership_add(m, &node, NULL, NULL), 0);
	}
	return frozen(m);
}

static long
per_mille(const struct hrw_membership *m, const char *name)
{
	size_t count = 0;

	for_each_key (key, 100000)
		count += owns(m, name, key);
	return lround((double)count / 100);
}

START_TEST(weights_1_2_3_4_give_10_1_19_9_30_1_and_39_9_percent)
{
	const struct hrw_membership *m = sizes(3);

	ck_assert_int_eq(per_mille(m, "small"), 101);
	ck_assert_int_eq(per_mille(m, "medium"), 199);
	ck_assert_int_eq(per_mille(m, "large"), 301);
	ck_assert_int_eq(per_mille(m, "xlarge"), 399);
}
END_TEST

START_TEST(large_from_3_to_6_moves_16154_keys_all_onto_it)
{
	const struct hrw_membership *before = sizes(3), *after = sizes(6);

	ck_assert_uint_eq(moved(before, after, 100000), 16154);
	for_each_key (key, 100000)
		if (!owns(after, "large", key))
			ck_assert_str_eq(owner(before, key), owner(after, key));
}
END_TEST

START_TEST(a_table_spreads_23_1_2_7_and_1_6_percent_over_256_4096_and_65536_rows)
{
	ck_assert_int_eq(lround(spread(fleet("table", 10, NULL, 0, 256), 100000) / 10.0), 231);
	ck_assert_int_eq(lround(spread(fleet("table", 10, NULL, 0, 4096), 100000) / 10.0), 27);
	ck_assert_int_eq(lround(spread(fleet("table", 10, NULL, 0, 65536), 100000) / 10.0), 16);
}
END_TEST

START_TEST(a_ring_spreads_the_more_evenly_the_more_points_it_has)
{
	enum { VNODES = 1 };

	ck_assert_int_eq(spread(fleet("ring", 10, NULL, VNODES, 1), 200000), 12166);
	ck_assert_int_eq(spread(fleet("ring", 10, NULL, VNODES, 10), 200000), 3088);
	ck_assert_int_eq(spread(fleet("ring", 10, NULL, VNODES, 100), 200000), 1103);
	ck_assert_int_eq(spread(fleet("ring", 10, NULL, VNODES, 1000), 200000), 413);
}
END_TEST

START_TEST(rendezvous_spreads_0_78_percent_where_chance_alone_gives_0_67)
{
	const struct hrw_membership *m = fleet("rendezvous-blake2b", 10, NULL, 0, DEFAULTS);

	ck_assert_int_eq(spread(m, 200000), 78);
	/* of a binomial with n = 200,000 and p = 1/10 */
	ck_assert_int_eq(lround(sqrt(200000 * 0.1 * 0.9) / 20000 * 10000), 67);
}
END_TEST

START_TEST(by_modulo_7577_of_10000_photos_move_when_cache_c_leaves)
{
	size_t count = 0;
	const struct hrw_placement *modulo = hrw_placement_find("modulo");
	struct hrw_membership *four = draft("cache-a cache-b cache-c cache-d");
	struct hrw_membership *three = draft("cache-a cache-b cache-d");

	hrw_membership_set_placement(four, modulo);
	hrw_membership_set_placement(three, modulo);
	frozen(four);
	frozen(three);
	for_each_photo (key, 10000)
		count += strcmp(owner(four, key), owner(three, key)) != 0;
	ck_assert_uint_eq(count, 7577);
}
END_TEST

SUITE(published_figures)
{
	tcase_add_test(
	    tests, when_node_03_leaves_10107_of_100000_keys_move_and_9141_when_node_10_joins);
	tcase_add_test(tests, on_a_ring_of_100_points_9146_and_8955_move);
	tcase_add_test(tests, by_modulo_90123_and_90931_move);
	tcase_add_test(tests, weights_1_2_3_4_give_10_1_19_9_30_1_and_39_9_percent);
	tcase_add_test(tests, large_from_3_to_6_moves_16154_keys_all_onto_it);
	tcase_add_test(
	    tests, a_table_spreads_23_1_2_7_and_1_6_percent_over_256_4096_and_65536_rows);
	tcase_add_test(tests, a_ring_spreads_the_more_evenly_the_more_points_it_has);
	tcase_add_test(tests, rendezvous_spreads_0_78_percent_where_chance_alone_gives_0_67);
	tcase_add_test(tests, by_modulo_7577_of_10000_photos_move_when_cache_c_leaves);
}
