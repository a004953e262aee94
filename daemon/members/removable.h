/*
 * removable.h - may a node be switched off?
 *
 * Four checks, a row each: it is draining; its copies are all made elsewhere, so no
 * reader is sent to it; no guard would refuse its removal; and no lookup of the last
 * minute named it, so clients have stopped asking.
 */
#ifndef HRWD_MEMBERS_REMOVABLE_H
#define HRWD_MEMBERS_REMOVABLE_H

#include "daemon/members/change.h"

enum { REMOVABLE_QUIET_SECONDS = 60 };

enum removable_check {
	REMOVABLE_DRAINING,
	REMOVABLE_SETTLED,
	REMOVABLE_GUARDS,
	REMOVABLE_ASKED,
	REMOVABLE_CHECKS,
};

struct removable {
	bool is_ok[REMOVABLE_CHECKS];
	char detail[REMOVABLE_CHECKS][HRW_FAULT_DETAIL]; /* "" where it is ok */
};

/* "draining", "settled", "guards", "asked". Static storage. */
const char *removable_name(enum removable_check check);

/* How long nobody was sent to a node. */
struct removable_asked {
	uint64_t ago;  /* seconds since a lookup named it; UINT64_MAX: never */
	bool is_start; /* since the daemon's start: nobody knows of those before */
};

/* Judges a node of the pool.
 *   cost  that of change_build() */
void removable_judge(struct pool *pool, const struct hrw_node *node,
    const struct removable_asked *asked, const struct hrw_limits *limits, struct removable *out);

/* All of them? */
bool removable_is(const struct removable *r);

#endif
