/*
 * ln_laws_test.c - the order of scores against MPFR's logarithm of 512 bits.
 */
#include <math.h>
#include <stdint.h>

#include <mpfr.h>

#include "core/ln.h"
#include "core/place/race.h"
#include "tests/dsl/generate.h"
#include "tests/dsl/suite.h"

enum { PRECISION = 512 };

/* -ln((2 raw + 1) / 2^(bits + 1)) */
static void
reference_ln(mpfr_t out, uint64_t raw, unsigned bits)
{
	mpfr_set_uj(out, 2 * raw + 1, MPFR_RNDN);
	mpfr_div_2ui(out, out, bits + 1, MPFR_RNDN);
	mpfr_log(out, out, MPFR_RNDN);
	mpfr_neg(out, out, MPFR_RNDN);
}

static int
reference_cmp(uint64_t raw1, double weight1, uint64_t raw2, double weight2, unsigned bits)
{
	mpfr_t left, right;
	int order;

	mpfr_inits2(PRECISION, left, right, (mpfr_ptr)NULL);
	reference_ln(left, raw2, bits);
	mpfr_mul_d(left, left, weight1, MPFR_RNDN);
	reference_ln(right, raw1, bits);
	mpfr_mul_d(right, right, weight2, MPFR_RNDN);
	order = mpfr_cmp(left, right);
	mpfr_clears(left, right, (mpfr_ptr)NULL);
	return (order > 0) - (order < 0);
}

/* The double nearest to the weight that would make both scores equal. */
static double
balance(uint64_t raw1, double weight1, uint64_t raw2, unsigned bits)
{
	mpfr_t ln1, ln2;
	double weight;

	mpfr_inits2(PRECISION, ln1, ln2, (mpfr_ptr)NULL);
	reference_ln(ln1, raw1, bits);
	reference_ln(ln2, raw2, bits);
	mpfr_mul_d(ln2, ln2, weight1, MPFR_RNDN);
	mpfr_div(ln2, ln2, ln1, MPFR_RNDN);
	weight = mpfr_get_d(ln2, MPFR_RNDN);
	mpfr_clears(ln1, ln2, (mpfr_ptr)NULL);
	return weight;
}

static void
agree(uint64_t raw1, double weight1, uint64_t raw2, double weight2, unsigned bits)
{
	int expected = reference_cmp(raw1, weight1, raw2, weight2, bits);

	ck_assert_msg(hrw_ln_cmp(raw1, weight1, raw2, weight2, bits) == expected &&
			  hrw_ln_cmp_exact(raw1, weight1, raw2, weight2, bits) == expected &&
			  hrw_ln_cmp_exact(raw2, weight2, raw1, weight1, bits) == -expected,
	    "raw %ju weight %a against raw %ju weight %a, %u bits: MPFR says %d", (uintmax_t)raw1,
	    weight1, (uintmax_t)raw2, weight2, bits, expected);
}

/* A raw of any magnitude, near 0 and near 2^bits too. */
static uint64_t
any_raw(struct dice *d, unsigned bits)
{
	uint64_t limit = UINT64_C(1) << bits;
	uint64_t raw = dice_roll(d) & (limit - 1);

	switch (dice_below(d, 4)) {
	case 0:
		return raw >> dice_below(d, bits);
	case 1:
		return limit - 1 - (raw >> dice_below(d, bits));
	default:
		return raw;
	}
}

START_TEST(equal_weights_give_the_order_of_neighbouring_raws)
{
	static const double weights[] = {1, 1e-6, 1e9, 0.1, 3};
	unsigned bits[] = {32, 52};

	for (size_t b = 0; b < 2; b++) {
		uint64_t last = (UINT64_C(1) << bits[b]) - 2, step = last / 100003;

		for (uint64_t raw = 0; raw <= last; raw += raw < 4096 ? 1 : step)
			for (size_t w = 0; w < 5; w++)
				ck_assert_int_eq(
				    hrw_ln_cmp(raw, weights[w], raw + 1, weights[w], bits[b]), -1);
		for (uint64_t raw = last - 4096; raw <= last; raw++)
			for (size_t w = 0; w < 5; w++)
				ck_assert_int_eq(
				    hrw_ln_cmp(raw + 1, weights[w], raw, weights[w], bits[b]), 1);
	}
}
END_TEST

START_TEST(neighbouring_raws_with_neighbouring_weights_agree_with_mpfr)
{
	double above = nextafter(1, 2);

	for (unsigned bits = 32; bits <= 52; bits += 20) {
		uint64_t last = (UINT64_C(1) << bits) - 2, step = last / 5003;

		for (uint64_t raw = 0; raw <= last; raw += raw < 300 ? 1 : step)
			agree(raw, above, raw + 1, 1, bits);
		for (uint64_t raw = last - 300; raw <= last; raw++)
			agree(raw, above, raw + 1, 1, bits);
	}
}
END_TEST

