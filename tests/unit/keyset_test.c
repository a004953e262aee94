/*
 * What the key sets promise: sets in order of bytes, all of an upload or nothing,
 * and a reader that sees one generation to its end.
 */
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/buffer.h"
#include "daemon/store/database.h"
#include "daemon/store/keyset.h"
#include "tests/dsl/folder.h"
#include "tests/dsl/suite.h"

/* Sanitizers are ten times slower. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { MANY = 200000 };
#else
enum { MANY = 1000000 };
#endif

static struct hrw_fault fault;

static struct keyset *
opened(const char *path)
{
	struct keyset *k = keyset_open(path, &fault);

	ck_assert_msg(k != NULL, "%s", fault.detail);
	return k;
}

static void
record(struct buffer *b, const void *key, size_t size)
{
	uint32_t len = (uint32_t)size;

	buffer_add(b, &len, sizeof(len));
	buffer_add(b, key, size);
}

/* "a b c" as records. */
static void
records(struct buffer *b, const char *words)
{
	while (*(words += strspn(words, " ")) != '\0') {
		record(b, words, strcspn(words, " "));
		words += strcspn(words, " ");
	}
}

/* Uploads words; 0 or the error of the stage or commit. */
static int
upload(struct keyset *k, const char *pool, bool replaces, const char *words, uint64_t limit,
    struct keyset_stats *out)
{
	struct keyset_upload *u = keyset_begin(k, pool, replaces, limit, &fault);
	struct buffer b = {0};
	int rc;

	ck_assert_ptr_nonnull(u);
	records(&b, words);
	rc = keyset_stage(u, buffer_bytes(&b), &fault);
	buffer_fini(&b);
	ck_assert_int_eq(rc, 0);
	return keyset_commit(u, out, &fault);
}

/* The next batch as "a b c ", appended; how many. */
static long
batch(struct keyset_reader *r, char *out)
{
	struct buffer b = {0};
	long count = keyset_read(r, &b, &fault);
	size_t at = 0;

	while (at < b.len) {
		uint32_t len;

		memcpy(&len, b.data + at, sizeof(len));
		sprintf(out + strlen(out), "%.*s ", (int)len, b.data + at + sizeof(len));
		at += sizeof(len) + len;
	}
	buffer_fini(&b);
	return count;
}

static const char *
keys(struct keyset *k, const char *pool)
{
	static char out[65536];
	struct keyset_stats stats;
	struct keyset_reader *r = keyset_reader_open(k, pool, 0, &stats, &fault);
	long total = 0, count;

	ck_assert_msg(r != NULL, "%s", fault.detail);
	*out = '\0';
	while ((count = batch(r, out)) > 0)
		total += count;
	ck_assert_int_eq(count, 0);
	ck_assert_uint_eq((uint64_t)total, stats.keys);
	keyset_reader_close(r);
	return out;
}

static void
counts(struct keyset_stats s, unsigned keys_now, unsigned bytes, unsigned added, unsigned removed,
    unsigned generation)
{
	ck_assert_uint_eq(s.keys, keys_now);
	ck_assert_uint_eq(s.bytes, bytes);
	ck_assert_uint_eq(s.added, added);
	ck_assert_uint_eq(s.removed, removed);
	ck_assert_uint_eq(s.generation, generation);
}

