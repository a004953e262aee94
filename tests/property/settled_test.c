/*
 * settled_test.c - warmth, fallback and the guard on generated pools.
 */
#include "core/settled.h"
#include "core/zones.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/variants.h"

enum { CASES = 3000, KEYS = 30 };

struct pair {
	struct hrw_membership *present, *settled;
	struct hrw_settled s;
	uint64_t seed;
	enum hrw_risk risk; /* that is asked about */
};

static void
pair_init(struct pair *p, uint64_t seed)
{
	struct dice d = {seed};

	p->seed = seed;
	p->risk = HRW_RISK_GOING;
	p->present = variant(seed, &d);
	p->settled = variant(seed, &d);
	for (size_t i = 0; i < p->settled->count; i++)
		p->settled->node[i].is_empty = seed % 3 == 0 && dice_percent(&d, 25);
	ck_assert_int_eq(hrw_settled_init(&p->s, p->present, p->settled), 0);
}

static void
pair_fini(struct pair *p)
{
	hrw_settled_fini(&p->s);
	hrw_membership_free(p->settled);
	hrw_membership_free(p->present);
}

/* Of a key's settled holders, those that have their copies. */
static size_t
with_copies(const struct pair *p, const char **list, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!hrw_membership_find(p->settled, list[i])->is_empty)
			list[kept++] = list[i];
	return kept;
}

static void
check_lookup(const struct pair *p, struct hrw_bytes key, size_t copies, uint64_t seed)
{
	const char *now[5], *was[5], *own[5];
	size_t now_count, was_count, own_count, fallback = 0;
	struct hrw_lookup got;
	int rc = hrw_settled_lookup(&p->s, key, copies, &got);

	now_count = holders_by_hand(p->present, key, copies ? copies : p->present->copies, now);
	own_count = holders_by_hand(p->present, key, p->present->copies, own);
	was_count = holders_by_hand(p->settled, key, p->settled->copies, was);
	was_count = with_copies(p, was, was_count);
	ck_assert_uint_eq(got.holders, own_count);
	ck_assert_msg(rc == (now_count == 0 ? HRW_NO_SERVERS : (int)now_count),
	    "seed %ju: returned %d", (uintmax_t)seed, rc);
	ck_assert_uint_eq(got.count, now_count);
	for (size_t i = 0; i < now_count; i++) {
		ck_assert_str_eq(p->present->node[got.holder[i]].name, now[i]);
		ck_assert_msg(got.is_warm[i] == names_have(was, was_count, now[i]),
		    "seed %ju: %s is %swarm", (uintmax_t)seed, now[i],
		    got.is_warm[i] ? "" : "not ");
	}
	for (size_t i = 0; i < was_count; i++) {
		if (names_have(own, own_count, was[i]) ||
		    hrw_membership_find(p->present, was[i]) == NULL)
			continue;
		ck_assert_msg(fallback < got.fallback_count, "seed %ju: %s is no fallback",
		    (uintmax_t)seed, was[i]);
		ck_assert_str_eq(p->present->node[got.fallback[fallback++]].name, was[i]);
	}
	ck_assert_uint_eq(got.fallback_count, fallback);
}

START_TEST(a_warm_holder_is_a_settled_one_and_the_fallback_is_the_rest)
{
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct pair p;

		pair_init(&p, seed);
		for (unsigned i = 0; i < KEYS; i++)
			check_lookup(&p, numbered("object", i), i % 6, seed);
		pair_fini(&p);
	}
}
END_TEST

/* Empty, or listed no longer; or else on its way out: draining, of weight 0. */
static bool
is_leaving(const struct pair *p, const struct hrw_node *settled)
{
	const struct hrw_node *node = hrw_membership_find(p->present, settled->name);

	if (settled->is_empty || node == NULL || p->risk == HRW_RISK_GONE)
		return settled->is_empty || node == NULL;
	return node->state == HRW_DRAINING || node->weight <= 0;
}

/* It took keys when the pool settled. */
static bool
counts_as_holder(const struct pair *p, const struct hrw_node *settled)
{
	(void)p;
	return settled->state != HRW_DRAINING && settled->weight > 0;
}

