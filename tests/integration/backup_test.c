/*
 * A backup is a state that was answered, and what is put back is never taken for what
 * was there before.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

enum { CHANGES = 1000 };

static const char *
backup_path(const struct daemon *d)
{
	return daemon_path(d, "backup.db");
}

static void
back_up(const struct daemon *d)
{
	struct stat st;

	expect_ran(ctl(d, "backup", backup_path(d), NULL), 0);
	ck_assert_int_eq(stat(backup_path(d), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
}

/* Files of the daemon's folder whose names begin so. */
static int
count_files(const struct daemon *d, const char *prefix)
{
	struct ran *r = ctl_shell(d, text("ls -d %s/%s* 2>/dev/null | wc -l", d->dir, prefix));

	return atoi(r->out);
}

static void
restore(const struct daemon *d)
{
	struct ran *r = expect_ran(ctl(NULL, "restore", backup_path(d), d->store, NULL), 0);

	ck_assert_ptr_nonnull(strstr(r->out, ".before-"));
}

static const char *
lineage(const struct daemon *d)
{
	return text_at(get(d->lookup, "/pools/default"), "lineage");
}

/* The weight of cache-a at each epoch that was answered. */
static int weight_at[CHANGES + 2];
static atomic_int reached;

static void *
make_changes(void *arg)
{
	const struct daemon *d = arg;

	for (int i = 1; i <= CHANGES; i++) {
		struct answer *a = ask(d->admin, "PATCH", "/nodes/cache-a?report=none",
		    "Content-Type: application/json", text("{\"weight\":%d}", i + 1));

		if (a->status != 200)
			return (void *)1; /* a change was refused */
		weight_at[(int)number_at(a, "epoch_after")] = i + 1;
		atomic_store(&reached, i);
	}
	return NULL;
}

START_TEST(a_backup_while_changes_are_made_is_a_state_that_was_answered)
{
	struct daemon *d = fleet_start();
	pthread_t thread;
	void *failed;
	int epochs = 0, last = 0;

	weight_at[1] = 1;
	pthread_create(&thread, NULL, make_changes, d);
	while (atomic_load(&reached) < CHANGES / 4)
		pause_ms(1);
	back_up(d);
	pthread_join(thread, &failed);
	ck_assert_ptr_null(failed);
	daemon_stop(d);
	restore(d);
	daemon_launch(d);
	last = (int)epoch_of(d, "default");
	ck_assert_int_ge(last, CHANGES / 4);
	/* Each epoch up to its last is there, as it was answered. */
	for (int epoch = 1; epoch <= last; epoch += epoch < last - 5 ? 37 : 1) {
		struct answer *a = get(d->lookup, text("/pools/default?epoch=%d", epoch));

		expect_status(a, 200);
		expect(a, "nodes[name=cache-a].weight", text("%d", weight_at[epoch]));
		ck_assert_str_eq(text_at(a, "lineage"), lineage(d));
		epochs++;
	}
	ck_assert_int_gt(epochs, 5);
	daemon_stop(d);
}
END_TEST

START_TEST(a_client_with_an_old_etag_is_not_told_304_by_a_restored_store)
{
	struct daemon *d = fleet_start();
	const char *old, *was = NULL;
	struct answer *a;

	for (int i = 2; i <= 3; i++)
		patch(d->admin, "/nodes/cache-a", text("{\"weight\":%d}", i));
	back_up(d);
	was = lineage(d);
	patch(d->admin, "/nodes/cache-a", "{\"weight\":9}");
	old = text("\"4-%s\"", was);
	expect_header(get(d->lookup, "/pools/default"), "ETag", old);
	daemon_stop(d);
	restore(d);
	daemon_launch(d);
	ck_assert_str_ne(lineage(d), was);
	/* Epoch 4 comes again, and is another one. */
	ck_assert_int_eq(epoch_of(d, "default"), 3);
	patch(d->admin, "/nodes/cache-a", "{\"weight\":5}");
	ck_assert_int_eq(epoch_of(d, "default"), 4);
	a = ask(d->lookup, "GET", "/pools/default", text("If-None-Match: %s", old), NULL);
	expect_status(a, 200);
	expect(a, "nodes[name=cache-a].weight", "5");
	expect_status(ask(d->lookup, "GET", "/nodes", text("If-None-Match: %s", old), NULL), 200);
	expect_refusal(
	    ask(d->admin, "POST", "/nodes/cache-b/drain", text("If-Match: %s", old), NULL), 412,
	    "stale-epoch", NULL);
	daemon_log_has(d, "a backup was restored");
	daemon_stop(d);
}
END_TEST

