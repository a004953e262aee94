/*
 * GET /watch: what a stream of events says, and to whom.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tests/dsl/certificates.h"
#include "tests/dsl/events.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/tokens.h"

#define LIVEZ "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"

enum { QUIET_MS = 300 }; /* long enough for what should not come */

/* One change; the epoch after it. */
static long
change(const struct daemon *d)
{
	static int weight = 1;
	struct answer *a = patch(
	    d->admin, "/nodes/cache-a?report=none&settle=later", text("{\"weight\":%d}", ++weight));

	return (long)number_at(expect_status(a, 200), "epoch_after");
}

static const char *
etag(const struct daemon *d)
{
	return header(expect_status(get(d->admin, "/pools/default"), 200), "ETag");
}

START_TEST(the_whole_pool_comes_first_and_then_an_event_a_change)
{
	struct daemon *d = fleet_start();
	struct answer *a = expect_status(get(d->lookup, "/pools/default"), 200);
	struct events *e = events_open(d->lookup, "/watch", NULL);
	struct event *event = expect_event(e, "pool", 1);

	ck_assert_ptr_nonnull(strcasestr(e->head, text("\r\nETag: %s\r\n", event->id)));
	ck_assert_str_eq(event->id, header(a, "ETag"));
	ck_assert_ptr_nonnull(strcasestr(e->head, "\r\nHrw-Epoch: 1\r\n"));
	ck_assert_ptr_nonnull(
	    strcasestr(e->head, text("\r\nHrw-Fingerprint: %s\r\n", header(a, "Hrw-Fingerprint"))));
	ck_assert_ptr_nonnull(strcasestr(e->head, "\r\nCache-Control: no-cache\r\n"));
	ck_assert_int_eq(e->is_chunked, 1);
	/* It is what GET gives, but for the number of keys, which has no epoch. */
	cJSON_ReplaceItemInObject(a->json, "keys", cJSON_CreateNull());
	ck_assert(cJSON_Compare(a->json, event->json, 1));
	ck_assert_ptr_null(events_next(e, QUIET_MS));

	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	event = expect_event(e, "change", 2);
	a = expect_status(get(d->lookup, "/pools/default"), 200);
	ck_assert_str_eq(event->id, header(a, "ETag"));
	ck_assert(cJSON_Compare(value_at(event->json, "settled"), value_at(a->json, "settled"), 1));
	ck_assert(cJSON_Compare(value_at(event->json, "nodes"), value_at(a->json, "nodes"), 1));
	ck_assert_str_eq(
	    text_at(a, "fingerprint"), cJSON_GetStringValue(value_at(event->json, "fingerprint")));
	ck_assert_str_eq(kept(cJSON_PrintUnformatted(value_at(event->json, "change"))),
	    "[{\"op\":\"drain\",\"node\":\"cache-c\"}]");
	ck_assert_int_eq((int)cJSON_GetNumberValue(value_at(event->json, "epoch_before")), 1);

	/* What changes nothing, and what changes keys alone, is no news. */
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	expect_status(keys_put(d, photos()), 200);
	expect_status(post(d->admin, "/plan", "{\"copies\":3}"), 200);
	ck_assert_ptr_null(events_next(e, QUIET_MS));
	expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	event = expect_event(e, "change", 3);
	ck_assert_str_eq(
	    kept(cJSON_PrintUnformatted(value_at(event->json, "change"))), "[{\"op\":\"settle\"}]");
	daemon_stop(d);
	expect_end(e);
}
END_TEST

START_TEST(changes_made_together_are_an_event_each)
{
	enum { TOGETHER = 40 };
	struct daemon *d = fleet_start();
	struct events *e = events_open(d->admin, "/watch?pool=default", NULL);
	int fd[TOGETHER];

	expect_event(e, "pool", 1);
	for (int i = 0; i < TOGETHER; i++) {
		const char *request = text("PATCH /nodes/cache-b?report=none HTTP/1.1\r\nHost: "
					   "localhost\r\nContent-Type: application/json\r\n"
					   "Content-Length: 12\r\n\r\n{\"weight\":%d}",
		    i % 8 + 2);

		fd[i] = raw_open(d->admin);
		raw_send(fd[i], request, strlen(request));
	}
	for (int i = 0; i < TOGETHER; i++) {
		expect_status(raw_answer(fd[i], EVENT_MS), 200);
		close(fd[i]);
	}
	for (long epoch = 2, last = epoch_of(d, "default"); epoch <= last; epoch++) {
		struct event *event = expect_event(e, "change", epoch);

		ck_assert_int_eq(
		    (int)cJSON_GetNumberValue(value_at(event->json, "epoch_before")), epoch - 1);
	}
	ck_assert_ptr_null(events_next(e, QUIET_MS));
	daemon_stop(d);
}
END_TEST

