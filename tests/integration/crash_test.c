/*
 * Whenever a daemon is killed: what it was answered for is there, whole, and
 * nothing else but what was under way.
 *
 * HRW_TIMES=300 kills so often; HRW_SEED=N repeats one run's instants.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/dice.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

enum { TIMES = 12, WRITERS = 2, TIMES_A_DAEMON = 25, SET_KEYS = 200 };

/* Clients that change things until their daemon dies; each remembers what it was
 * answered. */
static struct {
	struct daemon *d;
	atomic_int is_over;
	atomic_long epoch;		  /* the highest answered */
	char (*added)[WRITERS * 512][16]; /* names of nodes answered as added */
	atomic_int count;
	atomic_int serial;
	atomic_int set; /* the key set answered last: one of SET_KEYS + this many keys */
} stream;

static void *
keep_adding(void *arg)
{
	int writer = (int)(intptr_t)arg;

	while (!atomic_load(&stream.is_over)) {
		const char *name = text("w%d-%d", writer, atomic_fetch_add(&stream.serial, 1));
		struct answer *a = post(stream.d->admin, "/nodes?report=none",
		    text("{\"name\":\"%s\",\"address\":\"h:1\"}", name));
		long epoch, seen;

		if (a->status != 201)
			break;
		epoch = (long)number_at(a, "epoch_after");
		seen = atomic_load(&stream.epoch);
		while (epoch > seen && !atomic_compare_exchange_weak(&stream.epoch, &seen, epoch))
			;
		snprintf((*stream.added)[atomic_fetch_add(&stream.count, 1)], 16, "%s", name);
	}
	return NULL;
}

/* Replaces the key set by a larger one each time. */
static void *
keep_uploading(void *arg)
{
	(void)arg;
	while (!atomic_load(&stream.is_over)) {
		int set = atomic_load(&stream.set) + 1;
		struct answer *a =
		    keys_put(stream.d, numbered_keys(text("s%d-", set), (size_t)(SET_KEYS + set)));

		if (a->status != 200)
			break;
		atomic_store(&stream.set, set);
	}
	return NULL;
}

/* A change under way at the kill may have been kept: no more than one of each
 * client. And no half of one: an epoch is a node. */
static void
check_nodes(struct daemon *d)
{
	long epoch = epoch_of(d, "default"), answered = atomic_load(&stream.epoch);
	struct answer *nodes = expect_status(get(d->lookup, "/nodes"), 200);

	ck_assert_int_ge(epoch, answered);
	ck_assert_int_le(epoch, answered + WRITERS);
	for (int i = 0; i < atomic_load(&stream.count); i++)
		ck_assert_msg(
		    strstr(nodes->body, text("\"name\":\"%s\"", (*stream.added)[i])) != NULL,
		    "%s was answered and is lost", (*stream.added)[i]);
	ck_assert_int_eq(count_at(nodes, "nodes"), 4 + epoch - 1);
	ck_assert_int_eq(
	    (long)number_at(get(d->admin, "/history?limit=1"), "history[0].epoch_after"), epoch);
	expect_status(get(d->lookup, text("/pools/default?epoch=%ld", epoch)), 200);
	atomic_store(&stream.epoch, epoch);
}

static void
check_keys(struct daemon *d)
{
	int set = atomic_load(&stream.set);
	int keys = (int)number_at(expect_status(get(d->admin, "/keys/stats"), 200), "keys");
	struct answer *a = ask(d->admin, "GET", "/keys", "Accept: text/plain", NULL);
	size_t lines = 0;

	if (set == 0 && keys == 0)
		return;
	ck_assert_msg(keys == SET_KEYS + set || keys == SET_KEYS + set + 1,
	    "%d keys, where the last set that was answered has %d", keys, SET_KEYS + set);
	set = keys - SET_KEYS;
	expect_status(a, 200);
	for (char *at = a->body, *line; (line = strsep(&at, "\n")) != NULL && *line != '\0';
	     lines++)
		ck_assert_msg(strncmp(line, text("s%d-", set), strlen(text("s%d-", set))) == 0,
		    "%s in set %d", line, set);
	ck_assert_uint_eq(lines, (size_t)keys);
	atomic_store(&stream.set, set);
}

/* Under a stream of changes, killed after so long. */
static void
crash_under_load(struct daemon *d, unsigned after_ms)
{
	pthread_t client[WRITERS + 1];

	atomic_store(&stream.is_over, 0);
	for (intptr_t i = 0; i < WRITERS; i++)
		ck_assert_int_eq(pthread_create(&client[i], NULL, keep_adding, (void *)i), 0);
	ck_assert_int_eq(pthread_create(&client[WRITERS], NULL, keep_uploading, NULL), 0);
	pause_ms(after_ms);
	daemon_kill(d);
	atomic_store(&stream.is_over, 1);
	for (int i = 0; i <= WRITERS; i++)
		pthread_join(client[i], NULL);
	daemon_launch(d);
}

