/*
 * plan_test.c - reports of generated changes against sets compared name by name.
 */
#include <stdlib.h>

#include "core/tally.h"
#include "tests/dsl/generate.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/variants.h"

enum { CASES = 2000, KEYS = 40 };

struct change_case {
	uint64_t seed;
	struct hrw_membership *before, *settled, *after;
	struct hrw_plan *plan;
	struct hrw_change change[KEYS];
	bool is_same_nodes; /* every settled node that is listed after was listed before */
};

/* In a third of the cases the pool was settled. */
static void
case_init(struct change_case *c, uint64_t seed)
{
	struct dice d = {seed};

	c->seed = seed;
	c->before = variant(seed, &d);
	c->after = variant(seed, &d);
	if (dice_percent(&d, 33)) {
		c->settled = hrw_membership_copy(c->before);
		ck_assert_int_eq(hrw_membership_freeze(c->settled, NULL, NULL), 0);
	} else {
		c->settled = variant(seed, &d);
	}
	c->is_same_nodes = true;
	for (size_t i = 0; i < c->settled->count; i++)
		if (hrw_membership_find(c->before, c->settled->node[i].name) == NULL &&
		    hrw_membership_find(c->after, c->settled->node[i].name) != NULL)
			c->is_same_nodes = false;
	/* A side whose nodes take keys as the settled one's do is settled: nothing is
	 * missing there, which the general law says as well. */
	c->plan = hrw_plan_new(c->before, c->settled, c->after, c->settled);
	for (unsigned i = 0; i < KEYS; i++)
		hrw_plan_key(c->plan, numbered("object", i), &c->change[i]);
}

static void
case_fini(struct change_case *c)
{
	hrw_plan_free(c->plan);
	hrw_membership_free(c->after);
	hrw_membership_free(c->settled);
	hrw_membership_free(c->before);
}

/* The members of a that b lacks, in the order of a. */
static size_t
missing(const char **a, size_t a_count, const char **b, size_t b_count, const char **out)
{
	size_t count = 0;

	for (size_t i = 0; i < a_count; i++)
		if (!names_have(b, b_count, a[i]))
			out[count++] = a[i];
	return count;
}

static void
check_list(const struct change_case *c, const char *what, const uint32_t *got, size_t got_count,
    const char **want, size_t count)
{
	ck_assert_msg(got_count == count, "seed %ju: %zu nodes %s, not %zu", (uintmax_t)c->seed,
	    got_count, what, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(strcmp(c->plan->name[got[i]], want[i]) == 0,
		    "seed %ju: %s is %s, not %s", (uintmax_t)c->seed, what, c->plan->name[got[i]],
		    want[i]);
}

/* Those of the list that stand alike before and after. */
static size_t
untouched(const struct change_case *c, const char **list, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct hrw_node *was = hrw_membership_find(c->before, list[i]);
		const struct hrw_node *is = hrw_membership_find(c->after, list[i]);

		found += was != NULL && is != NULL && was->state == is->state &&
			 was->weight == is->weight &&
			 (was->zone == NULL ? is->zone == NULL
					    : is->zone != NULL && strcmp(was->zone, is->zone) == 0);
	}
	return found;
}

/* The warm nodes before: settled holders that are still listed. */
static size_t
warm_by_hand(const struct change_case *c, struct hrw_bytes key, const char **warm)
{
	const char *stood[4];
	size_t count = holders_by_hand(c->settled, key, c->settled->copies, stood), kept = 0;

	for (size_t i = 0; i < count; i++)
		if (hrw_membership_find(c->before, stood[i]) != NULL)
			warm[kept++] = stood[i];
	return kept;
}

static bool
takes_after(const struct change_case *c, const char *name)
{
	const struct hrw_node *node = hrw_membership_find(c->after, name);

	return node != NULL && node->state != HRW_DRAINING && node->weight > 0;
}

/* A warm holder that stays one; else a warm node that takes keys after; else one that
 * is leaving. NULL: none is listed. */
