/*
 * variants.h - generated pools that are variants of one another, as the
 * memberships before and after a change are, and holders found the slow way.
 */
#ifndef TESTS_VARIANTS_H
#define TESTS_VARIANTS_H

#include "core/membership.h"
#include "tests/dsl/dice.h"

enum { VARIANT_NODES = 9 };

/* A frozen membership of some of the nodes n0..n8 with 1 to 4 copies. The same
 * seed gives each node the same weight and zone; the dice then leave some out,
 * change some, and let some drain or join. Half of the seeds have no zones. */
struct hrw_membership *variant(uint64_t seed, struct dice *d);

/* The holders of a key, by name, owner first: the whole ranking written down,
 * then the rule for zones word for word. Returns how many; out has room for
 * `copies`. */
size_t holders_by_hand(
    const struct hrw_membership *m, struct hrw_bytes key, size_t copies, const char **out);

/* Is the name in the list? */
bool names_have(const char *const *list, size_t count, const char *name);

#endif
