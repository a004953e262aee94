#include "core/hash/crc.h"

#include <zlib.h>

uint32_t
hrw_crc32(struct hrw_bytes text)
{
	return hrw_crc32_more(0, text);
}

uint32_t
hrw_crc32_more(uint32_t crc, struct hrw_bytes text)
{
	/* zlib takes NULL for a question of another kind. */
	return text.len > 0 ? (uint32_t)crc32_z(crc, text.data, text.len) : crc;
}

uint16_t
hrw_crc16(struct hrw_bytes text)
{
	uint16_t crc = 0;

	for (size_t i = 0; i < text.len; i++) {
		crc ^= (uint16_t)(text.data[i] << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	return crc;
}
