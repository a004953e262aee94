/*
 * avalanche.h - a full avalanche of 32 bits in integer steps, as HAProxy has it.
 *
 * Source: Bob Jenkins, "4-byte integer hashing" (public domain); HAProxy 2.6.
 */
#ifndef HRW_HASH_AVALANCHE_H
#define HRW_HASH_AVALANCHE_H

#include <stdint.h>

static inline uint32_t
hrw_avalanche32(uint32_t a)
{
	a = a * 4097 + 0x7ed55d16u;
	a = a ^ 0xc761c23cu ^ (a >> 19);
	a = a * 33 + 0x165667b1u;
	a = (a + 0xd3a2646cu) ^ (a << 9);
	a = a * 9 + 0xfd7046c5u;
	a = a ^ 0xb55a4f09u ^ (a >> 16);
	return a * 3221225473u;
}

#endif
