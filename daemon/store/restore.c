/*
 * restore.c - puts a copy in a store's place.
 *
 * STORE.restoring is being written, STORE.restored is whole and waits to be renamed:
 * that name is the moment from which on the copy is the store. The store that was there
 * is kept as STORE.before-TIME with its log, which belongs to it and to no other file;
 * TIME is that of STORE.restored, so that whoever ends a restore uses the same name.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/claim.h"
#include "daemon/store/copy.h"
#include "daemon/store/sqlite_private.h"

#define DRAFT ".restoring"
#define READY ".restored"

enum { FILE_MODE = 0640 };

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory to restore a store");
}

static int
failed(const char *real, const char *what, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_STORE_FAILED, "the store %s cannot be restored: %s: %s", real,
	    what, strerrordesc_np(errno));
}

/* STORE.before-20261201T061500Z, to free(). */
static char *
kept_name(const char *real, time_t at)
{
	char suffix[40];
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(suffix, sizeof(suffix), ".before-%Y%m%dT%H%M%SZ", &tm);
	return claim_beside(real, suffix);
}

/* Gives STORE's file another name, or the file beside it of that suffix. Missing is fine. */
static int
move(const char *real, const char *kept, const char *suffix)
{
	char *from = claim_beside(real, suffix), *to = claim_beside(kept, suffix);
	int rc = from == NULL || to == NULL ? -1 : rename(from, to);

	if (rc < 0 && errno == ENOENT)
		rc = 0;
	free(from);
	free(to);
	return rc;
}

/* A second name for the store that was there, so that its own is never without a file. */
static int
keep(const char *real, const char *kept)
{
	if (link(real, kept) == 0 || errno == EEXIST || errno == ENOENT)
		return 0;
	/* A file system without second names. */
	return rename(real, kept);
}

int
copy_finish(const char *real, struct hrw_fault *fault)
{
	char *ready = claim_beside(real, READY), *index = claim_beside(real, "-shm");
	char *kept = NULL;
	struct stat st;
	int rc = 0;

	if (ready != NULL && stat(ready, &st) < 0)
		goto out; /* nothing waits */
	if (ready != NULL)
		kept = kept_name(real, st.st_mtime);
	if (kept == NULL || index == NULL) {
		rc = no_memory(fault);
		goto out;
	}
	unlink(index); /* of the log: made anew */
	if (move(real, kept, "-wal") < 0 || move(real, kept, "-journal") < 0 ||
	    keep(real, kept) < 0 || claim_flush(claim_open_folder(real)) < 0)
		rc = failed(real, "the store that was there cannot be kept", fault);
	else if (rename(ready, real) < 0 || claim_flush(claim_open_folder(real)) < 0)
		rc = failed(real, ready, fault);
out:
	free(ready);
	free(index);
	free(kept);
	return rc;
}

/* Who owns the store, or its folder: what root restores the daemon's user must be able
 * to open. */
static void
set_owner(const char *real, const char *path)
{
	char *copy = strdup(real);
	struct stat st;

	if (stat(real, &st) == 0) {
		if (chmod(path, st.st_mode & 0777u) < 0)
			errno = 0; /* it stays at our own mode */
	} else if (copy == NULL || stat(dirname(copy), &st) < 0) {
		st.st_uid = geteuid();
		st.st_gid = getegid();
	}
	if (geteuid() == 0 && chown(path, st.st_uid, st.st_gid) < 0)
		errno = 0;
	free(copy);
}

/* How many pools it has that were not removed. */
static size_t
count_pools(struct database *d)
{
	sqlite3_stmt *s = NULL;
	size_t count = 0;

	if (sqlite3_prepare_v2(d->db, "SELECT count(*) FROM pools WHERE NOT is_removed", -1, &s,
		NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		count = (size_t)sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return count;
}

/* Makes STORE.restoring, and sets its time to one that no kept store bears. */
static int
write_draft(const char *from, const char *real, const char *draft, struct copy_restored *out,
    struct hrw_fault *fault)
{
	struct timespec times[2] = {{.tv_sec = time(NULL)}, {.tv_sec = time(NULL)}};
	struct database d;
	int fd, rc;

	unlink(draft);
	fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		return failed(real, draft, fault);
	close(fd);
	set_owner(real, draft);
	rc = copy_open(&d, from, SQLITE_OPEN_READONLY, fault);
	if (rc < 0)
		return rc;
	rc = copy_write(&d, draft, fault);
	out->pools = count_pools(&d);
	database_close(&d);
	while (rc == 0) {
		char *kept = kept_name(real, times[1].tv_sec);
		bool is_taken = kept != NULL && access(kept, F_OK) == 0;

		free(out->kept);
		out->kept = kept;
		if (kept == NULL)
			return no_memory(fault);
		if (!is_taken)
			break;
		times[1].tv_sec++;
	}
	if (rc == 0 && (utimensat(AT_FDCWD, draft, times, 0) < 0 ||
			   claim_flush(open(draft, O_RDONLY | O_CLOEXEC)) < 0))
		rc = failed(real, draft, fault);
	return rc;
}

/* The paths are known, the lock is ours. */
static int
restore(const char *from, const char *real, struct copy_restored *out, struct hrw_fault *fault)
{
	char *draft = claim_beside(real, DRAFT), *ready = claim_beside(real, READY);
	int rc = draft == NULL || ready == NULL ? no_memory(fault) : copy_finish(real, fault);
	bool is_kept = access(real, F_OK) == 0;

	if (rc == 0)
		rc = write_draft(from, real, draft, out, fault);
	if (rc == 0) {
		if (rename(draft, ready) < 0 || claim_flush(claim_open_folder(real)) < 0)
			rc = failed(real, ready, fault);
		else
			rc = copy_finish(real, fault);
	} else if (draft != NULL) {
		unlink(draft);
	}
	if (rc < 0 || !is_kept) {
		free(out->kept);
		out->kept = NULL;
	}
	free(draft);
	free(ready);
	return rc;
}

/* Is it the store itself, under this name or another? */
static bool
is_same(const char *from, const char *real)
{
	struct stat a, b;

	return stat(from, &a) == 0 && stat(real, &b) == 0 && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

int
copy_restore(
    const char *from, const char *store, struct copy_restored *out, struct hrw_fault *fault)
{
	char *real = claim_path(store);
	char *name = real != NULL ? claim_beside(real, ".lock") : NULL;
	int lock = -1, rc = 0;
	struct stat st;

	*out = (struct copy_restored){0};
	if (name == NULL)
		rc = no_memory(fault);
	else if (is_same(from, real))
		rc = hrw_fault(fault, HRW_STORE_FAILED,
		    "%s is the store itself: name a copy of it, as hrwctl backup writes", from);
	else if (stat(real, &st) == 0 && !S_ISREG(st.st_mode))
		rc = hrw_fault(fault, HRW_STORE_FAILED, "the store %s is no regular file", real);
	if (rc == 0)
		rc = claim_hold(&sqlite_kind, real, &lock, fault);
	if (rc == 0)
		set_owner(real, name);
	if (rc == 0)
		rc = copy_judge(from, fault);
	if (rc == 0)
		rc = restore(from, real, out, fault);
	claim_drop(lock);
	free(real);
	free(name);
	return rc;
}
