/*
 * ignite_test.c - Java's hashes, partitions, ties, and what is refused.
 */
#include <stdio.h>

#include "core/hash/java.h"
#include "core/keytype.h"
#include "core/zones.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"

START_TEST(texts_hash_as_java_strings_do)
{
	ck_assert_uint_eq(hrw_java_string(hrw_text("")), 0);
	ck_assert_uint_eq(hrw_java_string(hrw_text("Aa")), 2112);
	ck_assert_uint_eq(hrw_java_string(hrw_text("BB")), 2112);
	ck_assert_uint_eq(hrw_java_string(hrw_text("hello")), 99162322);
	ck_assert_uint_eq(hrw_java_string(hrw_text("\u00e9")), 0xe9);
	ck_assert_uint_eq(hrw_java_string(hrw_text("\u20ac")), 0x20ac);
	/* two code units beyond the first plane */
	ck_assert_uint_eq(hrw_java_string(hrw_text("\U0001f600")), 31 * 0xd83d + 0xde00);
	ck_assert_uint_eq(hrw_java_string(hrw_bytes("\0a", 2)), 97);
}
END_TEST

START_TEST(numbers_and_uuids_hash_as_javas_do)
{
	static const uint8_t uuid[16] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0x80, 0, 0, 8};

	ck_assert_uint_eq(hrw_java_int((uint64_t)-1), UINT32_MAX);
	ck_assert_uint_eq(hrw_java_long((uint64_t)-1), 0);
	ck_assert_uint_eq(hrw_java_long(UINT64_C(0x100000002)), 3);
	ck_assert_uint_eq(hrw_java_uuid(uuid), 0x8000000f);
}
END_TEST

START_TEST(equal_hashes_tie_everywhere_and_the_lower_id_is_first)
{
	struct hrw_membership *m = placed("ignite", "z a");

	give_hash_name(m, "z", "Aa");
	give_hash_name(m, "a", "BB");
	frozen(m);
	for_each_key (key, 200)
		ck_assert_str_eq(ranking(m, key), "z a");
}
END_TEST

START_TEST(a_replicated_cache_goes_on_by_id)
{
	struct hrw_membership *m = frozen(placed("ignite", "d c b a"));
	struct hrw_membership *replicated =
	    frozen(placed("ignite cache_mode=replicated", "d c b a"));

	for_each_key (key, 200) {
		const char *first = owner(m, key);
		char expected[16], *at = expected;

		at += sprintf(at, "%s", first);
		for (const char *name = "d\0c\0b\0a\0"; *name != '\0'; name += 2)
			if (strcmp(name, first) != 0)
				at += sprintf(at, " %s", name);
		ck_assert_str_eq(ranking(replicated, key), expected);
	}
}
END_TEST

START_TEST(the_lowest_of_signed_numbers_is_first)
{
	struct hrw_membership *m = frozen(placed("ignite", "a b c d e f g"));
	struct hrw_score score[7];

	for_each_key (key, 200) {
		hrw_explain(m, key, score);
		for (size_t i = 0; i < 7; i++)
			for (size_t j = 0; j < 7; j++) {
				ck_assert(score[i].has_raw && score[i].is_wide);
				if (score[i].rank < score[j].rank)
					ck_assert_int_lt(
					    (int64_t)score[i].raw, (int64_t)score[j].raw);
			}
	}
}
END_TEST

START_TEST(copies_leave_a_machine_that_holds_one)
{
	struct hrw_membership *m = frozen(placed("ignite", "a@m1 b@m1 c@m1 d@m2"));

	for_each_key (key, 200) {
		uint32_t node[2];

		ck_assert_int_eq(hrw_holders(m, key, 2, node), 2);
		ck_assert_str_ne(m->node[node[0]].zone, m->node[node[1]].zone);
	}
}
END_TEST

START_TEST(a_key_that_is_no_java_value_is_refused)
{
	struct hrw_membership *m = frozen(placed("ignite", "a"));
	struct hrw_membership *number = frozen(placed("ignite key_type=int32", "a"));
	struct hrw_membership *uuid = frozen(placed("ignite key_type=uuid", "a"));
	struct hrw_fault fault;
	uint32_t node;

	ck_assert_int_eq(hrw_rank(m, hrw_bytes("\xff", 1), 1, &node), HRW_BAD_KEY);
	ck_assert_int_eq(hrw_key_check(m, hrw_bytes("\xff", 1), &fault), HRW_BAD_KEY);
	ck_assert_int_eq(hrw_rank(number, hrw_text("2147483648"), 1, &node), HRW_BAD_KEY);
	ck_assert_int_eq(hrw_rank(number, hrw_text("-2147483648"), 1, &node), 1);
	ck_assert_int_eq(hrw_rank(uuid, hrw_text("1"), 1, &node), HRW_BAD_KEY);
}
END_TEST

START_TEST(consistent_ids_are_uuids_where_the_pool_says_so)
{
	struct hrw_membership *m = placed("ignite consistent_id=uuid", "a b!draining");

	give_hash_name(m, "a", "d836640f-9161-48c7-9a8f-1344a72a859d");
	refused(m, HRW_BAD_FIELD, "/nodes/1/name");
	refused(placed("ignite partitions=65001", "a"), HRW_BAD_FIELD, "/placement/partitions");
	refused(placed("ignite partitions=0", "a"), HRW_BAD_FIELD, "/placement/partitions");
}
END_TEST

SUITE(ignite)
{
	tcase_add_test(tests, texts_hash_as_java_strings_do);
	tcase_add_test(tests, numbers_and_uuids_hash_as_javas_do);
	tcase_add_test(tests, equal_hashes_tie_everywhere_and_the_lower_id_is_first);
	tcase_add_test(tests, a_replicated_cache_goes_on_by_id);
	tcase_add_test(tests, the_lowest_of_signed_numbers_is_first);
	tcase_add_test(tests, copies_leave_a_machine_that_holds_one);
	tcase_add_test(tests, a_key_that_is_no_java_value_is_refused);
	tcase_add_test(tests, consistent_ids_are_uuids_where_the_pool_says_so);
}
