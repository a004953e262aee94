/*
 * crush_test.c - Ceph's hashes, logarithm and draws; what a map may not be.
 */
#include <stdio.h>

#include "core/hash/crush_ln.h"
#include "core/hash/rjenkins.h"
#include "core/zones.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"

#define FLAT  "ceph-straw2 failure_domain=osd"
#define HOSTS "ceph-straw2 failure_domain=host"

START_TEST(hashes_have_the_published_values)
{
	ck_assert_uint_eq(hrw_rjenkins3(1, 2, 3), 0x735ad42b);
	ck_assert_uint_eq(hrw_rjenkins2(1, 2), 0xb78dee9c);
	ck_assert_uint_eq(hrw_rjenkins_name(hrw_text("foo")), 0x7fc1f406);
}
END_TEST

START_TEST(the_logarithm_has_the_published_values)
{
	uint64_t falls = 0;

	ck_assert_uint_eq(hrw_crush_ln(0), 0);
	ck_assert_uint_eq(hrw_crush_ln(1), 17592186044416);
	ck_assert_uint_eq(hrw_crush_ln(32767), 263882790666240);
	ck_assert_uint_eq(hrw_crush_ln(65535), 281474708275200);
	for (uint32_t u = 0; u < 65535; u++)
		falls += hrw_crush_ln(u + 1) < hrw_crush_ln(u);
	ck_assert_uint_eq(falls, 1); /* the one fault of its tables that shows */
}
END_TEST

/* One try after another, nothing remembered: as the algorithm is written. */
static size_t
naive(const struct hrw_membership *m, uint32_t x, size_t copies, uint32_t *out)
{
	size_t count = 0;

	for (uint32_t rep = 0; rep < copies; rep++)
		for (uint32_t fails = 0; fails <= 50; fails++) {
			int64_t longest = 0;
			uint32_t best = 0;
			bool is_free = true;

			for (uint32_t n = 0; n < m->count; n++) { /* names go by id here */
				uint32_t weight = (uint32_t)((float)m->node[n].weight * 65536.0f);
				uint32_t u =
				    hrw_rjenkins3(x, (uint32_t)m->node[n].id, rep + fails) & 0xffff;
				int64_t straw = (int64_t)hrw_crush_ln(u) - (INT64_C(1) << 48);

				straw = weight == 0 ? INT64_MIN : straw / (int64_t)weight;
				if (n == 0 || straw > longest) {
					longest = straw;
					best = n;
				}
			}
			for (size_t i = 0; i < count; i++)
				is_free = is_free && out[i] != best;
			if (!is_free || m->node[best].state == HRW_DRAINING)
				continue;
			out[count++] = best;
			break;
		}
	return count;
}

START_TEST(draws_are_those_of_the_algorithm_as_it_is_written)
{
	static const char *const pools[] = {"a b c d e f g", "a:0.1 b:3.63869 c:0 d:7.27739 e",
	    "a:0 b c:0", "a b!draining c:2 d!draining", "a"};

	for (size_t p = 0; p < sizeof(pools) / sizeof(pools[0]); p++) {
		struct hrw_membership *m = frozen(placed(FLAT " key_type=int32", pools[p]));

		/* Equal straws are one pair in 65,536 or some more. */
		for (uint32_t x = 0; x < (p == 0 ? 30000 : 300); x++) {
			uint32_t expected[4], node[4];
			char key[16];
			int count;

			sprintf(key, "%u", x);
			count = hrw_rank(m, hrw_text(key), 4, node);
			ck_assert_int_eq(count, (int)naive(m, x, 4, expected));
			ck_assert_mem_eq(node, expected, (size_t)count * sizeof(*node));
		}
	}
}
END_TEST

START_TEST(each_host_holds_one_copy_at_most)
{
	struct hrw_membership *m = placed(HOSTS, "a@h1 b@h1 c@h2 d@h2 e@h3");

	m->copies = 4;
	frozen(m);
	for_each_key (key, 300) {
		uint32_t node[4];
		int count = hrw_holders(m, key, 4, node);

		ck_assert_int_eq(count, 3); /* shorter: there are no more hosts */
		for (int i = 0; i < count; i++)
			for (int j = 0; j < i; j++)
				ck_assert_str_ne(m->node[node[i]].zone, m->node[node[j]].zone);
	}
}
END_TEST

START_TEST(hosts_left_out_are_those_of_the_lowest_osds)
{
	struct hrw_membership *m = placed(HOSTS, "a@z b:2@y c:0.5@z d@x");
	struct hrw_membership *given = placed(HOSTS, "a@z b:2@y c:0.5@z d@x");

	give_host(given, "z", -2, 1.5);
	give_host(given, "y", -3, 2);
	give_host(given, "x", 0, -1); /* the third gets -4, and its osds' sum */
	frozen(m);
	frozen(given);
	for_each_key (key, 300)
		ck_assert_str_eq(ranking(m, key), ranking(given, key));
}
END_TEST

