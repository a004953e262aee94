/*
 * order.h - nodes in ascending id, the order of a configuration file, or by their
 * text, where the system that a placement speaks for goes by it.
 */
#ifndef HRW_PLACE_ORDER_H
#define HRW_PLACE_ORDER_H

#include "core/membership.h"

/* Indexes into m->node[] in ascending id: all nodes, or the takers alone.
 *   count    receives how many
 *   returns  allocated for the caller; NULL: no memory */
uint32_t *hrw_order_all(const struct hrw_membership *m, size_t *count);
uint32_t *hrw_order_takers(const struct hrw_membership *m, size_t *count);

/* The takers by hash_name, bytewise: where the original sorts by its text. */
uint32_t *hrw_order_by_text(const struct hrw_membership *m, size_t *count);

#endif
