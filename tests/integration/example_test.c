/*
 * tests/example/follow.c: a service with the pool in its own memory is never behind
 * the daemon by more than the time of an event.
 */
#include <cJSON.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/dsl/events.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"

/* What an event may take on a machine that has more to do. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EVENT_TIME_MS = 3000 };
#else
enum { EVENT_TIME_MS = 500 };
#endif

struct service {
	pid_t pid;
	int to, from;
};

/* What it says of one key. */
struct said {
	const char *holders; /* "cache-d,cache-a" */
	long epoch;
	const char *read; /* the same, warm ones first, then the fallback, then cold ones */
};

/* It stands beside the daemon, where make puts it. */
static const char *
program(void)
{
	const char *daemon = getenv("HRWD") != NULL ? getenv("HRWD") : "build/hrwd";

	return text("%.*s/tests/follow", (int)(strrchr(daemon, '/') - daemon), daemon);
}

static struct service
service_start(const char *base)
{
	struct service s;
	int in[2], out[2];

	ck_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	s.pid = fork();
	if (s.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execl(program(), "follow", base, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	s.to = in[1];
	s.from = out[0];
	return s;
}

static struct said
ask_service(struct service *s, const char *key)
{
	struct page line = {0};
	char *holders, *epoch, *order;

	ck_assert_int_eq(dprintf(s->to, "%s\n", key), (int)strlen(key) + 1);
	do {
		char byte;

		ck_assert_msg(raw_is_ready(s->from, EVENT_MS) && read(s->from, &byte, 1) == 1,
		    "the service does not answer");
		page_bytes(&line, &byte, 1);
	} while (line.data[line.len - 1] != '\n');
	kept(line.data);
	holders = strchr(line.data, '\t') + 1;
	epoch = strchr(holders, '\t');
	*epoch++ = '\0';
	line.data[line.len - 1] = '\0';
	order = strchr(epoch, '\t');
	return (struct said){holders, strtol(epoch, NULL, 10), order != NULL ? order + 1 : ""};
}

/* Asks until it has that epoch: how long that took. */
static double
service_reaches(struct service *s, long epoch)
{
	double begun = now_ms();

	while (ask_service(s, "photo-7").epoch < epoch && now_ms() - begun < EVENT_MS)
		pause_ms(1);
	return now_ms() - begun;
}

static void
service_end(struct service *s)
{
	int status;

	close(s->to);
	waitpid(s->pid, &status, 0);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* In what order an answer of /replicas is to be read. */
static const char *
reading_order(struct answer *a)
{
	const cJSON *list = value_at(a->json, "replicas"), *away = value_at(a->json, "fallback"),
		    *j;
	const char *order = "";

	for (int turn = 0; turn < 2; turn++) {
		cJSON_ArrayForEach (j, list)
			if (cJSON_IsTrue(cJSON_GetObjectItem(j, "warm")) == (turn == 0))
				order = text(
				    "%s,%s", order, cJSON_GetObjectItem(j, "node")->valuestring);
		for (j = turn == 0 ? away->child : NULL; j != NULL; j = j->next)
			order = text("%s,%s", order, cJSON_GetObjectItem(j, "node")->valuestring);
	}
	return order + 1;
}

/* Holders of 200 keys, as the daemon says: a text a key. */
static void
expect_the_same(struct service *s, const struct daemon *d)
{
	for (int i = 0; i < 200; i++) {
		const char *key = text("photo-%d", i);
		struct said said = ask_service(s, key);
		struct answer *a = ask(
		    d->lookup, "GET", text("/replicas?key=%s", key), "Accept: text/plain", NULL);

		/* A name a line. */
		ck_assert_str_eq(text("%s\n", text_replace(said.holders, ",", "\n")), a->body);
		ck_assert_int_eq(said.epoch, strtol(header(a, "Hrw-Epoch"), NULL, 10));
		a = get(d->lookup, text("/replicas?key=%s", key));
		ck_assert_str_eq(said.read, reading_order(a));
	}
}

START_TEST(a_service_places_keys_as_its_daemon_does)
{
	static const char *const changes[] = {
	    "{\"drain\":[\"cache-c\"],\"reweight\":{\"cache-a\":2.5}}",
	    "{\"remove\":[\"cache-c\"],\"add\":[{\"name\":\"cache-e\",\"address\":\"h:1\","
	    "\"state\":\"joining\"}],\"copies\":3}",
	    "{\"patch\":{\"cache-a\":{\"zone\":\"r1\"},\"cache-b\":{\"zone\":\"r1\"}}}",
	    "{\"reweight\":{\"cache-a\":1},\"placement\":{\"name\":\"ring\",\"hash\":\"blake2b\","
	    "\"vnodes\":40}}",
	};
	struct daemon *d = fleet_start();
	struct service s = service_start(d->lookup);

	expect_the_same(&s, d);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		expect_status(
		    post(d->admin, "/changes?report=none&force=too-much-moved", changes[i]), 200);
		ck_assert_double_lt(service_reaches(&s, 2 + (long)i), EVENT_MS);
		expect_the_same(&s, d);
	}
	service_end(&s);
	daemon_stop(d);
}
END_TEST

enum { CHANGES = 150 };

struct changer {
	const struct daemon *d;
	_Atomic double answered_at[CHANGES + 3]; /* by epoch; 0: not yet */
};

static void *
make_changes(void *arg)
{
	struct changer *c = arg;

	for (int i = 0; i < CHANGES; i++) {
		struct answer *a = ask(c->d->admin, "PATCH", "/nodes/cache-a?report=none",
		    "Content-Type: application/json", text("{\"weight\":%d}", i + 2));

		if (a->status == 200)
			c->answered_at[i + 2] = now_ms();
		/* Now and then without a pause, now and then with a long one. */
		pause_ms(i % 10 == 0 ? 100 : (unsigned)i % 4);
	}
	return NULL;
}

START_TEST(a_service_is_never_behind_by_more_than_the_time_of_an_event)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"workers\":2,"), NULL);
	struct service s = service_start(d->lookup);
	static struct changer c;
	long asked = 0, last = 0;
	pthread_t thread;

	c.d = d;
	ck_assert_int_eq(ask_service(&s, "photo-7").epoch, 1);
	pthread_create(&thread, NULL, make_changes, &c);
	while (last < CHANGES + 1) {
		double at = now_ms(), answered;
		struct said said = ask_service(&s, "photo-7");

		/* It goes forward alone, and the next epoch, if there is one, is news. */
		ck_assert_int_ge(said.epoch, last);
		last = said.epoch;
		answered = c.answered_at[last + 1];
		ck_assert_msg(answered == 0 || at - answered < EVENT_TIME_MS,
		    "epoch %ld, but %ld was answered %.0f ms before", last, last + 1,
		    at - answered);
		asked++;
		pause_ms(1);
	}
	pthread_join(thread, NULL);
	ck_assert_int_gt(asked, CHANGES / 2);
	service_end(&s);
	daemon_stop(d);
}
END_TEST

START_TEST(a_service_serves_on_while_its_daemon_is_away_and_catches_up)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"listen\":{\"lookup\":\"unix:$DIR/lookup\",\"admin\":\"127.0.0.1:0\"},"),
	    NULL);
	struct service s = service_start(d->lookup);

	expect_the_same(&s, d);
	daemon_kill(d);
	ck_assert_int_eq(ask_service(&s, "photo-7").epoch, 1);
	daemon_launch(d);
	expect_status(post(d->admin, "/nodes/cache-c/drain?report=none", NULL), 200);
	ck_assert_double_lt(service_reaches(&s, 2), EVENT_MS);
	expect_the_same(&s, d);
	expect_status(del(d->admin, "/pools/default?force=pool-not-empty&report=none"), 200);
	while (strcmp(ask_service(&s, "photo-7").holders, "unknown-pool") != 0)
		pause_ms(10);
	service_end(&s);
	daemon_stop(d);
}
END_TEST

SUITE(example)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, a_service_places_keys_as_its_daemon_does);
	tcase_add_test(tests, a_service_is_never_behind_by_more_than_the_time_of_an_event);
	tcase_add_test(tests, a_service_serves_on_while_its_daemon_is_away_and_catches_up);
}
