/*
 * json_check.c - a recogniser by recursive descent: one function a production.
 *
 * Each copies what it accepts to the clean text. On a mistake it says where and
 * what was expected, and returns BAD_JSON all the way up.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/json_check.h"

/* cJSON copies a number into 64 bytes before it reads it. */
enum { NUMBER_BYTES_MAX = 63 };

struct cursor {
	struct hrw_bytes text;
	size_t at;
	unsigned flags, depth;
	struct json_check *out;
	struct hrw_fault *fault;
};

static int value(struct cursor *c);

void
json_check_position(struct hrw_bytes text, size_t at, unsigned *line, unsigned *column)
{
	*line = *column = 1;
	for (size_t i = 0; i < at && i < text.len; i++) {
		if (text.data[i] == '\n') {
			++*line;
			*column = 1;
		} else if ((text.data[i] & 0xc0) != 0x80) {
			++*column;
		}
	}
}

/* What stands at the cursor, for people. */
static void
describe(const struct cursor *c, char out[32])
{
	uint8_t byte;

	if (c->at >= c->text.len) {
		snprintf(out, 32, "the end of the text");
		return;
	}
	byte = c->text.data[c->at];
	if (byte > 0x20 && byte < 0x7f)
		snprintf(out, 32, "'%c'", byte);
	else
		snprintf(out, 32, "the byte 0x%02x", byte);
}

static int
wrong(const struct cursor *c, const char *what)
{
	unsigned line, column;

	json_check_position(c->text, c->at, &line, &column);
	return hrw_fault(c->fault, HRW_BAD_JSON, "line %u, column %u: %s", line, column, what);
}

static int
expected(const struct cursor *c, const char *what)
{
	char found[32], text[160];

	describe(c, found);
	snprintf(text, sizeof(text), "%s was expected, not %s", what, found);
	return wrong(c, text);
}

static int
no_memory(const struct cursor *c)
{
	return hrw_fault(
	    c->fault, HRW_INTERNAL, "no memory for a JSON text of %zu bytes", c->text.len);
}

/* The byte at the cursor, -1 past the end. */
static int
peek(const struct cursor *c)
{
	return c->at < c->text.len ? c->text.data[c->at] : -1;
}

static void
copy(struct cursor *c, size_t from)
{
	buffer_add(&c->out->clean, c->text.data + from, c->at - from);
}

/* Takes the one byte that was seen, and copies it. */
static void
take(struct cursor *c)
{
	c->at++;
	copy(c, c->at - 1);
}

static int
comment(struct cursor *c)
{
	struct cursor start = *c;
	const uint8_t *end;
	size_t len = c->text.len - c->at;

	if (len >= 2 && c->text.data[c->at + 1] == '/') {
		end = memchr(c->text.data + c->at, '\n', len);
		c->at = end == NULL ? c->text.len : (size_t)(end - c->text.data);
		return 0;
	}
	if (len < 2 || c->text.data[c->at + 1] != '*')
		return wrong(c, "a comment begins with // or /*");
	end = memmem(c->text.data + c->at + 2, len - 2, "*/", 2);
	if (end == NULL)
		return wrong(&start, "this comment has no end: close it with */");
	c->at = (size_t)(end - c->text.data) + 2;
	return 0;
}

static int
space(struct cursor *c)
{
	for (;;) {
		int byte = peek(c);

		if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
			c->at++;
		} else if (byte == '/' && (c->flags & JSON_COMMENTS) != 0) {
			if (comment(c) < 0)
				return HRW_BAD_JSON;
		} else if (byte == '/') {
			return wrong(c, "no comment may stand here, nor any other /");
		} else {
			return 0;
		}
	}
}

static int
word(struct cursor *c, const char *text)
{
	size_t len = strlen(text), from = c->at;

	if (c->text.len - c->at < len || memcmp(c->text.data + c->at, text, len) != 0)
		return expected(c, "a value (a string in \"quotes\", a number, true, false, null, "
				   "an array or an object)");
	c->at += len;
	copy(c, from);
	return 0;
}

