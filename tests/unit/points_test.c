/*
 * points_test.c - rings of points: sorted however they lie, and their texts.
 */
#include <stdlib.h>

#include "core/place/points.h"
#include "tests/dsl/dice.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

struct point {
	uint64_t at;
	uint32_t node; /* in order of addition */
};

static int
point_cmp(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Spread over `width` bits from `low` on, some of them equal. */
static uint64_t
place(struct dice *d, unsigned width, uint64_t low)
{
	uint64_t roll = dice_roll(d) >> (64 - width);

	return low + (dice_percent(d, 20) ? roll % 7 : roll);
}

static void
check_sorted(uint64_t seed, size_t count, unsigned width, uint64_t low)
{
	struct point *want = calloc(count + 1, sizeof(*want));
	struct hrw_points p = {0};
	struct dice d = {seed};

	for (uint32_t i = 0; i < count; i++) {
		want[i] = (struct point){place(&d, width, low), i};
		ck_assert_int_eq(hrw_points_add(&p, want[i].at, i), 0);
	}
	qsort(want, count, sizeof(*want), point_cmp);
	ck_assert_int_eq(hrw_points_sort(&p), 0);
	ck_assert_uint_eq(p.count, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(p.at[i] == want[i].at && p.node[i] == want[i].node,
		    "seed %ju, %zu points of %u bits: number %zu", (uintmax_t)seed, count, width,
		    i);
	hrw_points_fini(&p);
	free(want);
}

START_TEST(points_are_sorted_and_equal_ones_stay_in_order)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct dice d = {seed};
		size_t count = dice_below(&d, 3000);

		check_sorted(seed, count, 64, 0);
		check_sorted(seed, count, 32, 0);
		check_sorted(seed, count, 1 + dice_below(&d, 64), 0);
		/* together, so that their upper bits tell nothing */
		check_sorted(seed, count, 12, UINT64_MAX - 10000);
		check_sorted(seed, count, 30, UINT64_C(1) << 63);
	}
}
END_TEST

START_TEST(the_text_of_a_point_is_label_and_number)
{
	static const size_t numbers[] = {0, 9, 10, 99, 100, 65536, SIZE_MAX};
	char room[HRW_POINT_TEXT];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		ck_assert(hrw_bytes_equal(hrw_point_text(room, "node-7", "#", numbers[i]),
		    hrw_text(text("node-7#%zu", numbers[i]))));
	ck_assert(hrw_bytes_equal(hrw_point_text(room, "a", "", 12), hrw_text("a12")));
}
END_TEST

SUITE(points)
{
	tcase_add_test(tests, points_are_sorted_and_equal_ones_stay_in_order);
	tcase_add_test(tests, the_text_of_a_point_is_label_and_number);
}
