#include <sys/socket.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/dsl/talk.h"
#include "tests/dsl/text.h"

/* The value of a header in a head; NULL: not there. */
static const char *
value_of(const char *head, const char *end, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = head; (line = memchr(line, '\n', (size_t)(end - line))) != NULL;) {
		line++;
		if ((size_t)(end - line) > len && strncasecmp(line, name, len) == 0 &&
		    line[len] == ':')
			return line + len + 1 + strspn(line + len + 1, " ");
	}
	return NULL;
}

/* The end of a chunked body that begins at `at`; NULL: it is not whole. */
static const char *
chunks_end(const char *at, const char *end)
{
	for (;;) {
		char *digits_end;
		unsigned long size = strtoul(at, &digits_end, 16);

		if (digits_end == at || end - digits_end < 2 || memcmp(digits_end, "\r\n", 2) != 0)
			return NULL;
		at = digits_end + 2;
		if ((size_t)(end - at) < size + 2 || memcmp(at + size, "\r\n", 2) != 0)
			return NULL;
		at += size + 2;
		if (size == 0)
			return at;
	}
}

/* The end of the answer that begins at `at`; NULL: there is no whole one. */
static const char *
answer_end(const struct talk *t, const char *at, long *status)
{
	const char *end = t->said + t->len, *body, *value;

	if (sscanf(at, "HTTP/1.1 %3ld ", status) != 1 || (body = strstr(at, "\r\n\r\n")) == NULL)
		return NULL;
	body += 4;
	if (*status == 100)
		return body;
	value = value_of(at, body, "Content-Length");
	if (value != NULL) {
		size_t len = strtoul(value, NULL, 10);

		return (size_t)(end - body) < len ? NULL : body + len;
	}
	if (*status == 304 || *status == 204)
		return body;
	if (value_of(at, body, "Transfer-Encoding") != NULL)
		return chunks_end(body, end);
	return t->has_ended ? end : NULL;
}

void
talk_judge(struct talk *t)
{
	const char *at = t->said, *end;
	long status;

	t->answers = 0;
	while (at < t->said + t->len && (end = answer_end(t, at, &status)) != NULL) {
		if (status != 100 && t->answers < TALK_ANSWERS)
			t->status[t->answers++] = status;
		at = end;
	}
	t->is_whole = at == t->said + t->len;
}

struct talk
talk_hear(int fd, int answers, int ms)
{
	struct talk t = {0};
	struct page page = {0};
	double deadline = now_ms() + ms;
	char piece[65536];

	page_bytes(&page, "", 0);
	t.said = page.data;
	while (!t.has_ended && (answers == 0 || t.answers < answers)) {
		struct pollfd look = {fd, POLLIN, 0};
		int left = (int)(deadline - now_ms());
		ssize_t got;

		if (left < 0 || poll(&look, 1, left) <= 0)
			break;
		got = recv(fd, piece, sizeof(piece), 0);
		if (got <= 0) {
			t.has_ended = true;
			t.was_reset = got < 0 && errno == ECONNRESET;
		} else {
			page_bytes(&page, piece, (size_t)got);
		}
		t.said = page.data;
		t.len = page.len;
		talk_judge(&t);
	}
	return t;
}
