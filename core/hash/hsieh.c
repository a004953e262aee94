#include "core/hash/hsieh.h"

/* Two bytes, little-endian. */
static uint32_t
pair(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

uint32_t
hrw_hsieh(struct hrw_bytes text)
{
	const uint8_t *at = text.data;
	size_t left = text.len;
	uint32_t h = 0;

	if (text.len == 0)
		return 0;
	for (; left >= 4; left -= 4, at += 4) {
		h += pair(at);
		h = (h << 16) ^ ((pair(at + 2) << 11) ^ h);
		h += h >> 11;
	}
	switch (left) {
	case 3:
		h += pair(at);
		h ^= h << 16;
		h ^= (uint32_t)(int8_t)at[2] << 18;
		h += h >> 11;
		break;
	case 2:
		h += pair(at);
		h ^= h << 11;
		h += h >> 17;
		break;
	case 1:
		h += at[0];
		h ^= h << 10;
		h += h >> 1;
		break;
	default:
		break;
	}
	h ^= h << 3;
	h += h >> 5;
	h ^= h << 4;
	h += h >> 17;
	h ^= h << 25;
	return h + (h >> 6);
}
