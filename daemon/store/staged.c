/*
 * staged.c - an upload's keys in a temporary database.
 */
#include "daemon/store/staged.h"

static const struct database_kind kind = {
    .what = "staging of keys in a temporary file",
    .pragmas = "PRAGMA journal_mode = MEMORY;"
	       "PRAGMA synchronous = OFF;"
	       "PRAGMA locking_mode = EXCLUSIVE;"
	       "PRAGMA temp_store = FILE;"
	       "PRAGMA cache_size = -16384;" /* KiB; a sorted run in memory is as long */
	       "CREATE TABLE stage (key BLOB NOT NULL);"
	       "BEGIN;",
    .remedy = "send it again",
};

enum { PUT, SORTED };

static const char *const statements[DATABASE_STATEMENTS] = {
    [PUT] = "INSERT INTO stage VALUES (?1)",
    [SORTED] = "SELECT key FROM stage ORDER BY key",
};

int
staged_open(struct staged *s, struct hrw_fault *fault)
{
	*s = (struct staged){0};
	/* No name: a private file in the folder of temporary files. */
	return database_open(
	    &s->database, &kind, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, statements, fault);
}

void
staged_close(struct staged *s)
{
	database_close(&s->database);
	buffer_fini(&s->key);
}

int
staged_put(struct staged *s, struct hrw_bytes key, struct hrw_fault *fault)
{
	sqlite3_stmt *put = database_statement(&s->database, PUT, fault);

	if (put == NULL)
		return HRW_STORE_FAILED;
	s->count++;
	sqlite3_bind_blob(put, 1, key.data, (int)key.len, SQLITE_STATIC);
	return database_step(&s->database, put, fault);
}

int
staged_next(struct staged *s, struct hrw_fault *fault)
{
	struct hrw_bytes key;
	int rc;

	do {
		rc = database_step(&s->database, s->sorted, fault);
		if (rc <= 0)
			break;
		key = hrw_bytes(
		    sqlite3_column_blob(s->sorted, 0), (size_t)sqlite3_column_bytes(s->sorted, 0));
	} while (hrw_bytes_equal(key, buffer_bytes(&s->key)));
	s->is_end = rc <= 0;
	if (rc > 0) {
		buffer_clear(&s->key);
		buffer_add(&s->key, key.data, key.len);
		if (s->key.failed)
			rc = hrw_fault(fault, HRW_INTERNAL, "no memory for a key");
	}
	return rc < 0 ? rc : 0;
}

int
staged_sort(struct staged *s, struct hrw_fault *fault)
{
	s->sorted = database_statement(&s->database, SORTED, fault);
	return s->sorted == NULL ? HRW_STORE_FAILED : staged_next(s, fault);
}
