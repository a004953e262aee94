/*
 * md5.h - MD5, by libmd. Old fleets place by it; nothing here trusts it.
 *
 * Source: RFC 1321.
 */
#ifndef HRW_HASH_MD5_H
#define HRW_HASH_MD5_H

#include "core/bytes.h"

void hrw_md5(struct hrw_bytes text, uint8_t out[16]);

/* The little-endian 32-bit word at digest byte 4 * i, as ketama reads them. */
static inline uint32_t
hrw_md5_word(const uint8_t digest[16], size_t i)
{
	const uint8_t *b = digest + 4 * i;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

#endif
