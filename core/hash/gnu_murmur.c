#include "core/hash/gnu_murmur.h"

#define MULTIPLIER 0xc6a4a7935bd1e995u
#define SEED	   0xc70f6907u

static uint64_t
fold(uint64_t v)
{
	return v ^ v >> 47;
}

/* Up to 8 bytes as a little-endian number. */
static uint64_t
word(const uint8_t *at, size_t len)
{
	uint64_t number = 0;

	for (size_t i = 0; i < len; i++)
		number |= (uint64_t)at[i] << 8 * i;
	return number;
}

uint64_t
hrw_gnu_murmur(struct hrw_bytes text)
{
	uint64_t h = SEED ^ text.len * MULTIPLIER;
	const uint8_t *at = text.data;
	size_t left = text.len;

	for (; left >= 8; left -= 8, at += 8)
		h = (h ^ fold(word(at, 8) * MULTIPLIER) * MULTIPLIER) * MULTIPLIER;
	if (left > 0)
		h = (h ^ word(at, left)) * MULTIPLIER;
	h = fold(h) * MULTIPLIER;
	return fold(h);
}
