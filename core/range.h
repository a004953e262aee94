/*
 * range.h - what may be used, for the inside of a sentence.
 */
#ifndef HRW_RANGE_H
#define HRW_RANGE_H

#include <stdint.h>

enum { HRW_RANGE_SHOWN = 72 };

/* "1 to 8", "a whole number from 1 to 8"; but "1" where that is all there is.
 * Both return room. */
const char *hrw_show_range(uint64_t min, uint64_t max, char room[HRW_RANGE_SHOWN]);
const char *hrw_show_whole_range(uint64_t min, uint64_t max, char room[HRW_RANGE_SHOWN]);

#endif
