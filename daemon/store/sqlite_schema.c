/*
 * sqlite_schema.c - every word of SQL that the SQLite store speaks.
 *
 * A row bears a seal over its values: a disk's flipped bit in a text is then a
 * clear fault instead of another weight. A pool that was removed stays as a row,
 * so that a configuration's seed does not bring it back.
 */
#include "daemon/store/sqlite_private.h"

#define POOL_SEAL     "seal(name, lineage, epoch, is_removed)"
#define DOCUMENT_SEAL "seal(pool, lineage, epoch, document)"
#define ENTRY_SEAL    "seal(pool, at_ms, entry, summary)"
#define PLAN_SEAL     "seal(id, pool, at_ms, state, report, inputs)"
#define STOPPED	      "iif(json_valid(report), json_set(report, '$.state', 'stopped'), report)"

const struct database_kind sqlite_kind = {
    .what = "store",
    .application = 0x68727764, /* "hrwd" */
    .version = 1,
    .remedy = "put a backup in its place (hrwctl restore BACKUP STORE), or move it and the files "
	      "beside it away to begin anew",
    .pragmas = "PRAGMA journal_mode = WAL;"
	       "PRAGMA synchronous = FULL;"
	       "PRAGMA secure_delete = OFF;" /* Debian's is on: it rewrites what is dropped */
	       "PRAGMA cell_size_check = ON;"
	       "PRAGMA cache_size = -8192;"		/* KiB */
	       "PRAGMA journal_size_limit = 16777216;", /* bytes the log keeps when it is empty */
    .schema =
	/* A pool that was removed stays as a row: its seed must not come back. */
    "CREATE TABLE pools ("
    " name TEXT PRIMARY KEY,"
    " lineage TEXT NOT NULL,"
    " epoch INTEGER NOT NULL,"
    " is_removed INTEGER NOT NULL,"
    " seal INTEGER NOT NULL);"
    /* since: the newest history entry when it was stored; it goes with that. */
    "CREATE TABLE documents ("
    " pool TEXT NOT NULL,"
    " lineage TEXT NOT NULL,"
    " epoch INTEGER NOT NULL,"
    " since INTEGER NOT NULL,"
    " document TEXT NOT NULL,"
    " seal INTEGER NOT NULL,"
    " PRIMARY KEY (pool, lineage, epoch));"
    "CREATE INDEX documents_since ON documents (since);"
    "CREATE TABLE history ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " pool TEXT NOT NULL,"
    " at_ms INTEGER NOT NULL,"
    " entry TEXT NOT NULL,"
    " summary TEXT,"
    " seal INTEGER NOT NULL);"
    "CREATE INDEX history_pool ON history (pool);"
    "CREATE TABLE removed ("
    " pool TEXT NOT NULL,"
    " node TEXT NOT NULL,"
    " at_ms INTEGER NOT NULL,"
    " PRIMARY KEY (pool, node)) WITHOUT ROWID;"
    "CREATE TABLE plans ("
    " number INTEGER PRIMARY KEY AUTOINCREMENT,"
    " id TEXT NOT NULL UNIQUE,"
    " pool TEXT NOT NULL,"
    " at_ms INTEGER NOT NULL,"
    " state TEXT NOT NULL,"
    " report TEXT NOT NULL,"
    " inputs TEXT NOT NULL,"
    " seal INTEGER NOT NULL);"
    "CREATE INDEX plans_pool ON plans (pool);"
    "CREATE INDEX plans_running ON plans (state) WHERE state = 'running';",
    .verify = "SELECT EXISTS (SELECT 1 FROM pools WHERE seal IS NOT " POOL_SEAL ")"
	      " OR EXISTS (SELECT 1 FROM documents WHERE seal IS NOT " DOCUMENT_SEAL ")"
	      " OR EXISTS (SELECT 1 FROM history WHERE seal IS NOT " ENTRY_SEAL ")"
	      " OR EXISTS (SELECT 1 FROM plans WHERE seal IS NOT " PLAN_SEAL ")",
};

/* The highest numbers ever given. */
#define NEWEST_PLAN  "(SELECT seq FROM sqlite_sequence WHERE name = 'plans')"
#define NEWEST_ENTRY "(SELECT seq FROM sqlite_sequence WHERE name = 'history')"

#define RENEWED(text) "iif(length(?2) = 16, replace(" text ", ?2, ?3), " text ")"
#define NEW_DOCUMENT  RENEWED("document")
#define NEW_INPUTS    RENEWED("inputs")