START_TEST(a_host_without_osds_fails_the_try)
{
	struct hrw_membership *m = placed(HOSTS, "a@h1 b@h2");

	give_host(m, "h1", -2, 1);
	give_host(m, "empty", -3, 1);
	give_host(m, "h2", -4, 1);
	frozen(m);
	for_each_key (key, 300)
		ck_assert_int_eq(hrw_rank(m, key, 2, (uint32_t[2]){0}), 2);
}
END_TEST

START_TEST(a_reweight_takes_its_part_of_keys_away)
{
	struct hrw_membership *before = frozen(placed(FLAT " pg_num=4096", "a b c d"));
	struct hrw_membership *after = placed(FLAT " pg_num=4096", "a b c d");
	size_t had = 0, has = 0;

	hrw_membership_find(after, "b")->has_reweight = true;
	hrw_membership_find(after, "b")->reweight = 0.25;
	frozen(after);
	for_each_key (key, 8000) {
		had += owns(before, "b", key);
		has += owns(after, "b", key);
		if (!owns(before, "b", key))
			ck_assert_str_eq(owner(after, key), owner(before, key));
	}
	ck_assert_double_eq_tol((double)has / (double)had, 0.25, 0.05);
}
END_TEST

START_TEST(objects_of_one_group_share_their_owners)
{
	struct hrw_membership *m = frozen(placed(FLAT " pg_num=1", "a b c d"));
	const char *first = owner(m, hrw_text("foo"));

	for_each_key (key, 100)
		ck_assert_str_eq(owner(m, key), first);
}
END_TEST

START_TEST(groups_are_placed_together_where_pgp_num_is_lower)
{
	struct hrw_membership *m = frozen(placed(FLAT " pg_num=64 pgp_num=16", "a b c d"));
	struct hrw_membership *few = frozen(placed(FLAT " pg_num=16", "a b c d"));

	ck_assert_uint_eq(few->param[5].number, 16); /* as many as pg_num */
	for_each_key (key, 100)
		ck_assert_str_eq(ranking(m, key), ranking(few, key));
	refused(placed(FLAT " pg_num=16 pgp_num=17", "a"), HRW_BAD_FIELD, "/placement/pgp_num");
}
END_TEST

START_TEST(nobody_answers_where_all_osds_are_out)
{
	struct hrw_membership *m = placed(FLAT, "a b!draining");
	uint32_t node;

	hrw_membership_find(m, "a")->has_reweight = true; /* and it is 0 */
	frozen(m);
	ck_assert_int_eq(hrw_rank(m, hrw_text("foo"), 1, &node), HRW_NO_SERVERS);
}
END_TEST

START_TEST(hosts_are_refused_that_no_map_could_have)
{
	static const struct {
		const char *name;
		int32_t id;
		double weight;
	} bad[] = {{"h1", -9, 1}, {"h2", -7, 1}, {"h2", 3, 1}, {"h2", -3, 65536}};
	struct hrw_membership *m;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		m = placed(HOSTS, "a@h1");
		give_host(m, "h1", -7, 1);
		give_host(m, bad[i].name, bad[i].id, bad[i].weight);
		refused(m, HRW_BAD_FIELD, "/placement/hosts");
	}
	m = placed(HOSTS, "a@h1 b@h2");
	give_host(m, "h1", -2, 1);
	refused(m, HRW_BAD_FIELD, "/nodes/1/zone");
	refused(placed(HOSTS, "a@h1 b"), HRW_BAD_ZONE, "/nodes/1/zone");
	refused(placed(HOSTS, "a:60000@h1 b:60000@h1"), HRW_BAD_WEIGHT, "");
	refused(placed(FLAT, "a:65536"), HRW_BAD_WEIGHT, "/nodes/0/weight");
}
END_TEST

SUITE(crush)
{
	tcase_add_test(tests, hashes_have_the_published_values);
	tcase_add_test(tests, the_logarithm_has_the_published_values);
	tcase_add_test(tests, draws_are_those_of_the_algorithm_as_it_is_written);
	tcase_add_test(tests, each_host_holds_one_copy_at_most);
	tcase_add_test(tests, hosts_left_out_are_those_of_the_lowest_osds);
	tcase_add_test(tests, a_host_without_osds_fails_the_try);
	tcase_add_test(tests, a_reweight_takes_its_part_of_keys_away);
	tcase_add_test(tests, objects_of_one_group_share_their_owners);
	tcase_add_test(tests, groups_are_placed_together_where_pgp_num_is_lower);
	tcase_add_test(tests, nobody_answers_where_all_osds_are_out);
	tcase_add_test(tests, hosts_are_refused_that_no_map_could_have);
}
