/*
 * zones_laws_test.c - copies over zones, for every pool and every key.
 */
#include "core/zones.h"
#include "tests/dsl/generate.h"
#include "tests/dsl/suite.h"

enum { POOLS = 3000, KEYS = 12, COPIES = 8 };

/* Name of a node's zone; its own name, which no zone has, where it has none. */
static const char *
zone_name(const struct hrw_node *node)
{
	return node->zone != NULL ? node->zone : node->name;
}

static bool
has_zone(const struct hrw_membership *m, const uint32_t *list, size_t count, const char *zone)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(zone_name(&m->node[list[i]]), zone) == 0)
			return true;
	return false;
}

/* The rule, word for word, over the whole ranking. */
static size_t
by_hand(const struct hrw_membership *m, struct hrw_bytes key, size_t copies, uint32_t *out)
{
	uint32_t order[512], passed[512];
	int ranked = hrw_rank(m, key, 512, order);
	size_t count = 0, passed_count = 0;

	for (int i = 0; i < ranked; i++)
		if (count < copies && !has_zone(m, out, count, zone_name(&m->node[order[i]])))
			out[count++] = order[i];
		else
			passed[passed_count++] = order[i];
	for (size_t i = 0; i < passed_count && count < copies; i++)
		out[count++] = passed[i];
	return count;
}

START_TEST(holders_are_one_a_zone_and_then_those_passed_over)
{
	pool_each (pool, POOLS)
		for (int i = 0; i < KEYS && pool.m->taker_count > 0; i++) {
			uint32_t got[HRW_COPIES_MAX], expected[HRW_COPIES_MAX];
			size_t copies =
			    1 + dice_below(&pool.dice, i == 0 ? HRW_COPIES_MAX : COPIES);
			struct hrw_bytes key = any_key(&pool.dice);
			int count = hrw_holders(pool.m, key, copies, got);

			ck_assert_int_eq(count, (int)by_hand(pool.m, key, copies, expected));
			ck_assert_mem_eq(got, expected, (size_t)count * sizeof(got[0]));
		}
}
END_TEST

START_TEST(n_copies_are_a_prefix_of_one_more)
{
	pool_each (pool, POOLS)
		for (int i = 0; i < KEYS && pool.m->taker_count > 0; i++) {
			uint32_t fewer[HRW_COPIES_MAX], more[HRW_COPIES_MAX];
			size_t copies = 1 + dice_below(&pool.dice, COPIES);
			struct hrw_bytes key = any_key(&pool.dice);
			int count = hrw_holders(pool.m, key, copies, fewer);

			ck_assert_int_ge(hrw_holders(pool.m, key, copies + 1, more), count);
			ck_assert_mem_eq(fewer, more, (size_t)count * sizeof(fewer[0]));
		}
}
END_TEST

START_TEST(the_first_holder_is_the_owner)
{
	pool_each (pool, POOLS) {
		uint32_t first, holder[COPIES];
		struct hrw_bytes key = any_key(&pool.dice);

		if (hrw_rank(pool.m, key, 1, &first) < 0)
			continue;
		ck_assert_int_ge(hrw_holders(pool.m, key, COPIES, holder), 1);
		ck_assert_uint_eq(holder[0], first);
	}
}
END_TEST

/* How many holders of the one are none of the other; *name is the last. */
static int
holders_lost(const struct hrw_membership *before, const struct hrw_membership *after,
    struct hrw_bytes key, size_t copies, const char **name)
{
	uint32_t old[HRW_COPIES_MAX], fresh[HRW_COPIES_MAX];
	int old_count = hrw_holders(before, key, copies, old);
	int new_count = hrw_holders(after, key, copies, fresh), lost = 0;

	for (int i = 0; i < old_count; i++) {
		bool stays = false;

		for (int j = 0; j < new_count; j++)
			stays = stays ||
				strcmp(before->node[old[i]].name, after->node[fresh[j]].name) == 0;
		if (!stays)
			*name = before->node[old[i]].name;
		lost += !stays;
	}
	return lost;
}

START_TEST(a_removal_exchanges_one_copy_at_most)
{
	pool_each (pool, POOLS) {
		const char *gone = any_node(pool.m, &pool.dice)->name, *lost = gone, *gained;
		struct hrw_membership *after = without(pool.m, gone);

		for (int i = 0; i < KEYS; i++) {
			struct hrw_bytes key = any_key(&pool.dice);
			size_t copies = 1 + dice_below(&pool.dice, COPIES);
			int losses = holders_lost(pool.m, after, key, copies, &lost);

			ck_assert_int_le(losses, 1);
			ck_assert_str_eq(lost, gone);
			ck_assert_int_le(holders_lost(after, pool.m, key, copies, &gained), losses);
		}
	}
}
END_TEST

SUITE(zones_laws)
{
	tcase_add_test(tests, holders_are_one_a_zone_and_then_those_passed_over);
	tcase_add_test(tests, n_copies_are_a_prefix_of_one_more);
	tcase_add_test(tests, the_first_holder_is_the_owner);
	tcase_add_test(tests, a_removal_exchanges_one_copy_at_most);
}
