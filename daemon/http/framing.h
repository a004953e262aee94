/*
 * framing.h - the headers that say where a request ends, held to the letter.
 *
 * libmicrohttpd takes the first of two Content-Lengths, lets chunked win over one,
 * loses a header that goes on in the next line, and takes a bare CR for text. What
 * a proxy before us takes for a body would then be run as a second request (request
 * smuggling, RFC 9112, 11.2). Such a head is refused and its connection closed, so
 * that nothing after it is read.
 */
#ifndef HRWD_HTTP_FRAMING_H
#define HRWD_HTTP_FRAMING_H

#include <stdbool.h>

#include "core/bytes.h"
#include "core/error.h"

struct MHD_Connection;

/* The headers every request is asked for; data NULL where not sent, and for a
 * request_id or trace that was sent twice: neither is known to be the one. Texts are
 * libmicrohttpd's and last as long as the request. */
struct framing {
	struct hrw_bytes host, origin, content_type, authorization, key, request_id, trace;
	struct hrw_bytes content_encoding;
	const char *end; /* of the head: what was read of the body lies behind it */
	bool has_accept;
	bool is_chunked;
	bool expects_continue;
	uint64_t length; /* of the body; 0 when chunked */
};

/* Where a head lies in libmicrohttpd's memory. */
struct framing_head {
	const char *method, *version;
	size_t size; /* from the method to the end of the empty line */
	size_t room; /* the longest head that leaves memory for an answer */
};

/* Reads the head of a request.
 *   errors   BAD_PARAMETER: a header that has one value sent twice, a length with
 *            chunked, another coding, no Host, a name that is no token
 *            TOO_LARGE (reason "head"): no memory would be left for the answer */
int framing_read(struct MHD_Connection *mhd, const struct framing_head *head, struct framing *f,
    struct hrw_fault *fault);

/* TOO_LARGE (reason "head"), in words. */
int framing_too_long(size_t room, struct hrw_fault *fault);

/* Prepares a head for libmicrohttpd when only its first line was read, where it
 * would fail on what is legal:
 *   - blanks behind a Content-Length are put before it;
 *   - the cookies, which nobody here reads, are hidden: it would take them apart in
 *     the connection's memory, 48 bytes for each, and answer twice when that ends.
 *   rest  where the first line ended
 * A head of which only a part has come has its cookies hidden, too. */
void framing_prepare(struct MHD_Connection *mhd, char *rest);

/* The name of entries that we add to what the library has read. */
extern const char framing_hidden[];

#endif
