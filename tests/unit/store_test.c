/*
 * What the SQLite store promises: all of a change or nothing, nothing forgotten,
 * and a file it cannot trust left as it is.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/store.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/suite.h"

static struct hrw_fault fault;

/* Every flush in this program, SQLite's too, comes through here. */
static atomic_int flushes;

int
fdatasync(int fd)
{
	atomic_fetch_add(&flushes, 1);
	return (int)syscall(SYS_fdatasync, fd);
}

int
fsync(int fd)
{
	atomic_fetch_add(&flushes, 1);
	return (int)syscall(SYS_fsync, fd);
}

static struct store *
opened(const char *path)
{
	struct store *s = store_open_sqlite(path, true, NULL, &fault);

	ck_assert_msg(s != NULL, "%s", fault.detail);
	return s;
}

/* The path must be refused with these words, and its file left as it is. */
static void
refused(const char *path, bool create, const char *words)
{
	size_t len, len_after;
	char *before = folder_read(path, &len), *after;

	ck_assert_ptr_null(store_open_sqlite(path, create, NULL, &fault));
	ck_assert_int_eq(fault.error, HRW_STORE_FAILED);
	ck_assert_msg(strstr(fault.detail, words) != NULL, "no \"%s\" in: %s", words, fault.detail);
	after = folder_read(path, &len_after);
	ck_assert_uint_eq(len, len_after);
	if (before != NULL)
		ck_assert_mem_eq(before, after, len);
	free(before);
	free(after);
}

static struct store_write
change(const char *pool, uint64_t before, const char *document)
{
	return (struct store_write){.pool = pool,
	    .lineage = "l1",
	    .epoch_before = before,
	    .epoch_after = before + 1,
	    .document = document,
	    .has_document = true,
	    .entry = "{\"op\":1}",
	    .at_ms = 1000 + (int64_t)before};
}

static int
commit(struct store *s, const char *pool, uint64_t before, const char *document)
{
	struct store_write w = change(pool, before, document);

	return store_commit(s, &w, &fault);
}

/* "a=document b=- " into a text. */
static int
note_pool(void *arg, const char *pool, const char *document, struct hrw_fault *f)
{
	char *out = arg;

	(void)f;
	sprintf(out + strlen(out), "%s=%s ", pool, document != NULL ? document : "-");
	return 0;
}

static const char *
pools(struct store *s)
{
	static char out[4096];

	*out = '\0';
	ck_assert_msg(store_load(s, note_pool, out, &fault) == 0, "%s", fault.detail);
	return out;
}

static int
note_entry(void *arg, int64_t id, const char *entry, const char *summary)
{
	char *out = arg;

	sprintf(out + strlen(out), "%lld:%s:%s ", (long long)id, entry,
	    summary != NULL ? summary : "-");
	return 0;
}

static const char *
history(struct store *s, const char *pool, int64_t after, size_t limit)
{
	static char out[65536];

	*out = '\0';
	ck_assert_int_eq(store_history(s, pool, after, limit, note_entry, out, &fault), 0);
	return out;
}

static int
note_plan(void *arg, const struct store_plan *plan)
{
	char *out = arg;

	sprintf(out + strlen(out), "%s:%s:%s:%s ", plan->id, plan->pool, plan->state, plan->report);
	return 0;
}

static const char *
plans(struct store *s, const char *pool, const char *after, size_t limit)
{
	static char out[65536];

	*out = '\0';
	ck_assert_int_eq(store_plans(s, pool, after, limit, note_plan, out, &fault), 0);
	return out;
}

static void
plan_put(struct store *s, const char *id, const char *state)
{
	struct store_plan plan = {.pool = (char *)"a", .state = (char *)state, .at_ms = 5};
	char report[64];

	snprintf(plan.id, sizeof(plan.id), "%s", id);
	snprintf(report, sizeof(report), "{\"n\":1.50,\"state\":\"%s\"}", state);
	plan.report = report;
	plan.inputs = (char *)"{}";
	ck_assert_int_eq(store_plan_put(s, &plan, &fault), 0);
}

