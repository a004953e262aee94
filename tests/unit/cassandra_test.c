/*
 * cassandra_test.c - tokens and the ring of those that nodes list.
 */
#include "core/hash/cassandra.h"
#include "core/zones.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"

#define FOO (-2129773440516405919) /* the token of "foo" */

START_TEST(foo_has_the_published_token)
{
	ck_assert_int_eq(hrw_cassandra_token(hrw_text("foo")), FOO);
}
END_TEST

START_TEST(a_node_owns_the_keys_up_to_and_with_its_token)
{
	static const struct {
		int64_t a, b;
		const char *ranking;
	} rings[] = {
	    {FOO, FOO + 1, "a b"},
	    {FOO - 1, FOO, "b a"},
	    {FOO - 2, FOO - 1, "a b"}, /* past the last: the first */
	    {INT64_MIN, INT64_MAX, "b a"},
	};

	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
		struct hrw_membership *m = placed("cassandra-murmur3", "a b c");

		give_token(m, "a", rings[i].a);
		give_token(m, "b", rings[i].b);
		ck_assert_str_eq(ranking(frozen(m), hrw_text("foo")), rings[i].ranking);
	}
}
END_TEST

START_TEST(numbers_are_hashed_as_their_bytes_from_the_highest)
{
	static const uint8_t minus_two[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe};
	static const struct {
		const char *placement, *key;
		struct hrw_bytes bytes;
	} rows[] = {
	    {"cassandra-murmur3 key_type=int32", "-2", {minus_two + 4, 4}},
	    {"cassandra-murmur3 key_type=int64", "-2", {minus_two, 8}},
	    {"cassandra-murmur3 key_type=uuid", "30313233-3435-3637-3839-616263646566",
		{(const uint8_t *)"0123456789abcdef", 16}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hrw_membership *m = placed(rows[i].placement, "a b");
		int64_t token = hrw_cassandra_token(rows[i].bytes);
		uint32_t node;

		give_token(m, "a", token - 1);
		give_token(m, "b", token);
		frozen(m);
		ck_assert_str_eq(owner(m, hrw_text(rows[i].key)), "b");
		ck_assert_int_eq(hrw_rank(m, hrw_text("foo"), 1, &node), HRW_BAD_KEY);
	}
}
END_TEST

START_TEST(a_token_is_listed_once_by_draining_nodes_too)
{
	struct hrw_membership *m = placed("cassandra-murmur3", "a b!draining");

	give_token(m, "a", -5);
	give_token(m, "b", -5);
	refused(m, HRW_BAD_FIELD, "/nodes/1/tokens");
	m = placed("cassandra-murmur3", "a b");
	give_token(m, "a", 7);
	give_token(m, "a", 7);
	refused(m, HRW_BAD_FIELD, "/nodes/0/tokens");
}
END_TEST

START_TEST(a_node_without_tokens_takes_no_keys)
{
	struct hrw_membership *m = placed("cassandra-murmur3", "a b c!draining");
	uint32_t node;

	give_token(m, "c", 1);
	frozen(m);
	ck_assert_int_eq(hrw_rank(m, hrw_text("foo"), 1, &node), HRW_NO_SERVERS);
}
END_TEST

START_TEST(a_zone_whose_nodes_have_no_tokens_costs_no_copy)
{
	struct hrw_membership *m = placed("cassandra-murmur3", "a@r1 b@r1 c@r2 d@r3");

	m->copies = 2;
	give_token(m, "a", 0);
	give_token(m, "b", FOO);
	frozen(m);
	ck_assert_str_eq(holders(m, hrw_text("foo"), 2), "b a");
}
END_TEST

SUITE(cassandra)
{
	tcase_add_test(tests, foo_has_the_published_token);
	tcase_add_test(tests, a_node_owns_the_keys_up_to_and_with_its_token);
	tcase_add_test(tests, numbers_are_hashed_as_their_bytes_from_the_highest);
	tcase_add_test(tests, a_token_is_listed_once_by_draining_nodes_too);
	tcase_add_test(tests, a_node_without_tokens_takes_no_keys);
	tcase_add_test(tests, a_zone_whose_nodes_have_no_tokens_costs_no_copy);
}
