/*
 * What a daemon was answered for is there after any end of it.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define JSON "Content-Type: application/json"

enum { CRASHES = 20, WRITERS = 2 };

/* Clients that add nodes until their daemon dies; each remembers what it was
 * answered. */
static struct {
	struct daemon *d;
	atomic_int is_over;
	atomic_long epoch;		  /* the highest answered */
	char (*added)[WRITERS * 512][16]; /* names of nodes answered as added */
	atomic_int count;
} stream;

static void *
keep_changing(void *arg)
{
	int writer = (int)(intptr_t)arg;
	static atomic_int serial;

	while (!atomic_load(&stream.is_over)) {
		const char *name = text("w%d-%d", writer, atomic_fetch_add(&serial, 1));
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

START_TEST(a_daemon_killed_during_changes_comes_back_with_every_answered_one)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"nodes\":16384},"), NULL);

	stream.added = kept(calloc(1, sizeof(*stream.added)));
	stream.d = d;
	for (int crash = 0; crash < CRASHES; crash++) {
		pthread_t writer[WRITERS];
		struct answer *nodes;
		long epoch;

		atomic_store(&stream.is_over, 0);
		for (intptr_t i = 0; i < WRITERS; i++)
			ck_assert_int_eq(
			    pthread_create(&writer[i], NULL, keep_changing, (void *)i), 0);
		pause_ms(20 + 7 * (unsigned)crash % 40);
		daemon_kill(d);
		atomic_store(&stream.is_over, 1);
		for (int i = 0; i < WRITERS; i++)
			pthread_join(writer[i], NULL);
		daemon_launch(d);

		epoch = epoch_of(d, "default");
		nodes = expect_status(get(d->lookup, "/pools/default"), 200);
		/* A change under way at the kill may have been kept: no more than one of
		 * each client. */
		ck_assert_int_ge(epoch, atomic_load(&stream.epoch));
		ck_assert_int_le(epoch, atomic_load(&stream.epoch) + WRITERS);
		for (int i = 0; i < atomic_load(&stream.count); i++)
			ck_assert_msg(strstr(nodes->body,
					  text("\"name\":\"%s\"", (*stream.added)[i])) != NULL,
			    "%s was answered and is lost", (*stream.added)[i]);
		/* And no half of one: an epoch is a node. */
		ck_assert_int_eq(count_at(nodes, "nodes"), 4 + epoch - 1);
		ck_assert_int_eq(
		    (long)number_at(get(d->admin, "/history?limit=1"), "history[0].epoch_after"),
		    epoch);
		atomic_store(&stream.epoch, epoch);
	}
	ck_assert_int_gt(atomic_load(&stream.count), CRASHES);
	daemon_stop(d);
}
END_TEST

START_TEST(a_restart_keeps_all_and_the_configuration_does_not_undo_it)
{
	struct daemon *d = fleet_start();
	struct answer *before;

	post(d->admin, "/nodes/cache-c/drain", NULL);
	del(d->admin, "/nodes/cache-c");
	patch(d->admin, "/nodes/cache-a?settle=later", "{\"weight\":2}");
	before = get(d->lookup, "/pools/default");
	daemon_stop(d);
	daemon_launch(d);
	ck_assert_str_eq(get(d->lookup, "/pools/default")->body, before->body);
	expect_refusal(get(d->lookup, "/nodes/cache-c"), 404, "unknown-node", NULL);
	expect(get(d->lookup, "/pools/default?epoch=1"), "nodes[name=cache-c].state", "'active'");
	/* File and store differ: one warning, and a metric. */
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "warn"));
	ck_assert_ptr_nonnull(
	    strstr(get(d->lookup, "/metrics")->body, "hrwd_config_drift{pool=\"default\"} 1"));
	daemon_stop(d);
}
END_TEST

START_TEST(a_pool_that_was_removed_does_not_come_back_from_the_configuration)
{
	struct daemon *d = fleet_start();

	expect_status(del(d->admin, "/pools/default?force=pool-not-empty"), 200);
	daemon_stop(d);
	daemon_launch(d);
	expect_refusal(get(d->lookup, "/pools/default"), 404, "unknown-pool", "default");
	daemon_crash(d);
	expect_refusal(get(d->lookup, "/owner?key=a"), 404, "unknown-pool", "default");
	/* Its history stays readable. */
	ck_assert_int_gt(count_at(get(d->admin, "/history?pool=default"), "history"), 0);
	daemon_stop(d);
}
END_TEST

