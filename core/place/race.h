/*
 * race.h - the best few of many scores: what every rendezvous placement ends in.
 *
 * A candidate is a taker by its number in the placement's own order, which also
 * breaks ties: the lower number wins. Without weights the higher raw wins; with
 * them the score weight / -ln(u) does, by the real numbers (see ln.h), so that
 * no three candidates can beat one another in a circle.
 */
#ifndef HRW_PLACE_RACE_H
#define HRW_PLACE_RACE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/ln.h"

/* Up to so many wanted, a heap on a small stack frame serves. */
enum { HRW_RACE_FEW = 64 };

struct hrw_race_candidate {
	double score; /* not looked at without weights */
	uint64_t raw;
	uint32_t taker;
};

struct hrw_race {
	const double *weight;		 /* by taker; NULL: all equal, the raw decides */
	unsigned bits;			 /* of a raw, for scores: 32 or 52 */
	struct hrw_race_candidate *heap; /* room for `want`; the worst of them at [0] */
	size_t count, want;
};

/* Is a before b in the ranking? (Analysers lose count of a heap, and take places
 * that were never filled for compared ones.) */
/* NOLINTBEGIN(clang-analyzer-core.*) */
static inline bool
hrw_race_is_before(const struct hrw_race *race, const struct hrw_race_candidate *a,
    const struct hrw_race_candidate *b)
{
	int order;

	if (race->weight == NULL)
		order = (a->raw > b->raw) - (a->raw < b->raw);
	else if ((order = hrw_ln_order(a->score, b->score)) == 0)
		order = hrw_ln_cmp_exact(
		    a->raw, race->weight[a->taker], b->raw, race->weight[b->taker], race->bits);
	return order != 0 ? order > 0 : a->taker < b->taker;
}
/* NOLINTEND(clang-analyzer-core.*) */

/* Lets the candidate at [0] of the first `count` sink to its place. */
static inline void
hrw_race_sink(const struct hrw_race *race, size_t count)
{
	struct hrw_race_candidate *heap = race->heap, moving = heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && hrw_race_is_before(race, &heap[child], &heap[child + 1]))
			child++;
		if (!hrw_race_is_before(race, &moving, &heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moving;
}

/* Takes a candidate in, if it is among the `want` best of those seen.
 *   score   of hrw_ln_score(); 0 without weights */
static inline void
hrw_race_offer(struct hrw_race *race, uint64_t raw, double score, uint32_t taker)
{
	const struct hrw_race_candidate c = {score, raw, taker};
	struct hrw_race_candidate *heap = race->heap;
	size_t at = race->count, parent;

	if (race->count == race->want) {
		if (hrw_race_is_before(race, &c, &heap[0])) {
			heap[0] = c;
			hrw_race_sink(race, race->count);
		}
		return;
	}
	race->count++;
	for (; at > 0; at = parent) {
		parent = (at - 1) / 2;
		if (!hrw_race_is_before(race, &heap[parent], &c))
			break;
		heap[at] = heap[parent];
	}
	heap[at] = c;
}

/* Writes the nodes of the best, best first, and returns their number. The heap
 * is used up.
 *   node  by taker: its index in the membership */
static inline int
hrw_race_finish(struct hrw_race *race, const uint32_t *node, uint32_t *out)
{
	size_t count;

	/* The worst goes last, then the worst of those left. */
	for (count = race->count; count > 0; count--) {
		out[count - 1] = node[race->heap[0].taker];
		race->heap[0] = race->heap[count - 1];
		hrw_race_sink(race, count - 1);
	}
	return (int)race->count;
}

#endif
