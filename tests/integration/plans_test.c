/*
 * Plans: reports that are asked for, kept, listed, applied.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define JSON "Content-Type: application/json"

static int
lines_of(const char *at)
{
	int lines = 0;

	for (; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	return lines;
}

START_TEST(a_plan_reports_what_a_change_would_do_and_does_not_do_it)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = expect_status(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), 200);

	expect(a, "outcome", "'dry_run'");
	expect(a, "refusal", "null");
	expect(a, "epoch_before", "1");
	expect(a, "keys.source", "'stored'");
	expect(a, "keys.total", "24");
	expect(a, "keys.changed", "13");
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	ck_assert_str_eq(state_of(d, "cache-c"), "active");
	/* Kept as it was answered. */
	ck_assert(
	    cJSON_Compare(get(d->admin, text("/plans/%s", text_at(a, "plan")))->json, a->json, 1));
	daemon_stop(d);
}
END_TEST

START_TEST(a_plan_is_never_refused_by_a_guard_but_says_that_the_change_would_be)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/plan", "{\"remove\":[\"cache-c\",\"cache-d\"]}");

	expect_status(a, 200);
	expect(a, "keys.changed", "19");
	expect(a, "keys_without_source", "4");
	expect(a, "owners", "{'changed':10,'cold':4}");
	ck_assert_ptr_nonnull(strstr("not-draining keys-at-risk", text_at(a, "refusal.code")));
	ck_assert_str_ne(text_at(a, "refusal.detail"), "");
	/* What does not exist is no guard. */
	expect_refusal(
	    post(d->admin, "/plan", "{\"drain\":[\"cache-z\"]}"), 404, "unknown-node", "cache-z");
	daemon_stop(d);
}
END_TEST

START_TEST(a_newcomer_in_a_plan_needs_only_a_name)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/plan", "{\"add\":[{\"name\":\"cache-e\"}]}");

	expect_status(a, 200);
	expect(a, "keys.changed", "8");
	expect(a, "change", "[{'op':'add','node':'cache-e'}]");
	ck_assert_int_ge(
	    (int)post(d->admin, "/changes", "{\"add\":[{\"name\":\"cache-e\"}]}")->status, 400);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
}
END_TEST

START_TEST(keys_of_the_request_are_reported_and_listed_whole_where_ndjson_is_asked)
{
	struct daemon *d = fleet_start();
	const char *body = "{\"drain\":[\"cache-c\"],\"keys\":[\"photo-2\",\"photo-7\",\"photo-"
			   "10\",{\"key_base64\":"
			   "\"//4=\"}]}";
	struct answer *a = expect_status(post(d->admin, "/plan", body), 200);

	expect(a, "keys.source", "'request'");
	expect(a, "keys.total", "4");
	ck_assert_ptr_null(value_at(a->json, "changes[key=photo-7]"));
	expect(a, "changes[key=photo-10].gained", "['cache-d']");

	a = ask(d->admin, "POST", "/plan", JSON "\nAccept: application/x-ndjson", body);
	expect_status(a, 200);
	expect_header(a, "Content-Type", "application/x-ndjson");
	ck_assert_ptr_nonnull(strstr(a->body,
	    "{\"key\":\"photo-2\",\"lost\":[\"cache-c\"],\"gained\":[\"cache-d\"],\"from\":"
	    "\"cache-a\"}\n"));
	ck_assert_ptr_null(strstr(a->body, "photo-7"));
	daemon_stop(d);
}
END_TEST

START_TEST(keys_of_a_request_are_a_set_in_the_order_in_which_they_came)
{
	struct daemon *d = fleet_start();
	struct answer *a = post(d->admin, "/plan",
	    "{\"drain\":[\"cache-c\"],\"keys\":[\"photo-3\",\"photo-2\",\"photo-3\",{\"key_"
	    "base64\":"
	    "\"cGhvdG8tMg==\"},\"photo-10\"]}");

	expect_status(a, 200);
	expect(a, "keys.total", "3");
	expect(a, "changes[0].key", "'photo-3'");
	expect(a, "changes[1].key", "'photo-2'");
	expect(a, "changes[2].key", "'photo-10'");
	a = post(d->admin, "/compare", "{\"placements\":[\"ring\"],\"keys\":[\"a\",\"b\",\"a\"]}");
	expect_status(a, 200);
	expect(a, "keys.total", "2");
}
END_TEST

