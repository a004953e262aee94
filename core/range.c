/*
 * range.c - ranges in words.
 */
#include "core/range.h"

#include <stdio.h>

const char *
hrw_show_range(uint64_t min, uint64_t max, char room[HRW_RANGE_SHOWN])
{
	if (min == max)
		snprintf(room, HRW_RANGE_SHOWN, "%ju", (uintmax_t)min);
	else
		snprintf(room, HRW_RANGE_SHOWN, "%ju to %ju", (uintmax_t)min, (uintmax_t)max);
	return room;
}

const char *
hrw_show_whole_range(uint64_t min, uint64_t max, char room[HRW_RANGE_SHOWN])
{
	if (min == max)
		return hrw_show_range(min, max, room);
	snprintf(room, HRW_RANGE_SHOWN, "a whole number from %ju to %ju", (uintmax_t)min,
	    (uintmax_t)max);
	return room;
}
