/*
 * Stored key sets: loaded, extended, emptied, streamed back.
 */
#include <sys/socket.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cjson/cJSON.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define TEXT   "Content-Type: text/plain"
#define NDJSON "Content-Type: application/x-ndjson"
#define JSON   "Content-Type: application/json"

/* The stored set as text. */
static const char *
keys_of(const struct daemon *d)
{
	struct answer *a = ask(d->admin, "GET", "/keys", "Accept: text/plain", NULL);

	return expect_status(a, 200)->body;
}

START_TEST(a_set_is_replaced_extended_and_emptied_and_each_time_counted)
{
	struct daemon *d = fleet_start();
	struct answer *a = expect_status(keys_put(d, photos()), 200);

	expect(a, "pool", "'default'");
	expect(a, "keys", "24");
	expect(a, "bytes", "183");
	expect(a, "added", "24");
	expect(a, "removed", "0");
	expect(a, "generation", "1");
	a = ask(d->admin, "POST", "/keys", TEXT, "photo-24\nphoto-25\n");
	expect_status(a, 200);
	expect(a, "keys", "25");
	expect(a, "added", "1");
	expect(a, "removed", "0");
	expect(a, "generation", "2");
	a = keys_put(d, "photo-1\nother\n");
	expect(a, "keys", "2");
	expect(a, "added", "1");
	expect(a, "removed", "24");
	expect(a, "bytes", "12");
	a = expect_status(get(d->admin, "/keys/stats"), 200);
	expect(a, "keys", "2");
	expect(a, "bytes", "12");
	expect(a, "generation", "3");
	ck_assert_str_eq(keys_of(d), "other\nphoto-1\n");
	a = expect_status(del(d->admin, "/keys"), 200);
	expect(a, "keys", "0");
	expect(a, "removed", "2");
	ck_assert_str_eq(keys_of(d), "");
	/* Keys are no membership. */
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
}
END_TEST

START_TEST(a_duplicate_counts_once_and_keys_stand_in_order_of_bytes)
{
	struct daemon *d = fleet_start();

	expect(keys_put(d, "b\na\nb\n\xff\na b\t\nB\r\na\n"), "keys", "5");
	ck_assert_str_eq(keys_of(d), "B\r\na\na b\t\nb\n\xff\n");
	daemon_stop(d);
}
END_TEST

START_TEST(three_types_of_list_load_the_same_set)
{
	static const struct {
		const char *type, *body;
	} rows[] = {{TEXT, "one\ntwo\nthree"}, {NULL, "one\ntwo\nthree\n"},
	    {JSON, "[\"one\",{\"key\":\"two\"},{\"key_base64\":\"dGhyZWU=\"}]"},
	    {NDJSON, "\"one\"\n{\"key\":\"two\"}\n{\"key_base64\":\"dGhyZWU=\"}"},
	    {NDJSON, "{\"key\":\"three\"}\n\"two\"\n\"one\"\n"}};
	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		expect_status(del(d->admin, "/keys"), 200);
		expect(ask(d->admin, "PUT", "/keys", rows[i].type, rows[i].body), "keys", "3");
		ck_assert_str_eq(keys_of(d), "one\nthree\ntwo\n");
	}
	daemon_stop(d);
}
END_TEST

START_TEST(keys_of_any_bytes_come_back_as_they_can_be_sent)
{
	struct daemon *d = fleet_start();
	struct answer *a;
	const char *list;

	expect(ask(d->admin, "PUT", "/keys", JSON,
		   "[\"a\\u0000b\",\"line\\nbreak\",{\"key_base64\":\"//4=\"},\"caf\\u00e9\"]"),
	    "keys", "4");
	a = ask(d->admin, "GET", "/keys", "Accept: application/x-ndjson", NULL);
	list = expect_status(a, 200)->body;
	ck_assert_ptr_nonnull(strstr(list, "a\\u0000b"));
	ck_assert_ptr_nonnull(strstr(list, "\"key_base64\":\"//4=\""));
	expect_status(del(d->admin, "/keys"), 200);
	expect(ask(d->admin, "PUT", "/keys", NDJSON, list), "keys", "4");
	ck_assert_str_eq(
	    ask(d->admin, "GET", "/keys", "Accept: application/x-ndjson", NULL)->body, list);
	a = ask(d->admin, "GET", "/keys", "Accept: application/json", NULL);
	expect(ask(d->admin, "PUT", "/keys", JSON, expect_status(a, 200)->body), "keys", "4");
	daemon_stop(d);
}
END_TEST

