/*
 * tokens.h - a daemon that asks for tokens, and clients who send one.
 *
 * The token of NAME is "token-of-NAME", so a test needs to know names alone.
 */
#ifndef TESTS_TOKENS_H
#define TESTS_TOKENS_H

#include "tests/dsl/fleet.h"

/* "NAME ROLE SHA256 PATTERNS\n". */
const char *token_line(const char *name, const char *role, const char *patterns);

/* One token for each role, called as the role is. */
const char *token_lines(void);

/* A file in the daemon's folder that only its owner may use. */
void private_write(const struct daemon *d, const char *name, const char *text);

/* A prepared fleet whose configuration names $DIR/tokens, which holds these
 * lines; more members of the configuration stand in `options`, "" or with a comma
 * behind each, "auth" among them. */
struct daemon *fleet_with_tokens(const char *options, const char *lines);

/* Asks with the token of NAME; NULL: with none. A body is JSON unless it begins
 * otherwise. */
struct answer *ask_as(
    const char *name, const char *base, const char *method, const char *path, const char *body);

#endif
