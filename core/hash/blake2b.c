#include "core/hash/blake2b.h"

#include <blake2.h>
#include <endian.h>

enum { DIGEST = 8, BLOCK = 128, ROUNDS = 12 };

static const uint64_t iv[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179};

/* Which words of the block a round takes, in the order of its mixes. */
static const uint8_t words[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t
rotate(uint64_t word, unsigned right)
{
	return word >> right | word << (64 - right);
}

static inline __attribute__((always_inline)) void
mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x, uint64_t y)
{
	*a += *b + x;
	*d = rotate(*d ^ *a, 32);
	*c += *d;
	*b = rotate(*b ^ *c, 24);
	*a += *b + y;
	*d = rotate(*d ^ *a, 16);
	*c += *d;
	*b = rotate(*b ^ *c, 63);
}

static inline __attribute__((always_inline)) void
mix_all(uint64_t v[16], const uint64_t m[16], const uint8_t w[16])
{
	mix(&v[0], &v[4], &v[8], &v[12], m[w[0]], m[w[1]]);
	mix(&v[1], &v[5], &v[9], &v[13], m[w[2]], m[w[3]]);
	mix(&v[2], &v[6], &v[10], &v[14], m[w[4]], m[w[5]]);
	mix(&v[3], &v[7], &v[11], &v[15], m[w[6]], m[w[7]]);
	mix(&v[0], &v[5], &v[10], &v[15], m[w[8]], m[w[9]]);
	mix(&v[1], &v[6], &v[11], &v[12], m[w[10]], m[w[11]]);
	mix(&v[2], &v[7], &v[8], &v[13], m[w[12]], m[w[13]]);
	mix(&v[3], &v[4], &v[9], &v[14], m[w[14]], m[w[15]]);
}

/* Of a text that fits one block, the last: so the first word of the state is all
 * that is wanted of it, and the state before it is known. */
static uint64_t
of_block(const uint8_t block[BLOCK], size_t len)
{
	const uint64_t first = iv[0] ^ (0x01010000 | DIGEST);
	uint64_t m[16], v[16];

	memcpy(m, block, BLOCK);
	for (size_t i = 0; i < 16; i++)
		m[i] = le64toh(m[i]);
	memcpy(v, iv, sizeof(iv));
	memcpy(v + 8, iv, sizeof(iv));
	v[0] = first;
	v[12] ^= len;
	v[14] = ~v[14];
#pragma GCC unroll 12
	for (unsigned r = 0; r < ROUNDS; r++)
		mix_all(v, m, words[r % 10]);
	/* The digest is little-endian bytes, which are read big-endian. */
	return __builtin_bswap64(first ^ v[0] ^ v[8]);
}

static uint64_t
of_any(struct hrw_bytes a, struct hrw_bytes b, struct hrw_bytes c)
{
	uint8_t digest[DIGEST];
	blake2b_state state;
	uint64_t h = 0;

	/* None of these fails for lengths that are right, and these are constant. */
	blake2b_init(&state, DIGEST);
	blake2b_update(&state, a.data, a.len);
	blake2b_update(&state, b.data, b.len);
	blake2b_update(&state, c.data, c.len);
	blake2b_final(&state, digest, DIGEST);
	for (size_t i = 0; i < DIGEST; i++)
		h = h << 8 | digest[i];
	return h;
}

uint64_t
hrw_blake2b_join(struct hrw_bytes a, struct hrw_bytes b, struct hrw_bytes c)
{
	uint8_t block[BLOCK] = {0};
	size_t len = a.len;

	if (a.len > BLOCK || b.len > BLOCK - a.len || c.len > BLOCK - a.len - b.len)
		return of_any(a, b, c);
	if (a.len > 0)
		memcpy(block, a.data, a.len);
	if (b.len > 0)
		memcpy(block + len, b.data, b.len);
	len += b.len;
	if (c.len > 0)
		memcpy(block + len, c.data, c.len);
	return of_block(block, len + c.len);
}

uint64_t
hrw_blake2b(struct hrw_bytes text)
{
	return hrw_blake2b_join(text, hrw_bytes(NULL, 0), hrw_bytes(NULL, 0));
}
