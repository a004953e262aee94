/*
 * warnings_test.c - what is most often a slip is done as it was asked for, and the
 * answer says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define TEXT "Content-Type: text/plain"

struct bytes {
	const char *data;
	size_t len;
};
#define BYTES(text)                                                                                \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

/* Lists of text, and the codes that they are warned of. */
static const struct {
	struct bytes list;
	int keys;
	const char *codes;
	const char *words; /* of the first one's detail; separated by | */
} lists[] = {
    {BYTES("a\nb\n"), 2, "", ""},
    {BYTES("a\r\nb\r\nc"), 3, "lines-end-in-cr", "2 lines end in CR|first line 1|--crlf"},
    {BYTES("a\nb\r"), 2, "lines-end-in-cr", "1 line ends in CR|first line 2"},
    {BYTES("a\rb\n\rc\n"), 2, "", ""},
    {BYTES("\xef\xbb\xbfkey-a\n"), 1, "byte-order-mark", "byte order mark"},
    {BYTES("\xef\xbb\xbf\nb\n"), 2, "byte-order-mark", ""},
    {BYTES("a\n\xef\xbb\xbf"
	   "b\n"),
	2, "", ""},
    {BYTES("\xef\xbb\xbf"
	   "a\r\nb\0\n"),
	2, "byte-order-mark lines-end-in-cr nul-in-keys", ""},
    {BYTES("a\nb\0c\nd\0\n"), 3, "nul-in-keys", "line 2"},
    {BYTES("\xff\xfe"
	   "a\0\n\0b\0\n\0"),
	3, "utf-16", "iconv"},
    {BYTES("\xfe\xff\0a\0\n\0b\0\n"), 2, "utf-16", "iconv"},
};

static const char *
codes_of(const cJSON *warnings)
{
	const char *codes = "";
	const cJSON *at;

	cJSON_ArrayForEach (at, warnings)
		codes = text("%s%s%s", codes, *codes == '\0' ? "" : " ",
		    cJSON_GetStringValue(value_at(at, "code")));
	return codes;
}

static void
expect_words(const cJSON *warnings, const char *words)
{
	char *copy = strdup(words), *rest = copy, *word;
	const char *detail = cJSON_GetStringValue(value_at(warnings, "[0].detail"));

	while ((word = strsep(&rest, "|")) != NULL && *word != '\0')
		ck_assert_msg(strstr(detail, word) != NULL, "no \"%s\" in: %s", word, detail);
	free(copy);
}

/* Bytes stay as they were sent: the list read back is the list. */
START_TEST(a_list_of_text_is_taken_byte_by_byte_and_the_answer_warns)
{
	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		static const char *const methods[] = {"PUT", "POST"};

		for (int k = 0; k < 2; k++) {
			struct answer *a = ask_bytes(d->admin, methods[k], "/keys", TEXT,
			    lists[i].list.data, lists[i].list.len);

			expect_status(a, 200);
			ck_assert_int_eq((int)number_at(a, "keys"), lists[i].keys);
			ck_assert_str_eq(codes_of(value_at(a->json, "warnings")), lists[i].codes);
			expect_words(value_at(a->json, "warnings"), lists[i].words);
			if (lists[i].codes[0] == '\0')
				expect_absent(a, "warnings");
		}
	}
	daemon_stop(d);
}
END_TEST

START_TEST(many_keys_at_once_are_warned_of_in_a_header)
{
	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct answer *a = ask_bytes(
		    d->lookup, "POST", "/owners", TEXT, lists[i].list.data, lists[i].list.len);
		const char *warnings = header(expect_status(a, 200), "Hrw-Warnings");
		cJSON *json = warnings != NULL ? cJSON_Parse(warnings) : NULL;

		ck_assert_str_eq(codes_of(json), lists[i].codes);
		ck_assert((warnings == NULL) == (lists[i].codes[0] == '\0'));
		cJSON_Delete(json);
	}
	daemon_stop(d);
}
END_TEST

