/*
 * bytes.c - order of byte strings, UTF-8, and text made safe to show.
 */
#include "core/bytes.h"

int
hrw_bytes_cmp(struct hrw_bytes a, struct hrw_bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len == 0 ? 0 : memcmp(a.data, b.data, len);

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Bytes of the UTF-8 character at `at`, 0 where none is well formed. The second
 * byte's range alone keeps out overlong forms, surrogates and all past U+10FFFF. */
static size_t
utf8_char(const uint8_t *at, size_t left)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t len;

	if (at[0] < 0x80)
		return 1;
	if (at[0] >= 0xc2 && at[0] <= 0xdf)
		len = 2;
	else if (at[0] >= 0xe0 && at[0] <= 0xef)
		len = 3;
	else if (at[0] >= 0xf0 && at[0] <= 0xf4)
		len = 4;
	else
		return 0;
	if (len > left)
		return 0;
	if (at[0] == 0xe0)
		low = 0xa0;
	else if (at[0] == 0xed)
		high = 0x9f;
	else if (at[0] == 0xf0)
		low = 0x90;
	else if (at[0] == 0xf4)
		high = 0x8f;
	if (at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	return len;
}

size_t
hrw_utf8_prefix(struct hrw_bytes text)
{
	const uint64_t high_bits = 0x8080808080808080u;
	size_t at = 0, len;
	uint64_t word;

	do {
		/* Most text is ASCII: eight bytes at a time. */
		while (text.len - at >= sizeof(word)) {
			memcpy(&word, text.data + at, sizeof(word));
			if ((word & high_bits) != 0)
				break;
			at += sizeof(word);
		}
		len = at < text.len ? utf8_char(text.data + at, text.len - at) : 0;
		at += len;
	} while (len != 0);
	return at;
}

/* What a terminal obeys, or what hides or turns about the text around it: controls,
 * separators of lines, marks of direction and of byte order (U+0080 to U+009F, U+061C,
 * U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069, U+FEFF). */
static bool
is_unseen(const uint8_t *at, size_t len)
{
	if (len == 1)
		return at[0] < 0x20 || at[0] == 0x7f;
	if (len == 2)
		return (at[0] == 0xc2 && at[1] < 0xa0) || (at[0] == 0xd8 && at[1] == 0x9c);
	if (len == 3 && at[0] == 0xef)
		return at[1] == 0xbb && at[2] == 0xbf;
	return len == 3 && at[0] == 0xe2 &&
	       ((at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f)) ||
		   (at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae) ||
		   (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

/* One character of shown text: as it is, or \xNN for one byte. Returns the
 * bytes read, with those written in *written. */
static size_t
show_char(const uint8_t *at, size_t left, char out[4], size_t *written)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = utf8_char(at, left);

	if (len == 0 || is_unseen(at, len)) {
		out[0] = '\\';
		out[1] = 'x';
		out[2] = digits[at[0] >> 4];
		out[3] = digits[at[0] & 15];
		*written = 4;
		return 1;
	}
	memcpy(out, at, len);
	*written = len;
	return len;
}

const char *
hrw_show(struct hrw_bytes text, char *room, size_t size)
{
	static const char more[] = "…";
	size_t at = 0, end = 0, keep = 0, written;
	char out[4];

	/* `keep` is the longest prefix that still leaves room for the mark. */
	while (at < text.len) {
		at += show_char(text.data + at, text.len - at, out, &written);
		if (end + written >= size) {
			memcpy(room + keep, more, sizeof(more));
			return room;
		}
		memcpy(room + end, out, written);
		end += written;
		if (end + sizeof(more) <= size)
			keep = end;
	}
	room[end] = '\0';
	return room;
}