START_TEST(a_set_is_replaced_extended_and_emptied)
{
	struct keyset *k;
	struct keyset_stats s;

	folder_new();
	k = opened(folder_file("keys.db"));
	ck_assert_int_eq(keyset_stats(k, "a", &s, &fault), 0);
	counts(s, 0, 0, 0, 0, 0);
	ck_assert_str_eq(keys(k, "a"), "");
	ck_assert_int_eq(upload(k, "a", true, "c a b a c c", 10, &s), 0);
	counts(s, 3, 3, 3, 0, 1);
	ck_assert_int_eq(upload(k, "a", false, "bb d a bb", 10, &s), 0);
	counts(s, 5, 6, 2, 0, 2);
	ck_assert_str_eq(keys(k, "a"), "a b bb c d ");
	ck_assert_int_eq(upload(k, "a", true, "d e a", 10, &s), 0);
	counts(s, 3, 3, 1, 3, 3);
	ck_assert_str_eq(keys(k, "a"), "a d e ");
	ck_assert_int_eq(upload(k, "b", false, "x", 10, &s), 0);
	counts(s, 1, 1, 1, 0, 1);

	/* What changes nothing is no new generation: plans made from it still hold. */
	ck_assert_int_eq(upload(k, "a", true, "e d a", 10, &s), 0);
	counts(s, 3, 3, 0, 0, 3);
	ck_assert_int_eq(upload(k, "a", false, "d", 10, &s), 0);
	counts(s, 3, 3, 0, 0, 3);

	ck_assert_int_eq(keyset_clear(k, "a", false, &s, &fault), 0);
	counts(s, 0, 0, 0, 3, 4);
	ck_assert_str_eq(keys(k, "a"), "");
	ck_assert_int_eq(keyset_clear(k, "a", false, &s, &fault), 0);
	counts(s, 0, 0, 0, 0, 4);
	ck_assert_int_eq(upload(k, "a", false, "z", 10, &s), 0);
	counts(s, 1, 1, 1, 0, 5);
	ck_assert_int_eq(upload(k, "a", true, "", 10, &s), 0);
	counts(s, 0, 0, 0, 1, 6);
	ck_assert_int_eq(keyset_clear(k, "a", true, &s, &fault), 0);
	ck_assert_int_eq(keyset_stats(k, "a", &s, &fault), 0);
	counts(s, 0, 0, 0, 0, 0);
	ck_assert_str_eq(keys(k, "b"), "x ");
	keyset_close(k);

	k = opened(folder_file("keys.db"));
	ck_assert_str_eq(keys(k, "b"), "x ");
	keyset_close(k);
	folder_remove();
}
END_TEST

START_TEST(keys_stand_in_order_of_bytes_whatever_the_bytes)
{
	static const struct {
		const char *key;
		uint32_t len;
	} order[] = {{"\0", 1}, {"\0\0", 2}, {"\0a", 2}, {"\x01", 1}, {"A", 1}, {"a", 1},
	    {"a\0", 2}, {"a\0\xff", 3}, {"ab", 2}, {"\x7f", 1}, {"\x80", 1}, {"\xc3\xa9", 2},
	    {"\xff", 1}, {"\xff\0", 2}, {"\xff\xff", 2}};
	enum { COUNT = sizeof(order) / sizeof(*order) };
	struct keyset *k = opened(NULL);
	struct keyset_upload *u = keyset_begin(k, "a", true, 100, &fault);
	struct keyset_stats s;
	struct keyset_reader *r;
	struct buffer b = {0};
	size_t at = 0;

	for (int i = COUNT - 1; i >= 0; i--)
		record(&b, order[i].key, order[i].len);
	ck_assert_int_eq(keyset_stage(u, buffer_bytes(&b), &fault), 0);
	ck_assert_int_eq(keyset_commit(u, &s, &fault), 0);
	ck_assert_uint_eq(s.keys, COUNT);
	r = keyset_reader_open(k, "a", s.generation, &s, &fault);
	buffer_clear(&b);
	ck_assert_int_eq(keyset_read(r, &b, &fault), COUNT);
	for (int i = 0; i < COUNT; i++) {
		uint32_t len;

		memcpy(&len, b.data + at, sizeof(len));
		ck_assert_uint_eq(len, order[i].len);
		ck_assert_mem_eq(b.data + at + sizeof(len), order[i].key, len);
		at += sizeof(len) + len;
	}
	ck_assert_uint_eq(at, b.len);
	buffer_fini(&b);
	keyset_reader_close(r);
	keyset_close(k);
}
END_TEST

static int
table_count(const char *path)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	int count;

	ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	ck_assert_int_eq(
	    sqlite3_prepare_v2(
		db, "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'keys_*'", -1, &s, NULL),
	    SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
	count = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return count;
}

