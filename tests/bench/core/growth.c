/*
 * growth.c - how lookups grow with nodes, and plans with keys.
 */
#include <stdlib.h>

#include "core/kernel.h"
#include "core/tally.h"
#include "tests/bench/core/bench.h"
#include "tests/bench/core/measure.h"

enum { KERNELS = 8 };

static void
lookups(FILE *csv, size_t nodes, bool has_weights)
{
	struct contender list[KERNELS];
	struct hrw_membership *m[KERNELS];
	size_t count = 0;

	for (; count < KERNELS && hrw_kernel_runnable(count) != NULL; count++) {
		m[count] = bench_pool(nodes, has_weights, 1, hrw_kernel_runnable(count));
		list[count] = (struct contender){bench_rank, m[count], 0};
	}
	measure(list, count);
	for (size_t i = 0; i < count; i++) {
		fprintf(csv, "lookup,%s,%s,nodes,%zu,ns,%.2f\n", hrw_kernel_runnable(i),
		    has_weights ? "unequal" : "equal", nodes, list[i].ns);
		hrw_membership_free(m[i]);
	}
}

/* One plan of so many keys, once. */
static double
plan_ns(const struct hrw_plan *plan, size_t keys)
{
	struct hrw_tally *tally = hrw_tally_new(plan);
	struct hrw_change change;
	double start = cpu_ns();

	for (size_t i = 0; tally != NULL && i < keys; i++) {
		hrw_plan_key(plan, bench_key(i), &change);
		hrw_tally_add(tally, &change);
	}
	start = cpu_ns() - start;
	hrw_tally_free(tally);
	return start;
}

static void
plans(FILE *csv)
{
	struct hrw_membership *before = bench_pool(64, false, 2, NULL);
	struct hrw_membership *after = hrw_membership_copy(before);
	struct hrw_plan *plan;

	after->node[17].state = HRW_DRAINING;
	if (hrw_membership_freeze(after, NULL, NULL) < 0)
		exit(EXIT_FAILURE);
	plan = hrw_plan_new(before, before, after, before);
	for (size_t keys = 1000; plan != NULL && keys <= 10000000; keys *= 10) {
		double took[5];

		for (size_t i = 0; i < 5; i++)
			took[i] = plan_ns(plan, keys);
		fprintf(csv, "plan,%s,equal,keys,%zu,ms,%.3f\n", hrw_kernel_chosen(), keys,
		    median(took, 5) / 1e6);
	}
	hrw_plan_free(plan);
	hrw_membership_free(after);
	hrw_membership_free(before);
}

void
bench_growth(FILE *csv)
{
	fputs("what,kernel,weights,of,count,unit,cost\n", csv);
	for (size_t nodes = 1; nodes <= HRW_NODES_MAX; nodes *= 2)
		for (int has_weights = 0; has_weights < 2; has_weights++)
			lookups(csv, nodes, has_weights != 0);
	plans(csv);
}
