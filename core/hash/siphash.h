/*
 * siphash.h - SipHash-2-4, 64 bits, by libsodium.
 *
 * Source: Aumasson & Bernstein, INDOCRYPT 2012.
 */
#ifndef HRW_HASH_SIPHASH_H
#define HRW_HASH_SIPHASH_H

#include "core/bytes.h"

/* The eight digest bytes read little-endian, as the paper gives the number. */
uint64_t hrw_siphash(struct hrw_bytes text, const uint8_t secret[16]);

#endif
