/*
 * simulate_test.c - traces, what is counted on small ones, and the published
 * figures of conversations on replicas.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/simulate.h"
#include "tests/dsl/dice.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* Keys by letter: "abca". */
static struct hrw_trace *
letters(const char *text)
{
	struct hrw_trace *t = kept(calloc(1, sizeof(*t)));

	for (; *text != '\0'; text++)
		ck_assert_int_eq(hrw_trace_add(t, hrw_bytes(text, 1)), 0);
	return t;
}

static struct hrw_simulated
simulated(struct hrw_simulation_setup setup)
{
	struct hrw_simulation *s = hrw_simulation_new(&setup);
	struct hrw_simulated result;
	struct hrw_fault fault;

	/* in small steps: where it is cut shows nowhere */
	while (hrw_simulation_run(s, 7, &fault) == 1)
		;
	hrw_simulation_result(s, &result);
	hrw_simulation_free(s);
	return result;
}

START_TEST(a_trace_numbers_keys_by_their_first_appearance)
{
	struct hrw_trace *t = letters("abcabd");
	static const uint32_t numbers[] = {0, 1, 2, 0, 1, 3};

	ck_assert_uint_eq(t->count, 6);
	ck_assert_uint_eq(t->distinct, 4);
	for (size_t i = 0; i < 6; i++)
		ck_assert_uint_eq(t->request[i], numbers[i]);
	ck_assert(hrw_bytes_equal(t->key[3], hrw_text("d")));
	hrw_trace_fini(t);
}
END_TEST

START_TEST(a_long_trace_keeps_its_numbers_as_its_table_grows)
{
	struct hrw_trace *t = letters("");

	for (size_t round = 0; round < 2; round++)
		for (size_t i = 0; i < 10000; i++)
			ck_assert_int_eq(hrw_trace_add(t, hrw_text(text("key-%zu", i))), 0);
	ck_assert_uint_eq(t->distinct, 10000);
	for (size_t i = 0; i < 20000; i++)
		ck_assert_uint_eq(t->request[i], i % 10000);
	hrw_trace_fini(t);
}
END_TEST

START_TEST(one_node_is_one_cache)
{
	struct hrw_phase lone = {0, nodes("a")};
	struct hrw_simulation_setup setup = {letters("xyxzyxxx"), &lone, 1, HRW_BY_PLACEMENT, 2, 4};
	struct hrw_simulated r = simulated(setup);

	/* x y X z y x X X: of two entries, y goes for z and x for y */
	ck_assert_uint_eq(r.requests, 8);
	ck_assert_uint_eq(r.hits, 3);
	ck_assert_double_eq(r.steady, 2.0 / 4);
	ck_assert_double_eq(r.worst, 2.0 / 4);
	ck_assert_uint_eq(r.worst_at, 4);
	ck_assert(!r.has_recovered);
	ck_assert_str_eq(r.busiest, "a");
	ck_assert_uint_eq(r.busiest_requests, 8);
	setup.capacity = 0;
	ck_assert_uint_eq(simulated(setup).hits, 5); /* all but the first of each */
}
END_TEST

START_TEST(a_node_that_leaves_takes_its_cache_along_and_the_others_keep_theirs)
{
	struct hrw_trace *t = letters("abcdefghabcdefghabcdefgh");
	struct hrw_membership *two = nodes("n o");
	struct hrw_phase phase[] = {{0, two}, {8, nodes("n")}, {16, two}};
	struct hrw_simulation_setup setup = {t, phase, 3, HRW_BY_PLACEMENT, 0, 4};
	size_t of_n = 0;

	for (size_t i = 0; i < 8; i++)
		of_n += owns(two, "n", t->key[i]);
	/* n has its own, then all; o comes back empty */
	ck_assert_uint_eq(simulated(setup).hits, 2 * of_n);
	ck_assert_double_eq(simulated(setup).steady, 0);
	ck_assert_uint_eq(simulated(setup).busiest_requests, 2 * of_n + 8);
}
END_TEST