START_TEST(a_list_may_come_in_chunks_that_cut_a_key_in_two)
{
	static const char request[] =
	    "PUT /keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n"
	    "2\r\non\r\n5\r\ne\ntwo\r\n1\r\n\n\r\n5\r\nthree\r\n0\r\n\r\n";
	struct daemon *d = fleet_start();
	int fd = raw_open(d->admin);

	for (size_t i = 0; i < sizeof(request) - 1; i++) {
		raw_send(fd, request + i, 1);
		if (i > 100)
			pause_ms(1);
	}
	expect(raw_answer(fd, 5000), "keys", "3");
	close(fd);
	ck_assert_str_eq(keys_of(d), "one\nthree\ntwo\n");
	daemon_stop(d);
}
END_TEST

START_TEST(who_reads_a_long_list_slowly_gets_all_of_it_and_holds_up_nobody)
{
	static const char request[] =
	    "GET /keys HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\n\r\n";
	struct daemon *d = fleet_start();
	const char *all;
	struct answer *a;
	int fd;

	expect(keys_put(d, numbered_keys("some-longer-key-", 300000)), "keys", "300000");
	all = keys_of(d);
	fd = raw_open(d->admin);
	raw_send(fd, request, sizeof(request) - 1);
	pause_ms(50);
	expect_status(post(d->admin, "/nodes/cache-c/drain?report=none", NULL), 200);
	/* The list is that of its beginning. */
	expect(keys_put(d, "one\n"), "keys", "1");
	a = raw_answer(fd, 30000);
	close(fd);
	expect_status(a, 200);
	ck_assert(strcmp(a->body, all) == 0);
	daemon_stop(d);
}
END_TEST

START_TEST(one_bad_line_is_named_and_undoes_the_whole_upload)
{
	static const struct {
		const char *type, *body, *code, *parts;
	} rows[] = {
	    {TEXT, "one\n\nthree\n", "bad-key", "line 2"},
	    {TEXT, "\n", "bad-key", "line 1"},
	    {TEXT, "one\ntwo\nLONG\nfour\n", "bad-key", "line 3|256"},
	    {TEXT, "one\ntwo\nLONG", "bad-key", "line 3|256"},
	    {NDJSON, "\"one\"\n\"\"\n", "bad-key", "line 2"},
	    {NDJSON, "\"one\"\n\"two\n", "bad-json", "line 2"},
	    {NDJSON, "\"one\"\n{\"kez\":\"two\"}\n", "bad-field", "kez"},
	    {NDJSON, "\"one\"\n{\"key_base64\":\"?\"}\n", "bad-key", "line 2"},
	    {NDJSON, "\"one\"\n7\n", "bad-key", "line 2"},
	    {JSON, "[\"one\",\"\"]", "bad-key", NULL},
	    {JSON, "[\"one\",\"two\"", "bad-json", NULL},
	    {JSON, "[\"one\",]", "bad-json", NULL},
	    {JSON, "{\"keys\":[]}", "bad-field", "array"},
	    {JSON, "[\"one\"] x", "bad-json", NULL},
	};
	static const char *const methods[] = {"PUT", "POST"};
	struct daemon *d = fleet_with_photos();
	const char *before = keys_of(d);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int m = 0; m < 2; m++) {
			const char *body = text_replace(rows[i].body, "LONG", text("%0257d", 1));
			size_t lines = daemon_log_lines(d);

			expect_refusal(ask(d->admin, methods[m], "/keys", rows[i].type, body), 400,
			    rows[i].code, rows[i].parts);
			ck_assert_uint_le(daemon_log_lines(d), lines + 1);
		}
	ck_assert_str_eq(keys_of(d), before);
	expect(get(d->admin, "/keys/stats"), "generation", "1");
	/* The longest key there may be. */
	expect(keys_put(d, text("%0256d", 1)), "keys", "1");
	daemon_stop(d);
}
END_TEST

