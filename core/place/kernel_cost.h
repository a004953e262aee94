/*
 * kernel_cost.h - what a kernel takes for -ln u, and how far to trust it.
 *
 * With v = 1 - u = (2^32 - 1/2 - raw) / 2^32, the logarithm is
 *
 *     raw >= 2^31   v A(v)
 *     below         127 ln 2 - 2^-23 ln 2 b - B(m)
 *
 * where b are the bits of u as a float (2^-23 b is 127 + its exponent + m - 1 for
 * a mantissa m), so that B(m) stands for ln m - (m - 1) ln 2. A and B are minimax
 * polynomials (Remez, 1934). A errs by 4.45e-5 of the logarithm up to v = 1/2,
 * and is too low above that. B errs by 8.7e-6, which is 1.3e-5 of any logarithm
 * below.
 *
 * C is for v up to 1/4 and errs by 1.78e-4 there; above it is too low.
 *
 * A cost goes through fewer than twenty roundings of 2^-24 more, so that it is
 * known to 4.6e-5. Two of them whose quotient is above
 *
 *     (1 + 4.6e-5) / (1 - 4.6e-5) < 1 + 9.3e-5
 *
 * are in order. Floats whose bits differ by more than KERNEL_CLOSE are at least
 * KERNEL_CLOSE / 2^24 apart.
 */
#ifndef HRW_PLACE_KERNEL_COST_H
#define HRW_PLACE_KERNEL_COST_H

enum {
	KERNEL_CLOSE = 1600,	   /* 9.5e-5 */
	KERNEL_SMALL_CLOSE = 6200, /* 3.69e-4, where C errs by 1.79e-4 */
};

#define KERNEL_A0 1.00004437f
#define KERNEL_A1 0.495781471f
#define KERNEL_A2 0.395802618f
#define KERNEL_A3 -0.0578205118f
#define KERNEL_A4 0.74519465f

#define KERNEL_C0 1.00017753f
#define KERNEL_C1 0.487657934f
#define KERNEL_C2 0.45491192f

/* -B */
#define KERNEL_B0 1.24791725f
#define KERNEL_B1 -2.8361578f
#define KERNEL_B2 2.46122209f
#define KERNEL_B3 -1.13062615f
#define KERNEL_B4 0.28873994f
#define KERNEL_B5 -0.0311040157f

#define KERNEL_LN_2 0.693147181f

#endif
