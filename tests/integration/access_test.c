/*
 * The access log: off until it is asked for, then one line a request, whatever that
 * holds.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tests/dsl/events.h"
#include "tests/dsl/logged.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define ON    "\"log\":{\"format\":\"json\",\"access\":true},"
#define OFF   "\"log\":{\"format\":\"json\"},"

static void
reload(const struct daemon *d, const char *config)
{
	size_t before = logged_count(d, "the configuration was read again");

	daemon_write(d, "hrwd.json", config, strlen(config));
	ck_assert_int_eq(kill(d->pid, SIGHUP), 0);
	for (int i = 0; i < 2000; i++) {
		if (logged_count(d, "the configuration was read again") > before)
			return;
		pause_ms(5);
	}
	ck_abort_msg("it was not read again: %s", daemon_log(d));
}

START_TEST(a_line_tells_who_asked_what_and_what_came_of_it)
{
	struct daemon *d = daemon_start(FLEET_CONFIG(ON), NULL);
	struct answer *a = ask(d->lookup, "GET", "/v1/owner?key=photo%2D7&pool=default",
	    "Request-Id: mine\ntraceparent: 00-" TRACE "-00f067aa0ba902b7-01", NULL);
	const struct cJSON *event = logged(d, "access", "mine");
	double us = cJSON_GetNumberValue(value_at(event, "duration_us"));

	expect_logged(event, "level", "info");
	expect_logged(event, "method", "GET");
	expect_logged(event, "target", "/v1/owner?key=photo%2D7&pool=default");
	expect_logged(event, "route", "/owner");
	expect_logged(event, "key", "photo-7");
	expect_counted(event, "status", 200);
	expect_counted(event, "bytes", (double)a->len);
	expect_logged(event, "by", "-");
	expect_logged(event, "trace", TRACE);
	ck_assert_ptr_nonnull(strstr(cJSON_GetStringValue(value_at(event, "peer")), "127.0.0.1:"));
	ck_assert_msg(us > 0 && us < 60e6, "%g us", us);
	daemon_stop(d);
}
END_TEST

/* Each: a request, and what its line has. bytes -1: as many as came. */
static const struct {
	const char *method, *path, *headers, *body, *route, *key;
	long status, bytes;
} rows[] = {
    {"GET", "/owner", "Hrw-Key: a b", NULL, "/owner", "a b", 200, -1},
    {"HEAD", "/owner?key=a", NULL, NULL, "/owner", "a", 200, 0},
    {"GET", "/owner", NULL, NULL, "/owner", NULL, 400, -1},
    {"GET", "/nowhere", NULL, NULL, NULL, NULL, 404, -1},
    {"PUT", "/nodes/cache-c/drain", NULL, "{}", NULL, NULL, 405, -1},
    {"GET", "/nodes", "If-None-Match: *", NULL, "/nodes", NULL, 304, 0},
    {"POST", "/owners", "Content-Type: text/plain", "a\nb\nc\n", "/owners", NULL, 200, -1},
    {"GET", "/keys", NULL, NULL, "/keys", NULL, 200, -1},
    {"GET", "/openapi.json", NULL, NULL, "/openapi.json", NULL, 200, -1},
    {"POST", "/nodes/cache-c/drain", NULL, NULL, "/nodes/{name}/drain", NULL, 200, -1},
    {"DELETE", "/nodes/cache-a", NULL, NULL, "/nodes/{name}", NULL, 409, -1},
};

START_TEST(every_kind_of_answer_has_its_line)
{
	struct daemon *d = daemon_start(FLEET_CONFIG(ON), NULL);
	size_t count = sizeof(rows) / sizeof(rows[0]);

	expect_status(keys_put(d, numbered_keys("photo-", 100000)), 200);
	for (size_t i = 0; i < count; i++) {
		const char *id = text("row-%zu", i);
		const char *more = rows[i].headers != NULL ? rows[i].headers : "Accept: */*";
		struct answer *a = ask(d->admin, rows[i].method, rows[i].path,
		    text("Request-Id: %s\n%s", id, more), rows[i].body);
		const struct cJSON *event = logged(d, "access", id);

		expect_status(a, rows[i].status);
		expect_logged(event, "method", rows[i].method);
		expect_logged(event, "target", rows[i].path);
		expect_logged(event, "route", rows[i].route);
		expect_logged(event, "key", rows[i].key);
		expect_counted(event, "status", (double)rows[i].status);
		expect_counted(
		    event, "bytes", rows[i].bytes < 0 ? (double)a->len : (double)rows[i].bytes);
	}
	ck_assert_uint_eq(logged_count(d, "access"), count + 1);
	daemon_stop(d);
}
END_TEST

