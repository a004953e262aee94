/*
 * node.h - one node of a draft, for membership.c: checked, copied, compared.
 *
 * Texts and arrays that may be absent are NULL.
 */
#ifndef HRW_NODE_H
#define HRW_NODE_H

#include "core/membership.h"

/* Copies a text, or an array of `size` bytes, that may be NULL. `to` is the
 * address of the pointer. False: no memory. */
bool hrw_text_copy(char **to, const char *from);
bool hrw_array_copy(void *to, const void *from, size_t size);

/* Equal texts, or both absent? */
bool hrw_text_same(const char *a, const char *b);

/* A node with texts and arrays of its own. 0 or HRW_INTERNAL (no memory), and
 * then `to` holds nothing. */
int hrw_node_copy(struct hrw_node *to, const struct hrw_node *from);
void hrw_node_fini(struct hrw_node *node);

/* All that can be said of a node without looking at the others; for limits,
 * errors and field see hrw_membership_add(). */
int hrw_node_check(const struct hrw_node *node, const struct hrw_placement *placement,
    const struct hrw_limits *limits, struct hrw_fault *fault);

/* Equal but for name and since_ms? */
bool hrw_node_same(const struct hrw_node *a, const struct hrw_node *b);

/* Equal in what decides how many keys a node gets: its state, weight, zone,
 * reweight, slots, tokens, health? Who it is stays out of it. */
bool hrw_node_is_untouched(const struct hrw_node *a, const struct hrw_node *b);

#endif