START_TEST(every_worker_and_listener_tells_of_a_change)
{
	enum { EACH = 16 };
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"workers\":4,\"listen\":{\"lookup\":[\"127.0.0.1:0\","
			 "\"unix:$DIR/lookup\"],\"admin\":[\"127.0.0.1:0\",\"unix:$DIR/admin\"]},"),
	    NULL);
	const char *const bases[] = {
	    d->lookup, d->admin, text("unix:%s/lookup", d->dir), text("unix:%s/admin", d->dir)};
	struct events *e[4 * EACH];

	for (int i = 0; i < 4 * EACH; i++)
		e[i] = events_open(bases[i % 4], "/v1/watch", NULL);
	for (int i = 0; i < 4 * EACH; i++)
		expect_event(e[i], "pool", 1);
	for (long epoch = 2; epoch < 6; epoch++) {
		ck_assert_int_eq(change(d), epoch);
		for (int i = 0; i < 4 * EACH; i++)
			expect_event(e[i], "change", epoch);
	}
	daemon_stop(d);
	for (int i = 0; i < 4 * EACH; i++)
		expect_end(e[i]);
}
END_TEST

START_TEST(a_stream_goes_on_from_the_last_event)
{
	struct daemon *d = fleet_start();
	const char *first = etag(d), *lineage = strchr(first, '-'), *now;
	struct events *e;
	/* Whoever has what there is is told nothing; who has less, the rest. */
	const struct {
		const char *id;
		long from; /* the first event; 0: none comes */
		const char *type;
	} cases[] = {
	    {first, 2, "change"},
	    {text("W/%s", first), 2, "change"},
	    {text("1%.17s", lineage), 2, "change"},
	    {"\"1\"", 2, "change"},
	    {"2", 3, "change"},
	    {text("\"3%s", lineage), 4, "change"},
	    {text("\"4%s", lineage), 0, NULL},
	    {"\"4\"", 0, NULL},
	    {"\"5\"", 4, "pool"},
	    {"0", 4, "pool"},
	    {"\"1-0123456789abcdef\"", 4, "pool"},
	    {"\"1-\"", 4, "pool"},
	    {"garbage", 4, "pool"},
	    {"\"\"", 4, "pool"},
	    {"99999999999999999999999999", 4, "pool"},
	    {text("\"4%sx", lineage), 4, "pool"},
	    {text("%s, %s", first, first), 4, "pool"},
	};

	for (long epoch = 2; epoch <= 4; epoch++)
		ck_assert_int_eq(change(d), epoch);
	now = etag(d);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		e = events_open(d->lookup, "/watch", text("Last-Event-ID: %s", cases[i].id));
		for (long epoch = cases[i].from; epoch != 0 && epoch <= 4; epoch++) {
			struct event *event = events_next(e, EVENT_MS);

			ck_assert_msg(event != NULL && strcmp(event->type, cases[i].type) == 0 &&
					  strncmp(event->id, text("\"%ld-", epoch), 3) == 0,
			    "after %s: not %s of epoch %ld, but %s", cases[i].id, cases[i].type,
			    epoch, event == NULL ? "nothing" : event->text);
		}
		ck_assert_msg(events_next(e, 50) == NULL, "after %s one more", cases[i].id);
		events_close(e);
	}
	e = events_open(d->lookup, "/watch", text("Last-Event-ID: %s", now));
	ck_assert_int_eq(change(d), 5);
	expect_event(e, "change", 5);
	/* Also over a restart. */
	daemon_stop(d);
	daemon_launch(d);
	e = events_open(d->lookup, "/watch", text("Last-Event-ID: %s", now));
	expect_event(e, "change", 5);
	ck_assert_ptr_null(events_next(e, QUIET_MS));
	daemon_stop(d);
}
END_TEST

START_TEST(who_missed_more_than_is_kept_is_sent_the_whole_pool)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"history\":20},"), NULL);
	struct events *e;

	for (long epoch = 2; epoch <= 131; epoch++)
		ck_assert_int_eq(change(d), epoch);
	/* More than a hundred behind; no more kept in the history; kept. */
	e = events_open(d->lookup, "/watch", "Last-Event-ID: \"2\"");
	expect_event(e, "pool", 131);
	e = events_open(d->lookup, "/watch", "Last-Event-ID: \"60\"");
	expect_event(e, "pool", 131);
	ck_assert_int_eq(change(d), 132);
	expect_event(e, "change", 132);
	e = events_open(d->lookup, "/watch", "Last-Event-ID: \"130\"");
	expect_event(e, "change", 131);
	expect_event(e, "change", 132);
	daemon_stop(d);
}
END_TEST

