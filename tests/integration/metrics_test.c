/*
 * metrics_test.c - what /metrics says after known requests, family by family, and
 * what Prometheus's own tool thinks of it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/metrics/metrics.h"
#include "tests/dsl/events.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/program.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static struct daemon *d;

static void
begin(void)
{
	d = fleet_start();
}

static void
end(void)
{
	daemon_stop(d);
}

static const char *
scrape(void)
{
	return text("%s", expect_status(get(d->lookup, "/metrics"), 200)->body);
}

/* The value of a sample: its name and labels as they are written. */
static double
value(const char *body, const char *sample)
{
	const char *at = strstr(body, text("\n%s ", sample));

	ck_assert_msg(at != NULL, "no %s in\n%s", sample, body);
	return strtod(at + strlen(sample) + 2, NULL);
}

#define REQUEST(family, rest) family "{method=\"GET\",route=\"/owner\",code=\"2xx\"" rest "}"
#define NODE(family, node)    family "{pool=\"default\",node=\"" node "\"}"

/* One sample of each family, with the least and the most that it may be after what
 * `begun` does. */
static const struct {
	const char *family, *sample;
	double min, max;
} rows[] = {
    {"hrwd_build_info", "hrwd_build_info{version=\"" HRW_VERSION "\"}", 1, 1},
    {"hrwd_requests_total", REQUEST("hrwd_requests_total", ""), 30, 30},
    {"hrwd_request_duration_seconds",
	REQUEST("hrwd_request_duration_seconds_bucket", ",le=\"+Inf\""), 30, 30},
    {"hrwd_request_duration_seconds", REQUEST("hrwd_request_duration_seconds_count", ""), 30, 30},
    {"hrwd_request_duration_seconds", REQUEST("hrwd_request_duration_seconds_sum", ""), 1e-6, 30},
    {"hrwd_connections", "hrwd_connections{listener=\"lookup\"}", 1, 1000},
    {"hrwd_watchers", "hrwd_watchers{listener=\"lookup\"}", 0, 0},
    {"hrwd_loop_lag_seconds", "hrwd_loop_lag_seconds_count", 1, 1e6},
    {"hrwd_lookups_total", "hrwd_lookups_total{pool=\"default\"}", 34, 34},
    {"hrwd_node_lookups_total", NODE("hrwd_node_lookups_total", "cache-a"), 1, 33},
    {"hrwd_node_share_ratio", NODE("hrwd_node_share_ratio", "cache-a"), 0.25, 0.25},
    {"hrwd_node_observed_share_ratio", NODE("hrwd_node_observed_share_ratio", "cache-a"), 1e-3,
	0.99},
    {"hrwd_pool_info", "hrwd_pool_info{pool=\"default\",placement=\"rendezvous\",fingerprint=", 0,
	1},
    {"hrwd_pool_epoch", "hrwd_pool_epoch{pool=\"default\"}", 1, 1},
    {"hrwd_pool_settled", "hrwd_pool_settled{pool=\"default\"}", 1, 1},
    {"hrwd_pool_copies_missing", "hrwd_pool_copies_missing{pool=\"default\"}", 0, 0},
    {"hrwd_pool_nodes", "hrwd_pool_nodes{pool=\"default\",state=\"active\"}", 4, 4},
    {"hrwd_changes_total", "hrwd_changes_total{outcome=\"refused\"}", 1, 1},
    {"hrwd_plans", "hrwd_plans{state=\"waiting\"}", 0, 0},
    {"hrwd_plan_duration_seconds", "hrwd_plan_duration_seconds_count", 1, 1},
    {"hrwd_plan_keys_total", "hrwd_plan_keys_total", 1, 1e6},
    {"hrwd_store_commit_duration_seconds", "hrwd_store_commit_duration_seconds_count", 1, 10},
    {"hrwd_store_errors_total", "hrwd_store_errors_total", 0, 0},
    {"hrwd_reload_failures_total", "hrwd_reload_failures_total{of=\"pools\"}", 0, 0},
    {"hrwd_pools_file_failing", "hrwd_pools_file_failing", 0, 0},
    {"hrwd_log_lines_dropped_total", "hrwd_log_lines_dropped_total", 0, 0},
    {"hrwd_config_drift", "hrwd_config_drift{pool=\"default\"}", 0, 0},
    {"process_start_time_seconds", "process_start_time_seconds", 1e9, 1e11},
    {"process_cpu_seconds_total", "process_cpu_seconds_total", 1e-3, 60},
    {"process_resident_memory_bytes", "process_resident_memory_bytes", 1e6, 1e12},
    {"process_virtual_memory_bytes", "process_virtual_memory_bytes", 1e6, 1e18},
    {"process_open_fds", "process_open_fds", 5, 1e6},
    {"process_max_fds", "process_max_fds", 5, 1e19},
    {"process_threads", "process_threads", 2, 1000},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* 30 lookups, 4 keys at once, a plan, a refusal, and a second for the loops. */
static void
use(void)
{
	for (int i = 0; i < 30; i++)
		expect_status(get(d->lookup, text("/owner?key=photo-%d", i)), 200);
	expect_status(
	    ask(d->lookup, "POST", "/owners", "Content-Type: text/plain", "a\nb\nc\nd\n"), 200);
	expect_status(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), 200);
	expect_status(del(d->admin, "/nodes/cache-a"), 409);
	sleep(2);
}

