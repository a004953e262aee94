/*
 * What hrwctl reads and writes: key lists and dumps as they were meant, output that
 * cannot be written, standard streams that are not there.
 */
#include <string.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static void
expect_keys(const struct daemon *d, const char *ndjson)
{
	expect_out(expect_ran(ctl(d, "keys", "get", "--format", "ndjson", NULL), 0), ndjson);
}

START_TEST(keys_of_redis_are_read_in_one_form)
{
	struct daemon *d = fleet_start();
	static const char raw[] = "\"agentCounter\"\nplain\nends in CR\r\n";
	struct ran *r;

	/* As --scan prints them a quote is part of the key. */
	expect_ran(ctl_with(d, raw, "keys", "import", "redis", "-", NULL), 0);
	expect_keys(d, "\"\\\"agentCounter\\\"\"\n\"ends in CR\\r\"\n\"plain\"\n");
	r = expect_ran(ctl_with(d, "\"a\"\n\"b\"\n", "keys", "import", "redis", "-", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->err, "--no-raw"));
	expect_keys(d, "\"\\\"a\\\"\"\n\"\\\"b\\\"\"\n");
	/* As --no-raw does every key is quoted, and whatever is not is no such dump. */
	r = expect_ran(ctl_with(d, "\"say \\\"hi\\\"\"\n\"\\xff\"\r\n", "keys", "import", "redis",
			   "-", "--no-raw", NULL),
	    0);
	ck_assert_str_eq(r->err, "");
	expect_keys(d, "\"say \\\"hi\\\"\"\n{\"key_base64\":\"/w==\"}\n");
	for (int i = 0; i < 4; i++) {
		static const char *const bad[] = {"plain", "\"open", "\"in\"side\"", "\"\\\""};

		r = expect_ran(ctl_with(d, text("\"a\"\n%s\n", bad[i]), "keys", "import", "redis",
				   "-", "--no-raw", NULL),
		    2);
		ck_assert_ptr_nonnull(strstr(r->err, "line 2"));
	}
	expect_keys(d, "\"say \\\"hi\\\"\"\n{\"key_base64\":\"/w==\"}\n");
}
END_TEST

START_TEST(the_empty_key_of_redis_is_left_out_and_counted)
{
	struct daemon *d = fleet_start();
	struct ran *r =
	    expect_ran(ctl_with(d, "a\n\nb\n", "keys", "import", "redis", "-", NULL), 0);

	ck_assert_ptr_nonnull(strstr(r->err, "1 empty key"));
	expect_keys(d, "\"a\"\n\"b\"\n");
	r = expect_ran(
	    ctl_with(d, "\"\"\n\"c\"\n\"\"\n", "keys", "import", "redis", "-", "--no-raw", NULL),
	    0);
	ck_assert_ptr_nonnull(strstr(r->err, "2 empty keys"));
	expect_keys(d, "\"c\"\n");
}
END_TEST

START_TEST(a_dump_of_memcached_that_was_cut_short_changes_nothing)
{
	struct daemon *d = fleet_with_photos();
	static const char *const cut[] = {"key=a exp=0\r\nkey=b exp=0\r\n", "key=a exp=0\r\nkey=b",
	    "key=a exp=0\r\nEND\r\nkey=b exp=0\r\n", "\r\n", ""};
	struct ran *r;

	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		r = expect_ran(ctl_with(d, cut[i], "keys", "import", "memcached", "-", NULL), 2);
		ck_assert_msg(strstr(r->err, "END") != NULL, "%s", r->err);
		expect_ran(
		    ctl_with(d, cut[i], "keys", "import", "memcached", "-", "--extend", NULL), 2);
	}
	expect_out(expect_ran(ctl(d, "keys", "stats", NULL), 0), "pool default: 24 keys\n");
	/* The dumps of several, one behind another. */
	expect_ran(ctl_with(d, "key=a exp=0\r\nEND\r\nkey=b exp=0\r\nEND", "keys", "import",
		       "memcached", "-", NULL),
	    0);
	expect_keys(d, "\"a\"\n\"b\"\n");
}
END_TEST

START_TEST(an_empty_input_empties_a_key_set_only_when_told_to)
{
	struct daemon *d = fleet_with_photos();
	static const char *const lines[] = {"false | hrwctl keys put -",
	    "hrwctl keys put /dev/null", "hrwctl keys put - --crlf", "hrwctl keys import redis -",
	    "echo END | hrwctl keys import memcached -"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ran *r = expect_ran(ctl_shell(d, lines[i]), 2);

		ck_assert_msg(strstr(r->err, "--empty") != NULL, "%s", r->err);
	}
	expect_ran(ctl_shell(d, "hrwctl keys add -"), 0);
	expect_ran(ctl_shell(d, "hrwctl keys import redis - --extend"), 0);
	expect_out(expect_ran(ctl(d, "keys", "stats", NULL), 0), "pool default: 24 keys\n");
	expect_ran(ctl_shell(d, "hrwctl keys put - --empty"), 0);
	expect_out(expect_ran(ctl(d, "keys", "stats", NULL), 0), "pool default: 0 keys\n");
}
END_TEST

