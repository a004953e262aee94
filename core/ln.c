/*
 * ln.c - two weighted scores compared by a logarithm of as many words as needed.
 *
 * score1 > score2 where w1 * -ln u2 > w2 * -ln u1. With u = m / 2^(bits + 1)
 * and x = m / 2^j the one such quotient in [1/sqrt 2, sqrt 2):
 *
 *     -ln u = (bits + 1 - j) ln 2 + 2 atanh((2^j - m) / (2^j + m))
 *
 * where the first term is 0 for u near 1, so that nothing cancels. The series of
 * atanh, sum of z^(2i+1) / (2i+1), gains 5 bits a term; ln 2 is 2 atanh(1/3).
 * Numbers are fixed-point: limbs of 32 bits, the lowest first, all below the
 * point but the highest few.
 */
#include "core/ln.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
	LIMBS_FIRST = 6, /* below the point: 192 bits */
	LIMBS_LAST = 96,
	ROOM = LIMBS_LAST + 8,
};

struct fixed {
	uint32_t limb[ROOM]; /* all above those in use are 0 */
};

/* a += b, over `count` limbs. */
static void
add(struct fixed *a, const struct fixed *b, size_t count)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < count; i++) {
		carry += (uint64_t)a->limb[i] + b->limb[i];
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

/* a -= b, where a >= b. */
static void
subtract(struct fixed *a, const struct fixed *b, size_t count)
{
	uint64_t borrow = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;

		a->limb[i] = (uint32_t)difference;
		borrow = difference >> 63;
	}
}

static int
compare(const struct fixed *a, const struct fixed *b, size_t count)
{
	while (count-- > 0)
		if (a->limb[count] != b->limb[count])
			return a->limb[count] > b->limb[count] ? 1 : -1;
	return 0;
}