const char *const sqlite_statements[DATABASE_STATEMENTS] = {
    [POOLS_LOAD] = "SELECT p.name, p.is_removed, d.document, p.epoch,"
		   " p.seal = seal(p.name, p.lineage, p.epoch, p.is_removed) AND (p.is_removed OR"
		   "  d.seal IS seal(d.pool, d.lineage, d.epoch, d.document))"
		   " FROM pools p LEFT JOIN documents d ON NOT p.is_removed AND d.pool = p.name"
		   "  AND d.lineage = p.lineage AND d.epoch = p.epoch"
		   " ORDER BY p.name",
    [POOL_GET] = "SELECT lineage, epoch, is_removed FROM pools WHERE name = ?1",
    [POOL_PUT] = "INSERT INTO pools VALUES (?1, ?2, ?3, ?4, seal(?1, ?2, ?3, ?4))"
		 " ON CONFLICT (name) DO UPDATE SET lineage = ?2, epoch = ?3, is_removed = ?4,"
		 "  seal = seal(?1, ?2, ?3, ?4)",
    [DOCUMENT_GET] = "SELECT document, seal = " DOCUMENT_SEAL
		     " FROM documents WHERE pool = ?1 AND lineage = ?2 AND epoch = ?3",
    [DOCUMENT_PUT] = "INSERT INTO documents VALUES (?1, ?2, ?3,"
		     " coalesce(" NEWEST_ENTRY ", 0), ?4, seal(?1, ?2, ?3, ?4)) RETURNING seal",
    [HISTORY_ADD] = "INSERT INTO history (pool, at_ms, entry, seal)"
		    " VALUES (?1, ?2, ?3, seal(?1, ?2, ?3, NULL))",
    [HISTORY_LIST] = "SELECT id, entry, summary, seal = " ENTRY_SEAL
		     " FROM history WHERE id < ?2 ORDER BY id DESC LIMIT ?3",
    [HISTORY_LIST_POOL] = "SELECT id, entry, summary, seal = " ENTRY_SEAL
			  " FROM history WHERE pool = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
    [HISTORY_SUMMARISE] = "UPDATE history SET summary = ?2, seal = seal(pool, at_ms, entry, ?2)"
			  " WHERE id = ?1",
    [REMOVED_GET] = "SELECT at_ms FROM removed WHERE pool = ?1 AND node = ?2",
    [REMOVED_PUT] = "INSERT INTO removed VALUES (?1, ?2, ?3)"
		    " ON CONFLICT (pool, node) DO UPDATE SET at_ms = ?3",
    [REMOVED_DROP] = "DELETE FROM removed WHERE pool = ?1",
    [PLAN_UPDATE] = "UPDATE plans SET pool = ?2, at_ms = ?3, state = ?4, report = ?5,"
		    " inputs = ?6, seal = seal(?1, ?2, ?3, ?4, ?5, ?6) WHERE id = ?1",
    [PLAN_ADD] = "INSERT INTO plans (id, pool, at_ms, state, report, inputs, seal)"
		 " VALUES (?1, ?2, ?3, ?4, ?5, ?6, seal(?1, ?2, ?3, ?4, ?5, ?6))",
    [PLAN_GET] = "SELECT id, pool, at_ms, state, report, seal = " PLAN_SEAL ", inputs"
		 " FROM plans WHERE id = ?1",
    [PLAN_NUMBER] = "SELECT number FROM plans WHERE id = ?1",
    [PLAN_LIST] = "SELECT id, pool, at_ms, state, report, seal = " PLAN_SEAL
		  " FROM plans WHERE number < ?2 ORDER BY number DESC LIMIT ?3",
    [PLAN_LIST_POOL] = "SELECT id, pool, at_ms, state, report, seal = " PLAN_SEAL
		       " FROM plans WHERE pool = ?1 AND number < ?2"
		       " ORDER BY number DESC LIMIT ?3",
    /* In the column and in the report alike. */
    [PLANS_STOP] = "UPDATE plans SET state = 'stopped',"
		   " report = " STOPPED ", seal = seal(id, pool, at_ms, 'stopped', " STOPPED
		   ", inputs) WHERE state = 'running'",
    /* Numbers are given without gaps and only the oldest go, so the newest n are
     * those above the newest number less n: no row need be counted. */
    [TRIM_PLANS] = "DELETE FROM plans WHERE number IN (SELECT number FROM plans"
		   " WHERE number <= " NEWEST_PLAN " - ?1 LIMIT ?2)",
    [TRIM_HISTORY] = "DELETE FROM history WHERE id IN (SELECT id FROM history"
		     " WHERE id <= " NEWEST_ENTRY " - ?1 LIMIT ?2)",
    [TRIM_DOCUMENTS] = "DELETE FROM documents WHERE rowid IN (SELECT d.rowid FROM documents d"
		       " WHERE d.since <= " NEWEST_ENTRY " - ?1 AND NOT EXISTS"
		       "  (SELECT 1 FROM pools p WHERE p.name = d.pool"
		       "   AND p.lineage = d.lineage AND p.epoch = d.epoch) LIMIT ?2)",
    [TRIM_REMOVED] = "DELETE FROM removed WHERE (pool, node) IN (SELECT pool, node FROM removed"
		     " WHERE at_ms < (SELECT at_ms FROM history ORDER BY id LIMIT 1) LIMIT ?2)",
    [TABLE_FIND] = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1",
    [POOLS_SEALS] = "SELECT p.name, p.lineage, p.epoch, d.seal FROM pools p"
		    " JOIN documents d ON d.pool = p.name AND d.lineage = p.lineage"
		    "  AND d.epoch = p.epoch WHERE NOT p.is_removed",
    /* A document and a plan's inputs name their lineage, and nothing else has its 64
     * random bits. */
    [RENEW_DOCUMENTS] = "UPDATE documents SET lineage = ?3, document = " NEW_DOCUMENT
			", seal = seal(pool, ?3, epoch, " NEW_DOCUMENT ")"
			" WHERE pool = ?1 AND lineage = ?2",
    [RENEW_PLANS] = "UPDATE plans SET inputs = " NEW_INPUTS
		    ", seal = seal(id, pool, at_ms, state, report, " NEW_INPUTS ")"
		    " WHERE pool = ?1",
    [RENEW_POOL] = "UPDATE pools SET lineage = ?3, seal = seal(name, ?3, epoch, is_removed)"
		   " WHERE name = ?1 AND lineage = ?2",
    [RENEW_EARLIER] = "UPDATE lineages SET lineage = ?3 WHERE pool = ?1 AND lineage = ?2",
    [RENEW_NOTE] = "REPLACE INTO lineages VALUES (?1, ?2, ?3)",
    [LINEAGE_FIND] = "SELECT 1 FROM lineages WHERE pool = ?1 AND was = ?2 AND lineage = ?3",
};
