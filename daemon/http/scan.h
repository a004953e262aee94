/*
 * scan.h - the bytes of a connection as they came, read once more.
 *
 * libmicrohttpd ends lines at a bare LF, takes a NUL for an empty line, and shows
 * neither what stood between its texts nor what was between two chunks. So requests
 * are counted here by the letter (RFC 9112): a head or a body counts when it is whole,
 * and when it can be read in one way alone. The library must come to the same count,
 * or the connection is closed before anything of the request is done.
 */
#ifndef HRWD_HTTP_SCAN_H
#define HRWD_HTTP_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* All zero at first. A number of a request is 1 for a connection's first. */
struct scan {
	unsigned heads, ends; /* requests of which the head, or all, has been read */
	const char *why;      /* it is no request; NULL: it may be. Nothing counts after it */
	uint64_t left;	      /* bytes of a body or a chunk; the size that is being read */
	uint8_t state, digits, kept_len;
	bool has_cr, is_chunked, is_unsure;
	uint8_t line_end; /* of this head: 0 not known, 1 LF, 2 CR LF */
	bool is_long;	  /* `why` is that the head has more bytes than are taken */
	size_t head_max;  /* so many; 0: any */
	size_t head_len;  /* of this one, without the ends of its lines */
	size_t line_len;  /* bytes of this line, its end aside */
	char kept[64];	  /* and those it begins with */
};

/* What was read from the socket, in order. */
void scan_bytes(struct scan *s, const char *bytes, size_t len);

/* Has this request's head, or all of it, been read as one?
 *   errors  BAD_PARAMETER: a control byte, a line that is folded or ends in another way
 *           than it must, or the library takes for its end what is not */
int scan_head(const struct scan *s, unsigned number, struct hrw_fault *fault);
int scan_end(const struct scan *s, unsigned number, struct hrw_fault *fault);

/* Is it known before this request's end that it will not do? */
bool scan_is_bad(const struct scan *s, unsigned number);

#endif
