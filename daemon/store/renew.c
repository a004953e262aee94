/*
 * renew.c - gives pools new lineages where epochs would be given out again: in a copy
 * that was put in a store's place, and in a store that is older than its witness.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/base/json.h"
#include "daemon/base/log.h"
#include "daemon/base/wall.h"
#include "daemon/store/sqlite_private.h"

enum { LINEAGE = 16 };

/* A pool whose lineage ends. */
struct ended {
	char *pool;
	char was[LINEAGE + 1], lineage[LINEAGE + 1];
	uint64_t epoch;
	uint64_t answered; /* the newest epoch that the witness has seen; 0: none */
	struct ended *next;
};

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "no memory for the lineages of a store");
}

bool
sqlite_has_table(struct database *d, const char *name)
{
	sqlite3_stmt *s = database_statement(d, TABLE_FIND, NULL);
	bool has = false;

	if (s == NULL)
		return false;
	database_bind_text(s, 1, name);
	has = database_step(d, s, NULL) > 0;
	sqlite3_reset(s);
	return has;
}

static int
new_lineage(char out[LINEAGE + 1], struct hrw_fault *fault)
{
	uint64_t chance;

	if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		return hrw_fault(fault, HRW_INTERNAL, "no random bytes for a lineage");
	snprintf(out, LINEAGE + 1, "%016" PRIx64, chance);
	return 0;
}

/* Was an epoch answered that this store does not know, or knows as another? */
static bool
is_stale(struct sqlite *s, const char *pool, const char *lineage, uint64_t epoch, int64_t seal,
    uint64_t *answered)
{
	int64_t seen;

	*answered = 0;
	return s->witness != NULL && witness_get(s->witness, pool, lineage, answered, &seen) &&
	       (*answered > epoch || (*answered == epoch && seen != seal));
}

/* One row: a pool, its lineage, epoch and seal. */
static int
judge_row(
    struct sqlite *s, sqlite3_stmt *row, bool is_copy, struct ended **list, struct hrw_fault *fault)
{
	const char *pool = sqlite_text(row, 0), *lineage = sqlite_text(row, 1);
	uint64_t epoch = (uint64_t)sqlite3_column_int64(row, 2), answered;
	int64_t seal = sqlite3_column_int64(row, 3);
	struct ended *e;

	if (!is_stale(s, pool, lineage, epoch, seal, &answered) && !is_copy) {
		/* It may be newer: a daemon was killed before it wrote the line. */
		if (s->witness != NULL && answered < epoch)
			witness_put(s->witness, pool, lineage, epoch, seal);
		return 0;
	}
	e = calloc(1, sizeof(*e));
	if (e == NULL || (e->pool = strdup(pool)) == NULL) {
		free(e);
		return no_memory(fault);
	}
	snprintf(e->was, sizeof(e->was), "%s", lineage);
	e->epoch = epoch;
	e->answered = answered;
	e->next = *list;
	*list = e;
	return new_lineage(e->lineage, fault);
}

static int
find_ended(struct sqlite *s, bool is_copy, struct ended **list, struct hrw_fault *fault)
{
	struct database *d = &s->writer.database;
	sqlite3_stmt *row = database_statement(d, POOLS_SEALS, fault);
	int rc;

	if (row == NULL)
		return HRW_STORE_FAILED;
	while ((rc = database_step(d, row, fault)) > 0) {
		rc = judge_row(s, row, is_copy, list, fault);
		if (rc < 0)
			break;
	}
	sqlite3_reset(row);
	return rc;
}

/* The history says what became of the lineage. */
static int
write_entry(struct database *d, const struct ended *e, bool is_copy, struct hrw_fault *fault)
{
	struct buffer entry = {0};
	struct json_out o = json_out(&entry);
	sqlite3_stmt *s = database_statement(d, HISTORY_ADD, fault);
	int64_t at_ms = wall_ms();
	int rc;

	json_open_object(&o, NULL);
	json_put_time(&o, "at", at_ms);
	json_put_text(&o, "pool", e->pool);
	json_put_count(&o, "epoch_before", e->epoch);
	json_put_count(&o, "epoch_after", e->epoch);
	json_put_null(&o, "by");
	json_put_null(&o, "from");
	json_put_text(&o, "reason",
	    is_copy ? "a backup was put in the store's place"
		    : "the store is older than it was when it last answered");
	json_open_array(&o, "forced");
	json_close_array(&o);
	json_put_text(&o, "outcome", "applied");
	json_open_array(&o, "change");
	json_open_object(&o, NULL);
	json_put_text(&o, "op", "restore");
	json_put_text(&o, "from", e->was);
	json_put_text(&o, "to", e->lineage);
	json_close_object(&o);
	json_close_array(&o);
	json_close_object(&o);
	if (s == NULL || entry.failed) {
		buffer_fini(&entry);
		return s == NULL ? HRW_STORE_FAILED : no_memory(fault);
	}
	database_bind_text(s, 1, e->pool);
	sqlite3_bind_int64(s, 2, at_ms);
	database_bind_text(s, 3, buffer_text(&entry));
	rc = sqlite_finish(d, s, fault);
	buffer_fini(&entry);
	return rc;
}

