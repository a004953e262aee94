/*
 * metrics_test.c - counts of several loops add up, and stay in the format.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "daemon/app.h"
#include "daemon/members/snapshot.h"
#include "daemon/metrics/private.h"
#include "daemon/routes/routes.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* All pools there are: every loop has adopted them. */
static struct snapshot *now;

static void
begin(void)
{
	now = snapshot_new("default");
}

static void
end(void)
{
	snapshot_release(now);
}

static void
publish(const char *name, struct pool *pool)
{
	struct snapshot *next = snapshot_with(now, name, pool);

	snapshot_release(now);
	now = next;
}

static bool has_one_hash;

/* However its name hashes. */
static struct pool *
pool_of(const char *name, uint64_t epoch, const char *lineage, const char *members)
{
	struct hrw_membership *m = draft(members);
	struct pool *pool;

	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	pool = pool_new(name, epoch, lineage, &pool_no_terms, m, m);
	if (has_one_hash)
		pool->name_hash = UINT32_MAX;
	return pool;
}

static void
make(const char *name, const char *members)
{
	publish(name, pool_of(name, 1, NULL, members));
}

/* The pool's next version. */
static void
change(const char *name, const char *members)
{
	const struct pool *before = snapshot_pool(now, hrw_text(name));

	publish(name, pool_of(name, before->epoch + 1, before->lineage, members));
}

static void
look_up(struct metrics *m, const char *name, uint32_t owner, int keys)
{
	const struct pool *pool = snapshot_pool(now, hrw_text(name));

	for (int i = 0; i < keys; i++)
		metrics_lookup(m, pool, owner);
}

/* What a scrape says; to be finished by buffer_fini(). */
static struct buffer
scrape(struct metrics *m)
{
	struct app app = {.metrics = m};
	struct buffer out = {0};

	metrics_write(&app, now, NULL, &out);
	buffer_text(&out);
	return out;
}

static void
expect_sample(struct metrics *m, const char *sample)
{
	struct buffer out = scrape(m);

	ck_assert_msg(
	    strstr(out.data, text("\n%s\n", sample)) != NULL, "no %s in\n%s", sample, out.data);
	buffer_fini(&out);
}

static size_t
series(struct metrics *m, const char *metric)
{
	struct buffer out = scrape(m);
	const char *begun = text("\n%s{", metric);
	size_t count = 0;

	for (const char *at = out.data; (at = strstr(at, begun)) != NULL; at++)
		count++;
	buffer_fini(&out);
	return count;
}

START_TEST(counts_of_all_loops_add_up)
{
	struct metrics *first = metrics_new(routes, route_count), *second = metrics_join(first);
	struct buffer out;

	make("default", "a b");
	make("photos", "a b");
	metrics_request(first, 0, 200, 20000);
	metrics_request(second, 0, 204, 70000000000);
	metrics_request(second, route_count, 404, 1);
	look_up(first, "default", 0, 1);
	look_up(second, "photos", METRICS_NOBODY, 10);
	look_up(second, "default", 1, 100);
	metrics_change(first, METRICS_REFUSED);
	metrics_drift(first, "default", true);
	out = scrape(second);
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\"} 2\n"));
	ck_assert_ptr_nonnull(
	    strstr(out.data, "hrwd_requests_total{method=\"\",route=\"\",code=\"4xx\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "hrwd_request_duration_seconds_bucket{method="));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\",le=\"1e-05\"} 0\n"));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\",le=\"2.5e-05\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\",le=\"60\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\",le=\"+Inf\"} 2\n"));
	ck_assert_ptr_nonnull(strstr(out.data, ",code=\"2xx\"} 70.000020000\n"));
	buffer_fini(&out);
	expect_sample(first, "hrwd_lookups_total{pool=\"default\"} 101");
	expect_sample(first, "hrwd_lookups_total{pool=\"photos\"} 10");
	expect_sample(first, "hrwd_node_lookups_total{pool=\"default\",node=\"b\"} 100");
	expect_sample(first, "hrwd_changes_total{outcome=\"refused\"} 1");
	expect_sample(first, "hrwd_config_drift{pool=\"default\"} 1");
	metrics_free(first);
}
END_TEST

START_TEST(each_of_many_pools_is_counted_by_itself)
{
	struct metrics *m = metrics_new(routes, route_count);

	has_one_hash = _i == 1;
	for (int i = 0; i < 500; i++) {
		make(text("pool-%d", i), "a b");
		look_up(m, text("pool-%d", i), 1, 1 + i);
	}
	for (int i = 0; i < 500; i += 83) {
		expect_sample(m, text("hrwd_lookups_total{pool=\"pool-%d\"} %d", i, 1 + i));
		expect_sample(
		    m, text("hrwd_node_lookups_total{pool=\"pool-%d\",node=\"b\"} %d", i, 1 + i));
	}
	ck_assert_uint_eq(series(m, "hrwd_lookups_total"), 500);
	metrics_free(m);
}
END_TEST