static struct daemon *
begin(void)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"nodes\":16384},"), NULL);

	memset(&stream, 0, sizeof(stream));
	stream.added = kept(calloc(1, sizeof(*stream.added)));
	stream.epoch = 1;
	stream.d = d;
	return d;
}

START_TEST(a_daemon_killed_at_any_instant_comes_back_with_every_answered_change)
{
	const char *seed = getenv("HRW_SEED"), *times_text = getenv("HRW_TIMES");
	struct dice dice = {seed != NULL ? strtoull(seed, NULL, 0) : (uint64_t)getpid()};
	int times = times_text != NULL ? atoi(times_text) : TIMES;
	struct daemon *d = begin();
	int changes = 0;

	printf("crash: HRW_SEED=%llu\n", (unsigned long long)dice.state);
	for (int i = 1; i <= times; i++) {
		crash_under_load(d, dice_below(&dice, 60));
		check_nodes(d);
		check_keys(d);
		/* Documents grow with the nodes: now and then from the beginning. */
		if (i % TIMES_A_DAEMON == 0 || i == times) {
			changes += atomic_load(&stream.count) + atomic_load(&stream.set);
			daemon_stop(d);
			d = i < times ? begin() : NULL;
		}
	}
	printf(
	    "crash: killed %d times, %d answered changes and uploads are there\n", times, changes);
	ck_assert_int_gt(changes, times);
}
END_TEST

START_TEST(a_daemon_killed_as_it_starts_finds_all_at_the_next_start)
{
	struct dice dice = {(uint64_t)getpid()};
	struct daemon *d = fleet_with_photos();

	post(d->admin, "/nodes/cache-c/drain?report=none", NULL);
	for (int i = 0; i < TIMES; i++) {
		daemon_kill(d);
		daemon_spawn(d);
		pause_ms(dice_below(&dice, 30));
		daemon_kill(d);
		daemon_launch(d);
		ck_assert_int_eq(epoch_of(d, "default"), 2);
		expect(get(d->admin, "/keys/stats"), "keys", "24");
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_hundred_sighups_in_a_second_change_nothing_but_what_they_should)
{
	static const char whole[] = FLEET_CONFIG("\"log\":{\"level\":\"warn\"},");
	static const char broken[] = "{\"log\":{\"level\":";
	struct daemon *d = fleet_with_photos();

	for (int i = 0; i < 100; i++) {
		const char *config = i % 2 == 0 ? broken : whole;

		daemon_write(d, "hrwd.json", config, strlen(config));
		kill(d->pid, SIGHUP);
		pause_ms(8);
		if (i % 10 == 0)
			expect_status(get(d->lookup, "/owner?key=photo-7"), 200);
		if (i == 50)
			expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	}
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	expect(get(d->admin, "/keys/stats"), "keys", "24");
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "hrwd.json:1:"));
	daemon_stop(d);
}
END_TEST

START_TEST(a_file_of_pools_that_changes_under_sighups_is_never_half_read)
{
	static const char one[] = "{\"default\":{\"copies\":2,\"nodes\":" FLEET_NODES "}}";
	static const char other[] = "{\"default\":{\"copies\":1,\"nodes\":"
				    "[{\"name\":\"only\",\"address\":\"h:1\"}]}}";
	struct daemon *d = daemon_prepare("{\"store\":{\"file\":\"$DIR/pools.json\"}}", "--lookup",
	    "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);

	daemon_write(d, "pools.json", one, sizeof(one) - 1);
	daemon_launch(d);
	for (int i = 0; i < 100; i++) {
		/* Written in place, so that it may be read empty or cut short. */
		const char *next = i % 2 == 0 ? other : one;
		int count;

		daemon_write(d, "pools.json", next, strlen(next));
		kill(d->pid, SIGHUP);
		pause_ms(5);
		count = count_at(expect_status(get(d->lookup, "/nodes"), 200), "nodes");
		ck_assert_msg(count == 1 || count == 4, "%d nodes", count);
	}
	daemon_stop(d);
}
END_TEST

SUITE(crash)
{
	/* With HRW_TIMES in the hundreds it takes its time. */
	tcase_set_timeout(tests, 3600);
	tcase_add_test(tests, a_daemon_killed_at_any_instant_comes_back_with_every_answered_change);
	tcase_add_test(tests, a_daemon_killed_as_it_starts_finds_all_at_the_next_start);
	tcase_add_test(tests, a_hundred_sighups_in_a_second_change_nothing_but_what_they_should);
	tcase_add_test(tests, a_file_of_pools_that_changes_under_sighups_is_never_half_read);
}
