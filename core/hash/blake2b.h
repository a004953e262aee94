/*
 * blake2b.h - BLAKE2b with a digest of 8 bytes, read big-endian.
 *
 * Texts of one block, 128 bytes, are mixed here, in half of the library's time;
 * longer ones by libb2.
 *
 * The digest's length is in the parameter block: this is not the beginning of
 * the usual 64 byte digest.
 *
 * Source: RFC 7693.
 */
#ifndef HRW_HASH_BLAKE2B_H
#define HRW_HASH_BLAKE2B_H

#include "core/bytes.h"

/* Of one text, and of three joined without copying them together. */
uint64_t hrw_blake2b(struct hrw_bytes text);
uint64_t hrw_blake2b_join(struct hrw_bytes a, struct hrw_bytes b, struct hrw_bytes c);

#endif
