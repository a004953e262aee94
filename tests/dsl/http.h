/*
 * http.h - asks a daemon over HTTP and says what is expected of the answer.
 *
 *     expect_status(get(d->lookup, "/owner?key=photo-7"), 200);
 *     expect(a, "nodes[name=cache-c].state", "'draining'");
 *
 * Answers live as long as the test's process: nothing to free. Any thread may
 * ask; only the test's own may expect.
 */
#ifndef TESTS_HTTP_H
#define TESTS_HTTP_H

#include <stddef.h>

struct cJSON;

struct answer {
	const char *what; /* "GET http://…": for messages */
	long status;	  /* 0: no answer; then the body says why */
	char *body;	  /* NUL behind it */
	size_t len;
	char *headers;	    /* "Name: value" lines of the last head */
	struct cJSON *json; /* NULL: not JSON */
};

/* Asks once.
 *   base     of struct daemon: "http://host:port", "https://host:port" or "unix:/path"
 *   path     with its query, sent as it is
 *   headers  lines separated by \n; NULL: none. No Content-Type is added
 *   body     NULL: none */
struct answer *ask(
    const char *base, const char *method, const char *path, const char *headers, const char *body);
struct answer *ask_bytes(const char *base, const char *method, const char *path,
    const char *headers, const void *body, size_t len);

/* What clients trust from here on where a base is "https://…", in PEM files: whose
 * certificates, and the one they show themselves (NULL: none). Connections are
 * made anew. */
void trust(const char *authority, const char *certificate, const char *key);

/* The common ones; a body is sent as application/json. */
struct answer *get(const char *base, const char *path);
struct answer *post(const char *base, const char *path, const char *body);
struct answer *put(const char *base, const char *path, const char *body);
struct answer *patch(const char *base, const char *path, const char *body);
struct answer *del(const char *base, const char *path);

/* A header of the answer, NULL when it is not there. */
const char *header(const struct answer *a, const char *name);

/* A value in a document by its path: members by ".name", elements by "[2]" or by
 * a member, "[name=cache-c]". NULL when it is not there. */
const struct cJSON *value_at(const struct cJSON *json, const char *path);
const char *text_at(const struct answer *a, const char *path); /* fails when it is no text */
double number_at(const struct answer *a, const char *path);    /* fails when it is no number */
int count_at(const struct answer *a, const char *path);	       /* fails when it is no list */

/* Each fails the test and shows the whole answer. */
#define expect_status(a, status) expect_status_at((a), (status), __FILE__, __LINE__)
/* The value at a path equals this JSON, in which ' stands for ". Order of an
 * object's members does not count. */
#define expect(a, path, json)	      expect_at((a), (path), (json), __FILE__, __LINE__)
#define expect_absent(a, path)	      expect_absent_at((a), (path), __FILE__, __LINE__)
#define expect_header(a, name, value) expect_header_at((a), (name), (value), __FILE__, __LINE__)
#define expect_body(a, body)	      expect_body_at((a), (body), __FILE__, __LINE__)
/* application/problem+json with that status, code and a detail that holds all
 * of `parts` (separated by |; NULL: any). */
#define expect_refusal(a, status, code, parts)                                                     \
	expect_refusal_at((a), (status), (code), (parts), __FILE__, __LINE__)

struct answer *expect_status_at(struct answer *a, long status, const char *file, int line);
void expect_at(
    const struct answer *a, const char *path, const char *json, const char *file, int line);
void expect_absent_at(const struct answer *a, const char *path, const char *file, int line);
void expect_header_at(
    const struct answer *a, const char *name, const char *value, const char *file, int line);
void expect_body_at(const struct answer *a, const char *body, const char *file, int line);
void expect_refusal_at(const struct answer *a, long status, const char *code, const char *parts,
    const char *file, int line);

/* Bytes as they are, over a connection of their own. */
int raw_open(const char *base); /* -1 when refused */
void raw_send(int fd, const void *bytes, size_t len);
/* The next answer: head and body by Content-Length or chunks; status 0 where
 * the connection ends or nothing comes for timeout_ms. */
struct answer *raw_answer(int fd, int timeout_ms);
/* Does something come within so many ms, be it the end? */
int raw_is_ready(int fd, int timeout_ms);
/* Sends a text and takes the answer. */
struct answer *raw(const char *base, const char *request);

#endif
