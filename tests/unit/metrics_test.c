/*
 * metrics_test.c - counts of several loops add up, and stay in the format.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/app.h"
#include "daemon/metrics.h"
#include "daemon/routes/routes.h"
#include "tests/dsl/suite.h"

/* What a scrape says; to be finished by buffer_fini(). */
static struct buffer
scrape(struct metrics *m)
{
	struct app app = {.metrics = m};
	struct snapshot nothing = {0};
	struct buffer out = {0};

	metrics_write(&app, &nothing, NULL, &out);
	return out;
}

START_TEST(counts_of_all_loops_add_up)
{
	struct metrics *first = metrics_new(), *second = metrics_join(first);
	struct buffer out;

	metrics_request(first, 0, 200);
	metrics_request(second, 0, 204);
	metrics_request(second, route_count, 404);
	metrics_lookups(first, "default", 1);
	metrics_lookups(second, "photos", 10);
	metrics_lookups(second, "default", 100);
	metrics_change(first, METRICS_REFUSED);
	metrics_drift(first, "default", true);
	out = scrape(second);
	ck_assert_ptr_nonnull(strstr(buffer_text(&out), ",code=\"2xx\"} 2\n"));
	ck_assert_ptr_nonnull(
	    strstr(out.data, "hrwd_requests_total{method=\"\",route=\"\",code=\"4xx\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_lookups_total{pool=\"default\"} 101\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_lookups_total{pool=\"photos\"} 10\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_changes_total{outcome=\"refused\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_config_drift{pool=\"default\"} 1\n"));
	buffer_fini(&out);
	metrics_free(first);
}
END_TEST

START_TEST(pools_without_end_make_no_series_without_end)
{
	struct metrics *m = metrics_new();
	struct buffer out;
	size_t series = 0;
	char name[24];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "pool-%d", i);
		metrics_lookups(m, name, 1);
	}
	out = scrape(m);
	for (const char *at = buffer_text(&out); (at = strstr(at, "hrwd_lookups_total{")) != NULL;
	     at++)
		series++;
	ck_assert_uint_eq(series, 65);
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_lookups_total{pool=\"\"} 936\n"));
	buffer_fini(&out);
	metrics_free(m);
}
END_TEST

/* Every line is a comment of a known kind, or a sample of the metric that the
 * comments before it described. */
START_TEST(every_metric_has_its_help_and_type)
{
	struct metrics *m = metrics_new();
	struct buffer out;
	char metric[64] = "", type[64] = "";
	char *rest;

	metrics_request(m, 0, 200);
	metrics_lookups(m, "a\"b\\c\nd", 1);
	out = scrape(m);
	buffer_text(&out);
	ck_assert_ptr_nonnull(strstr(out.data, "{pool=\"a\\\"b\\\\c\\nd\"} 1\n"));
	rest = out.data;
	for (char *line; (line = strsep(&rest, "\n")) != NULL && rest != NULL;) {
		if (sscanf(line, "# HELP %63s", metric) == 1)
			continue;
		if (sscanf(line, "# TYPE %63s", type) == 1) {
			ck_assert_str_eq(type, metric);
			continue;
		}
		ck_assert_msg(strncmp(line, metric, strlen(metric)) == 0 &&
				  strchr("{ ", line[strlen(metric)]) != NULL,
		    "%s under %s", line, metric);
	}
	buffer_fini(&out);
	metrics_free(m);
}
END_TEST

SUITE(metrics)
{
	tcase_add_test(tests, counts_of_all_loops_add_up);
	tcase_add_test(tests, pools_without_end_make_no_series_without_end);
	tcase_add_test(tests, every_metric_has_its_help_and_type);
}
