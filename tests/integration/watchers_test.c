/*
 * Many who watch a pool, those who do not read, and those who go without a word.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tests/dsl/events.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"

#define WATCH "GET /watch HTTP/1.1\r\nHost: localhost\r\n\r\n"

#define PATCH                                                                                      \
	"PATCH /nodes/cache-a?report=none HTTP/1.1\r\nHost: localhost\r\n"                         \
	"Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"weight\":2}"

/* How long who reads nothing is borne with: a slow reader must not seem one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IDLE_SECONDS = 30 };
#else
enum { IDLE_SECONDS = 5 };
#endif

enum { MANY = 200 };

static long
change(const struct daemon *d)
{
	static int weight = 1;
	struct answer *a = patch(
	    d->admin, "/nodes/cache-a?report=none&settle=later", text("{\"weight\":%d}", ++weight));

	return (long)number_at(expect_status(a, 200), "epoch_after");
}

/* The descriptors that it has are no more than there were before. */
static void
expect_descriptors(const struct daemon *d, size_t before)
{
	double deadline = now_ms() + EVENT_MS;

	while (daemon_descriptors(d) > before && now_ms() < deadline)
		pause_ms(20);
	ck_assert_uint_le(daemon_descriptors(d), before);
}

/* With each worker's first connection, and a client's, made. */
static size_t
settled_descriptors(const struct daemon *d)
{
	change(d);
	pause_ms(200);
	return daemon_descriptors(d);
}

START_TEST(two_hundred_watchers_are_told_of_each_change)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"workers\":3,"), NULL);
	size_t before = settled_descriptors(d);
	struct events *e[MANY];

	for (int i = 0; i < MANY; i++)
		e[i] = events_open(i % 4 == 0 ? d->admin : d->lookup, "/watch", NULL);
	for (long epoch = 2; epoch <= 6; epoch++) {
		for (int i = 0; i < MANY; i++)
			expect_event(e[i], epoch == 2 ? "pool" : "change", epoch);
		if (epoch < 6)
			ck_assert_int_eq(change(d), epoch + 1);
	}
	for (int i = 0; i < MANY; i++)
		events_close(e[i]);
	expect_descriptors(d, before);
	daemon_stop(d);
}
END_TEST

START_TEST(a_client_that_is_killed_leaves_nothing_behind)
{
	struct daemon *d = fleet_start();
	size_t before = settled_descriptors(d);
	int ready[2];
	pid_t child;
	char byte;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		const char *waits =
		    text("GET /pools/default?wait=300 HTTP/1.1\r\nHost: localhost\r\n"
			 "If-None-Match: \"2\"\r\n\r\n");

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 0; i < 50; i++) {
			int fd = raw_open(i % 2 == 0 ? d->admin : d->lookup);

			expect_event(events_open(d->lookup, "/watch", NULL), "pool", 2);
			raw_send(fd, waits, strlen(waits));
		}
		_exit(write(ready[1], "", 1) == 1 && pause() == 0);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	pause_ms(100);
	ck_assert_uint_ge(daemon_descriptors(d), before + 100);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	expect_descriptors(d, before);
	ck_assert_int_eq(change(d), 3);
	daemon_stop(d);
}
END_TEST

START_TEST(a_stream_outlives_the_deadlines_of_requests_and_idle_connections)
{
	struct daemon *d =
	    daemon_start(FLEET_CONFIG("\"limits\":{\"idle_seconds\":1,\"head_seconds\":1,"
				      "\"body_seconds\":1},"),
		NULL);
	struct events *e = events_open(d->lookup, "/watch?heartbeat=300", NULL);
	struct events *beats = events_open(d->lookup, "/watch?heartbeat=2", NULL);
	const char *waits = "GET /pools/default?wait=60 HTTP/1.1\r\nHost: localhost\r\n"
			    "If-None-Match: \"1\"\r\n\r\n";
	int fd = raw_open(d->lookup);

	expect_event(e, "pool", 1);
	expect_event(beats, "pool", 1);
	raw_send(fd, waits, strlen(waits));
	ck_assert_int_eq(raw_is_ready(fd, 4500), 0);
	ck_assert_int_eq(change(d), 2);
	expect_event(e, "change", 2);
	expect_event(beats, "change", 2);
	ck_assert_int_ge(beats->comments, 1);
	expect_header(expect_status(raw_answer(fd, EVENT_MS), 200), "Hrw-Epoch", "2");
	close(fd);
	daemon_stop(d);
}
END_TEST

