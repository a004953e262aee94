/*
 * lru_test.c - the cache against one that is written down word for word.
 */
#include <stdlib.h>

#include "core/lru.h"
#include "tests/dsl/dice.h"
#include "tests/dsl/suite.h"

/* Numbers, the newest first. */
struct naive {
	size_t capacity, count;
	uint32_t number[64];
};

static bool
naive_request(struct naive *n, uint32_t number)
{
	size_t at = 0;
	bool is_hit;

	while (at < n->count && n->number[at] != number)
		at++;
	is_hit = at < n->count;
	if (!is_hit && n->count < n->capacity)
		n->count++;
	if (!is_hit)
		at = n->count - 1; /* the oldest goes, or the new place is taken */
	for (; at > 0; at--)
		n->number[at] = n->number[at - 1];
	n->number[0] = number;
	return is_hit;
}

START_TEST(hits_and_misses_are_those_of_a_list_in_order_of_use)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct dice d = {seed};
		struct naive naive = {.capacity = 1 + dice_below(&d, 64)};
		uint32_t numbers = 1 + dice_below(&d, 100);
		struct hrw_lru lru;

		ck_assert_int_eq(hrw_lru_init(&lru, (uint32_t)naive.capacity), 0);
		for (int i = 0; i < 2000; i++) {
			uint32_t number = dice_below(&d, numbers) * 0x10001u;
			bool was_held = naive_request(&naive, number);

			ck_assert_msg(hrw_lru_request(&lru, number) == was_held,
			    "seed %ju: request %d, %s", (uintmax_t)seed, i,
			    was_held ? "a miss" : "a hit");
			if (dice_below(&d, 500) == 0) {
				hrw_lru_clear(&lru);
				naive.count = 0;
			}
		}
		hrw_lru_fini(&lru);
	}
}
END_TEST

START_TEST(the_least_recently_used_is_forgotten)
{
	struct hrw_lru lru;

	ck_assert_int_eq(hrw_lru_init(&lru, 2), 0);
	ck_assert(!hrw_lru_request(&lru, 1));
	ck_assert(!hrw_lru_request(&lru, 2));
	ck_assert(hrw_lru_request(&lru, 1));
	ck_assert(!hrw_lru_request(&lru, 3)); /* 2 goes */
	ck_assert(hrw_lru_request(&lru, 1));
	ck_assert(!hrw_lru_request(&lru, 2)); /* 3 goes */
	ck_assert(!hrw_lru_request(&lru, 3));
	hrw_lru_fini(&lru);
}
END_TEST

SUITE(lru)
{
	tcase_add_test(tests, hits_and_misses_are_those_of_a_list_in_order_of_use);
	tcase_add_test(tests, the_least_recently_used_is_forgotten);
}
