/*
 * plan.c - what a change does to keys in memory: core/ beside the textbook way,
 * which sorts all nodes by score twice a key, in C and in JavaScript.
 */
#include <stdlib.h>
#include <string.h>

#include "core/hash/fmix.h"
#include "core/hash/fnv1a.h"
#include "core/leftover.h"
#include "core/tally.h"
#include "tests/bench/core/bench.h"
#include "tests/bench/core/measure.h"

enum { NODES = 64, COPIES = 2, DRAINED = 17 };

struct planning {
	struct hrw_membership *before, *after, *settled; /* settled: NULL: it is `before` */
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

	*p = (struct planning){.before = before, .after = after};
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
	hrw_membership_free(p->settled);
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
undo(struct hrw_membership *m)
{
	m->node[DRAINED].state = HRW_ACTIVE;
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

/* A plan of a pool that is not settled: its copies are still those of one node less. */
static void
unsettle(struct planning *p)
{
	struct hrw_membership *settled = hrw_membership_copy(p->before);

	settled->node[DRAINED + 1].state = HRW_DRAINING;
	if (hrw_membership_freeze(settled, NULL, NULL) < 0)
		exit(EXIT_FAILURE);
	hrw_tally_free(p->tally);
	hrw_plan_free(p->plan);
	p->settled = settled;
	p->plan = hrw_plan_new(p->before, settled, p->after, settled);
	p->tally = hrw_tally_new(p->plan);
	if (p->plan == NULL || p->tally == NULL)
		exit(EXIT_FAILURE);
}

/* The later pass of a drain that is undone. The node held its keys in the oldest of
 * the earlier memberships alone, so that all of them are ranked. */
struct looking_back {
	struct planning *undone;
	struct hrw_membership *earlier[HRW_LEFTOVERS_MAX];
	struct hrw_leftovers *leftovers;
};

static void
run_leftovers(void *with, size_t times)
{
	struct looking_back *l = with;
	uint32_t node[HRW_COPIES_MAX];
	struct hrw_change change;

	for (size_t i = 0; i < times; i++) {
		hrw_plan_key(l->undone->plan, bench_key(i), &change);
		hrw_leftovers_of(l->leftovers, bench_key(i), &change, node);
	}
}

static void
looking_back_init(struct looking_back *l, struct planning *undone, size_t count)
{
	struct hrw_past past[HRW_LEFTOVERS_MAX];

	*l = (struct looking_back){.undone = undone};
	for (size_t i = 0; i < count; i++) {
		bool is_oldest = i + 1 == count;

		l->earlier[i] = hrw_membership_copy(is_oldest ? undone->after : undone->before);
		if (!is_oldest)
			l->earlier[i]->node[i < DRAINED ? i : i + 1].weight = 2;
		if (hrw_membership_freeze(l->earlier[i], NULL, NULL) < 0)
			exit(EXIT_FAILURE);
		past[i] = (struct hrw_past){l->earlier[i], 100 - i};
	}
	l->leftovers = hrw_leftovers_new(undone->plan, past, count);
	if (l->leftovers == NULL || !hrw_leftovers_are_possible(l->leftovers))
		exit(EXIT_FAILURE);
}

static void
looking_back_fini(struct looking_back *l)
{
	hrw_leftovers_free(l->leftovers);
	for (size_t i = 0; i < HRW_LEFTOVERS_MAX; i++)
		hrw_membership_free(l->earlier[i]);
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

/* What a pool that is not settled costs a plan, and the later pass over its keys. */
static void
bench_unsettled(void)
{
	static const char unit[] = "M keys/CPU-s", beside[] = "the plan alone";
	struct planning settled, unsettled, undone;
	struct looking_back near, far;
	struct hrw_membership *drained = bench_pool(NODES, false, COPIES, NULL), *again;
	struct contender list[5];

	init(&settled, false, false, drain);
	init(&unsettled, false, false, drain);
	unsettle(&unsettled);
	drain(drained);
	if (hrw_membership_freeze(drained, NULL, NULL) < 0)
		exit(EXIT_FAILURE);
	again = hrw_membership_copy(drained);
	undo(again);
	planning_init(&undone, drained, again);
	looking_back_init(&near, &undone, 1);
	looking_back_init(&far, &undone, HRW_LEFTOVERS_MAX);
	list[0] = (struct contender){run_plan, &settled, 0};
	list[1] = (struct contender){run_plan, &unsettled, 0};
	list[2] = (struct contender){run_plan, &undone, 0};
	list[3] = (struct contender){run_leftovers, &near, 0};
	list[4] = (struct contender){run_leftovers, &far, 0};
	measure(list, 5);

	row("  of a pool that is not settled", millions(list[1].ns), unit, "a settled pool",
	    list[1].ns / list[0].ns);
	row("leftovers, 1 earlier membership", millions(list[3].ns), unit, beside,
	    list[3].ns / list[2].ns);
	row("leftovers, 64 earlier memberships", millions(list[4].ns), unit, beside,
	    list[4].ns / list[2].ns);
	looking_back_fini(&far);
	looking_back_fini(&near);
	planning_fini(&undone);
	planning_fini(&unsettled);
	planning_fini(&settled);
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
	bench_unsettled();
	planning_fini(&changed);
	planning_fini(&zoned);
	planning_fini(&weighted);
	planning_fini(&drains);
}