START_TEST(comment_lines_show_that_a_quiet_stream_lives)
{
	struct daemon *d = fleet_start();
	struct events *e = events_open(d->lookup, "/watch?heartbeat=1", NULL);
	struct events *quiet = events_open(d->lookup, "/watch", NULL);

	expect_event(e, "pool", 1);
	expect_event(quiet, "pool", 1);
	ck_assert_ptr_null(events_next(e, 3500));
	ck_assert_int_ge(e->comments, 2);
	ck_assert_int_le(e->comments, 3);
	ck_assert_ptr_null(events_next(quiet, 10));
	ck_assert_int_eq(quiet->comments, 0);
	ck_assert_int_eq(change(d), 2);
	expect_event(e, "change", 2);
	expect_refusal(
	    get(d->lookup, "/watch?heartbeat=0"), 400, "bad-parameter", "heartbeat|1 to 300");
	expect_refusal(get(d->lookup, "/watch?heartbeat=301"), 400, "bad-parameter", "heartbeat");
	expect_refusal(get(d->lookup, "/watch?heartbeat=1.5"), 400, "bad-parameter", "heartbeat");
	expect_refusal(get(d->lookup, "/watch?wait=1"), 400, "bad-parameter", "wait");
	daemon_stop(d);
}
END_TEST

START_TEST(a_pool_that_is_dropped_ends_its_stream)
{
	struct daemon *d = fleet_start();
	struct events *e = events_open(d->lookup, "/watch", NULL);
	struct event *event;
	struct answer *a;

	expect_event(e, "pool", 1);
	expect_status(del(d->admin, "/pools/default?force=pool-not-empty&report=none"), 200);
	event = events_next(e, EVENT_MS);
	ck_assert_ptr_nonnull(event);
	ck_assert_str_eq(event->type, "dropped");
	ck_assert_str_eq(event->data, "{\"name\":\"default\"}");
	ck_assert_str_eq(event->id, "");
	expect_end(e);
	/* The connection is as good as before. */
	raw_send(e->fd, LIVEZ, sizeof(LIVEZ) - 1);
	a = expect_status(raw_answer(e->fd, EVENT_MS), 200);
	ck_assert_uint_gt(a->len, 0);
	expect_refusal(get(d->lookup, "/watch"), 404, "unknown-pool", "default");
	expect_refusal(get(d->lookup, "/watch?pool=A"), 400, "bad-pool", NULL);
	/* One made anew is another pool, whatever epoch it is at. */
	expect_status(ask(d->admin, "PUT", "/pools/default?report=none",
			  "Content-Type: application/json\nIf-None-Match: *", "{\"nodes\":[]}"),
	    201);
	e = events_open(d->lookup, "/watch", text("Last-Event-ID: %s", "\"1-0123456789abcdef\""));
	expect_event(e, "pool", 1);
	daemon_stop(d);
}
END_TEST

START_TEST(a_stream_is_a_read_as_any_other)
{
	struct daemon *d = fleet_start();
	struct answer *a = expect_status(ask(d->lookup, "HEAD", "/watch", NULL, NULL), 200);
	struct events *e;
	int fd;

	expect_header(a, "Content-Type", "text/event-stream");
	expect_header(a, "ETag", etag(d));
	ck_assert_uint_eq(a->len, 0);
	a = ask(d->lookup, "POST", "/watch", NULL, "");
	expect_refusal(a, 405, "bad-method", "GET, HEAD");
	expect_header(a, "Allow", "GET, HEAD");
	/* There is one form: whoever likes another gets it all the same. */
	e = events_open(d->lookup, "/watch", "Accept: application/json;q=1, text/plain;q=0.5");
	expect_event(e, "pool", 1);
	/* HTTP/1.0 has no chunks: the end of the connection is the end. */
	fd = raw_open(d->lookup);
	raw_send(fd, "GET /watch HTTP/1.0\r\n\r\n", 23);
	e = events_on(fd);
	while (e->in.data == NULL || strstr(e->in.data, "\r\n\r\n") == NULL) {
		char byte;

		ck_assert_int_eq(read(fd, &byte, 1), 1);
		page_bytes(&e->in, &byte, 1);
	}
	ck_assert_ptr_null(strcasestr(e->in.data, "Transfer-Encoding"));
	e->in_at = e->in.len;
	expect_event(e, "pool", 1);
	ck_assert_int_eq(change(d), 2);
	expect_event(e, "change", 2);
	daemon_stop(d);
	expect_end(e);
}
END_TEST