/* One statement of a lineage: ?1 the pool, ?2 the lineage that ends, ?3 the new one. */
static int
run(struct database *d, int number, const struct ended *e, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(d, number, fault);

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, e->pool);
	database_bind_text(s, 2, e->was);
	database_bind_text(s, 3, e->lineage);
	return sqlite_finish(d, s, fault);
}

static int
renew(struct database *d, const struct ended *e, bool is_copy, struct hrw_fault *fault)
{
	static const int order[] = {
	    RENEW_DOCUMENTS, RENEW_PLANS, RENEW_POOL, RENEW_EARLIER, RENEW_NOTE};
	int rc = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order) && rc == 0; i++)
		rc = run(d, order[i], e, fault);
	return rc == 0 ? write_entry(d, e, is_copy, fault) : rc;
}

static int
renew_all(struct database *d, const struct ended *list, bool is_copy, struct hrw_fault *fault)
{
	int rc = database_begin(d, fault);

	if (rc < 0)
		return rc;
	rc = database_run(d,
	    "CREATE TABLE IF NOT EXISTS lineages (pool TEXT NOT NULL, was TEXT NOT NULL,"
	    " lineage TEXT NOT NULL, PRIMARY KEY (pool, was)) WITHOUT ROWID",
	    fault);
	for (const struct ended *e = list; e != NULL && rc == 0; e = e->next)
		rc = renew(d, e, is_copy, fault);
	if (rc == 0 && is_copy)
		rc = database_run(d, "DROP TABLE copied", fault);
	return database_end(d, rc, fault);
}

static void
tell(const struct ended *e, bool is_copy)
{
	if (e->answered >= e->epoch && !is_copy)
		log_event(LOG_ERROR,
		    "the store is older than it was: an epoch that was answered is not in it; the "
		    "pool goes on under a new lineage",
		    log_text("pool", e->pool), log_count("epoch", e->epoch),
		    log_count("answered", e->answered), log_text("was", e->was),
		    log_text("lineage", e->lineage));
	else
		log_event(LOG_WARN, "a backup was restored: the pool goes on under a new lineage",
		    log_text("pool", e->pool), log_count("epoch", e->epoch),
		    log_text("was", e->was), log_text("lineage", e->lineage));
}

int
sqlite_renew(struct sqlite *s, struct hrw_fault *fault)
{
	struct database *d = &s->writer.database;
	bool is_copy = sqlite_has_table(d, "copied");
	struct ended *list = NULL, *e;
	int rc = find_ended(s, is_copy, &list, fault);

	if (rc == 0 && (list != NULL || is_copy))
		rc = renew_all(d, list, is_copy, fault);
	for (e = list; e != NULL && rc == 0; e = e->next)
		tell(e, is_copy);
	/* The witness learns the new ones: none of these can be stale. */
	if (rc == 0 && list != NULL)
		rc = find_ended(s, false, &list, fault);
	while ((e = list) != NULL) {
		list = e->next;
		free(e->pool);
		free(e);
	}
	return rc;
}

bool
sqlite_is_earlier(struct store *store, const char *pool, const char *was, const char *lineage)
{
	struct connection *c = sqlite_of(store)->reader;
	sqlite3_stmt *s;
	bool is_known;

	pthread_mutex_lock(&c->lock);
	is_known = sqlite_has_table(&c->database, "lineages");
	pthread_mutex_unlock(&c->lock);
	s = is_known ? sqlite_enter(c, LINEAGE_FIND, NULL) : NULL;
	if (s == NULL)
		return false;
	database_bind_text(s, 1, pool);
	database_bind_text(s, 2, was);
	database_bind_text(s, 3, lineage);
	is_known = database_step(&c->database, s, NULL) > 0;
	sqlite_leave(c, s);
	return is_known;
}
