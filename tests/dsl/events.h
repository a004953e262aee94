/*
 * events.h - reads server-sent events as they come, over a connection of their own.
 *
 *     struct events *e = events_open(d->lookup, "/watch", NULL);
 *     expect_event(e, "pool", 1);
 *     post(d->admin, "/nodes/cache-c/drain", NULL);
 *     expect_event(e, "change", 2);
 *
 * Lives as long as the test's process, but for its descriptor.
 */
#ifndef TESTS_EVENTS_H
#define TESTS_EVENTS_H

#include "tests/dsl/http.h"
#include "tests/dsl/text.h"

/* How long a test waits for what must come, on a machine that has more to do. */
enum { EVENT_MS = 20000 };

struct event {
	const char *type, *id, *data; /* "": none was sent */
	struct cJSON *json;	      /* of the data; NULL: it is none */
	const char *text;	      /* as it came */
};

struct events {
	int fd;		  /* close() it, or events_close() */
	long status;	  /* of the answer */
	const char *head; /* its head; "" for a pipe */
	int is_chunked;
	int has_ended; /* properly: by the last chunk, or a pipe's end */
	int is_cut;    /* the connection ended without it */
	int comments;  /* lines that began with a colon */
	struct page in, text;
	size_t in_at, text_at; /* taken apart so far */
};

/* Asks with GET and reads the head; fails the test unless that is an event stream.
 *   headers  lines separated by \n; NULL: none */
struct events *events_open(const char *base, const char *path, const char *headers);
/* From a pipe: of a curl, for one. */
struct events *events_on(int fd);
void events_close(struct events *e);

/* The next event; NULL: the end, or none within so many ms. Comments and what is
 * only a retry time are passed over. */
struct event *events_next(struct events *e, int timeout_ms);

/* The next event is of that type, its id is "EPOCH-…" as its data says; fails the
 * test otherwise. */
struct event *expect_event(struct events *e, const char *type, long epoch);

/* Nothing but comments comes any more, and the stream ends as it should. */
void expect_end(struct events *e);

#endif