START_TEST(windows_are_counted_from_the_first_event_on)
{
	/* all hits after the first x, but for the event's three misses */
	struct hrw_phase phase[] = {{0, nodes("a")}, {12, nodes("b")}};
	struct hrw_simulation_setup setup = {
	    letters("xxxxxxxxxxxxxyzxxxxxxxxx"), phase, 2, HRW_BY_PLACEMENT, 0, 4};
	struct hrw_simulated r = simulated(setup);

	ck_assert_double_eq(r.steady, 1);
	ck_assert_double_eq(r.worst, 1.0 / 4);
	ck_assert_uint_eq(r.worst_at, 12);
	ck_assert(r.has_recovered);
	ck_assert_double_eq(r.recovered, 1);
	setup.window = 1000; /* the whole stretch */
	ck_assert_double_eq(simulated(setup).worst, 9.0 / 12);
}
END_TEST

START_TEST(in_turn_every_node_gets_as_much_as_the_others)
{
	struct hrw_phase phase = {0, nodes("a b!draining c d:0 e:9")};
	struct hrw_simulation_setup setup = {
	    letters("xxxxxxxxxxxx"), &phase, 1, HRW_ROUND_ROBIN, 1, 4};

	ck_assert_uint_eq(simulated(setup).busiest_requests, 4);
	ck_assert_uint_eq(simulated(setup).hits, 9);
	setup.router = HRW_AT_RANDOM;
	ck_assert_uint_ge(simulated(setup).hits, 9);
}
END_TEST

START_TEST(a_key_without_owner_is_a_miss)
{
	struct hrw_membership *m = placed("redis-cluster", "a");
	struct hrw_phase phase;
	struct hrw_simulation_setup setup = {letters("xxxx"), &phase, 1, HRW_BY_PLACEMENT, 1, 4};

	phase = (struct hrw_phase){0, frozen(m)};
	ck_assert_uint_eq(simulated(setup).unplaced, 4);
	ck_assert_uint_eq(simulated(setup).hits, 0);
	ck_assert_ptr_null(simulated(setup).busiest);
	phase.membership = nodes("a!draining");
	setup.router = HRW_AT_RANDOM;
	ck_assert_uint_eq(simulated(setup).unplaced, 4);
}
END_TEST

START_TEST(a_key_that_the_placement_cannot_read_is_refused_with_a_reason)
{
	struct hrw_phase phase = {0, frozen(placed("jump key_type=uint64", "a b"))};
	struct hrw_simulation_setup setup = {letters("1x"), &phase, 1, HRW_BY_PLACEMENT, 1, 4};
	struct hrw_simulation *s = hrw_simulation_new(&setup);
	struct hrw_fault fault = {0};

	ck_assert_int_eq(hrw_simulation_run(s, 10, &fault), HRW_BAD_KEY);
	ck_assert_ptr_nonnull(strstr(fault.detail, "uint64"));
	hrw_simulation_free(s);
}
END_TEST

/*
 * Conversations on replicas: eight replicas that keep 250 each of 4,000
 * conversations, whose popularity falls as rank^-0.9; 40,000 requests drawn
 * independently; after the half of them the third replica leaves; windows of 500
 * requests. The mean of ten such traces.
 */
enum {
	REPLICAS = 8,
	CAPACITY = 250,
	CONVERSATIONS = 4000,
	REQUESTS = 40000,
	WINDOW = 500,
	TRACES = 10,
};

static struct hrw_trace traces[TRACES];

static void
draw(struct hrw_trace *t, char (*name)[24], const double *up_to, uint64_t seed)
{
	struct dice d = {seed};

	for (size_t i = 0; i < REQUESTS; i++) {
		double drawn = (double)(dice_roll(&d) >> 11) * 0x1p-53 * up_to[CONVERSATIONS - 1];
		size_t low = 0, high = CONVERSATIONS - 1;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (up_to[middle] > drawn)
				high = middle;
			else
				low = middle + 1;
		}
		ck_assert_int_eq(hrw_trace_add(t, hrw_text(name[low])), 0);
	}
}

