/*
 * ketama.h - ketama's weighted points, as C clients of memcached make them.
 *
 * A node gets 4 points from each MD5 of "label-i", some 160 for an average
 * weight. How many is computed in single precision, and the rounding is part of
 * the definition: 25 equal nodes get 156 points each, not 160.
 *
 * Source: Richard Jones, libketama, 2007; libmemcached 1.1.4; twemproxy 0.5.0.
 */
#ifndef HRW_PLACE_KETAMA_H
#define HRW_PLACE_KETAMA_H

#include "core/membership.h"
#include "core/place/points.h"

/* Digests for a node: floor((weight / total * 160 / 4 * nodes) + a little).
 *   adds_double  the little is added in double precision and the sum rounded
 *                (twemproxy), else in single (libmemcached) */
size_t hrw_ketama_groups(double weight, double total, size_t nodes, bool adds_double);

/* Adds the 4 * groups points of "label-0", "label-1", …. 0 or INTERNAL. */
int hrw_ketama_add(struct hrw_points *p, const char *label, size_t groups, uint32_t node);

/* The points of all nodes of `order`, sorted. 0 or an error with its fault. */
int hrw_ketama_ring(struct hrw_points *p, const struct hrw_membership *m, const uint32_t *order,
    size_t count, bool adds_double, struct hrw_fault *fault);

#endif
