/*
 * placement_laws_test.c - what must hold for every pool and every key.
 */
#include <math.h>
#include <stdio.h>

#include "core/ln.h"
#include "tests/dsl/generate.h"
#include "tests/dsl/suite.h"

enum { POOLS = 3000, KEYS = 12 };

/* Names of a ranking with one of them left out. */
static const char *
deleted(const struct hrw_membership *m, struct hrw_bytes key, const char *name)
{
	static char room[HRW_NODES_MAX];
	uint32_t node[512];
	int count = hrw_rank(m, key, 512, node);
	size_t at = 0;

	room[0] = '\0';
	for (int i = 0; i < count; i++)
		if (strcmp(m->node[node[i]].name, name) != 0)
			at += (size_t)sprintf(
			    room + at, "%s%s", at > 0 ? " " : "", m->node[node[i]].name);
	return room;
}

START_TEST(listing_order_changes_nothing)
{
	pool_each (pool, POOLS) {
		struct hrw_membership *other = shuffled(pool.m, &pool.dice);

		for (int i = 0; i < KEYS; i++) {
			struct hrw_bytes key = any_key(&pool.dice);

			ck_assert_str_eq(ranking(other, key), ranking(pool.m, key));
		}
	}
}
END_TEST

START_TEST(the_ranking_without_a_node_is_the_old_one_with_it_deleted)
{
	pool_each (pool, POOLS) {
		const char *name = any_node(pool.m, &pool.dice)->name;
		struct hrw_membership *after = without(pool.m, name);

		for (int i = 0; i < KEYS; i++) {
			struct hrw_bytes key = any_key(&pool.dice);

			ck_assert_str_eq(ranking(after, key), deleted(pool.m, key, name));
		}
	}
}
END_TEST

START_TEST(draining_a_node_places_keys_as_removing_it_does)
{
	pool_each (pool, POOLS) {
		const char *name = any_node(pool.m, &pool.dice)->name;
		struct hrw_membership *after = without(pool.m, name);
		struct hrw_membership *draining = drained(pool.m, name);
		struct hrw_membership *idle = reweighted(pool.m, name, 0);

		for (int i = 0; i < KEYS; i++) {
			struct hrw_bytes key = any_key(&pool.dice);

			ck_assert_str_eq(ranking(draining, key), ranking(after, key));
			ck_assert_str_eq(ranking(idle, key), ranking(after, key));
		}
	}
}
END_TEST

START_TEST(a_newcomer_takes_keys_and_the_others_keep_theirs)
{
	pool_each (pool, POOLS) {
		char name[] = "newcomer";
		struct hrw_node newcomer = {.name = name, .id = HRW_ID_UNSET};
		struct hrw_membership *after;

		newcomer.weight = dice_percent(&pool.dice, 50)
				      ? any_node(pool.m, &pool.dice)->weight
				      : any_weight(&pool.dice);
		after = with(pool.m, &newcomer);
		for (int i = 0; i < KEYS; i++) {
			struct hrw_bytes key = any_key(&pool.dice);

			if (!owns(after, "newcomer", key))
				ck_assert_pstr_eq(owner(after, key), owner(pool.m, key));
			ck_assert_str_eq(deleted(after, key, "newcomer"), ranking(pool.m, key));
		}
	}
}
END_TEST

/* Place of a name in a ranking, from 1; one past the last where it is not. */
static size_t
place(const struct hrw_membership *m, struct hrw_bytes key, const char *name)
{
	uint32_t node[512];
	int count = hrw_rank(m, key, 512, node), i = 0;

	while (i < count && strcmp(m->node[node[i]].name, name) != 0)
		i++;
	return (size_t)i + 1;
}

START_TEST(raising_a_weight_moves_keys_only_onto_that_node)
{
	pool_each (pool, POOLS) {
		const struct hrw_node *node = any_node(pool.m, &pool.dice);
		double weight = dice_percent(&pool.dice, 30) || node->weight < 1e-6
				    ? fmax(1e-6, nextafter(node->weight, INFINITY))
				    : node->weight * (1 + dice_below(&pool.dice, 100) / 10.0);
		struct hrw_membership *after = reweighted(pool.m, node->name, fmin(weight, 1e9));

		for (int i = 0; i < KEYS; i++) {
			struct hrw_bytes key = any_key(&pool.dice);

			if (!owns(after, node->name, key))
				ck_assert_pstr_eq(owner(after, key), owner(pool.m, key));
			ck_assert_uint_le(
			    place(after, key, node->name), place(pool.m, key, node->name));
			ck_assert_str_eq(
			    deleted(after, key, node->name), deleted(pool.m, key, node->name));
		}
	}
}
END_TEST

