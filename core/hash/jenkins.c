#include "core/hash/jenkins.h"

uint32_t
hrw_one_at_a_time_signed(struct hrw_bytes text)
{
	uint32_t h = 0;

	for (size_t i = 0; i < text.len; i++) {
		h += (uint32_t)(int8_t)text.data[i];
		h += h << 10;
		h ^= h >> 6;
	}
	h += h << 3;
	h ^= h >> 11;
	return h + (h << 15);
}

static uint32_t
rotate(uint32_t value, unsigned by)
{
	return value << by | value >> (32 - by);
}

struct state {
	uint32_t a, b, c;
};

/* Adds up to 12 bytes, little-endian, missing ones as zeros. */
static void
take(struct state *s, const uint8_t *data, size_t len)
{
	uint32_t word[3] = {0};

	for (size_t i = 0; i < len; i++)
		word[i / 4] |= (uint32_t)data[i] << 8 * (i % 4);
	s->a += word[0];
	s->b += word[1];
	s->c += word[2];
}

static void
mix(struct state *s)
{
	static const uint8_t by[6] = {4, 6, 8, 16, 19, 4};
	uint32_t a = s->a, b = s->b, c = s->c, was;

	/* Six equal steps, in which the three words change places. */
	for (int i = 0; i < 6; i++) {
		a = (a - c) ^ rotate(c, by[i]);
		c += b;
		was = a;
		a = b;
		b = c;
		c = was;
	}
	*s = (struct state){a, b, c};
}

static uint32_t
finish(struct state *s)
{
	static const uint8_t by[7] = {14, 11, 25, 16, 4, 14, 24};
	uint32_t a = s->a, b = s->b, c = s->c, was;

	for (int i = 0; i < 7; i++) {
		c = (c ^ b) - rotate(b, by[i]);
		was = c;
		c = a;
		a = b;
		b = was;
	}
	return b; /* the word changed last */
}

uint32_t
hrw_lookup3(struct hrw_bytes text, uint32_t start)
{
	uint32_t word = 0xdeadbeefu + (uint32_t)text.len + start;
	struct state s = {word, word, word};
	const uint8_t *at = text.data;
	size_t left = text.len;

	for (; left > 12; left -= 12, at += 12) {
		take(&s, at, 12);
		mix(&s);
	}
	if (left == 0)
		return s.c;
	take(&s, at, left);
	return finish(&s);
}
