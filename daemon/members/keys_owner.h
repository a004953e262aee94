/*
 * keys_owner.h - gives each stored key set to the pool that it belongs to.
 *
 * A set belongs to a pool's lineage. One that has no pool any more is cleared: a daemon
 * was killed when the pool was removed and its keys were not yet, or the store was
 * replaced by another one.
 */
#ifndef HRWD_MEMBERS_KEYS_OWNER_H
#define HRWD_MEMBERS_KEYS_OWNER_H

#include "daemon/members/snapshot.h"
#include "daemon/store/keyset.h"
#include "daemon/store/store.h"

/* At start, before anyone is served. What fails is logged: a set without its owner's
 * name is not shown to anybody. */
void keys_owner_settle(struct keyset *keyset, struct store *store, const struct snapshot *pools);

#endif