START_TEST(single_changes_are_listed_in_three_forms)
{
	struct daemon *d = fleet_with_photos();
	struct answer *plan = post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}");
	const char *url = text_at(plan, "changes_url");
	struct answer *a = expect_status(get(d->admin, url), 200);

	expect_header(a, "Content-Type", "application/x-ndjson");
	ck_assert_int_eq(lines_of(a->body), 13);
	ck_assert_int_eq(
	    strncmp(a->body,
		"{\"key\":\"photo-10\",\"lost\":[\"cache-c\"],\"gained\":[\"cache-d\"],"
		"\"from\":\"cache-b\"}\n",
		70),
	    0);
	a = ask(d->admin, "GET", url, "Accept: application/json", NULL);
	expect_status(a, 200);
	expect_header(a, "Content-Type", "application/json");
	ck_assert(cJSON_Compare(a->json, value_at(plan->json, "changes"), 1));
	a = ask(d->admin, "GET", url, "Accept: text/csv", NULL);
	expect_status(a, 200);
	ck_assert_int_eq(strncmp(header(a, "Content-Type"), "text/csv", 8), 0);
	ck_assert_int_eq(strncmp(a->body, "key,key_base64,lost,gained,from", 31), 0);
	ck_assert_int_eq(lines_of(a->body), 14);
	ck_assert_ptr_nonnull(strstr(a->body, "\nphoto-10,,cache-c,cache-d,cache-b"));
	daemon_stop(d);
}
END_TEST

START_TEST(csv_quotes_what_would_break_a_row)
{
	struct daemon *d = fleet_start();
	struct answer *a;

	/* Removing three of four nodes, each of these keys is listed. */
	expect(ask(d->admin, "PUT", "/keys", JSON,
		   "[\"a,b\",\"say \\\"hi\\\"\",\"two\\nlines\",{\"key_base64\":\"//4=\"}]"),
	    "keys", "4");
	a = post(d->admin, "/plan", "{\"remove\":[\"cache-a\",\"cache-b\",\"cache-c\"]}");
	expect(a, "keys.changed", "4");
	a = ask(d->admin, "GET", text_at(a, "changes_url"), "Accept: text/csv", NULL);
	ck_assert_ptr_nonnull(strstr(a->body, "\n\"a,b\",,"));
	ck_assert_ptr_nonnull(strstr(a->body, "\n\"say \"\"hi\"\"\",,"));
	ck_assert_ptr_nonnull(strstr(a->body, "\n\"two\nlines\",,"));
	ck_assert_ptr_nonnull(strstr(a->body, "\n,//4=,"));
	daemon_stop(d);
}
END_TEST

START_TEST(changes_are_filtered_as_the_moves_count_them)
{
	struct daemon *d = fleet_with_photos();
	struct answer *plan = post(d->admin, "/plan", "{\"remove\":[\"cache-c\",\"cache-d\"]}");
	const char *url = text_at(plan, "changes_url");
	int moves = count_at(plan, "moves");
	struct answer *a;

	ck_assert_int_gt(moves, 1);
	for (int i = 0; i < moves; i++) {
		const char *lost = text_at(plan, text("moves[%d].lost", i));
		const char *gained = text_at(plan, text("moves[%d].gained", i));

		a = get(d->admin, text("%s?lost=%s&gained=%s", url, lost, gained));
		ck_assert_int_eq(
		    lines_of(a->body), (int)number_at(plan, text("moves[%d].keys", i)));
	}
	a = ask(d->admin, "GET", text("%s?from=", url), "Accept: application/json", NULL);
	ck_assert_int_eq(cJSON_GetArraySize(a->json), 4);
	expect(a, "[0].key", "'photo-14'");
	expect(a, "[0].from", "null");
	expect(a, "[3].key", "'photo-4'");
	a = ask(d->admin, "GET", text("%s?from=cache-b", url), "Accept: application/json", NULL);
	for (int i = 0; i < cJSON_GetArraySize(a->json); i++)
		expect(a, text("[%d].from", i), "'cache-b'");
	daemon_stop(d);
}
END_TEST

