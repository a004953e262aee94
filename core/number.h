/*
 * number.h - a number inside a sentence.
 */
#ifndef HRW_NUMBER_H
#define HRW_NUMBER_H

enum { HRW_NUMBER = 32 };

/* By the fewest digits that read as it: 0.1, not 0.10000000000000001.
 *   returns  room */
const char *hrw_show_number(double number, char room[HRW_NUMBER]);

#endif
