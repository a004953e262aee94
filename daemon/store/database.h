/*
 * database.h - a connection to SQLite, as the store and the key sets share it:
 * statements prepared once, transactions, and faults in SQLite's own words.
 */
#ifndef HRWD_STORE_DATABASE_H
#define HRWD_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/* One sort of file. All static. */
struct database_kind {
	const char *what;     /* in faults: "store" */
	uint32_t application; /* PRAGMA application_id */
	int version;	      /* PRAGMA user_version, this one and all before can be read */
	const char *schema;
	const char *verify;  /* a query that answers 0 unless a row's seal is broken; or NULL */
	const char *pragmas; /* run on each connection */
	const char *remedy;  /* in faults, for a file that is damaged */
};

enum { DATABASE_STATEMENTS = 40 };

/* One connection; its owner serialises the calls. All zeros is a closed one. */
struct database {
	sqlite3 *db;
	const struct database_kind *kind;
	char *path;
	const char *const *sql; /* texts of the statements, by their numbers */
	sqlite3_stmt *statement[DATABASE_STATEMENTS];
};

/* What every connection has, those that only judge a file too: trust in nothing
 * that a file says of itself, and seal(a, b, …), a hash of its arguments. SQLite
 * guards the structure of its pages, not their content; a sealed row tells when a
 * byte of it was changed by anything but us. */
int database_equip(sqlite3 *db);

/* Opens a connection to a file that was taken (claim.h), or to ":memory:" (which gets the schema).
 *   flags  SQLITE_OPEN_READONLY or SQLITE_OPEN_READWRITE */
int database_open(struct database *d, const struct database_kind *kind, const char *path, int flags,
    const char *const *sql, struct hrw_fault *fault);
void database_close(struct database *d);

/* The statement of that number, ready to be bound; NULL with STORE_FAILED. */
sqlite3_stmt *database_statement(struct database *d, int number, struct hrw_fault *fault);

/* Steps it: 1 with a row, 0 and reset at the end, negative and reset on an error. */
int database_step(struct database *d, sqlite3_stmt *s, struct hrw_fault *fault);

/* Runs a text of statements without rows. */
int database_run(struct database *d, const char *sql, struct hrw_fault *fault);

/* Between two of many transactions, the lock being free: lets whoever waits have
 * a turn, since the lock alone would come back to us. */
void database_pause(void);

/* Long work is over: lets go of the pages that it read and wrote. */
void database_rest(struct database *d);

int database_begin(struct database *d, struct hrw_fault *fault); /* as a writer */
/* Commits where rc is not negative, else rolls back; also when the commit fails.
 *   returns  rc, or STORE_FAILED when the commit failed */
int database_end(struct database *d, int rc, struct hrw_fault *fault);

/* STORE_FAILED with SQLite's words for what just failed, and what may help. */
int database_fault(struct database *d, struct hrw_fault *fault);
/* STORE_FAILED: what the file holds is not what was written to it. */
int database_damaged(
    const struct database_kind *kind, const char *path, const char *why, struct hrw_fault *fault);

/* Texts borrowed until the statement is stepped to its end; NULL binds a null. */
void database_bind_text(sqlite3_stmt *s, int at, const char *text);

#endif
