/*
 * count_bench.c - what it costs to count a lookup for /metrics: its key, its owner,
 * and its request in the histogram of its route. Rows in the form of http.sh.
 *
 * The pool counted is the first of few, and the last of hundreds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/metrics/private.h"
#include "daemon/routes/routes.h"
#include "tests/bench/core/measure.h"

enum { NODES = 64, POOLS = 512 };

struct counting {
	struct metrics *metrics;
	const struct pool *pool;
};

static void
run(void *with, size_t times)
{
	const struct counting *c = with;

	for (size_t i = 0; i < times; i++) {
		metrics_lookup(c->metrics, c->pool, (uint32_t)(i % NODES));
		metrics_request(c->metrics, 0, 200, 9000 + i % 4096);
	}
}

static void
fail(void)
{
	fprintf(stderr, "count-bench: no memory\n");
	exit(EXIT_FAILURE);
}

static struct pool *
make_pool(size_t number)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);
	char name[32], address[] = "10.0.0.1:11211";
	struct pool *pool;

	for (size_t i = 0; m != NULL && i < NODES; i++) {
		snprintf(name, sizeof(name), "node-%zu", i);
		if (hrw_membership_add(m,
			&(struct hrw_node){
			    .name = name, .address = address, .id = HRW_ID_UNSET, .weight = 1},
			NULL, NULL) < 0)
			fail();
	}
	if (m == NULL || hrw_membership_freeze(m, NULL, NULL) < 0)
		fail();
	snprintf(name, sizeof(name), "pool-%zu", number);
	pool = pool_new(name, 1, NULL, &pool_no_terms, m, m);
	if (pool == NULL)
		fail();
	return pool;
}

int
main(void)
{
	struct pool *pool[POOLS];
	struct counting first, last;
	struct contender list[2] = {{run, &first, 0}, {run, &last, 0}};
	char what[64], beside[64];

	first = (struct counting){metrics_new(routes, route_count), pool[0] = make_pool(0)};
	last.metrics = metrics_new(routes, route_count);
	if (first.metrics == NULL || last.metrics == NULL)
		fail();
	metrics_lookup(last.metrics, pool[0], 0);
	for (size_t i = 1; i < POOLS; i++)
		metrics_lookup(last.metrics, pool[i] = make_pool(i), 0);
	last.pool = pool[POOLS - 1];
	measure(list, 2);
	row_alone("counting a lookup", list[0].ns, "ns", "");
	snprintf(what, sizeof(what), "counting a lookup, the last of %d pools", POOLS);
	snprintf(beside, sizeof(beside), "the first: %.1f ns", list[0].ns);
	row(what, list[1].ns, "ns", beside, list[1].ns / list[0].ns);
	metrics_free(first.metrics);
	metrics_free(last.metrics);
	for (size_t i = 0; i < POOLS; i++)
		pool_release(pool[i]);
	return EXIT_SUCCESS;
}
