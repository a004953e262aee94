/*
 * babble.h - talk that is half-done or malformed, made by dice; and what HTTP says
 * that it is: which requests stand in it, and where it stops being one.
 *
 * A talk is some requests, of which one may be broken somewhere. The body of each
 * that has one is itself a request, for a key of its own: run as one, it shows.
 */
#ifndef TESTS_BABBLE_H
#define TESTS_BABBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/dsl/dice.h"

enum { BABBLE_MAX = 1 << 16, BABBLE_REQUESTS = 16 };

struct babble {
	unsigned number; /* in each of its keys: "key=ok-NUMBER", "key=inner-NUMBER" */
	char data[BABBLE_MAX];
	size_t len;
	bool is_broken; /* somewhere, maybe; else every request in it is good */
};

/* Makes one. */
void babble_make(struct babble *b, struct dice *d, unsigned number);

/* What the first `len` bytes are by RFC 9112. Lines of one head may all end in a bare
 * LF; those between chunks may not. */
struct babble_reading {
	size_t whole;	/* requests that are complete */
	size_t begun;	/* those, and one of which the head is */
	bool has_inner; /* the first line of one asks for the key "inner-…" */
	bool is_bad;	/* there is something that is no request */
	bool has_rest;	/* something that is none yet */
};
struct babble_reading babble_read(const struct babble *b, size_t len);

#endif
