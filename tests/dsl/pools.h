/*
 * pools.h - pools from short text, and what changes make of them.
 *
 *     struct pool *p = made(2, "a b c d");
 *     p = after(p, "{'drain':['c']}");
 *     ck_assert_str_eq(shown(p->present), "a b c!draining d");
 *
 * Nodes are written as in nodes.h; in JSON ' stands for ". A node to add needs
 * only a name. What is made here lives until the test ends.
 */
#ifndef TESTS_POOLS_H
#define TESTS_POOLS_H

#include "daemon/members/change.h"

/* The time of every change here. */
enum { TEST_NOW_MS = 1700000000 }; /* below 2^31, so that it is an int */

/* A settled pool "default" at epoch 1. */
struct pool *made(unsigned copies, const char *text);

/* The change of a /changes body, with nothing forced. */
struct change *asked(const char *json);

/* A change without tasks yet. */
struct change *blank(void);

/* A change of one task on one node or none (name NULL). */
struct change *task_on(enum task_op op, const char *name);

/* Its outcome; rc is what change_build() returned. */
struct tried {
	int rc;
	struct outcome out;
	struct hrw_fault fault;
};
const struct tried *tried(struct pool *pool, struct change *c);

/* The pool after it, which must succeed (guards included). */
struct pool *after_change(struct pool *pool, struct change *c);
struct pool *after(struct pool *pool, const char *json);

/* The same with every guard forced. */
struct pool *forced(struct pool *pool, const char *json);

/* The error that it ends with, 0 for none. */
int error_of(struct pool *pool, const char *json);

/* Nodes as nodes.h would write them, by name: "a b:2@r1 c!draining". */
const char *shown(const struct hrw_membership *m);

/* Text with " for '. */
const char *quoted(const char *text);

#endif