START_TEST(a_restored_store_has_its_history_plans_settled_membership_and_keys)
{
	struct daemon *d = fleet_with_photos();
	const char *plan, *id, *was, *history;
	struct answer *a, *pool;

	expect_status(patch(d->admin, "/pools/default", "{\"settles_after\":100000}"), 200);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	a = post(d->admin, "/plan", "{\"reweight\":{\"cache-a\":3}}");
	id = text_at(a, "plan");
	plan = get(d->admin, text("/plans/%s/changes", id))->body;
	pool = get(d->lookup, "/pools/default");
	history = get(d->admin, "/history")->body;
	was = lineage(d);
	back_up(d);
	expect_status(del(d->admin, "/nodes/cache-c?force=keys-at-risk,not-draining"), 200);
	daemon_stop(d);
	restore(d);
	daemon_launch(d);
	a = get(d->lookup, "/pools/default");
	ck_assert_str_ne(text_at(a, "lineage"), was);
	expect(a, "settles_after", "100000");
	expect(a, "settled.nodes[name=cache-c].state", "'active'");
	ck_assert_str_eq(text_at(a, "fingerprint"), text_at(pool, "fingerprint"));
	ck_assert_int_eq((int)number_at(a, "epoch"), (int)number_at(pool, "epoch"));
	expect(a, "keys", "24");
	/* One entry more, and it says what happened. */
	a = get(d->admin, "/history");
	expect(a, "history[0].change[0].op", "'restore'");
	expect(a, "history[0].change[0].from", text("'%s'", was));
	ck_assert_ptr_nonnull(strstr(history, text_at(a, "history[1].at")));
	/* The plan lists the same keys, and can still be applied. */
	ck_assert_str_eq(get(d->admin, text("/plans/%s/changes", id))->body, plan);
	a = expect_status(post(d->admin, text("/plans/%s/apply", id), NULL), 200);
	expect(a, "outcome", "'applied'");
	expect_ran(ctl(d, "history", NULL), 0);
	daemon_stop(d);
}
END_TEST

START_TEST(an_older_store_put_back_by_hand_is_noticed_and_said_loudly)
{
	struct daemon *d = fleet_start();
	const char *was = lineage(d);
	char *bytes;
	size_t len;

	patch(d->admin, "/nodes/cache-a", "{\"weight\":2}");
	daemon_stop(d);
	bytes = text_file(d->store, &len);
	daemon_launch(d);
	for (int i = 3; i < 5; i++)
		patch(d->admin, "/nodes/cache-a", text("{\"weight\":%d}", i));
	ck_assert_str_eq(lineage(d), was);
	daemon_kill(d);
	daemon_write(d, "hrwd.db", bytes, len);
	unlink(daemon_path(d, "hrwd.db-wal"));
	unlink(daemon_path(d, "hrwd.db-shm"));
	daemon_launch(d);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	ck_assert_str_ne(lineage(d), was);
	daemon_log_has(d, "error the store is older than it was|answered=4");
	daemon_stop(d);
}
END_TEST