START_TEST(changes_over_another_key_set_are_refused)
{
	struct daemon *d = fleet_with_photos();
	struct answer *plan = post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}");

	expect_status(ask(d->admin, "POST", "/keys", "Content-Type: text/plain", "more\n"), 200);
	expect_refusal(get(d->admin, text_at(plan, "changes_url")), 409, "keys-changed", "plan");
	/* The report itself stays. */
	expect(get(d->admin, text("/plans/%s", text_at(plan, "plan"))), "keys.changed", "13");
	daemon_stop(d);
}
END_TEST

START_TEST(a_report_lists_so_many_changes_as_are_asked_for)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/plan?changes=5", "{\"drain\":[\"cache-c\"]}");

	ck_assert_int_eq(count_at(a, "changes"), 5);
	expect(a, "changes_truncated", "true");
	expect(a, "keys.changed", "13");
	ck_assert_int_eq(lines_of(get(d->admin, text_at(a, "changes_url"))->body), 13);
	a = post(d->admin, "/plan?changes=0", "{\"drain\":[\"cache-c\"]}");
	expect(a, "changes", "[]");
	expect(a, "changes_truncated", "true");
	a = post(d->admin, "/plan?changes=13", "{\"drain\":[\"cache-c\"]}");
	expect(a, "changes_truncated", "false");
	daemon_stop(d);
}
END_TEST

START_TEST(without_keys_a_sample_estimates_the_share_that_changes)
{
	struct daemon *d = fleet_start();
	struct answer *a = expect_status(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), 200);
	double low = number_at(a, "keys.share.low");
	double high = number_at(a, "keys.share.high");
	double changed = number_at(a, "keys.share.changed");

	expect(a, "keys.source", "'estimate'");
	/* Two of four equal nodes hold a key: half of all keys had one on cache-c. */
	ck_assert_double_lt(low, changed);
	ck_assert_double_lt(changed, high);
	ck_assert_double_eq_tol(changed, 0.5, 0.01);
	ck_assert_double_lt(high - low, 0.01);
	ck_assert_double_eq_tol(
	    changed, number_at(a, "keys.changed") / number_at(a, "keys.total"), 1e-9);
	expect(a, "changes", "[]");
	/* Nor are there any where all of them stand. */
	expect_body(expect_status(get(d->admin, text_at(a, "changes_url")), 200), "");
	daemon_stop(d);
}
END_TEST

START_TEST(a_plan_is_applied_as_long_as_its_epoch_stands)
{
	struct daemon *d = fleet_with_photos();
	struct answer *plan = post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}");
	const char *apply = text("/plans/%s/apply", text_at(plan, "plan"));
	struct answer *a = expect_status(post(d->admin, apply, NULL), 200);

	expect(a, "outcome", "'applied'");
	expect(a, "epoch_after", "2");
	expect(a, "change", "[{'op':'drain','node':'cache-c'}]");
	expect(a, "keys.changed", "13");
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");

	plan = post(d->admin, "/plan", "{\"add\":[{\"name\":\"cache-e\",\"address\":\"h:1\"}]}");
	apply = text("/plans/%s/apply", text_at(plan, "plan"));
	expect_status(post(d->admin, "/nodes/cache-c/activate", NULL), 200);
	expect_refusal(post(d->admin, apply, NULL), 412, "stale-epoch", "2|3");
	ck_assert_int_eq(epoch_of(d, "default"), 3);
	expect_refusal(
	    post(d->admin, "/plans/no-such-plan/apply", NULL), 404, "unknown-plan", "no-such-plan");
	daemon_stop(d);
}
END_TEST

