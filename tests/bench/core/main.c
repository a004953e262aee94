/*
 * main.c - measures core/ alone: prints rows of the table, or writes a CSV.
 *
 *     core-bench              rows
 *     core-bench growth.csv   the CSV
 */
#include <stdlib.h>

#include "core/kernel.h"
#include "tests/bench/core/bench.h"

/* So that no lookup is left out. */
static volatile uint32_t sink;

char bench_keys[BENCH_KEYS][BENCH_KEY_BYTES + 1];

static void
fail(const char *what)
{
	fprintf(stderr, "core-bench: %s\n", what);
	exit(EXIT_FAILURE);
}

double
bench_weight(size_t node, bool has_weights)
{
	static const double weights[] = {1, 2, 4, 3};

	return has_weights ? weights[node % 4] : 1;
}

struct hrw_membership *
bench_pool_by(
    const struct hrw_placement *placement, size_t nodes, bool has_weights, unsigned copies)
{
	struct hrw_membership *m = hrw_membership_new(placement, copies);
	struct hrw_node *list = calloc(nodes, sizeof(*list));
	char(*text)[2][32] = calloc(nodes, sizeof(*text));
	struct hrw_fault fault = {0};

	if (m == NULL || list == NULL || text == NULL)
		fail("no memory");
	for (size_t i = 0; i < nodes; i++) {
		snprintf(text[i][0], sizeof(text[i][0]), "node-%zu", i);
		snprintf(text[i][1], sizeof(text[i][1]), "node-%zu:11211", i);
		list[i] = (struct hrw_node){.name = text[i][0],
		    .address = text[i][1],
		    .id = HRW_ID_UNSET,
		    .weight = bench_weight(i, has_weights)};
	}
	if (hrw_membership_add_all(m, list, nodes, NULL, NULL, &fault) < 0 ||
	    hrw_membership_freeze(m, NULL, &fault) < 0)
		fail(fault.detail);
	free(text);
	free(list);
	return m;
}

struct hrw_membership *
bench_pool(size_t nodes, bool has_weights, unsigned copies, const char *kernel)
{
	const char *chosen = hrw_kernel_chosen();
	struct hrw_membership *m;

	if (kernel != NULL && hrw_kernel_choose(kernel, NULL) < 0)
		fail("no such kernel");
	m = bench_pool_by(hrw_placements[0], nodes, has_weights, copies);
	hrw_kernel_choose(chosen, NULL);
	return m;
}

void
bench_rank(void *with, size_t times)
{
	const struct hrw_membership *m = with;
	uint32_t node, sum = 0;

	for (size_t i = 0; i < times; i++) {
		hrw_rank(m, bench_key(i), 1, &node);
		sum += node;
	}
	sink = sum;
}

int
main(int argc, char **argv)
{
	FILE *csv;

	for (size_t i = 0; i < BENCH_KEYS; i++)
		snprintf(bench_keys[i], sizeof(bench_keys[i]), "photo-%04zu", i);
	if (argc < 2) {
		bench_lookups();
		bench_plans();
		return EXIT_SUCCESS;
	}
	csv = fopen(argv[1], "w");
	if (csv == NULL)
		fail("the CSV cannot be written");
	bench_growth(csv);
	if (fclose(csv) != 0)
		fail("the CSV cannot be written");
	return EXIT_SUCCESS;
}