START_TEST(a_store_whose_log_is_lost_with_a_kill_goes_on_under_a_new_lineage)
{
	struct daemon *d = fleet_start();
	const char *was = lineage(d);

	daemon_stop(d);
	daemon_launch(d);
	ck_assert_str_eq(lineage(d), was);
	for (int i = 2; i < 5; i++)
		patch(d->admin, "/nodes/cache-a", text("{\"weight\":%d}", i));
	daemon_kill(d);
	ck_assert_int_eq(unlink(daemon_path(d, "hrwd.db-wal")), 0);
	daemon_launch(d);
	ck_assert_int_lt(epoch_of(d, "default"), 4);
	ck_assert_str_ne(lineage(d), was);
	/* A plain crash is none of it. */
	was = lineage(d);
	patch(d->admin, "/nodes/cache-a", "{\"weight\":7}");
	daemon_crash(d);
	ck_assert_str_eq(lineage(d), was);
	daemon_stop(d);
}
END_TEST

START_TEST(a_store_that_is_taken_away_underneath_takes_no_change_and_is_not_ready)
{
	struct daemon *d = fleet_start();
	static const char *const names[] = {"hrwd.db", "hrwd-keys.db"};

	for (size_t i = 0; i < 2; i++) {
		char away[512];

		snprintf(away, sizeof(away), "%s", daemon_path(d, "away"));
		ck_assert_int_eq(rename(daemon_path(d, names[i]), away), 0);
		if (i == 0)
			expect_refusal(post(d->admin, "/nodes/cache-c/drain", NULL), 503,
			    "store-failed", "hrwd.db");
		else
			expect_refusal(keys_put(d, "a\nb\n"), 503, "store-failed", names[1]);
		while (get(d->lookup, "/readyz")->status != 503)
			pause_ms(20);
		ck_assert_ptr_nonnull(
		    strstr(get(d->lookup, "/readyz?verbose")->body, "removed, moved or replaced"));
		expect_status(get(d->admin, "/readyz"), 503);
		expect_status(get(d->lookup, "/owner?key=a"), 200);
		expect_status(get(d->admin, "/livez"), 200);
		ck_assert_int_eq(rename(away, daemon_path(d, names[i])), 0);
		while (get(d->lookup, "/readyz")->status != 200)
			pause_ms(20);
	}
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	daemon_stop(d);
}
END_TEST

START_TEST(a_second_daemon_on_a_removed_store_is_noticed_by_the_first)
{
	struct daemon *d = fleet_start();
	struct daemon *other = daemon_prepare(
	    NULL, "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", d->store, NULL);

	unlink(d->store);
	unlink(daemon_path(d, "hrwd.db-wal"));
	unlink(daemon_path(d, "hrwd.db-shm"));
	/* The lock is there: no other one begins. */
	ck_assert_int_eq(daemon_exits_with(other), 1);
	unlink(daemon_path(d, "hrwd.db.lock"));
	unlink(daemon_path(d, "hrwd-keys.db.lock"));
	daemon_launch(other);
	expect_refusal(post(d->admin, "/nodes/cache-c/drain", NULL), 503, "store-failed", NULL);
	expect_status(get(d->admin, "/readyz"), 503);
	daemon_stop(other);
	daemon_stop(d);
}
END_TEST

/* As another program that writes to the key sets: SQLite's lock of writers in the
 * log mode is byte 120 of the index. Closing gives it back. */
static int
lock_keys(const struct daemon *d)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 120, .l_len = 1};
	int fd = open(daemon_path(d, "hrwd-keys.db-shm"), O_RDWR | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_SETLK, &lock), 0);
	return fd;
}

static const char pool_again[] = "{\"nodes\":[{\"name\":\"cache-a\",\"address\":\"h:1\"}]}";

