/*
 * glb_test.c - GLB's rows, its states, and the form of its keys.
 */
#include <stdio.h>

#include "core/estimate.h"
#include "core/hash/siphash.h"
#include "core/keytype.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"

#define SEED	 "seed=49a3d861d661ae5ab06ed9326871a2f5"
#define HASH_KEY "hash_key=12345678901234561234567890123456"
#define GLB	 "glb " SEED " " HASH_KEY

/* A draft whose nodes a, b, … have the addresses 1.1.1.1, 1.1.1.2, … */
static struct hrw_membership *
backends(const char *placement, const char *nodes)
{
	struct hrw_membership *m = placed(placement, nodes);

	for (size_t i = 0; i < m->count; i++) {
		char text[16];

		sprintf(text, "1.1.1.%d", m->node[i].name[0] - 'a' + 1);
		give_hash_name(m, m->node[i].name, text);
	}
	return m;
}

START_TEST(the_packet_hash_has_the_published_value)
{
	static const uint8_t key[16] = {0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56, 0x12, 0x34,
	    0x56, 0x78, 0x90, 0x12, 0x34, 0x56};
	static const uint8_t address[4] = {10, 11, 12, 13};

	ck_assert_uint_eq(hrw_siphash(hrw_bytes(address, 4), key), UINT64_C(0x008972f1657a5cbd));
}
END_TEST

/* The order of a row, found through a client that falls into it. */
static const char *
row_order(const struct hrw_membership *m, uint32_t row)
{
	static const uint8_t hash_key[16] = {0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56, 0x12,
	    0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56};
	static char order[16];
	struct hrw_score score[8];
	uint8_t ip[4] = {10};
	uint32_t client = 0;
	char key[16];

	while ((hrw_siphash(hrw_bytes(ip, 4), hash_key) & 0xffff) != row) {
		client++;
		for (size_t i = 1; i < 4; i++)
			ip[i] = (uint8_t)(client >> (24 - 8 * i));
	}
	sprintf(key, "%d.%d.%d.%d", ip[0], ip[1], ip[2], ip[3]);
	hrw_explain(m, hrw_text(key), score);
	for (size_t i = 0; i < m->count; i++) {
		size_t place = 0;

		ck_assert(score[i].has_raw && score[i].is_wide);
		for (size_t j = 0; j < m->count; j++)
			place += score[j].raw < score[i].raw;
		order[place] = m->node[i].name[0];
	}
	order[m->count] = '\0';
	return order;
}

START_TEST(the_first_and_last_row_have_the_published_order)
{
	struct hrw_membership *m = frozen(backends(GLB, "a b c d"));

	ck_assert_str_eq(row_order(m, 0), "dcba");
	ck_assert_str_eq(row_order(m, 0xffff), "abdc");
}
END_TEST

/* The pair of every key, when nobody is in trouble: "a b". */
static const char *
healthy_pair(struct hrw_bytes key)
{
	static struct hrw_membership *m;

	if (m == NULL)
		m = frozen(backends(GLB, "a b c d"));
	return ranking(m, key);
}

START_TEST(a_pair_is_swapped_when_the_first_is_bad_and_the_second_active)
{
	static const struct {
		const char *nodes, *ill;
		bool is_swapped; /* of a pair that is a, then b */
	} rows[] = {
	    {"a!draining b c d", "", true},
	    {"a b c d", "a", true},
	    {"a b c d", "ab", true}, /* the second one's health is not looked at */
	    {"a!draining b!joining c d", "", false},
	    {"a!draining b!draining c d", "", false},
	    {"a b!joining c d", "a", false},
	    {"a!joining b c d", "", false},
	    {"a b c d", "b", false},
	};
	char room[HRW_SAMPLE_KEY_BYTES];
	size_t seen = 0;

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct hrw_membership *m = backends(GLB, rows[r].nodes);

		for (size_t i = 0; i < m->count; i++)
			m->node[i].is_unhealthy = strchr(rows[r].ill, m->node[i].name[0]) != NULL;
		frozen(m);
		for (uint32_t i = 0; i < 200; i++) {
			struct hrw_bytes key = hrw_sample_key(m, i, room);

			if (strcmp(healthy_pair(key), "a b") != 0)
				continue;
			ck_assert_str_eq(ranking(m, key), rows[r].is_swapped ? "b a" : "a b");
			seen++;
		}
	}
	ck_assert_uint_gt(seen, 40);
}
END_TEST

