/*
 * xorshift.h - the mix of the xorshift64* generator, used as a hash of an XOR.
 *
 * Source: Marsaglia, "Xorshift RNGs", JSS 8(14), 2003; Vigna, 2014.
 */
#ifndef HRW_HASH_XORSHIFT_H
#define HRW_HASH_XORSHIFT_H

#include <stdint.h>

/* A bijection with hrw_xorshift64(0) = 0. */
static inline uint64_t
hrw_xorshift64(uint64_t x)
{
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return x * 2685821657736338717u;
}

#endif
