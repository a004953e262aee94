/*
 * dump.c - the two escapings undone.
 */
#include <string.h>

#include "daemon/ctl/dump.h"

/* Two hex digits; -1: they are none. */
static int
hex(const uint8_t *at, const uint8_t *end)
{
	int value = 0;

	if (end - at < 2)
		return -1;
	for (int i = 0; i < 2; i++) {
		uint8_t c = at[i], low = c | 0x20;

		if (c >= '0' && c <= '9')
			value = value * 16 + c - '0';
		else if (low >= 'a' && low <= 'f')
			value = value * 16 + low - 'a' + 10;
		else
			return -1;
	}
	return value;
}

static int
bad_escape(struct hrw_fault *fault, const char *what)
{
	return hrw_fault(fault, HRW_BAD_KEY, "%s is not followed by two hex digits", what);
}

/* The value of key=, percent-decoded, up to the space behind it. */
static int
memcached_key(struct hrw_bytes line, struct buffer *key, struct hrw_fault *fault)
{
	const uint8_t *at = line.data, *end = line.data + line.len;
	int byte;

	if (line.len == 0)
		return DUMP_NOTHING;
	if (hrw_bytes_equal(line, hrw_text("END")))
		return DUMP_END;
	if (line.len < 5 || memcmp(at, "key=", 4) != 0)
		return hrw_fault(fault, HRW_BAD_KEY,
		    "it does not begin with key=, as a line of \"lru_crawler metadump all\" does");
	for (at += 4; at < end && *at != ' '; at++) {
		if (*at != '%') {
			buffer_add(key, at, 1);
			continue;
		}
		byte = hex(at + 1, end);
		if (byte < 0)
			return bad_escape(fault, "%");
		buffer_add(key, &(uint8_t){(uint8_t)byte}, 1);
		at += 2;
	}
	return DUMP_KEY;
}

static int
not_quoted(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_BAD_KEY,
	    "it does not stand in quotes, as redis-cli --no-raw prints every key");
}

/* What stands between the quotes. */
static int
quoted_key(struct hrw_bytes line, struct buffer *key, struct hrw_fault *fault)
{
	static const char names[] = "nrtab", bytes[] = "\n\r\t\a\b";
	const uint8_t *at = line.data + 1, *end = line.data + line.len - 1;

	if (line.len == 0)
		return DUMP_NOTHING;
	if (line.len < 2 || line.data[0] != '"' || *end != '"')
		return not_quoted(fault);
	for (; at < end; at++) {
		const char *name;
		uint8_t byte = *at;
		int value;

		if (byte == '"')
			return not_quoted(fault);
		if (byte == '\\') {
			/* The last quote would be the key's. */
			if (++at == end)
				return not_quoted(fault);
			byte = *at;
			name = strchr(names, byte);
			if (byte == 'x') {
				value = hex(at + 1, end);
				if (value < 0)
					return bad_escape(fault, "\\x");
				byte = (uint8_t)value;
				at += 2;
			} else if (name != NULL && *name != '\0') {
				byte = (uint8_t)bytes[name - names];
			}
		}
		buffer_add(key, &byte, 1);
	}
	return line.len > 2 ? DUMP_KEY : DUMP_EMPTY_KEY;
}

int
dump_line(enum dump_kind kind, struct hrw_bytes line, struct buffer *key, struct hrw_fault *fault)
{
	int rc;

	buffer_clear(key);
	if (kind != DUMP_REDIS && line.len > 0 && line.data[line.len - 1] == '\r')
		line.len--;
	switch (kind) {
	case DUMP_MEMCACHED:
		rc = memcached_key(line, key, fault);
		break;
	case DUMP_REDIS_QUOTED:
		rc = quoted_key(line, key, fault);
		break;
	default:
		buffer_add(key, line.data, line.len);
		rc = line.len > 0 ? DUMP_KEY : DUMP_EMPTY_KEY;
	}
	return rc > 0 && key->failed ? hrw_fault(fault, HRW_INTERNAL, "no memory") : rc;
}