START_TEST(applying_a_plan_is_judged_by_the_guards_and_forced_by_name)
{
	struct daemon *d = fleet_with_photos();
	struct answer *plan = post(d->admin, "/plan", "{\"remove\":[\"cache-c\"]}");
	const char *apply = text("/plans/%s/apply", text_at(plan, "plan"));

	expect_refusal(post(d->admin, apply, NULL), 409, "not-draining", "cache-c");
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	expect_status(post(d->admin, text("%s?force=not-draining", apply), NULL), 200);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	daemon_stop(d);
}
END_TEST

START_TEST(a_dry_run_is_a_plan_that_can_be_applied_too)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/nodes/cache-c/drain?dry_run=true", NULL);

	a = post(d->admin, text("/plans/%s/apply", text_at(a, "plan")), NULL);
	expect_status(a, 200);
	expect(a, "outcome", "'applied'");
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
	daemon_stop(d);
}
END_TEST

START_TEST(plans_are_listed_newest_first_page_by_page_and_outlive_a_restart)
{
	struct daemon *d = fleet_with_photos();
	const char *id[3];
	struct answer *a;

	for (int i = 0; i < 3; i++)
		id[i] = text_at(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), "plan");
	a = expect_status(get(d->admin, "/plans?limit=2"), 200);
	ck_assert_int_eq(count_at(a, "plans"), 2);
	expect(a, "plans[0].plan", text("'%s'", id[2]));
	expect(a, "plans[1].plan", text("'%s'", id[1]));
	ck_assert_ptr_nonnull(value_at(a->json, "next"));
	a = get(d->admin, text("/plans?limit=2&after=%s", text_at(a, "next")));
	expect(a, "plans[0].plan", text("'%s'", id[0]));
	daemon_stop(d);
	daemon_launch(d);
	expect(get(d->admin, "/plans"), "plans[0].plan", text("'%s'", id[2]));
	a = expect_status(get(d->admin, text("/plans/%s/changes", id[0])), 200);
	ck_assert_int_eq(lines_of(a->body), 13);
	expect_refusal(get(d->admin, "/plans/nothing"), 404, "unknown-plan", "nothing");
	expect_refusal(get(d->admin, "/plans/nothing/changes"), 404, "unknown-plan", "nothing");
	daemon_stop(d);
}
END_TEST

START_TEST(three_hundred_thousand_keys_are_all_listed)
{
	struct daemon *d = fleet_start();
	struct answer *a = keys_put(d, numbered_keys("key-", 300000)), *all;
	const char *line, *end;
	size_t rest;
	int lines = 0;

	expect(a, "keys", "300000");
	a = expect_status(post(d->admin, "/plan?wait=60", "{\"drain\":[\"cache-c\"]}"), 200);
	expect(a, "state", "'done'");
	expect(a, "keys.total", "300000");
	ck_assert_int_eq(count_at(a, "changes"), 1000);
	expect(a, "changes_truncated", "true");
	ck_assert_double_eq_tol(number_at(a, "keys.changed"), 150000, 2000);
	all = expect_status(get(d->admin, text_at(a, "changes_url")), 200);
	rest = all->len;
	for (line = all->body; (end = memchr(line, '\n', rest)) != NULL; line = end + 1, lines++) {
		size_t len = (size_t)(end - line);

		ck_assert_msg(memmem(line, len, "{\"key\":\"key-", 12) == line &&
				  memmem(line, len, "\"lost\":[\"cache-c\"]", 18) != NULL &&
				  end[-1] == '}',
		    "line %d: %.200s", lines + 1, line);
		rest -= len + 1;
	}
	ck_assert_uint_eq(rest, 0);
	ck_assert_int_eq(lines, (int)number_at(a, "keys.changed"));
	daemon_stop(d);
}
END_TEST

