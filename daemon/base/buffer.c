/*
 * buffer.c - room doubles, so that a long run of additions is linear.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "daemon/base/buffer.h"

enum { ROOM_FIRST = 256 };

void
buffer_fini(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){0};
}

void
buffer_clear(struct buffer *b)
{
	b->len = 0;
	b->failed = false;
}

int
buffer_reserve(struct buffer *b, size_t more)
{
	size_t room = b->room == 0 ? ROOM_FIRST : b->room;
	char *data;

	if (b->failed)
		return HRW_INTERNAL;
	if (more <= b->room - b->len)
		return 0;
	while (room - b->len < more && room <= SIZE_MAX / 2)
		room *= 2;
	data = room - b->len < more ? NULL : realloc(b->data, room);
	if (data == NULL) {
		b->failed = true;
		return HRW_INTERNAL;
	}
	b->data = data;
	b->room = room;
	return 0;
}

void
buffer_printf(struct buffer *b, const char *format, ...)
{
	va_list arguments;
	int len;

	va_start(arguments, format);
	len = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (len < 0) {
		b->failed = true;
		return;
	}
	/* One more for vsnprintf's NUL, which len does not count. */
	if (buffer_reserve(b, (size_t)len + 1) < 0)
		return;
	va_start(arguments, format);
	vsnprintf(b->data + b->len, (size_t)len + 1, format, arguments);
	va_end(arguments);
	b->len += (size_t)len;
}

const char *
buffer_text(struct buffer *b)
{
	if (buffer_reserve(b, 1) < 0)
		return "";
	b->data[b->len] = '\0';
	return b->data;
}

char *
buffer_take(struct buffer *b)
{
	char *text;

	buffer_text(b);
	text = b->failed ? NULL : b->data;
	if (b->failed)
		free(b->data);
	*b = (struct buffer){0};
	return text;
}