START_TEST(a_new_pool_of_the_configuration_is_seeded_beside_the_old_ones)
{
	struct daemon *d = fleet_start();
	static const char two[] = "{\"pools\":{\"default\":{\"nodes\":[]},"
				  "\"tier-2\":{\"nodes\":[{\"name\":\"x\",\"address\":\"h:1\"}]}}}";

	post(d->admin, "/nodes/cache-c/drain", NULL);
	daemon_stop(d);
	daemon_write(d, "hrwd.json", two, sizeof(two) - 1);
	daemon_launch(d);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	ck_assert_int_eq(epoch_of(d, "tier-2"), 1);
	expect(get(d->lookup, "/owner?key=a&pool=tier-2"), "owner", "'x'");
	daemon_stop(d);
}
END_TEST

START_TEST(a_second_daemon_on_the_same_store_does_not_start)
{
	struct daemon *d = fleet_start();
	struct daemon *other = daemon_prepare(
	    NULL, "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", d->store, NULL);

	ck_assert_int_eq(daemon_exits_with(other), 1);
	ck_assert_ptr_nonnull(strstr(daemon_log(other), d->store));
	/* The first is none the worse for it. */
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	daemon_stop(d);
	/* And once it is gone, the store is free. */
	other->argv[6] = d->store;
	daemon_launch(other);
	ck_assert_int_eq(epoch_of(other, "default"), 2);
	daemon_stop(other);
}
END_TEST

START_TEST(a_damaged_store_is_said_to_be_so_and_left_as_it_is)
{
	struct page page = {0};
	struct daemon *d = daemon_prepare(NULL, "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0",
	    "--store", "$DIR/hrwd.db", NULL);
	size_t len;

	for (int i = 0; i < 1000; i++)
		page_add(&page, "this is no database %d\n", i);
	kept(page.data);
	daemon_write(d, "hrwd.db", page.data, page.len);
	ck_assert_int_eq(daemon_exits_with(d), 1);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), d->store));
	ck_assert_str_eq(text_file(d->store, &len), page.data);
	ck_assert_uint_eq(len, page.len);
}
END_TEST

START_TEST(a_store_with_damaged_pages_is_refused)
{
	struct daemon *d = fleet_with_photos();
	char *bytes;
	size_t len;

	for (int i = 0; i < 30; i++)
		patch(d->admin, "/nodes/cache-a", text("{\"weight\":%d}", i + 2));
	daemon_stop(d);
	bytes = text_file(d->store, &len);
	ck_assert_uint_gt(len, 8192);
	/* Every page but the first, which says that it is a database. */
	memset(bytes + 4096, 0x5a, len - 4096);
	daemon_write(d, "hrwd.db", bytes, len);
	ck_assert_int_eq(daemon_exits_with(d), 1);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), d->store));
	ck_assert_int_eq(memcmp(text_file(d->store, NULL), bytes, len), 0);
}
END_TEST

START_TEST(a_store_of_a_newer_version_is_refused_untouched)
{
	struct daemon *d = fleet_start();
	char *bytes;
	size_t len;

	daemon_stop(d);
	bytes = text_file(d->store, &len);
	/* user_version of an SQLite file: bytes 60 to 63, big-endian. */
	ck_assert_uint_gt(len, 100);
	bytes[62] = 0x7f;
	daemon_write(d, "hrwd.db", bytes, len);
	ck_assert_int_eq(daemon_exits_with(d), 1);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "newer"));
	ck_assert_int_eq(memcmp(text_file(d->store, NULL), bytes, len), 0);
}
END_TEST

