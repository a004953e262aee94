/*
 * Lists of keys page by page, and reports that leave nothing behind.
 */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define JSON   "Content-Type: application/json"
#define NDJSON "Accept: application/x-ndjson"

static const char *
list(const struct daemon *d, const char *path, const char *parameters)
{
	const char *joint = strchr(path, '?') != NULL ? "&" : "?";
	struct answer *a =
	    ask(d->admin, "GET", text("%s%s%s", path, joint, parameters), NDJSON, NULL);

	return expect_status(a, 200)->body;
}

/* The key of the last line: of "photo-1" or {"key":"photo-1",…}. */
static const char *
last_key(const char *lines)
{
	size_t len = strlen(lines);
	const char *line = lines + len - 1;
	const char *key;
	cJSON *j;

	while (line > lines && line[-1] != '\n')
		line--;
	j = cJSON_Parse(line);
	key = cJSON_IsString(j) ? j->valuestring : cJSON_GetObjectItem(j, "key")->valuestring;
	key = text("%s", key);
	cJSON_Delete(j);
	return key;
}

static int
lines_of(const char *page)
{
	int lines = 0;

	for (; (page = strchr(page, '\n')) != NULL; page++)
		lines++;
	return lines;
}

/* Pages of so many lines, one behind another, are the whole list. */
static void
expect_pages(const struct daemon *d, const char *path)
{
	const char *whole = list(d, path, "limit=1000");

	ck_assert_str_ne(whole, "");
	for (int limit = 1; limit <= 14; limit++) {
		const char *pages = "", *page = list(d, path, text("limit=%d", limit));
		int count = 0;

		for (; page[0] != '\0'; count++) {
			pages = text("%s%s", pages, page);
			ck_assert_int_lt(count, 100);
			ck_assert_int_le(lines_of(page), limit);
			page = list(d, path, text("limit=%d&after=%s", limit, last_key(page)));
		}
		ck_assert_msg(strcmp(pages, whole) == 0, "%s, pages of %d:\n%snot\n%s", path, limit,
		    pages, whole);
	}
}

START_TEST(page_by_page_a_list_of_keys_is_the_whole_list)
{
	struct daemon *d = fleet_with_photos();
	struct answer *stored = post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}");
	struct answer *sent = post(d->admin, "/plan",
	    "{\"drain\":[\"cache-c\"],\"keys\":[\"photo-9\",\"photo-10\",\"photo-2\",\"photo-22\"]"
	    "}");

	expect_pages(d, "/keys");
	expect_pages(d, text_at(stored, "changes_url"));
	expect_pages(d, text("%s?lost=cache-c&from=cache-a", text_at(stored, "changes_url")));
	expect_pages(d, text_at(sent, "changes_url"));
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	expect_pages(d, "/copies");
	daemon_stop(d);
}
END_TEST

START_TEST(stored_keys_go_on_after_any_key_in_order_of_bytes)
{
	struct daemon *d = fleet_start();
	struct answer *plan;

	expect_status(keys_put(d, "a\nc\n\xff\n"), 200);
	ck_assert_str_eq(list(d, "/keys", "after=b"), "\"c\"\n{\"key_base64\":\"/w==\"}\n");
	ck_assert_str_eq(list(d, "/keys", "after=c&limit=1"), "{\"key_base64\":\"/w==\"}\n");
	ck_assert_str_eq(list(d, "/keys", "after=%ff"), "");
	ck_assert_str_eq(list(d, "/keys", "after="), list(d, "/keys", "limit=3"));
	plan = post(d->admin, "/plan", "{\"copies\":1}");
	ck_assert_ptr_null(strstr(list(d, text_at(plan, "changes_url"), "after=b"), "\"a\""));
	daemon_stop(d);
}
END_TEST

START_TEST(keys_that_were_sent_go_on_after_one_of_them)
{
	struct daemon *d = fleet_start();
	struct answer *plan = post(
	    d->admin, "/plan", "{\"drain\":[\"cache-c\"],\"keys\":[\"photo-10\",\"photo-2\"]}");
	const char *url = text_at(plan, "changes_url");

	expect_refusal(
	    get(d->admin, text("%s?after=photo-11", url)), 400, "bad-parameter", "after");
	ck_assert_ptr_null(strstr(list(d, url, "after=photo-10"), "photo-10"));
	ck_assert_ptr_nonnull(strstr(list(d, url, "after=photo-10"), "photo-2"));
	daemon_stop(d);
}
END_TEST

START_TEST(a_page_of_text_is_refused_only_for_keys_that_it_has)
{
	struct daemon *d = fleet_start();

	expect_status(
	    ask(d->admin, "PUT", "/keys", JSON, "[\"a\",\"b\",\"line\\nbreak\",\"z\"]"), 200);
	expect_status(ask(d->admin, "GET", "/keys", "Accept: text/plain", NULL), 400);
	expect_body(ask(d->admin, "GET", "/keys?limit=2", "Accept: text/plain", NULL), "a\nb\n");
	expect_body(ask(d->admin, "GET", "/keys?after=m", "Accept: text/plain", NULL), "z\n");
	expect_status(
	    ask(d->admin, "GET", "/keys?after=b&limit=1", "Accept: text/plain", NULL), 400);
	daemon_stop(d);
}
END_TEST

