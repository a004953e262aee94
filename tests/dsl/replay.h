/*
 * replay.h - what the files of vectors share: a pool from a list of nodes, and the
 * steps of a sequence of changes.
 */
#ifndef TESTS_REPLAY_H
#define TESTS_REPLAY_H

#include "tests/dsl/pools.h"

/* The document of a file below the root of the repository; aborts without one. */
struct json *replay_load(const char *path);

/* A new pool of {"nodes","copies"}: nothing that is joining is filled yet, and a drain
 * has only begun. */
struct pool *replay_first(const struct json *j);

/* A step as the request it stands for, every guard forced: a body of POST /changes, in
 * which "settle" is ?settle=now, or a settle where nothing else is there. */
struct change *replay_change(const struct json *step);

/* The pool after a step. Takes the reference. */
struct pool *replay_step(struct pool *pool, const struct json *step);

#endif