START_TEST(a_plan_under_way_shows_its_progress_and_is_asked_for_until_it_is_done)
{
	struct daemon *d = fleet_start();
	struct answer *a;

	keys_put(d, numbered_keys("key-", 300000));
	a = ask(
	    d->admin, "POST", "/plan", JSON "\nPrefer: respond-async", "{\"drain\":[\"cache-c\"]}");
	expect_status(a, 202);
	a = get(d->admin, text("/plans/%s?wait=30", text_at(a, "plan")));
	expect(a, "state", "'done'");
	expect(a, "progress", "1");
	expect(a, "keys.total", "300000");
	daemon_stop(d);
}
END_TEST

/* 64 nodes of unequal weight, so that each key takes its while. */
static struct daemon *
slow_fleet(size_t keys)
{
	struct page nodes = {0};
	struct daemon *d;

	for (int i = 0; i < 64; i++)
		page_add(&nodes, "%s{\"name\":\"n-%d\",\"address\":\"h:%d\",\"weight\":%d}",
		    i != 0 ? "," : "", i, i + 1, i + 1);
	d = daemon_start(text("{\"pools\":{\"default\":{\"copies\":8,\"nodes\":[%s]}}}",
			     (char *)kept(nodes.data)),
	    NULL);
	expect_status(keys_put(d, numbered_keys("key-", keys)), 200);
	return d;
}

/* The id of the one plan, as soon as it is listed. */
static const char *
first_plan(const struct daemon *d)
{
	double deadline = now_ms() + 10000;
	struct answer *a;

	for (;;) {
		a = expect_status(get(d->admin, "/plans"), 200);
		if (count_at(a, "plans") != 0)
			return text_at(a, "plans[0].plan");
		ck_assert_msg(now_ms() < deadline, "no plan is listed");
		pause_ms(2);
	}
}

/* Two run, others wait: each is listed once, newest first, and as it is by itself. */
START_TEST(plans_that_run_and_wait_are_listed_as_they_are)
{
	enum { PLANS = 4 };
	struct daemon *d = slow_fleet(500000);
	const char *id[PLANS + 1], *after = NULL;
	double deadline = now_ms() + 60000;
	bool has_moved = false;
	struct answer *a;

	id[PLANS] = text_at(
	    expect_status(post(d->admin, "/plan?sample=true", "{\"drain\":[\"n-1\"]}"), 200),
	    "plan");
	for (int i = PLANS - 1; i >= 0; i--) {
		a = ask(d->admin, "POST", "/plan", JSON "\nPrefer: respond-async",
		    "{\"drain\":[\"n-7\"]}");
		id[i] = text_at(expect_status(a, 202), "plan");
	}
	a = expect_status(get(d->admin, "/plans"), 200);
	ck_assert_int_eq(count_at(a, "plans"), PLANS + 1);
	for (int i = 0; i <= PLANS; i++) {
		struct answer *page = expect_status(
		    get(d->admin,
			after == NULL ? "/plans?limit=1" : text("/plans?limit=1&after=%s", after)),
		    200);

		expect(a, text("plans[%d].plan", i), text("'%s'", id[i]));
		expect(page, "plans[0].plan", text("'%s'", id[i]));
		ck_assert_int_eq(count_at(page, "plans"), 1);
		if (i < PLANS)
			expect(page, "next", text("'%s'", id[i]));
		after = id[i];
	}
	expect(a, "plans[0].state", "'running'");
	/* One that runs shows how far it is in the list, too. */
	while (!has_moved) {
		a = get(d->admin, "/plans");
		has_moved =
		    strcmp(text_at(a, text("plans[%d].state", PLANS - 1)), "running") == 0 &&
		    number_at(a, text("plans[%d].progress", PLANS - 1)) > 0;
		ck_assert_msg(now_ms() < deadline, "no progress is listed");
		if (strcmp(text_at(a, text("plans[%d].state", PLANS - 1)), "running") != 0)
			break;
		ck_assert_double_le(number_at(a, text("plans[%d].progress", PLANS - 1)),
		    number_at(get(d->admin, text("/plans/%s", id[PLANS - 1])), "progress"));
	}
	ck_assert_msg(has_moved, "it ended without any progress in the list");
	for (int i = 0; i <= PLANS; i++)
		expect(get(d->admin, text("/plans/%s?wait=120", id[i])), "state", "'done'");
	a = get(d->admin, "/plans");
	ck_assert_int_eq(count_at(a, "plans"), PLANS + 1);
	for (int i = 0; i <= PLANS; i++)
		expect(a, text("plans[%d].state", i), "'done'");
	daemon_stop(d);
}
END_TEST

