#include "core/hash/murmur2.h"

enum { MULTIPLIER = 0x5bd1e995 };

uint32_t
hrw_murmur2(struct hrw_bytes text, uint32_t seed)
{
	const uint8_t *at = text.data;
	uint32_t h = seed ^ (uint32_t)text.len, tail = 0;
	size_t left = text.len;

	for (; left >= 4; left -= 4, at += 4) {
		uint32_t k = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			     (uint32_t)at[3] << 24;

		k *= MULTIPLIER;
		k ^= k >> 24;
		k *= MULTIPLIER;
		h = h * MULTIPLIER ^ k;
	}
	for (size_t i = 0; i < left; i++)
		tail |= (uint32_t)at[i] << 8 * i;
	if (left > 0)
		h = (h ^ tail) * MULTIPLIER;
	h ^= h >> 13;
	h *= MULTIPLIER;
	return h ^ (h >> 15);
}