START_TEST(a_bad_line_after_many_good_ones_undoes_them)
{
	struct daemon *d = fleet_with_photos();
	const char *many = numbered_keys("key-", 100000);
	const char *before = keys_of(d);

	expect_refusal(keys_put(d, text("%s\nlast\n", many)), 400, "bad-key", "line 100001");
	expect(get(d->admin, "/keys/stats"), "keys", "24");
	ck_assert_str_eq(keys_of(d), before);
	expect(keys_put(d, many), "keys", "100000");
	daemon_stop(d);
}
END_TEST

START_TEST(an_upload_that_its_client_cuts_short_changes_nothing)
{
	static const char *const heads[] = {
	    "PUT /keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
	    "Content-Length: 1000\r\n\r\none\ntwo\n",
	    "PUT /keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n8\r\none\ntwo\n\r\n",
	    "POST /keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Content-Length: 1000\r\n\r\n[\"one\",\"two\"]",
	};
	struct daemon *d = fleet_with_photos();

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		for (int half = 0; half < 2; half++) {
			int fd = raw_open(d->admin);

			raw_send(fd, heads[i], strlen(heads[i]));
			pause_ms(30);
			/* Hanging up one side, or both. */
			if (half) {
				shutdown(fd, SHUT_WR);
				raw_answer(fd, 300);
			}
			close(fd);
		}
	pause_ms(100);
	expect(get(d->admin, "/keys/stats"), "keys", "24");
	expect(get(d->admin, "/keys/stats"), "generation", "1");
	/* And no upload is in the way of the next. */
	expect(keys_put(d, "one\n"), "generation", "2");
	daemon_stop(d);
}
END_TEST

struct upload {
	struct daemon *d;
	const char *method, *body;
	struct answer *answer;
};

static void *
upload(void *arg)
{
	struct upload *u = arg;

	u->answer = ask(u->d->admin, u->method, "/keys", TEXT, u->body);
	return NULL;
}

static void
upload_both(struct upload *one, struct upload *other)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, upload, other), 0);
	upload(one);
	pthread_join(thread, NULL);
	expect_status(one->answer, 200);
	expect_status(other->answer, 200);
}

START_TEST(of_two_uploads_at_once_the_set_is_one_or_the_other_whole)
{
	struct daemon *d = fleet_start();
	struct upload a = {d, "PUT", numbered_keys("a", 50000), NULL};
	struct upload b = {d, "PUT", numbered_keys("b", 60000), NULL};
	const char *keys;

	upload_both(&a, &b);
	expect(get(d->admin, "/keys/stats"), "generation", "2");
	keys = keys_of(d);
	ck_assert(strchr(keys, 'a') == NULL || strchr(keys, 'b') == NULL);
	expect(get(d->admin, "/keys/stats"), "keys", *keys == 'a' ? "50000" : "60000");

	/* Two that extend it both do. */
	expect_status(del(d->admin, "/keys"), 200);
	a.method = b.method = "POST";
	upload_both(&a, &b);
	expect(get(d->admin, "/keys/stats"), "keys", "110000");
	daemon_stop(d);
}
END_TEST

START_TEST(an_upload_delays_no_change)
{
	struct daemon *d = fleet_start();
	struct upload u = {d, "PUT", numbered_keys("some-longer-key-", 400000), NULL};
	double worst = 0;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, upload, &u), 0);
	for (int i = 0; i < 20; i++) {
		double begun = now_ms();

		expect_status(post(d->admin,
				  i % 2 == 0 ? "/nodes/cache-c/drain?report=none"
					     : "/nodes/cache-c/activate?report=none",
				  NULL),
		    200);
		if (now_ms() - begun > worst)
			worst = now_ms() - begun;
		pause_ms(10);
	}
	pthread_join(thread, NULL);
	expect(expect_status(u.answer, 200), "keys", "400000");
	/* 50 ms are promised; a busy machine gets some grace. */
	ck_assert_msg(worst < 1000, "a change took %.0f ms", worst);
	daemon_stop(d);
}
END_TEST

