/*
 * keylist.h - reads key lists item by item, however the bytes arrive.
 *
 * text/plain: a key a line, LF ends it (the last may lack it), every other byte
 * is key. application/json: an array of keys. application/x-ndjson: one a line.
 * In JSON a key is a string (\u0000 allowed), {"key":…} or {"key_base64":…}; what
 * our own answers have beside a key (owner, replicas, lost, gained, from) is read
 * over, so that they can be sent back as they are.
 * Memory is one key, whatever the list's length.
 */
#ifndef HRWD_HTTP_KEYLIST_H
#define HRWD_HTTP_KEYLIST_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"

enum keylist_form { KEYLIST_TEXT, KEYLIST_JSON, KEYLIST_NDJSON };

struct keylist;

/* What lines of text had that may not be meant as part of keys, by numbers of lines
 * from 1; 0: none. It is part of them all the same. */
struct keylist_notice {
	uint64_t cr_lines, cr_first; /* lines that end in CR, and the first of them */
	uint64_t nul_first;	     /* the first line with a NUL */
	bool has_utf8_mark;	     /* a byte order mark before all */
	bool has_utf16_mark;
};

/* Called for each key, in order; the bytes are borrowed for the call. A negative
 * answer stops the reading and is returned by keylist_feed(). BAD_KEY comes with
 * its detail in the fault that was given to keylist_feed(): the key's place is
 * set before it. */
typedef int (*keylist_each)(void *arg, struct hrw_bytes key);

/* key_bytes is the longest key allowed. NULL: no memory. */
struct keylist *keylist_new(enum keylist_form form, size_t key_bytes, keylist_each each, void *arg);
void keylist_free(struct keylist *list);

/* More bytes. BAD_KEY with its line (JSON: its index) for an empty or over-long
 * key; BAD_JSON with line and column; BAD_FIELD. */
int keylist_feed(struct keylist *list, struct hrw_bytes bytes, struct hrw_fault *fault);

/* Of a list of text, so far. Of another form nothing is noticed. */
const struct keylist_notice *keylist_notice(const struct keylist *list);

/* The end of the list: a last line without LF, an array that was cut short. */
int keylist_end(struct keylist *list, struct hrw_fault *fault);

#endif
