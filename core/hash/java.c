#include "core/hash/java.h"

enum { MULTIPLIER = 31 };

/* The character at *at, which goes on past it. */
static uint32_t
next_char(const uint8_t **at)
{
	const uint8_t *byte = *at;
	size_t more = byte[0] < 0x80 ? 0 : byte[0] < 0xe0 ? 1 : byte[0] < 0xf0 ? 2 : 3;
	uint32_t c = more == 0 ? byte[0] : byte[0] & (0x3fu >> more);

	for (size_t i = 1; i <= more; i++)
		c = c << 6 | (byte[i] & 0x3f);
	*at += more + 1;
	return c;
}

uint32_t
hrw_java_string(struct hrw_bytes text)
{
	const uint8_t *at = text.data;
	uint32_t h = 0;

	while (at < text.data + text.len) {
		uint32_t c = next_char(&at);

		if (c >= 0x10000) {
			h = h * MULTIPLIER + (0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		h = h * MULTIPLIER + c;
	}
	return h;
}

uint32_t
hrw_java_uuid(const uint8_t uuid[16])
{
	uint32_t h = 0;

	/* The XOR of its four words. */
	for (size_t i = 0; i < 16; i++)
		h ^= (uint32_t)uuid[i] << (24 - 8 * (i % 4));
	return h;
}
