/*
 * kernel_scan.h - the passes of a kernel, written once for every vector width.
 *
 * Included by kernel_*.c, which compile for one CPU each, after they have
 * defined:
 *
 *     TARGET                  the attribute for that CPU
 *     INLINE                  static, always inline, and TARGET
 *     LANES                   nodes in a vector, a divisor of 64
 *     typedef vec             LANES numbers of 32 bits
 *     load(p), store(p, v)    aligned
 *     splat(x)                one number in every lane
 *     mix(hash, key)          inverted raws
 *     small_cost(v, p)        bits of costs from inverted raws and per_unit at p,
 *     cost(v, p)              see kernel_cost.h
 *     lower(a, b)             lane by lane
 *     spread(v)               its lowest number in every lane
 *     first(v)                the number in its first lane
 *     plus(a, b)
 *     at_most(a, b)           a bit for each lane
 *     raise(v, x)             all ones in lanes that are at most x
 *
 * Up to 64 nodes are held in registers and the best taken out one by one. More
 * pass in blocks: the lowest of each lane set a bar, and few of the groups of 64
 * hold anything below it.
 */
#include "core/place/kernel.h"
#include "core/place/kernel_cost.h"

enum { GROUP = 64 / LANES, BLOCK = 1024 };

enum by { RAW, COST, SMALL_COST };

/* Values that differ by no more may be in the other order. */
INLINE uint32_t
close_of(enum by by)
{
	return by == RAW ? 0 : by == COST ? KERNEL_CLOSE : KERNEL_SMALL_CLOSE;
}

/* What follows goes over the first `count` of v[], a constant, so that they stay
 * in registers. Each loop is a function of its own because compilers unroll it
 * only then, and not the loop around it. */
INLINE void
all_values(vec *v, size_t count, const uint32_t *hash, const float *per_unit, vec key, enum by by)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < count; i++)
		v[i] = mix(load(hash + i * LANES), key);
	if (by == RAW)
		return;
#pragma GCC unroll 8
	for (size_t i = 0; i < count; i++)
		v[i] = by == COST ? cost(v[i], per_unit + i * LANES)
				  : small_cost(v[i], per_unit + i * LANES);
}

INLINE vec
all_lowest(const vec *v, size_t count)
{
	vec best = v[0];

#pragma GCC unroll 8
	for (size_t i = 1; i < count; i++)
		best = lower(best, v[i]);
	return best;
}

INLINE uint64_t
all_at_most(const vec *v, size_t count, vec x)
{
	uint64_t found = 0;

#pragma GCC unroll 8
	for (size_t i = 0; i < count; i++)
		found |= (uint64_t)at_most(v[i], x) << i * LANES;
	return found;
}

INLINE void
all_raise(vec *v, size_t count, vec x)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < count; i++)
		v[i] = raise(v[i], x);
}

INLINE void
all_store(uint32_t *to, const vec *v, size_t count)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < count; i++)
		store(to + i * LANES, v[i]);
}

INLINE void
all_load(vec *v, size_t count, const uint32_t *from)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < count; i++)
		v[i] = load(from + i * LANES);
}

/* A bit for each of the first `count` nodes, 1..64. */
INLINE uint64_t
bits(size_t count)
{
	return ~UINT64_C(0) >> (64 - count);
}

/* The best of the first count <= vectors * LANES nodes.
 *   vectors  a constant
 *   returns  false where another was within `close` of one taken out */
INLINE bool
take(const struct hrw_kernel_nodes *nodes, size_t vectors, vec key, size_t want, enum by by,
    uint32_t close, uint32_t *out)
{
	uint64_t left = bits(nodes->count), found;
	vec v[GROUP], best = splat(0);

	all_values(v, vectors, nodes->hash, nodes->per_unit, key, by);
	for (size_t got = 0; got < want;) {
		best = spread(all_lowest(v, vectors));
		if (close != 0)
			best = plus(best, splat(close));
		/* Not the padding, and not again what was raised to the same number. */
		found = all_at_most(v, vectors, best) & left;
		out[got++] = (uint32_t)__builtin_ctzll(found);
		if ((found & (found - 1)) != 0)
			return false;
		if (got == want)
			break;
		left ^= found;
		all_raise(v, vectors, best);
	}
	return by != SMALL_COST || first(best) <= nodes->small_limit;
}

/* The best of those passed so far, ascending; UINT32_MAX where there is none yet.
 * One more than wanted, which shows whether the last of those is surely ahead. */
struct list {
	size_t want;
	uint32_t value[HRW_KERNEL_FEW + 1], at[HRW_KERNEL_FEW + 1];
};

