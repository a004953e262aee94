/*
 * fnv1a.h - FNV-1 and FNV-1a, 32 and 64 bits.
 *
 * Source: Fowler, Noll, Vo; RFC 9923.
 */
#ifndef HRW_HASH_FNV1A_H
#define HRW_HASH_FNV1A_H

#include "core/bytes.h"

#define HRW_FNV32_OFFSET 0x811c9dc5u
#define HRW_FNV32_PRIME	 0x01000193u
#define HRW_FNV64_OFFSET 0xcbf29ce484222325u
#define HRW_FNV64_PRIME	 0x100000001b3u

/* The hash of a text and then `text`, where h is that of the first. */
static inline uint32_t
hrw_fnv1a32_more(uint32_t h, struct hrw_bytes text)
{
	size_t i = 0;

	/* Four at a time: of every lookup's steps these are the most. */
	for (; i + 4 <= text.len; i += 4) {
		h = (h ^ text.data[i]) * HRW_FNV32_PRIME;
		h = (h ^ text.data[i + 1]) * HRW_FNV32_PRIME;
		h = (h ^ text.data[i + 2]) * HRW_FNV32_PRIME;
		h = (h ^ text.data[i + 3]) * HRW_FNV32_PRIME;
	}
	for (; i < text.len; i++)
		h = (h ^ text.data[i]) * HRW_FNV32_PRIME;
	return h;
}

static inline uint32_t
hrw_fnv1a32(struct hrw_bytes text)
{
	return hrw_fnv1a32_more(HRW_FNV32_OFFSET, text);
}

static inline uint32_t
hrw_fnv1_32(struct hrw_bytes text)
{
	uint32_t h = HRW_FNV32_OFFSET;

	for (size_t i = 0; i < text.len; i++)
		h = h * HRW_FNV32_PRIME ^ text.data[i];
	return h;
}

static inline uint64_t
hrw_fnv1a64(struct hrw_bytes text)
{
	uint64_t h = HRW_FNV64_OFFSET;

	for (size_t i = 0; i < text.len; i++)
		h = (h ^ text.data[i]) * HRW_FNV64_PRIME;
	return h;
}

static inline uint64_t
hrw_fnv1_64(struct hrw_bytes text)
{
	uint64_t h = HRW_FNV64_OFFSET;

	for (size_t i = 0; i < text.len; i++)
		h = h * HRW_FNV64_PRIME ^ text.data[i];
	return h;
}

/* As C clients with a signed char have them: a byte from 0x80 on is extended by
 * ones to the whole word. */
static inline uint32_t
hrw_fnv1a32_signed(struct hrw_bytes text, uint32_t offset, uint32_t prime)
{
	uint32_t h = offset;

	for (size_t i = 0; i < text.len; i++)
		h = (h ^ (uint32_t)(int8_t)text.data[i]) * prime;
	return h;
}

static inline uint32_t
hrw_fnv1_32_signed(struct hrw_bytes text, uint32_t offset, uint32_t prime)
{
	uint32_t h = offset;

	for (size_t i = 0; i < text.len; i++)
		h = h * prime ^ (uint32_t)(int8_t)text.data[i];
	return h;
}

#endif
