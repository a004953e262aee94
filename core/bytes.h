/*
 * bytes.h - byte strings that know their length.
 *
 * Keys are bytes: NUL and bytes that are not UTF-8 are as good as any.
 */
#ifndef HRW_BYTES_H
#define HRW_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed bytes. data may be NULL when len is 0. */
struct hrw_bytes {
	const uint8_t *data;
	size_t len;
};

static inline struct hrw_bytes
hrw_bytes(const void *data, size_t len)
{
	struct hrw_bytes bytes = {(const uint8_t *)data, len};

	return bytes;
}

/* Bytes of a C string, without its NUL. */
static inline struct hrw_bytes
hrw_text(const char *text)
{
	return hrw_bytes(text, strlen(text));
}

/* Bytewise order, a prefix first: below, at or above zero like memcmp. */
int hrw_bytes_cmp(struct hrw_bytes a, struct hrw_bytes b);

static inline bool
hrw_bytes_equal(struct hrw_bytes a, struct hrw_bytes b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Is it well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms)? The
 * length of the longest well-formed prefix; equal to len when all of it is. */
size_t hrw_utf8_prefix(struct hrw_bytes text);

static inline bool
hrw_is_utf8(struct hrw_bytes text)
{
	return hrw_utf8_prefix(text) == text.len;
}

/* Text as people may see it: bytes below 0x20, 0x7f and bytes that are not
 * UTF-8 become \xNN, and what does not fit is cut with "…" between characters.
 *   size     of `room`, its NUL included; 4 or more
 *   returns  room */
const char *hrw_show(struct hrw_bytes text, char *room, size_t size);

/* Room to show a value inside a sentence. */
enum { HRW_SHOWN = 72 };

#endif
