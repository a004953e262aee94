/*
 * copy.c - takes a copy of a store.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/claim.h"
#include "daemon/store/copy.h"
#include "daemon/store/sqlite_private.h"

/* Every page in one step: in the log mode that holds up no change. */
static int
copy_pages(struct database *from, struct database *to, struct hrw_fault *fault)
{
	sqlite3_backup *backup;
	int code;

	/* A draft needs no journal: until it is whole nobody reads it. */
	if (database_run(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", fault) < 0)
		return HRW_STORE_FAILED;
	backup = sqlite3_backup_init(to->db, "main", from->db, "main");
	if (backup == NULL)
		return database_fault(to, fault);
	sqlite3_backup_step(backup, -1);
	code = sqlite3_backup_finish(backup);
	if (code == SQLITE_OK)
		return 0;
	/* Its own error stands at the one to write to, where that was at fault. */
	return sqlite3_errcode(to->db) != SQLITE_OK ? database_fault(to, fault)
						    : database_fault(from, fault);
}

int
copy_open(struct database *d, const char *path, int flags, struct hrw_fault *fault)
{
	*d = (struct database){.kind = &sqlite_kind, .path = strdup(path)};
	if (d->path == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for a copy");
	if (sqlite3_open_v2(path, &d->db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
	    database_equip(d->db) == SQLITE_OK)
		return 0;
	database_fault(d, fault);
	database_close(d);
	return HRW_STORE_FAILED;
}

/* With the log mode off the file is whole by itself. */
static int
mark(struct database *d, struct hrw_fault *fault)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
	    "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; BEGIN;"
	    "CREATE TABLE IF NOT EXISTS copied (at_ms INTEGER NOT NULL);"
	    "DELETE FROM copied; INSERT INTO copied VALUES (%" PRId64 "); COMMIT",
	    (int64_t)time(NULL) * 1000);
	return database_run(d, sql, fault);
}

int
copy_write(struct database *from, const char *to, struct hrw_fault *fault)
{
	struct database d = {0};
	int rc = copy_open(&d, to, SQLITE_OPEN_READWRITE, fault);

	if (rc == 0) {
		rc = copy_pages(from, &d, fault);
		database_close(&d);
	}
	/* Anew: what was copied says of itself that it has a log. */
	if (rc == 0)
		rc = copy_open(&d, to, SQLITE_OPEN_READWRITE, fault);
	if (rc == 0) {
		rc = mark(&d, fault);
		database_close(&d);
	}
	if (rc == 0 && claim_flush(open(to, O_RDONLY | O_CLOEXEC)) < 0)
		rc = hrw_fault(fault, HRW_STORE_FAILED, "the copy %s cannot be flushed: %s", to,
		    strerrordesc_np(errno));
	return rc;
}

int
copy_judge(const char *path, struct hrw_fault *fault)
{
	struct database_kind kind = sqlite_kind;

	kind.what = "backup";
	kind.remedy = "take another backup, or name an earlier one";
	return claim_judge(&kind, path, fault);
}

/* Through a connection of its own, so that nobody waits for it. */
int
sqlite_copy(struct store *store, const char *to, struct hrw_fault *fault)
{
	struct sqlite *s = sqlite_of(store);
	struct database d = {0};
	int rc;

	if (s->place.path == NULL) {
		pthread_mutex_lock(&s->writer.lock);
		rc = copy_write(&s->writer.database, to, fault);
		pthread_mutex_unlock(&s->writer.lock);
		return rc;
	}
	rc = place_look(&s->place, fault);
	if (rc == 0)
		rc = database_open(
		    &d, &sqlite_kind, s->place.path, SQLITE_OPEN_READONLY, NULL, fault);
	if (rc < 0)
		return rc;
	rc = copy_write(&d, to, fault);
	database_close(&d);
	return rc;
}
