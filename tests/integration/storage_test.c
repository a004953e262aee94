/*
 * What a daemon was answered for is there after any end of it.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define JSON "Content-Type: application/json"

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

static void
wait_for_metric(const struct daemon *d, const char *sample)
{
	double deadline = now_ms() + 20000;

	while (strstr(get(d->admin, "/metrics")->body, sample) == NULL) {
		ck_assert_msg(now_ms() < deadline, "no %s: %s", sample, daemon_log(d));
		pause_ms(20);
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

/* Each list is another edit of the one before: an address, the order, a node in the
 * middle. Both placements take from the file what a node leaves out. */
START_TEST(a_restart_on_an_edited_file_moves_no_key)
{
#define HASHED(nodes) "{\"default\":{\"placement\":\"go-rendezvous\",\"nodes\":[" nodes "]}}"
#define BY_ID(nodes)  "{\"default\":{\"placement\":\"kafka\",\"nodes\":[" nodes "]}}"
#define A	      "{\"name\":\"a\",\"address\":\"10.0.0.1:11211\"}"
#define B	      "{\"name\":\"b\",\"address\":\"10.0.0.2:11211\"}"
#define B_MOVED	      "{\"name\":\"b\",\"address\":\"10.0.9.9:11211\"}"
#define C	      "{\"name\":\"c\",\"address\":\"10.0.0.3:11211\"}"
	static const struct {
		const char *before, *after;
	} edits[] = {
	    {HASHED(A "," B), HASHED(A "," B_MOVED)},
	    {BY_ID(A "," B "," C), BY_ID(C "," B "," A)},
	    {BY_ID(A "," C), BY_ID(A "," B "," C)},
	};

	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		struct daemon *d = file_start(edits[i].before);
		char *follows;

		daemon_write(d, "pools.json", edits[i].after, strlen(edits[i].after));
		kill(d->pid, SIGHUP);
		wait_for_metric(d, "hrwd_pool_epoch{pool=\"default\"} 2\n");
		daemon_log_has(d, "pool changed by its file|owners_moved=");
		follows = strdup(text_at(get(d->lookup, "/pools/default"), "fingerprint"));
		daemon_stop(d);
		daemon_launch(d);
		ck_assert_str_eq(text_at(get(d->lookup, "/pools/default"), "fingerprint"), follows);
		free(follows);
		daemon_stop(d);
	}
}
END_TEST

/* What may become of a file of pools; each leaves DIR/pools.json bad. */
static void
lose_file(const struct daemon *d, const char *how)
{
	const char *path = daemon_path(d, "pools.json");
	char *large;

	unlink(path);
	if (strcmp(how, "gone") == 0)
		return;
	if (strcmp(how, "a pipe") == 0) {
		ck_assert_int_eq(mkfifo(path, 0600), 0);
	} else if (strcmp(how, "a link to a pipe") == 0) {
		ck_assert_int_eq(mkfifo(daemon_path(d, "pipe"), 0600), 0);
		ck_assert_int_eq(symlink("pipe", path), 0);
	} else if (strcmp(how, "a folder") == 0) {
		ck_assert_int_eq(mkdir(path, 0700), 0);
	} else if (strcmp(how, "a device") == 0) {
		ck_assert_int_eq(symlink("/dev/zero", path), 0);
	} else if (strcmp(how, "too long") == 0) {
		large = malloc(5 << 20);
		memset(large, ' ', 5 << 20);
		daemon_write(d, "pools.json", large, 5 << 20);
		free(large);
	} else {
		daemon_write(d, "pools.json", how, strlen(how));
	}
}

static void
restore_file(const struct daemon *d)
{
	const char *path = daemon_path(d, "pools.json");

	rmdir(path);
	unlink(path);
	unlink(daemon_path(d, "pipe"));
	daemon_write(d, "pools.json", POOLS(FLEET_NODES), strlen(POOLS(FLEET_NODES)));
}

static const char *const losses[] = {"gone", "a pipe", "a link to a pipe", "a folder", "a device",
    "too long", "", "{}", "{\"pools\":{}}", "{\"default\":{\"copies\":2}}", POOLS("[]"),
    "{\"default"};