/* In JSON and NDJSON a line end is no part of a key. */
START_TEST(other_forms_are_not_warned_of)
{
	struct daemon *d = fleet_start();

	expect_absent(expect_status(ask(d->admin, "PUT", "/keys",
					"Content-Type: application/x-ndjson", "\"a\"\r\n\"b\"\r\n"),
			  200),
	    "warnings");
	expect_absent(expect_status(ask(d->admin, "PUT", "/keys", "Content-Type: application/json",
					"[\r\n\"a\\u0000\",\"b\\r\"]"),
			  200),
	    "warnings");
	daemon_stop(d);
}
END_TEST

START_TEST(a_trace_of_text_is_warned_of)
{
	struct daemon *d = fleet_start();
	struct answer *a = ask(d->admin, "POST", "/simulate?capacity=1", TEXT, "a\r\nb\r\na\r\n");

	expect(expect_status(a, 200), "warnings[0].code", "'lines-end-in-cr'");
	daemon_stop(d);
}
END_TEST

#define SAME "10.0.0.4:11211" /* cache-d's */

START_TEST(nodes_on_one_address_are_taken_and_warned_of_until_that_is_mended)
{
	struct daemon *d = fleet_start();
	struct answer *a;

	expect_absent(get(d->lookup, "/nodes"), "warnings");
	/* A plan says so before anything is done. */
	a = expect_status(
	    post(d->admin, "/plan", "{\"add\":[{\"name\":\"e\",\"address\":\"" SAME "\"}]}"), 200);
	expect(a, "warnings[0].code", "'same-address'");
	expect(a, "warnings[0].nodes", "['cache-d','e']");
	expect(get(d->admin, text("/plans/%s", text_at(a, "plan"))), "warnings[0].code",
	    "'same-address'");
	expect_absent(get(d->lookup, "/nodes"), "warnings");
	a = expect_status(
	    post(d->admin, "/nodes", "{\"name\":\"e\",\"address\":\"" SAME "\"}"), 201);
	expect(a, "warnings[0].nodes", "['cache-d','e']");
	ck_assert_ptr_nonnull(strstr(text_at(a, "warnings[0].detail"), SAME));
	/* Without a report, too; and where nothing changes. */
	a = expect_status(patch(d->admin, "/nodes/e?report=none", "{\"weight\":2}"), 200);
	expect(a, "warnings[0].code", "'same-address'");
	a = expect_status(patch(d->admin, "/nodes/e", "{\"weight\":2}"), 200);
	expect(a, "outcome", "'unchanged'");
	expect(a, "warnings[0].code", "'same-address'");
	/* What GET gave can be sent back. */
	a = get(d->lookup, "/nodes");
	ck_assert_int_eq(count_at(a, "warnings"), 1);
	ck_assert_str_eq(text_at(a, "warnings[0].detail"),
	    "\"cache-d\" and \"e\" have one address, 10.0.0.4:11211: their keys and their copies "
	    "come to one cache. Give each its own address, or remove those that are too many");
	a = expect_status(
	    ask(d->admin, "PUT", "/nodes", "Content-Type: application/json\nIf-Match: *", a->body),
	    200);
	expect(a, "outcome", "'unchanged'");
	/* hrwctl says so beside the report and the table. */
	ck_assert_ptr_nonnull(
	    strstr(expect_ran(ctl(d, "nodes", NULL), 0)->err, "have one address"));
	ck_assert_ptr_nonnull(
	    strstr(expect_ran(ctl(d, "reweight", "e", "3", "--yes", NULL), 0)->err,
		"warning: \"cache-d\" and \"e\""));
	/* A start says so. */
	daemon_stop(d);
	daemon_launch(d);
	daemon_wait_log(d, "code=same-address");
	a = expect_status(patch(d->admin, "/nodes/e", "{\"address\":\"10.0.0.5:11211\"}"), 200);
	expect_absent(a, "warnings");
	expect_absent(get(d->lookup, "/nodes"), "warnings");
	daemon_stop(d);
}
END_TEST