START_TEST(a_plan_stops_when_its_client_goes_away)
{
	static const char request[] =
	    "POST /plan?wait=60 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Content-Length: 17\r\n\r\n{\"drain\":[\"n-7\"]}";
	struct daemon *d = slow_fleet(500000);
	int fd = raw_open(d->admin);
	const char *id;
	struct answer *a;

	raw_send(fd, request, sizeof(request) - 1);
	id = first_plan(d);
	close(fd);
	a = get(d->admin, text("/plans/%s?wait=30", id));
	expect(a, "state", "'stopped'");
	ck_assert_double_lt(number_at(a, "progress"), 1);
	daemon_stop(d);
}
END_TEST

START_TEST(a_plan_that_a_crash_interrupted_is_stopped)
{
	struct daemon *d = slow_fleet(500000);
	struct answer *a =
	    ask(d->admin, "POST", "/plan", JSON "\nPrefer: respond-async", "{\"drain\":[\"n-7\"]}");
	const char *id = text_at(expect_status(a, 202), "plan");

	expect(a, "state", "'running'");
	ck_assert_str_eq(first_plan(d), id);
	daemon_crash(d);
	a = expect_status(get(d->admin, text("/plans/%s?wait=5", id)), 200);
	expect(a, "state", "'stopped'");
	daemon_stop(d);
}
END_TEST

START_TEST(a_stop_does_not_wait_for_a_plan)
{
	struct daemon *d = slow_fleet(500000);
	double begun;

	expect_status(
	    ask(d->admin, "POST", "/plan", JSON "\nPrefer: respond-async", "{\"drain\":[\"n-7\"]}"),
	    202);
	begun = now_ms();
	daemon_stop(d);
	ck_assert_double_lt(now_ms() - begun, 5000);
}
END_TEST

SUITE(plans)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, a_plan_reports_what_a_change_would_do_and_does_not_do_it);
	tcase_add_test(tests, a_plan_is_never_refused_by_a_guard_but_says_that_the_change_would_be);
	tcase_add_test(tests, a_newcomer_in_a_plan_needs_only_a_name);
	tcase_add_test(
	    tests, keys_of_the_request_are_reported_and_listed_whole_where_ndjson_is_asked);
	tcase_add_test(tests, keys_of_a_request_are_a_set_in_the_order_in_which_they_came);
	tcase_add_test(tests, single_changes_are_listed_in_three_forms);
	tcase_add_test(tests, csv_quotes_what_would_break_a_row);
	tcase_add_test(tests, changes_are_filtered_as_the_moves_count_them);
	tcase_add_test(tests, changes_over_another_key_set_are_refused);
	tcase_add_test(tests, a_report_lists_so_many_changes_as_are_asked_for);
	tcase_add_test(tests, without_keys_a_sample_estimates_the_share_that_changes);
	tcase_add_test(tests, a_plan_is_applied_as_long_as_its_epoch_stands);
	tcase_add_test(tests, applying_a_plan_is_judged_by_the_guards_and_forced_by_name);
	tcase_add_test(tests, a_dry_run_is_a_plan_that_can_be_applied_too);
	tcase_add_test(tests, plans_are_listed_newest_first_page_by_page_and_outlive_a_restart);
	tcase_add_test(tests, three_hundred_thousand_keys_are_all_listed);
	tcase_add_test(tests, plans_that_run_and_wait_are_listed_as_they_are);
	tcase_add_test(tests, a_plan_stops_when_its_client_goes_away);
	tcase_add_test(tests, a_plan_that_a_crash_interrupted_is_stopped);
	tcase_add_test(tests, a_stop_does_not_wait_for_a_plan);
	tcase_add_test(
	    tests, a_plan_under_way_shows_its_progress_and_is_asked_for_until_it_is_done);
}
