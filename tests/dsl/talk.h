/*
 * talk.h - all that a daemon says on one connection, for talk that is half-done or
 * malformed: how many answers came, whether each was well formed, and whether the
 * connection ended.
 */
#ifndef TESTS_TALK_H
#define TESTS_TALK_H

#include <stdbool.h>
#include <stddef.h>

enum { TALK_ANSWERS = 16 };

struct talk {
	char *said; /* NUL behind it */
	size_t len;
	int answers; /* well-formed ones, from the first on; 100 Continue is none */
	long status[TALK_ANSWERS];
	bool is_whole; /* nothing but answers was said */
	bool has_ended, was_reset;
};

/* Listens until the connection ends, or so many answers have come (0: to the end), or
 * for so many ms. The caller frees `said`. */
struct talk talk_hear(int fd, int answers, int ms);

/* What it has heard so far is judged: `answers`, `status`, `is_whole`. Bodies go by
 * Content-Length, chunks or the connection's end; none of the requests was HEAD. */
void talk_judge(struct talk *t);

#endif