START_TEST(an_upload_that_is_given_up_or_too_large_leaves_nothing)
{
	struct keyset *k;
	struct keyset_upload *u;
	struct keyset_stats s;
	struct buffer b = {0};

	folder_new();
	k = opened(folder_file("keys.db"));
	ck_assert_int_eq(upload(k, "a", true, "a b c", 3, &s), 0);
	u = keyset_begin(k, "a", true, 3, &fault);
	records(&b, "d e f");
	ck_assert_int_eq(keyset_stage(u, buffer_bytes(&b), &fault), 0);
	buffer_fini(&b);
	keyset_abort(u);
	ck_assert_int_eq(upload(k, "a", true, "d e f g", 3, &s), HRW_TOO_LARGE);
	ck_assert_int_eq(upload(k, "a", false, "d", 3, &s), HRW_TOO_LARGE);
	ck_assert_str_eq(keys(k, "a"), "a b c ");
	ck_assert_int_eq(upload(k, "b", false, "a b c d", 3, &s), HRW_TOO_LARGE);
	ck_assert_int_eq(upload(k, "a", false, "a b c a b c", 3, &s), 0);
	counts(s, 3, 3, 0, 0, 1);
	ck_assert_str_eq(keys(k, "a"), "a b c ");
	ck_assert_int_eq(table_count(folder_file("keys.db")), 1);
	keyset_close(k);
	folder_remove();
}
END_TEST

START_TEST(a_reader_keeps_its_generation_while_others_replace_and_extend_it)
{
	struct keyset *k;
	struct keyset_reader *first, *second;
	struct keyset_stats s;
	char out[100] = "";

	folder_new();
	k = opened(folder_file("keys.db"));
	ck_assert_int_eq(upload(k, "a", true, "a c", 10, &s), 0);
	first = keyset_reader_open(k, "a", 0, &s, &fault);
	counts(s, 2, 2, 0, 0, 1);
	ck_assert_int_eq(upload(k, "a", false, "b", 10, &s), 0);
	second = keyset_reader_open(k, "a", 2, &s, &fault);
	ck_assert_int_eq(upload(k, "a", true, "z", 10, &s), 0);
	ck_assert_ptr_null(keyset_reader_open(k, "a", 2, &s, &fault));
	ck_assert_int_eq(fault.error, HRW_KEYS_CHANGED);
	ck_assert_int_eq(table_count(folder_file("keys.db")), 2);
	ck_assert_int_eq(batch(first, out), 2);
	ck_assert_str_eq(out, "a c ");
	keyset_reader_close(first);
	*out = '\0';
	ck_assert_int_eq(batch(second, out), 3);
	ck_assert_str_eq(out, "a b c ");
	ck_assert_int_eq(batch(second, out), 0);
	ck_assert_int_eq(keyset_clear(k, "a", true, &s, &fault), 0);
	ck_assert_int_eq(table_count(folder_file("keys.db")), 1);
	keyset_reader_close(second);
	ck_assert_int_eq(table_count(folder_file("keys.db")), 0);
	keyset_close(k);
	folder_remove();
}
END_TEST

START_TEST(an_upload_under_way_does_not_bring_back_a_pool_that_went)
{
	struct keyset *k = opened(NULL);
	struct keyset_upload *u = keyset_begin(k, "a", true, 10, &fault);
	struct keyset_stats s;
	struct buffer b = {0};

	records(&b, "x");
	ck_assert_int_eq(keyset_stage(u, buffer_bytes(&b), &fault), 0);
	buffer_fini(&b);
	ck_assert_int_eq(keyset_clear(k, "a", true, &s, &fault), 0);
	ck_assert_int_eq(keyset_commit(u, &s, &fault), HRW_UNKNOWN_POOL);
	ck_assert_str_eq(keys(k, "a"), "");
	ck_assert_int_eq(upload(k, "a", true, "y", 10, &s), 0);
	ck_assert_str_eq(keys(k, "a"), "y ");
	keyset_close(k);
}
END_TEST

