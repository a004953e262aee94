#include "core/place/points.h"

#include <stdlib.h>
#include <string.h>

void
hrw_points_fini(struct hrw_points *p)
{
	free(p->at);
	free(p->node);
	*p = (struct hrw_points){0};
}

size_t
hrw_points_size(const struct hrw_points *p)
{
	return p->room * (sizeof(*p->at) + sizeof(*p->node));
}

int
hrw_points_reserve(struct hrw_points *p, size_t count)
{
	uint64_t *at;
	uint32_t *node;

	if (count <= p->room)
		return 0;
	at = realloc(p->at, count * sizeof(*at));
	if (at == NULL)
		return HRW_INTERNAL;
	p->at = at;
	node = realloc(p->node, count * sizeof(*node));
	if (node == NULL)
		return HRW_INTERNAL;
	p->node = node;
	p->room = count;
	return 0;
}

int
hrw_points_make_room(struct hrw_points *p, double count, struct hrw_fault *fault)
{
	if (count > HRW_POINTS_MAX)
		return hrw_fault(fault, HRW_BAD_WEIGHT,
		    "the weights ask for a ring of %.0f points, more than %d: divide all weights "
		    "by a common factor",
		    count, HRW_POINTS_MAX);
	if (hrw_points_reserve(p, (size_t)count) < 0)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	return 0;
}

int
hrw_points_add(struct hrw_points *p, uint64_t at, uint32_t node)
{
	if (p->count == p->room && hrw_points_reserve(p, p->room < 64 ? 64 : 2 * p->room) < 0)
		return HRW_INTERNAL;
	p->at[p->count] = at;
	p->node[p->count++] = node;
	return 0;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One stable pass by the digit at `shift`, from one ring to another. */
static void
pass(const struct hrw_points *from, struct hrw_points *to, unsigned shift)
{
	size_t place[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < from->count; i++)
		place[from->at[i] >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = place[d];

		place[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < from->count; i++) {
		size_t slot = place[from->at[i] >> shift & (DIGITS - 1)]++;

		to->at[slot] = from->at[i];
		to->node[slot] = from->node[i];
	}
	to->count = from->count;
}

int
hrw_points_sort(struct hrw_points *p)
{
	struct hrw_points other = {0}, swap;
	uint64_t bits = 0;

	if (p->count < 2)
		return 0;
	if (hrw_points_reserve(&other, p->count) < 0) {
		hrw_points_fini(&other);
		return HRW_INTERNAL;
	}
	for (size_t i = 0; i < p->count; i++)
		bits |= p->at[i];
	for (unsigned shift = 0; shift < 64 && bits >> shift != 0; shift += DIGIT_BITS) {
		pass(p, &other, shift);
		swap = *p;
		*p = other;
		other = swap;
	}
	hrw_points_fini(&other);
	return 0;
}

size_t
hrw_points_search(const struct hrw_points *p, uint64_t hash)
{
	size_t low = 0, left = p->count;

	/* Halving without a branch on the comparison: its outcome cannot be foreseen. */
	while (left > 0) {
		size_t half = left / 2;
		bool is_below = p->at[low + half] < hash;

		low = is_below ? low + half + 1 : low;
		left = is_below ? left - half - 1 : half;
	}
	return low;
}

size_t
hrw_points_walk(const struct hrw_points *p, size_t first, size_t want, uint32_t *out)
{
	size_t count = 0, at = first;

	for (size_t i = 0; i < p->count && count < want; i++) {
		uint32_t node;
		size_t j = 0;

		if (at == p->count)
			at = 0;
		node = p->node[at++];
		while (j < count && out[j] != node)
			j++;
		if (j == count)
			out[count++] = node;
	}
	return count;
}
