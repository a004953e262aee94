/*
 * claim.c - from a path to a file that is ours: looked at, locked, made or judged.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/claim.h"

enum {
	FILE_MODE = 0640,
	HEADER_BYTES = 100,
	HEADER_PAGE = 16, /* offsets; https://www.sqlite.org/fileformat2.html */
	HEADER_APPLICATION = 68,
};

static const char magic[16] = "SQLite format 3";

/* Where the file really is: SQLite follows links too, and two names of one file
 * must meet at one lock. To free(); NULL: no memory. */
static char *
real_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real != NULL || errno == ENOMEM ? real : strdup(path);
}

/* "path" + suffix, to free(). */
static char *
beside(const char *path, const char *suffix)
{
	char *name;

	return asprintf(&name, "%s%s", path, suffix) < 0 ? NULL : name;
}

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory left");
}

/* One number that a pragma answers; false: it could not be asked. */
static bool
ask_number(sqlite3 *db, const char *sql, int64_t *out)
{
	sqlite3_stmt *s = NULL;
	bool is_known =
	    sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;

	if (is_known)
		*out = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return is_known;
}

/* A failed disk is no damage: the file may be whole. One that ends too soon is. */
static int
failed(const struct database_kind *kind, const char *path, sqlite3 *db, struct hrw_fault *fault)
{
	struct database d = {.kind = kind, .db = db, .path = (char *)(uintptr_t)path};
	int code = sqlite3_extended_errcode(db);

	if ((code & 0xff) == SQLITE_IOERR && code != SQLITE_IOERR_SHORT_READ)
		return database_fault(&d, fault);
	return database_damaged(kind, path, sqlite3_errmsg(db), fault);
}

/* Is every page as SQLite left it, every index in step with its table, and every
 * sealed row as we wrote it? */
static int
check(const struct database_kind *kind, const char *path, sqlite3 *db, struct hrw_fault *fault)
{
	sqlite3_stmt *s = NULL;
	int64_t is_broken = 0;
	const char *words;
	int rc = 0;

	if (sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &s, NULL) != SQLITE_OK ||
	    sqlite3_step(s) != SQLITE_ROW)
		/* In the order of the questions. NOLINTNEXTLINE(bugprone-branch-clone) */
		rc = failed(kind, path, db, fault);
	else if (strcmp(words = (const char *)sqlite3_column_text(s, 0), "ok") != 0)
		rc = database_damaged(kind, path, words, fault);
	else if (kind->verify != NULL && !ask_number(db, kind->verify, &is_broken))
		rc = failed(kind, path, db, fault);
	else if (is_broken)
		rc = database_damaged(kind, path, "a row is not what was written", fault);
	sqlite3_finalize(s);
	return rc;
}

/* Does a part of the last page lack? SQLite would read zeros in its place. With a
 * log beside the file, a page that was half written is whole in that. */
static bool
is_cut(const uint8_t *head, int fd, const char *path)
{
	off_t page = (off_t)head[HEADER_PAGE] << 8 | head[HEADER_PAGE + 1];
	char *log = beside(path, "-wal");
	struct stat file, logged = {0};
	bool has_log = log != NULL && stat(log, &logged) == 0 && logged.st_size > 0;

	free(log);
	page = page == 1 ? 65536 : page;
	return !has_log && page > 0 && fstat(fd, &file) == 0 && file.st_size % page != 0;
}

/* Reads the first page as plain bytes, so that not even SQLite's own side files
 * appear beside a file that is not ours. */