START_TEST(without_leave_to_create_a_missing_store_is_an_error)
{
	struct daemon *d =
	    daemon_prepare("{\"store\":{\"path\":\"$DIR/missing.db\",\"create\":false}}",
		"--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);
	struct stat st;

	ck_assert_int_eq(daemon_exits_with(d), 1);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "missing.db"));
	ck_assert_int_eq(stat(daemon_path(d, "missing.db"), &st), -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(a_change_that_cannot_be_made_durable_is_not_made)
{
	struct daemon *d = fleet_start();
	const struct rlimit none = {1, RLIM_INFINITY};
	const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

	/* No file of the daemon may grow: as a full disk. */
	ck_assert_int_eq(prlimit(d->pid, RLIMIT_FSIZE, &none, NULL), 0);
	expect_refusal(post(d->admin, "/nodes/cache-c/drain", NULL), 503, "store-failed", NULL);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	ck_assert_str_eq(state_of(d, "cache-c"), "active");
	expect_status(get(d->lookup, "/owner?key=photo-7"), 200);
	ck_assert_int_eq(prlimit(d->pid, RLIMIT_FSIZE, &all, NULL), 0);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	daemon_stop(d);
}
END_TEST

/* The plain file. */

#define POOLS(nodes) "{\"default\":{\"copies\":2,\"nodes\":" nodes "}}"

static struct daemon *
file_start(const char *pools)
{
	struct daemon *d = daemon_prepare("{\"store\":{\"file\":\"$DIR/pools.json\"}}", "--lookup",
	    "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);

	daemon_write(d, "pools.json", pools, strlen(pools));
	daemon_launch(d);
	return d;
}

static void
wait_for_nodes(const struct daemon *d, int count)
{
	double deadline = now_ms() + 5000;

	while (count_at(get(d->lookup, "/nodes"), "nodes") != count) {
		ck_assert_msg(now_ms() < deadline, "still not %d nodes: %s", count, daemon_log(d));
		pause_ms(5);
	}
}

START_TEST(a_plain_file_takes_no_change_but_plans_and_dry_runs_work)
{
	struct daemon *d = file_start(POOLS(FLEET_NODES));
	struct answer *a;

	expect(get(d->lookup, "/owner?key=photo-7"), "owner", "'cache-d'");
	expect_refusal(
	    post(d->admin, "/nodes/cache-c/drain", NULL), 403, "read-only", "pools.json");
	a = post(d->admin, "/nodes/cache-c/drain?dry_run=true", NULL);
	expect_status(a, 200);
	expect(a, "outcome", "'dry_run'");
	a = expect_status(keys_put(d, photos()), 200);
	a = post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}");
	expect(a, "keys.changed", "13");
	expect_status(get(d->admin, text_at(a, "changes_url")), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(a_plain_file_is_read_anew_on_sighup)
{
	static const char two[] = POOLS("[{\"name\":\"cache-a\",\"address\":\"10.0.0.1:11211\"},"
					"{\"name\":\"cache-z\",\"address\":\"10.0.0.26:11211\"}]");
	static const char broken[] = "{\"default\":{\"copies\":2,\"nodes\":[{\"nmae\":";
	struct daemon *d = file_start(POOLS(FLEET_NODES));
	size_t lines;

	daemon_write(d, "pools.json", two, sizeof(two) - 1);
	kill(d->pid, SIGHUP);
	wait_for_nodes(d, 2);
	expect(get(d->lookup, "/nodes"), "nodes[1].name", "'cache-z'");
	/* What does not parse keeps the last good one. */
	lines = daemon_log_lines(d);
	daemon_write(d, "pools.json", broken, sizeof(broken) - 1);
	kill(d->pid, SIGHUP);
	for (int i = 0; i < 400 && daemon_log_lines(d) == lines; i++)
		pause_ms(5);
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "pools.json"));
	ck_assert_int_eq(count_at(get(d->lookup, "/nodes"), "nodes"), 2);
	daemon_write(d, "pools.json", POOLS(FLEET_NODES), strlen(POOLS(FLEET_NODES)));
	kill(d->pid, SIGHUP);
	wait_for_nodes(d, 4);
	daemon_stop(d);
}
END_TEST

START_TEST(a_plain_file_that_is_replaced_is_read_anew_by_itself)
{
	static const char one[] = POOLS("[{\"name\":\"only\",\"address\":\"10.0.0.1:11211\"}]");
	struct daemon *d = file_start(POOLS(FLEET_NODES));

	daemon_write(d, "next.json", one, sizeof(one) - 1);
	ck_assert_int_eq(rename(daemon_path(d, "next.json"), daemon_path(d, "pools.json")), 0);
	wait_for_nodes(d, 1);
	expect(get(d->lookup, "/owner?key=photo-7"), "owner", "'only'");
	daemon_stop(d);
}
END_TEST

SUITE(storage)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, a_daemon_killed_during_changes_comes_back_with_every_answered_one);
	tcase_add_test(tests, a_restart_keeps_all_and_the_configuration_does_not_undo_it);
	tcase_add_test(tests, a_pool_that_was_removed_does_not_come_back_from_the_configuration);
	tcase_add_test(tests, a_new_pool_of_the_configuration_is_seeded_beside_the_old_ones);
	tcase_add_test(tests, a_second_daemon_on_the_same_store_does_not_start);
	tcase_add_test(tests, a_damaged_store_is_said_to_be_so_and_left_as_it_is);
	tcase_add_test(tests, a_store_with_damaged_pages_is_refused);
	tcase_add_test(tests, a_store_of_a_newer_version_is_refused_untouched);
	tcase_add_test(tests, without_leave_to_create_a_missing_store_is_an_error);
	tcase_add_test(tests, a_change_that_cannot_be_made_durable_is_not_made);
	tcase_add_test(tests, a_plain_file_takes_no_change_but_plans_and_dry_runs_work);
	tcase_add_test(tests, a_plain_file_is_read_anew_on_sighup);
	tcase_add_test(tests, a_plain_file_that_is_replaced_is_read_anew_by_itself);
}
