/*
 * copies.h - the copies that are still to be made, of a pool's stored keys.
 *
 * A line a key that has a cold holder: the cold holders, and the warm nodes that a
 * copy can be made from. A pool that is settled has none. They are computed while
 * they are read, so memory does not grow with the number of keys.
 */
#ifndef HRWD_MEMBERS_COPIES_H
#define HRWD_MEMBERS_COPIES_H

#include "daemon/members/pool.h"
#include "daemon/members/report.h"

struct copies;

struct copies_request {
	struct pool *pool; /* acquired by copies_open() */
	enum listing_form form;
	char *to, *from;	/* nodes that must be among them; NULL: any; "": none */
	uint64_t limit;		/* lines at most; 0: all */
	struct hrw_bytes after; /* keys after this one; data NULL: from the first */
};

/* On the libuv pool. The names are copied. NULL with the fault: INTERNAL,
 * STORE_FAILED. */
struct copies *copies_open(
    struct keyset *keyset, const struct copies_request *ask, struct hrw_fault *fault);
int copies_fill(void *copies, struct buffer *out); /* as respond_stream() wants it */
void copies_close(void *copies);

#endif
