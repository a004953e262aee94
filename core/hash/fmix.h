/*
 * fmix.h - MurmurHash3's finalizers: bijections that spread every bit.
 *
 * Source: Austin Appleby, MurmurHash3, 2011 (public domain).
 */
#ifndef HRW_HASH_FMIX_H
#define HRW_HASH_FMIX_H

#include <stdint.h>

static inline uint32_t
hrw_fmix32(uint32_t h)
{
	h = (h ^ (h >> 16)) * 0x85ebca6bu;
	h = (h ^ (h >> 13)) * 0xc2b2ae35u;
	return h ^ (h >> 16);
}

static inline uint64_t
hrw_fmix64(uint64_t h)
{
	h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
	h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
	return h ^ (h >> 33);
}

#endif
