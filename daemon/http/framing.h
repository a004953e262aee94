/*
 * framing.h - the headers that say where a request ends, held to the letter.
 *
 * libmicrohttpd takes the first of two Content-Lengths and lets chunked win over
 * one, so what a proxy before us takes for a body would be run as a second
 * request (request smuggling, RFC 9112, 11.2). Such a head is refused and its
 * connection closed, so that nothing after it is read.
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
	bool has_accept;
	bool is_chunked;
	bool expects_continue;
	uint64_t length; /* of the body; 0 when chunked */
};

/* Reads the head of a request.
 *   version  "HTTP/1.1"
 *   errors   BAD_PARAMETER: two lengths, a length with chunked, another coding,
 *            no Host or two, two Authorizations, a name that is no token */
int framing_read(
    struct MHD_Connection *mhd, const char *version, struct framing *f, struct hrw_fault *fault);

#endif