START_TEST(crlf_takes_away_what_another_system_put_around_keys)
{
	struct daemon *d = fleet_start();
	struct ran *r;
	struct page big = {0};

	/* Exact bytes are the rule. */
	expect_ran(ctl_with(d, "a\r\nb\r\n", "keys", "put", "-", NULL), 0);
	expect_keys(d, "\"a\\r\"\n\"b\\r\"\n");
	expect_ran(ctl_with(d,
		       "\xef\xbb\xbf"
		       "a\r\nb\rc\r\nd\r",
		       "keys", "put", "-", "--crlf", NULL),
	    0);
	expect_keys(d, "\"a\"\n\"b\\rc\"\n\"d\"\n");
	expect_ran(ctl_with(d, "e\r\r\n\r", "keys", "add", "-", "--crlf", NULL), 0);
	expect_keys(d, "\"a\"\n\"b\\rc\"\n\"d\"\n\"e\\r\"\n");
	r = expect_ran(ctl_shell(d, "printf '\\377\\376a\\0\\n\\0' | hrwctl keys put - --crlf"), 2);
	ck_assert_ptr_nonnull(strstr(r->err, "UTF-16"));
	expect_ran(
	    ctl_with(d, "[\"a\"]", "keys", "put", "-", "--crlf", "--format", "json", NULL), 2);
	/* Wherever the pieces end in which it is sent. */
	for (int i = 0; i < 60000; i++)
		page_add(&big, "%0*d\r\n", 5 + i % 7, i);
	expect_ran(ctl_with(d, big.data, "keys", "put", "-", "--crlf", NULL), 0);
	r = expect_ran(ctl(d, "keys", "get", NULL), 0);
	ck_assert_ptr_null(strchr(r->out, '\r'));
	expect_out(expect_ran(ctl(d, "keys", "stats", NULL), 0), "pool default: 60,000 keys\n");
}
END_TEST

START_TEST(output_that_cannot_be_written_has_an_exit_code_of_its_own)
{
	struct daemon *d = fleet_with_photos();
	const char *id = text_at(post(d->admin, "/plan", "{\"drain\":[\"cache-a\"]}"), "plan");
	static const char *const rows[] = {"nodes", "keys get", "keys get -o json", "history",
	    "--help", "--version", "help drain", "token ops read", "plan --drain cache-c",
	    "drain cache-c --yes", "watch --count 1", "-o json watch --count 1",
	    "plan changes $ID"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ran *r =
		    expect_ran(ctl_shell(d, text("ID=%s; hrwctl %s >/dev/full", id, rows[i])), 6);

		ck_assert_msg(
		    strstr(r->err, "cannot be written") != NULL, "%s: %s", rows[i], r->err);
	}
	expect_ran(ctl_shell(NULL, "\"${HRWD:-build/hrwd}\" --help >/dev/full"), 1);
	expect_ran(ctl_shell(NULL, "\"${HRWD:-build/hrwd}\" --version >&-"), 1);
	/* It was applied all the same. */
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
	/* Where nothing was done, that counts. */
	expect_ran(ctl_shell(d, "hrwctl drain cache-z --yes -o json >/dev/full"), 1);
}
END_TEST

START_TEST(standard_streams_that_are_closed_are_none_of_curls)
{
	struct daemon *d = fleet_with_photos();

	expect_out(expect_ran(ctl_shell(d, "hrwctl owner photo-7 <&- 2>&-"), 0),
	    "cache-d  10.0.0.4:11211\n");
	expect_ran(ctl_shell(d, "hrwctl keys get >&-"), 6);
	expect_ran(ctl_shell(d, "hrwctl keys get <&- >&- 2>&-"), 6);
	expect_ran(ctl_shell(d, "hrwctl keys put - <&-"), 2);
	expect_ran(ctl_shell(d, "hrwctl keys put - --empty <&- 2>&-"), 2);
	expect_ran(ctl_shell(d, "hrwctl drain cache-z --yes >&- 2>&-"), 1);
	expect_out(expect_ran(ctl(d, "keys", "stats", NULL), 0), "pool default: 24 keys\n");
}
END_TEST

SUITE(ctl_streams)
{
	tcase_add_test(tests, keys_of_redis_are_read_in_one_form);
	tcase_add_test(tests, the_empty_key_of_redis_is_left_out_and_counted);
	tcase_add_test(tests, a_dump_of_memcached_that_was_cut_short_changes_nothing);
	tcase_add_test(tests, an_empty_input_empties_a_key_set_only_when_told_to);
	tcase_add_test(tests, crlf_takes_away_what_another_system_put_around_keys);
	tcase_add_test(tests, output_that_cannot_be_written_has_an_exit_code_of_its_own);
	tcase_add_test(tests, standard_streams_that_are_closed_are_none_of_curls);
}
