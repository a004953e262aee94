/*
 * stall_test.c - long answers are made beside the loops, so that lookups do not wait
 * for them: what the loop of a worker takes of a CPU is counted, not how long.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

enum { NODES = 16384, TIMES = 3 };

/* One worker, and as many nodes as a pool may have. */
static struct daemon *
start_large(void)
{
	struct page page = {0};

	page_add(&page,
	    "{\"workers\":1,\"limits\":{\"nodes\":%d},\"pools\":{\"default\":{\"nodes\":[", NODES);
	for (int i = 0; i < NODES; i++)
		page_add(&page, "%s{\"name\":\"cache-%d\",\"address\":\"10.1.%d.%d:11211\"}",
		    i == 0 ? "" : ",", i, i / 256, i % 256);
	page_add(&page, "]}}}");
	page_bytes(&page, "", 0);
	return daemon_start(kept(page.data), NULL);
}

/* CPU time in ns of the only worker's loop, and of all threads. Threads for work inherit
 * the name of the one that made them, and are younger. */
static double
cpu_ns(const struct daemon *d, double *all)
{
	DIR *dir = opendir(text("/proc/%d/task", (int)d->pid));
	const struct dirent *entry;
	int eldest = INT_MAX;
	double loop = 0;

	ck_assert_ptr_nonnull(dir);
	*all = 0;
	while ((entry = readdir(dir)) != NULL) {
		const char *task = text("/proc/%d/task/%s", (int)d->pid, entry->d_name);
		const char *name = text_file(text("%s/comm", task), NULL);
		const char *stat = text_file(text("%s/schedstat", task), NULL);

		if (entry->d_name[0] == '.' || name == NULL || stat == NULL)
			continue;
		*all += atof(stat);
		if (strcmp(name, "lookup\n") == 0 && atoi(entry->d_name) < eldest) {
			eldest = atoi(entry->d_name);
			loop = atof(stat);
		}
	}
	closedir(dir);
	return loop;
}

START_TEST(an_answer_about_many_nodes_is_made_beside_the_loop)
{
	static const char *const paths[] = {
	    "/metrics", "/explain?key=a", "/nodes", "/nodes?limit=1000", "/pools/default"};
	struct daemon *d = start_large();
	struct page page = {0};
	int stalls = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		double loop_before, all_before, loop, all;

		expect_status(get(d->lookup, paths[i]), 200);
		loop_before = cpu_ns(d, &all_before);
		for (int k = 0; k < TIMES; k++)
			expect_status(get(d->lookup, paths[i]), 200);
		loop = (cpu_ns(d, &all) - loop_before) / TIMES;
		all = (all - all_before) / TIMES;
		page_add(&page, "%s: %.2f ms of the loop, %.2f ms in all\n", paths[i], loop / 1e6,
		    all / 1e6);
		stalls += loop >= all / 2;
	}
	page_bytes(&page, "", 0);
	if (getenv("HRW_SHOW") != NULL)
		printf("%s\n", page.data);
	ck_assert_msg(stalls == 0, "%d on the loop: %s", stalls, page.data);
	daemon_stop(d);
}
END_TEST

SUITE(stall)
{
	tcase_add_test(tests, an_answer_about_many_nodes_is_made_beside_the_loop);
}
