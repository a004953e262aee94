/*
 * rendezvous_test.c - the published figures of `rendezvous`.
 */
#include "core/zones.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

#define FOUR_CACHES "cache-a cache-b cache-c cache-d"

static size_t
owned_photos(const struct hrw_membership *m, const char *name, size_t photos)
{
	size_t count = 0;

	for_each_photo(key, photos) count += owns(m, name, key);
	return count;
}

static size_t
held_photos(const struct hrw_membership *m, const char *name, size_t photos, size_t copies)
{
	uint32_t node[HRW_COPIES_MAX];
	size_t count = 0;

	for_each_photo(key, photos) for (int i = hrw_holders(m, key, copies, node); i-- > 0;)
	    count += strcmp(m->node[node[i]].name, name) == 0;
	return count;
}

START_TEST(four_caches_own_8_6_4_and_6_photos)
{
	struct hrw_membership *m = nodes(FOUR_CACHES);

	ck_assert_uint_eq(owned_photos(m, "cache-a", 24), 8);
	ck_assert_uint_eq(owned_photos(m, "cache-b", 24), 6);
	ck_assert_uint_eq(owned_photos(m, "cache-c", 24), 4);
	ck_assert_uint_eq(owned_photos(m, "cache-d", 24), 6);
}
END_TEST

START_TEST(four_caches_hold_14_11_13_and_10_of_two_copies)
{
	struct hrw_membership *m = nodes(FOUR_CACHES);

	ck_assert_uint_eq(held_photos(m, "cache-a", 24, 2), 14);
	ck_assert_uint_eq(held_photos(m, "cache-b", 24, 2), 11);
	ck_assert_uint_eq(held_photos(m, "cache-c", 24, 2), 13);
	ck_assert_uint_eq(held_photos(m, "cache-d", 24, 2), 10);
}
END_TEST

START_TEST(photo_7_has_the_published_scores)
{
	static const uint64_t raw[] = {2125994304, 161229223, 1658989238, 2441075413};
	static const uint32_t rank[] = {2, 4, 3, 1};
	struct hrw_score score[4];

	hrw_explain(nodes(FOUR_CACHES), hrw_text("photo-7"), score);
	for (size_t i = 0; i < 4; i++) {
		ck_assert(score[i].has_raw && score[i].has_score && !score[i].is_wide);
		ck_assert_uint_eq(score[i].raw, raw[i]);
		ck_assert_uint_eq(score[i].rank, rank[i]);
	}
}
END_TEST

SUITE(rendezvous)
{
	tcase_add_test(tests, four_caches_own_8_6_4_and_6_photos);
	tcase_add_test(tests, four_caches_hold_14_11_13_and_10_of_two_copies);
	tcase_add_test(tests, photo_7_has_the_published_scores);
}
