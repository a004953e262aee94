/*
 * wall.c - CLOCK_MONOTONIC cannot be set, so it tells how much time has passed.
 */
#include <pthread.h>
#include <time.h>

#include "daemon/base/wall.h"

static pthread_once_t is_begun = PTHREAD_ONCE_INIT;
static int64_t lead_ms; /* of Unix time before the monotonic clock, at the first call */

static int64_t
ms_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void
begin(void)
{
	lead_ms = ms_of(CLOCK_REALTIME) - ms_of(CLOCK_MONOTONIC);
}

int64_t
wall_ms(void)
{
	return ms_of(CLOCK_REALTIME);
}

int64_t
wall_ms_passed(void)
{
	int64_t wall = wall_ms(), passed;

	pthread_once(&is_begun, begin);
	passed = ms_of(CLOCK_MONOTONIC) + lead_ms;
	return wall < passed ? wall : passed;
}
