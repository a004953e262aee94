/*
 * away.h - a daemon that was there and answers no more: asked again until it is back.
 */
#ifndef HRWD_CTL_AWAY_H
#define HRWD_CTL_AWAY_H

#include "daemon/ctl/client.h"

struct away {
	struct ctl *ctl;
	bool was_there; /* the daemon, at least once */
	bool is_away;	/* which was said */
	uint64_t pause; /* seconds until the next attempt */
};

struct away away_new(struct ctl *ctl);

/* It answers; says so where it had been away. */
void away_there(struct away *away);

/* Nobody answers, or the answer was cut.
 *   returns  0: whoever was there may come back, which is said once;
 *            CTL_UNREACHABLE after saying why: nobody ever was */
int away_note(struct away *away, const char *why);

/* Waits for the next attempt, each time twice as long. Ctrl-C ends it early. */
void away_pause(struct away *away);

#endif