/* Are the holders of this ranking, by the rule of zones, all on their way out? */
static bool
is_stranded(const struct pair *p, const struct hrw_node *const *ranking, size_t count)
{
	const struct hrw_node *passed_over[VARIANT_NODES];
	const char *zones[VARIANT_NODES];
	size_t held = 0, zone_count = 0, passed_count = 0, copies = p->settled->copies;

	for (size_t i = 0; i < count && held < copies; i++) {
		const char *zone = ranking[i]->zone;

		if (zone != NULL && names_have(zones, zone_count, zone)) {
			passed_over[passed_count++] = ranking[i];
			continue;
		}
		if (zone != NULL)
			zones[zone_count++] = zone;
		if (!is_leaving(p, ranking[i]))
			return false;
		held++;
	}
	for (size_t i = 0; i < passed_count && held < copies; i++, held++)
		if (!is_leaving(p, passed_over[i]))
			return false;
	return held > 0;
}

/* Does some order of ranking[at..count) after what stands before it strand a key? */
static bool
some_ranking_strands(const struct pair *p, const struct hrw_node **ranking, size_t at, size_t count)
{
	bool is_found = at == count && is_stranded(p, ranking, count);

	for (size_t i = at; i < count && !is_found; i++) {
		const struct hrw_node *first = ranking[i];

		ranking[i] = ranking[at];
		ranking[at] = first;
		is_found = some_ranking_strands(p, ranking, at + 1, count);
		ranking[at] = ranking[i];
		ranking[i] = first;
	}
	return is_found;
}

static bool
check_risk(struct pair *p, enum hrw_risk risk, const struct hrw_node **ranking, size_t count)
{
	bool is_at_risk;

	p->risk = risk;
	is_at_risk = some_ranking_strands(p, ranking, 0, count);
	ck_assert_msg(hrw_settled_at_risk(&p->s, risk) == is_at_risk, "seed %ju: %s at risk %d",
	    (uintmax_t)p->seed, is_at_risk ? "not" : "wrongly", (int)risk);
	return is_at_risk;
}

/* Every order of the nodes is tried, so pools of more than 7 are left out. */
START_TEST(the_guard_refuses_exactly_what_some_ranking_would_strand)
{
	unsigned at_risk[2] = {0}, pools = 0;

	for (uint64_t seed = 1; seed <= CASES; seed++) {
		const struct hrw_node *ranking[VARIANT_NODES];
		struct pair p;
		size_t count = 0;

		pair_init(&p, seed);
		for (size_t i = 0; i < p.settled->count; i++)
			if (counts_as_holder(&p, &p.settled->node[i]))
				ranking[count++] = &p.settled->node[i];
		if (count <= 7) {
			at_risk[HRW_RISK_GOING] += check_risk(&p, HRW_RISK_GOING, ranking, count);
			at_risk[HRW_RISK_GONE] += check_risk(&p, HRW_RISK_GONE, ranking, count);
			pools++;
		}
		pair_fini(&p);
	}
	for (int risk = 0; risk < 2; risk++) {
		ck_assert_uint_gt(at_risk[risk], pools / 10);
		ck_assert_uint_lt(at_risk[risk], pools - pools / 10);
	}
}
END_TEST

START_TEST(no_key_is_stranded_that_the_guard_called_safe)
{
	unsigned stranded = 0;

	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct pair p;

		pair_init(&p, seed);
		for (unsigned i = 0; i < KEYS; i++) {
			uint32_t was[HRW_COPIES_MAX];
			int held =
			    hrw_holders(p.settled, numbered("object", i), p.settled->copies, was);
			int leaving = 0;

			for (int h = 0; h < held; h++)
				leaving += is_leaving(&p, &p.settled->node[was[h]]);
			if (held < 1 || leaving < held)
				continue;
			stranded++;
			ck_assert_msg(hrw_settled_at_risk(&p.s, HRW_RISK_GOING),
			    "seed %ju: key %u is stranded", (uintmax_t)seed, i);
		}
		pair_fini(&p);
	}
	ck_assert_uint_gt(stranded, CASES);
}
END_TEST

SUITE(settled_laws)
{
	tcase_add_test(tests, a_warm_holder_is_a_settled_one_and_the_fallback_is_the_rest);
	tcase_add_test(tests, the_guard_refuses_exactly_what_some_ranking_would_strand);
	tcase_add_test(tests, no_key_is_stranded_that_the_guard_called_safe);
}
