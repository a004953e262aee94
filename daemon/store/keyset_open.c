/*
 * keyset_open.c - opens the file of key sets and clears away what a daemon that
 * was killed had half done.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/claim.h"
#include "daemon/store/keyset_private.h"

#define SET_SEAL "seal(pool, number, keys, bytes, generation, is_filling)"

static const struct database_kind keyset_kind = {
    .what = "key-set file",
    .application = 0x6872776b, /* "hrwk" */
    .version = 2,	       /* 1: a set was called by its pool alone */
    .remedy = "move it and the files beside it away and upload the key sets again; no membership "
	      "is in it",
    /* NORMAL: after a power cut the latest upload may be gone, never half there. */
    .pragmas = "PRAGMA journal_mode = WAL;"
	       "PRAGMA synchronous = NORMAL;"
	       "PRAGMA temp_store = FILE;"
	       "PRAGMA secure_delete = OFF;" /* Debian's is on: it rewrites what is dropped */
	       "PRAGMA cell_size_check = ON;"
	       "PRAGMA cache_size = -8192;"
	       "PRAGMA journal_size_limit = 16777216;",
    .schema = "CREATE TABLE sets ("
	      " pool TEXT PRIMARY KEY,"
	      " number INTEGER NOT NULL,"
	      " keys INTEGER NOT NULL,"
	      " bytes INTEGER NOT NULL,"
	      " generation INTEGER NOT NULL,"
	      " is_filling INTEGER NOT NULL,"
	      " seal INTEGER NOT NULL) WITHOUT ROWID;",
    .verify = "SELECT EXISTS (SELECT 1 FROM sets"
	      " WHERE seal IS NOT " SET_SEAL ")",
};

static const char *const statements[DATABASE_STATEMENTS] = {
    [SET_GET] = "SELECT number, keys, bytes, generation, is_filling FROM sets WHERE pool = ?1",
    [SET_PUT] = "REPLACE INTO sets"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, seal(?1, ?2, ?3, ?4, ?5, ?6))",
    [SET_FORGET] = "DELETE FROM sets WHERE pool = ?1",
    [TABLES_STRAY] = "SELECT substr(name, 6) FROM sqlite_schema WHERE type = 'table'"
		     " AND name GLOB 'keys_[0-9]*'"
		     " AND CAST(substr(name, 6) AS INTEGER) NOT IN (SELECT number FROM sets)",
    [SETS_NEXT] = "SELECT pool FROM sets WHERE pool > ?1 ORDER BY pool LIMIT 1",
    [SET_RENAME] = "UPDATE sets SET pool = ?2,"
		   " seal = seal(?2, number, keys, bytes, generation, is_filling) WHERE pool = ?1",
    [VERSION_GET] = "PRAGMA user_version",
    [TABLES_LAST] = "SELECT coalesce(max(number), 0) FROM sets",
};

int
keyset_connect(struct keyset *k, struct database *d, int flags, struct hrw_fault *fault)
{
	return database_open(d, &keyset_kind, k->path, flags, statements, fault);
}

/* Tables that no set names: an upload was cut off, or a reader outlived its set. */
static int
drop_strays(struct keyset *k, struct hrw_fault *fault)
{
	int rc;

	do {
		sqlite3_stmt *s = database_statement(&k->writer, TABLES_STRAY, fault);
		uint64_t number = 0;

		if (s == NULL)
			return HRW_STORE_FAILED;
		rc = database_step(&k->writer, s, fault);
		if (rc > 0)
			number = (uint64_t)sqlite3_column_int64(s, 0);
		sqlite3_reset(s);
		if (rc > 0)
			rc = keyset_drop(k, number, fault) < 0 ? HRW_STORE_FAILED : 1;
	} while (rc > 0);
	return rc;
}

static int
read_last(struct keyset *k, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(&k->writer, TABLES_LAST, fault);

	if (s == NULL || database_step(&k->writer, s, fault) < 0)
		return HRW_STORE_FAILED;
	k->last_table = (uint64_t)sqlite3_column_int64(s, 0);
	sqlite3_reset(s);
	return 0;
}

/* Sorting spills into temporary files. They belong beside the file, on a disk
 * meant for data: /tmp may be memory. SQLite has one place for the process. */
static void
place_temporary_files(const char *path)
{
	char *copy = strdup(path);

	if (copy != NULL && sqlite3_temp_directory == NULL)
		sqlite3_temp_directory = sqlite3_mprintf("%s", dirname(copy));
	free(copy);
}

/* A path in a folder of its own. */
static int
make_folder(struct keyset *k, struct hrw_fault *fault)
{
	const char *base = getenv("TMPDIR");

	if (asprintf(&k->folder, "%s/hrwd-keys-XXXXXX", base != NULL ? base : "/var/tmp") < 0) {
		k->folder = NULL;
		return hrw_fault(fault, HRW_INTERNAL, "no memory for the key sets");
	}
	if (mkdtemp(k->folder) == NULL) {
		hrw_fault(fault, HRW_STORE_FAILED,
		    "no temporary folder %s can be made for the key sets: set TMPDIR", k->folder);
		free(k->folder);
		k->folder = NULL;
		return HRW_STORE_FAILED;
	}
	if (asprintf(&k->path, "%s/keys.db", k->folder) < 0) {
		k->path = NULL;
		return hrw_fault(fault, HRW_INTERNAL, "no memory for the key sets");
	}
	return 0;
}

static void
remove_folder(struct keyset *k)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};
	char name[4096];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(name, sizeof(name), "%s/keys.db%s", k->folder, suffixes[i]);
		unlink(name);
	}
	rmdir(k->folder);
}

struct keyset *
keyset_open(const char *path, struct hrw_fault *fault)
{
	struct keyset *k = calloc(1, sizeof(*k));
	bool is_new;
	int rc = 0;

	if (k == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "no memory for the key sets");
		return NULL;
	}
	k->claim = -1;
	pthread_mutex_init(&k->writing, NULL);
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->turn, NULL);
	if (path == NULL)
		rc = make_folder(k, fault);
	else if ((k->path = strdup(path)) == NULL)
		rc = hrw_fault(fault, HRW_INTERNAL, "no memory for the key sets");
	if (rc < 0)
		goto out;
	place_temporary_files(k->path);
	rc = claim_take(&keyset_kind, k->path, true, &k->claim, &is_new, fault);
	if (rc == 0)
		rc = keyset_connect(k, &k->writer, SQLITE_OPEN_READWRITE, fault);
	if (rc == 0)
		rc = drop_strays(k, fault);
	if (rc == 0)
		rc = read_last(k, fault);
	if (rc == 0)
		rc = keyset_connect(k, &k->reader, SQLITE_OPEN_READONLY, fault);
	/* A temporary folder may be tidied up: nothing in it is meant to last. */
	if (rc == 0)
		rc = place_note(&k->place, &keyset_kind, k->folder == NULL ? k->path : NULL, fault);
out:
	if (rc == 0)
		return k;
	keyset_close(k);
	return NULL;
}

void
keyset_close(struct keyset *k)
{
	struct keyset_table *table;

	if (k == NULL)
		return;
	while ((table = k->tables) != NULL) {
		k->tables = table->next;
		free(table);
	}
	database_close(&k->reader);
	database_close(&k->writer);
	place_fini(&k->place);
	claim_drop(k->claim);
	if (k->folder != NULL)
		remove_folder(k);
	pthread_cond_destroy(&k->turn);
	pthread_mutex_destroy(&k->lock);
	pthread_mutex_destroy(&k->writing);
	free(k->folder);
	free(k->path);
	free(k);
}
