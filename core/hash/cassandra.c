#include "core/hash/cassandra.h"

#include "core/hash/fmix.h"

#define C1 0x87c37b91114253d5u
#define C2 0x4cf5ad432745937fu

static uint64_t
rotate(uint64_t value, unsigned by)
{
	return value << by | value >> (64 - by);
}

static uint64_t
little_endian(const uint8_t *at)
{
	uint64_t number = 0;

	for (size_t i = 8; i-- > 0;)
		number = number << 8 | at[i];
	return number;
}

/* Up to eight bytes, each extended by its sign over those above it. */
static uint64_t
signed_tail(const uint8_t *at, size_t len)
{
	uint64_t number = 0;

	for (size_t i = 0; i < len; i++)
		number ^= (uint64_t)(int8_t)at[i] << 8 * i;
	return number;
}

static uint64_t
mix1(uint64_t k)
{
	return rotate(k * C1, 31) * C2;
}

static uint64_t
mix2(uint64_t k)
{
	return rotate(k * C2, 33) * C1;
}

int64_t
hrw_cassandra_token(struct hrw_bytes key)
{
	const uint8_t *at = key.data;
	size_t left = key.len;
	uint64_t h1 = 0, h2 = 0;

	for (; left >= 16; left -= 16, at += 16) {
		h1 ^= mix1(little_endian(at));
		h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
		h2 ^= mix2(little_endian(at + 8));
		h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
	}
	if (left > 8)
		h2 ^= mix2(signed_tail(at + 8, left - 8));
	if (left > 0)
		h1 ^= mix1(signed_tail(at, left < 8 ? left : 8));
	h1 ^= key.len;
	h2 ^= key.len;
	h1 += h2;
	h2 += h1;
	h1 = hrw_fmix64(h1) + hrw_fmix64(h2);
	return h1 == (uint64_t)INT64_MIN ? INT64_MAX : (int64_t)h1;
}
