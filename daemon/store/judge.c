/*
 * judge.c - is a file one that we may open? Judged without a byte written to it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/claim.h"

enum {
	HEADER_BYTES = 100,
	HEADER_PAGE = 16, /* offsets; https://www.sqlite.org/fileformat2.html */
	HEADER_APPLICATION = 68,
};

static const char magic[16] = "SQLite format 3";

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
	char *log = claim_beside(path, "-wal");
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
		    "the %s %s is empty (0 bytes), which hrwd never leaves behind: %s", kind->what,
		    path, kind->remedy);
	else if (got < HEADER_BYTES || memcmp(head, magic, sizeof(magic)) != 0)
		rc = hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s is not an SQLite database: name another path, or %s", kind->what,
		    path, kind->remedy);
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
int
claim_judge(const struct database_kind *kind, const char *path, struct hrw_fault *fault)
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
