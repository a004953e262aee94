/*
 * generate.c - pools made by chance.
 */
#include "tests/dsl/generate.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MANY_NODES = 300 };

/* Cases that began and did not end, shared with the child that runs a test: it
 * leaves by _exit() or a signal, so the parent prints them. */
static struct unfinished {
	size_t count;
	struct {
		char test[100];
		uint64_t seed;
	} list[32];
	bool is_running; /* the last of the list has not ended yet */
} * unfinished;

static pid_t parent;

static void
print_seeds(void)
{
	for (size_t i = 0; getpid() == parent && i < unfinished->count; i++)
		fprintf(stderr, "%s failed with HRW_SEED=0x%" PRIx64 "\n", unfinished->list[i].test,
		    unfinished->list[i].seed);
}

__attribute__((constructor)) static void
share(void)
{
	unfinished = mmap(
	    NULL, sizeof(*unfinished), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (unfinished == MAP_FAILED)
		abort();
	parent = getpid();
	atexit(print_seeds);
}

static void
began(const char *test, uint64_t seed)
{
	if (unfinished->count == sizeof(unfinished->list) / sizeof(unfinished->list[0]))
		return;
	snprintf(
	    unfinished->list[unfinished->count].test, sizeof(unfinished->list[0].test), "%s", test);
	unfinished->list[unfinished->count].seed = seed;
	unfinished->count++;
	unfinished->is_running = true;
}

static void
ended(void)
{
	unfinished->count -= unfinished->is_running;
	unfinished->is_running = false;
}

double
any_weight(struct dice *d)
{
	double weight = pow(10, (double)dice_below(d, 15001) / 1000 - 6);

	return weight < 1e-6 ? 1e-6 : weight > 1e9 ? 1e9 : weight;
}

enum weights { EQUAL, WHOLE, WILD, STEPS, WEIGHTS };

static double
weight_of(enum weights kind, double base, struct dice *d)
{
	switch (kind) {
	case WHOLE:
		return 1 + dice_below(d, 4);
	case WILD:
		return any_weight(d);
	case STEPS:
		return dice_percent(d, 50) ? base : nextafter(base, 2 * base);
	case EQUAL:
	case WEIGHTS:
		break;
	}
	return base;
}

/* A zone out of `zones`, the first one `lopsided` times in a hundred; NULL for
 * none. */
static char *
zone_of(uint32_t zones, uint32_t lopsided, struct dice *d, char room[16])
{
	if (zones == 0 || dice_percent(d, 10))
		return NULL;
	sprintf(room, "z%u", dice_percent(d, lopsided) ? 0 : dice_below(d, zones));
	return room;
}

static void
generate(struct generated *pool)
{
	static const uint32_t zone_counts[] = {0, 0, 2, 3, 4, 50};
	struct dice *d = &pool->dice;
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1 + dice_below(d, 4));
	uint32_t count =
	    dice_percent(d, 3) ? 65 + dice_below(d, MANY_NODES) : 1 + dice_below(d, 12);
	enum weights weights = (enum weights)dice_below(d, WEIGHTS);
	double base = dice_percent(d, 50) ? 1 : any_weight(d);
	uint32_t zones = zone_counts[dice_below(d, 6)], lopsided = dice_percent(d, 30) ? 95 : 0;
	uint32_t draining = dice_percent(d, 50) ? 0 : 20, idle = dice_percent(d, 70) ? 0 : 10;

	for (uint32_t i = 0; i < count; i++) {
		char name[32], zone[16];
		struct hrw_node node = {.name = name, .id = HRW_ID_UNSET};
		int rc;

		sprintf(name, "%c%x-%u", 'a' + (char)dice_below(d, 26), dice_below(d, 1u << 16), i);
		node.zone = zone_of(zones, lopsided, d, zone);
		node.weight = dice_percent(d, idle) ? 0 : weight_of(weights, base, d);
		node.state = dice_percent(d, draining) ? HRW_DRAINING : HRW_ACTIVE;
		rc = hrw_membership_add(m, &node, NULL, NULL);
		ck_assert_int_eq(rc, 0);
	}
	pool->m = frozen(m);
}

static void
start(struct generated *pool)
{
	pool->dice = (struct dice){pool->seed};
	if (pool->at >= pool->total)
		return;
	began(pool->test, pool->seed);
	generate(pool);
}

struct generated
generated_first(const char *test, size_t total)
{
	const char *seed = getenv("HRW_SEED");
	struct generated pool = {
	    .seed = UINT64_C(0x9e3779b97f4a7c15), .test = test, .total = total};

	if (seed != NULL) {
		pool.seed = strtoull(seed, NULL, 0);
		pool.total = 1;
	}
	unfinished->is_running = false; /* of a test before */
	start(&pool);
	return pool;
}

void
generated_next(struct generated *pool)
{
	struct dice seeds = {pool->seed};

	ended();
	forget_nodes();
	pool->seed = dice_roll(&seeds);
	pool->at++;
	start(pool);
}

struct hrw_bytes
any_key(struct dice *d)
{
	static uint8_t room[16][24];
	static unsigned turn;
	uint8_t *key = room[turn++ % 16];
	size_t len = 1 + dice_below(d, sizeof(room[0]));

	for (size_t i = 0; i < len; i++)
		key[i] = (uint8_t)dice_roll(d);
	return hrw_bytes(key, len);
}

const struct hrw_node *
any_node(const struct hrw_membership *m, struct dice *d)
{
	return &m->node[dice_below(d, (uint32_t)m->count)];
}

struct hrw_membership *
without(const struct hrw_membership *m, const char *name)
{
	struct hrw_membership *copy = hrw_membership_copy(m);

	ck_assert_int_eq(hrw_membership_remove(copy, name), 0);
	return frozen(copy);
}

struct hrw_membership *
with(const struct hrw_membership *m, const struct hrw_node *node)
{
	struct hrw_membership *copy = hrw_membership_copy(m);

	ck_assert_int_eq(hrw_membership_add(copy, node, NULL, NULL), 0);
	return frozen(copy);
}

struct hrw_membership *
reweighted(const struct hrw_membership *m, const char *name, double weight)
{
	struct hrw_membership *copy = hrw_membership_copy(m);

	ck_assert_int_eq(hrw_node_set_weight(hrw_membership_find(copy, name), weight, NULL), 0);
	return frozen(copy);
}

struct hrw_membership *
drained(const struct hrw_membership *m, const char *name)
{
	struct hrw_membership *copy = hrw_membership_copy(m);

	hrw_membership_find(copy, name)->state = HRW_DRAINING;
	return frozen(copy);
}

struct hrw_membership *
shuffled(const struct hrw_membership *m, struct dice *d)
{
	struct hrw_membership *other = hrw_membership_new(m->placement, m->copies);
	struct hrw_node *list = malloc(m->count * sizeof(*list));

	memcpy(list, m->node, m->count * sizeof(*list));
	for (size_t i = m->count; i > 1; i--) {
		size_t j = dice_below(d, (uint32_t)i);
		struct hrw_node swap = list[i - 1];

		list[i - 1] = list[j];
		list[j] = swap;
	}
	ck_assert_int_eq(hrw_membership_add_all(other, list, m->count, NULL, NULL, NULL), 0);
	free(list);
	return frozen(other);
}
