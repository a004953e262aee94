/*
 * plan_test.c - the published figures of plans, and the ends of the definition.
 */
#include <stdlib.h>

#include "core/tally.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

#define FOUR "cache-a cache-b cache-c cache-d"

/* What a settled pool's change does to photo-1, photo-2, …; kept until the end. */
static struct hrw_tally *
tally_photos(const struct hrw_membership *before, const struct hrw_membership *after, size_t total)
{
	struct hrw_plan *plan = hrw_plan_new(before, before, after, before);
	struct hrw_tally *t = hrw_tally_new(plan);

	for_each_photo (key, total) {
		struct hrw_change c;

		hrw_plan_key(plan, key, &c);
		ck_assert_int_eq(hrw_tally_add(t, &c), 0);
	}
	hrw_plan_free(plan);
	return t;
}

/* One key's change. */
static struct hrw_change
change(const struct hrw_membership *before, const struct hrw_membership *settled,
    const struct hrw_membership *after, struct hrw_bytes key)
{
	struct hrw_plan *plan = hrw_plan_new(before, settled, after, settled);
	struct hrw_change c;

	hrw_plan_key(plan, key, &c);
	hrw_plan_free(plan);
	return c;
}

START_TEST(taking_cache_c_out_changes_13_photos_each_gaining_and_keeping_one_copy)
{
	struct hrw_membership *before = pool(2, FOUR);
	struct hrw_membership *after = pool(2, "cache-a cache-b cache-d");
	struct hrw_tally *t = tally_photos(before, after, 24);

	ck_assert_uint_eq(t->keys, 24);
	ck_assert_uint_eq(t->changed, 13);
	ck_assert_uint_eq(t->copies_lost, 13);
	ck_assert_uint_eq(t->copies_gained, 13);
	ck_assert_uint_eq(t->keys_without_source, 0);
	for_each_photo (key, 24) {
		struct hrw_change c = change(before, before, after, key);

		ck_assert_uint_eq(c.lost_count, c.gained_count);
		ck_assert_uint_le(c.lost_count, 1);
	}
	hrw_tally_free(t);
}
END_TEST

START_TEST(taking_cache_c_and_cache_d_out_leaves_photo_4_without_a_source)
{
	struct hrw_membership *before = pool(2, FOUR), *after = pool(2, "cache-a cache-b");
	struct hrw_change c = change(before, before, after, hrw_text("photo-4"));

	ck_assert_uint_eq(c.lost_count, 2);
	ck_assert_uint_eq(c.from, HRW_NOT_LISTED);
}
END_TEST

START_TEST(adding_cache_e_changes_8_photos)
{
	struct hrw_tally *t = tally_photos(pool(2, FOUR), pool(2, FOUR " cache-e"), 24);

	ck_assert_uint_eq(t->changed, 8);
	ck_assert_uint_eq(t->node[4].gains, 8);
	hrw_tally_free(t);
}
END_TEST

START_TEST(of_10000_photos_2031_move_onto_cache_e)
{
	struct hrw_tally *t = tally_photos(nodes(FOUR), nodes(FOUR " cache-e"), 10000);

	ck_assert_uint_eq(t->changed, 2031);
	ck_assert_uint_eq(t->owners_changed, 2031);
	ck_assert_uint_eq(t->owners_cold, 2031);
	ck_assert_uint_eq(t->node[4].before, 0);
	ck_assert_uint_eq(t->node[4].after, 2031);
	hrw_tally_free(t);
}
END_TEST

START_TEST(a_drain_of_a_pool_with_two_copies_makes_no_owner_cold)
{
	struct hrw_tally *t =
	    tally_photos(pool(2, FOUR), pool(2, "cache-a cache-b cache-c!draining cache-d"), 1000);

	ck_assert_uint_gt(t->owners_changed, 200);
	ck_assert_uint_eq(t->owners_cold, 0);
	hrw_tally_free(t);
}
END_TEST

START_TEST(removing_a_drained_node_changes_nothing)
{
	struct hrw_tally *t = tally_photos(pool(2, "cache-a cache-b cache-c!draining cache-d"),
	    pool(2, "cache-a cache-b cache-d"), 1000);

	ck_assert_uint_eq(t->changed, 0);
	ck_assert_uint_eq(t->owners_changed, 0);
	ck_assert_uint_eq(t->count, 4);
	hrw_tally_free(t);
}
END_TEST

START_TEST(a_node_that_joined_cold_is_no_source)
{
	struct hrw_membership *before = pool(2, FOUR " cache-e!joining");
	struct hrw_membership *after = pool(2, "cache-a!draining cache-b cache-c cache-d "
					       "cache-e!joining");
	unsigned leaving = 0;

	for_each_photo (key, 200) {
		struct hrw_change c = change(before, pool(2, FOUR), after, key);

		if (!hrw_change_is_listed(&c))
			continue;
		ck_assert_uint_ne(c.from, 4);
		leaving += c.is_from_leaving;
		ck_assert(c.gained_count == 0 || c.from != HRW_NOT_LISTED);
	}
	/* A key of cache-e, which is cold, and of cache-a, which leaves, has a third copy
	 * on the node that cache-e displaced. */
	ck_assert_uint_eq(leaving, 0);
}
END_TEST

