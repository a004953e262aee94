/*
 * url.h - a path and its query, built up in a buffer.
 *
 * Every byte but the unreserved ones of RFC 3986 is percent-encoded, so keys
 * and names go through as they are.
 */
#ifndef HRWD_CTL_URL_H
#define HRWD_CTL_URL_H

#include "daemon/base/buffer.h"

/* "/text" */
void url_segment(struct buffer *url, const char *text);

/* "?name=value", or "&name=value" behind the first. */
void url_parameter(struct buffer *url, const char *name, struct hrw_bytes value);
void url_number(struct buffer *url, const char *name, uint64_t value);

/* limit= and after=; 0 and NULL: not said. */
void url_page(struct buffer *url, uint64_t limit, const char *after);

#endif
