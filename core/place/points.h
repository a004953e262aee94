/*
 * points.h - a ring of points: sorted, searched and walked.
 *
 * What the rings of many systems share. Which point a key belongs to (the first
 * at or above its hash, the first above, the nearest) is each placement's own;
 * equal points stand in the order in which they were added.
 *
 * Source: Karger et al., STOC 1997.
 */
#ifndef HRW_PLACE_POINTS_H
#define HRW_PLACE_POINTS_H

#include "core/membership.h"

struct hrw_points {
	size_t count, room;
	uint64_t *at;	/* ascending once sorted */
	uint32_t *node; /* whose point it is */
};

/* All zeros is an empty ring. */
void hrw_points_fini(struct hrw_points *p);

/* Bytes that it holds. */
size_t hrw_points_size(const struct hrw_points *p);

/* The most points a ring may have: what weights ask for must not bloat anybody. */
enum { HRW_POINTS_MAX = 1 << 23 };

/* Room for `count` points: 0, BAD_WEIGHT for more than the most, or INTERNAL. */
int hrw_points_make_room(struct hrw_points *p, double count, struct hrw_fault *fault);

/* 0 or HRW_INTERNAL (no memory). */
int hrw_points_reserve(struct hrw_points *p, size_t count);
int hrw_points_add(struct hrw_points *p, uint64_t at, uint32_t node);

/* Sorts by place, equal places in order of addition. 0 or HRW_INTERNAL.
 * cost   linear: a radix sort; at most twice the memory meanwhile */
int hrw_points_sort(struct hrw_points *p);

/* The first point at or above `hash`, p->count where there is none. log n. */
size_t hrw_points_search(const struct hrw_points *p, uint64_t hash);

/* The node of that point, or of the lowest where there is none. The ring is not
 * empty. */
static inline uint32_t
hrw_points_owner(const struct hrw_points *p, uint64_t hash)
{
	size_t at = hrw_points_search(p, hash);

	return p->node[at < p->count ? at : 0];
}

/* The text of a node's point number i: its label, what stands between, and the
 * number in decimal; in `room`.
 * snprintf would take as long as hashing the text does. */
enum { HRW_POINT_TEXT = HRW_ADDRESS_BYTES_MAX + 24 };
struct hrw_bytes hrw_point_text(
    char room[HRW_POINT_TEXT], const char *label, const char *between, size_t i);

/* Walks on from point `first` (wrapping) and takes each node that is new.
 *   want     how many nodes at most
 *   out      room for them
 *   returns  nodes written; fewer when the ring has fewer
 *   cost     points passed times nodes taken */
size_t hrw_points_walk(const struct hrw_points *p, size_t first, size_t want, uint32_t *out);

#endif
