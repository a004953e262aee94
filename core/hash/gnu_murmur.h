/*
 * gnu_murmur.h - the 64-bit Murmur2 by which GNU libstdc++ hashes strings.
 *
 * Source: libstdc++, _Hash_bytes; after Austin Appleby's MurmurHash64A.
 */
#ifndef HRW_HASH_GNU_MURMUR_H
#define HRW_HASH_GNU_MURMUR_H

#include "core/bytes.h"

/* With the library's seed, 0xc70f6907. */
uint64_t hrw_gnu_murmur(struct hrw_bytes text);

#endif
