/*
 * What the log tells of changes and faults: an event a line, its particulars as
 * fields.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/logged.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define TRACE	   "4bf92f3577b34da6a3ce929d0e0e4736"
#define JSON_LOG   "\"log\":{\"format\":\"json\"},"
#define IDENTIFIED "Request-Id: mine\ntraceparent: 00-" TRACE "-00f067aa0ba902b7-01"

static struct daemon *d;

static void
begin(void)
{
	d = daemon_start(FLEET_CONFIG(JSON_LOG), NULL);
	expect_status(keys_put(d, photos()), 200);
}

static void
end(void)
{
	daemon_stop(d);
}

START_TEST(a_change_tells_who_what_which_epoch_and_how_many_keys)
{
	const struct cJSON *event;

	expect_status(ask(d->admin, "POST", "/nodes/cache-c/drain", IDENTIFIED, NULL), 200);
	event = logged(d, "pool changed", "mine");
	expect_logged(event, "level", "info");
	expect_logged(event, "pool", "default");
	expect_counted(event, "epoch", 2);
	expect_logged(event, "what", "drain cache-c");
	expect_counted(event, "keys", 24);
	expect_counted(event, "keys_moved", 13);
	expect_counted(event, "owners_moved", 4);
	expect_logged(event, "by", "-");
	expect_logged(event, "trace", TRACE);
	expect_unlogged(event, "code");
	expect_unlogged(event, "forced");
	ck_assert_uint_eq(logged_count(d, "pool changed"), 1);
}
END_TEST

/* Each: a change, and what it is called. */
static const struct {
	const char *method, *path, *body, *what;
} changes[] = {
    {"POST", "/nodes", "{\"name\":\"cache-e\",\"address\":\"10.0.0.5:1\"}", "add cache-e"},
    {"PATCH", "/nodes/cache-a", "{\"weight\":2,\"zone\":\"r1\"}", "patch cache-a weight zone"},
    {"PATCH", "/pools/default", "{\"copies\":3}", "copies 2 to 3"},
    {"PATCH", "/pools/default", "{\"placement\":{\"name\":\"ring\",\"vnodes\":7}}",
	"placement rendezvous to ring"},
    {"POST", "/changes", "{\"drain\":[\"cache-c\"],\"reweight\":{\"cache-b\":3}}",
	"patch cache-b weight, drain cache-c"},
    {"POST", "/pools/default/revert", "{\"to\":1}", NULL},
    {"PUT", "/pools/other", "{\"nodes\":[]}", "make"},
    {"DELETE", "/pools/default?force=pool-not-empty", NULL, "drop"},
};

START_TEST(every_change_is_told_in_words)
{
	const char *headers =
	    changes[_i].body == NULL ? "Request-Id: mine"
	    : strcmp(changes[_i].what != NULL ? changes[_i].what : "", "make") == 0
		? "Request-Id: mine\nIf-None-Match: *\nContent-Type: application/json"
		: "Request-Id: mine\nContent-Type: application/json";
	struct answer *a;

	if (changes[_i].what == NULL)
		expect_status(post(d->admin, "/nodes/cache-c/drain?report=none", NULL), 200);
	a = ask(d->admin, changes[_i].method, changes[_i].path, headers, changes[_i].body);
	ck_assert_msg(a->status == 200 || a->status == 201, "%ld %s", a->status, a->body);
	expect_logged(logged(d, "pool changed", "mine"), "what",
	    changes[_i].what != NULL ? changes[_i].what : "activate cache-c");
}
END_TEST

START_TEST(a_long_change_is_told_in_part)
{
	struct page body = {0};

	for (int i = 0; i < 60; i++)
		page_add(&body, "%s{\"name\":\"node-%02d\",\"address\":\"10.0.0.9:1\"}",
		    i == 0 ? "{\"add\":[" : ",", i);
	page_add(&body, "]}");
	expect_status(ask(d->admin, "POST", "/changes",
			  "Request-Id: mine\nContent-Type: application/json", body.data),
	    200);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "add node-00, add node-01, "));
	ck_assert_ptr_nonnull(strstr(daemon_log(d), ", and "));
	ck_assert_ptr_null(strstr(daemon_log(d), "node-59"));
}
END_TEST