START_TEST(an_address_is_one_however_it_is_written)
{
	struct daemon *d = daemon_start("{\"pools\":{\"default\":{\"nodes\":[{\"name\":\"a\","
					"\"address\":\"[2001:db8::1]:11211\"},"
					"{\"name\":\"b\",\"address\":\"[2001:DB8:0::1]:11211\"},"
					"{\"name\":\"c\",\"address\":\"[2001:db8::1]:11212\"},"
					"{\"name\":\"d\",\"address\":\"Host:11211\"},{\"name\":"
					"\"e\",\"address\":\"host:11211\"}]}}}",
	    NULL);
	struct answer *a = get(d->lookup, "/nodes");

	ck_assert_int_eq(count_at(a, "warnings"), 2);
	expect(a, "warnings[0].nodes", "['a','b']");
	expect(a, "warnings[1].nodes", "['d','e']");
	daemon_stop(d);
}
END_TEST

#define IGNITE                                                                                     \
	"{\"pools\":{\"default\":{\"placement\":\"ignite\",\"nodes\":["                            \
	"{\"name\":\"aw\",\"address\":\"10.0.0.1:1\"},{\"name\":\"c9\",\"address\":\"10.0.0.2:"    \
	"1\"}]}}}"

/* A published vector has such nodes, so they cannot be refused. */
START_TEST(nodes_of_one_hash_are_taken_and_warned_of)
{
	struct daemon *d = daemon_start(IGNITE, NULL);
	struct answer *a = get(d->lookup, "/nodes");

	expect(a, "warnings[0].code", "'same-hash'");
	expect(a, "warnings[0].nodes", "['aw','c9']");
	daemon_wait_log(d, "code=same-hash");
	a = expect_status(post(d->admin, "/plan", "{\"drain\":[\"aw\"]}"), 200);
	expect(a, "warnings[0].code", "'same-hash'");
	daemon_stop(d);
	/* --check says the same, and is content. */
	d = daemon_prepare(IGNITE, "--check", NULL);
	ck_assert_int_eq(daemon_exits_with(d), 0);
	daemon_log_has(d, "code=same-hash|aw|c9");
}
END_TEST

START_TEST(hrwctl_shows_what_a_list_was_warned_of_and_strips_what_is_not_meant)
{
	struct daemon *d = fleet_start();
	struct ran *r;

	r = expect_ran(ctl_with(d, "a\r\nb\r\n", "keys", "put", "-", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->err, "warning: 2 lines end in CR"));
	r = expect_ran(ctl_with(d, "a\r\nb\r\n", "keys", "put", "--crlf", "-", NULL), 0);
	ck_assert_str_eq(r->err, "");
	expect_body(ask(d->admin, "GET", "/keys", "Accept: text/plain", NULL), "a\nb\n");
	r = expect_ran(ctl_with(d, "photo-7\r\n", "owner", "-", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->err, "warning: 1 line ends in CR"));
	ck_assert_ptr_nonnull(strstr(r->out, "photo-7\r\t"));
	daemon_stop(d);
}
END_TEST

SUITE(warnings)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, a_list_of_text_is_taken_byte_by_byte_and_the_answer_warns);
	tcase_add_test(tests, many_keys_at_once_are_warned_of_in_a_header);
	tcase_add_test(tests, other_forms_are_not_warned_of);
	tcase_add_test(tests, a_trace_of_text_is_warned_of);
	tcase_add_test(tests, nodes_on_one_address_are_taken_and_warned_of_until_that_is_mended);
	tcase_add_test(tests, an_address_is_one_however_it_is_written);
	tcase_add_test(tests, nodes_of_one_hash_are_taken_and_warned_of);
	tcase_add_test(tests, hrwctl_shows_what_a_list_was_warned_of_and_strips_what_is_not_meant);
}
