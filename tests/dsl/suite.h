/*
 * suite.h - a test file registers itself: no list of tests to keep.
 *
 *     START_TEST(a_law_that_holds) { … } END_TEST
 *
 *     SUITE(membership)
 *     {
 *             tcase_add_test(tests, a_law_that_holds);
 *     }
 *
 * Each suite is one Check test case; tests/dsl/main.c runs them all, or those
 * named by HRW_SUITES (comma-separated).
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

struct suite {
	const char *name;
	void (*fill)(TCase *tests);
	struct suite *next;
};

void suite_register(struct suite *suite);

#define SUITE(title)                                                                              \
	static void title##_fill(TCase *tests);                                                   \
	static struct suite title##_suite = {#title, title##_fill, NULL};                         \
	__attribute__((constructor)) static void title##_register(void)                           \
	{                                                                                         \
		suite_register(&title##_suite);                                                   \
	}                                                                                         \
	static void title##_fill(TCase *tests)

#endif