START_TEST(what_was_committed_is_there_after_a_restart)
{
	const char *path;
	struct store *s;
	bool is_new;
	char *document;
	struct stat st;

	folder_new();
	path = folder_file("hrwd.db");
	s = store_open_sqlite(path, true, &is_new, &fault);
	ck_assert_ptr_nonnull(s);
	ck_assert(is_new);
	ck_assert(store_is_writable(s));
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	ck_assert_int_eq(commit(s, "b", 0, "{1}"), 0);
	ck_assert_int_eq(commit(s, "a", 0, "{2}"), 0);
	ck_assert_int_eq(commit(s, "b", 1, "{3}"), 0);
	ck_assert_int_eq(commit(s, "a", 1, NULL), 0);
	store_close(s);

	s = store_open_sqlite(path, false, &is_new, &fault);
	ck_assert_ptr_nonnull(s);
	ck_assert(!is_new);
	ck_assert_str_eq(pools(s), "a=- b={3} ");
	document = store_document(s, "b", "l1", 1, &fault);
	ck_assert_str_eq(document, "{1}");
	free(document);
	ck_assert_ptr_null(store_document(s, "b", "l1", 3, &fault));
	ck_assert_int_eq(fault.error, HRW_UNKNOWN_EPOCH);
	ck_assert_ptr_null(store_document(s, "b", "l2", 1, &fault));
	ck_assert_int_eq(fault.error, HRW_UNKNOWN_EPOCH);
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(a_change_to_another_epoch_or_lineage_is_a_conflict_and_leaves_no_trace)
{
	struct store *s = opened(":memory:");
	struct store_write w;

	ck_assert_int_eq(commit(s, "a", 3, "{}"), HRW_CONFLICT);
	ck_assert_int_eq(commit(s, "a", 0, "{1}"), 0);
	ck_assert_int_eq(commit(s, "a", 0, "{2}"), HRW_CONFLICT);
	ck_assert_int_eq(commit(s, "a", 2, "{2}"), HRW_CONFLICT);
	w = change("a", 1, "{2}");
	w.lineage = "other";
	ck_assert_int_eq(store_commit(s, &w, &fault), HRW_CONFLICT);
	ck_assert_str_eq(pools(s), "a={1} ");
	ck_assert_str_eq(history(s, NULL, 0, 10), "1:{\"op\":1}:- ");

	/* A pool that was removed is made anew from epoch 0. */
	ck_assert_int_eq(commit(s, "a", 1, NULL), 0);
	ck_assert_int_eq(commit(s, "a", 2, "{3}"), HRW_CONFLICT);
	w = change("a", 0, "{4}");
	w.lineage = "l2";
	ck_assert_int_eq(store_commit(s, &w, &fault), 0);
	ck_assert_str_eq(pools(s), "a={4} ");
	store_close(s);
}
END_TEST

START_TEST(a_group_is_written_whole_or_not_at_all)
{
	struct store *s = opened(":memory:");
	struct store_write good[] = {change("a", 0, "{1}"), change("b", 0, "{1}")};
	struct store_write bad[] = {
	    change("a", 1, "{2}"), change("c", 0, "{2}"), change("b", 7, "{2}")};

	good[0].removed = "x y";
	bad[0].removed = "z";
	ck_assert_int_eq(store_commit_all(s, good, 2, &fault), 0);
	ck_assert_int_eq(good[0].history_id, 1);
	ck_assert_int_eq(good[1].history_id, 2);
	ck_assert_int_eq(store_commit_all(s, bad, 3, &fault), HRW_CONFLICT);
	ck_assert_int_eq(bad[0].history_id, 0);
	ck_assert_str_eq(pools(s), "a={1} b={1} ");
	ck_assert_str_eq(history(s, NULL, 0, 10), "2:{\"op\":1}:- 1:{\"op\":1}:- ");
	ck_assert_int_eq(store_removed_at(s, "a", "x"), 1000);
	ck_assert_int_eq(store_removed_at(s, "a", "y"), 1000);
	ck_assert_int_eq(store_removed_at(s, "b", "x"), 0);
	ck_assert_int_eq(store_removed_at(s, "a", "z"), 0);

	/* Two changes of one pool in one group follow one another. */
	bad[1] = change("a", 2, "{3}");
	ck_assert_int_eq(store_commit_all(s, bad, 2, &fault), 0);
	ck_assert_str_eq(pools(s), "a={3} b={1} ");
	store_close(s);
}
END_TEST

START_TEST(history_is_read_newest_first_page_by_page_and_takes_summaries)
{
	struct store *s = opened(":memory:");
	struct store_write w = {.pool = "none", .entry = "{\"refused\":1}"};

	ck_assert_int_eq(commit(s, "a", 0, "{1}"), 0);
	ck_assert_int_eq(commit(s, "b", 0, "{1}"), 0);
	ck_assert_int_eq(commit(s, "a", 1, "{2}"), 0);
	ck_assert_int_eq(store_commit(s, &w, &fault), 0);
	ck_assert_int_eq(store_summarise(s, 3, "{\"s\":1}", &fault), 0);
	ck_assert_str_eq(history(s, NULL, 0, 2), "4:{\"refused\":1}:- 3:{\"op\":1}:{\"s\":1} ");
	ck_assert_str_eq(history(s, NULL, 3, 2), "2:{\"op\":1}:- 1:{\"op\":1}:- ");
	ck_assert_str_eq(history(s, "a", 0, 9), "3:{\"op\":1}:{\"s\":1} 1:{\"op\":1}:- ");
	ck_assert_str_eq(history(s, "a", 1, 9), "");
	ck_assert_str_eq(pools(s), "a={2} b={1} ");
	store_close(s);
}
END_TEST

START_TEST(plans_are_kept_in_order_and_those_that_ran_are_stopped_by_a_restart)
{
	const char *path;
	struct store *s;
	struct store_plan plan;

	folder_new();
	path = folder_file("hrwd.db");
	s = opened(path);
	plan_put(s, "p1", "running");
	plan_put(s, "p2", "running");
	plan_put(s, "p3", "done");
	plan_put(s, "p1", "done");
	ck_assert_str_eq(plans(s, NULL, "", 2), "p3:a:done:{\"n\":1.50,\"state\":\"done\"} "
						"p2:a:running:{\"n\":1.50,\"state\":\"running\"} ");
	ck_assert_str_eq(plans(s, "a", "p2", 2), "p1:a:done:{\"n\":1.50,\"state\":\"done\"} ");
	ck_assert_str_eq(plans(s, "b", "", 2), "");
	store_close(s);

	s = opened(path);
	ck_assert_int_eq(store_plan_get(s, "p2", &plan, &fault), 0);
	ck_assert_str_eq(plan.state, "stopped");
	ck_assert_str_eq(plan.report, "{\"n\":1.50,\"state\":\"stopped\"}");
	ck_assert_str_eq(plan.inputs, "{}");
	ck_assert_str_eq(plan.pool, "a");
	ck_assert_int_eq(plan.at_ms, 5);
	store_plan_fini(&plan);
	ck_assert_int_eq(store_plan_get(s, "p1", &plan, &fault), 0);
	ck_assert_str_eq(plan.state, "done");
	store_plan_fini(&plan);
	ck_assert_int_eq(store_plan_get(s, "p9", &plan, &fault), HRW_UNKNOWN_PLAN);
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(a_trim_keeps_the_newest_and_every_present_document)
{
	struct store *s = opened(":memory:");
	struct store_write w;
	char *document;
	char id[16];

	ck_assert_int_eq(commit(s, "still", 0, "{still}"), 0);
	w = change("busy", 0, "{0}");
	w.entry = NULL; /* a seed without an entry goes all the same */
	w.removed = "old";
	w.at_ms = 1;
	ck_assert_int_eq(store_commit(s, &w, &fault), 0);
	for (int i = 1; i <= 200; i++) {
		ck_assert_int_eq(commit(s, "busy", (uint64_t)i, "{}"), 0);
		snprintf(id, sizeof(id), "p%d", i);
		plan_put(s, id, "running");
		plan_put(s, id, "done");
	}
	ck_assert_int_eq(store_trim(s, 2, 3, &fault), 0);
	ck_assert_str_eq(
	    history(s, NULL, 0, 10), "201:{\"op\":1}:- 200:{\"op\":1}:- 199:{\"op\":1}:- ");
	ck_assert_str_eq(plans(s, NULL, "", 10), "p200:a:done:{\"n\":1.50,\"state\":\"done\"} "
						 "p199:a:done:{\"n\":1.50,\"state\":\"done\"} ");
	ck_assert_str_eq(pools(s), "busy={} still={still} ");
	for (uint64_t epoch = 1; epoch <= 201; epoch++) {
		document = store_document(s, "busy", "l1", epoch, &fault);
		ck_assert_msg((document != NULL) == (epoch >= 199), "epoch %d", (int)epoch);
		free(document);
	}
	ck_assert_int_eq(store_removed_at(s, "busy", "old"), 0);
	store_close(s);
}
END_TEST

START_TEST(a_daemon_killed_at_any_instant_has_every_answered_change)
{
	enum { ROUNDS = 40 };
	const char *path;
	uint64_t epoch = 0;

	folder_new();
	path = folder_file("hrwd.db");
	for (int round = 0; round < ROUNDS; round++) {
		struct store *s;
		uint64_t answered = epoch, known;
		int pipes[2];
		pid_t child;
		char text[32];
		char *document;

		ck_assert_int_eq(pipe(pipes), 0);
		child = fork();
		ck_assert_int_ge(child, 0);
		if (child == 0) {
			s = store_open_sqlite(path, true, NULL, NULL);
			for (uint64_t at = epoch; s != NULL; at++) {
				snprintf(text, sizeof(text), "{%llu}", (unsigned long long)at + 1);
				if (commit(s, "a", at, text) < 0)
					break;
				at++;
				if (write(pipes[1], &at, sizeof(at)) != sizeof(at))
					break;
				at--;
			}
			_exit(1);
		}
		close(pipes[1]);
		/* Sometimes before the first commit, or while the file is made; later after
		 * one, however slow the machine is. */
		if (round >= 20 && read(pipes[0], &known, sizeof(known)) == sizeof(known))
			answered = known;
		usleep((unsigned)(round * 700));
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		while (read(pipes[0], &known, sizeof(known)) == sizeof(known))
			answered = known;
		close(pipes[0]);

		s = opened(path);
		epoch = answered;
		document = store_document(s, "a", "l1", answered + 1, &fault);
		if (document != NULL)
			epoch++; /* committed, and killed before it could say so */
		free(document);
		text[0] = '\0';
		if (epoch > 0)
			snprintf(text, sizeof(text), "a={%llu} ", (unsigned long long)epoch);
		ck_assert_str_eq(pools(s), text);
		for (uint64_t at = 1; at <= epoch; at++) {
			document = store_document(s, "a", "l1", at, &fault);
			ck_assert_msg(document != NULL, "epoch %d of %d", (int)at, (int)epoch);
			free(document);
		}
		store_close(s);
	}
	ck_assert_uint_gt(epoch, 0);
	folder_remove();
}
END_TEST

START_TEST(a_commit_is_on_the_disk_before_it_is_answered)
{
	struct store *s;

	folder_new();
	s = opened(folder_file("hrwd.db"));
	for (uint64_t at = 0; at < 5; at++) {
		int before = atomic_load(&flushes);

		ck_assert_int_eq(commit(s, "a", at, "{}"), 0);
		ck_assert_int_gt(atomic_load(&flushes), before);
	}
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(a_second_daemon_on_one_file_is_refused_and_a_dead_one_is_no_hindrance)
{
	const char *path, *link;
	struct store *s;

	folder_new();
	path = folder_file("hrwd.db");
	link = folder_file("link.db");
	s = opened(path);
	ck_assert_int_eq(commit(s, "a", 0, "{1}"), 0);
	refused(path, true, "in use by another hrwd, process ");
	ck_assert_int_eq(symlink("hrwd.db", link), 0);
	refused(link, true, "in use by another hrwd");
	ck_assert_int_eq(commit(s, "a", 1, "{2}"), 0);
	store_close(s);
	s = opened(link);
	ck_assert_str_eq(pools(s), "a={2} ");
	store_close(s);
	folder_remove();
}
END_TEST

START_TEST(operators_may_read_the_file_while_the_daemon_runs)
{
	const char *path;
	struct store *s;
	sqlite3 *db;

	folder_new();
	path = folder_file("hrwd.db");
	s = opened(path);
	ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	ck_assert_int_eq(
	    sqlite3_exec(db, "BEGIN; SELECT * FROM pools", NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_eq(commit(s, "a", 0, "{1}"), 0);
	sqlite3_close(db);
	store_close(s);
	folder_remove();
}
END_TEST

static void
edit(const char *path, const char *sql)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

START_TEST(a_file_that_is_not_ours_is_refused_untouched_in_words)
{
	const char *path;

	folder_new();
	refused(folder_file("missing.db"), false, "\"create\": true");
	refused(folder_file("no/such/folder.db"), true, "folder of the store");
	refused(folder_file(""), true, "is a folder");
	refused("/dev/null", true, "no regular file");

	path = folder_file("empty.db");
	folder_write(path, "", 0);
	refused(path, true, "is empty");
	path = folder_file("text.db");
	folder_write(path, "{\"pools\":{}}\n", 13);
	refused(path, true, "not an SQLite database");
	path = folder_file("foreign.db");
	edit(path, "CREATE TABLE t (a); PRAGMA application_id = 7");
	refused(path, true, "database of another program");
	path = folder_file("newer.db");
	store_close(opened(path));
	edit(path, "PRAGMA user_version = 2");
	refused(path, true, "newer hrwd");
	path = folder_file("closed.db");
	store_close(opened(path));
	if (geteuid() != 0) {
		chmod(path, 0440);
		refused(path, true, "cannot be written");
	}
	folder_remove();
}
END_TEST

/* A store with some content in its main file, its bytes in *image. */
static char *
image_of(const char *path, size_t *len, char *state, size_t size)
{
	struct store *s = opened(path);
	char document[2000];

	memset(document, 'x', sizeof(document));
	document[sizeof(document) - 1] = '\0';
	for (uint64_t i = 0; i < 12; i++)
		ck_assert_int_eq(commit(s, "a", i, document), 0);
	ck_assert_int_eq(commit(s, "b", 0, "{b}"), 0);
	plan_put(s, "p1", "done");
	snprintf(
	    state, size, "%s|%s|%s", pools(s), history(s, NULL, 0, 100), plans(s, NULL, "", 9));
	store_close(s);
	return folder_read(path, len);
}

/* What the store says now; NULL where it has a clear fault. */
static bool
says(const char *path, char *state, size_t size)
{
	struct store *s = store_open_sqlite(path, false, NULL, &fault);
	char a[4096] = "", b[65536] = "", c[65536] = "";
	bool is_good;

	if (s == NULL)
		return false;
	is_good = store_load(s, note_pool, a, &fault) == 0 &&
		  store_history(s, NULL, 0, 100, note_entry, b, &fault) == 0 &&
		  store_plans(s, NULL, "", 9, note_plan, c, &fault) == 0;
	store_close(s);
	snprintf(state, size, "%s|%s|%s", a, b, c);
	return is_good;
}

static void
forget_log(void)
{
	unlink(folder_file("hrwd.db-wal"));
	unlink(folder_file("hrwd.db-shm"));
	/* What it has seen is another story: restore_test.c. */
	unlink(folder_file("hrwd.db.epochs"));
}

START_TEST(a_file_cut_short_at_any_length_is_refused_untouched)
{
	static char good[131072];
	const char *path;
	char *image;
	size_t len;

	folder_new();
	path = folder_file("hrwd.db");
	image = image_of(path, &len, good, sizeof(good));
	for (size_t cut = 0; cut < len; cut += folder_step(cut < 4200 ? 97 : 1531)) {
		forget_log();
		folder_write(path, image, cut);
		refused(path, false, "");
	}
	forget_log();
	folder_write(path, image, len - 1);
	refused(path, false, "");
	free(image);
	folder_remove();
}
END_TEST

START_TEST(a_flipped_byte_is_refused_or_changes_nothing)
{
	static char good[131072], now[131072];
	const char *path;
	char *image;
	size_t len;
	int refusals = 0;

	folder_new();
	path = folder_file("hrwd.db");
	image = image_of(path, &len, good, sizeof(good));
	for (size_t at = 0; at < len; at += folder_step(89)) {
		size_t len_after;
		char *after;

		image[at] ^= 0x41;
		forget_log();
		folder_write(path, image, len);
		if (says(path, now, sizeof(now))) {
			ck_assert_msg(strcmp(good, now) == 0, "byte %zu", at);
		} else {
			ck_assert_int_eq(fault.error, HRW_STORE_FAILED);
			after = folder_read(path, &len_after);
			ck_assert(len_after == len && memcmp(image, after, len) == 0);
			free(after);
			refusals++;
		}
		image[at] ^= 0x41;
	}
	ck_assert_int_gt(refusals, 50);
	free(image);
	folder_remove();
}
END_TEST

START_TEST(a_log_cut_short_or_flipped_gives_the_last_good_state)
{
	const char *path, *log;
	struct store *s;
	char *image, *wal, text[32];
	size_t len, wal_len;
	pid_t child;

	folder_new();
	path = folder_file("hrwd.db");
	log = folder_file("hrwd.db-wal");
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		s = store_open_sqlite(path, true, NULL, NULL);
		for (uint64_t at = 0; at < 8; at++) {
			snprintf(text, sizeof(text), "{%d}", (int)at + 1);
			if (commit(s, "a", at, text) < 0)
				_exit(1);
		}
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	image = folder_read(path, &len);
	wal = folder_read(log, &wal_len);
	ck_assert_uint_gt(wal_len, 0);
	for (size_t cut = 0; cut <= wal_len * 2; cut += folder_step(2039)) {
		size_t at = cut / 2;
		char byte = wal[at < wal_len ? at : 0];
		int epoch = 0;

		forget_log();
		folder_write(path, image, len);
		if (cut % 2 == 0) {
			folder_write(log, wal, at);
		} else {
			wal[at] ^= 0x41;
			folder_write(log, wal, wal_len);
			wal[at] = byte;
		}
		s = opened(path);
		if (*pools(s) != '\0')
			ck_assert_int_eq(sscanf(pools(s), "a={%d} ", &epoch), 1);
		ck_assert_int_le(epoch, 8);
		/* Whole: the next change follows on it. */
		ck_assert_int_eq(commit(s, "a", (uint64_t)epoch, "{next}"), 0);
		store_close(s);
	}
	free(image);
	free(wal);
	folder_remove();
}
END_TEST

START_TEST(a_full_disk_changes_nothing_and_the_store_lives_on)
{
	struct rlimit small, wide;
	const char *path;
	char big[20000], text[64];
	struct store *s;
	uint64_t epoch = 0;
	struct stat st;

	signal(SIGXFSZ, SIG_IGN);
	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	folder_new();
	path = folder_file("hrwd.db");
	s = opened(path);
	ck_assert_int_eq(commit(s, "a", epoch++, "{}"), 0);
	ck_assert_int_eq(stat(folder_file("hrwd.db-wal"), &st), 0);
	getrlimit(RLIMIT_FSIZE, &wide);
	small = wide;
	small.rlim_cur = (rlim_t)st.st_size + 50000;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	while (commit(s, "b", epoch - 1, big) == 0)
		ck_assert_uint_lt(epoch++, 100);
	ck_assert_int_eq(fault.error, HRW_STORE_FAILED);
	ck_assert_msg(strstr(fault.detail, "nothing was changed") != NULL, "%s", fault.detail);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &wide), 0);
	ck_assert_int_eq(commit(s, "b", epoch - 1, "{room}"), 0);
	store_close(s);
	s = opened(path);
	snprintf(text, sizeof(text), "a={} b={room} ");
	ck_assert_str_eq(pools(s), text);
	store_close(s);
	folder_remove();
}
END_TEST

struct busy {
	struct store *store;
	atomic_bool is_done;
	int reads;
};

static void *
read_on(void *arg)
{
	struct busy *b = arg;
	char out[65536];

	while (!atomic_load(&b->is_done)) {
		*out = '\0';
		if (store_history(b->store, NULL, 0, 50, note_entry, out, NULL) < 0)
			return NULL;
		b->reads++;
	}
	return b;
}

START_TEST(readers_and_the_writer_do_not_disturb_one_another)
{
	struct busy b = {0};
	pthread_t thread;
	void *is_good;

	folder_new();
	b.store = opened(folder_file("hrwd.db"));
	ck_assert_int_eq(pthread_create(&thread, NULL, read_on, &b), 0);
	for (uint64_t at = 0; at < 200; at++) {
		ck_assert_int_eq(commit(b.store, "a", at, "{}"), 0);
		if (at % 50 == 0)
			ck_assert_int_eq(store_trim(b.store, 10, 20, &fault), 0);
	}
	atomic_store(&b.is_done, true);
	pthread_join(thread, &is_good);
	ck_assert_ptr_nonnull(is_good);
	ck_assert_int_gt(b.reads, 0);
	store_close(b.store);
	folder_remove();
}
END_TEST

SUITE(store)
{
	tcase_add_test(tests, what_was_committed_is_there_after_a_restart);
	tcase_add_test(
	    tests, a_change_to_another_epoch_or_lineage_is_a_conflict_and_leaves_no_trace);
	tcase_add_test(tests, a_group_is_written_whole_or_not_at_all);
	tcase_add_test(tests, history_is_read_newest_first_page_by_page_and_takes_summaries);
	tcase_add_test(tests, plans_are_kept_in_order_and_those_that_ran_are_stopped_by_a_restart);
	tcase_add_test(tests, a_trim_keeps_the_newest_and_every_present_document);
	tcase_add_test(tests, a_daemon_killed_at_any_instant_has_every_answered_change);
	tcase_add_test(tests, a_commit_is_on_the_disk_before_it_is_answered);
	tcase_add_test(
	    tests, a_second_daemon_on_one_file_is_refused_and_a_dead_one_is_no_hindrance);
	tcase_add_test(tests, operators_may_read_the_file_while_the_daemon_runs);
	tcase_add_test(tests, a_file_that_is_not_ours_is_refused_untouched_in_words);
	tcase_add_test(tests, a_file_cut_short_at_any_length_is_refused_untouched);
	tcase_add_test(tests, a_flipped_byte_is_refused_or_changes_nothing);
	tcase_add_test(tests, a_log_cut_short_or_flipped_gives_the_last_good_state);
	tcase_add_test(tests, a_full_disk_changes_nothing_and_the_store_lives_on);
	tcase_add_test(tests, readers_and_the_writer_do_not_disturb_one_another);
}
