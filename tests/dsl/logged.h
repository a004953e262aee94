/*
 * logged.h - events of a daemon's log, where that is written as JSON.
 */
#ifndef TESTS_LOGGED_H
#define TESTS_LOGGED_H

#include "tests/dsl/daemon.h"

struct cJSON;

/* The event with this message, of the request with this id (NULL: whichever is
 * first). Fails the test where 10 seconds bring none, or where a line is not one
 * JSON object. */
const struct cJSON *logged(const struct daemon *d, const char *message, const char *request);

/* How many events there are with this message. */
size_t logged_count(const struct daemon *d, const char *message);

/* A member is this text, this number, or not there. */
#define expect_logged(event, name, value)  expect_logged_at(event, name, value, __FILE__, __LINE__)
#define expect_counted(event, name, value) expect_counted_at(event, name, value, __FILE__, __LINE__)
#define expect_unlogged(event, name)	   expect_logged_at(event, name, NULL, __FILE__, __LINE__)
void expect_logged_at(
    const struct cJSON *event, const char *name, const char *value, const char *file, int line);
void expect_counted_at(
    const struct cJSON *event, const char *name, double value, const char *file, int line);

#endif
