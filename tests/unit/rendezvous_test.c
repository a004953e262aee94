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

	for_each_photo (key, photos)
		count += owns(m, name, key);
	return count;
}

static size_t
held_photos(const struct hrw_membership *m, const char *name, size_t photos, size_t copies)
{
	uint32_t node[HRW_COPIES_MAX];
	size_t count = 0;

	for_each_photo (key, photos)
		for (int i = hrw_holders(m, key, copies, node); i-- > 0;)
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

START_TEST(taking_cache_c_out_of_two_copies_changes_13_photos)
{
	struct hrw_membership *before = nodes(FOUR_CACHES);
	struct hrw_membership *after = nodes("cache-a cache-b cache-d");
	size_t changed = 0;

	for_each_photo (key, 24) {
		uint32_t old[2], fresh[2];
		int stay = 0;

		ck_assert_int_eq(hrw_holders(before, key, 2, old), 2);
		ck_assert_int_eq(hrw_holders(after, key, 2, fresh), 2);
		for (size_t i = 0; i < 4; i++)
			stay += strcmp(before->node[old[i / 2]].name,
				    after->node[fresh[i % 2]].name) == 0;
		/* One copy stays where one is gained. */
		ck_assert_int_ge(stay, 1);
		changed += stay == 1;
	}
	ck_assert_uint_eq(changed, 13);
}
END_TEST

START_TEST(without_cache_c_and_cache_d_photo_4_is_one_of_4_with_no_holder_left)
{
	struct hrw_membership *before = nodes(FOUR_CACHES);
	size_t count = 0;

	for_each_photo (key, 24) {
		const char *both = holders(before, key, 2);
		bool is_gone =
		    strcmp(both, "cache-c cache-d") == 0 || strcmp(both, "cache-d cache-c") == 0;

		if (hrw_bytes_equal(key, hrw_text("photo-4")))
			ck_assert(is_gone);
		count += is_gone;
	}
	ck_assert_uint_eq(count, 4);
}
END_TEST

START_TEST(cache_e_takes_2031_of_10000_photos)
{
	struct hrw_membership *before = nodes(FOUR_CACHES);
	struct hrw_membership *after = nodes(FOUR_CACHES " cache-e");
	size_t moved = 0;

	for_each_photo (key, 10000)
		if (owns(after, "cache-e", key))
			moved++;
		else
			ck_assert_str_eq(owner(after, key), owner(before, key));
	ck_assert_uint_eq(moved, 2031);
}
END_TEST

/* Of two copies 8 photos change when cache-e comes: holders, in any order. */
START_TEST(adding_cache_e_changes_8_photos)
{
	struct hrw_membership *after = nodes(FOUR_CACHES " cache-e");

	ck_assert_uint_eq(held_photos(after, "cache-e", 24, 2), 8);
}
END_TEST

/* cache-162382 and cache-379599 have one FNV-1a, 0x53e083c2. */
START_TEST(two_names_of_one_hash_are_refused)
{
	static const char *const texts[] = {"cache-162382 cache-379599 a",
	    "a cache-162382 cache-379599!draining", "cache-379599:0 b cache-162382"};
	struct hrw_fault fault;

	for (size_t i = 0; i < 3; i++) {
		struct hrw_membership *m = draft(texts[i]);

		ck_assert_int_eq(hrw_membership_freeze(m, NULL, &fault), HRW_BAD_SERVER);
		ck_assert_str_eq(fault.reason, "collision");
		ck_assert_ptr_nonnull(
		    strstr(fault.detail, "\"cache-162382\" and \"cache-379599\""));
		ck_assert_ptr_nonnull(strstr(fault.detail, "choose a name or a \"hash_name\""));
		ck_assert(!m->is_frozen);
		ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), HRW_BAD_SERVER);
		hrw_membership_free(m);
	}
}
END_TEST

