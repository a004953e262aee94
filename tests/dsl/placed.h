/*
 * placed.h - pools under other placements than the default one.
 *
 *     placed("kafka hash=crc32", "a b c!draining")
 *
 * is a draft; frozen() of nodes.h makes it a pool, refused() the reason why not.
 */
#ifndef TESTS_PLACED_H
#define TESTS_PLACED_H

#include "tests/dsl/nodes.h"

/* A placement with parameters (a list's items with commas between), and nodes as
 * nodes() reads them, with ids 1, 2, …, as a draft of the caller's. */
struct hrw_membership *placed(const char *placement, const char *nodes);

/* Adds a range to the slots of a draft's node, a token to its tokens, a host to
 * the parameter "hosts" (weight below 0: none given, id 0: none). */
void give_slots(struct hrw_membership *m, const char *name, uint32_t first, uint32_t last);
void give_token(struct hrw_membership *m, const char *name, int64_t token);
void give_host(struct hrw_membership *m, const char *name, int32_t id, double weight);

/* Replaces the text that is hashed for a draft's node. */
void give_hash_name(struct hrw_membership *m, const char *name, const char *text);

/* Freezes a draft, which must fail with this error at this field ("": none), and
 * frees it. */
void refused(struct hrw_membership *m, int error, const char *field);

#endif