/* The answer comes first, and the line when the keys are counted. */
START_TEST(keys_are_counted_for_who_does_not_wait_too)
{
	expect_status(ask(d->admin, "POST", "/nodes/cache-c/drain",
			  "Request-Id: mine\nPrefer: respond-async", NULL),
	    202);
	expect_counted(logged(d, "pool changed", "mine"), "keys_moved", 13);
	expect_status(
	    ask(d->admin, "POST", "/nodes/cache-c/activate?wait=0", "Request-Id: more", NULL), 200);
	expect_counted(logged(d, "pool changed", "more"), "keys_moved", 13);
	ck_assert_uint_eq(logged_count(d, "pool changed"), 2);
}
END_TEST

START_TEST(where_no_key_is_known_none_is_told)
{
	const struct cJSON *event;

	expect_status(
	    ask(d->admin, "POST", "/nodes/cache-c/drain?report=none", "Request-Id: a", NULL), 200);
	event = logged(d, "pool changed", "a");
	expect_unlogged(event, "keys");
	expect_unlogged(event, "keys_moved");
	expect_status(del(d->admin, "/keys"), 200);
	expect_status(ask(d->admin, "POST", "/nodes/cache-c/activate", "Request-Id: b", NULL), 200);
	event = logged(d, "pool changed", "b");
	expect_unlogged(event, "keys");
	expect_unlogged(event, "keys_moved");
	/* But those that are sent along are counted. */
	expect_status(
	    ask(d->admin, "POST", "/changes", "Request-Id: c\nContent-Type: application/json",
		"{\"drain\":[\"cache-c\"],\"keys\":[\"a\",\"b\",\"c\"]}"),
	    200);
	expect_counted(logged(d, "pool changed", "c"), "keys", 3);
}
END_TEST

START_TEST(a_refusal_has_its_code_and_a_change_what_was_forced)
{
	const struct cJSON *event;

	expect_status(ask(d->admin, "DELETE", "/nodes/cache-c", "Request-Id: a", NULL), 409);
	event = logged(d, "change refused", "a");
	expect_logged(event, "code", "not-draining");
	expect_logged(event, "what", "remove cache-c");
	expect_counted(event, "epoch", 1);
	expect_unlogged(event, "keys");
	expect_status(ask(d->admin, "DELETE", "/nodes/cache-c?force=not-draining,keys-at-risk",
			  "Request-Id: b", NULL),
	    200);
	event = logged(d, "pool changed", "b");
	expect_logged(event, "forced", "not-draining");
	expect_counted(event, "keys_moved", 13);
}
END_TEST

START_TEST(what_changes_nothing_is_no_news)
{
	size_t lines = daemon_log_lines(d);

	expect_status(post(d->admin, "/nodes/cache-c/activate", NULL), 200);
	expect_status(post(d->admin, "/nodes/cache-c/drain?dry_run=true", NULL), 200);
	expect_status(post(d->admin, "/plan", "{\"drain\":[\"cache-a\"]}"), 200);
	expect_status(del(d->admin, "/nodes/cache-a?dry_run=true"), 200);
	ck_assert_uint_eq(daemon_log_lines(d), lines);
}
END_TEST

START_TEST(a_change_of_keys_tells_how_many)
{
	const struct cJSON *event;

	expect_status(ask(d->admin, "POST", "/keys", IDENTIFIED "\nContent-Type: text/plain",
			  "photo-1\nnew-1\nnew-2\n"),
	    200);
	event = logged(d, "key set changed", "mine");
	expect_logged(event, "what", "keys-add");
	expect_counted(event, "keys", 26);
	expect_counted(event, "added", 2);
	expect_counted(event, "removed", 0);
	expect_counted(event, "generation", 2);
	expect_logged(event, "by", "-");
	expect_logged(event, "trace", TRACE);
}
END_TEST

