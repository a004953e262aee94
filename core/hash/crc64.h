/*
 * crc64.h - CRC-64/XZ: the ECMA-182 polynomial, reflected, inverted at both ends.
 *
 * Source: ECMA-182; Go's hash/crc64 with its ECMA table.
 */
#ifndef HRW_HASH_CRC64_H
#define HRW_HASH_CRC64_H

#include "core/bytes.h"

/* Bit by bit: some nanoseconds a byte. */
uint64_t hrw_crc64(struct hrw_bytes text);

#endif
