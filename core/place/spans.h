/*
 * spans.h - nodes in an order, each with as many numbers as its weight: what
 * systems do that write a node weight times into a list, without the list.
 */
#ifndef HRW_PLACE_SPANS_H
#define HRW_PLACE_SPANS_H

#include "core/membership.h"

struct hrw_spans {
	size_t count;
	uint32_t *node; /* in the order given */
	uint64_t *end;	/* one past the last number that is the node's */
	uint64_t total; /* end of the last; 0 where there are none */
};

/* Takes `order` (allocated; NULL is no memory), whole weights. 0 or INTERNAL. */
int hrw_spans_init(
    struct hrw_spans *s, const struct hrw_membership *m, uint32_t *order, size_t count);
void hrw_spans_fini(struct hrw_spans *s);

/* Bytes that it holds. */
size_t hrw_spans_size(const struct hrw_spans *s);

/* Whose number it is, 0..total-1. log n. */
uint32_t hrw_spans_at(const struct hrw_spans *s, uint64_t number);

#endif
