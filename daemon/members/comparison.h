/*
 * comparison.h - a pool's nodes and keys under several placements, off the loops.
 *
 * One placement after the other: prepared, timed, and given every key, so that
 * memory is that of one, whatever their number. A placement that cannot place
 * this pool says why in its own result; the others are compared all the same.
 */
#ifndef HRWD_MEMBERS_COMPARISON_H
#define HRWD_MEMBERS_COMPARISON_H

#include "daemon/members/change.h"
#include "daemon/members/errand.h"

enum { COMPARISON_PLACEMENTS_MAX = 64 };

/* What is to be compared; all zeros is nothing yet. */
struct comparison {
	struct errand errand; /* `done` and `owner` are set by whoever starts it */
	struct pool *pool;    /* a reference */
	const struct hrw_limits *limits;
	int64_t now_ms;
	struct keyset *keyset;
	struct hrw_membership *template[COMPARISON_PLACEMENTS_MAX]; /* drafts without nodes */
	size_t count;
	unsigned copies;       /* 0: the pool's own number */
	struct change *change; /* NULL: none. Without placement */
	bool has_keys;	       /* sent along; else the stored ones, else the sample */
	struct buffer keys;    /* records as keyset.h has them */
	uint64_t key_count;

	/* What came of it. */
	int rc; /* 0, or the error that refuses the whole: UNKNOWN_NODE in the change,
		 * KEYS_CHANGED, STORE_FAILED, INTERNAL */
	struct hrw_fault fault;
	struct buffer answer; /* a JSON object */
};

/* The errand's run. */
void comparison_run(struct errand *errand);

void comparison_free(struct comparison *c); /* NULL is fine */

/* A placement's own failure, as the member "error" of its result. */
void comparison_put_error(struct json_out *o, const struct hrw_fault *fault);

#endif
