/*
 * xxh64.h - XXH64, by libxxhash.
 *
 * Source: Yann Collet, the XXH64 specification, version 0.2.0.
 */
#ifndef HRW_HASH_XXH64_H
#define HRW_HASH_XXH64_H

#include "core/bytes.h"

uint64_t hrw_xxh64(struct hrw_bytes text); /* seed 0 */
uint64_t hrw_xxh64_seeded(struct hrw_bytes text, uint64_t seed);

#endif
