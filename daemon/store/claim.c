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
#include "daemon/store/copy.h"

enum { FILE_MODE = 0640 };

char *
claim_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real != NULL || errno == ENOMEM ? real : strdup(path);
}

char *
claim_beside(const char *path, const char *suffix)
{
	char *name;

	return asprintf(&name, "%s%s", path, suffix) < 0 ? NULL : name;
}

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory left");
}

int
claim_open_folder(const char *path)
{
	char *copy = strdup(path);
	int fd = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(copy);
	return fd;
}

int
claim_flush(int fd)
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
	char *draft = claim_beside(path, suffixes[0]);
	int fd = -1;
	int rc = 0;

	if (draft == NULL)
		return no_memory(fault);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *left = claim_beside(path, suffixes[i]);

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
	if (rc == 0 && (claim_flush(open(draft, O_RDONLY | O_CLOEXEC)) < 0 ||
			   rename(draft, path) < 0 || claim_flush(claim_open_folder(path)) < 0))
		rc = hrw_fault(fault, HRW_STORE_FAILED, "the %s %s cannot be made: %s", kind->what,
		    path, strerrordesc_np(errno));
	if (rc < 0)
		unlink(draft);
out:
	free(draft);
	return rc;
}

/* An flock(2) goes with its process, even one that is killed, and unlike SQLite's
 * own exclusive mode lets operators read the file meanwhile. */
int
claim_hold(const struct database_kind *kind, const char *path, int *lock, struct hrw_fault *fault)
{
	char *name = claim_beside(path, ".lock");
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
	folder = claim_open_folder(path);
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
	char *real = claim_path(path);
	int rc;

	*lock = -1;
	*is_new = false;
	if (real == NULL)
		return no_memory(fault);
	rc = look(kind, real, create, fault);
	if (rc < 0)
		goto out;
	rc = claim_hold(kind, real, lock, fault);
	if (rc == 0)
		rc = copy_finish(real, fault);
	if (rc < 0)
		goto out;
	/* Again: another daemon may have made it, and ended, before we had the lock. */
	rc = look(kind, real, create, fault);
	if (rc == 0) {
		rc = make(kind, real, fault);
		*is_new = rc == 0;
	}
	if (rc >= 0)
		rc = claim_judge(kind, real, fault);
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
