/*
 * nodes.h - memberships from short text, and the questions tests ask of them.
 *
 *     nodes("a b:2 c@r1 d:0.5@r2!draining")     name[:weight][@zone][!state]
 *
 * What nodes() makes is frozen, has an address for every node, and lives until
 * the test ends: nobody frees it. Its placement is the default one.
 */
#ifndef TESTS_NODES_H
#define TESTS_NODES_H

#include "core/membership.h"

/* Frozen, one copy; the text must be good. */
struct hrw_membership *nodes(const char *text);

/* The same with that many copies. */
struct hrw_membership *pool(unsigned copies, const char *text);

/* The same as a draft of the caller's: to be frozen or freed by it. */
struct hrw_membership *draft(const char *text);

/* Freezes a draft and keeps it until the test ends. */
struct hrw_membership *frozen(struct hrw_membership *m);

/* Frees all that nodes() and frozen() made: between generated pools. */
void forget_nodes(void);

/* The node ranked first; NULL when nobody takes keys. */
const char *owner(const struct hrw_membership *m, struct hrw_bytes key);
bool owns(const struct hrw_membership *m, const char *name, struct hrw_bytes key);

/* Holders as names, best first, with a space between: "a c". */
const char *holders(const struct hrw_membership *m, struct hrw_bytes key, size_t copies);

/* The whole ranking as names, alike. */
const char *ranking(const struct hrw_membership *m, struct hrw_bytes key);

/* Key number i of a kind: "photo-7". Good until 16 more have been asked for. */
struct hrw_bytes numbered(const char *kind, size_t i);

/* for_each_key(key, 1000) … : key-0, key-1, …; may be nested. */
#define for_each_key(key, total)                                                                   \
	for (struct hrw_bytes key = numbered("key", 0), key##_at = {NULL, 0};                      \
	     key##_at.len < (total); key = numbered("key", ++key##_at.len))

/* photo-1, photo-2, …, photo-total. */
#define for_each_photo(key, total)                                                                 \
	for (struct hrw_bytes key = numbered("photo", 1), key##_at = {NULL, 1};                    \
	     key##_at.len <= (total); key = numbered("photo", ++key##_at.len))

#endif