START_TEST(a_plain_file_that_is_lost_keeps_the_last_good_pools_and_everybody_is_told)
{
	struct daemon *d = file_start(POOLS(FLEET_NODES));
	unsigned failures = 0;

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		struct answer *a;

		lose_file(d, losses[i]);
		wait_for_metric(d, "\nhrwd_pools_file_failing 1\n");
		/* Served and asked as before. */
		ck_assert_int_eq(count_at(get(d->lookup, "/nodes"), "nodes"), 4);
		expect_status(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), 200);
		a = expect_status(get(d->admin, "/readyz?verbose"), 200);
		ck_assert_ptr_nonnull(strstr(a->body, "\nwarning file: "));
		ck_assert_ptr_nonnull(strstr(a->body, "pools.json"));
		/* The other listener tells no path. */
		a = expect_status(get(d->lookup, "/readyz?verbose"), 200);
		ck_assert_ptr_nonnull(strstr(a->body, "\nwarning file: "));
		ck_assert_ptr_null(strstr(a->body, "pools.json"));
		ck_assert_ptr_nonnull(text_at(get(d->admin, "/status"), "store.failing_since"));
		failures++;
		wait_for_metric(d, text("hrwd_reload_failures_total{of=\"pools\"} %u\n", failures));
		restore_file(d);
		wait_for_metric(d, "\nhrwd_pools_file_failing 0\n");
		ck_assert_ptr_null(strstr(get(d->admin, "/readyz?verbose")->body, "warning"));
	}
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "the last good pools stay"));
	lose_file(d, "a pipe");
	daemon_stop(d);
}
END_TEST

START_TEST(without_a_last_good_one_a_bad_plain_file_is_an_error_of_the_configuration)
{
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		struct daemon *d = daemon_prepare("{\"store\":{\"file\":\"$DIR/pools.json\"}}",
		    "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);

		lose_file(d, losses[i]);
		daemon_refuses_to_start(d, "pools.json");
	}
}
END_TEST

START_TEST(a_plain_file_may_become_empty_where_that_is_allowed)
{
	struct daemon *d =
	    daemon_prepare("{\"store\":{\"file\":\"$DIR/pools.json\",\"allow_empty\":true}}",
		"--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);

	daemon_write(d, "pools.json", "{}", 2);
	daemon_launch(d);
	expect_status(get(d->lookup, "/owner?key=a"), 404);
	restore_file(d);
	kill(d->pid, SIGHUP);
	wait_for_metric(d, "hrwd_pool_nodes{pool=\"default\",state=\"active\"} 4");
	daemon_write(d, "pools.json", POOLS("[]"), strlen(POOLS("[]")));
	kill(d->pid, SIGHUP);
	wait_for_nodes(d, 0);
	daemon_stop(d);
}
END_TEST

/* An address that moved hosts is the same in file and store, but the hash name that was
 * taken from the old one is in the store alone: to apply the file changes nothing. */
START_TEST(a_file_that_would_only_seed_otherwise_is_not_advised_to_be_applied)
{
#define SEED(address)                                                                              \
	"{\"pools\":{\"default\":{\"placement\":\"libmemcached-ketama\",\"nodes\":["               \
	"{\"name\":\"a\",\"address\":\"" address ":11211\"},"                                      \
	"{\"name\":\"b\",\"address\":\"10.0.0.2:11211\"}]}}}"
	struct daemon *d = daemon_start(SEED("10.0.0.1"), NULL);

	ck_assert_ptr_nonnull(
	    strstr(get(d->lookup, "/metrics")->body, "hrwd_config_drift{pool=\"default\"} 0"));
	expect_status(patch(d->admin, "/nodes/a", "{\"address\":\"10.9.9.9:11211\"}"), 200);
	daemon_stop(d);
	daemon_launch(d);
	daemon_log_has(d, "apply the file");
	daemon_stop(d);
	daemon_write(d, "hrwd.json", SEED("10.9.9.9"), strlen(SEED("10.9.9.9")));
	daemon_launch(d);
	daemon_log_has(d, "leaves out what the store knows|hash names");
	ck_assert_ptr_nonnull(
	    strstr(get(d->lookup, "/metrics")->body, "hrwd_config_drift{pool=\"default\"} 1"));
	daemon_stop(d);
}
END_TEST

SUITE(storage)
{
	tcase_set_timeout(tests, TEST_SECONDS);
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
	tcase_add_test(tests, a_restart_on_an_edited_file_moves_no_key);
	tcase_add_test(
	    tests, a_plain_file_that_is_lost_keeps_the_last_good_pools_and_everybody_is_told);
	tcase_add_test(
	    tests, without_a_last_good_one_a_bad_plain_file_is_an_error_of_the_configuration);
	tcase_add_test(tests, a_plain_file_may_become_empty_where_that_is_allowed);
	tcase_add_test(tests, a_file_that_would_only_seed_otherwise_is_not_advised_to_be_applied);
}