/* Numbers as keys, in an order that is not theirs. */
static void
stage_numbers(struct keyset_upload *u, unsigned from, unsigned count)
{
	struct buffer b = {0};
	char text[32];

	for (unsigned i = 0; i < count; i++) {
		unsigned n = from + (unsigned)((uint64_t)i * 7919 % count);

		snprintf(text, sizeof(text), "photo-%09u", n);
		record(&b, text, strlen(text));
		if (b.len > 1 << 18 || i + 1 == count) {
			ck_assert_msg(
			    keyset_stage(u, buffer_bytes(&b), &fault) == 0, "%s", fault.detail);
			buffer_clear(&b);
		}
	}
	buffer_fini(&b);
}

/* Reads numbers `from` on, each once and in order. */
static void
expect_numbers(struct keyset *k, const char *pool, unsigned from, unsigned count)
{
	struct keyset_stats s;
	struct keyset_reader *r = keyset_reader_open(k, pool, 0, &s, &fault);
	struct buffer b = {0};
	char text[32];
	unsigned n = from;
	long got;

	ck_assert_uint_eq(s.keys, count);
	ck_assert_uint_eq(s.bytes, (uint64_t)count * 15);
	while ((got = keyset_read(r, &b, &fault)) > 0) {
		for (long i = 0; i < got; i++, n++) {
			snprintf(text, sizeof(text), "photo-%09u", n);
			ck_assert_mem_eq(b.data + i * 19 + 4, text, 15);
		}
		buffer_clear(&b);
	}
	ck_assert_int_eq(got, 0);
	ck_assert_uint_eq(n, from + count);
	buffer_fini(&b);
	keyset_reader_close(r);
}

struct half {
	struct keyset *keyset;
	const char *pool;
	unsigned from;
	int rc;
};

static void *
upload_half(void *arg)
{
	struct half *h = arg;
	struct keyset_upload *u = keyset_begin(h->keyset, h->pool, false, 1000000, NULL);
	struct keyset_stats s;

	stage_numbers(u, h->from, 50000);
	h->rc = keyset_commit(u, &s, NULL);
	return NULL;
}

START_TEST(uploads_at_once_both_succeed_and_neither_is_seen_half)
{
	struct keyset *k;
	struct half halves[4];
	pthread_t thread[4];
	struct keyset_stats s;
	uint64_t seen = 0;

	folder_new();
	k = opened(folder_file("keys.db"));
	for (unsigned i = 0; i < 4; i++) {
		halves[i] = (struct half){k, i < 3 ? "a" : "b", i * 50000, -1};
		ck_assert_int_eq(pthread_create(&thread[i], NULL, upload_half, &halves[i]), 0);
	}
	while (seen < 150000) {
		ck_assert_int_eq(keyset_stats(k, "a", &s, &fault), 0);
		ck_assert_uint_ge(s.keys, seen);
		ck_assert_uint_eq(s.keys % 50000, 0);
		seen = s.keys;
		usleep(1000);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		ck_assert_int_eq(halves[i].rc, 0);
	}
	expect_numbers(k, "a", 0, 150000);
	expect_numbers(k, "b", 150000, 50000);
	keyset_close(k);
	folder_remove();
}
END_TEST

START_TEST(a_million_keys_are_loaded_extended_and_read_back)
{
	struct keyset *k;
	struct keyset_upload *u;
	struct keyset_stats s;
	struct stat st;

	folder_new();
	k = opened(folder_file("keys.db"));
	u = keyset_begin(k, "a", true, 2000000, &fault);
	stage_numbers(u, 0, MANY);
	stage_numbers(u, MANY / 2, MANY / 100);
	ck_assert_int_eq(keyset_commit(u, &s, &fault), 0);
	counts(s, MANY, MANY * 15, MANY, 0, 1);
	u = keyset_begin(k, "a", false, 2000000, &fault);
	stage_numbers(u, MANY - 5000, 10000); /* goes in place */
	ck_assert_int_eq(keyset_commit(u, &s, &fault), 0);
	counts(s, MANY + 5000, (MANY + 5000) * 15, 5000, 0, 2);
	u = keyset_begin(k, "a", false, 2000000, &fault);
	stage_numbers(u, MANY, MANY / 10); /* is merged */
	ck_assert_int_eq(keyset_commit(u, &s, &fault), 0);
	counts(s, MANY / 10 * 11, MANY / 10 * 165, MANY / 10 - 5000, 0, 3);
	expect_numbers(k, "a", 0, MANY / 10 * 11);
	/* The log does not grow with the set. */
	ck_assert_int_eq(stat(folder_file("keys.db-wal"), &st), 0);
	ck_assert_int_lt(st.st_size, 20 << 20);
	keyset_close(k);
	folder_remove();
}
END_TEST