START_TEST(a_set_is_bound_by_its_number_of_keys_not_by_the_body_limit)
{
	struct daemon *d =
	    daemon_start(FLEET_CONFIG("\"limits\":{\"keys\":100000,\"body_bytes\":65536},"), NULL);

	expect(keys_put(d, numbered_keys("key-", 100000)), "keys", "100000");
	expect_refusal(keys_put(d, numbered_keys("key-", 100001)), 413, "too-large", "100000");
	expect_refusal(
	    ask(d->admin, "POST", "/keys", TEXT, "one-more\n"), 413, "too-large", "100000");
	expect(get(d->admin, "/keys/stats"), "keys", "100000");
	/* Other bodies are. */
	expect_refusal(ask(d->lookup, "POST", "/owners", TEXT, numbered_keys("key-", 100000)), 413,
	    "too-large", "65536");
	daemon_stop(d);
}
END_TEST

START_TEST(each_pool_has_a_set_of_its_own_that_goes_with_it)
{
	struct daemon *d = fleet_with_photos();
	const char *make = "Content-Type: application/json\nIf-None-Match: *";

	expect_status(ask(d->admin, "PUT", "/pools/tier-2", make, "{\"nodes\":[]}"), 201);
	expect(ask(d->admin, "PUT", "/keys?pool=tier-2", TEXT, "x\ny\n"), "pool", "'tier-2'");
	expect(get(d->admin, "/keys/stats?pool=tier-2"), "keys", "2");
	expect(get(d->admin, "/keys/stats"), "keys", "24");
	expect_status(del(d->admin, "/pools/tier-2"), 200);
	expect_refusal(get(d->admin, "/keys?pool=tier-2"), 404, "unknown-pool", "tier-2");
	expect_status(ask(d->admin, "PUT", "/pools/tier-2", make, "{\"nodes\":[]}"), 201);
	expect(get(d->admin, "/keys/stats?pool=tier-2"), "keys", "0");
	expect_refusal(
	    ask(d->admin, "PUT", "/keys?pool=none", TEXT, "x\n"), 404, "unknown-pool", "none");
	daemon_stop(d);
}
END_TEST

static int
history_length(const struct daemon *d)
{
	return cJSON_GetArraySize(value_at(get(d->admin, "/history")->json, "history"));
}

START_TEST(what_leaves_a_set_as_it_is_stands_in_no_history)
{
	static const struct {
		const char *method, *body;
		int is_change;
	} steps[] = {
	    {"DELETE", NULL, 0}, /* of a set that never was */
	    {"PUT", "", 0},
	    {"POST", "", 0},
	    {"PUT", "a\nb\n", 1},
	    {"PUT", "b\na\nb\n", 0},
	    {"POST", "a\n", 0},
	    {"POST", "c\n", 1},
	    {"PUT", "a\nb\nd\n", 1},
	    {"DELETE", NULL, 1},
	    {"DELETE", NULL, 0},
	    {"PUT", "", 0},
	    {"POST", "", 0},
	    {"PUT", "a\n", 1},
	    {"PUT", "", 1},
	    {"PUT", "", 0},
	    {"PUT", "1\n2\n3\n4\n5\n6\n7\n", 1},
	    {"DELETE", NULL, 1},
	};
	struct daemon *d = fleet_start();
	int before = history_length(d), changes = 0;
	double deadline = now_ms() + 10000;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const char *type = steps[i].body == NULL ? NULL : TEXT;

		expect_status(ask(d->admin, steps[i].method, "/keys", type, steps[i].body), 200);
		changes += steps[i].is_change;
	}
	/* It is written in the order of the answers, after them: the last one is a change. */
	while (strstr(get(d->admin, "/history?limit=1")->body, "\"removed\":7") == NULL) {
		ck_assert(now_ms() < deadline);
		pause_ms(5);
	}
	ck_assert_int_eq(history_length(d), before + changes);
	daemon_stop(d);
}
END_TEST

START_TEST(a_set_survives_a_restart_and_stands_in_the_history)
{
	struct daemon *d = fleet_with_photos();
	const char *before = keys_of(d);

	ck_assert_str_eq(text_at(get(d->admin, "/history"), "history[0].pool"), "default");
	expect(get(d->admin, "/history"), "history[0].epoch_after", "1");
	daemon_stop(d);
	daemon_launch(d);
	ck_assert_str_eq(keys_of(d), before);
	expect(get(d->admin, "/keys/stats"), "generation", "1");
	daemon_stop(d);
}
END_TEST