static const char *
source_of(const struct change_case *c, const char **before, size_t before_count, const char **after,
    size_t after_count, const char **warm, size_t warm_count)
{
	for (size_t i = 0; i < before_count; i++)
		if (names_have(after, after_count, before[i]) &&
		    names_have(warm, warm_count, before[i]))
			return before[i];
	for (size_t i = 0; i < warm_count; i++)
		if (takes_after(c, warm[i]))
			return warm[i];
	for (size_t i = 0; i < warm_count; i++)
		if (hrw_membership_find(c->after, warm[i]) != NULL)
			return warm[i];
	return NULL;
}

/* What is missing on the two sides. */
static void
check_missing(const struct change_case *c, const struct hrw_change *got, const char **before,
    size_t before_count, const char **after, size_t after_count, const char **warm,
    size_t warm_count)
{
	size_t missing_before = 0, missing_after = 0, warm_after = 0;

	for (size_t i = 0; i < before_count; i++)
		missing_before += !names_have(warm, warm_count, before[i]);
	for (size_t i = 0; i < after_count; i++)
		missing_after += !names_have(warm, warm_count, after[i]) ||
				 hrw_membership_find(c->after, after[i]) == NULL;
	for (size_t i = 0; i < warm_count; i++)
		warm_after += hrw_membership_find(c->after, warm[i]) != NULL;
	ck_assert_msg(got->missing_before == missing_before, "seed %ju: %u missing before, not %zu",
	    (uintmax_t)c->seed, got->missing_before, missing_before);
	ck_assert_int_eq(got->is_nowhere_before, warm_count == 0);
	/* The settled membership after may count a node that was not listed before. */
	if (c->is_same_nodes) {
		ck_assert_msg(got->missing_after == missing_after,
		    "seed %ju: %u missing after, not %zu", (uintmax_t)c->seed, got->missing_after,
		    missing_after);
		ck_assert_int_eq(got->is_nowhere_after, warm_after == 0);
	}
}

static void
check_key(const struct change_case *c, unsigned i)
{
	const struct hrw_change *got = &c->change[i];
	const char *before[4], *after[4], *warm[4], *list[4], *from = NULL;
	struct hrw_bytes key = numbered("object", i);
	size_t before_count = holders_by_hand(c->before, key, c->before->copies, before);
	size_t after_count = holders_by_hand(c->after, key, c->after->copies, after);
	size_t warm_count = warm_by_hand(c, key, warm), lost, gained, lost_needlessly, needless;
	bool is_moved = before_count == 0 || after_count == 0 ? before_count != after_count
							      : strcmp(before[0], after[0]) != 0;

	check_list(c, "before", got->before, got->before_count, before, before_count);
	check_list(c, "after", got->after, got->after_count, after, after_count);
	lost = missing(before, before_count, after, after_count, list);
	check_list(c, "lost", got->lost, got->lost_count, list, lost);
	lost_needlessly = untouched(c, list, lost);
	gained = missing(after, after_count, before, before_count, list);
	check_list(c, "gained", got->gained, got->gained_count, list, gained);
	needless = untouched(c, list, gained);
	if (lost_needlessly < needless)
		needless = lost_needlessly;
	ck_assert_msg(got->needless == needless, "seed %ju: %u needless, not %zu",
	    (uintmax_t)c->seed, got->needless, needless);
	/* The law, whatever the change; zones may shift a copy between two others. */
	if (!c->before->has_zones && !c->after->has_zones)
		ck_assert_msg(needless == 0, "seed %ju: needless", (uintmax_t)c->seed);

	from = gained > 0 ? source_of(c, before, before_count, after, after_count, warm, warm_count)
			  : NULL;
	check_list(c, "from", &got->from, got->from != HRW_NOT_LISTED, &from, from != NULL);
	check_missing(c, got, before, before_count, after, after_count, warm, warm_count);
	ck_assert_msg(got->owner_changed == is_moved, "seed %ju: owner_changed is %d",
	    (uintmax_t)c->seed, got->owner_changed);
	ck_assert_msg(got->is_cold ==
			  (is_moved && after_count > 0 && !names_have(warm, warm_count, after[0])),
	    "seed %ju: is_cold is %d", (uintmax_t)c->seed, got->is_cold);
}

START_TEST(a_keys_change_is_the_difference_of_its_holders)
{
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct change_case c;

		case_init(&c, seed);
		for (unsigned i = 0; i < KEYS; i++)
			check_key(&c, i);
		case_fini(&c);
	}
}
END_TEST