START_TEST(where_nobody_takes_keys_there_are_no_servers)
{
	static const char *const texts[] = {"", "a!draining", "a:0 b!draining"};
	uint32_t node = 77;

	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(
		    hrw_rank(nodes(texts[i]), hrw_text("k"), 1, &node), HRW_NO_SERVERS);
		ck_assert_int_eq(
		    hrw_holders(nodes(texts[i]), hrw_text("k"), 1, &node), HRW_NO_SERVERS);
	}
	ck_assert_uint_eq(node, 77);
}
END_TEST

START_TEST(none_wanted_is_a_bad_number_of_copies)
{
	struct hrw_membership *m = nodes("a b");
	uint32_t node;

	ck_assert_int_eq(hrw_rank(m, hrw_text("k"), 0, &node), HRW_BAD_COPIES);
	ck_assert_int_eq(hrw_holders(m, hrw_text("k"), 0, &node), HRW_BAD_COPIES);
	ck_assert_int_eq(hrw_holders(m, hrw_text("k"), HRW_COPIES_MAX + 1, &node), HRW_BAD_COPIES);
}
END_TEST

START_TEST(more_wanted_than_there_are_gives_all_and_touches_no_more)
{
	uint32_t node[4] = {77, 77, 77, 77};

	ck_assert_int_eq(hrw_rank(nodes("a b c!draining"), hrw_text("k"), 4, node), 2);
	ck_assert_uint_eq(node[2], 77);
	ck_assert_uint_eq(node[3], 77);
}
END_TEST

START_TEST(explain_shows_draining_nodes_without_a_rank)
{
	struct hrw_membership *m = nodes("cache-a cache-b:0 cache-c:3!draining cache-d:2");
	struct hrw_score score[4];

	hrw_explain(m, hrw_text("photo-7"), score);
	ck_assert_uint_eq(score[1].raw, 161229223);
	ck_assert_uint_eq(score[1].rank, 0);
	ck_assert_double_eq(score[1].score, 0);
	ck_assert_uint_eq(score[2].raw, 1658989238);
	ck_assert_uint_eq(score[2].rank, 0);
	/* 3 / -ln(1658989238.5 / 2^32) and 2 / -ln(2441075413.5 / 2^32) */
	ck_assert_double_eq_tol(score[2].score, 3.1537934, 1e-6);
	ck_assert_double_eq_tol(score[3].score, 3.5397901, 1e-6);
	ck_assert_uint_eq(score[3].rank, 1);
	ck_assert_uint_eq(score[0].rank, 2);
}
END_TEST

/* A key may hold any byte; one byte more makes another key. */
START_TEST(keys_are_bytes)
{
	struct hrw_membership *m = nodes("a b c d e f g h");
	struct hrw_score one[8], other[8];
	static const uint8_t bytes[] = {0, 0, 0xff, 0xfe, '\n'};

	for (size_t len = 1; len < sizeof(bytes); len++) {
		hrw_explain(m, hrw_bytes(bytes, len), one);
		hrw_explain(m, hrw_bytes(bytes, len + 1), other);
		ck_assert_uint_ne(one[0].raw, other[0].raw);
	}
}
END_TEST

SUITE(rendezvous)
{
	tcase_add_test(tests, four_caches_own_8_6_4_and_6_photos);
	tcase_add_test(tests, four_caches_hold_14_11_13_and_10_of_two_copies);
	tcase_add_test(tests, photo_7_has_the_published_scores);
	tcase_add_test(tests, taking_cache_c_out_of_two_copies_changes_13_photos);
	tcase_add_test(tests, without_cache_c_and_cache_d_photo_4_is_one_of_4_with_no_holder_left);
	tcase_add_test(tests, cache_e_takes_2031_of_10000_photos);
	tcase_add_test(tests, adding_cache_e_changes_8_photos);
	tcase_add_test(tests, two_names_of_one_hash_are_refused);
	tcase_add_test(tests, where_nobody_takes_keys_there_are_no_servers);
	tcase_add_test(tests, none_wanted_is_a_bad_number_of_copies);
	tcase_add_test(tests, more_wanted_than_there_are_gives_all_and_touches_no_more);
	tcase_add_test(tests, explain_shows_draining_nodes_without_a_rank);
	tcase_add_test(tests, keys_are_bytes);
}
