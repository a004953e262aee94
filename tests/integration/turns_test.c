/*
 * How many uploads, lists and traces of keys there may be at a time, and that a crowd of
 * them is in nobody's way.
 */
#include <sys/socket.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define TEXT "Content-Type: text/plain"

enum { CROWD = 40, LONG = 300000, FREE_MS = 10000 };

/* Asks, and reads nothing of the answer. */
static int
ask_and_wait(const struct daemon *d, const char *path)
{
	const char *request = text("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	int fd = raw_open(d->admin), small = 4096;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	raw_send(fd, request, strlen(request));
	return fd;
}

/* Until a turn is free again: the end of a connection takes a moment to be seen. */
static struct answer *
ask_until_free(const struct daemon *d, const char *method, const char *path, const char *body)
{
	double deadline = now_ms() + FREE_MS;
	struct answer *a;

	while ((a = ask(d->admin, method, path, TEXT, body))->status == 429 && now_ms() < deadline)
		pause_ms(20);
	return a;
}

START_TEST(so_many_lists_are_sent_at_once_and_one_more_is_told_to_come_again)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"running_lists\":2},"), NULL);
	const char *changes;
	struct answer *a;
	int one, other;

	expect(keys_put(d, numbered_keys("some-longer-key-", LONG)), "keys", text("%d", LONG));
	a = post(d->admin, "/nodes/cache-c/drain?wait=60", NULL);
	expect(expect_status(a, 200), "state", "'done'");
	changes = text("/plans/%s/changes", text_at(a, "plan"));
	one = ask_and_wait(d, "/keys");
	other = ask_and_wait(d, changes);
	ck_assert(raw_is_ready(one, 5000) && raw_is_ready(other, 5000));
	a = get(d->admin, "/keys");
	expect_refusal(a, 429, "busy", "2 lists|running_lists");
	expect_header(a, "Retry-After", "1");
	expect_refusal(get(d->admin, changes), 429, "busy", "2 lists|running_lists");
	/* What is no list is answered. */
	expect_status(get(d->admin, "/keys/stats"), 200);
	expect_status(post(d->admin, "/nodes/cache-c/activate", NULL), 200);
	/* Who goes away leaves a turn, and so does who has read to the end. */
	close(one);
	for (int i = 0; i < 5; i++)
		expect_status(ask_until_free(d, "GET", "/keys", NULL), 200);
	close(other);
	expect_status(ask_until_free(d, "GET", changes, NULL), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(so_many_uploads_are_taken_at_once_and_one_more_is_told_to_come_again)
{
	static const char head[] =
	    "PUT /keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
	    "Content-Length: 1000\r\n\r\none\ntwo\n";
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"running_uploads\":1},"), NULL);
	struct answer *a;
	int fd = raw_open(d->admin);

	raw_send(fd, head, sizeof(head) - 1);
	pause_ms(100);
	a = ask(d->admin, "POST", "/keys", TEXT, "three\n");
	expect_refusal(a, 429, "busy", "1 key|running_uploads");
	expect_header(a, "Retry-After", "1");
	expect_refusal(keys_put(d, "three\n"), 429, "busy", "running_uploads");
	expect_refusal(del(d->admin, "/keys"), 429, "busy", "running_uploads");
	expect(get(d->admin, "/keys/stats"), "keys", "0");
	expect_status(get(d->admin, "/keys"), 200);
	/* However an upload ends, another has its turn. */
	close(fd);
	expect_status(ask_until_free(d, "PUT", "/keys", "three\n"), 200);
	expect_refusal(keys_put(d, "one\n\n"), 400, "bad-key", NULL);
	expect_refusal(
	    ask(d->admin, "PUT", "/keys?pool=none", TEXT, "one\n"), 404, "unknown-pool", "none");
	expect_status(keys_put(d, "one\n"), 200);
	expect_status(del(d->admin, "/keys"), 200);
	expect_status(keys_put(d, "one\n"), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(so_many_traces_are_in_memory_at_once_and_one_more_is_told_to_come_again)
{
	static const char head[] =
	    "POST /simulate?capacity=10 HTTP/1.1\r\nHost: localhost\r\n"
	    "Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\none\ntwo\n";
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"running_plans\":1},"), NULL);
	int fd[2];

	for (int i = 0; i < 2; i++) {
		fd[i] = raw_open(d->admin);
		raw_send(fd[i], head, sizeof(head) - 1);
	}
	pause_ms(100);
	expect_refusal(ask(d->admin, "POST", "/simulate?capacity=10", TEXT, "one\n"), 429, "busy",
	    "2 traces|running_plans");
	close(fd[0]);
	for (int i = 0; i < 3; i++)
		expect_status(ask_until_free(d, "POST", "/simulate?capacity=10", "one\n"), 200);
	close(fd[1]);
	daemon_stop(d);
}
END_TEST

struct uploader {
	pthread_t thread;
	const struct daemon *d;
	const char *body;
	atomic_int *left;
	long status;
};

static void *
upload(void *arg)
{
	struct uploader *u = arg;

	do {
		u->status = ask(u->d->admin, "PUT", "/keys", TEXT, u->body)->status;
		if (u->status == 429)
			pause_ms(50);
	} while (u->status == 429);
	atomic_fetch_sub(u->left, 1);
	return NULL;
}

START_TEST(a_crowd_of_uploads_to_one_pool_delays_no_change)
{
	struct daemon *d = fleet_start();
	const char *body = numbered_keys("some-longer-key-", LONG / 3);
	atomic_int left = CROWD;
	struct uploader u[CROWD];
	double worst = 0;

	for (int i = 0; i < CROWD; i++) {
		u[i] = (struct uploader){.d = d, .body = body, .left = &left};
		ck_assert_int_eq(pthread_create(&u[i].thread, NULL, upload, &u[i]), 0);
	}
	for (int i = 0; atomic_load(&left) > 0; i++) {
		double begun = now_ms();

		expect_status(post(d->admin,
				  i % 2 == 0 ? "/nodes/cache-c/drain?report=none"
					     : "/nodes/cache-c/activate?report=none",
				  NULL),
		    200);
		worst = now_ms() - begun > worst ? now_ms() - begun : worst;
		pause_ms(20);
	}
	for (int i = 0; i < CROWD; i++) {
		pthread_join(u[i].thread, NULL);
		ck_assert_int_eq(u[i].status, 200);
	}
	/* 50 ms are promised; a busy machine gets grace. It was 3.5 s when uploads could
	 * have every thread. */
	ck_assert_msg(worst < 2500, "a change took %.0f ms", worst);
	daemon_stop(d);
}
END_TEST

SUITE(turns)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, so_many_lists_are_sent_at_once_and_one_more_is_told_to_come_again);
	tcase_add_test(tests, so_many_uploads_are_taken_at_once_and_one_more_is_told_to_come_again);
	tcase_add_test(
	    tests, so_many_traces_are_in_memory_at_once_and_one_more_is_told_to_come_again);
	tcase_add_test(tests, a_crowd_of_uploads_to_one_pool_delays_no_change);
}
