/*
 * metrics_test.c - counts of several loops add up, and stay in the format.
 */
#include <stdio.h>
#include <string.h>

#include "core/hash/fnv1a.h"
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

static bool has_one_hash;

/* Some lookups of a pool that no node takes keys of. */
static void
look_up(struct metrics *m, const char *name, int keys)
{
	const struct pool pool = {.name = (char *)(uintptr_t)name,
	    .name_hash = has_one_hash ? UINT32_MAX : hrw_fnv1a32(hrw_text(name))};

	for (int i = 0; i < keys; i++)
		metrics_lookup(m, &pool, METRICS_NOBODY);
}

START_TEST(counts_of_all_loops_add_up)
{
	struct metrics *first = metrics_new(), *second = metrics_join(first);
	struct buffer out;

	metrics_request(first, 0, 200, 20000);
	metrics_request(second, 0, 204, 70000000000);
	metrics_request(second, route_count, 404, 1);
	look_up(first, "default", 1);
	look_up(second, "photos", 10);
	look_up(second, "default", 100);
	metrics_change(first, METRICS_REFUSED);
	metrics_drift(first, "default", true);
	out = scrape(second);
	ck_assert_ptr_nonnull(strstr(buffer_text(&out), ",code=\"2xx\"} 2\n"));
	ck_assert_ptr_nonnull(
	    strstr(out.data, "hrwd_requests_total{method=\"\",route=\"\",code=\"4xx\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_request_duration_seconds_bucket{method="));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\",le=\"1e-05\"} 0\n"));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\",le=\"2.5e-05\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\",le=\"60\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\",le=\"+Inf\"} 2\n"));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\"} 70.000020000\n"));
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

	/* However their names hash. */
	has_one_hash = _i == 1;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "pool-%d", i);
		look_up(m, name, 1);
	}
	look_up(m, "pool-63", 1);
	out = scrape(m);
	for (const char *at = buffer_text(&out); (at = strstr(at, "hrwd_lookups_total{")) != NULL;
	     at++)
		series++;
	ck_assert_uint_eq(series, 65);
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_lookups_total{pool=\"\"} 936\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_lookups_total{pool=\"pool-0\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_lookups_total{pool=\"pool-63\"} 2\n"));
	buffer_fini(&out);
	metrics_free(m);
}
END_TEST

static bool
is_sample(const char *line, const char *metric, bool is_histogram)
{
	size_t len = strlen(metric);

	if (strncmp(line, metric, len) != 0)
		return false;
	if (!is_histogram)
		return strchr("{ ", line[len]) != NULL;
	return strncmp(line + len, "_bucket{", 8) == 0 || strncmp(line + len, "_sum", 4) == 0 ||
	       strncmp(line + len, "_count", 6) == 0;
}

/* Every line is a comment of a known kind, or a sample of the metric that the
 * comments before it described. */
START_TEST(every_metric_has_its_help_and_type)
{
	struct metrics *m = metrics_new();
	struct buffer out;
	char metric[64] = "", type[64] = "";
	bool is_histogram = false;
	char *rest;

	metrics_request(m, 0, 200, 1);
	look_up(m, "a\"b\\c\nd", 1);
	out = scrape(m);
	buffer_text(&out);
	ck_assert_ptr_nonnull(strstr(out.data, "{pool=\"a\\\"b\\\\c\\nd\"} 1\n"));
	rest = out.data;
	for (char *line; (line = strsep(&rest, "\n")) != NULL && rest != NULL;) {
		if (sscanf(line, "# HELP %63s", metric) == 1)
			continue;
		if (sscanf(line, "# TYPE %63s", type) == 1) {
			is_histogram = strstr(line, " histogram") != NULL;
			ck_assert_str_eq(type, metric);
			continue;
		}
		ck_assert_msg(is_sample(line, metric, is_histogram), "%s under %s", line, metric);
	}
	buffer_fini(&out);
	metrics_free(m);
}
END_TEST

SUITE(metrics)
{
	tcase_add_test(tests, counts_of_all_loops_add_up);
	tcase_add_loop_test(tests, pools_without_end_make_no_series_without_end, 0, 2);
	tcase_add_test(tests, every_metric_has_its_help_and_type);
}
