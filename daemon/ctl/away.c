/*
 * away.c - patience, in words and in seconds.
 */
#include <unistd.h>

#include "daemon/ctl/away.h"

enum { PAUSE_MAX = 30 }; /* seconds between two attempts, or as many as were asked for */

struct away
away_new(struct ctl *ctl)
{
	return (struct away){.ctl = ctl, .pause = ctl->options.interval};
}

void
away_there(struct away *away)
{
	if (away->is_away)
		ctl_fail(CTL_DONE, "hrwd is back at %s", away->ctl->options.admin);
	away->was_there = true;
	away->is_away = false;
	away->pause = away->ctl->options.interval;
}

int
away_note(struct away *away, const char *why)
{
	if (!away->was_there)
		return client_unreachable(away->ctl, why);
	if (!away->is_away)
		ctl_fail(CTL_UNREACHABLE, "hrwd is away from %s (%s): asking until it is back",
		    away->ctl->options.admin, why);
	away->is_away = true;
	return 0;
}

void
away_pause(struct away *away)
{
	uint64_t interval = away->ctl->options.interval;
	uint64_t most = interval > PAUSE_MAX ? interval : PAUSE_MAX;

	sleep(ctl_patience(away->ctl, (unsigned)away->pause));
	away->pause = 2 * away->pause < most ? 2 * away->pause : most;
}
