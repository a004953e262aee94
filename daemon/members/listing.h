/*
 * listing.h - a list of keys with something said of each, written piece by piece.
 *
 * What is said is computed while the list is read, so memory does not grow with the
 * number of keys. Any one thread at a time.
 */
#ifndef HRWD_MEMBERS_LISTING_H
#define HRWD_MEMBERS_LISTING_H

#include "core/bytes.h"
#include "daemon/base/buffer.h"

enum listing_form { LISTING_NDJSON, LISTING_JSON, LISTING_CSV };

struct listing {
	enum listing_form form;
	const char *columns;   /* of CSV, behind "key,key_base64," */
	uint64_t limit, lines; /* the most, 0: all; written so far */
	struct buffer records; /* the batch at hand, as keyset.h has them */
	size_t at;
	bool has_begun;
};

/* What one list is made of; `arg` is what listing_fill() was given. */
struct listing_parts {
	/* Appends the next keys: their number, 0 at the end, negative on an error. */
	long (*read)(void *arg, struct buffer *records);
	/* Is the key listed? Notes for write() what is to be said of it. */
	bool (*look)(void *arg, struct hrw_bytes key);
	/* Appends what look() noted: a JSON object, or a row of CSV without its end. */
	void (*write)(void *arg, struct hrw_bytes key, struct buffer *out);
};

/* Appends the next piece, about 64 KiB.
 *   returns  1: there is more; 0: that was the end; negative: an error of read(), or
 *            HRW_INTERNAL (no memory) */
int listing_fill(
    struct listing *l, const struct listing_parts *parts, void *arg, struct buffer *out);
void listing_fini(struct listing *l);

/* A filter by one column of nodes. */
struct listing_filter {
	bool is_any;
	bool is_known; /* false: no node has that name, so no key fits */
	uint32_t node; /* must be among them; HRW_NOT_LISTED: there must be none */
};

/* name  NULL: any; "": none
 * node  the index of the node of that name, HRW_NOT_LISTED where there is none */
struct listing_filter listing_filter(const char *name, uint32_t node);
bool listing_fits(const struct listing_filter *filter, const uint32_t *node, size_t count);

#endif
