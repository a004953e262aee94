/*
 * buffer.h - bytes that grow.
 *
 * A failed allocation sets `failed` and drops what no longer fits, so that a
 * long run of additions needs one check at its end.
 */
#ifndef HRWD_BASE_BUFFER_H
#define HRWD_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/bytes.h"

struct buffer {
	char *data; /* not terminated by a NUL unless buffer_text() was called */
	size_t len, room;
	bool failed;
};

/* All zeros is an empty buffer. fini frees and leaves it empty. */
void buffer_fini(struct buffer *b);

/* Empties it and keeps its room. */
void buffer_clear(struct buffer *b);

/* Makes room for `more` bytes past len: 0, or HRW_INTERNAL and failed. */
int buffer_reserve(struct buffer *b, size_t more);

/* Inline, because answers are made of many small pieces. */
static inline void
buffer_add(struct buffer *b, const void *data, size_t len)
{
	if (len == 0 || (len > b->room - b->len && buffer_reserve(b, len) < 0) || b->failed)
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static inline void
buffer_add_text(struct buffer *b, const char *text)
{
	buffer_add(b, text, strlen(text));
}

void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The content as a C string owned by the buffer; "" when empty or failed. */
const char *buffer_text(struct buffer *b);

/* Gives the content away as a C string to free(); NULL when it failed. The
 * buffer is empty afterwards. */
char *buffer_take(struct buffer *b);

static inline struct hrw_bytes
buffer_bytes(const struct buffer *b)
{
	return hrw_bytes(b->data, b->len);
}

#endif