static void
has_no_keys(const struct daemon *d)
{
	struct answer *a = ask(d->admin, "PUT", "/pools/default",
	    "If-None-Match: *\nContent-Type: application/json", pool_again);

	expect_status(a, 201);
	expect(get(d->admin, "/keys/stats"), "keys", "0");
	expect(get(d->admin, "/keys/stats"), "generation", "0");
	expect(get(d->lookup, "/pools/default"), "keys", "0");
	ck_assert_str_eq(get(d->admin, "/keys")->body, "");
	expect(post(d->admin, "/plan", "{\"copies\":2}"), "keys.source", "'estimate'");
}

START_TEST(a_pool_made_anew_has_none_of_the_old_ones_keys)
{
	struct daemon *d = fleet_with_photos();
	struct answer *plan = post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}");
	int lock = lock_keys(d);

	/* The key sets cannot be written: the pool goes all the same. */
	expect_status(del(d->admin, "/pools/default?force=pool-not-empty"), 200);
	daemon_log_has(d, "the key set of a removed pool stays");
	has_no_keys(d);
	close(lock);
	/* Nor does an earlier pool's plan count the new one's. */
	expect_status(keys_put(d, "new-1\nnew-2\n"), 200);
	expect(get(d->admin, "/keys/stats"), "generation", "1");
	ck_assert_ptr_null(strstr(get(d->admin, text_at(plan, "changes_url"))->body, "new-"));
	/* And the next start clears what was left. */
	daemon_crash(d);
	daemon_log_has(d, "a stored key set is cleared");
	expect(get(d->admin, "/keys/stats"), "keys", "2");
	expect_refusal(get(d->admin, text_at(plan, "changes_url")), 409, "keys-changed", NULL);
	daemon_stop(d);
}
END_TEST

static void *
drop_pool(void *arg)
{
	const struct daemon *d = arg;

	ask(d->admin, "DELETE", "/pools/default?force=pool-not-empty", NULL, NULL);
	return NULL;
}

START_TEST(a_daemon_killed_before_a_removed_pools_keys_are_cleared_clears_them)
{
	struct daemon *d = fleet_with_photos();
	int lock = lock_keys(d);
	pthread_t thread;

	pthread_create(&thread, NULL, drop_pool, d);
	while (get(d->lookup, "/pools/default")->status != 404)
		pause_ms(5);
	daemon_kill(d);
	pthread_join(thread, NULL);
	close(lock);
	daemon_launch(d);
	daemon_log_has(d, "a stored key set is cleared");
	has_no_keys(d);
	daemon_stop(d);
}
END_TEST

START_TEST(a_backup_that_cannot_be_made_or_kept_leaves_nothing)
{
	struct daemon *d = fleet_start();
	const struct rlimit none = {1, RLIM_INFINITY};
	const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	struct ran *r;

	ck_assert_int_eq(prlimit(d->pid, RLIMIT_FSIZE, &none, NULL), 0);
	r = ctl(d, "backup", backup_path(d), NULL);
	expect_ran(r, 1);
	ck_assert_ptr_nonnull(strstr(r->err, "store-failed"));
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	ck_assert_int_eq(prlimit(d->pid, RLIMIT_FSIZE, &all, NULL), 0);
	/* hrwctl's own limit, in blocks of 512 or 1,024 bytes. */
	r = ctl_shell(d, text("ulimit -f 8; hrwctl backup %s", backup_path(d)));
	expect_ran(r, 6);
	expect_ran(ctl(d, "backup", d->dir, NULL), 2);
	expect_ran(ctl(d, "backup", "/nowhere/backup.db", NULL), 6);
	ck_assert_int_eq(count_files(d, "backup"), 0);
	ck_assert_int_eq(count_files(d, "hrwd.db.backup"), 0);
	back_up(d);
	/* The restore, too, finds its disk full: the store is as it was. */
	daemon_stop(d);
	r = ctl_shell(d, text("ulimit -f 8; hrwctl restore %s %s", backup_path(d), d->store));
	expect_ran(r, 1);
	ck_assert_int_eq(count_files(d, "hrwd.db.rest"), 0);
	daemon_launch(d);
	ck_assert_ptr_null(strstr(daemon_log(d), "a backup was restored"));
	daemon_stop(d);
}
END_TEST