static int
judge_header(const struct database_kind *kind, const char *path, struct hrw_fault *fault)
{
	uint8_t head[HEADER_BYTES];
	uint32_t application;
	bool lacks_end = false;
	ssize_t got = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = 0;

	if (fd >= 0)
		got = pread(fd, head, sizeof(head), 0);
	if (got < 0)
		rc = hrw_fault(fault, HRW_STORE_FAILED, "the %s %s cannot be read: %s", kind->what,
		    path, strerrordesc_np(errno));
	else if (got == 0)
		rc = hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s is empty (0 bytes), which hrwd never leaves behind: remove it to "
		    "begin anew, or bring back a backup",
		    kind->what, path);
	else if (got < HEADER_BYTES || memcmp(head, magic, sizeof(magic)) != 0)
		rc = hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s is not an SQLite database: name another path, or bring back a "
		    "backup",
		    kind->what, path);
	else
		lacks_end = is_cut(head, fd, path);
	if (fd >= 0)
		close(fd);
	if (rc < 0)
		return rc;
	application = (uint32_t)head[HEADER_APPLICATION] << 24 |
		      (uint32_t)head[HEADER_APPLICATION + 1] << 16 |
		      (uint32_t)head[HEADER_APPLICATION + 2] << 8 | head[HEADER_APPLICATION + 3];
	if (application != kind->application)
		return hrw_fault(fault, HRW_STORE_FAILED,
		    "%s is not a %s of hrwd but a database of another program (application_id "
		    "0x%08" PRIx32 ", not 0x%08" PRIx32 "): name another path",
		    path, kind->what, application, kind->application);
	return lacks_end ? database_damaged(kind, path, "its end is cut off", fault) : 0;
}

/* A read-only connection cannot write to the file, not even to take over what a
 * killed daemon left in the log beside it. */
static int
judge(const struct database_kind *kind, const char *path, struct hrw_fault *fault)
{
	sqlite3 *db = NULL;
	int64_t version = 0;
	int rc;

	rc = judge_header(kind, path, fault);
	if (rc < 0)
		return rc;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
		SQLITE_OK ||
	    database_equip(db) != SQLITE_OK)
		rc = hrw_fault(fault, HRW_STORE_FAILED, "the %s %s cannot be opened: %s",
		    kind->what, path, sqlite3_errmsg(db));
	else if (!ask_number(db, "PRAGMA user_version", &version))
		rc = failed(kind, path, db, fault);
	else if (version > kind->version)
		rc = hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s is of format %" PRId64
		    ", written by a newer hrwd; this one reads formats up to %d: run the newer "
		    "hrwd, or name another path",
		    kind->what, path, version, kind->version);
	else if (version < 1)
		rc = database_damaged(kind, path, "its format number is gone", fault);
	else
		rc = check(kind, path, db, fault);
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(db);
	return rc;
}

/* The folder of a file, opened. */
static int
open_folder(const char *path)
{
	char *copy = strdup(path);
	int fd = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(copy);
	return fd;
}

/* Flushes a file or folder to its disk. */
static int
flush(int fd)
{
	int rc = fd < 0 ? -1 : fsync(fd);

	if (fd >= 0)
		close(fd);
	return rc;
}

/* Fills the file that bears a name of its own until it is whole. */
static int
fill(const struct database_kind *kind, const char *draft, struct hrw_fault *fault)
{
	struct database d = {0};
	char numbers[96];
	int rc;

	rc = database_open(&d, kind, draft, SQLITE_OPEN_READWRITE, NULL, fault);
	if (rc < 0)
		return rc;
	snprintf(numbers, sizeof(numbers),
	    "PRAGMA application_id = %" PRIu32 ";PRAGMA user_version = %d", kind->application,
	    kind->version);
	rc = database_begin(&d, fault);
	if (rc == 0)
		rc = database_run(&d, kind->schema, fault);
	if (rc == 0)
		rc = database_run(&d, numbers, fault);
	rc = database_end(&d, rc, fault);
	/* Closing would write the log back, too, but keep a failure to itself. */
	if (rc == 0 && sqlite3_wal_checkpoint_v2(
			   d.db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) != SQLITE_OK)
		rc = database_fault(&d, fault);
	database_close(&d);
	return rc;
}

/* Made beside its name and renamed when whole: a daemon killed in between leaves
 * no half of a store to be refused, or taken for an empty fleet, at the next start. */