static int
digits(struct cursor *c, const char *what)
{
	if (!isdigit(peek(c)))
		return expected(c, what);
	while (isdigit(peek(c)))
		c->at++;
	return 0;
}

static int
number(struct cursor *c)
{
	size_t from = c->at;

	if (peek(c) == '-')
		c->at++;
	if (peek(c) == '0') {
		c->at++;
		if (isdigit(peek(c))) {
			c->at = from;
			return wrong(c, "a number has no leading zeros");
		}
	} else if (digits(c, "a digit") < 0) {
		return HRW_BAD_JSON;
	}
	if (peek(c) == '.') {
		c->at++;
		if (digits(c, "a digit after the decimal point") < 0)
			return HRW_BAD_JSON;
	}
	if (peek(c) == 'e' || peek(c) == 'E') {
		c->at++;
		if (peek(c) == '+' || peek(c) == '-')
			c->at++;
		if (digits(c, "a digit of the exponent") < 0)
			return HRW_BAD_JSON;
	}
	if (c->at - from > NUMBER_BYTES_MAX) {
		c->at = from;
		return wrong(c, "a number has at most 63 characters");
	}
	copy(c, from);
	return 0;
}

/* The four hex digits of \uXXXX, the cursor at the backslash: -1 when they are
 * not there. */
static long
unit(const struct cursor *c)
{
	long code = 0;

	if (c->text.len - c->at < 6 || c->text.data[c->at] != '\\' ||
	    c->text.data[c->at + 1] != 'u')
		return -1;
	for (size_t i = 2; i < 6; i++) {
		int byte = c->text.data[c->at + i];

		if (!isxdigit(byte))
			return -1;
		code = code * 16 + (isdigit(byte) ? byte - '0' : (byte | 0x20) - 'a' + 10);
	}
	return code;
}

static int
escape_unicode(struct cursor *c, bool is_name)
{
	static const uint8_t nul = JSON_NUL;
	size_t from = c->at;
	long code = unit(c);

	if (code < 0)
		return wrong(c, "\\u takes four hex digits");
	if (code == 0 && is_name)
		return wrong(c, "a member's name holds no \\u0000");
	if (code >= 0xdc00 && code <= 0xdfff)
		return wrong(c, "the second half of a surrogate pair stands alone");
	c->at += 6;
	if (code >= 0xd800 && code <= 0xdbff) {
		code = unit(c);
		if (code < 0xdc00 || code > 0xdfff) {
			c->at = from;
			return wrong(c, "the first half of a surrogate pair stands alone");
		}
		c->at += 6;
	}
	if (code == 0)
		buffer_add(&c->out->clean, &nul, 1);
	else
		copy(c, from);
	return 0;
}

static int
escape(struct cursor *c, bool is_name)
{
	int byte = c->at + 1 < c->text.len ? c->text.data[c->at + 1] : -1;

	if (byte == 'u')
		return escape_unicode(c, is_name);
	if (byte <= 0 || strchr("\"\\/bfnrt", byte) == NULL)
		return wrong(c, "a backslash stands only before \" \\ / b f n r t or uXXXX");
	c->at += 2;
	copy(c, c->at - 2);
	return 0;
}

/* How many bytes a string goes on without anything special. */
static size_t
plain(const struct cursor *c)
{
	const uint8_t *from = c->text.data + c->at, *end = c->text.data + c->text.len, *at = from;

	while (at < end && *at >= 0x20 && *at != '"' && *at != '\\')
		at++;
	return (size_t)(at - from);
}

static int
string(struct cursor *c, bool is_name)
{
	struct cursor start = *c;
	size_t from = c->at++;

	for (;;) {
		struct hrw_bytes run = hrw_bytes(c->text.data + c->at, plain(c));
		size_t good = hrw_utf8_prefix(run);

		c->at += good;
		if (good < run.len)
			return wrong(c, "a text is UTF-8, and this byte is not");
		if (peek(c) == '"') {
			c->at++;
			copy(c, from);
			return 0;
		}
		copy(c, from);
		switch (peek(c)) {
		case '\\':
			if (escape(c, is_name) < 0)
				return HRW_BAD_JSON;
			from = c->at;
			break;
		case -1:
			return wrong(&start, "this text has no end: close it with \"");
		default:
			return wrong(c, "a control character in a text is written as \\n, \\t or "
					"\\u00XX");
		}
	}
}