START_TEST(a_fault_tells_its_status_code_and_route)
{
	const struct cJSON *event;
	const char *config = FLEET_CONFIG("\"log\":{\"format\":\"json\",\"level\":\"debug\"},");

	expect_status(ask(d->lookup, "GET", "/owner", "Request-Id: before", NULL), 400);
	daemon_write(d, "hrwd.json", config, strlen(config));
	ck_assert_int_eq(kill(d->pid, SIGHUP), 0);
	daemon_wait_log(d, "was read again");
	expect_status(ask(d->lookup, "GET", "/nodes/nobody", IDENTIFIED, NULL), 404);
	event = logged(d, "request failed", "mine");
	expect_logged(event, "level", "debug");
	expect_counted(event, "status", 404);
	expect_logged(event, "code", "unknown-node");
	expect_logged(event, "route", "/nodes/{name}");
	expect_logged(event, "trace", TRACE);
	expect_logged(event, "by", "-");
	expect_status(ask(d->lookup, "GET", "/nowhere", "Request-Id: lost", NULL), 404);
	expect_unlogged(logged(d, "request failed", "lost"), "route");
	ck_assert_ptr_null(strstr(daemon_log(d), "before"));
}
END_TEST

START_TEST(a_pool_of_a_file_is_told_as_it_changes)
{
	static const char two[] = "{\"default\":{\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"},"
				  "{\"name\":\"b\",\"address\":\"h:1\"}]}}";
	static const char changed[] =
	    "{\"default\":{\"copies\":2,\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"},"
	    "{\"name\":\"c\",\"address\":\"h:1\"}]}}";
	struct daemon *f = daemon_prepare("{" JSON_LOG "\"store\":{\"file\":\"$DIR/pools.json\"}}",
	    "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);
	const struct cJSON *event;

	daemon_write(f, "pools.json", two, strlen(two));
	daemon_launch(f);
	ck_assert_uint_eq(logged_count(f, "pool changed by its file"), 0);
	daemon_write(f, "pools.json", changed, strlen(changed));
	kill(f->pid, SIGHUP);
	event = logged(f, "pool changed by its file", NULL);
	expect_logged(event, "pool", "default");
	expect_counted(event, "epoch", 2);
	expect_logged(event, "what", "remove b, add c, copies 1 to 2");
	daemon_stop(f);
}
END_TEST

/* As journald starts a service: its stderr is the stream that JOURNAL_STREAM names. */
START_TEST(the_journal_is_told_levels)
{
	struct daemon *service = daemon_prepare(FLEET_CONFIG(""), "--lookup", "127.0.0.1:0",
	    "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);
	char *log;
	struct stat st;

	daemon_write(service, "log", "", 0);
	ck_assert_int_eq(stat(service->log_path, &st), 0);
	setenv("JOURNAL_STREAM",
	    text("%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino), 1);
	daemon_launch(service);
	kill(service->pid, SIGHUP);
	daemon_wait_log(service, "was read again");
	daemon_write(service, "hrwd.json", "{", 1);
	kill(service->pid, SIGHUP);
	daemon_wait_log(service, "stays as it was");
	daemon_stop(service);
	ck_assert_int_eq(daemon_exits_with(service), 2);
	log = text("%s", daemon_log(service));
	for (char *line; (line = strsep(&log, "\n")) != NULL && log != NULL;)
		ck_assert_msg(
		    strncmp(line, strstr(line, "hrwd.json:1") != NULL ? "<3>" : "<6>", 3) == 0,
		    "%s", line);
}
END_TEST

SUITE(log)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_test(tests, a_change_tells_who_what_which_epoch_and_how_many_keys);
	tcase_add_loop_test(
	    tests, every_change_is_told_in_words, 0, (int)(sizeof(changes) / sizeof(changes[0])));
	tcase_add_test(tests, a_long_change_is_told_in_part);
	tcase_add_test(tests, keys_are_counted_for_who_does_not_wait_too);
	tcase_add_test(tests, where_no_key_is_known_none_is_told);
	tcase_add_test(tests, a_refusal_has_its_code_and_a_change_what_was_forced);
	tcase_add_test(tests, what_changes_nothing_is_no_news);
	tcase_add_test(tests, a_change_of_keys_tells_how_many);
	tcase_add_test(tests, a_fault_tells_its_status_code_and_route);
	tcase_add_test(tests, a_pool_of_a_file_is_told_as_it_changes);
	tcase_add_test(tests, the_journal_is_told_levels);
}
