/*
 * mark.h - what a placement makes of a node before any key: nodes that have one mark
 * tie for every key. Only of placements that neither refuse such nodes nor have so
 * wide a hash that there are none.
 */
#ifndef HRW_PLACE_MARK_H
#define HRW_PLACE_MARK_H

#include "core/membership.h"

/* The node is of a frozen membership of that placement. */
typedef uint64_t hrw_mark(const struct hrw_membership *m, const struct hrw_node *node);

hrw_mark hrw_ignite_mark, hrw_libmemcached_mark, hrw_nginx_mark;

#endif
