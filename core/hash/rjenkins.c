#include "core/hash/rjenkins.h"

#define SEED	     1315423911u
#define X	     231232u
#define Y	     1232u
#define GOLDEN_RATIO 0x9e3779b9u

static inline void
mix(uint32_t *a, uint32_t *b, uint32_t *c)
{
	static const uint8_t by[3][3] = {{13, 8, 13}, {12, 16, 5}, {3, 10, 15}};

	for (int i = 0; i < 3; i++) {
		*a = (*a - *b - *c) ^ (*c >> by[i][0]);
		*b = (*b - *c - *a) ^ (*a << by[i][1]);
		*c = (*c - *a - *b) ^ (*b >> by[i][2]);
	}
}

uint32_t
hrw_rjenkins2(uint32_t a, uint32_t b)
{
	uint32_t h = SEED ^ a ^ b, x = X, y = Y;

	mix(&a, &b, &h);
	mix(&x, &a, &h);
	mix(&b, &y, &h);
	return h;
}

uint32_t
hrw_rjenkins3(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t h = SEED ^ a ^ b ^ c, x = X, y = Y;

	mix(&a, &b, &h);
	mix(&c, &x, &h);
	mix(&y, &a, &h);
	mix(&b, &x, &h);
	mix(&y, &c, &h);
	return h;
}

/* Up to four bytes, little-endian. */
static uint32_t
word(const uint8_t *at, size_t len)
{
	uint32_t number = 0;

	for (size_t i = 0; i < len && i < 4; i++)
		number |= (uint32_t)at[i] << 8 * i;
	return number;
}

uint32_t
hrw_rjenkins_name(struct hrw_bytes name)
{
	const uint8_t *at = name.data;
	size_t left = name.len;
	uint32_t a = GOLDEN_RATIO, b = GOLDEN_RATIO, c = 0;

	for (; left >= 12; left -= 12, at += 12) {
		a += word(at, 4);
		b += word(at + 4, 4);
		c += word(at + 8, 4);
		mix(&a, &b, &c);
	}
	c += (uint32_t)name.len;
	a += word(at, left);
	if (left > 4)
		b += word(at + 4, left - 4);
	if (left > 8)
		c += word(at + 8, left - 8) << 8; /* the lowest byte is the length's */
	mix(&a, &b, &c);
	return c;
}
