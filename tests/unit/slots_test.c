/*
 * slots_test.c - stored tables: the slots of Redis Cluster, the partitions of
 * Kafka.
 */
#include "core/hash/crc.h"
#include "core/hash/fnv1a.h"
#include "core/hash/murmur2.h"
#include "core/place/tag.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"

static unsigned
redis_slot(const char *key)
{
	return hrw_crc16(hrw_tag(hrw_text(key), '{', '}')) % 16384;
}

START_TEST(redis_keys_fall_into_the_published_slots)
{
	ck_assert_uint_eq(hrw_crc16(hrw_text("123456789")), 0x31c3);
	ck_assert_uint_eq(redis_slot("123456789"), 12739);
	ck_assert_uint_eq(redis_slot("foo"), 12182);
	ck_assert_uint_eq(redis_slot(""), 0);
	ck_assert_uint_eq(redis_slot("{user1000}.following"), redis_slot("{user1000}.followers"));
	ck_assert_uint_eq(redis_slot("foo{{bar}}zap"), redis_slot("{bar"));
	ck_assert_uint_ne(redis_slot("foo{}{bar}"), redis_slot("bar"));
	ck_assert_uint_ne(redis_slot("foo{bar"), redis_slot("bar"));
}
END_TEST

START_TEST(a_slot_belongs_to_the_node_whose_range_it_is_in)
{
	struct hrw_membership *m = placed("redis-cluster", "a b c");

	give_slots(m, "a", 12183, 16383);
	give_slots(m, "b", 12182, 12182);
	give_slots(m, "a", 0, 12181);
	frozen(m);
	ck_assert_str_eq(owner(m, hrw_text("foo")), "b");
	ck_assert_str_eq(owner(m, hrw_text("123456789")), "a");
	ck_assert_str_eq(owner(m, hrw_text("bar")), "a");
}
END_TEST

START_TEST(a_slot_that_nobody_active_holds_has_no_owner)
{
	struct hrw_membership *m = placed("redis-cluster", "a b!draining");
	uint32_t node = 7;

	give_slots(m, "a", 0, 12181);
	give_slots(m, "b", 12182, 12700);
	frozen(m);
	ck_assert_int_eq(hrw_rank(m, hrw_text("foo"), 1, &node), HRW_NO_SERVERS);
	ck_assert_int_eq(hrw_rank(m, hrw_text("123456789"), 1, &node), HRW_NO_SERVERS);
	ck_assert_uint_eq(node, 7);
	ck_assert_str_eq(owner(m, hrw_text("bar")), "a");
}
END_TEST

START_TEST(a_slot_is_held_once_and_within_bounds)
{
	static const struct {
		uint32_t first, last;
		const char *field;
	} bad[] = {
	    {100, 200, "/nodes/1/slots"},
	    {50, 100, "/nodes/1/slots"},
	    {150, 160, "/nodes/1/slots"},
	    {0, 16384, "/nodes/1/slots/0"},
	    {9, 8, "/nodes/1/slots/0"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hrw_membership *m = placed("redis-cluster", "a b!draining");

		give_slots(m, "a", 100, 199);
		give_slots(m, "b", bad[i].first, bad[i].last);
		refused(m, HRW_BAD_FIELD, bad[i].first == 50 ? "/nodes/0/slots" : bad[i].field);
	}
}
END_TEST

START_TEST(kafka_hashes_are_those_of_its_own_tests)
{
	ck_assert_int_eq((int32_t)hrw_murmur2(hrw_text("21"), 0x9747b28c), -973932308);
	ck_assert_int_eq((int32_t)hrw_murmur2(hrw_text("foobar"), 0x9747b28c), -790332482);
	ck_assert_int_eq((int32_t)hrw_murmur2(hrw_text("abc"), 0x9747b28c), 479470107);
}
END_TEST

START_TEST(nodes_without_slots_are_the_partitions_by_id)
{
	struct hrw_membership *m = placed("kafka", "c b a");
	struct hrw_membership *fnv1a = placed("kafka hash=fnv1a", "c b a");
	uint32_t abc = 479470107 % 3, node;

	frozen(m);
	frozen(fnv1a);
	ck_assert_str_eq(owner(m, hrw_text("abc")), abc == 0 ? "c" : abc == 1 ? "b" : "a");
	for_each_key (key, 200) {
		int32_t h = (int32_t)hrw_fnv1a32(key);
		int64_t part = (h < 0 ? -(int64_t)h : h) % 3;

		hrw_rank(fnv1a, key, 1, &node);
		ck_assert_int_eq(fnv1a->node[node].id, part + 1);
	}
}
END_TEST

START_TEST(a_draining_partition_is_owned_by_nobody_and_the_others_stay)
{
	struct hrw_membership *m, *draining;
	uint32_t node;

	m = frozen(placed("kafka", "a b c"));
	draining = frozen(placed("kafka", "a b!draining c"));
	for_each_key (key, 200) {
		if (owns(m, "b", key))
			ck_assert_int_eq(hrw_rank(draining, key, 1, &node), HRW_NO_SERVERS);
		else
			ck_assert_str_eq(owner(draining, key), owner(m, key));
	}
}
END_TEST

START_TEST(brokers_lead_the_partitions_that_they_hold)
{
	struct hrw_membership *m = placed("kafka hash=crc32", "a b c");
	uint32_t node;

	give_slots(m, "a", 5, 5);
	give_slots(m, "b", 2, 4);
	give_slots(m, "a", 0, 0);
	frozen(m);
	for_each_key (key, 200) {
		uint32_t partition = hrw_crc32(key) % 6;

		if (partition == 1) /* left by a broker that was taken out by force */
			ck_assert_int_eq(hrw_rank(m, key, 1, &node), HRW_NO_SERVERS);
		else
			ck_assert_str_eq(
			    owner(m, key), partition == 0 || partition == 5 ? "a" : "b");
	}
}
END_TEST

SUITE(slots)
{
	tcase_add_test(tests, redis_keys_fall_into_the_published_slots);
	tcase_add_test(tests, a_slot_belongs_to_the_node_whose_range_it_is_in);
	tcase_add_test(tests, a_slot_that_nobody_active_holds_has_no_owner);
	tcase_add_test(tests, a_slot_is_held_once_and_within_bounds);
	tcase_add_test(tests, kafka_hashes_are_those_of_its_own_tests);
	tcase_add_test(tests, nodes_without_slots_are_the_partitions_by_id);
	tcase_add_test(tests, a_draining_partition_is_owned_by_nobody_and_the_others_stay);
	tcase_add_test(tests, brokers_lead_the_partitions_that_they_hold);
}