START_TEST(pairs_built_to_be_close_agree_with_mpfr)
{
	struct dice d = {52};
	size_t built = 0;

	while (built < 5000) {
		unsigned bits = dice_percent(&d, 50) ? 32 : 52;
		uint64_t raw1 = any_raw(&d, bits), raw2 = any_raw(&d, bits);
		double weight1 = dice_percent(&d, 30) ? 1 + dice_below(&d, 9) : any_weight(&d);
		double weight2 = balance(raw1, weight1, raw2, bits);

		if (!(weight2 >= 1e-6 && weight2 <= 1e9))
			continue;
		built++;
		agree(raw1, weight1, raw2, weight2, bits);
		agree(raw1, weight1, raw2, nextafter(weight2, 0), bits);
		agree(raw1, weight1, raw2, nextafter(weight2, 2e9), bits);
	}
}
END_TEST

START_TEST(pairs_by_chance_agree_with_mpfr)
{
	struct dice d = {32};

	for (int i = 0; i < 4000; i++) {
		unsigned bits = dice_percent(&d, 50) ? 32 : 52;

		agree(any_raw(&d, bits), any_weight(&d), any_raw(&d, bits), any_weight(&d), bits);
	}
}
END_TEST

START_TEST(equal_raws_and_equal_weights_are_equal)
{
	struct dice d = {1};

	for (int i = 0; i < 1000; i++) {
		uint64_t raw = any_raw(&d, 52);
		double weight = any_weight(&d);

		ck_assert_int_eq(hrw_ln_cmp(raw, weight, raw, weight, 52), 0);
		agree(raw, weight, raw, nextafter(weight, 2e9), 52);
	}
}
END_TEST

START_TEST(a_score_is_good_to_1e_14)
{
	struct dice d = {14};
	mpfr_t exact, got;

	mpfr_inits2(PRECISION, exact, got, (mpfr_ptr)NULL);
	for (int i = 0; i < 20000; i++) {
		unsigned bits = dice_percent(&d, 50) ? 32 : 52;
		uint64_t raw = any_raw(&d, bits);
		double weight = any_weight(&d), score = hrw_ln_score(raw, bits, weight);

		ck_assert(isfinite(score) && score > 0);
		reference_ln(exact, raw, bits);
		mpfr_mul_d(got, exact, score, MPFR_RNDN);
		mpfr_div_d(got, got, weight, MPFR_RNDN);
		mpfr_sub_ui(got, got, 1, MPFR_RNDN);
		ck_assert_double_le(fabs(mpfr_get_d(got, MPFR_RNDN)), 1e-14);
	}
	mpfr_clears(exact, got, (mpfr_ptr)NULL);
	mpfr_free_cache();
}
END_TEST

/* Who of two wins the race, the first offered being 0. */
static uint32_t
winner(const uint64_t raw[2], const double weight[2], unsigned bits)
{
	static const uint32_t node[] = {0, 1};
	struct hrw_race_candidate heap[2];
	struct hrw_race race = {.weight = weight, .bits = bits, .heap = heap, .want = 2};
	uint32_t out[2];

	for (uint32_t i = 0; i < 2; i++)
		hrw_race_offer(&race, raw[i], hrw_ln_score(raw[i], bits, weight[i]), i);
	ck_assert_int_eq(hrw_race_finish(&race, node, out), 2);
	return out[0];
}

START_TEST(a_race_too_close_for_doubles_is_won_by_the_real_numbers)
{
	struct dice d = {16};
	int close = 0;

	for (int i = 0; i < 500; i++) {
		unsigned bits = i % 2 == 0 ? 32 : 52;
		uint64_t raw[2] = {dice_roll(&d) >> (64 - bits), dice_roll(&d) >> (64 - bits)};
		double weight[2] = {any_weight(&d), 0};

		weight[1] = balance(raw[0], weight[0], raw[1], bits);
		if (weight[1] < 1e-6 || weight[1] > 1e9)
			continue;
		close += hrw_ln_order(hrw_ln_score(raw[0], bits, weight[0]),
			     hrw_ln_score(raw[1], bits, weight[1])) == 0;
		ck_assert_uint_eq(winner(raw, weight, bits),
		    reference_cmp(raw[0], weight[0], raw[1], weight[1], bits) < 0);
	}
	ck_assert_int_gt(close, 300);
	mpfr_free_cache();
}
END_TEST

SUITE(ln_laws)
{
	tcase_add_test(tests, a_race_too_close_for_doubles_is_won_by_the_real_numbers);
	tcase_add_test(tests, equal_weights_give_the_order_of_neighbouring_raws);
	tcase_add_test(tests, neighbouring_raws_with_neighbouring_weights_agree_with_mpfr);
	tcase_add_test(tests, pairs_built_to_be_close_agree_with_mpfr);
	tcase_add_test(tests, pairs_by_chance_agree_with_mpfr);
	tcase_add_test(tests, equal_raws_and_equal_weights_are_equal);
	tcase_add_test(tests, a_score_is_good_to_1e_14);
}
