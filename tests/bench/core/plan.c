/*
 * plan.c - what a change does to keys in memory: core/ beside the textbook way,
 * which sorts all nodes by score twice a key, in C and in JavaScript.
 */
#include <stdlib.h>
#include <string.h>

#include "core/hash/fmix.h"
#include "core/hash/fnv1a.h"
#include "core/tally.h"
#include "tests/bench/core/bench.h"
#include "tests/bench/core/measure.h"

enum { NODES = 64, COPIES = 2, DRAINED = 17 };

struct planning {
	struct hrw_membership *before, *after;
	struct hrw_plan *plan;
	struct hrw_tally *tally;
};

static void
run_plan(void *with, size_t times)
{
	struct planning *p = with;
	struct hrw_change change;

	for (size_t i = 0; i < times; i++) {
		hrw_plan_key(p->plan, bench_key(i), &change);
		hrw_tally_add(p->tally, &change);
	}
}

/* Freezes `after`, and plans from `before` to it. */
static void
planning_init(struct planning *p, struct hrw_membership *before, struct hrw_membership *after)
{
	struct hrw_fault fault;

	p->before = before;
	p->after = after;
	if (hrw_membership_freeze(after, NULL, &fault) < 0)
		exit(EXIT_FAILURE);
	p->plan = hrw_plan_new(before, before, after, before);
	p->tally = hrw_tally_new(p->plan);
	if (p->plan == NULL || p->tally == NULL)
		exit(EXIT_FAILURE);
}

static void
planning_fini(struct planning *p)
{
	hrw_tally_free(p->tally);
	hrw_plan_free(p->plan);
	hrw_membership_free(p->after);
	hrw_membership_free(p->before);
}

static void
drain(struct hrw_membership *m)
{
	m->node[DRAINED].state = HRW_DRAINING;
}

static void
reweight(struct hrw_membership *m)
{
	m->node[DRAINED].weight = 3;
}

static void
init(struct planning *p, bool has_weights, bool has_zones, void (*change)(struct hrw_membership *m))
{
	struct hrw_membership *pool = bench_pool(NODES, has_weights, COPIES, NULL);
	struct hrw_membership *before = hrw_membership_copy(pool), *after;
	static const char *const zones[] = {"r1", "r2", "r3"};

	for (size_t i = 0; has_zones && i < before->count; i++)
		hrw_node_set_zone(&before->node[i], zones[i % 3], NULL);
	after = hrw_membership_copy(before);
	change(after);
	hrw_membership_free(pool);
	if (hrw_membership_freeze(before, NULL, NULL) < 0)
		exit(EXIT_FAILURE);
	planning_init(p, before, after);
}

/* The textbook way in C. */
struct scored {
	uint32_t raw, node;
};

static int
by_raw(const void *left, const void *right)
{
	const struct scored *a = left, *b = right;

	return (a->raw < b->raw) - (a->raw > b->raw);
}

struct textbook {
	uint32_t hash[NODES];
	uint64_t lost[NODES], gained[NODES];
};

/* The best of a pool without the node `without`. */
static void
textbook_rank(const struct textbook *t, struct hrw_bytes key, size_t without, uint32_t best[COPIES])
{
	struct scored list[NODES];
	size_t count = 0;
	uint32_t hash = hrw_fnv1a32(key);

	for (uint32_t n = 0; n < NODES; n++)
		if (n != without)
			list[count++] = (struct scored){hrw_fmix32(t->hash[n] ^ hash), n};
	qsort(list, count, sizeof(list[0]), by_raw);
	for (size_t i = 0; i < COPIES; i++)
		best[i] = list[i].node;
}

static void
textbook_missing(const uint32_t *a, const uint32_t *b, uint64_t *counts)
{
	for (size_t i = 0; i < COPIES; i++)
		if (a[i] != b[0] && a[i] != b[1])
			counts[a[i]]++;
}

static void
run_textbook(void *with, size_t times)
{
	struct textbook *t = with;

	for (size_t i = 0; i < times; i++) {
		uint32_t before[COPIES], after[COPIES];

		textbook_rank(t, bench_key(i), NODES, before);
		textbook_rank(t, bench_key(i), DRAINED, after);
		textbook_missing(before, after, t->lost);
		textbook_missing(after, before, t->gained);
	}
}

/* Keys a CPU-second in JavaScript, in millions; 0 where there is no Node.js. */
static double
in_javascript(void)
{
	double list[5], figure;
	size_t count = 0;

	while (count < 5) {
		FILE *in = popen("node tests/bench/textbook.js 2>/dev/null", "r");
		bool is_good = in != NULL && fscanf(in, "%lf", &figure) == 1;

		if (in == NULL || pclose(in) != 0 || !is_good)
			return 0;
		list[count++] = figure;
	}
	return median(list, count);
}

static double
millions(double ns)
{
	return 1e3 / ns;
}

void
bench_plans(void)
{
	static const char unit[] = "M keys/CPU-s";
	struct textbook textbook;
	struct planning drains, weighted, zoned, changed;
	struct contender list[5];
	char beside[64];
	double javascript;

	memset(&textbook, 0, sizeof(textbook));
	init(&drains, false, false, drain);
	init(&weighted, true, false, drain);
	init(&zoned, false, true, drain);
	init(&changed, true, false, reweight);
	for (size_t i = 0; i < NODES; i++)
		textbook.hash[i] = hrw_fnv1a32(hrw_text(drains.before->node[i].hash_name));
	list[0] = (struct contender){run_plan, &drains, 0};
	list[1] = (struct contender){run_plan, &weighted, 0};
	list[2] = (struct contender){run_plan, &zoned, 0};
	list[3] = (struct contender){run_plan, &changed, 0};
	list[4] = (struct contender){run_textbook, &textbook, 0};
	measure(list, 5);

	snprintf(beside, sizeof(beside), "the textbook way in C: %.3f M", millions(list[4].ns));
	row("plan of a drain, 64 nodes, 2 copies", millions(list[0].ns), unit, beside,
	    list[4].ns / list[0].ns);
	javascript = in_javascript();
	if (javascript > 0) {
		snprintf(beside, sizeof(beside), "the same in JavaScript: %.4f M", javascript);
		row("", millions(list[0].ns), unit, beside, millions(list[0].ns) / javascript);
	} else {
		row_alone("", millions(list[0].ns), unit, "no row of JavaScript: node is missing");
	}
	row_alone("  with unequal weights", millions(list[1].ns), unit, "");
	row_alone("  with zones", millions(list[2].ns), unit, "");
	row_alone("plan of a changed weight (2 rankings)", millions(list[3].ns), unit, "");
	planning_fini(&changed);
	planning_fini(&zoned);
	planning_fini(&weighted);
	planning_fini(&drains);
}