START_TEST(a_stream_has_its_line_when_it_ends_and_waiting_is_time)
{
	struct daemon *d = daemon_start(FLEET_CONFIG(ON), NULL);
	struct events *e = events_open(d->lookup, "/watch", "Request-Id: watcher");
	const char *etag = text("%s", header(get(d->lookup, "/pools/default"), "ETag"));
	const struct cJSON *event;

	expect_event(e, "pool", 1);
	expect_status(ask(d->lookup, "GET", "/pools/default?wait=1",
			  text("Request-Id: waiter\nIf-None-Match: %s", etag), NULL),
	    304);
	event = logged(d, "access", "waiter");
	ck_assert(cJSON_GetNumberValue(value_at(event, "duration_us")) > 900e3);
	events_close(e);
	event = logged(d, "access", "watcher");
	expect_counted(event, "status", 200);
	ck_assert(cJSON_GetNumberValue(value_at(event, "bytes")) > 500);
	ck_assert(cJSON_GetNumberValue(value_at(event, "duration_us")) > 900e3);
	daemon_stop(d);
}
END_TEST

/* As a key and as a target: what would end a line, and what would begin another. */
static const char *const hostile[] = {"%0A", "%0D%0A2026-01-01T00:00:00.000Z%20info%20access",
    "%00", "%1B%5B31m", "%FF%FE", "%22%7D%0A%7B%22", "%E2%80%AE", "%5C%22", "\xff", "\t",
    "\x1b[31m", "\"} x"};

START_TEST(a_request_is_one_line_whatever_it_holds)
{
	struct daemon *d = daemon_start(FLEET_CONFIG(ON), NULL);
	size_t asked = 0;

	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		const char *targets[] = {text("/owner?key=%s", hostile[i]), text("/%s", hostile[i]),
		    text("/owner?key=a&%s=b", hostile[i]),
		    text("/nodes/%s?pool=%s", hostile[i], hostile[i])};
		struct answer *a;

		for (size_t k = 0; k < 4; k++, asked++) {
			const char *id = text("id-%zu", asked);

			a = raw(
			    d->lookup, text("GET %s HTTP/1.1\r\nHost: x\r\nRequest-Id: %s\r\n\r\n",
					   targets[k], id));

			ck_assert_msg(a->status != 0, "no answer to %s", targets[k]);
			expect_counted(logged(d, "access", id), "status", (double)a->status);
		}
		/* A header with a control byte is refused. */
		a = raw(d->lookup, text("GET /owner HTTP/1.1\r\nHost: x\r\nHrw-Key: a%sb\r\n"
					"Request-Id: forged access\r\n\r\n",
				       hostile[i]));
		ck_assert_msg(a->status == 200 || a->status == 400, "%ld", a->status);
		asked++;
	}
	daemon_stop(d);
	ck_assert_uint_eq(logged_count(d, "access"), asked);
	ck_assert_ptr_null(strstr(daemon_log(d), "forged"));
	for (const char *at = daemon_log(d); *at != '\0'; at++)
		ck_assert_int_ge((unsigned char)*at, *at == '\n' ? '\n' : ' ');
}
END_TEST

START_TEST(long_targets_and_keys_are_cut)
{
	struct daemon *d = daemon_start(FLEET_CONFIG(ON), NULL);
	char key[257] = "", many[20001] = "";
	const struct cJSON *event;

	memset(key, 'k', sizeof(key) - 1);
	memset(many, '&', sizeof(many) - 1);
	expect_status(
	    ask(d->lookup, "GET", text("/owner?key=%s", key), "Request-Id: key", NULL), 200);
	event = logged(d, "access", "key");
	ck_assert_uint_lt(strlen(cJSON_GetStringValue(value_at(event, "key"))), 80);
	ck_assert_ptr_nonnull(strstr(cJSON_GetStringValue(value_at(event, "key")), "kkk…"));
	ck_assert_uint_lt(strlen(cJSON_GetStringValue(value_at(event, "target"))), 270);
	expect_status(
	    ask(d->lookup, "GET", text("/owner?%s", many), "Request-Id: many", NULL), 400);
	event = logged(d, "access", "many");
	ck_assert_uint_lt(strlen(cJSON_GetStringValue(value_at(event, "target"))), 270);
	daemon_stop(d);
}
END_TEST

