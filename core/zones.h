/*
 * zones.h - which nodes hold a key's copies.
 *
 * Copies are taken in rank order, passing over a node whose zone already holds
 * one; where there are fewer zones than copies, the rest are filled in rank
 * order from those passed over. A node without a zone is a zone of its own.
 * Holders of N copies are a prefix of the holders of N+1.
 */
#ifndef HRW_ZONES_H
#define HRW_ZONES_H

#include "core/membership.h"

/* The holders of a key, first is the owner.
 *   m        frozen; borrowed
 *   copies   1..HRW_COPIES_MAX
 *   out      room for `copies` indexes into m->node[]
 *   returns  indexes written, 1..copies; fewer when fewer nodes take keys
 *   errors   HRW_BAD_COPIES (more than the placement defines too), HRW_NO_SERVERS
 *   cost     one ranking; with zones at worst a few longer ones. No allocation */
int hrw_holders(const struct hrw_membership *m, struct hrw_bytes key, size_t copies, uint32_t *out);

/* How much of a ranking tells the holders of nearly every key. 1..HRW_COPIES_MAX */
size_t hrw_holders_places(const struct hrw_membership *m, size_t copies);

/* The holders of a key, from the beginning of its ranking.
 *   ranking  the first `ranked` nodes of it; all takers where they are so many
 *   returns  as hrw_holders(); 0 when it takes more of the ranking to tell */
int hrw_holders_among(const struct hrw_membership *m, const uint32_t *ranking, size_t ranked,
    size_t copies, uint32_t *out);

#endif
