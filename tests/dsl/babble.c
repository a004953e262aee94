#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/dsl/babble.h"

/* Making. */

static void add(struct babble *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
add(struct babble *b, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	b->len += (size_t)vsnprintf(b->data + b->len, sizeof(b->data) - b->len, format, values);
	va_end(values);
	if (b->len >= sizeof(b->data))
		b->len = sizeof(b->data) - 1;
}

static const char *
one_of(struct dice *d, const char *const *list, size_t count)
{
	return list[dice_below(d, (unsigned)count)];
}

#define ONE_OF(d, list) one_of((d), (list), sizeof(list) / sizeof(*(list)))

static void
add_headers(struct babble *b, struct dice *d)
{
	static const char *const some[] = {"Accept: */*\r\n", "User-Agent: curl/7.88.1\r\n",
	    "X: a b\tc\r\n", "Cookie: a=b; c\r\n", "X-Empty:\r\n", "Accept-Encoding: gzip\r\n",
	    "Hrw-Reason: why not\r\n", "Prefer: respond-async\r\n", "Connection: keep-alive\r\n"};
	/* Each once: two of a kind are another matter. */
	unsigned from = dice_below(d, 9), count = dice_below(d, 4);

	for (unsigned i = 0; i < count; i++)
		add(b, "%s", some[(from + i) % 9]);
}

/* A chunked body of a text, in a few pieces. */
static void
add_chunks(struct babble *b, struct dice *d, const char *text)
{
	static const char *const extensions[] = {"", "", ";a", ";a=b", ";a=\"b c\""};
	static const char *const trailers[] = {"", "", "", "X: y\r\n", "X: y\r\nZ:\r\n"};
	size_t left = strlen(text);

	while (left > 0) {
		size_t piece = 1 + dice_below(d, (unsigned)left);

		add(b, "%zx%s\r\n%.*s\r\n", piece, ONE_OF(d, extensions), (int)piece, text);
		text += piece;
		left -= piece;
	}
	add(b, "0%s\r\n%s\r\n", ONE_OF(d, extensions), ONE_OF(d, trailers));
}

static void
add_request(struct babble *b, struct dice *d)
{
	char inner[128];
	int len = snprintf(inner, sizeof(inner),
	    "GET /owner?key=inner-%u HTTP/1.1\r\nHost: localhost\r\n\r\n", b->number);

	if (dice_percent(d, 40)) {
		add(b, "GET /owner?key=ok-%u HTTP/1.1\r\nHost: localhost\r\n", b->number);
		add_headers(b, d);
		add(b, "\r\n");
		return;
	}
	add(b, "POST /owners?pool=default HTTP/1.1\r\n");
	if (dice_percent(d, 50))
		add_headers(b, d);
	add(b, "Host: localhost\r\nContent-Type: text/plain\r\n");
	if (dice_percent(d, 50)) {
		add(b, "Content-Length: %d\r\n", len);
		if (dice_percent(d, 30))
			add(b, "Via: 1.1 x\r\n");
		add(b, "\r\n%s", inner);
	} else {
		add(b, "Transfer-Encoding: chunked\r\n\r\n");
		add_chunks(b, d, inner);
	}
}

/* Breaking. */

static void
replace(struct babble *b, size_t at, size_t len, const char *with, size_t with_len)
{
	if (at > b->len || len > b->len - at || b->len - len + with_len >= sizeof(b->data))
		return;
	memmove(b->data + at + with_len, b->data + at + len, b->len - at - len);
	memcpy(b->data + at, with, with_len);
	b->len += with_len - len;
}

/* A place where `what` stands; b->len: nowhere. */
static size_t
place_of(const struct babble *b, struct dice *d, const char *what)
{
	size_t len = strlen(what), count = 0, found = b->len;

	for (size_t at = 0; at + len <= b->len; at++)
		if (memcmp(b->data + at, what, len) == 0 && dice_below(d, (unsigned)++count) == 0)
			found = at;
	return found;
}

static void
swap_text(struct babble *b, struct dice *d, const char *what, const char *with, size_t with_len)
{
	size_t at = place_of(b, d, what);

	if (at < b->len)
		replace(b, at, strlen(what), with, with_len);
}

static void
break_line(struct babble *b, struct dice *d)
{
	static const struct {
		const char *text;
		size_t len;
	} ends[] = {{"\n", 1}, {"\r", 1}, {"\r\r\n", 3}, {"\r\n ", 3}, {"\r\n\t", 3}, {"\n ", 2},
	    {"\0\r\n", 3}, {"\r\n\0", 3}, {"\r\0\n", 3}, {"\r\n\r\n", 4}, {"", 0}, {" \r\n", 3},
	    {"\r\n:\r\n", 5}, {"\r\nX\r\n", 5}};
	unsigned i = dice_below(d, sizeof(ends) / sizeof(*ends));

	swap_text(b, d, "\r\n", ends[i].text, ends[i].len);
}

static void
break_length(struct babble *b, struct dice *d)
{
	static const char *const names[] = {"Content-Length:\r\n ",
	    "Content-Length : ", "Content-Length: +", "Content-Length: -", "Content-Length: 0x",
	    "Content-Length: 9 ", "Content-Length: x", "Content-Length: 99999999999999999999",
	    "Content-Length:", "Content-Length: 0\r\nContent-Length: ", "content-LENGTH: ",
	    "Content-Length\t: ", "Transfer-Encoding: chunked\r\nContent-Length: ",
	    " Content-Length: ", "Transfer-Encoding: identity\r\nContent-Length: ",
	    "X: \rContent-Length: "};
	const char *with = ONE_OF(d, names);

	swap_text(b, d, "Content-Length: ", with, strlen(with));
}

static void
break_coding(struct babble *b, struct dice *d)
{
	static const char *const codings[] = {"Transfer-Encoding:\r\n chunked",
	    "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked",
	    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding : chunked",
	    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
	    "Transfer-Encoding: chunked\r\nContent-Length: 3", "Transfer-Encoding: \013chunked",
	    "X: a\rTransfer-Encoding: chunked", "Transfer-Encoding\r\n : chunked",
	    "Transfer-Encoding: chunked ", "TRANSFER-ENCODING:chunked"};
	const char *with = ONE_OF(d, codings);

	swap_text(b, d, "Transfer-Encoding: chunked", with, strlen(with));
}

static void
break_byte(struct babble *b, struct dice *d)
{
	char byte = (char)dice_below(d, 256);
	size_t at = dice_below(d, (unsigned)b->len);

	replace(b, at, dice_below(d, 2), &byte, dice_below(d, 2));
}

/* A line of the head that goes on and on. */
static void
break_size(struct babble *b, struct dice *d)
{
	static const char *const places[] = {"Accept: ", "Host: ", "\r\n\r\n", "0\r\n", "key="};
	static char filling[50000];
	const char *what = ONE_OF(d, places);
	size_t at = place_of(b, d, what), len = dice_below(d, sizeof(filling));

	memset(filling, "x0;"[dice_below(d, 3)], len);
	if (at < b->len)
		replace(b, at + strlen(what), 0, filling, len);
}

static void
break_somewhere(struct babble *b, struct dice *d)
{
	static const char *const twice[] = {
	    "Host: a\r\n", "Content-Type: a/b\r\n", "Origin: x\r\n"};
	const char *line;

	switch (dice_below(d, 10)) {
	case 0:
	case 1:
	case 2:
		break_line(b, d);
		break;
	case 3:
	case 4:
		break_length(b, d);
		break;
	case 5:
		break_coding(b, d);
		break;
	case 6:
	case 7:
		break_byte(b, d);
		break;
	case 8:
		break_size(b, d);
		break;
	case 9:
		line = ONE_OF(d, twice);
		swap_text(b, d, "Host: localhost\r\n", line, strlen(line));
		break;
	}
}

void
babble_make(struct babble *b, struct dice *d, unsigned number)
{
	unsigned count = 1 + dice_below(d, 3);

	b->number = number;
	b->len = 0;
	b->is_broken = dice_percent(d, 80);
	for (unsigned i = 0; i < count; i++)
		add_request(b, d);
	if (!b->is_broken)
		return;
	for (unsigned i = 1 + dice_below(d, 2); i > 0; i--)
		break_somewhere(b, d);
	/* Something good behind it, which nobody may run when the rest is bad. */
	if (dice_percent(d, 50))
		add(b, "GET /owner?key=inner-%u HTTP/1.1\r\nHost: localhost\r\n\r\n", number);
	b->data[b->len] = '\0';
}

/* Reading. */

struct reader {
	const char *at, *end;
	size_t line_end; /* of this head: 0 not known, 1 LF, 2 CR LF */
};

enum reading { GOOD, REST, BAD };

/* The next line, without its end; a control byte within it is none. */
static enum reading
read_line(struct reader *r, const char **line, size_t *len)
{
	const char *feed = memchr(r->at, '\n', (size_t)(r->end - r->at));
	size_t line_end;

	if (feed == NULL)
		return REST;
	*line = r->at;
	*len = (size_t)(feed - r->at);
	line_end = *len > 0 && feed[-1] == '\r' ? 2 : 1;
	*len -= line_end - 1;
	r->at = feed + 1;
	if (r->line_end == 0)
		r->line_end = line_end;
	if (line_end != r->line_end)
		return BAD;
	for (size_t i = 0; i < *len; i++) {
		unsigned char c = (unsigned char)(*line)[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return BAD;
	}
	return GOOD;
}

struct head {
	bool has_length, is_chunked, has_host, is_old;
	unsigned long long length;
};

static enum reading
read_header(struct head *h, const char *line, size_t len)
{
	static const char *const token_breakers = "\"(),/;<=>?@[\\]{} \t";
	const char *colon = memchr(line, ':', len), *value;
	char text[32];

	if (colon == NULL || colon == line)
		return BAD;
	for (const char *c = line; c < colon; c++)
		if (strchr(token_breakers, *c) != NULL || (unsigned char)*c >= 0x7f)
			return BAD;
	value = colon + 1;
	len -= (size_t)(value - line);
	while (len > 0 && (*value == ' ' || *value == '\t'))
		value++, len--;
	while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
		len--;
	if (colon - line == 4 && strncasecmp(line, "Host", 4) == 0) {
		if (h->has_host)
			return BAD;
		h->has_host = true;
	} else if (colon - line == 14 && strncasecmp(line, "Content-Length", 14) == 0) {
		if (h->has_length || len == 0 || len > 19 || strspn(value, "0123456789") < len)
			return BAD;
		snprintf(text, sizeof(text), "%.*s", (int)len, value);
		h->length = strtoull(text, NULL, 10);
		h->has_length = true;
	} else if (colon - line == 17 && strncasecmp(line, "Transfer-Encoding", 17) == 0) {
		if (h->is_chunked || len != 7 || strncasecmp(value, "chunked", 7) != 0)
			return BAD;
		h->is_chunked = true;
	}
	return GOOD;
}

static enum reading
read_chunks(struct reader *r)
{
	const char *line;
	size_t len;
	enum reading how;

	r->line_end = 2;
	for (;;) {
		unsigned long long size = 0;
		size_t i = 0;

		how = read_line(r, &line, &len);
		if (how != GOOD)
			return how;
		for (; i < len && isxdigit((unsigned char)line[i]); i++) {
			if (size >> 60 != 0)
				return BAD;
			size = size * 16 + (unsigned)(line[i] <= '9' ? line[i] - '0'
								     : (line[i] | 32) - 'a' + 10);
		}
		if (i == 0 || (i < len && line[i] != ';'))
			return BAD;
		if (size == 0)
			break;
		if ((size_t)(r->end - r->at) <= size)
			return REST;
		r->at += size;
		how = read_line(r, &line, &len);
		if (how != GOOD || len > 0)
			return how != GOOD ? how : BAD;
	}
	do {
		how = read_line(r, &line, &len);
		if (how == GOOD && len > 0 && strchr(" \t:", *line) != NULL)
			return BAD;
	} while (how == GOOD && len > 0);
	return how;
}

/* One request; *begins: its head was good. */
static enum reading
read_request(struct reader *r, bool *begins, const char **target, size_t *target_len)
{
	struct head h = {0};
	const char *line;
	size_t len;
	enum reading how;

	*begins = false;
	/* Empty lines before it. */
	do {
		r->line_end = 0;
		if (r->at == r->end)
			return REST;
		how = read_line(r, &line, &len);
		if (how != GOOD)
			return how;
	} while (len == 0);
	if (len < 10 || strchr(" \t:", *line) != NULL ||
	    strncmp(line + len - 9, " HTTP/1.", 8) != 0)
		return BAD;
	h.is_old = line[len - 1] == '0';
	*target = line;
	*target_len = len;
	for (;;) {
		how = read_line(r, &line, &len);
		if (how != GOOD)
			return how;
		if (len == 0)
			break;
		how = read_header(&h, line, len);
		if (how != GOOD)
			return how;
	}
	if ((h.is_chunked && (h.has_length || h.is_old)) || (!h.has_host && !h.is_old))
		return BAD;
	*begins = true;
	if (h.is_chunked)
		return read_chunks(r);
	if ((unsigned long long)(r->end - r->at) < h.length)
		return REST;
	r->at += h.length;
	return GOOD;
}

struct babble_reading
babble_read(const struct babble *b, size_t len)
{
	struct reader r = {b->data, b->data + len, 0};
	struct babble_reading reading = {0};
	enum reading how = GOOD;

	while (r.at < r.end && how == GOOD) {
		const char *target = NULL;
		size_t target_len = 0;
		bool begins;

		how = read_request(&r, &begins, &target, &target_len);
		reading.begun += begins;
		reading.whole += how == GOOD;
		if (target != NULL && memmem(target, target_len, "inner-", 6) != NULL)
			reading.has_inner = true;
	}
	reading.is_bad = how == BAD;
	reading.has_rest = how == REST;
	return reading;
}
