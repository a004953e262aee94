#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <check.h>
#include <cjson/cJSON.h>

#include "tests/dsl/contract.h"
#include "tests/dsl/events.h"

/* What is there within so many ms: its length, 0 at the end, -1 when nothing is. */
static ssize_t
read_more(struct events *e, int timeout_ms)
{
	static _Thread_local char piece[1 << 16];
	ssize_t got;

	if (timeout_ms < 0 || !raw_is_ready(e->fd, timeout_ms))
		return -1;
	got = read(e->fd, piece, sizeof(piece));
	if (got > 0)
		page_bytes(&e->in, piece, (size_t)got);
	return got < 0 ? 0 : got;
}

static struct events *
events_new(int fd)
{
	struct events *e = kept(calloc(1, sizeof(*e)));

	ck_assert_int_ge(fd, 0);
	e->fd = fd;
	e->head = "";
	return e;
}

struct events *
events_on(int fd)
{
	struct events *e = events_new(fd);

	e->status = 200;
	return e;
}

struct events *
events_open(const char *base, const char *path, const char *headers)
{
	struct events *e = events_new(raw_open(base));
	double deadline = now_ms() + EVENT_MS;
	char *request = text("GET %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n", path,
	    headers != NULL ? text_replace(headers, "\n", "\r\n") : "",
	    headers != NULL ? "\r\n" : "");
	char *end;

	raw_send(e->fd, request, strlen(request));
	while (e->in.data == NULL || (end = strstr(e->in.data, "\r\n\r\n")) == NULL)
		ck_assert_msg(
		    read_more(e, (int)(deadline - now_ms())) > 0, "GET %s: no answer", path);
	e->in_at = (size_t)(end - e->in.data) + 4;
	e->head = text("%.*s", (int)e->in_at, e->in.data);
	e->status = strtol(e->head + strcspn(e->head, " "), NULL, 10);
	e->is_chunked = strcasestr(e->head, "\r\nTransfer-Encoding: chunked\r\n") != NULL;
	ck_assert_msg(e->status == 200 &&
			  strcasestr(e->head, "\r\nContent-Type: text/event-stream\r\n") != NULL,
	    "GET %s: %s", path, e->in.data);
	contract_record("GET", path, e->status, NULL);
	return e;
}

void
events_close(struct events *e)
{
	close(e->fd);
	e->fd = -1;
}

/* Moves what has come whole out of its chunks. */
static void
unwrap(struct events *e)
{
	while (e->in_at < e->in.len) {
		const char *at = e->in.data + e->in_at, *line;
		size_t size, head;

		if (!e->is_chunked) {
			page_bytes(&e->text, at, e->in.len - e->in_at);
			e->in_at = e->in.len;
			return;
		}
		line = strstr(at, "\r\n");
		if (line == NULL)
			return;
		size = strtoul(at, NULL, 16);
		head = (size_t)(line - at) + 2;
		if (e->in.len - e->in_at < head + size + 2)
			return;
		ck_assert_msg(
		    memcmp(at + head + size, "\r\n", 2) == 0, "a chunk of %zu: %s", size, at);
		page_bytes(&e->text, at + head, size);
		e->in_at += head + size + 2;
		e->has_ended = size == 0;
	}
}

static const char *
add_line(const char *before, const char *line, size_t len)
{
	return text("%s%s%.*s", before, *before != '\0' ? "\n" : "", (int)len, line);
}

/* One block of lines, without the empty one. */
static struct event *
take_apart(struct events *e, const char *block)
{
	struct event *event = kept(calloc(1, sizeof(*event)));
	const char *line = block;

	*event = (struct event){.type = "", .id = "", .data = "", .text = block};
	while (*line != '\0') {
		size_t len = strcspn(line, "\n"), name = strcspn(line, ":\n");
		const char *value = line + name + (line[name] == ':');

		value += *value == ' ';
		if (name == 0)
			e->comments++;
		else if (strncmp(line, "data", name) == 0)
			event->data = add_line(event->data, value, (size_t)(line + len - value));
		else if (strncmp(line, "event", name) == 0)
			event->type = text("%.*s", (int)(line + len - value), value);
		else if (strncmp(line, "id", name) == 0)
			event->id = text("%.*s", (int)(line + len - value), value);
		else
			ck_assert_msg(
			    strncmp(line, "retry", name) == 0, "no field of an event: %s", block);
		line += len + (line[len] == '\n');
	}
	event->json = cJSON_Parse(event->data);
	if (event->json != NULL)
		kept(event->json);
	return event;
}

struct event *
events_next(struct events *e, int timeout_ms)
{
	double deadline = now_ms() + timeout_ms;

	for (;;) {
		const char *block = e->text.data != NULL ? e->text.data + e->text_at : "";
		const char *end = strstr(block, "\n\n");
		struct event *event;
		ssize_t got;

		if (end != NULL) {
			e->text_at += (size_t)(end - block) + 2;
			event = take_apart(e, text("%.*s", (int)(end - block), block));
			if (*event->data != '\0')
				return event;
			continue;
		}
		unwrap(e);
		if (strstr(e->text.data != NULL ? e->text.data + e->text_at : "", "\n\n") != NULL)
			continue;
		if (e->has_ended || e->is_cut)
			return NULL;
		got = read_more(e, (int)(deadline - now_ms()));
		if (got < 0)
			return NULL;
		e->is_cut = got == 0 && e->is_chunked;
		e->has_ended = got == 0 && !e->is_chunked;
	}
}

struct event *
expect_event(struct events *e, const char *type, long epoch)
{
	struct event *event = events_next(e, EVENT_MS);
	const cJSON *json;

	ck_assert_msg(event != NULL, "no event %s of epoch %ld comes", type, epoch);
	json = event->json;
	ck_assert_msg(strcmp(event->type, type) == 0 && json != NULL &&
			  cJSON_GetNumberValue(value_at(json, "epoch")) == (double)epoch,
	    "not %s of epoch %ld: %s", type, epoch, event->text);
	ck_assert_str_eq(
	    event->id, text("\"%ld-%s\"", epoch, cJSON_GetStringValue(value_at(json, "lineage"))));
	return event;
}

void
expect_end(struct events *e)
{
	struct event *event = events_next(e, EVENT_MS);

	ck_assert_msg(event == NULL, "one more event: %s", event != NULL ? event->text : "");
	ck_assert_msg(e->has_ended, "the stream was %s", e->is_cut ? "cut" : "not ended");
}