/* Begins with the numbers below 200,000; the child adds 12,000 or replaces them. */
static void
kill_an_upload(const char *path, bool replaces, unsigned after_us)
{
	struct keyset *k;
	struct keyset_stats s;
	bool is_old;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		struct keyset_upload *u;

		k = keyset_open(path, NULL);
		u = keyset_begin(k, "a", replaces, 1000000, NULL);
		stage_numbers(u, 200000, replaces ? 100000 : 12000);
		keyset_commit(u, &s, NULL);
		_exit(0);
	}
	usleep(after_us);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	k = opened(path);
	ck_assert_int_eq(keyset_stats(k, "a", &s, &fault), 0);
	is_old = s.generation == 1;
	if (is_old)
		expect_numbers(k, "a", 0, 200000);
	else
		expect_numbers(k, "a", replaces ? 200000 : 0, replaces ? 100000 : 212000);
	ck_assert_int_eq(table_count(path), 1);
	/* Nothing of a half is in the way of the next addition, or comes to light by it. */
	ck_assert_int_eq(upload(k, "a", false, "photo-000200000", 1000000, &s), 0);
	ck_assert_uint_eq(s.added, is_old);
	if (is_old)
		expect_numbers(k, "a", 0, 200001);
	keyset_close(k);
}

START_TEST(a_daemon_killed_during_an_upload_comes_back_with_a_whole_set)
{
	const char *path;
	struct keyset *k;
	struct keyset_upload *u;
	struct keyset_stats s;
	char *image;
	size_t len;

	folder_new();
	path = folder_file("keys.db");
	k = opened(path);
	u = keyset_begin(k, "a", true, 1000000, &fault);
	stage_numbers(u, 0, 200000);
	ck_assert_int_eq(keyset_commit(u, &s, &fault), 0);
	keyset_close(k);
	image = folder_read(path, &len);
	for (unsigned round = 0; round < 12; round++) {
		unlink(folder_file("keys.db-wal"));
		unlink(folder_file("keys.db-shm"));
		folder_write(path, image, len);
		kill_an_upload(path, round % 2 == 0, 5000 + round * 10000);
	}
	free(image);
	folder_remove();
}
END_TEST

START_TEST(a_full_disk_leaves_the_set_as_it_was)
{
	struct rlimit small, wide;
	struct keyset *k;
	struct keyset_upload *u;
	struct keyset_stats s;

	signal(SIGXFSZ, SIG_IGN);
	folder_new();
	k = opened(folder_file("keys.db"));
	ck_assert_int_eq(upload(k, "a", true, "a b", 10, &s), 0);
	u = keyset_begin(k, "a", true, 1000000, &fault);
	stage_numbers(u, 0, 200000);
	getrlimit(RLIMIT_FSIZE, &wide);
	small = wide;
	small.rlim_cur = 1 << 20;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	ck_assert_int_eq(keyset_commit(u, &s, &fault), HRW_STORE_FAILED);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &wide), 0);
	ck_assert_str_eq(keys(k, "a"), "a b ");
	ck_assert_int_eq(upload(k, "a", false, "c", 10, &s), 0);
	ck_assert_str_eq(keys(k, "a"), "a b c ");
	keyset_close(k);
	k = opened(folder_file("keys.db"));
	ck_assert_str_eq(keys(k, "a"), "a b c ");
	ck_assert_int_eq(table_count(folder_file("keys.db")), 1);
	keyset_close(k);
	folder_remove();
}
END_TEST