/* Lets a node in among them, if it is better than the last. */
INLINE void
insert(struct list *list, uint32_t value, uint32_t at)
{
	size_t i = list->want;

	if (value >= list->value[i])
		return;
	for (; i > 0 && list->value[i - 1] > value; i--) {
		list->value[i] = list->value[i - 1];
		list->at[i] = list->at[i - 1];
	}
	list->value[i] = value;
	list->at[i] = at;
}

/* Values of up to BLOCK nodes in groups of 64, and the lowest of each group, lane
 * by lane. */
struct block {
	_Alignas(64) uint32_t value[BLOCK], lowest[BLOCK / GROUP];
	size_t count;
};

/* Fills a block; returns the lowest of its whole groups, lane by lane. */
INLINE vec
fill(struct block *block, const uint32_t *hash, const float *per_unit, vec key, enum by by)
{
	vec v[GROUP], group, best = splat(UINT32_MAX);

	for (size_t i = 0; i < block->count; i += 64) {
		all_values(v, GROUP, hash + i, per_unit + i, key, by);
		group = all_lowest(v, GROUP);
		all_store(block->value + i, v, GROUP);
		store(block->lowest + i / GROUP, group);
		if (i + 64 <= block->count)
			best = lower(best, group);
	}
	return best;
}

/* The want-th lowest of lanes: so many nodes are at most that. Not above `bar`. */
INLINE uint32_t
bar_of(vec best, size_t want, uint32_t bar)
{
	vec lowest = spread(best);

	if (want > LANES)
		return bar;
	while (--want > 0) {
		best = raise(best, lowest);
		lowest = spread(best);
	}
	return first(lowest) < bar ? first(lowest) : bar;
}

/* Takes in the nodes of a block that are among the best, or close to them.
 *   bar  no value above it is */
INLINE void
sift(struct list *list, const struct block *block, uint32_t bar, uint32_t close, size_t at)
{
	for (size_t i = 0; i < block->count; i += 64) {
		uint32_t last = list->value[list->want - 1];
		vec highest = splat((last < bar ? last : bar) + close), v[GROUP];
		uint64_t found;

		if (at_most(load(block->lowest + i / GROUP), highest) == 0)
			continue;
		all_load(v, GROUP, block->value + i);
		found = all_at_most(v, GROUP, highest);
		if (block->count - i < 64)
			found &= bits(block->count - i);
		for (; found != 0; found &= found - 1) {
			size_t n = i + (size_t)__builtin_ctzll(found);

			insert(list, block->value[n], (uint32_t)(at + n));
		}
	}
}

/* Apart, so that small pools have no frame to set up. */
__attribute__((noinline)) TARGET static bool
pass(const struct hrw_kernel_nodes *nodes, uint32_t hash, size_t want, enum by by, uint32_t *out)
{
	struct list list = {.want = want};
	struct block block;
	uint32_t close = close_of(by), bar = UINT32_MAX - close;
	vec key = splat(hash), best;

	for (size_t i = 0; i <= want; i++)
		list.value[i] = UINT32_MAX;
	for (size_t at = 0; at < nodes->count; at += BLOCK) {
		block.count = nodes->count - at < BLOCK ? nodes->count - at : BLOCK;
		best = fill(&block, nodes->hash + at, nodes->per_unit + at, key, by);
		if (at == 0)
			bar = bar_of(best, want, bar);
		sift(&list, &block, bar, close, at);
	}
	for (size_t i = 0; i < want; i++) {
		if (by != RAW && list.value[i + 1] - list.value[i] <= close)
			return false;
		out[i] = list.at[i];
	}
	return by != SMALL_COST || list.value[want - 1] <= nodes->small_limit;
}

INLINE bool
scan(const struct hrw_kernel_nodes *nodes, uint32_t hash, size_t want, enum by by, uint32_t *out)
{
	uint32_t close = close_of(by);
	vec key = splat(hash);

	if (nodes->count <= LANES)
		return take(nodes, 1, key, want, by, close, out);
	if (nodes->count <= 2 * LANES)
		return take(nodes, 2, key, want, by, close, out);
	if (nodes->count <= 4 * LANES)
		return take(nodes, 4, key, want, by, close, out);
	if (nodes->count <= 64)
		return take(nodes, GROUP, key, want, by, close, out);
	return pass(nodes, hash, want, by, out);
}

TARGET static bool
by_raw(const struct hrw_kernel_nodes *nodes, uint32_t key, size_t want, uint32_t *out)
{
	return scan(nodes, key, want, RAW, out);
}

TARGET static bool
by_cost(const struct hrw_kernel_nodes *nodes, uint32_t key, size_t want, uint32_t *out)
{
	return scan(nodes, key, want, COST, out);
}

TARGET static bool
by_small_cost(const struct hrw_kernel_nodes *nodes, uint32_t key, size_t want, uint32_t *out)
{
	return scan(nodes, key, want, SMALL_COST, out);
}
