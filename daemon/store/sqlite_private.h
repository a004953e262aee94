/*
 * sqlite_private.h - what the files of the SQLite store share.
 *
 * One connection writes, another reads; in the log mode (WAL) neither waits for
 * the other.
 */
#ifndef HRWD_STORE_SQLITE_PRIVATE_H
#define HRWD_STORE_SQLITE_PRIVATE_H

#include <pthread.h>

#include "daemon/store/database.h"
#include "daemon/store/methods.h"
#include "daemon/store/place.h"
#include "daemon/store/witness.h"

/* In sqlite_schema.c. */
extern const struct database_kind sqlite_kind;
extern const char *const sqlite_statements[DATABASE_STATEMENTS];

/* The numbers of the statements. */
enum sqlite_statement {
	POOLS_LOAD,
	POOL_GET,
	POOL_PUT,
	DOCUMENT_GET,
	DOCUMENT_PUT,
	HISTORY_ADD,
	HISTORY_LIST,
	HISTORY_LIST_POOL,
	HISTORY_SUMMARISE,
	REMOVED_GET,
	REMOVED_PUT,
	REMOVED_DROP,
	PLAN_UPDATE,
	PLAN_ADD,
	PLAN_GET,
	PLAN_NUMBER,
	PLAN_LIST,
	PLAN_LIST_POOL,
	PLANS_STOP,
	TRIM_PLANS,
	TRIM_HISTORY,
	TRIM_DOCUMENTS,
	TRIM_REMOVED,
	TABLE_FIND,
	POOLS_SEALS,
	RENEW_DOCUMENTS,
	RENEW_PLANS,
	RENEW_POOL,
	RENEW_EARLIER,
	RENEW_NOTE,
	LINEAGE_FIND,
};

/* A connection and whose turn it is. */
struct connection {
	struct database database;
	pthread_mutex_t lock;
};

struct sqlite {
	struct store store;
	struct connection writer, second;
	struct connection *reader; /* the second; in memory the writer itself */
	int lock;		   /* descriptor; -1 in memory */
	struct witness *witness;   /* NULL: none could be made */
	bool is_witness_lost;	   /* a line could not be written: said once */
	struct place place;
};

static inline struct sqlite *
sqlite_of(struct store *s)
{
	return (struct sqlite *)s;
}

/* A statement of a connection that is taken until sqlite_leave(). NULL with
 * STORE_FAILED: not taken. */
sqlite3_stmt *sqlite_enter(struct connection *c, int number, struct hrw_fault *fault);
void sqlite_leave(struct connection *c, sqlite3_stmt *s);

/* Runs a statement that is bound already to its end. */
int sqlite_finish(struct database *d, sqlite3_stmt *s, struct hrw_fault *fault);

int sqlite_damaged(struct connection *c, const char *why, struct hrw_fault *fault);

static inline const char *
sqlite_text(sqlite3_stmt *s, int column)
{
	return (const char *)sqlite3_column_text(s, column);
}

/* In copy.c. */
int sqlite_copy(struct store *store, const char *to, struct hrw_fault *fault);

/* In renew.c. */
bool sqlite_has_table(struct database *d, const char *name);
/* Gives new lineages where they are due, and the witness what it lacks. At open. */
int sqlite_renew(struct sqlite *s, struct hrw_fault *fault);
bool sqlite_is_earlier(struct store *store, const char *pool, const char *was, const char *lineage);

/* In sqlite_log.c. */
int sqlite_history(struct store *store, const char *pool, int64_t after, size_t limit,
    store_each_entry each, void *arg, struct hrw_fault *fault);
int sqlite_summarise(
    struct store *store, int64_t history_id, const char *summary, struct hrw_fault *fault);
int sqlite_plan_put(struct store *store, const struct store_plan *plan, struct hrw_fault *fault);
int sqlite_plan_get(
    struct store *store, const char *id, struct store_plan *out, struct hrw_fault *fault);
int sqlite_plans(struct store *store, const char *pool, const char *after, size_t limit,
    store_each_plan each, void *arg, struct hrw_fault *fault);
int sqlite_trim(struct store *store, size_t plans, size_t history, struct hrw_fault *fault);

#endif
