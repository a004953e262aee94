/*
 * generate.h - pools made by chance, for laws that must hold for every pool.
 *
 *     pool_each(pool, 1000) { … pool.m … dice_roll(&pool.dice) … }
 *
 * Each pool grows from a seed of its own. When a test fails inside the loop,
 * the seed is printed; HRW_SEED=that runs the loop for it alone.
 */
#ifndef TESTS_GENERATE_H
#define TESTS_GENERATE_H

#include "tests/dsl/dice.h"
#include "tests/dsl/nodes.h"

struct generated {
	uint64_t seed;
	struct dice dice;	  /* for whatever else the case needs */
	struct hrw_membership *m; /* frozen; gone with the next pool, as all nodes() are */
	const char *test;
	size_t at, total;
};

/* 1 to 12 nodes, now and then some hundred; weights equal, whole, wild or one
 * step of a double apart; zones none, few, lopsided or many; some nodes drain
 * or weigh nothing. */
struct generated generated_first(const char *test, size_t total);
void generated_next(struct generated *pool);

#define pool_each(pool, count)                                                                     \
	for (struct generated pool = generated_first(__func__, count); pool.at < pool.total;       \
	     generated_next(&pool))

/* A key of 1 to 24 bytes of any value. Good until 16 more were asked for. */
struct hrw_bytes any_key(struct dice *d);

/* A node of the membership by chance; it has one. */
const struct hrw_node *any_node(const struct hrw_membership *m, struct dice *d);

/* A weight in 1e-6..1e9, all magnitudes alike. */
double any_weight(struct dice *d);

/* Variants of a membership: frozen, and gone with the next pool. */
struct hrw_membership *without(const struct hrw_membership *m, const char *name);
struct hrw_membership *with(const struct hrw_membership *m, const struct hrw_node *node);
struct hrw_membership *reweighted(const struct hrw_membership *m, const char *name, double weight);
struct hrw_membership *drained(const struct hrw_membership *m, const char *name);
struct hrw_membership *shuffled(const struct hrw_membership *m, struct dice *d);

#endif