START_TEST(an_inactive_backend_leaves_the_rows_as_a_removed_one_does)
{
	struct hrw_membership *idle = frozen(backends(GLB, "a b:0 c d"));
	struct hrw_membership *removed = frozen(backends(GLB, "a c d"));
	struct hrw_membership *lone = frozen(backends(GLB, "a b:0"));
	char room[HRW_SAMPLE_KEY_BYTES];

	for (uint32_t i = 0; i < 200; i++) {
		struct hrw_bytes key = hrw_sample_key(idle, i, room);

		ck_assert_str_eq(ranking(idle, key), ranking(removed, key));
		ck_assert_str_eq(ranking(lone, key), "a");
	}
}
END_TEST

START_TEST(keys_are_the_values_of_the_hashed_fields)
{
	static const struct {
		const char *fields, *key;
		bool is_good;
	} rows[] = {
	    {"src_addr", "192.0.2.7", true},
	    {"src_addr", "2001:db8::7", true},
	    {"src_addr", "192.0.2.7,443", false},
	    {"src_addr", "192.0.2.7,", false},
	    {"src_addr", "192.0.2", false},
	    {"src_addr", "192.0.2.256", false},
	    {"src_addr", "", false},
	    {"src_addr", "cache.test", false},
	    {"src_port", "0", true},
	    {"src_port", "65535", true},
	    {"src_port", "65536", false},
	    {"src_port", "080", false},
	    {"src_addr,dst_port", "192.0.2.7,443", true},
	    {"src_addr,dst_port", "192.0.2.7", false},
	    {"src_addr,dst_addr,src_port,dst_port", "::1,::2,3,4", true},
	    {"src_addr,dst_addr,src_port,dst_port", "::1,::2,3,4,5", false},
	    {"src_addr,dst_addr,src_port,dst_port", "::1,::2,,4", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char placement[160], room[HRW_SAMPLE_KEY_BYTES];
		struct hrw_bytes key = hrw_text(rows[i].key);
		struct hrw_membership *m;
		uint32_t node;

		sprintf(placement, GLB " hash_fields=%s", rows[i].fields);
		m = frozen(backends(placement, "a b"));
		ck_assert_int_eq(
		    hrw_rank(m, key, 1, &node), rows[i].is_good ? 1 : (int)HRW_BAD_KEY);
		ck_assert_int_eq(
		    hrw_key_check(m, key, NULL), rows[i].is_good ? 0 : (int)HRW_BAD_KEY);
		for (uint32_t s = 0; s < 300; s++)
			ck_assert_int_eq(hrw_key_check(m, hrw_sample_key(m, s, room), NULL), 0);
	}
	ck_assert_int_eq(
	    hrw_rank(frozen(backends(GLB, "a")), hrw_bytes("1.1.1.1\0", 8), 1, (uint32_t[1]){0}),
	    HRW_BAD_KEY);
}
END_TEST

START_TEST(what_is_no_table_is_refused)
{
	struct hrw_membership *m = backends(GLB, "a b");

	give_hash_name(m, "b", "b.test");
	refused(m, HRW_BAD_FIELD, "/nodes/1/hash_name");
	m = placed(GLB, "a b");
	give_hash_name(m, "a", "::1");
	give_hash_name(m, "b", "0::1");
	refused(m, HRW_BAD_SERVER, "/nodes/1/hash_name");
	m = backends(GLB, "a b");
	m->copies = 3;
	refused(m, HRW_BAD_COPIES, "/copies");
	refused(backends("glb " SEED, "a"), HRW_BAD_FIELD, "/placement/hash_key");
	refused(backends("glb " SEED " hash_key=1234567890123456123456789012345g", "a"),
	    HRW_BAD_FIELD, "/placement/hash_key");
	refused(backends(GLB " hash_fields=", "a"), HRW_BAD_FIELD, "/placement/hash_fields");
	refused(backends(GLB, "a:2"), HRW_BAD_WEIGHT, "/nodes/0/weight");
}
END_TEST

SUITE(glb)
{
	tcase_add_test(tests, the_packet_hash_has_the_published_value);
	tcase_add_test(tests, the_first_and_last_row_have_the_published_order);
	tcase_add_test(tests, a_pair_is_swapped_when_the_first_is_bad_and_the_second_active);
	tcase_add_test(tests, an_inactive_backend_leaves_the_rows_as_a_removed_one_does);
	tcase_add_test(tests, keys_are_the_values_of_the_hashed_fields);
	tcase_add_test(tests, what_is_no_table_is_refused);
}
