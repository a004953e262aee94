/*
 * main.c - runs the suites that registered themselves.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernel.h"
#include "tests/dsl/suite.h"

static struct suite *suites;

/* By name, so that the order of linking does not show. */
void
suite_register(struct suite *suite)
{
	struct suite **at = &suites;

	while (*at != NULL && strcmp((*at)->name, suite->name) < 0)
		at = &(*at)->next;
	suite->next = *at;
	*at = suite;
}

/* Is `name` one of a comma-separated list? */
static int
is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, name)) != NULL; at += len)
		if ((at == list || at[-1] == ',') && (at[len] == '\0' || at[len] == ','))
			return 1;
	return 0;
}

int
main(void)
{
	const char *only = getenv("HRW_SUITES"), *kernel = getenv("HRW_KERNEL");
	SRunner *runner = srunner_create(NULL);
	int failed;

	signal(SIGPIPE, SIG_IGN);
	if (kernel != NULL && hrw_kernel_choose(kernel, NULL) < 0) {
		fprintf(stderr, "HRW_KERNEL: %s is no kernel of this machine\n", kernel);
		return EXIT_FAILURE;
	}
	for (struct suite *s = suites; s != NULL; s = s->next) {
		Suite *suite;
		TCase *tests;

		if (only != NULL && !is_listed(only, s->name))
			continue;
		suite = suite_create(s->name);
		tests = tcase_create(s->name);
		/* Every byte of a file takes its time. */
		tcase_set_timeout(tests, getenv("HRW_EVERY_BYTE") != NULL ? 3600 : 300);
		s->fill(tests);
		suite_add_tcase(suite, tests);
		srunner_add_suite(runner, suite);
	}
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