START_TEST(few_are_the_beginning_of_many)
{
	pool_each (pool, POOLS) {
		uint32_t whole[512], some[512];
		struct hrw_bytes key = any_key(&pool.dice);
		int all = hrw_rank(pool.m, key, 512, whole);
		size_t want = 1 + dice_below(&pool.dice, 100);
		int count = hrw_rank(pool.m, key, want, some);

		if (all < 0) {
			ck_assert_int_eq(all, HRW_NO_SERVERS);
			ck_assert_int_eq(count, HRW_NO_SERVERS);
			continue;
		}
		ck_assert_int_eq(all, (int)pool.m->taker_count);
		ck_assert_int_eq(count, (int)want < all ? (int)want : all);
		ck_assert_mem_eq(some, whole, (size_t)count * sizeof(some[0]));
	}
}
END_TEST

START_TEST(a_ranking_is_the_order_of_exact_scores)
{
	pool_each (pool, POOLS) {
		static struct hrw_score score[512];
		uint32_t node[512];
		struct hrw_bytes key = any_key(&pool.dice);
		int count = hrw_rank(pool.m, key, 512, node);

		hrw_explain(pool.m, key, score);
		for (size_t i = 0; i < pool.m->count; i++)
			ck_assert_int_eq(score[i].rank == 0, !hrw_node_is_taker(&pool.m->node[i]));
		for (int i = 0; i < count; i++)
			ck_assert_uint_eq(score[node[i]].rank, (uint32_t)i + 1);
		for (int i = 1; i < count; i++)
			ck_assert_int_eq(hrw_ln_cmp_exact(score[node[i - 1]].raw,
					     pool.m->node[node[i - 1]].weight, score[node[i]].raw,
					     pool.m->node[node[i]].weight, 32),
			    1);
	}
}
END_TEST

/* Pearson's statistic of owners against weights. */
static double
chi_square(const struct hrw_membership *m, size_t keys)
{
	uint32_t count[64] = {0}, node;
	double sum = 0;

	for_each_key (key, keys) {
		ck_assert_int_eq(hrw_rank(m, key, 1, &node), 1);
		count[node]++;
	}
	for (size_t i = 0; i < m->count; i++) {
		double expected = m->node[i].weight / m->taker_weight * (double)keys;

		sum += (count[i] - expected) * (count[i] - expected) / expected;
	}
	return sum;
}

START_TEST(shares_follow_weights)
{
	struct dice d = {7};

	for (int round = 0; round < 60; round++) {
		struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);
		uint32_t count = 2 + dice_below(&d, 15), spread = 1 + dice_below(&d, 8);

		for (uint32_t i = 0; i < count; i++) {
			char name[16];
			struct hrw_node node = {.name = name, .id = HRW_ID_UNSET};

			sprintf(name, "n%x", dice_below(&d, 1u << 30));
			node.weight = 1 + dice_below(&d, spread);
			ck_assert_int_eq(hrw_membership_add(m, &node, NULL, NULL), 0);
		}
		frozen(m);
		/* Wilson & Hilferty: the cube root of chi-square / freedom is normal
		 * within a few thousandths; 5 deviations are one case in 3 million. */
		double freedom = count - 1, part = 2 / (9 * freedom);
		double deviation = (cbrt(chi_square(m, 20000) / freedom) - (1 - part)) / sqrt(part);

		ck_assert_msg(deviation < 5, "round %d: %.1f deviations", round, deviation);
		forget_nodes();
	}
}
END_TEST

SUITE(placement_laws)
{
	tcase_add_test(tests, listing_order_changes_nothing);
	tcase_add_test(tests, the_ranking_without_a_node_is_the_old_one_with_it_deleted);
	tcase_add_test(tests, draining_a_node_places_keys_as_removing_it_does);
	tcase_add_test(tests, a_newcomer_takes_keys_and_the_others_keep_theirs);
	tcase_add_test(tests, raising_a_weight_moves_keys_only_onto_that_node);
	tcase_add_test(tests, few_are_the_beginning_of_many);
	tcase_add_test(tests, a_ranking_is_the_order_of_exact_scores);
	tcase_add_test(tests, shares_follow_weights);
}