START_TEST(a_restore_is_refused_while_a_daemon_has_the_store)
{
	struct daemon *d = fleet_start();
	struct ran *r;

	back_up(d);
	r = ctl(NULL, "restore", backup_path(d), d->store, NULL);
	expect_ran(r, 1);
	ck_assert_ptr_nonnull(strstr(r->err, "in use by another hrwd"));
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	daemon_stop(d);
	/* What is no backup is none, and a cut one neither. */
	ck_assert_int_eq(truncate(backup_path(d), 5000), 0);
	r = ctl(NULL, "restore", backup_path(d), d->store, NULL);
	expect_ran(r, 1);
	ck_assert_int_eq(count_files(d, "hrwd.db.before"), 0);
	daemon_launch(d);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	daemon_stop(d);
}
END_TEST

START_TEST(a_plain_file_has_no_backup_and_says_what_to_keep)
{
	static const char pools[] = "{\"default\":{\"nodes\":" FLEET_NODES "}}";
	struct daemon *d = daemon_prepare("{\"store\":{\"file\":\"$DIR/pools.json\"}}", "--lookup",
	    "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);
	struct ran *r;

	daemon_write(d, "pools.json", pools, strlen(pools));
	daemon_launch(d);
	r = expect_ran(ctl(d, "backup", backup_path(d), NULL), 1);
	ck_assert_ptr_nonnull(strstr(r->err, "keep a copy of that file"));
	ck_assert_int_eq(count_files(d, "backup"), 0);
	daemon_stop(d);
}
END_TEST

START_TEST(a_backup_needs_the_role_admin_of_every_pool)
{
	struct daemon *d = fleet_with_tokens("\"auth\":{\"tokens\":\"$DIR/tokens\"},",
	    text("%s%s", token_lines(), token_line("bound", "admin", "default img-*")));

	daemon_launch(d);
	expect_status(ask_as("operate", d->admin, "GET", "/backup", NULL), 403);
	expect_status(ask_as("admin", d->admin, "GET", "/backup", NULL), 200);
	/* Every pool is in it. */
	expect_refusal(
	    ask_as("bound", d->admin, "GET", "/backup", NULL), 403, "forbidden", "every pool");
	expect_status(ask_as("admin", d->lookup, "GET", "/backup", NULL), 404);
	daemon_stop(d);
}
END_TEST

SUITE(backup)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, a_backup_while_changes_are_made_is_a_state_that_was_answered);
	tcase_add_test(tests, a_client_with_an_old_etag_is_not_told_304_by_a_restored_store);
	tcase_add_test(tests, a_restored_store_has_its_history_plans_settled_membership_and_keys);
	tcase_add_test(tests, an_older_store_put_back_by_hand_is_noticed_and_said_loudly);
	tcase_add_test(tests, a_store_whose_log_is_lost_with_a_kill_goes_on_under_a_new_lineage);
	tcase_add_test(
	    tests, a_store_that_is_taken_away_underneath_takes_no_change_and_is_not_ready);
	tcase_add_test(tests, a_second_daemon_on_a_removed_store_is_noticed_by_the_first);
	tcase_add_test(tests, a_pool_made_anew_has_none_of_the_old_ones_keys);
	tcase_add_test(tests, a_daemon_killed_before_a_removed_pools_keys_are_cleared_clears_them);
	tcase_add_test(tests, a_backup_that_cannot_be_made_or_kept_leaves_nothing);
	tcase_add_test(tests, a_restore_is_refused_while_a_daemon_has_the_store);
	tcase_add_test(tests, a_plain_file_has_no_backup_and_says_what_to_keep);
	tcase_add_test(tests, a_backup_needs_the_role_admin_of_every_pool);
}
