/*
 * hashes.h - no two nodes of a pool may share the hash that they are placed by.
 */
#ifndef HRW_PLACE_HASHES_H
#define HRW_PLACE_HASHES_H

#include "core/membership.h"

/* Is each node's hash its own? Draining nodes count: they may come back.
 *   hash     by node
 *   errors   BAD_SERVER "collision"; INTERNAL: no memory
 *   cost     n log n */
int hrw_hashes_check(const struct hrw_membership *m, const uint64_t *hash, struct hrw_fault *fault);

#endif
