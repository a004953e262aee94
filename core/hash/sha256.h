/*
 * sha256.h - SHA-256, by libsodium.
 *
 * Source: FIPS 180-4.
 */
#ifndef HRW_HASH_SHA256_H
#define HRW_HASH_SHA256_H

#include "core/bytes.h"

enum { HRW_SHA256_BYTES = 32 };

void hrw_sha256(struct hrw_bytes text, uint8_t out[HRW_SHA256_BYTES]);

/* Of two texts, each ended by a NUL. */
void hrw_sha256_join(struct hrw_bytes a, struct hrw_bytes b, uint8_t out[HRW_SHA256_BYTES]);

#endif
