/*
 * memory.h - what was let go is given back to the system.
 *
 * glibc keeps freed memory for its next use, and where a little of it is in use
 * still, as after a large upload, it keeps the pages around it too: resident
 * memory then tells the busiest hour of a daemon's life. Here it tells the last
 * few seconds.
 */
#ifndef HRWD_MEMORY_H
#define HRWD_MEMORY_H

#include <stdbool.h>
#include <uv.h>

struct memory {
	uv_timer_t timer; /* the owner closes it with the loop's other handles */
	uv_work_t work;
	bool is_trimming; /* `work` is under way */
	uint64_t kept;	  /* bytes resident and in no use, right after the last trim */
};

/* One heap for all threads; before the first of them. */
void memory_prepare(void);

void memory_init(struct memory *m, uv_loop_t *loop);
/* Gives back what the start took, then looks every other second. */
void memory_start(struct memory *m);

#endif