START_TEST(no_secret_is_in_it)
{
	struct daemon *d =
	    fleet_with_tokens(ON "\"auth\":{\"tokens\":\"$DIR/tokens\"},", token_lines());
	struct answer *a;

	daemon_launch(d);
	expect_status(ask_as("operate", d->admin, "POST", "/nodes/cache-c/drain", NULL), 200);
	expect_status(ask_as("nobody", d->admin, "GET", "/nodes", NULL), 401);
	expect_status(ask(d->admin, "GET", "/nodes", "Authorization: Basic c2VjcmV0", NULL), 401);
	a = raw(d->lookup, "GET http://me:s3cret@x/owner?key=a@b HTTP/1.1\r\nHost: x\r\n"
			   "Cookie: s3cret\r\nRequest-Id: whole\r\n\r\n");
	ck_assert_int_ne(a->status, 0);
	expect_logged(logged(d, "access", "whole"), "target", "x/owner?key=a@b");
	daemon_stop(d);
	ck_assert_uint_eq(logged_count(d, "access"), 4);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "\"duration_us\":"));
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "\"by\":\"operate\""));
	ck_assert_ptr_null(strstr(daemon_log(d), "token-of-"));
	ck_assert_ptr_null(strstr(daemon_log(d), "c2VjcmV0"));
	ck_assert_ptr_null(strstr(daemon_log(d), "s3cret"));
}
END_TEST

static void
ask_both(const struct daemon *d, const char *id)
{
	expect_status(
	    ask(d->lookup, "GET", "/owner?key=a", text("Request-Id: %s-lookup", id), NULL), 200);
	expect_status(
	    ask(d->admin, "GET", "/owner?key=a", text("Request-Id: %s-admin", id), NULL), 200);
}

START_TEST(it_is_off_until_a_reload_switches_it_on_and_off_again)
{
	struct daemon *d = daemon_start(FLEET_CONFIG(OFF), NULL);

	ask_both(d, "off");
	reload(d, FLEET_CONFIG(ON));
	ask_both(d, "on");
	logged(d, "access", "on-lookup");
	logged(d, "access", "on-admin");
	reload(d, FLEET_CONFIG(OFF));
	ask_both(d, "off");
	daemon_stop(d);
	ck_assert_uint_eq(logged_count(d, "access"), 2);
	ck_assert_ptr_null(strstr(daemon_log(d), "off-"));
}
END_TEST

START_TEST(it_is_written_whatever_the_level)
{
	struct daemon *d = daemon_start(FLEET_CONFIG(OFF), NULL);
	static const char quiet[] =
	    FLEET_CONFIG("\"log\":{\"format\":\"json\",\"access\":true,\"level\":\"error\"},");

	daemon_write(d, "hrwd.json", quiet, strlen(quiet));
	kill(d->pid, SIGHUP);
	/* It says no word of having read it. */
	for (int i = 0; i < 2000 && logged_count(d, "access") == 0; i++) {
		expect_status(get(d->lookup, "/owner?key=a"), 200);
		pause_ms(1);
	}
	daemon_stop(d);
	ck_assert_uint_gt(logged_count(d, "access"), 0);
	ck_assert_uint_eq(logged_count(d, "the configuration was read again"), 0);
}
END_TEST

SUITE(access)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, a_line_tells_who_asked_what_and_what_came_of_it);
	tcase_add_test(tests, every_kind_of_answer_has_its_line);
	tcase_add_test(tests, a_stream_has_its_line_when_it_ends_and_waiting_is_time);
	tcase_add_test(tests, a_request_is_one_line_whatever_it_holds);
	tcase_add_test(tests, long_targets_and_keys_are_cut);
	tcase_add_test(tests, no_secret_is_in_it);
	tcase_add_test(tests, it_is_off_until_a_reload_switches_it_on_and_off_again);
	tcase_add_test(tests, it_is_written_whatever_the_level);
}