START_TEST(every_family_says_what_was_done)
{
	const char *body;

	use();
	body = scrape();
	for (size_t i = 0; i < ROWS; i++) {
		double is;

		ck_assert_ptr_nonnull(strstr(body, text("# TYPE %s ", rows[i].family)));
		/* Its labels are chance. */
		if (strcmp(rows[i].family, "hrwd_pool_info") == 0) {
			ck_assert_ptr_nonnull(strstr(body, rows[i].sample));
			continue;
		}
		is = value(body, rows[i].sample);
		ck_assert_msg(is >= rows[i].min && is <= rows[i].max, "%s is %g, not %g to %g",
		    rows[i].sample, is, rows[i].min, rows[i].max);
	}
}
END_TEST

START_TEST(every_family_has_a_test)
{
	for (size_t i = 0; metrics_name(i) != NULL; i++) {
		size_t k = 0;

		while (k < ROWS && strcmp(rows[k].family, metrics_name(i)) != 0)
			k++;
		ck_assert_msg(k < ROWS, "%s has no test", metrics_name(i));
	}
}
END_TEST

/* What the fleet's nodes are counted for goes on over a change, and ends with them. */
START_TEST(a_nodes_lookups_are_counted_while_it_is_in_the_pool)
{
	const char *body;
	double before;

	use();
	before = value(scrape(), NODE("hrwd_node_lookups_total", "cache-a"));
	expect_status(post(d->admin, "/nodes/cache-c/drain?report=none", NULL), 200);
	expect_status(del(d->admin, "/nodes/cache-c?report=none"), 200);
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	body = scrape();
	ck_assert_ptr_null(strstr(body, "node=\"cache-c\""));
	ck_assert(value(body, NODE("hrwd_node_lookups_total", "cache-a")) >= before);
	ck_assert(value(body, "hrwd_lookups_total{pool=\"default\"}") == 35);
}
END_TEST

/* The daemon counts for as long as it runs, whatever pools came and went. */
START_TEST(a_pool_made_after_many_others_is_counted)
{
	static const char nodes[] = "{\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"}]}";

	for (int i = 0; i < 100; i++) {
		const char *path = text("/pools/pool-%d?force=pool-not-empty", i);

		expect_status(ask(d->admin, "PUT", text("/pools/pool-%d", i),
				  "Content-Type: application/json\nIf-None-Match: *", nodes),
		    201);
		expect_status(get(d->lookup, text("/owner?key=a&pool=pool-%d", i)), 200);
		if (i < 99)
			expect_status(del(d->admin, path), 200);
	}
	ck_assert(value(scrape(), "hrwd_lookups_total{pool=\"pool-99\"}") == 1);
	ck_assert(value(scrape(), "hrwd_node_lookups_total{pool=\"pool-99\",node=\"a\"}") == 1);
	ck_assert_ptr_null(strstr(scrape(), "pool=\"pool-98\""));
	ck_assert_ptr_null(strstr(scrape(), "pool=\"\""));
}
END_TEST

/* A gauge comes and goes as the requests do, which end after their clients. */
static void
wait_watchers(const char *listener, int count)
{
	const char *sample = text("hrwd_watchers{listener=\"%s\"}", listener);
	double deadline = now_ms() + 10000;

	while (value(scrape(), sample) != count) {
		ck_assert_msg(now_ms() < deadline, "%s is not %d", sample, count);
		pause_ms(5);
	}
}