static void
refused_when_cut(const char *path, const char *image, size_t cut)
{
	size_t len;
	char *after;

	folder_write(path, image, cut);
	unlink(folder_file("keys.db-wal"));
	unlink(folder_file("keys.db-shm"));
	ck_assert_msg(keyset_open(path, &fault) == NULL, "cut at %zu", cut);
	ck_assert_int_eq(fault.error, HRW_STORE_FAILED);
	after = folder_read(path, &len);
	ck_assert_uint_eq(len, cut);
	ck_assert_int_eq(memcmp(image, after, cut), 0);
	free(after);
}

START_TEST(a_damaged_or_foreign_file_is_refused_untouched)
{
	const char *path;
	char *image;
	size_t len;
	struct keyset *k;
	struct keyset_stats s;

	folder_new();
	path = folder_file("keys.db");
	k = opened(path);
	ck_assert_int_eq(upload(k, "a", true, "a b", 10, &s), 0);
	ck_assert_ptr_null(keyset_open(path, &fault));
	ck_assert_ptr_nonnull(strstr(fault.detail, "in use by another hrwd"));
	keyset_close(k);
	image = folder_read(path, &len);
	for (size_t cut = 0; cut < len; cut += folder_step(1021))
		refused_when_cut(path, image, cut);
	/* The last byte is of a key, and a zero in its place another key. */
	refused_when_cut(path, image, len - 1);
	free(image);
	folder_remove();
}
END_TEST

START_TEST(a_page_that_was_half_written_is_whole_in_the_log)
{
	const char *path, *log;
	char *image, *logged;
	size_t len, log_len;
	struct keyset *k;
	struct keyset_stats s;

	folder_new();
	path = folder_file("keys.db");
	log = folder_file("keys.db-wal");
	k = opened(path);
	ck_assert_int_eq(upload(k, "a", true, "a b", 10, &s), 0);
	image = folder_read(path, &len);
	logged = folder_read(log, &log_len);
	ck_assert_uint_gt(log_len, 0);
	keyset_close(k);
	/* As the power that fails leaves them. */
	folder_write(path, image, len - 1);
	folder_write(log, logged, log_len);
	k = opened(path);
	ck_assert_str_eq(keys(k, "a"), "a b ");
	keyset_close(k);
	free(image);
	free(logged);
	folder_remove();
}
END_TEST

/* Runs a statement on the file that the daemon left, with hrwd's own seal(). */
static void
run_on(const char *path, const char *sql)
{
	sqlite3 *db;
	char *words = NULL;

	ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	ck_assert_int_eq(database_equip(db), SQLITE_OK);
	sqlite3_exec(db, sql, NULL, NULL, &words);
	ck_assert_msg(words == NULL, "%s", words);
	sqlite3_close(db);
}

/* Pool p is of lineage l2; it was l1 before a restore. Nobody else is there. */
static bool
owner_of(void *arg, const char *pool, const char *lineage, char out[KEYSET_NAME])
{
	int *asked = arg;

	++*asked;
	if (strcmp(pool, "p") != 0 ||
	    (lineage != NULL && strcmp(lineage, "l2") != 0 && strcmp(lineage, "l1") != 0))
		return false;
	keyset_name(pool, "l2", out);
	return true;
}

static size_t
adopted(struct keyset *k)
{
	size_t gone;
	int asked = 0;

	ck_assert_msg(keyset_adopt(k, owner_of, &asked, &gone, &fault) == 0, "%s", fault.detail);
	return gone;
}

START_TEST(a_set_belongs_to_a_lineage_and_goes_where_nobody_has_it)
{
	struct keyset_stats stats;
	struct keyset *k;

	folder_new();
	k = opened(folder_file("keys.db"));
	ck_assert_int_eq(upload(k, "p l1", true, "a b c", 100, &stats), 0);
	ck_assert_int_eq(upload(k, "p l0", true, "x", 100, &stats), 0);
	ck_assert_int_eq(upload(k, "q l1", true, "y z", 100, &stats), 0);
	ck_assert_str_eq(keys(k, "p l2"), "");
	ck_assert_uint_eq(adopted(k), 2);
	ck_assert_str_eq(keys(k, "p l2"), "a b c ");
	ck_assert_str_eq(keys(k, "p l1"), "");
	ck_assert_str_eq(keys(k, "p l0"), "");
	ck_assert_str_eq(keys(k, "q l1"), "");
	ck_assert_uint_eq(adopted(k), 0);
	keyset_close(k);
	k = opened(folder_file("keys.db"));
	ck_assert_uint_eq(adopted(k), 0);
	ck_assert_str_eq(keys(k, "p l2"), "a b c ");
	keyset_close(k);
	folder_remove();
}
END_TEST