START_TEST(the_first_node_gains_every_key_and_loses_none)
{
	struct hrw_tally *t = tally_photos(pool(2, ""), pool(2, "cache-a"), 24);
	size_t count;
	struct hrw_move *moves = hrw_tally_moves(t, &count);

	ck_assert_uint_eq(t->changed, 24);
	ck_assert_uint_eq(t->copies_lost, 0);
	ck_assert_uint_eq(t->copies_gained, 24);
	ck_assert_uint_eq(t->keys_without_source, 24);
	ck_assert_uint_eq(t->owners_changed, 24);
	ck_assert_uint_eq(t->owners_cold, 24);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(moves[0].lost, HRW_NOT_LISTED);
	ck_assert_uint_eq(moves[0].gained, 0);
	ck_assert_uint_eq(moves[0].keys, 24);
	free(moves);
	hrw_tally_free(t);
}
END_TEST

/* No new owner could be cold: there is none. */
START_TEST(the_last_node_loses_every_key_and_nobody_gains_one)
{
	struct hrw_tally *t = tally_photos(pool(2, "cache-a"), pool(2, "cache-a!draining"), 24);
	size_t count;
	struct hrw_move *moves = hrw_tally_moves(t, &count);

	ck_assert_uint_eq(t->changed, 24);
	ck_assert_uint_eq(t->keys_without_source, 0);
	ck_assert_uint_eq(t->owners_changed, 24);
	ck_assert_uint_eq(t->owners_cold, 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(moves[0].lost, 0);
	ck_assert_uint_eq(moves[0].gained, HRW_NOT_LISTED);
	free(moves);
	hrw_tally_free(t);
}
END_TEST

START_TEST(a_third_copy_comes_from_the_owner)
{
	for_each_photo (key, 100) {
		struct hrw_change c = change(pool(2, FOUR), pool(2, FOUR), pool(3, FOUR), key);

		ck_assert_uint_eq(c.lost_count, 0);
		ck_assert_uint_eq(c.gained_count, 1);
		ck_assert_uint_eq(c.from, c.before[0]);
		ck_assert(!c.owner_changed);
	}
}
END_TEST

START_TEST(an_equal_settled_membership_is_not_ranked_again)
{
	struct hrw_membership *before = pool(2, FOUR);
	struct hrw_plan *plan = hrw_plan_new(before, pool(2, FOUR), pool(2, "cache-a"), before);

	ck_assert_ptr_eq(plan->settled, before);
	hrw_plan_free(plan);
}
END_TEST

START_TEST(a_plan_lists_the_nodes_of_both_sides_once_by_name)
{
	struct hrw_plan *plan = hrw_plan_new(nodes("c a"), nodes("z"), nodes("d b c"), nodes("z"));

	ck_assert_uint_eq(plan->count, 4);
	ck_assert_str_eq(plan->name[0], "a");
	ck_assert_str_eq(plan->name[1], "b");
	ck_assert_str_eq(plan->name[2], "c");
	ck_assert_str_eq(plan->name[3], "d");
	ck_assert_uint_eq(plan->settled_to_union[0], HRW_NOT_LISTED);
	hrw_plan_free(plan);
}
END_TEST

/* 40 nodes that all leave for 40 others: 1,600 pairs, many times the first room. */
START_TEST(a_tally_keeps_every_pair_as_it_grows)
{
	struct hrw_tally t = {0};
	struct hrw_tally_node nodes_of[80] = {{0, 0, 0, 0}};
	size_t count;
	struct hrw_move *moves;

	t.count = 80;
	t.node = nodes_of;
	for (unsigned round = 0; round < 3; round++)
		for (uint32_t pair = 0; pair < 1600; pair++) {
			struct hrw_change c = {.before_count = 1, .after_count = 1};

			c.lost_count = c.gained_count = 1;
			c.before[0] = c.lost[0] = pair % 40;
			c.after[0] = c.gained[0] = 40 + pair / 40;
			ck_assert_int_eq(hrw_tally_add(&t, &c), 0);
		}
	moves = hrw_tally_moves(&t, &count);
	ck_assert_uint_eq(count, 1600);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(moves[i].lost, i / 40);
		ck_assert_uint_eq(moves[i].gained, 40 + i % 40);
		ck_assert_uint_eq(moves[i].keys, 3);
	}
	free(moves);
	free(t.move);
}
END_TEST

SUITE(plan)
{
	tcase_add_test(
	    tests, taking_cache_c_out_changes_13_photos_each_gaining_and_keeping_one_copy);
	tcase_add_test(tests, taking_cache_c_and_cache_d_out_leaves_photo_4_without_a_source);
	tcase_add_test(tests, adding_cache_e_changes_8_photos);
	tcase_add_test(tests, of_10000_photos_2031_move_onto_cache_e);
	tcase_add_test(tests, a_drain_of_a_pool_with_two_copies_makes_no_owner_cold);
	tcase_add_test(tests, removing_a_drained_node_changes_nothing);
	tcase_add_test(tests, a_node_that_joined_cold_is_no_source);
	tcase_add_test(tests, the_first_node_gains_every_key_and_loses_none);
	tcase_add_test(tests, the_last_node_loses_every_key_and_nobody_gains_one);
	tcase_add_test(tests, a_third_copy_comes_from_the_owner);
	tcase_add_test(tests, an_equal_settled_membership_is_not_ranked_again);
	tcase_add_test(tests, a_plan_lists_the_nodes_of_both_sides_once_by_name);
	tcase_add_test(tests, a_tally_keeps_every_pair_as_it_grows);
}
