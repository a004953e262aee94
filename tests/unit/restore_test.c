/*
 * What a copy of a store promises when it is put back: an epoch that was answered is
 * never given out again for another membership.
 */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/store/copy.h"
#include "daemon/store/store.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/suite.h"

static struct hrw_fault fault;

/* A process ends before its n-th call that changes a folder: as one that was killed. */
static int steps_left = -1;

static void
step(void)
{
	if (steps_left >= 0 && steps_left-- == 0)
		kill(getpid(), SIGKILL);
}

int
rename(const char *from, const char *to)
{
	step();
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int
link(const char *from, const char *to)
{
	step();
	return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int
unlink(const char *path)
{
	step();
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static const char *
store_path(void)
{
	return folder_file("hrwd.db");
}

static struct store *
opened(void)
{
	struct store *s = store_open_sqlite(store_path(), true, NULL, &fault);

	ck_assert_msg(s != NULL, "%s", fault.detail);
	return s;
}

/* The present lineage of a pool, as another program reads it. */
static const char *
lineage_of(const char *pool)
{
	static char out[4][32];
	static unsigned turn;
	char *to = out[++turn % 4];
	sqlite3_stmt *q;
	sqlite3 *db;

	*to = '\0';
	ck_assert_int_eq(sqlite3_open_v2(store_path(), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	sqlite3_prepare_v2(db, "SELECT lineage FROM pools WHERE name = ?1", -1, &q, NULL);
	sqlite3_bind_text(q, 1, pool, -1, SQLITE_STATIC);
	if (sqlite3_step(q) == SQLITE_ROW)
		snprintf(to, 32, "%s", (const char *)sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	sqlite3_close(db);
	return to;
}

static int
commit_of(struct store *s, const char *pool, const char *lineage, uint64_t before, const char *word)
{
	char document[96];
	struct store_write w = {.pool = pool,
	    .lineage = lineage,
	    .epoch_before = before,
	    .epoch_after = before + 1,
	    .has_document = true,
	    .document = document,
	    .entry = "{\"op\":1}",
	    .at_ms = 1000};

	snprintf(document, sizeof(document), "{\"lineage\":\"%s\",\"word\":\"%s\"}", lineage, word);
	return store_commit(s, &w, &fault);
}

#define L1 "00000000000000a1"
#define L2 "00000000000000a2"

/* A store with pool a at that epoch; closed. */
static void
make(uint64_t epochs)
{
	struct store *s = opened();

	for (uint64_t at = 0; at < epochs; at++)
		ck_assert_int_eq(commit_of(s, "a", L1, at, "first"), 0);
	store_close(s);
}

static void
change(uint64_t from, uint64_t to, const char *word)
{
	struct store *s = opened();

	for (uint64_t at = from; at < to; at++)
		ck_assert_int_eq(commit_of(s, "a", L1, at, word), 0);
	store_close(s);
}

/* As `cp` does it. */
static void
copy_file(const char *from, const char *to)
{
	size_t len;
	char *bytes = folder_read(folder_file(from), &len);

	ck_assert_ptr_nonnull(bytes);
	folder_write(folder_file(to), bytes, len);
	free(bytes);
}

/* The pool goes on at that epoch, under another lineage than L1, and its earlier
 * epochs are there under the new one. */
static void
goes_on_anew(uint64_t epoch)
{
	struct store *s = opened();
	char lineage[32], *document;

	snprintf(lineage, sizeof(lineage), "%s", lineage_of("a"));
	ck_assert_str_ne(lineage, L1);
	ck_assert_int_eq(commit_of(s, "a", L1, epoch, "again"), HRW_CONFLICT);
	for (uint64_t at = 1; at <= epoch; at++) {
		document = store_document(s, "a", lineage, at, &fault);
		ck_assert_msg(document != NULL, "%s", fault.detail);
		ck_assert_ptr_nonnull(strstr(document, lineage));
		ck_assert_ptr_null(strstr(document, L1));
		free(document);
	}
	ck_assert(store_is_earlier(s, "a", L1, lineage));
	ck_assert(!store_is_earlier(s, "b", L1, lineage));
	ck_assert_int_eq(commit_of(s, "a", lineage, epoch, "on"), 0);
	store_close(s);
	/* Once: the next start finds nothing amiss. */
	store_close(opened());
	ck_assert_str_eq(lineage_of("a"), lineage);
}

START_TEST(an_older_store_that_is_put_back_goes_on_under_a_new_lineage)
{
	folder_new();
	make(2);
	copy_file("hrwd.db", "old.db");
	change(2, 4, "second");
	store_close(opened());
	ck_assert_str_eq(lineage_of("a"), L1);
	copy_file("old.db", "hrwd.db");
	goes_on_anew(2);
	folder_remove();
}
END_TEST

START_TEST(a_pool_that_did_not_go_back_keeps_its_lineage)
{
	struct store *s;

	folder_new();
	make(2);
	s = opened();
	ck_assert_int_eq(commit_of(s, "b", L2, 0, "b"), 0);
	store_close(s);
	copy_file("hrwd.db", "old.db");
	change(2, 3, "second");
	copy_file("old.db", "hrwd.db");
	goes_on_anew(2);
	ck_assert_str_eq(lineage_of("b"), L2);
	folder_remove();
}
END_TEST

START_TEST(a_pool_that_was_removed_since_comes_back_under_a_new_lineage)
{
	struct store_write w = {.pool = "a",
	    .lineage = L1,
	    .epoch_before = 2,
	    .epoch_after = 3,
	    .has_document = true,
	    .at_ms = 1000};
	struct store *s;

	folder_new();
	make(2);
	copy_file("hrwd.db", "old.db");
	s = opened();
	ck_assert_int_eq(store_commit(s, &w, &fault), 0);
	store_close(s);
	store_close(opened());
	copy_file("old.db", "hrwd.db");
	goes_on_anew(2);
	folder_remove();
}
END_TEST

START_TEST(a_log_that_is_lost_with_a_kill_ends_the_lineage)
{
	pid_t child;

	folder_new();
	make(1);
	child = fork();
	if (child == 0) {
		struct store *s = opened();

		for (uint64_t at = 1; at < 4; at++)
			if (commit_of(s, "a", L1, at, "second") < 0)
				_exit(1);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_eq(unlink(folder_file("hrwd.db-wal")), 0);
	goes_on_anew(1);
	folder_remove();
}
END_TEST

START_TEST(a_store_that_went_another_way_to_the_same_epoch_is_told_by_its_seal)
{
	folder_new();
	make(2);
	copy_file("hrwd.db", "old.db");
	change(2, 3, "one way");
	copy_file("hrwd.db.epochs", "seen");
	copy_file("old.db", "hrwd.db");
	unlink(folder_file("hrwd.db.epochs"));
	change(2, 3, "another");
	copy_file("seen", "hrwd.db.epochs");
	goes_on_anew(3);
	folder_remove();
}
END_TEST

START_TEST(a_witness_that_is_older_missing_or_broken_says_nothing)
{
	folder_new();
	make(2);
	copy_file("hrwd.db.epochs", "seen");
	change(2, 4, "second");
	copy_file("seen", "hrwd.db.epochs");
	store_close(opened());
	ck_assert_str_eq(lineage_of("a"), L1);
	folder_write(folder_file("hrwd.db.epochs"), "0123456789", 10);
	store_close(opened());
	ck_assert_str_eq(lineage_of("a"), L1);
	unlink(folder_file("hrwd.db.epochs"));
	store_close(opened());
	ck_assert_str_eq(lineage_of("a"), L1);
	/* And each time it has learnt what there is. */
	copy_file("hrwd.db", "old.db");
	change(4, 5, "third");
	copy_file("old.db", "hrwd.db");
	goes_on_anew(4);
	folder_remove();
}
END_TEST

/* Takes a copy of the store into "backup.db". */
static void
back_up(void)
{
	struct store *s = opened();

	folder_write(folder_file("backup.db"), "", 0);
	ck_assert_msg(store_copy(s, folder_file("backup.db"), &fault) == 0, "%s", fault.detail);
	store_close(s);
	ck_assert_msg(copy_judge(folder_file("backup.db"), &fault) == 0, "%s", fault.detail);
}

START_TEST(a_copy_goes_on_under_new_lineages_wherever_it_is_opened)
{
	char first[32];

	folder_new();
	make(3);
	back_up();
	store_close(opened());
	ck_assert_str_eq(lineage_of("a"), L1); /* the store itself is as it was */
	/* By cp, on a machine that has seen none of it. */
	unlink(folder_file("hrwd.db.epochs"));
	copy_file("backup.db", "hrwd.db");
	goes_on_anew(3);
	snprintf(first, sizeof(first), "%s", lineage_of("a"));
	/* Twice from one copy is two lineages. */
	copy_file("backup.db", "hrwd.db");
	goes_on_anew(3);
	ck_assert_str_ne(lineage_of("a"), first);
	folder_remove();
}
END_TEST

static int
restored(struct copy_restored *out)
{
	return copy_restore(folder_file("backup.db"), store_path(), out, &fault);
}

START_TEST(a_restore_keeps_the_store_that_was_there_with_its_log)
{
	struct copy_restored out;
	sqlite3_stmt *q;
	sqlite3 *db;
	pid_t child;

	folder_new();
	make(2);
	back_up();
	child = fork();
	if (child == 0) {
		struct store *s = opened();

		if (commit_of(s, "a", L1, 2, "in the log") < 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_msg(restored(&out) == 0, "%s", fault.detail);
	ck_assert_uint_eq(out.pools, 1);
	ck_assert_ptr_nonnull(out.kept);
	ck_assert_int_eq(sqlite3_open_v2(out.kept, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	ck_assert_int_eq(
	    sqlite3_prepare_v2(db, "SELECT epoch FROM pools", -1, &q, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(q), SQLITE_ROW);
	ck_assert_int_eq(sqlite3_column_int(q, 0), 3);
	sqlite3_finalize(q);
	sqlite3_close(db);
	free(out.kept);
	goes_on_anew(2);
	/* A second one keeps the first's store under another name. */
	ck_assert_msg(restored(&out) == 0, "%s", fault.detail);
	ck_assert_ptr_nonnull(out.kept);
	free(out.kept);
	goes_on_anew(2);
	folder_remove();
}
END_TEST

START_TEST(a_restore_that_is_refused_changes_nothing)
{
	struct copy_restored out;
	char *bytes, *at;
	struct store *s;
	size_t len;

	folder_new();
	make(2);
	back_up();
	s = opened();
	ck_assert_int_eq(restored(&out), HRW_STORE_FAILED);
	ck_assert_ptr_nonnull(strstr(fault.detail, "in use by another hrwd"));
	store_close(s);
	bytes = folder_read(folder_file("backup.db"), &len);
	for (size_t cut = 0; cut < len; cut += 1021) {
		folder_write(folder_file("backup.db"), bytes, cut);
		ck_assert_int_eq(restored(&out), HRW_STORE_FAILED);
	}
	at = memmem(bytes, len, "first", 5);
	ck_assert_ptr_nonnull(at);
	*at ^= 0x41;
	folder_write(folder_file("backup.db"), bytes, len);
	ck_assert_int_eq(restored(&out), HRW_STORE_FAILED);
	ck_assert_int_eq(copy_restore(store_path(), store_path(), &out, &fault), HRW_STORE_FAILED);
	ck_assert_int_eq(
	    copy_restore(folder_file("nothing"), store_path(), &out, &fault), HRW_STORE_FAILED);
	free(bytes);
	store_close(opened());
	ck_assert_str_eq(lineage_of("a"), L1);
	folder_remove();
}
END_TEST

START_TEST(a_restore_killed_at_any_step_is_the_store_before_or_the_copy)
{
	int killed = 0, before = 0, after = 0;
	int status = 0;

	for (int at = 0; at == 0 || WIFSIGNALED(status); at++) {
		struct store *s;
		pid_t child;

		folder_new();
		make(2);
		back_up();
		child = fork();
		if (child == 0) {
			/* With a log that belongs to the store that was there. */
			s = opened();
			if (commit_of(s, "a", L1, 2, "in the log") < 0)
				_exit(1);
			kill(getpid(), SIGKILL);
		}
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		child = fork();
		if (child == 0) {
			struct copy_restored out;

			steps_left = at;
			_exit(restored(&out) == 0 ? 0 : 1);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
		killed += WIFSIGNALED(status);
		s = store_open_sqlite(store_path(), false, NULL, &fault);
		ck_assert_msg(s != NULL, "step %d: %s", at, fault.detail);
		store_close(s);
		ck_assert_int_eq(access(folder_file("hrwd.db.restored"), F_OK), -1);
		if (strcmp(lineage_of("a"), L1) == 0) {
			before++;
			ck_assert_int_eq(after, 0);
			change(3, 4, "on"); /* its log was there */
		} else {
			after++;
			goes_on_anew(2);
		}
		folder_remove();
	}
	ck_assert_int_gt(before, 1);
	ck_assert_int_gt(after, 2);
	ck_assert_int_gt(killed, 4);
}
END_TEST

START_TEST(a_file_that_goes_away_underneath_takes_no_commit)
{
	static const char *const names[] = {"hrwd.db", "hrwd.db-wal", "hrwd.db.lock"};

	folder_new();
	make(1);
	for (size_t i = 0; i < 3; i++) {
		struct store *s = opened();
		char away[512];

		snprintf(away, sizeof(away), "%s", folder_file("away"));
		ck_assert_int_eq(rename(folder_file(names[i]), away), 0);
		ck_assert(!store_has_changed(s));
		ck_assert(store_is_lost(s));
		ck_assert_int_eq(commit_of(s, "a", L1, i + 1, "lost"), HRW_STORE_FAILED);
		ck_assert_ptr_nonnull(strstr(fault.detail, names[i]));
		/* Another file in its place is not it. */
		copy_file("away", names[i]);
		ck_assert_int_eq(commit_of(s, "a", L1, i + 1, "lost"), HRW_STORE_FAILED);
		ck_assert_int_eq(rename(away, folder_file(names[i])), 0);
		ck_assert_int_eq(commit_of(s, "a", L1, i + 1, "back"), 0);
		ck_assert(!store_is_lost(s));
		store_close(s);
	}
	folder_remove();
}
END_TEST

SUITE(restore)
{
	tcase_set_timeout(tests, 200);
	tcase_add_test(tests, an_older_store_that_is_put_back_goes_on_under_a_new_lineage);
	tcase_add_test(tests, a_pool_that_did_not_go_back_keeps_its_lineage);
	tcase_add_test(tests, a_pool_that_was_removed_since_comes_back_under_a_new_lineage);
	tcase_add_test(tests, a_log_that_is_lost_with_a_kill_ends_the_lineage);
	tcase_add_test(tests, a_store_that_went_another_way_to_the_same_epoch_is_told_by_its_seal);
	tcase_add_test(tests, a_witness_that_is_older_missing_or_broken_says_nothing);
	tcase_add_test(tests, a_copy_goes_on_under_new_lineages_wherever_it_is_opened);
	tcase_add_test(tests, a_restore_keeps_the_store_that_was_there_with_its_log);
	tcase_add_test(tests, a_restore_that_is_refused_changes_nothing);
	tcase_add_test(tests, a_restore_killed_at_any_step_is_the_store_before_or_the_copy);
	tcase_add_test(tests, a_file_that_goes_away_underneath_takes_no_commit);
}