START_TEST(losing_the_key_file_loses_no_membership)
{
	struct daemon *d = fleet_with_photos();

	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	daemon_stop(d);
	ck_assert_int_eq(system(text("cd %s && ls | grep -q keys && rm -f *keys*", d->dir)), 0);
	daemon_launch(d);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	expect(get(d->admin, "/keys/stats"), "keys", "0");
	daemon_stop(d);
}
END_TEST

/* A text as gzip, which lives as long as the test. */
static void *
gzip(const char *plain, size_t *len)
{
	size_t room = compressBound(strlen(plain)) + 64;
	unsigned char *out = kept(malloc(room));
	z_stream z = {0};

	deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (unsigned char *)(uintptr_t)plain;
	z.avail_in = (unsigned)strlen(plain);
	z.next_out = out;
	z.avail_out = (unsigned)room;
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	*len = room - z.avail_out;
	deflateEnd(&z);
	return out;
}

START_TEST(keys_in_gzip_are_the_keys_that_went_into_it)
{
	struct daemon *d = fleet_start();
	const char *plain = numbered_keys("key-", 200000);
	const char *coded = TEXT "\nContent-Encoding: gzip";
	struct answer *a, *want;
	size_t len;
	void *body = gzip(plain, &len);

	expect(ask_bytes(d->admin, "PUT", "/keys", coded, body, len), "keys", "200000");
	ck_assert_str_eq(keys_of(d), (keys_put(d, plain), keys_of(d)));
	a = ask_bytes(d->lookup, "POST", "/owners", coded, body, len);
	want = expect_status(ask(d->lookup, "POST", "/owners", TEXT, plain), 200);
	ck_assert_str_eq(expect_status(a, 200)->body, want->body);
	/* A change's body, too; and nothing is stored of what is cut short. */
	body = gzip("{\"add\":[{\"name\":\"x\"}]}", &len);
	expect_status(
	    ask_bytes(d->admin, "POST", "/plan", JSON "\nContent-Encoding: gzip", body, len), 200);
	body = gzip("a\nb\n", &len);
	expect_refusal(ask_bytes(d->admin, "PUT", "/keys", coded, body, len - 1), 400, "bad-field",
	    "cut short");
	expect_refusal(ask_bytes(d->admin, "PUT", "/keys", TEXT "\nContent-Encoding: br", "x", 1),
	    415, "bad-type", "gzip");
	expect(get(d->admin, "/keys/stats"), "keys", "200000");
	daemon_stop(d);
}
END_TEST

SUITE(keys)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, a_set_is_replaced_extended_and_emptied_and_each_time_counted);
	tcase_add_test(tests, a_duplicate_counts_once_and_keys_stand_in_order_of_bytes);
	tcase_add_test(tests, three_types_of_list_load_the_same_set);
	tcase_add_test(tests, keys_in_gzip_are_the_keys_that_went_into_it);
	tcase_add_test(tests, keys_of_any_bytes_come_back_as_they_can_be_sent);
	tcase_add_test(tests, a_list_may_come_in_chunks_that_cut_a_key_in_two);
	tcase_add_test(tests, who_reads_a_long_list_slowly_gets_all_of_it_and_holds_up_nobody);
	tcase_add_test(tests, one_bad_line_is_named_and_undoes_the_whole_upload);
	tcase_add_test(tests, a_bad_line_after_many_good_ones_undoes_them);
	tcase_add_test(tests, an_upload_that_its_client_cuts_short_changes_nothing);
	tcase_add_test(tests, of_two_uploads_at_once_the_set_is_one_or_the_other_whole);
	tcase_add_test(tests, an_upload_delays_no_change);
	tcase_add_test(tests, a_set_is_bound_by_its_number_of_keys_not_by_the_body_limit);
	tcase_add_test(tests, each_pool_has_a_set_of_its_own_that_goes_with_it);
	tcase_add_test(tests, what_leaves_a_set_as_it_is_stands_in_no_history);
	tcase_add_test(tests, a_set_survives_a_restart_and_stands_in_the_history);
	tcase_add_test(tests, losing_the_key_file_loses_no_membership);
}