static int
member(struct cursor *c)
{
	if (peek(c) != '"')
		return expected(c, "a member's name in \"quotes\"");
	if (string(c, true) < 0 || space(c) < 0)
		return HRW_BAD_JSON;
	if (peek(c) != ':')
		return expected(c, "':' after a member's name");
	take(c);
	if (space(c) < 0)
		return HRW_BAD_JSON;
	return value(c);
}

/* An array or an object: items between commas up to the closing byte. */
static int
container(struct cursor *c, int close, int (*item)(struct cursor *c), const char *either)
{
	int rc;

	if (c->depth == JSON_DEPTH_MAX)
		return wrong(c, "arrays and objects are nested too deep: 32 levels are taken");
	c->depth++;
	take(c);
	if (space(c) < 0)
		return HRW_BAD_JSON;
	while (peek(c) != close) {
		rc = item(c);
		if (rc < 0)
			return rc;
		if (space(c) < 0)
			return HRW_BAD_JSON;
		if (peek(c) == close)
			break;
		if (peek(c) != ',')
			return expected(c, either);
		take(c);
		if (space(c) < 0)
			return HRW_BAD_JSON;
		if (peek(c) == close)
			return wrong(c, "no comma stands before the closing bracket");
	}
	take(c);
	c->depth--;
	return 0;
}

/* A place for the next value's span; NULL: no memory. */
static struct json_span *
span_add(struct json_check *out)
{
	struct json_span *more;
	size_t room = out->room == 0 ? 64 : out->room * 2;

	if (out->count == out->room) {
		more = realloc(out->span, room * sizeof(*more));
		if (more == NULL)
			return NULL;
		out->span = more;
		out->room = room;
	}
	return &out->span[out->count++];
}

static int
value(struct cursor *c)
{
	size_t index = c->out->count, from = c->at;
	int rc;

	if (index == JSON_VALUES_MAX && (c->flags & JSON_STORED) == 0)
		return wrong(c, "too many values: 200000 are taken in one JSON text");
	if (span_add(c->out) == NULL)
		return no_memory(c);
	switch (peek(c)) {
	case '{':
		rc = container(c, '}', member, "',' or '}'");
		break;
	case '[':
		rc = container(c, ']', value, "',' or ']'");
		break;
	case '"':
		rc = string(c, false);
		break;
	case 't':
		rc = word(c, "true");
		break;
	case 'f':
		rc = word(c, "false");
		break;
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		rc = number(c);
		break;
	default:
		rc = word(c, "null");
		break;
	}
	/* The array may have moved meanwhile: by index. */
	c->out->span[index] = (struct json_span){(uint32_t)from, (uint32_t)c->at};
	return rc;
}

static int
document(struct cursor *c)
{
	static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
	int rc;

	if (c->text.len >= UINT32_MAX)
		return wrong(c, "the text is longer than 4 GiB");
	if (c->text.len >= sizeof(mark) && memcmp(c->text.data, mark, sizeof(mark)) == 0)
		return wrong(c, "a byte order mark stands before the text: leave it out");
	if (space(c) < 0)
		return HRW_BAD_JSON;
	rc = value(c);
	if (rc < 0)
		return rc;
	if (space(c) < 0)
		return HRW_BAD_JSON;
	if (c->at < c->text.len)
		return expected(c, "the end of the text");
	return 0;
}

int
json_check(struct hrw_bytes text, unsigned flags, struct json_check *out, struct hrw_fault *fault)
{
	struct cursor c = {.text = text, .flags = flags, .out = out, .fault = fault};
	int rc = document(&c);

	if (rc < 0)
		return rc;
	buffer_add(&out->clean, "", 1);
	return out->clean.failed ? no_memory(&c) : 0;
}

void
json_check_fini(struct json_check *check)
{
	free(check->span);
	buffer_fini(&check->clean);
	*check = (struct json_check){0};
}
