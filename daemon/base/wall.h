/*
 * wall.h - what time it is.
 */
#ifndef HRWD_BASE_WALL_H
#define HRWD_BASE_WALL_H

#include <stdint.h>

/* Unix time in milliseconds, as the system has it now. Any thread. */
int64_t wall_ms(void);

/* The same, or what it would be if nobody had set the system's clock since the first
 * call: the earlier one. For what must not happen before its time. Any thread. */
int64_t wall_ms_passed(void);

#endif
