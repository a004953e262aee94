/*
 * zones_test.c - which nodes hold copies, by examples.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/zones.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

/* A pool of `many` nodes in zone r1 and one called "lone" in r2. */
static struct hrw_membership *
lopsided(uint32_t many)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 2);
	struct hrw_node *list = calloc(many + 1, sizeof(*list));
	char(*name)[16] = calloc(many + 1, sizeof(*name));
	char crowd[] = "r1", other[] = "r2";

	for (uint32_t i = 0; i <= many; i++) {
		snprintf(name[i], sizeof(name[i]), i < many ? "n%u" : "lone", i);
		list[i] = (struct hrw_node){.name = name[i], .weight = 1, .id = HRW_ID_UNSET};
		list[i].zone = i < many ? crowd : other;
	}
	ck_assert_int_eq(hrw_membership_add_all(m, list, many + 1, NULL, NULL, NULL), 0);
	free(name);
	free(list);
	return frozen(m);
}

START_TEST(a_copy_passes_over_a_node_of_a_zone_that_has_one)
{
	/* photo-7 ranks d, a, c, b. */
	struct hrw_bytes key = hrw_text("photo-7");

	ck_assert_str_eq(
	    holders(nodes("cache-a cache-b cache-c cache-d"), key, 2), "cache-d cache-a");
	ck_assert_str_eq(holders(nodes("cache-a@r1 cache-b@r2 cache-c@r2 cache-d@r1"), key, 2),
	    "cache-d cache-c");
	ck_assert_str_eq(
	    holders(nodes("cache-a@r1 cache-b cache-c@r1 cache-d@r1"), key, 2), "cache-d cache-b");
}
END_TEST

START_TEST(where_zones_run_out_the_rest_follow_in_rank_order)
{
	struct hrw_bytes key = hrw_text("photo-7");
	struct hrw_membership *m = nodes("cache-a@r1 cache-b@r2 cache-c@r2 cache-d@r1");

	ck_assert_str_eq(holders(m, key, 3), "cache-d cache-c cache-a");
	ck_assert_str_eq(holders(m, key, 4), "cache-d cache-c cache-a cache-b");
	ck_assert_str_eq(holders(m, key, 9), "cache-d cache-c cache-a cache-b");
}
END_TEST

START_TEST(nodes_without_a_zone_are_zones_of_their_own)
{
	for_each_key (key, 200)
		ck_assert_str_eq(
		    holders(nodes("a b@r1 c d@r2"), key, 3), holders(nodes("a b c d"), key, 3));
}
END_TEST

START_TEST(a_draining_node_keeps_no_zone)
{
	struct hrw_membership *with = nodes("a@r1 b@r2 c@r2 d@r3!draining");
	struct hrw_membership *without = nodes("a@r1 b@r2 c@r2");

	for_each_key (key, 200)
		ck_assert_str_eq(holders(with, key, 3), holders(without, key, 3));
}
END_TEST

/* Its rank is any of thousands: the whole ranking may have to be looked at. */
START_TEST(the_one_node_of_the_other_zone_always_holds_a_copy)
{
	static const uint32_t sizes[] = {1, 7, 8, 63, 64, 511, 512, 513, 5000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct hrw_membership *m = lopsided(sizes[i]);

		for_each_key (key, 30) {
			uint32_t node[2], first;

			ck_assert_int_eq(hrw_holders(m, key, 2, node), 2);
			ck_assert_int_eq(hrw_rank(m, key, 1, &first), 1);
			ck_assert_uint_eq(node[0], first);
			ck_assert(strcmp(m->node[node[0]].name, "lone") == 0 ||
				  strcmp(m->node[node[1]].name, "lone") == 0);
		}
	}
}
END_TEST

SUITE(zones)
{
	tcase_add_test(tests, a_copy_passes_over_a_node_of_a_zone_that_has_one);
	tcase_add_test(tests, where_zones_run_out_the_rest_follow_in_rank_order);
	tcase_add_test(tests, nodes_without_a_zone_are_zones_of_their_own);
	tcase_add_test(tests, a_draining_node_keeps_no_zone);
	tcase_add_test(tests, the_one_node_of_the_other_zone_always_holds_a_copy);
}
