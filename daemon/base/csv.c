/*
 * csv.c - quotes, and base64 for bytes that are no text.
 */
#include <sodium.h>

#include "daemon/base/csv.h"

void
csv_text(struct buffer *out, struct hrw_bytes text)
{
	bool needs_quotes = false;

	for (size_t i = 0; i < text.len && !needs_quotes; i++)
		needs_quotes = strchr("\",\r\n", text.data[i]) != NULL && text.data[i] != '\0';
	if (!needs_quotes) {
		buffer_add(out, text.data, text.len);
		return;
	}
	buffer_add_text(out, "\"");
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '"')
			buffer_add_text(out, "\"");
		buffer_add(out, text.data + i, 1);
	}
	buffer_add_text(out, "\"");
}

static void
put_base64(struct buffer *out, struct hrw_bytes key)
{
	size_t room = sodium_base64_encoded_len(key.len, sodium_base64_VARIANT_ORIGINAL);

	if (buffer_reserve(out, room) < 0)
		return;
	sodium_bin2base64(
	    out->data + out->len, room, key.data, key.len, sodium_base64_VARIANT_ORIGINAL);
	out->len += room - 1; /* without its NUL */
}

void
csv_key(struct buffer *out, struct hrw_bytes key)
{
	if (hrw_is_utf8(key)) {
		csv_text(out, key);
		buffer_add_text(out, ",");
		return;
	}
	buffer_add_text(out, ",");
	put_base64(out, key);
}
