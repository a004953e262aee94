/*
 * ln.h - the order of weighted scores, exactly.
 *
 * A score is weight / -ln(u) with u = (2 raw + 1) / 2^(bits + 1). The order is
 * that of the real numbers, so nothing may depend on the last bit of a libm:
 * doubles decide when two scores are further apart than their error, and a
 * multi-word logarithm, lengthened until it decides, settles the rest. It ends:
 * scores are equal only for equal weights and equal raws, because the
 * numerators 2 raw + 1 are odd (compare the powers of two on both sides of
 * u1^w2 = u2^w1).
 */
#ifndef HRW_LN_H
#define HRW_LN_H

#include <stdint.h>

/* Scores as doubles decide when they are further apart than this part of the
 * higher: a hundred times their error. */
#define HRW_LN_CLOSE 1e-12

/* The score as a double, good to 1e-14 of itself.
 *   raw     below 2^bits; bits is 32 or 52
 *   weight  1e-6..1e9 */
double hrw_ln_score(uint64_t raw, unsigned bits, double weight);

/* Which of two scores from hrw_ln_score() is higher: 1 the first, -1 the second,
 * 0 when they are too close to tell. */
static inline int
hrw_ln_order(double score1, double score2)
{
	if (score1 - score2 > score1 * HRW_LN_CLOSE)
		return 1;
	return score2 - score1 > score2 * HRW_LN_CLOSE ? -1 : 0;
}

/* Which of two scores is higher: 1 the first, -1 the second, 0 equal.
 * cost   two doubles nearly always; some microseconds within 1e-12 */
int hrw_ln_cmp(uint64_t raw1, double weight1, uint64_t raw2, double weight2, unsigned bits);

/* The same by the multi-word logarithm alone: the reference in tests. */
int hrw_ln_cmp_exact(uint64_t raw1, double weight1, uint64_t raw2, double weight2, unsigned bits);

#endif
