/*
 * memcached.h - the hashes that C clients of memcached share, with their quirks:
 * signed bytes, FNV-64 by halves, CRC-32 cut to 15 bits.
 *
 * Source: libmemcached 1.1.4, twemproxy 0.5.0, on CPUs whose char is signed.
 */
#ifndef HRW_HASH_MEMCACHED_H
#define HRW_HASH_MEMCACHED_H

#include "core/bytes.h"

uint32_t hrw_memcached_md5(struct hrw_bytes text); /* the digest's first word */
uint32_t hrw_memcached_crc(struct hrw_bytes text); /* 15 bits */
uint32_t hrw_memcached_fnv1_32(struct hrw_bytes text);
uint32_t hrw_memcached_fnv1a_32(struct hrw_bytes text);
uint32_t hrw_memcached_fnv1_64(struct hrw_bytes text); /* in 32-bit arithmetic */
uint32_t hrw_memcached_fnv1a_64(struct hrw_bytes text);
uint32_t hrw_memcached_murmur(struct hrw_bytes text);

#endif