static int
make(const struct database_kind *kind, const char *path, struct hrw_fault *fault)
{
	static const char *const suffixes[] = {".new", ".new-wal", ".new-shm", ".new-journal"};
	char *draft = beside(path, suffixes[0]);
	int fd = -1;
	int rc = 0;

	if (draft == NULL)
		return no_memory(fault);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *left = beside(path, suffixes[i]);

		if (left != NULL)
			unlink(left);
		free(left);
	}
	fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	if (fd < 0) {
		rc = hrw_fault(fault, HRW_STORE_FAILED, "the %s %s cannot be made: %s", kind->what,
		    path, strerrordesc_np(errno));
		goto out;
	}
	close(fd);
	rc = fill(kind, draft, fault);
	if (rc == 0 && (flush(open(draft, O_RDONLY | O_CLOEXEC)) < 0 || rename(draft, path) < 0 ||
			   flush(open_folder(path)) < 0))
		rc = hrw_fault(fault, HRW_STORE_FAILED, "the %s %s cannot be made: %s", kind->what,
		    path, strerrordesc_np(errno));
	if (rc < 0)
		unlink(draft);
out:
	free(draft);
	return rc;
}

/* Takes PATH.lock. An flock(2) goes with its process, even one that is killed,
 * and unlike SQLite's own exclusive mode lets operators read the file meanwhile. */
static int
hold(const struct database_kind *kind, const char *path, int *lock, struct hrw_fault *fault)
{
	char *name = beside(path, ".lock");
	char holder[24] = "";
	int fd = -1;
	int rc = 0;

	if (name == NULL)
		return no_memory(fault);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);
	if (fd < 0) {
		rc = hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s cannot be locked: %s: %s; let the daemon's user write to its folder",
		    kind->what, path, name, strerrordesc_np(errno));
	} else if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		ssize_t got = pread(fd, holder, sizeof(holder) - 1, 0);

		holder[got > 0 ? strcspn(holder, "\n") : 0] = '\0';
		rc = hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s is in use by another hrwd%s%s: stop that one, or name another path",
		    kind->what, path, *holder != '\0' ? ", process " : "", holder);
		close(fd);
	} else {
		/* For that message alone; nobody relies on it. */
		if (ftruncate(fd, 0) == 0)
			dprintf(fd, "%ld\n", (long)getpid());
		*lock = fd;
	}
	free(name);
	return rc;
}

/* What can be said without SQLite: 1 where the file is there, 0 where it may be made. */
static int
look(const struct database_kind *kind, const char *path, bool create, struct hrw_fault *fault)
{
	struct stat st;
	int folder;

	if (stat(path, &st) == 0) {
		if (S_ISREG(st.st_mode))
			return 1;
		return hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s is %s: name a file, as in %s/hrwd.db", kind->what, path,
		    S_ISDIR(st.st_mode) ? "a folder" : "no regular file",
		    S_ISDIR(st.st_mode) ? path : "/var/lib/hrwd");
	}
	if (errno != ENOENT)
		return hrw_fault(fault, HRW_STORE_FAILED, "the %s %s cannot be reached: %s",
		    kind->what, path, strerrordesc_np(errno));
	folder = open_folder(path);
	if (folder < 0)
		return hrw_fault(fault, HRW_STORE_FAILED,
		    "the folder of the %s %s does not exist or cannot be opened: %s; make it, or "
		    "mend the path",
		    kind->what, path, strerrordesc_np(errno));
	close(folder);
	if (!create)
		return hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s does not exist, and with \"create\": false none is made: mend the "
		    "path, bring the file back, or allow it with \"create\": true",
		    kind->what, path);
	return 0;
}

int
claim_take(const struct database_kind *kind, const char *path, bool create, int *lock, bool *is_new,
    struct hrw_fault *fault)
{
	char *real = real_path(path);
	int rc;

	*lock = -1;
	*is_new = false;
	if (real == NULL)
		return no_memory(fault);
	rc = look(kind, real, create, fault);
	if (rc < 0)
		goto out;
	rc = hold(kind, real, lock, fault);
	if (rc < 0)
		goto out;
	/* Again: another daemon may have made it, and ended, before we had the lock. */
	rc = look(kind, real, create, fault);
	if (rc == 0) {
		rc = make(kind, real, fault);
		*is_new = rc == 0;
	}
	if (rc >= 0)
		rc = judge(kind, real, fault);
out:
	if (rc < 0) {
		claim_drop(*lock);
		*lock = -1;
	}
	free(real);
	return rc;
}

void
claim_drop(int lock)
{
	if (lock >= 0)
		close(lock);
}
