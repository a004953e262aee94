/*
 * dice.h - repeatable chance for generated cases.
 *
 * A case is made from one number, its seed, so a failure that prints the seed
 * can be run again alone.
 *
 * Source: SplitMix64; Steele, Lea, Flood, OOPSLA 2014.
 */
#ifndef TESTS_DICE_H
#define TESTS_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct dice {
	uint64_t state;
};

static inline uint64_t
dice_roll(struct dice *d)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0..n-1; n is small, so the remainder's bias does not show. */
static inline uint32_t
dice_below(struct dice *d, uint32_t n)
{
	return (uint32_t)(dice_roll(d) % n);
}

/* True so many times in a hundred. */
static inline bool
dice_percent(struct dice *d, uint32_t percent)
{
	return dice_below(d, 100) < percent;
}

#endif