START_TEST(a_removed_pool_leaves_no_series_and_no_memory)
{
	struct metrics *m = metrics_new(routes, route_count);

	has_one_hash = _i == 1;
	make("stays", "a b");
	for (int i = 0; i < 1000; i++) {
		const char *name = text("pool-%d", i);

		make(name, "a b");
		look_up(m, name, 0, 1);
		look_up(m, "stays", 1, 1);
		publish(name, NULL);
		metrics_adopt(m, now);
	}
	make("young", "a b");
	look_up(m, "young", 1, 3);
	expect_sample(m, "hrwd_lookups_total{pool=\"stays\"} 1000");
	expect_sample(m, "hrwd_lookups_total{pool=\"young\"} 3");
	expect_sample(m, "hrwd_node_lookups_total{pool=\"young\",node=\"b\"} 3");
	ck_assert_uint_eq(series(m, "hrwd_lookups_total"), 2);
	ck_assert_uint_eq(m->pools, 2);
	ck_assert_uint_lt(m->slots, 100);
	metrics_free(m);
}
END_TEST

START_TEST(a_pool_made_anew_begins_at_0)
{
	struct metrics *m = metrics_new(routes, route_count);
	struct snapshot *before;

	make("default", "a b");
	look_up(m, "default", 1, 5);
	before = snapshot_acquire(now);
	make("default", "a b");
	metrics_adopt(m, now);
	look_up(m, "default", 1, 2);
	/* A long answer still goes by the snapshot that it began with. */
	metrics_lookup(m, snapshot_pool(before, hrw_text("default")), 1);
	look_up(m, "default", 1, 2);
	expect_sample(m, "hrwd_lookups_total{pool=\"default\"} 4");
	expect_sample(m, "hrwd_node_lookups_total{pool=\"default\",node=\"b\"} 4");
	snapshot_release(before);
	metrics_free(m);
}
END_TEST

START_TEST(a_change_keeps_the_counts_of_the_nodes_that_stay)
{
	struct metrics *m = metrics_new(routes, route_count);

	make("default", "a b c");
	look_up(m, "default", 2, 5);
	look_up(m, "default", 0, 3);
	change("default", "b c d");
	metrics_adopt(m, now);
	look_up(m, "default", 1, 1);
	expect_sample(m, "hrwd_lookups_total{pool=\"default\"} 9");
	expect_sample(m, "hrwd_node_lookups_total{pool=\"default\",node=\"c\"} 6");
	expect_sample(m, "hrwd_node_lookups_total{pool=\"default\",node=\"d\"} 0");
	metrics_free(m);
}
END_TEST

static void *
scrape_much(void *arg)
{
	struct metrics *m = arg;

	for (int i = 0; i < 200; i++) {
		struct app app = {.metrics = m};
		struct buffer out = {0};

		metrics_write(&app, now, NULL, &out);
		buffer_fini(&out);
	}
	return NULL;
}

/* The loop whose place it is may do what it likes to it under a scrape. */
START_TEST(pools_come_and_go_while_another_thread_scrapes)
{
	struct metrics *first = metrics_new(routes, route_count), *m = metrics_join(first);
	struct snapshot *nothing = snapshot_new("default");
	pthread_t thread;

	for (int i = 0; i < 40; i++)
		make(text("pool-%d", i), "a b");
	ck_assert_int_eq(pthread_create(&thread, NULL, scrape_much, first), 0);
	for (int i = 0; i < 2000; i++) {
		look_up(m, text("pool-%d", i % 40), 1, 1);
		if (i % 120 == 119)
			metrics_adopt(m, nothing);
	}
	pthread_join(thread, NULL);
	expect_sample(first, "hrwd_lookups_total{pool=\"pool-0\"} 2");
	snapshot_release(nothing);
	metrics_free(first);
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
	struct metrics *m = metrics_new(routes, route_count);
	struct buffer out;
	char metric[64] = "", type[64] = "";
	bool is_histogram = false;
	char *rest;

	metrics_request(m, 0, 200, 1);
	make("a\"b\\c\nd", "a b");
	look_up(m, "a\"b\\c\nd", 0, 1);
	out = scrape(m);
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
	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_test(tests, counts_of_all_loops_add_up);
	tcase_add_loop_test(tests, each_of_many_pools_is_counted_by_itself, 0, 2);
	tcase_add_loop_test(tests, a_removed_pool_leaves_no_series_and_no_memory, 0, 2);
	tcase_add_test(tests, a_pool_made_anew_begins_at_0);
	tcase_add_test(tests, a_change_keeps_the_counts_of_the_nodes_that_stay);
	tcase_add_test(tests, pools_come_and_go_while_another_thread_scrapes);
	tcase_add_test(tests, every_metric_has_its_help_and_type);
}