/* a *= factor, over `count` limbs. */
static void
multiply_small(struct fixed *a, uint32_t factor, size_t count)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < count; i++) {
		carry += (uint64_t)a->limb[i] * factor;
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

/* a /= divisor, rounded down. */
static void
divide_small(struct fixed *a, uint32_t divisor, size_t count)
{
	uint64_t rest = 0;

	while (count-- > 0) {
		rest = rest << 32 | a->limb[count];
		a->limb[count] = (uint32_t)(rest / divisor);
		rest %= divisor;
	}
}

/* The product of two numbers below 1 with n limbs each, rounded down. */
static void
multiply(struct fixed *out, const struct fixed *a, const struct fixed *b, size_t n)
{
	uint32_t product[2 * LIMBS_LAST] = {0};

	for (size_t i = 0; i < n; i++) {
		uint64_t carry = 0;

		for (size_t j = 0; j < n; j++) {
			carry += (uint64_t)a->limb[i] * b->limb[j] + product[i + j];
			product[i + j] = (uint32_t)carry;
			carry >>= 32;
		}
		product[i + n] = (uint32_t)carry;
	}
	memset(out, 0, sizeof(*out));
	memcpy(out->limb, product + n, n * sizeof(product[0]));
}

static bool
is_zero(const struct fixed *a, size_t count)
{
	while (count-- > 0)
		if (a->limb[count] != 0)
			return false;
	return true;
}

/* 2 atanh(up / down) with n limbs below the point, too low by less than 2^7 n
 * units: each of at most 11n + 2 terms errs by less than 4.
 *   up, down  up < down / 2, down < 2^56 */
static void
two_atanh(struct fixed *out, uint64_t up, uint64_t down, size_t n)
{
	struct fixed power = {{0}}, square, term;

	/* Long division, 8 bits at a time so that the rest fits in 64. */
	for (size_t i = n; i-- > 0;)
		for (int shift = 24; shift >= 0; shift -= 8) {
			up <<= 8;
			power.limb[i] |= (uint32_t)(up / down) << shift;
			up %= down;
		}
	multiply(&square, &power, &power, n);
	memset(out, 0, sizeof(*out));
	for (uint32_t odd = 1; !is_zero(&power, n); odd += 2) {
		term = power;
		divide_small(&term, odd, n);
		add(out, &term, n + 1);
		multiply(&term, &power, &square, n);
		power = term;
	}
	add(out, out, n + 1);
}

/* -ln u with n limbs below the point, to 2^13 n units: ln 2 counts at most 53
 * times. */
static void
minus_ln(struct fixed *out, uint64_t raw, unsigned bits, size_t n)
{
	uint64_t m = 2 * raw + 1, power;
	unsigned j = 0;
	struct fixed part;

	/* 2^j >= m, and then half of it where that is nearer: 181/256 is just
	 * above 1/sqrt 2, and any split near there would do. */
	while (j <= bits && (UINT64_C(1) << j) < m)
		j++;
	power = UINT64_C(1) << j;
	if (m < power / 256.0 * 181 && j > 0)
		power = UINT64_C(1) << --j;
	memset(out, 0, sizeof(*out));
	if (j <= bits) {
		two_atanh(out, 1, 3, n);
		multiply_small(out, bits + 1 - j, n + 1);
	}
	if (power >= m) {
		two_atanh(&part, power - m, power + m, n);
		add(out, &part, n + 1);
	} else {
		two_atanh(&part, m - power, power + m, n);
		subtract(out, &part, n + 1);
	}
}

/* A double above 0 as mantissa times 2^exponent. */
static uint64_t
split(double value, int *exponent)
{
	double mantissa = frexp(value, exponent);

	*exponent -= 53;
	return (uint64_t)ldexp(mantissa, 53);
}

/* a *= factor << shift, over `count` limbs. */
static void
scale(struct fixed *a, uint64_t factor, unsigned shift, size_t count)
{
	struct fixed high = {{0}};

	memcpy(high.limb + 1, a->limb, (count - 1) * sizeof(a->limb[0]));
	multiply_small(&high, (uint32_t)(factor >> 32), count);
	multiply_small(a, (uint32_t)factor, count);
	add(a, &high, count);
	for (; shift >= 16; shift -= 16)
		multiply_small(a, 1u << 16, count);
	multiply_small(a, 1u << shift, count);
}

double
hrw_ln_score(uint64_t raw, unsigned bits, double weight)
{
	/* u is exact: its numerator has at most 53 bits. */
	return weight / -log((double)(2 * raw + 1) * (bits == 32 ? 0x1p-33 : 0x1p-53));
}

int
hrw_ln_cmp(uint64_t raw1, double weight1, uint64_t raw2, double weight2, unsigned bits)
{
	int order =
	    hrw_ln_order(hrw_ln_score(raw1, bits, weight1), hrw_ln_score(raw2, bits, weight2));

	return order != 0 ? order : hrw_ln_cmp_exact(raw1, weight1, raw2, weight2, bits);
}

/* Tries with n limbs below the point; 0: too close to tell. */
static int
cmp_with(uint64_t raw1, double weight1, uint64_t raw2, double weight2, unsigned bits, size_t n)
{
	int exponent1, exponent2, lower, order;
	uint64_t mantissa1 = split(weight1, &exponent1), mantissa2 = split(weight2, &exponent2);
	size_t count = n + 6, unsure;
	unsigned shift1, shift2;
	struct fixed left, right;

	lower = exponent1 < exponent2 ? exponent1 : exponent2;
	shift1 = (unsigned)(exponent1 - lower);
	shift2 = (unsigned)(exponent2 - lower);
	minus_ln(&left, raw2, bits, n);
	minus_ln(&right, raw1, bits, n);
	scale(&left, mantissa1, shift1, count);
	scale(&right, mantissa2, shift2, count);
	order = compare(&left, &right, count);
	if (order >= 0)
		subtract(&left, &right, count);
	else
		subtract(&right, &left, count);
	/* Both sides err by less than 2^13 n 2^53 2^shift units, 2^7 > LIMBS_LAST:
	 * decided if the difference has a bit above their sum. */
	unsure = (13 + 7 + 53 + (shift1 > shift2 ? shift1 : shift2) + 1 + 31) / 32;
	for (size_t i = unsure; i < count; i++)
		if ((order >= 0 ? left : right).limb[i] != 0)
			return order;
	return 0;
}

int
hrw_ln_cmp_exact(uint64_t raw1, double weight1, uint64_t raw2, double weight2, unsigned bits)
{
	int order = 0;

	if (raw1 == raw2)
		return (weight1 > weight2) - (weight1 < weight2);
	if (weight1 == weight2)
		return raw1 > raw2 ? 1 : -1;
	for (size_t n = LIMBS_FIRST; order == 0 && n <= LIMBS_LAST; n *= 2)
		order = cmp_with(raw1, weight1, raw2, weight2, bits, n);
	/* Two weights of 53 bits and two raws cannot come as close as 2^-2900. */
	return order;
}