START_TEST(half_of_the_connections_may_watch)
{
	struct daemon *d =
	    daemon_start(FLEET_CONFIG("\"workers\":2,\"limits\":{\"connections\":12},"), NULL);
	const char *waits = "GET /pools/default?wait=60 HTTP/1.1\r\nHost: localhost\r\n"
			    "If-None-Match: \"1\"\r\n\r\n";
	struct events *e[5];
	struct answer *a;
	int fd = raw_open(d->lookup);

	for (int i = 0; i < 5; i++) {
		e[i] = events_open(d->lookup, "/watch", NULL);
		expect_event(e[i], "pool", 1);
	}
	raw_send(fd, waits, strlen(waits));
	pause_ms(200);
	a = get(d->lookup, "/watch");
	expect_refusal(a, 429, "busy", "6 requests|limits.connections");
	expect_header(a, "Retry-After", "1");
	expect_refusal(
	    ask(d->lookup, "GET", "/pools/default?wait=60", "If-None-Match: \"1\"", NULL), 429,
	    "busy", "6 requests");
	/* Everything else goes on, also on the other listener. */
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	expect_event(events_open(d->admin, "/watch", NULL), "pool", 1);
	events_close(e[0]);
	pause_ms(200);
	e[0] = events_open(d->lookup, "/watch", NULL);
	expect_event(e[0], "pool", 1);
	expect_status(ask(d->lookup, "HEAD", "/pools/default", NULL, NULL), 200);
	close(fd);
	daemon_stop(d);
}
END_TEST

/* A pool of so many nodes, beside the four of the fleet's. */
static const char *
crowd(int nodes)
{
	struct page page = {0};

	page_add(&page, "{\"add\":[");
	for (int i = 0; i < nodes; i++)
		page_add(&page, "%s{\"name\":\"node-%04d\",\"address\":\"10.1.1.1:%d\"}",
		    i > 0 ? "," : "", i, 1000 + i);
	page_add(&page, "]}");
	return kept(page.data);
}

/* What was sent to it stays unread: 60 changes of 300 KB each would be 18 MB. */
START_TEST(who_does_not_read_costs_little_and_is_cut_off_in_the_end)
{
	enum { UNREAD = 20, CHANGES = 60 };
	struct daemon *d = daemon_start(text("{\"limits\":{\"nodes\":2048,\"idle_seconds\":%d},%s",
					    IDLE_SECONDS, &FLEET_CONFIG("")[1]),
	    NULL);
	size_t before = settled_descriptors(d);
	struct events *reads, *late;
	int unread[UNREAD], small = 4096;
	long begun, last = 0, behind = 2, epoch;
	double deadline;

	expect_status(post(d->admin, "/changes?report=none", crowd(2000)), 200);
	reads = events_open(d->lookup, "/watch", NULL);
	last = 3;
	expect_event(reads, "pool", last);
	for (int i = 0; i < UNREAD; i++) {
		unread[i] = raw_open(d->lookup);
		setsockopt(unread[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
		raw_send(unread[i], WATCH, sizeof(WATCH) - 1);
	}
	late = events_open(d->lookup, "/watch", NULL);
	begun = daemon_resident(d);
	for (int i = 0; i < CHANGES; i++) {
		epoch = change(d);
		ck_assert_int_eq(epoch, last + 1);
		expect_event(reads, "change", ++last);
		if (i % 6 == 0) {
			expect_event(late, behind == 2 ? "pool" : "change", behind + 1);
			behind++;
		}
	}
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	ck_assert_msg(daemon_resident(d) - begun < 64 << 10, "%ld KiB more than %ld",
	    daemon_resident(d) - begun, begun);
#else
	(void)begun;
#endif
	/* Who is slow without being cut off misses nothing, in order. */
	while (behind < last)
		expect_event(late, "change", ++behind);
	events_close(late);
	events_close(reads);
	/* The rest is cut off, however long it stays. */
	deadline = now_ms() + EVENT_MS + IDLE_SECONDS * 1000;
	while (daemon_descriptors(d) > before && now_ms() < deadline)
		pause_ms(100);
	ck_assert_uint_le(daemon_descriptors(d), before);
	for (int i = 0; i < UNREAD; i++)
		close(unread[i]);
	daemon_stop(d);
}
END_TEST

START_TEST(a_stop_ends_every_stream_and_every_wait_at_once)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"workers\":3,"), NULL);
	const char *waits = "GET /pools/default?wait=300 HTTP/1.1\r\nHost: localhost\r\n"
			    "If-None-Match: \"1\"\r\n\r\n";
	struct events *e[MANY / 4];
	int fd[MANY / 4];
	double begun;

	for (int i = 0; i < MANY / 4; i++) {
		e[i] = events_open(i % 2 == 0 ? d->admin : d->lookup, "/watch", NULL);
		fd[i] = raw_open(i % 2 == 0 ? d->admin : d->lookup);
		raw_send(fd[i], waits, strlen(waits));
	}
	for (int i = 0; i < MANY / 4; i++)
		expect_event(e[i], "pool", 1);
	ck_assert_int_eq(raw_is_ready(fd[0], 200), 0);
	begun = now_ms();
	daemon_stop(d);
	ck_assert_double_lt(now_ms() - begun, 3000);
	for (int i = 0; i < MANY / 4; i++) {
		expect_end(e[i]);
		expect_status(raw_answer(fd[i], EVENT_MS), 304);
		events_close(e[i]);
		close(fd[i]);
	}
	ck_assert_ptr_null(strstr(daemon_log(d), "cut"));
}
END_TEST

