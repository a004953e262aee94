/*
 * scan.c - a line at a time: what ends it, what it holds, and which of the two headers
 * that tell a body's length it is.
 */
#include <string.h>
#include <strings.h>

#include "daemon/http/scan.h"

enum { CHUNK_LINE_MAX = 4096 }; /* as Go's net/http */

enum state {
	BETWEEN, /* empty lines before a request */
	HEAD,
	BODY,
	CHUNK_SIZE,
	CHUNK,
	CHUNK_END,
	TRAILER,
};

static const char CONTROL[] = "the request's head holds a NUL or another control byte";
static const char FOLDED[] = "a header is folded over two lines";
static const char NAMELESS[] = "a line of the head begins without a method or a name";
static const char LINE_END[] = "a line of the head ends in another way than the others";
static const char CHUNKS[] =
    "a line between two chunks of the body, or behind them, does not end in CR LF, is folded, "
    "or holds a control byte";
static const char LONG[] = "the line before a chunk of the body is longer than any that is taken";
static const char LENGTH[] = "where the request ends can be read in two ways";

/* Does one of eight bytes lie below a space, or is it DEL? Now and then it says so of
 * others: a byte below 0x20 borrows from its neighbour, one that is 0x7f becomes 0. */
static bool
may_control(uint64_t x)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	uint64_t del = x ^ (ones * 0x7f);

	return ((((x - ones * 0x20) & ~x) | ((del - ones) & ~del)) & tops) != 0;
}

static uint64_t
eight(const char *at)
{
	uint64_t x;

	memcpy(&x, at, sizeof(x));
	return x;
}

/* Nothing below a space but tabs, and no DEL (RFC 9110, 5.5). Eight bytes at a time,
 * the last ones with some of those before them. */
static bool
is_clean(const char *text, size_t len)
{
	bool may = false;
	size_t i = 0;

	if (len >= 8) {
		for (; i + 8 <= len; i += 8)
			may |= may_control(eight(text + i));
		may |= may_control(eight(text + len - 8));
		if (!may)
			return true;
		i = 0;
	}
	for (; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' ? c != '\t' : c == 0x7f)
			return false;
	}
	return true;
}

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The size of a chunk, of which a part may have come; then nothing, or an extension. */
static void
read_size(struct scan *s, const char *text, size_t len)
{
	int value;

	for (size_t i = 0; i < len; i++) {
		if (s->line_len + i > s->digits) /* in the extension */
			return;
		value = digit(text[i]);
		if (value < 0 && (text[i] != ';' || s->digits == 0)) {
			s->why = LENGTH;
			return;
		}
		if (value < 0)
			return;
		if (s->left >> 60 != 0 || s->digits == UINT8_MAX) {
			s->why = LENGTH;
			return;
		}
		s->left = 16 * s->left + (unsigned)value;
		s->digits++;
	}
}

/* A part of a line; its CR may be among it. */
static void
read_text(struct scan *s, const char *text, size_t len)
{
	bool is_chunks = s->state >= CHUNK_SIZE;
	size_t kept;

	if (len == 0)
		return;
	if (s->has_cr) {
		s->why = is_chunks ? CHUNKS : CONTROL;
		return;
	}
	if (text[len - 1] == '\r') {
		s->has_cr = true;
		len--;
	}
	if (!is_clean(text, len)) {
		s->why = is_chunks ? CHUNKS : CONTROL;
		return;
	}
	if (len > 0 && s->line_len == 0 && (*text == ' ' || *text == '\t'))
		s->why = is_chunks ? CHUNKS : s->state == HEAD ? FOLDED : NAMELESS;
	if (len > 0 && s->line_len == 0 && *text == ':' && s->state != CHUNK_SIZE)
		s->why = is_chunks ? CHUNKS : NAMELESS;
	if (s->state == CHUNK_SIZE)
		read_size(s, text, len);
	/* Content-Length and Transfer-Encoding; others begin so, too. */
	if (s->state == HEAD && len > 0 &&
	    (s->kept_len > 0 ||
		(s->line_len == 0 && ((*text | 0x20) == 'c' || (*text | 0x20) == 't')))) {
		kept = sizeof(s->kept) - s->kept_len < len ? sizeof(s->kept) - s->kept_len : len;
		memcpy(s->kept + s->kept_len, text, kept);
		s->kept_len += (uint8_t)kept;
	}
	s->line_len += len;
	if (s->state == CHUNK_SIZE && s->line_len > CHUNK_LINE_MAX)
		s->why = LONG;
	if (s->state <= HEAD)
		s->head_len += len;
	if (s->head_max > 0 && s->head_len > s->head_max) {
		s->why = LENGTH;
		s->is_long = true;
	}
}

