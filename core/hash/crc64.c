#include "core/hash/crc64.h"

#define POLYNOMIAL 0xc96c5795d7870f42u

uint64_t
hrw_crc64(struct hrw_bytes text)
{
	uint64_t crc = UINT64_MAX;

	for (size_t i = 0; i < text.len; i++) {
		crc ^= text.data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
	}
	return ~crc;
}