START_TEST(who_waits_for_a_change_is_counted_while_it_waits)
{
	const char *etag = text("%s", header(get(d->lookup, "/pools/default"), "ETag"));
	const char *request = text("GET /pools/default?wait=100 HTTP/1.1\r\nHost: localhost\r\n"
				   "If-None-Match: %s\r\n\r\n",
	    etag);
	struct events *stream = events_open(d->lookup, "/watch", NULL);
	struct events *other = events_open(d->admin, "/watch", NULL);
	int fd = raw_open(d->lookup), gone = raw_open(d->lookup);

	wait_watchers("lookup", 1);
	wait_watchers("admin", 1);
	raw_send(fd, request, strlen(request));
	raw_send(gone, request, strlen(request));
	wait_watchers("lookup", 3);
	close(gone);
	wait_watchers("lookup", 2);
	expect_status(post(d->admin, "/nodes/cache-c/drain?report=none", NULL), 200);
	expect_status(raw_answer(fd, 10000), 200);
	wait_watchers("lookup", 1);
	events_close(stream);
	events_close(other);
	wait_watchers("lookup", 0);
	wait_watchers("admin", 0);
	close(fd);
}
END_TEST

START_TEST(no_key_stands_in_a_label)
{
	expect_status(get(d->lookup, "/owner?key=a-key-of-somebody"), 200);
	ck_assert_ptr_null(strstr(scrape(), "somebody"));
}
END_TEST

static bool
is_family(const char *name, size_t len)
{
	static const char *const suffixes[] = {"", "_bucket", "_sum", "_count"};

	for (size_t i = 0; metrics_name(i) != NULL; i++)
		for (size_t k = 0; k < sizeof(suffixes) / sizeof(suffixes[0]); k++) {
			const char *whole = text("%s%s", metrics_name(i), suffixes[k]);

			if (strlen(whole) == len && memcmp(whole, name, len) == 0)
				return true;
		}
	return false;
}

/* Alerts and dashboard ask for metrics that there are, by their whole names. */
START_TEST(alerts_and_dashboard_name_metrics_that_there_are)
{
	static const char *const paths[] = {"conf/hrwd.rules.yml", "conf/grafana.json"};
	static const char *const prefixes[] = {"hrwd_", "process_"};
	const char *body = scrape();
	size_t found = 0;

	for (size_t i = 0; i < 4; i++) {
		const char *prefix = prefixes[i % 2], *at = text_file(paths[i / 2], NULL);

		ck_assert_ptr_nonnull(at);
		for (; (at = strstr(at, prefix)) != NULL; found++) {
			size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz_");

			ck_assert_msg(is_family(at, len), "%s asks for %.*s, which is no metric",
			    paths[i / 2], (int)len, at);
			at += len;
		}
	}
	ck_assert_uint_gt(found, 30);
	for (size_t i = 0; metrics_name(i) != NULL; i++)
		ck_assert_ptr_nonnull(strstr(body, text("\n# TYPE %s ", metrics_name(i))));
}
END_TEST

/* promtool is Prometheus's own. */
START_TEST(promtool_has_nothing_to_say)
{
	FILE *promtool;

	use();
	promtool = popen(text("%s check metrics", program_path("promtool")), "w");
	ck_assert_ptr_nonnull(promtool);
	fputs(scrape(), promtool);
	ck_assert_int_eq(pclose(promtool), 0);
}
END_TEST

SUITE(metrics)
{
	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_test(tests, every_family_says_what_was_done);
	tcase_add_test(tests, every_family_has_a_test);
	tcase_add_test(tests, a_nodes_lookups_are_counted_while_it_is_in_the_pool);
	tcase_add_test(tests, a_pool_made_after_many_others_is_counted);
	tcase_add_test(tests, who_waits_for_a_change_is_counted_while_it_waits);
	tcase_add_test(tests, no_key_stands_in_a_label);
	tcase_add_test(tests, alerts_and_dashboard_name_metrics_that_there_are);
	if (program_is_here("promtool", "prometheus", 1))
		tcase_add_test(tests, promtool_has_nothing_to_say);
}