static void
draw_traces(void)
{
	static char name[CONVERSATIONS][24];
	static double up_to[CONVERSATIONS];
	double sum = 0;

	for (size_t i = 0; i < CONVERSATIONS; i++) {
		sum += pow((double)i + 1, -0.9);
		up_to[i] = sum;
		snprintf(name[i], sizeof(name[i]), "conversation-%zu", i + 1);
	}
	for (uint64_t seed = 1; seed <= TRACES; seed++)
		draw(&traces[seed - 1], name, up_to, seed);
}

static struct hrw_simulated
replicas(const char *placement, enum hrw_router router)
{
	struct hrw_phase phase[] = {
	    {0, frozen(placed(placement, "r1 r2 r3 r4 r5 r6 r7 r8"))},
	    {REQUESTS / 2, frozen(placed(placement, "r1 r2 r4 r5 r6 r7 r8"))},
	};
	struct hrw_simulated mean = {0};

	if (traces[0].count == 0)
		draw_traces();
	for (size_t i = 0; i < TRACES; i++) {
		struct hrw_simulation_setup setup = {
		    &traces[i], phase, 2, router, CAPACITY, WINDOW};
		struct hrw_simulated r = simulated(setup);

		mean.steady += r.steady / TRACES;
		mean.worst += r.worst / TRACES;
		mean.recovered += r.recovered / TRACES;
	}
	return mean;
}

START_TEST(affinity_keeps_83_percent_hits_where_random_routing_keeps_45)
{
	ck_assert_double_eq_tol(replicas("rendezvous", HRW_BY_PLACEMENT).steady, 0.83, 0.01);
	ck_assert_double_eq_tol(replicas("ring", HRW_BY_PLACEMENT).steady, 0.83, 0.01);
	ck_assert_double_eq_tol(replicas("modulo", HRW_BY_PLACEMENT).steady, 0.83, 0.01);
	ck_assert_double_eq_tol(replicas("rendezvous", HRW_AT_RANDOM).steady, 0.45, 0.01);
	ck_assert_double_eq_tol(replicas("rendezvous", HRW_ROUND_ROBIN).steady, 0.45, 0.01);
}
END_TEST

START_TEST(when_a_replica_leaves_modulo_falls_to_44_percent_and_the_others_stay_above_76)
{
	static const char *const others[] = {
	    "rendezvous", "rendezvous-blake2b", "ring", "table", "envoy-maglev"};

	ck_assert_double_eq_tol(replicas("modulo", HRW_BY_PLACEMENT).worst, 0.44, 0.015);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct hrw_simulated r = replicas(others[i], HRW_BY_PLACEMENT);

		ck_assert_msg(r.worst > 0.76, "%s: %f", others[i], r.worst);
		/* seven caches are less than eight */
		ck_assert_double_eq_tol(r.recovered, 0.81, 0.01);
	}
}
END_TEST

SUITE(simulate)
{
	tcase_add_test(tests, a_trace_numbers_keys_by_their_first_appearance);
	tcase_add_test(tests, a_long_trace_keeps_its_numbers_as_its_table_grows);
	tcase_add_test(tests, one_node_is_one_cache);
	tcase_add_test(tests, a_node_that_leaves_takes_its_cache_along_and_the_others_keep_theirs);
	tcase_add_test(tests, windows_are_counted_from_the_first_event_on);
	tcase_add_test(tests, in_turn_every_node_gets_as_much_as_the_others);
	tcase_add_test(tests, a_key_without_owner_is_a_miss);
	tcase_add_test(tests, a_key_that_the_placement_cannot_read_is_refused_with_a_reason);
	tcase_add_test(tests, affinity_keeps_83_percent_hits_where_random_routing_keeps_45);
	tcase_add_test(
	    tests, when_a_replica_leaves_modulo_falls_to_44_percent_and_the_others_stay_above_76);
}
