/*
 * leftover_test.c - old copies on nodes that a key comes back to.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/leftover.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

enum { PHOTOS = 200 };

/* How many photos have an old copy on the node that joined last, when `after` follows
 * on `before`, which was settled. Epochs ascend to the one before the present. */
static unsigned
count(const struct hrw_membership *before, const struct hrw_membership *after,
    struct hrw_membership *const *past, size_t past_count, const char *emptied)
{
	struct hrw_plan *plan = hrw_plan_new(before, before, after, before);
	struct hrw_past list[HRW_LEFTOVERS_MAX * 2];
	struct hrw_leftovers *l;
	unsigned keys = 0;

	if (emptied != NULL)
		hrw_plan_empties(plan, hrw_text(emptied));
	for (size_t i = 0; i < past_count; i++)
		list[i] = (struct hrw_past){past[past_count - 1 - i], past_count - i};
	l = hrw_leftovers_new(plan, list, past_count);
	for_each_photo (key, PHOTOS) {
		uint32_t node[HRW_COPIES_MAX];
		struct hrw_change c;

		hrw_plan_key(plan, key, &c);
		keys += hrw_leftovers_of(l, key, &c, node) > 0;
	}
	ck_assert(keys == 0 || hrw_leftovers_are_possible(l));
	hrw_leftovers_free(l);
	hrw_plan_free(plan);
	return keys;
}

/* Keys that d has in a pool of a, b, c, d. */
static unsigned
held_by_d(void)
{
	unsigned keys = 0;

	for_each_photo (key, PHOTOS)
		keys += owns(nodes("a b c d"), "d", key);
	return keys;
}

/* d drains, so a, b and c take its keys and give them back when it is active again: if
 * it drains once more, they have old copies of all of them. */
START_TEST(a_node_that_gets_a_key_back_has_an_old_copy)
{
	struct hrw_membership *past[] = {pool(1, "a b c d"), pool(1, "a b c d!draining")};

	ck_assert_uint_eq(
	    count(pool(1, "a b c d"), pool(1, "a b c d!draining"), past, 2, NULL), held_by_d());
	/* What it never held is no old copy. */
	ck_assert_uint_eq(count(pool(1, "a b c d"), pool(1, "a b c d!draining"), past, 1, NULL), 0);
}
END_TEST

START_TEST(a_node_that_came_empty_since_has_none)
{
	struct hrw_membership *past[] = {pool(1, "a"), pool(1, "a")}, *before = pool(1, "a b");

	/* All of it was a's once, b's now. */
	ck_assert_uint_gt(count(before, pool(1, "a b!draining"), past, 2, NULL), 0);
	ck_assert_uint_eq(count(before, pool(1, "a b!draining"), past, 2, "a"), 0);
	hrw_membership_find(before, "a")->joined = 3;
	ck_assert_uint_eq(count(before, pool(1, "a b!draining"), past, 2, NULL), 0);
	hrw_membership_find(before, "a")->joined = 2;
	ck_assert_uint_gt(count(before, pool(1, "a b!draining"), past, 2, NULL), 0);
}
END_TEST

START_TEST(so_many_distinct_memberships_are_looked_at)
{
	struct hrw_membership *past[HRW_LEFTOVERS_MAX * 2];
	char text[32];

	/* The oldest is all a's; the others, a's alone no more, are distinct by a weight. */
	for (int others = HRW_LEFTOVERS_MAX - 1; others <= HRW_LEFTOVERS_MAX; others++) {
		past[0] = pool(1, "a");
		for (int i = 1; i <= others; i++) {
			snprintf(text, sizeof(text), "a:0 b:%d", i);
			past[i] = pool(1, text);
		}
		ck_assert_int_eq(count(pool(1, "a b"), pool(1, "a b!draining"), past,
				     (size_t)others + 1, NULL) > 0,
		    others < HRW_LEFTOVERS_MAX);
	}
	/* The same one again and again is one. */
	past[0] = pool(1, "a");
	for (int i = 1; i < HRW_LEFTOVERS_MAX * 2; i++)
		past[i] = pool(1, "a:0 b");
	ck_assert_uint_gt(
	    count(pool(1, "a b"), pool(1, "a b!draining"), past, HRW_LEFTOVERS_MAX * 2, NULL), 0);
}
END_TEST

SUITE(leftover)
{
	tcase_add_test(tests, a_node_that_gets_a_key_back_has_an_old_copy);
	tcase_add_test(tests, a_node_that_came_empty_since_has_none);
	tcase_add_test(tests, so_many_distinct_memberships_are_looked_at);
}