/* Keys that lost a copy on the one and gained one on the other; the last row
 * and column stand for an empty side. */
typedef uint64_t matrix[VARIANT_NODES + 1][VARIANT_NODES + 1];

static void
count_moves(const struct change_case *c, matrix pairs)
{
	for (unsigned i = 0; i < KEYS; i++) {
		const struct hrw_change *key = &c->change[i];

		for (uint32_t l = 0; l < key->lost_count; l++)
			for (uint32_t g = 0; g < key->gained_count; g++)
				pairs[key->lost[l]][key->gained[g]]++;
		for (uint32_t l = 0; key->gained_count == 0 && l < key->lost_count; l++)
			pairs[key->lost[l]][VARIANT_NODES]++;
		for (uint32_t g = 0; key->lost_count == 0 && g < key->gained_count; g++)
			pairs[VARIANT_NODES][key->gained[g]]++;
	}
}

static void
check_moves(const struct change_case *c, const struct hrw_tally *t)
{
	matrix pairs = {{0}};
	size_t count, total = 0;
	struct hrw_move *moves = hrw_tally_moves(t, &count);

	count_moves(c, pairs);
	for (size_t l = 0; l <= VARIANT_NODES; l++)
		for (size_t g = 0; g <= VARIANT_NODES; g++)
			total += pairs[l][g] != 0;
	ck_assert_msg(
	    count == total, "seed %ju: %zu moves, not %zu", (uintmax_t)c->seed, count, total);
	for (size_t i = 0; i < count; i++) {
		uint32_t l = moves[i].lost, g = moves[i].gained;

		l = l == HRW_NOT_LISTED ? VARIANT_NODES : l;
		g = g == HRW_NOT_LISTED ? VARIANT_NODES : g;
		ck_assert_msg(moves[i].keys == pairs[l][g], "seed %ju: a move of %ju keys, not %ju",
		    (uintmax_t)c->seed, (uintmax_t)moves[i].keys, (uintmax_t)pairs[l][g]);
		if (i > 0)
			ck_assert(moves[i - 1].lost + 1 < l + 1 ||
				  moves[i - 1].gained + 1 < g + 1 || l == VARIANT_NODES ||
				  g == VARIANT_NODES);
	}
	free(moves);
}

static void
check_node(const struct change_case *c, const struct hrw_tally *t, uint32_t node)
{
	struct hrw_tally_node sum = {0, 0, 0, 0};

	for (unsigned i = 0; i < KEYS; i++) {
		const struct hrw_change *key = &c->change[i];

		for (uint32_t n = 0; n < key->before_count; n++)
			sum.before += key->before[n] == node;
		for (uint32_t n = 0; n < key->after_count; n++)
			sum.after += key->after[n] == node;
		for (uint32_t n = 0; n < key->gained_count; n++)
			sum.gains += key->gained[n] == node;
		for (uint32_t n = 0; n < key->lost_count; n++)
			sum.loses += key->lost[n] == node;
	}
	ck_assert_msg(memcmp(&sum, &t->node[node], sizeof(sum)) == 0, "seed %ju: counts of %s",
	    (uintmax_t)c->seed, c->plan->name[node]);
	ck_assert_uint_eq(sum.before + sum.gains, sum.after + sum.loses);
}

static struct hrw_tally *
tally_of(const struct change_case *c, unsigned first, unsigned step)
{
	struct hrw_tally *t = hrw_tally_new(c->plan);

	for (unsigned i = first; i < KEYS; i += step)
		ck_assert_int_eq(hrw_tally_add(t, &c->change[i]), 0);
	return t;
}

START_TEST(a_tally_is_the_sum_of_its_keys)
{
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct change_case c;
		struct hrw_tally *t;
		uint64_t changed = 0, lost = 0, gained = 0, without_source = 0, needless = 0;

		case_init(&c, seed);
		t = tally_of(&c, 0, 1);
		for (unsigned i = 0; i < KEYS; i++) {
			changed += c.change[i].lost_count + c.change[i].gained_count > 0;
			lost += c.change[i].lost_count;
			gained += c.change[i].gained_count;
			needless += c.change[i].needless;
			without_source +=
			    c.change[i].gained_count > 0 && c.change[i].from == HRW_NOT_LISTED;
		}
		ck_assert_uint_eq(t->keys, KEYS);
		ck_assert_uint_eq(t->changed, changed);
		ck_assert_uint_eq(t->copies_lost, lost);
		ck_assert_uint_eq(t->copies_gained, gained);
		ck_assert_uint_eq(t->needless, needless);
		ck_assert_uint_eq(t->keys_without_source, without_source);
		for (uint32_t node = 0; node < c.plan->count; node++)
			check_node(&c, t, node);
		check_moves(&c, t);
		hrw_tally_free(t);
		case_fini(&c);
	}
}
END_TEST

