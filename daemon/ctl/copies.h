/*
 * copies.h - what GET /copies lists, counted while it is read.
 */
#ifndef HRWD_CTL_COPIES_H
#define HRWD_CTL_COPIES_H

#include "daemon/ctl/client.h"

enum { COPIES_NODES = 64 }; /* nodes counted by name; the rest as one */

/* Copies by the node that is to get them, and keys by the node that alone has them. */
struct copies_node {
	char name[254];
	uint64_t to_make, only_source;
};

struct copies_count {
	uint64_t keys, copies, without_source;
	char epoch[24]; /* of the pool; "": not told */
	size_t nodes; /* in the order in which they came */
	struct copies_node node[COPIES_NODES];
};

/* Counts the pool's missing copies.
 *   to, from  only those to be made on this node, or that it has; NULL: all
 *   shown     the first so many lines are printed as a table; 0: none
 *   returns   0, or as client_want() */
int copies_count(
    struct ctl *ctl, const char *to, const char *from, uint64_t shown, struct copies_count *out);

/* "13 copies are to be made: cache-a 3, cache-b 5. cache-c is the only source of 4
 * keys", as sentences, a line each. */
void copies_tell(struct ctl *ctl, const struct copies_count *count);

#endif