/* The value of the header that the line is, if it is called so; NULL: it is not. */
static const char *
value_of(const struct scan *s, const char *name, size_t *len)
{
	size_t at = strlen(name), end = s->kept_len;

	if (end < at || strncasecmp(s->kept, name, at) != 0)
		return NULL;
	while (at < end && (s->kept[at] == ' ' || s->kept[at] == '\t'))
		at++;
	while (end > at && (s->kept[end - 1] == ' ' || s->kept[end - 1] == '\t'))
		end--;
	*len = end - at;
	return s->kept + at;
}

/* Where it is not sure, framing_read() refuses the head, or the end is never found. */
static void
read_header(struct scan *s)
{
	const char *value;
	size_t len;

	if ((value = value_of(s, "Content-Length:", &len)) != NULL) {
		s->is_unsure |= s->left > 0 || s->line_len > sizeof(s->kept) || len > 19;
		for (size_t i = 0; i < len && !s->is_unsure; i++) {
			s->is_unsure = value[i] < '0' || value[i] > '9';
			s->left = 10 * s->left + (unsigned)(value[i] - '0');
		}
	} else if ((value = value_of(s, "Transfer-Encoding:", &len)) != NULL) {
		s->is_unsure |= s->is_chunked || s->line_len > sizeof(s->kept) || len != 7 ||
				strncasecmp(value, "chunked", 7) != 0;
		s->is_chunked = true;
	}
}

static void
end_request(struct scan *s)
{
	s->ends++;
	s->state = BETWEEN;
	s->line_end = 0;
}

static void
end_head(struct scan *s)
{
	s->heads++;
	s->head_len = 0;
	if (s->is_unsure || (s->is_chunked && s->left > 0))
		s->why = LENGTH;
	s->state = s->is_chunked ? CHUNK_SIZE : BODY;
	if (!s->is_chunked && s->left == 0)
		end_request(s);
	s->is_chunked = false;
}

static void
end_line(struct scan *s)
{
	uint8_t line_end = s->has_cr ? 2 : 1;
	bool is_empty = s->line_len == 0;

	if (s->state >= CHUNK_SIZE && line_end == 1)
		s->why = CHUNKS;
	else if (s->state == HEAD && line_end != s->line_end)
		s->why = LINE_END;
	if (s->why != NULL)
		return;
	switch ((enum state)s->state) {
	case BETWEEN:
		s->line_end = line_end;
		s->state = is_empty ? BETWEEN : HEAD;
		break;
	case HEAD:
		if (is_empty)
			end_head(s);
		else
			read_header(s);
		break;
	case CHUNK_SIZE:
		s->why = s->digits > 0 ? NULL : LENGTH;
		s->state = s->left > 0 ? CHUNK : TRAILER;
		break;
	case CHUNK_END:
		s->why = is_empty ? NULL : CHUNKS;
		s->state = CHUNK_SIZE;
		break;
	case TRAILER:
		if (is_empty)
			end_request(s);
		break;
	case BODY:
	case CHUNK:
		break;
	}
	s->has_cr = false;
	s->line_len = 0;
	s->kept_len = s->digits = 0;
}

void
scan_bytes(struct scan *s, const char *bytes, size_t len)
{
	const char *end = bytes + len, *feed;

	while (bytes < end && s->why == NULL) {
		if (s->state == BODY || s->state == CHUNK) {
			size_t some =
			    (size_t)(end - bytes) < s->left ? (size_t)(end - bytes) : s->left;

			bytes += some;
			s->left -= some;
			if (s->left > 0)
				return;
			if (s->state == CHUNK)
				s->state = CHUNK_END;
			else
				end_request(s);
			continue;
		}
		feed = memchr(bytes, '\n', (size_t)(end - bytes));
		read_text(s, bytes, (size_t)((feed != NULL ? feed : end) - bytes));
		if (feed == NULL)
			return;
		if (s->why == NULL)
			end_line(s);
		bytes = feed + 1;
	}
}

static int
refuse(const struct scan *s, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_BAD_PARAMETER, "%s; the connection is closed",
	    s->why != NULL ? s->why : LENGTH);
}

int
scan_head(const struct scan *s, unsigned number, struct hrw_fault *fault)
{
	return s->heads >= number ? 0 : refuse(s, fault);
}

int
scan_end(const struct scan *s, unsigned number, struct hrw_fault *fault)
{
	return s->ends >= number ? 0 : refuse(s, fault);
}

bool
scan_is_bad(const struct scan *s, unsigned number)
{
	return s->why != NULL && s->heads <= number && s->ends < number;
}
