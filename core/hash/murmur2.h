/*
 * murmur2.h - MurmurHash2, 32 bits, words read little-endian.
 *
 * Source: Austin Appleby, MurmurHash2, 2008 (public domain).
 */
#ifndef HRW_HASH_MURMUR2_H
#define HRW_HASH_MURMUR2_H

#include "core/bytes.h"

/* seed: what the length is XORed to. memcached clients take 0xdeadbeef times the
 * length, Kafka a constant of its own. */
uint32_t hrw_murmur2(struct hrw_bytes text, uint32_t seed);

#endif
