#include "core/place/points.h"

#include <assert.h>
#include <stdlib.h>

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

/* Stable passes by the digits of bits [from, to). */
static void
sort_digits(struct hrw_points *p, struct hrw_points *other, unsigned from, unsigned to)
{
	for (unsigned shift = from; shift < to; shift += DIGIT_BITS) {
		struct hrw_points swap;

		pass(p, other, shift);
		swap = *p;
		*p = *other;
		*other = swap;
	}
}

/* A stable insertion sort; gives up, with the points in an order of which a
 * stable sort comes to the same, after too many steps. */
static bool
insert(struct hrw_points *p)
{
	size_t steps = 4 * p->count;

	for (size_t i = 1; i < p->count; i++) {
		uint64_t at = p->at[i];
		uint32_t node = p->node[i];
		size_t j = i;

		for (; j > 0 && p->at[j - 1] > at && steps > 0; j--, steps--) {
			p->at[j] = p->at[j - 1];
			p->node[j] = p->node[j - 1];
		}
		p->at[j] = at;
		p->node[j] = node;
		if (steps == 0)
			return false;
	}
	return true;
}

/* Hashes differ in their upper bits: two digits leave next to nothing to insert.
 * Points that lie close together, as given tokens may, are sorted by all digits. */
int
hrw_points_sort(struct hrw_points *p)
{
	struct hrw_points other = {0};
	unsigned width = 0;
	uint64_t bits = 0;

	if (p->count < 2)
		return 0;
	if (hrw_points_reserve(&other, p->count) < 0) {
		hrw_points_fini(&other);
		return HRW_INTERNAL;
	}
	for (size_t i = 0; i < p->count; i++)
		bits |= p->at[i];
	while (width < 64 && bits >> width != 0)
		width++;
	if (width > 2 * DIGIT_BITS)
		sort_digits(p, &other, width - 2 * DIGIT_BITS, width);
	if (width <= 2 * DIGIT_BITS || !insert(p))
		sort_digits(p, &other, 0, width);
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

struct hrw_bytes
hrw_point_text(char room[HRW_POINT_TEXT], const char *label, const char *between, size_t i)
{
	size_t len = strlen(label), more = strlen(between), digits = 1;

	assert(len + more <= HRW_ADDRESS_BYTES_MAX + 1);
	for (size_t rest = i; rest > 9; rest /= 10)
		digits++;
	/* Bytes with a length: no NUL is wanted.
	 * NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
	memcpy(room, label, len);
	memcpy(room + len, between, more); /* NOLINT(bugprone-not-null-terminated-result) */
	len += more + digits;
	for (size_t at = len; digits > 0; digits--, i /= 10)
		room[--at] = (char)('0' + i % 10);
	return hrw_bytes(room, len);
}