START_TEST(a_token_watches_its_own_pools_and_as_long_as_it_is_known)
{
	const char *lines = text("%s%s", token_lines(), token_line("img", "read", "img-*"));
	struct daemon *d =
	    fleet_with_tokens("\"auth\":{\"tokens\":\"$DIR/tokens\",\"lookup\":true},", lines);
	const char *bases[2];
	struct events *stays, *goes, *bound;

	daemon_launch(d);
	bases[0] = d->lookup;
	bases[1] = d->admin;
	expect_status(ask_as("admin", d->admin, "PUT", "/pools/img-a?report=none",
			  "{\"nodes\":[{\"name\":\"n1\",\"address\":\"h:1\"}]}"),
	    201);
	for (int i = 0; i < 2; i++) {
		expect_refusal(get(bases[i], "/watch"), 401, "unauthorized", NULL);
		expect_refusal(
		    ask_as("img", bases[i], "GET", "/watch", NULL), 403, "forbidden", "img-");
		expect_refusal(ask_as("img", bases[i], "GET", "/watch?pool=nothing", NULL), 403,
		    "forbidden", "img-");
		bound = events_open(
		    bases[i], "/watch?pool=img-a", "Authorization: Bearer token-of-img");
		expect_event(bound, "pool", 1);
		stays = events_open(
		    bases[i], "/watch?heartbeat=1", "Authorization: Bearer token-of-read");
		goes = events_open(
		    bases[i], "/watch?heartbeat=1", "Authorization: Bearer token-of-plan");
		expect_event(stays, "pool", 1 + i);
		expect_event(goes, "pool", 1 + i);
		private_write(d, "tokens",
		    text("%s%s", token_line("read", "read", ""), token_line("admin", "admin", "")));
		kill(d->pid, SIGHUP);
		/* At the next word, be it a comment. */
		expect_end(goes);
		expect_status(ask_as("admin", d->admin, "PATCH", "/nodes/cache-a?report=none",
				  text("{\"weight\":%d}", i + 2)),
		    200);
		expect_event(stays, "change", 2 + i);
		private_write(d, "tokens", lines);
		kill(d->pid, SIGHUP);
		while (ask_as("plan", d->admin, "GET", "/nodes", NULL)->status != 200)
			pause_ms(10);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_stream_comes_over_TLS)
{
	struct daemon *d = daemon_prepare(
	    text("{\"tls\":{\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/server.key\"},%s",
		&FLEET_CONFIG("")[1]),
	    "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);
	struct events *e;
	FILE *curl;

	certificate_make((struct certificate){.dir = d->dir, .name = "server"});
	daemon_launch(d);
	trust(daemon_path(d, "server.pem"), NULL, NULL);
	curl = popen(text("curl -sN --cacert %s '%s/watch?heartbeat=1'",
			 daemon_path(d, "server.pem"), d->lookup),
	    "r");
	e = events_on(fileno(curl));
	expect_event(e, "pool", 1);
	/* Long enough for a comment or two. */
	ck_assert_ptr_null(events_next(e, 2200));
	ck_assert_int_ge(e->comments, 1);
	ck_assert_int_eq(change(d), 2);
	expect_event(e, "change", 2);
	daemon_stop(d);
	expect_end(e);
	ck_assert_int_eq(pclose(curl), 0);
}
END_TEST

SUITE(watch)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, the_whole_pool_comes_first_and_then_an_event_a_change);
	tcase_add_test(tests, changes_made_together_are_an_event_each);
	tcase_add_test(tests, every_worker_and_listener_tells_of_a_change);
	tcase_add_test(tests, a_stream_goes_on_from_the_last_event);
	tcase_add_test(tests, who_missed_more_than_is_kept_is_sent_the_whole_pool);
	tcase_add_test(tests, comment_lines_show_that_a_quiet_stream_lives);
	tcase_add_test(tests, a_pool_that_is_dropped_ends_its_stream);
	tcase_add_test(tests, a_stream_is_a_read_as_any_other);
	tcase_add_test(tests, a_token_watches_its_own_pools_and_as_long_as_it_is_known);
	tcase_add_test(tests, a_stream_comes_over_TLS);
}
