/*
 * database.c - one connection to SQLite, the same way for every file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/store/database.h"

enum {
	BUSY_MS = 5000,	   /* for an operator who writes with a tool of his own */
	PAUSE_NS = 100000, /* to wake up and take a mutex */
};

int
database_damaged(
    const struct database_kind *kind, const char *path, const char *why, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_STORE_FAILED, "the %s %s is damaged (%s): %s", kind->what, path,
	    why, kind->remedy);
}

int
database_fault(struct database *d, struct hrw_fault *fault)
{
	int code = sqlite3_errcode(d->db);
	int number = sqlite3_system_errno(d->db);
	char words[128] = "";
	const char *help = "nothing was changed";

	/* A failed disk leaves its number; for other errors it is an old one. */
	if ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL) && number != 0)
		snprintf(words, sizeof(words), ": %s", strerrordesc_np(number));
	switch (code & 0xff) {
	case SQLITE_FULL:
		help = "nothing was changed; make room on its disk";
		break;
	case SQLITE_IOERR:
		help = "nothing was changed; look after its disk";
		break;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		help = "let the daemon's user write to the file and its folder";
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		help = "another program holds it; end that program's transaction";
		break;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		help = d->kind->remedy;
		break;
	}
	return hrw_fault(fault, HRW_STORE_FAILED, "the %s%s%s: %s%s (%s)", d->kind->what,
	    *d->path != '\0' ? " " : "", d->path, sqlite3_errmsg(d->db), words, help);
}

/* FNV-1a, 64 bits (RFC 9923), of what came before and these bytes. */
static uint64_t
fold(uint64_t h, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++)
		h = (h ^ at[i]) * 0x100000001b3u;
	return h;
}

/* A NULL is told from an empty text by its length. */
static void
seal(sqlite3_context *context, int count, sqlite3_value **value)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (int i = 0; i < count; i++) {
		const void *text = sqlite3_value_text(value[i]);
		uint64_t len = text == NULL ? UINT64_MAX : (uint64_t)sqlite3_value_bytes(value[i]);

		h = fold(h, &len, sizeof(len));
		if (text != NULL)
			h = fold(h, text, (size_t)len);
	}
	sqlite3_result_int64(context, (int64_t)h);
}

int
database_equip(sqlite3 *db)
{
	sqlite3_busy_timeout(db, BUSY_MS);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return sqlite3_create_function(db, "seal", -1,
	    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL, seal, NULL, NULL);
}

int
database_open(struct database *d, const struct database_kind *kind, const char *path, int flags,
    const char *const *sql, struct hrw_fault *fault)
{
	bool in_memory = strcmp(path, ":memory:") == 0;

	*d = (struct database){.kind = kind, .sql = sql, .path = strdup(path)};
	if (d->path == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for a database");
	if (sqlite3_open_v2(path, &d->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		goto fail;
	if (database_equip(d->db) != SQLITE_OK ||
	    sqlite3_exec(d->db, kind->pragmas, NULL, NULL, NULL) != SQLITE_OK ||
	    (in_memory && sqlite3_exec(d->db, kind->schema, NULL, NULL, NULL) != SQLITE_OK))
		goto fail;
	if ((flags & SQLITE_OPEN_READWRITE) != 0 && sqlite3_db_readonly(d->db, "main") == 1) {
		hrw_fault(fault, HRW_STORE_FAILED,
		    "the %s %s cannot be written: let the daemon's user write to the file and "
		    "its folder",
		    kind->what, path);
		database_close(d);
		return HRW_STORE_FAILED;
	}
	return 0;
fail:
	database_fault(d, fault);
	database_close(d);
	return HRW_STORE_FAILED;
}

void
database_close(struct database *d)
{
	for (size_t i = 0; i < DATABASE_STATEMENTS; i++)
		sqlite3_finalize(d->statement[i]);
	sqlite3_close(d->db);
	free(d->path);
	*d = (struct database){0};
}

sqlite3_stmt *
database_statement(struct database *d, int number, struct hrw_fault *fault)
{
	sqlite3_stmt **s = &d->statement[number];

	if (*s == NULL && sqlite3_prepare_v3(d->db, d->sql[number], -1, SQLITE_PREPARE_PERSISTENT,
			      s, NULL) != SQLITE_OK)
		database_fault(d, fault);
	else
		sqlite3_clear_bindings(*s);
	return *s;
}

int
database_step(struct database *d, sqlite3_stmt *s, struct hrw_fault *fault)
{
	int rc = sqlite3_step(s);

	if (rc == SQLITE_ROW)
		return 1;
	rc = rc == SQLITE_DONE ? 0 : database_fault(d, fault);
	sqlite3_reset(s);
	return rc;
}

int
database_run(struct database *d, const char *sql, struct hrw_fault *fault)
{
	return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
								       : database_fault(d, fault);
}

void
database_pause(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};

	nanosleep(&pause, NULL);
}

void
database_rest(struct database *d)
{
	sqlite3_db_release_memory(d->db);
}

int
database_begin(struct database *d, struct hrw_fault *fault)
{
	return database_run(d, "BEGIN IMMEDIATE", fault);
}

int
database_end(struct database *d, int rc, struct hrw_fault *fault)
{
	if (rc >= 0 && database_run(d, "COMMIT", fault) < 0)
		rc = HRW_STORE_FAILED;
	/* A full disk may have rolled back by itself. */
	if (rc < 0 && !sqlite3_get_autocommit(d->db))
		sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

void
database_bind_text(sqlite3_stmt *s, int at, const char *text)
{
	if (text == NULL)
		sqlite3_bind_null(s, at);
	else
		sqlite3_bind_text64(s, at, text, strlen(text), SQLITE_STATIC, SQLITE_UTF8);
}