/* Without chunks a stream ends by closing: nobody but the library sees that. */
START_TEST(a_stop_waits_for_no_stream_of_an_old_client)
{
	for (int i = 0; i < 30; i++) {
		struct daemon *d = fleet_start();
		int fd[3] = {raw_open(d->lookup), raw_open(d->admin), raw_open(d->admin)};
		double begun;

		for (int k = 0; k < 2; k++) {
			raw_send(fd[k], "GET /watch HTTP/1.0\r\n\r\n", 23);
			ck_assert_int_eq(raw_is_ready(fd[k], EVENT_MS), 1);
		}
		/* Not waited for: so that the end comes amid the change's events. */
		raw_send(fd[2], PATCH, sizeof(PATCH) - 1);
		pause_ms((unsigned)i % 6);
		begun = now_ms();
		daemon_stop(d);
		ck_assert_double_lt(now_ms() - begun, 5000);
		for (int k = 0; k < 3; k++)
			close(fd[k]);
	}
}
END_TEST

START_TEST(a_reload_disturbs_no_stream)
{
	struct daemon *d = fleet_start();
	struct events *e = events_open(d->lookup, "/watch", NULL);

	expect_event(e, "pool", 1);
	for (int i = 0; i < 5; i++) {
		kill(d->pid, SIGHUP);
		ck_assert_int_eq(change(d), 2 + i);
		expect_event(e, "change", 2 + i);
	}
	daemon_wait_log(d, "read again");
	ck_assert_ptr_null(events_next(e, 200));
	ck_assert_int_eq(e->is_cut || e->has_ended, 0);
	daemon_stop(d);
}
END_TEST

SUITE(watchers)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, two_hundred_watchers_are_told_of_each_change);
	tcase_add_test(tests, a_client_that_is_killed_leaves_nothing_behind);
	tcase_add_test(tests, a_stream_outlives_the_deadlines_of_requests_and_idle_connections);
	tcase_add_test(tests, half_of_the_connections_may_watch);
	tcase_add_test(tests, who_does_not_read_costs_little_and_is_cut_off_in_the_end);
	tcase_add_test(tests, a_stop_ends_every_stream_and_every_wait_at_once);
	tcase_add_test(tests, a_stop_waits_for_no_stream_of_an_old_client);
	tcase_add_test(tests, a_reload_disturbs_no_stream);
}