static void
check_same(const struct change_case *c, const struct hrw_tally *a, const struct hrw_tally *b)
{
	size_t a_count, b_count;
	struct hrw_move *a_moves = hrw_tally_moves(a, &a_count);
	struct hrw_move *b_moves = hrw_tally_moves(b, &b_count);

	ck_assert_uint_eq(a->keys, b->keys);
	ck_assert_uint_eq(a->changed, b->changed);
	ck_assert_uint_eq(a->copies_lost, b->copies_lost);
	ck_assert_uint_eq(a->copies_gained, b->copies_gained);
	ck_assert_uint_eq(a->needless, b->needless);
	ck_assert_uint_eq(a->keys_without_source, b->keys_without_source);
	ck_assert_uint_eq(a->owners_changed, b->owners_changed);
	ck_assert_uint_eq(a->owners_cold, b->owners_cold);
	ck_assert_msg(memcmp(a->node, b->node, a->count * sizeof(*a->node)) == 0,
	    "seed %ju: counts of nodes differ", (uintmax_t)c->seed);
	ck_assert_uint_eq(a_count, b_count);
	for (size_t i = 0; i < a_count; i++) {
		ck_assert_uint_eq(a_moves[i].lost, b_moves[i].lost);
		ck_assert_uint_eq(a_moves[i].gained, b_moves[i].gained);
		ck_assert_uint_eq(a_moves[i].keys, b_moves[i].keys);
	}
	free(a_moves);
	free(b_moves);
}

/* Three threads' worth of keys, merged in either order, and so each key counted
 * at another time than in the one tally. */
START_TEST(tallies_of_parts_merge_into_the_tally_of_the_whole)
{
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct change_case c;
		struct hrw_tally *whole, *part[3], *sum;

		case_init(&c, seed);
		whole = tally_of(&c, 0, 1);
		sum = hrw_tally_new(c.plan);
		for (unsigned i = 0; i < 3; i++)
			part[i] = tally_of(&c, i, 3);
		for (unsigned i = 0; i < 3; i++)
			ck_assert_int_eq(hrw_tally_merge(sum, part[(i + seed) % 3]), 0);
		check_same(&c, whole, sum);
		for (unsigned i = 0; i < 3; i++)
			hrw_tally_free(part[i]);
		hrw_tally_free(sum);
		hrw_tally_free(whole);
		case_fini(&c);
	}
}
END_TEST

START_TEST(the_order_of_keys_does_not_show_in_a_tally)
{
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct change_case c;
		struct hrw_tally *forth, *shuffled;
		struct dice d = {seed};

		case_init(&c, seed);
		forth = tally_of(&c, 0, 1);
		for (unsigned i = KEYS; i > 1; i--) {
			unsigned j = dice_below(&d, i);
			struct hrw_change swap = c.change[i - 1];

			c.change[i - 1] = c.change[j];
			c.change[j] = swap;
		}
		shuffled = tally_of(&c, 0, 1);
		check_same(&c, forth, shuffled);
		hrw_tally_free(shuffled);
		hrw_tally_free(forth);
		case_fini(&c);
	}
}
END_TEST

/* A pool with some nodes out of it or idle, another number of copies, a node in
 * another zone: what one ranking may tell. */
static struct hrw_membership *
lessened(const struct hrw_membership *m, struct dice *d)
{
	struct hrw_membership *copy = hrw_membership_copy(m);
	char zone[] = "z1";

	for (uint32_t i = dice_below(d, 5); i > 0 && copy->count > 0; i--) {
		struct hrw_node *node = &copy->node[dice_below(d, (uint32_t)copy->count)];

		switch (dice_below(d, 4)) {
		case 0:
			node->state = HRW_DRAINING;
			break;
		case 1:
			node->weight = 0;
			break;
		case 2:
			ck_assert_int_eq(hrw_membership_remove(copy, node->name), 0);
			break;
		case 3:
			ck_assert_int_eq(hrw_node_set_zone(node, zone, NULL), 0);
			break;
		}
	}
	if (dice_percent(d, 20))
		copy->copies = 1 + dice_below(d, 5);
	return frozen(copy);
}

