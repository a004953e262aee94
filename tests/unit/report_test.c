/*
 * report_test.c - what a report says of itself while it runs, and at its end.
 */
#include <stdlib.h>

#include "daemon/members/report_private.h"
#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

/* "progress" of a report that has counted so many of 24 keys. */
static double
progress(enum report_state state, uint64_t done)
{
	struct pool *pool = made(1, "a b");
	char name[] = "default", outcome[] = "applied";
	struct report r = {
	    .pool = name, .outcome = outcome, .before_pool = pool, .after_pool = pool};
	struct buffer text = {0};
	struct json *json;
	double progress;

	r.plan = report_plan(pool, pool, NULL, NULL);
	r.total = hrw_tally_new(r.plan);
	atomic_store(&r.keys_total, 24);
	atomic_store(&r.keys_done, done);
	report_write_as(&r, state, &text);
	json = json_parse(buffer_bytes(&text), JSON_STRICT, NULL);
	progress = json_number(json_get(json, "progress"));
	json_free(json);
	buffer_fini(&text);
	hrw_tally_free(r.total);
	hrw_plan_free(r.plan);
	return progress;
}

/* Between the last key and the end its lanes' figures become one. */
START_TEST(progress_is_1_only_at_the_end)
{
	ck_assert_double_eq(progress(REPORT_RUNNING, 0), 0);
	ck_assert_double_eq(progress(REPORT_RUNNING, 6), 0.25);
	ck_assert_double_lt(progress(REPORT_RUNNING, 24), 1);
	ck_assert_double_ge(progress(REPORT_RUNNING, 24), progress(REPORT_RUNNING, 23));
	ck_assert_double_eq(progress(REPORT_DONE, 24), 1);
	ck_assert_double_eq(progress(REPORT_STOPPED, 6), 0.25);
}
END_TEST

SUITE(report)
{
	tcase_add_test(tests, progress_is_1_only_at_the_end);
}
