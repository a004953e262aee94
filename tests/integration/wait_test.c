/*
 * GET /pools/{pool}?wait=: the pool when it is another than the client has.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/events.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"

#define LIVEZ "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define DURATION                                                                                   \
	"hrwd_request_duration_seconds_sum{method=\"GET\",route=\"/pools/{pool}\",code=\"3xx\"} "
#define KNOWS_1 "If-None-Match: \"1\""

static long
change(const struct daemon *d)
{
	static int weight = 1;
	struct answer *a = patch(
	    d->admin, "/nodes/cache-a?report=none&settle=later", text("{\"weight\":%d}", ++weight));

	return (long)number_at(expect_status(a, 200), "epoch_after");
}

static int
begin(const char *base, const char *path, const char *header_line)
{
	const char *request =
	    text("GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n", path, header_line);
	int fd = raw_open(base);

	raw_send(fd, request, strlen(request));
	return fd;
}

START_TEST(a_wait_ends_with_304_when_its_time_is_over)
{
	struct daemon *d = fleet_start();
	const char *etag = header(get(d->lookup, "/pools/default"), "ETag");
	double begun = now_ms();
	const char *took;
	struct answer *a = ask(d->lookup, "GET", "/pools/default?wait=1",
	    text("If-None-Match: \"7\", %s", etag), NULL);

	ck_assert_double_ge(now_ms() - begun, 990);
	ck_assert_double_lt(now_ms() - begun, 5000);
	expect_status(a, 304);
	expect_header(a, "ETag", etag);
	expect_header(a, "Hrw-Epoch", "1");
	ck_assert_uint_eq(a->len, 0);
	begun = now_ms();
	expect_status(ask(d->admin, "HEAD", "/v1/pools/default?wait=1", KNOWS_1, NULL), 304);
	ck_assert_double_ge(now_ms() - begun, 990);
	/* The latency of reads tells nothing of how long a client would wait. */
	a = expect_status(get(d->admin, "/metrics"), 200);
	took = strstr(a->body, DURATION);
	ck_assert_msg(took != NULL, "no %s", DURATION);
	ck_assert_double_lt(strtod(took + strlen(DURATION), NULL), 0.9);
	daemon_stop(d);
}
END_TEST

START_TEST(a_version_that_differs_is_answered_at_once)
{
	struct daemon *d = fleet_start();
	double begun = now_ms();
	struct answer *a;

	a = expect_status(
	    ask(d->lookup, "GET", "/pools/default?wait=300", "If-None-Match: \"7\"", NULL), 200);
	expect(a, "epoch", "1");
	expect_status(ask(d->lookup, "GET", "/pools/default?wait=300",
			  "If-None-Match: \"1-0123456789abcdef\"", NULL),
	    200);
	/* No time to wait is what it is without. */
	expect_status(ask(d->lookup, "GET", "/pools/default?wait=0", KNOWS_1, NULL), 304);
	expect_status(get(d->lookup, "/pools/default?wait=0"), 200);
	ck_assert_double_lt(now_ms() - begun, 5000);
	daemon_stop(d);
}
END_TEST

START_TEST(a_change_is_answered_when_it_comes)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"workers\":3,"), NULL);
	int fd[24];

	expect_status(ask(d->admin, "PUT", "/pools/other?report=none",
			  "Content-Type: application/json\nIf-None-Match: *", "{\"nodes\":[]}"),
	    201);
	for (int i = 0; i < 24; i++)
		fd[i] = begin(i % 4 == 0 ? d->admin : d->lookup, "/pools/default?wait=60", KNOWS_1);
	/* Not by a change of another pool, nor by one that changes nothing. */
	expect_status(patch(d->admin, "/pools/other?report=none", "{\"copies\":2}"), 200);
	expect_status(patch(d->admin, "/nodes/cache-a?report=none", "{\"weight\":1}"), 200);
	ck_assert_int_eq(raw_is_ready(fd[23], 300), 0);
	ck_assert_int_eq(change(d), 2);
	for (int i = 0; i < 24; i++) {
		struct answer *a = expect_status(raw_answer(fd[i], EVENT_MS), 200);

		expect(a, "epoch", "2");
		expect(a, "nodes[name=cache-a].weight", "2");
		expect_header(a, "Hrw-Epoch", "2");
		expect_header(a, "ETag", text("\"2-%s\"", text_at(a, "lineage")));
		/* The connection serves on. */
		raw_send(fd[i], LIVEZ, sizeof(LIVEZ) - 1);
		expect_status(raw_answer(fd[i], EVENT_MS), 200);
		close(fd[i]);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_list_of_versions_is_waited_out)
{
	struct daemon *d = fleet_start();
	int fd = begin(d->lookup, "/pools/default?wait=60", "If-None-Match: \"1\", \"2\"");

	ck_assert_int_eq(change(d), 2);
	ck_assert_int_eq(raw_is_ready(fd, 300), 0);
	ck_assert_int_eq(change(d), 3);
	expect(expect_status(raw_answer(fd, EVENT_MS), 200), "epoch", "3");
	daemon_stop(d);
}
END_TEST

START_TEST(a_pool_that_is_dropped_is_unknown_to_who_waits)
{
	struct daemon *d = fleet_start();
	int fd = begin(d->lookup, "/pools/default?wait=60", KNOWS_1);

	ck_assert_int_eq(raw_is_ready(fd, 200), 0);
	expect_status(del(d->admin, "/pools/default?force=pool-not-empty&report=none"), 200);
	expect_refusal(raw_answer(fd, EVENT_MS), 404, "unknown-pool", "default");
	daemon_stop(d);
}
END_TEST

START_TEST(a_wait_says_what_it_waits_for)
{
	static const struct {
		const char *path, *headers, *detail;
	} cases[] = {
	    {"/pools/default?wait=1", NULL, "If-None-Match"},
	    {"/pools/default?wait=1", "If-None-Match: *", "If-None-Match"},
	    {"/pools/default?wait=1&epoch=1", KNOWS_1, "epoch"},
	    {"/pools/default?wait=301", KNOWS_1, "0 to 300"},
	    {"/pools/default?wait=-1", KNOWS_1, "0 to 300"},
	    {"/pools/default?wait=", KNOWS_1, "0 to 300"},
	    {"/pools/default?wait=soon", KNOWS_1, "soon"},
	    {"/pools/default?wait=1&wait=2", KNOWS_1, "wait"},
	    {"/nodes?wait=1", KNOWS_1, "wait"},
	};
	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_refusal(ask(d->lookup, "GET", cases[i].path, cases[i].headers, NULL), 400,
		    "bad-parameter", cases[i].detail);
	expect_refusal(ask(d->lookup, "GET", "/pools/nothing?wait=60", KNOWS_1, NULL), 404,
	    "unknown-pool", "nothing");
	daemon_stop(d);
}
END_TEST

SUITE(wait)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, a_wait_ends_with_304_when_its_time_is_over);
	tcase_add_test(tests, a_version_that_differs_is_answered_at_once);
	tcase_add_test(tests, a_change_is_answered_when_it_comes);
	tcase_add_test(tests, a_list_of_versions_is_waited_out);
	tcase_add_test(tests, a_pool_that_is_dropped_is_unknown_to_who_waits);
	tcase_add_test(tests, a_wait_says_what_it_waits_for);
}