/* The same plan without what it found to save a ranking. */
static struct hrw_plan *
plan_by_two_rankings(const struct hrw_membership *before, const struct hrw_membership *settled,
    const struct hrw_membership *after)
{
	struct hrw_plan *plan = hrw_plan_new(before, settled, after, settled);

	plan->wide = plan->narrow = NULL;
	plan->is_alike = false;
	return plan;
}

START_TEST(one_ranking_tells_what_two_would)
{
	size_t shared = 0, all = 0;

	pool_each (pool, CASES) {
		struct hrw_membership *other = lessened(pool.m, &pool.dice);
		bool is_growth = dice_percent(&pool.dice, 50);
		struct hrw_membership *before = is_growth ? other : pool.m;
		struct hrw_membership *after = is_growth ? pool.m : other;
		struct hrw_membership *settled = lessened(before, &pool.dice);
		struct hrw_plan *one = hrw_plan_new(before, settled, after, settled);
		struct hrw_plan *two = plan_by_two_rankings(before, settled, after);

		all++;
		shared += one->wide != NULL;
		for (int i = 0; i < KEYS; i++) {
			struct hrw_bytes key = any_key(&pool.dice);
			struct hrw_change a, b;

			memset(&a, 0, sizeof(a));
			memset(&b, 0, sizeof(b));
			hrw_plan_key(one, key, &a);
			hrw_plan_key(two, key, &b);
			ck_assert_uint_eq(a.before_count, b.before_count);
			ck_assert_uint_eq(a.after_count, b.after_count);
			ck_assert_mem_eq(a.before, b.before, a.before_count * sizeof(a.before[0]));
			ck_assert_mem_eq(a.after, b.after, a.after_count * sizeof(a.after[0]));
			ck_assert_uint_eq(a.lost_count, b.lost_count);
			ck_assert_uint_eq(a.gained_count, b.gained_count);
			ck_assert_uint_eq(a.from, b.from);
			ck_assert_int_eq(a.owner_changed, b.owner_changed);
			ck_assert_int_eq(a.is_cold, b.is_cold);
			ck_assert_uint_eq(a.needless, b.needless);
		}
		hrw_plan_free(two);
		hrw_plan_free(one);
	}
	/* Nearly always there is one to save. */
	ck_assert_uint_ge(shared, all * 8 / 10);
}
END_TEST

static bool
is_shared(const struct hrw_membership *before, const struct hrw_membership *after)
{
	struct hrw_plan *plan = hrw_plan_new(before, before, after, before);
	bool shared = plan->wide != NULL;

	hrw_plan_free(plan);
	return shared;
}

START_TEST(nodes_that_come_or_go_need_one_ranking_and_changed_weights_two)
{
	const struct hrw_membership *m = pool(2, "a b c d");

	ck_assert(is_shared(m, pool(2, "a b c")));
	ck_assert(is_shared(m, pool(2, "a b c!draining d")));
	ck_assert(!is_shared(m, pool(3, "a b:0 c d@z e f")));
	ck_assert(is_shared(m, pool(3, "a b c d@z e f")));
	ck_assert(!is_shared(m, pool(2, "a b:2 c d")));
	ck_assert(!is_shared(m, pool(2, "a b c e")));
}
END_TEST

SUITE(plan_laws)
{
	tcase_add_test(tests, one_ranking_tells_what_two_would);
	tcase_add_test(tests, nodes_that_come_or_go_need_one_ranking_and_changed_weights_two);
	tcase_add_test(tests, a_keys_change_is_the_difference_of_its_holders);
	tcase_add_test(tests, a_tally_is_the_sum_of_its_keys);
	tcase_add_test(tests, tallies_of_parts_merge_into_the_tally_of_the_whole);
	tcase_add_test(tests, the_order_of_keys_does_not_show_in_a_tally);
}
