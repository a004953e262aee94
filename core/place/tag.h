/*
 * tag.h - the part of a key that is hashed where keys carry a tag: "user:{42}".
 *
 * Source: twemproxy's hash tags; the Redis cluster specification.
 */
#ifndef HRW_PLACE_TAG_H
#define HRW_PLACE_TAG_H

#include "core/bytes.h"

/* What stands between the first `open` and the first `close` after it; the whole
 * key where there is no such pair, or nothing between. */
static inline struct hrw_bytes
hrw_tag(struct hrw_bytes key, uint8_t open, uint8_t close)
{
	const uint8_t *first = memchr(key.data, open, key.len), *last;
	size_t left;

	if (first == NULL)
		return key;
	first++;
	left = (size_t)(key.data + key.len - first);
	last = left > 0 ? memchr(first, close, left) : NULL;
	return last == NULL || last == first ? key : hrw_bytes(first, (size_t)(last - first));
}

#endif
