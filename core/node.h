/*
 * node.h - one node of a draft: checked, copied, compared, and at fault.
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

/* Of two nodes, the same in this field? */
bool hrw_slots_same(const struct hrw_node *a, const struct hrw_node *b);
bool hrw_tokens_same(const struct hrw_node *a, const struct hrw_node *b);
bool hrw_reweight_same(const struct hrw_node *a, const struct hrw_node *b);

/* A node with texts and arrays of its own. 0 or HRW_INTERNAL (no memory), and
 * then `to` holds nothing. */
int hrw_node_copy(struct hrw_node *to, const struct hrw_node *from);
void hrw_node_fini(struct hrw_node *node);

/* All that can be said of a node without looking at the others; for limits,
 * errors and field see hrw_membership_add(). */
int hrw_node_check(const struct hrw_node *node, const struct hrw_placement *placement,
    const struct hrw_limits *limits, struct hrw_fault *fault);

/* Equal but for name, since_ms and joined? */
bool hrw_node_same(const struct hrw_node *a, const struct hrw_node *b);

/* Equal in what decides how many keys a node gets: its state, weight, zone,
 * reweight, slots, tokens, health? Who it is stays out of it. */
bool hrw_node_is_untouched(const struct hrw_node *a, const struct hrw_node *b);

/* The name of a field that the node has and the placement does not use; NULL:
 * none.
 *   was  the node as it was, whose fields may be kept unused from a placement
 *        that did; NULL: a newcomer. Static storage */
const char *hrw_unused_field(
    const struct hrw_placement *placement, const struct hrw_node *node, const struct hrw_node *was);

/* The refusal of such a field: BAD_FIELD. */
int hrw_unused_fault(
    struct hrw_fault *fault, const struct hrw_placement *placement, const char *field);

/* Finds the first node in list order that has the name or the id of one before it;
 * unset ids are nobody's.
 *   names_ascend  each name is above the one before: none is there twice
 *   at, by   receive that node and the other; both are the count where there is none
 *   returns  0; INTERNAL: no memory
 *   cost     n log n */
int hrw_find_taken(
    const struct hrw_node *node, size_t count, bool names_ascend, size_t *by, size_t *at);

/* Points a fault of the whole membership at a node's field (printf), by the node's
 * place in the list that was added: "/nodes/3/weight" for "weight". */
void hrw_fault_at_node(struct hrw_fault *fault, const struct hrw_node *node, const char *field, ...)
    __attribute__((format(printf, 3, 4)));

/* The field that holds the text hashed for a node: "hash_name", or where that was
 * left out the "name" or "address" that stands for it. */
const char *hrw_hashed_field(const struct hrw_membership *m, const struct hrw_node *node);

/* BAD_SERVER, "collision", at the hashed text of the one listed later: two nodes
 * that no key could tell apart, because they "have one hash", say. */
int hrw_fault_collision(struct hrw_fault *fault, const struct hrw_membership *m,
    const struct hrw_node *a, const struct hrw_node *b, const char *because);

#endif