START_TEST(a_file_of_the_first_format_is_taken_over_pool_by_pool)
{
	struct keyset_stats stats;
	struct keyset *k;

	folder_new();
	k = opened(folder_file("keys.db"));
	ck_assert_int_eq(upload(k, "p", true, "a b c", 100, &stats), 0);
	ck_assert_int_eq(upload(k, "gone", true, "x", 100, &stats), 0);
	keyset_close(k);
	run_on(folder_file("keys.db"), "PRAGMA user_version = 1");
	k = opened(folder_file("keys.db"));
	ck_assert_uint_eq(adopted(k), 1);
	ck_assert_str_eq(keys(k, "p l2"), "a b c ");
	ck_assert_int_eq(keyset_stats(k, "p l2", &stats, &fault), 0);
	ck_assert_uint_eq(stats.generation, 1);
	keyset_close(k);
	/* A damaged name would not get past the seal. */
	k = opened(folder_file("keys.db"));
	ck_assert_str_eq(keys(k, "p l2"), "a b c ");
	keyset_close(k);
	folder_remove();
}
END_TEST

START_TEST(a_file_that_goes_away_underneath_takes_no_keys)
{
	struct keyset_stats stats;
	struct keyset *k;
	char away[512];

	folder_new();
	k = opened(folder_file("keys.db"));
	ck_assert_int_eq(upload(k, "p", true, "a b c", 100, &stats), 0);
	snprintf(away, sizeof(away), "%s", folder_file("away"));
	ck_assert_int_eq(rename(folder_file("keys.db"), away), 0);
	keyset_look(k);
	ck_assert(keyset_is_lost(k));
	ck_assert_int_eq(upload(k, "p", false, "d", 100, &stats), HRW_STORE_FAILED);
	ck_assert_int_eq(keyset_clear(k, "p", false, &stats, &fault), HRW_STORE_FAILED);
	ck_assert_ptr_null(keyset_reader_open(k, "p", 0, &stats, &fault));
	ck_assert_int_eq(rename(away, folder_file("keys.db")), 0);
	ck_assert_int_eq(upload(k, "p", false, "d", 100, &stats), 0);
	ck_assert(!keyset_is_lost(k));
	ck_assert_str_eq(keys(k, "p"), "a b c d ");
	keyset_close(k);
	folder_remove();
}
END_TEST

SUITE(keyset)
{
	tcase_add_test(tests, a_set_belongs_to_a_lineage_and_goes_where_nobody_has_it);
	tcase_add_test(tests, a_file_of_the_first_format_is_taken_over_pool_by_pool);
	tcase_add_test(tests, a_file_that_goes_away_underneath_takes_no_keys);
	tcase_add_test(tests, a_set_is_replaced_extended_and_emptied);
	tcase_add_test(tests, keys_stand_in_order_of_bytes_whatever_the_bytes);
	tcase_add_test(tests, an_upload_that_is_given_up_or_too_large_leaves_nothing);
	tcase_add_test(tests, a_reader_keeps_its_generation_while_others_replace_and_extend_it);
	tcase_add_test(tests, an_upload_under_way_does_not_bring_back_a_pool_that_went);
	tcase_add_test(tests, uploads_at_once_both_succeed_and_neither_is_seen_half);
	tcase_add_test(tests, a_million_keys_are_loaded_extended_and_read_back);
	tcase_add_test(tests, a_daemon_killed_during_an_upload_comes_back_with_a_whole_set);
	tcase_add_test(tests, a_full_disk_leaves_the_set_as_it_was);
	tcase_add_test(tests, a_damaged_or_foreign_file_is_refused_untouched);
	tcase_add_test(tests, a_page_that_was_half_written_is_whole_in_the_log);
}