START_TEST(a_limit_is_a_number_from_1)
{
	static const char *const bad[] = {"0", "-1", "x", "", "1.5", "2147483648", "1e3"};
	struct daemon *d = fleet_with_photos();
	const char *plan = text_at(post(d->admin, "/plan", "{\"copies\":1}"), "changes_url");
	const char *const paths[] = {"/keys", "/copies", plan};

	for (size_t p = 0; p < 3; p++)
		for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
			expect_refusal(get(d->admin, text("%s?limit=%s", paths[p], bad[i])), 400,
			    "bad-parameter", "limit");
	daemon_stop(d);
}
END_TEST

START_TEST(a_sample_estimates_although_keys_are_stored)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/plan?sample=true", "{\"drain\":[\"cache-c\"]}");

	expect_status(a, 200);
	expect(a, "keys.source", "'estimate'");
	ck_assert_double_eq_tol(number_at(a, "keys.share.changed"), 0.5, 0.01);
	expect(post(d->admin, "/plan?sample=false", "{\"drain\":[\"cache-c\"]}"), "keys.source",
	    "'stored'");
	a = post(d->admin, "/nodes/cache-c/drain?sample=true", NULL);
	expect_status(a, 200);
	expect(a, "keys.source", "'estimate'");
	expect_refusal(post(d->admin, "/plan?sample=true", "{\"copies\":1,\"keys\":[\"a\"]}"), 400,
	    "bad-parameter", "sample");
	expect_refusal(
	    post(d->admin, "/plan?sample=1", "{\"copies\":1}"), 400, "bad-parameter", "sample");
	daemon_stop(d);
}
END_TEST

START_TEST(a_report_that_is_not_kept_is_in_its_answer_alone)
{
	struct daemon *d = fleet_with_photos();
	struct answer *kept_one = post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"),
		      *a = post(d->admin, "/plan?keep=false", "{\"drain\":[\"cache-c\"]}");

	expect_status(a, 200);
	expect(a, "plan", "null");
	expect(a, "state", "'done'");
	ck_assert_ptr_null(value_at(a->json, "changes_url"));
	ck_assert(cJSON_Compare(value_at(a->json, "moves"), value_at(kept_one->json, "moves"), 1));
	a = post(d->admin, "/nodes/cache-c/drain?dry_run=true&keep=false", NULL);
	expect(a, "keys.changed", "13");
	ck_assert_int_eq(count_at(get(d->admin, "/plans"), "plans"), 1);
	expect_status(get(d->admin, "/plans/%00"), 404);
	expect(post(d->admin, "/plan?keep=true", "{\"copies\":1}"), "state", "'done'");
	ck_assert_int_eq(count_at(get(d->admin, "/plans"), "plans"), 2);
	daemon_stop(d);
}
END_TEST

START_TEST(only_a_dry_run_that_is_waited_for_may_leave_no_report)
{
	struct daemon *d = fleet_with_photos();
	const char *drain = "{\"drain\":[\"cache-c\"]}";

	expect_refusal(post(d->admin, "/changes?keep=false", drain), 400, "bad-parameter", "keep");
	expect_refusal(
	    ask(d->admin, "POST", "/plan?keep=false", JSON "\nPrefer: respond-async", drain), 400,
	    "bad-parameter", "keep");
	expect_refusal(ask(d->admin, "POST", "/plan?keep=false", JSON "\n" NDJSON, drain), 400,
	    "bad-parameter", "keep");
	expect_refusal(post(d->admin, "/plan?keep=no", drain), 400, "bad-parameter", "keep");
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
}
END_TEST

/* 64 nodes and 8 copies of each key: the report takes far longer than no time. */
START_TEST(a_report_that_is_not_kept_stops_when_the_wait_is_over)
{
	struct page nodes = {0};
	struct daemon *d;
	struct answer *a;

	for (int i = 0; i < 64; i++)
		page_add(&nodes, "%s{\"name\":\"n-%d\",\"address\":\"h:%d\",\"weight\":%d}",
		    i != 0 ? "," : "", i, i + 1, i + 1);
	d = daemon_start(text("{\"pools\":{\"default\":{\"copies\":8,\"nodes\":[%s]}}}",
			     (char *)kept(nodes.data)),
	    NULL);
	expect_status(keys_put(d, numbered_keys("key-", 500000)), 200);
	a = post(d->admin, "/plan?keep=false&wait=0", "{\"drain\":[\"n-7\"]}");
	expect_status(a, 200);
	expect(a, "plan", "null");
	expect(a, "state", "'stopped'");
	ck_assert_double_lt(number_at(a, "progress"), 1);
	expect(get(d->admin, "/plans"), "plans", "[]");
	daemon_stop(d);
}
END_TEST

SUITE(pages)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, page_by_page_a_list_of_keys_is_the_whole_list);
	tcase_add_test(tests, stored_keys_go_on_after_any_key_in_order_of_bytes);
	tcase_add_test(tests, keys_that_were_sent_go_on_after_one_of_them);
	tcase_add_test(tests, a_page_of_text_is_refused_only_for_keys_that_it_has);
	tcase_add_test(tests, a_limit_is_a_number_from_1);
	tcase_add_test(tests, a_sample_estimates_although_keys_are_stored);
	tcase_add_test(tests, a_report_that_is_not_kept_is_in_its_answer_alone);
	tcase_add_test(tests, only_a_dry_run_that_is_waited_for_may_leave_no_report);
	tcase_add_test(tests, a_report_that_is_not_kept_stops_when_the_wait_is_over);
}
