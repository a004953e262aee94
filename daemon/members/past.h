/*
 * past.h - a pool's earlier memberships, for the leftovers of a plan.
 */
#ifndef HRWD_MEMBERS_PAST_H
#define HRWD_MEMBERS_PAST_H

#include "core/leftover.h"
#include "daemon/members/pool.h"
#include "daemon/store/store.h"

struct past {
	bool is_whole; /* all that count are here: the history reached far enough */
	size_t count;
	struct hrw_past past[HRW_LEFTOVERS_MAX];
	size_t pools;
	struct pool *pool[HRW_LEFTOVERS_MAX]; /* own those memberships */
	struct hrw_leftovers *leftovers;      /* NULL: no key can have one */
};

/* Loads the memberships that a plan's leftovers may stem from, newest first: those in
 * force, and those that gave the fallback, which is written to as holders are. As far as
 * the history reaches and, where the pool has a max_ttl, as long ago as a value lives.
 *   before   the pool that the plan is of; NULL: it is new
 *   now_ms   Unix time
 *   errors   INTERNAL, STORE_FAILED; nothing is to be freed then
 *   cost     a document of the store for each epoch since the first of the nodes
 *            that may gain joined. Blocking: libuv pool only */
int past_open(struct past *past, struct store *store, const struct hrw_plan *plan,
    const struct pool *before, int64_t now_ms, struct hrw_fault *fault);
void past_close(struct past *past);

#endif
