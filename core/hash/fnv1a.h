/*
 * fnv1a.h - FNV-1a, 32 and 64 bits.
 *
 * Source: Fowler, Noll, Vo; RFC 9923.
 */
#ifndef HRW_HASH_FNV1A_H
#define HRW_HASH_FNV1A_H

#include "core/bytes.h"

static inline uint32_t
hrw_fnv1a32(struct hrw_bytes text)
{
	uint32_t h = 0x811c9dc5u;

	for (size_t i = 0; i < text.len; i++)
		h = (h ^ text.data[i]) * 0x01000193u;
	return h;
}

#endif
