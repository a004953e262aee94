/*
 * sqlite.c - memberships in an SQLite file: opening, loading, committing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/store/claim.h"
#include "daemon/store/sqlite_private.h"

sqlite3_stmt *
sqlite_enter(struct connection *c, int number, struct hrw_fault *fault)
{
	sqlite3_stmt *s;

	pthread_mutex_lock(&c->lock);
	s = database_statement(&c->database, number, fault);
	if (s == NULL)
		pthread_mutex_unlock(&c->lock);
	return s;
}

void
sqlite_leave(struct connection *c, sqlite3_stmt *s)
{
	sqlite3_reset(s); /* ends its read transaction */
	pthread_mutex_unlock(&c->lock);
}

int
sqlite_damaged(struct connection *c, const char *why, struct hrw_fault *fault)
{
	return database_damaged(&sqlite_kind, c->database.path, why, fault);
}

int
sqlite_finish(struct database *d, sqlite3_stmt *s, struct hrw_fault *fault)
{
	int rc;

	do
		rc = database_step(d, s, fault);
	while (rc > 0);
	return rc;
}

static void
sqlite_close(struct store *store)
{
	struct sqlite *s = sqlite_of(store);

	/* The reader first: the last one to close writes the log back. */
	database_close(&s->second.database);
	database_close(&s->writer.database);
	witness_close(s->witness);
	place_fini(&s->place);
	claim_drop(s->lock);
	pthread_mutex_destroy(&s->second.lock);
	pthread_mutex_destroy(&s->writer.lock);
	free(s);
}

static int
sqlite_load(struct store *store, store_each_pool each, void *arg, struct hrw_fault *fault)
{
	struct connection *c = sqlite_of(store)->reader;
	sqlite3_stmt *s = sqlite_enter(c, POOLS_LOAD, fault);
	int rc;

	if (s == NULL)
		return HRW_STORE_FAILED;
	while ((rc = database_step(&c->database, s, fault)) > 0) {
		const char *pool = sqlite_text(s, 0);
		bool is_removed = sqlite3_column_int(s, 1) != 0;

		if (sqlite3_column_int(s, 4) != 1) {
			rc = sqlite_damaged(
			    c, "a pool's present document is not what was stored", fault);
			hrw_fault_at(fault, "%s", pool);
			break;
		}
		rc = each(arg, pool, is_removed ? NULL : sqlite_text(s, 2), fault);
		if (rc < 0)
			break;
	}
	sqlite3_reset(s);
	/* Nobody reads these pages again: 110 bytes a node. */
	sqlite3_db_release_memory(c->database.db);
	sqlite_leave(c, s);
	return rc;
}

/* Is the pool as the change expects it? */
static int
expect(struct database *d, const struct store_write *w, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(d, POOL_GET, fault);
	uint64_t epoch = 0;
	bool is_same = true;
	int rc;

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, w->pool);
	rc = database_step(d, s, fault);
	if (rc > 0 && sqlite3_column_int(s, 2) == 0) {
		epoch = (uint64_t)sqlite3_column_int64(s, 1);
		is_same = strcmp(sqlite_text(s, 0), w->lineage) == 0;
	}
	sqlite3_reset(s);
	if (rc < 0)
		return rc;
	if (epoch != w->epoch_before)
		return hrw_fault(fault, HRW_CONFLICT,
		    "pool %s is at epoch %" PRIu64 " in the store, not at %" PRIu64
		    " (0: there is none): read it again and repeat the change",
		    w->pool, epoch, w->epoch_before);
	if (!is_same)
		return hrw_fault(fault, HRW_CONFLICT,
		    "pool %s was made anew meanwhile: read it again and repeat the change",
		    w->pool);
	return 0;
}

/* Each name of a list separated by spaces. */
static int
put_removed(struct database *d, const struct store_write *w, struct hrw_fault *fault)
{
	const char *at = w->removed;
	int rc = 0;

	while (rc == 0 && *(at += strspn(at, " ")) != '\0') {
		size_t len = strcspn(at, " ");
		sqlite3_stmt *s = database_statement(d, REMOVED_PUT, fault);

		if (s == NULL)
			return HRW_STORE_FAILED;
		database_bind_text(s, 1, w->pool);
		sqlite3_bind_text(s, 2, at, (int)len, SQLITE_STATIC);
		sqlite3_bind_int64(s, 3, w->at_ms);
		rc = sqlite_finish(d, s, fault);
		at += len;
	}
	return rc;
}

/* What was removed from an earlier pool of that name was none of this one's. */
static int
forget_removed(struct database *d, const struct store_write *w, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(d, REMOVED_DROP, fault);

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, w->pool);
	return sqlite_finish(d, s, fault);
}

static int
put_entry(struct database *d, struct store_write *w, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(d, HISTORY_ADD, fault);
	int rc;

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, w->pool);
	sqlite3_bind_int64(s, 2, w->at_ms);
	database_bind_text(s, 3, w->entry);
	rc = sqlite_finish(d, s, fault);
	if (rc == 0)
		w->history_id = sqlite3_last_insert_rowid(d->db);
	return rc;
}

static int
put_document(struct database *d, struct store_write *w, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(d, DOCUMENT_PUT, fault);
	int rc;

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, w->pool);
	database_bind_text(s, 2, w->lineage);
	sqlite3_bind_int64(s, 3, (int64_t)w->epoch_after);
	database_bind_text(s, 4, w->document);
	rc = database_step(d, s, fault);
	if (rc > 0)
		w->seal = sqlite3_column_int64(s, 0);
	return rc > 0 ? sqlite_finish(d, s, fault) : rc;
}

static int
put_pool(struct database *d, const struct store_write *w, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(d, POOL_PUT, fault);

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, w->pool);
	database_bind_text(s, 2, w->lineage);
	sqlite3_bind_int64(s, 3, (int64_t)w->epoch_after);
	sqlite3_bind_int(s, 4, w->document == NULL);
	return sqlite_finish(d, s, fault);
}

/* One change, inside the transaction. The entry comes first: the document goes
 * when that entry goes. */
static int
put(struct database *d, struct store_write *w, struct hrw_fault *fault)
{
	int rc = w->has_document ? expect(d, w, fault) : 0;

	if (rc == 0 && w->entry != NULL)
		rc = put_entry(d, w, fault);
	if (rc == 0 && w->has_document && w->document != NULL)
		rc = put_document(d, w, fault);
	if (rc == 0 && w->has_document)
		rc = put_pool(d, w, fault);
	if (rc == 0 && w->has_document && w->epoch_before == 0)
		rc = forget_removed(d, w, fault);
	if (rc == 0 && w->removed != NULL)
		rc = put_removed(d, w, fault);
	return rc;
}

/* What was made durable is about to be answered. */
static void
remember(struct sqlite *s, const struct store_write *writes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct store_write *w = &writes[i];

		if (s->witness == NULL || !w->has_document ||
		    witness_put(s->witness, w->pool, w->lineage, w->epoch_after, w->seal) == 0)
			continue;
		if (!s->is_witness_lost)
			log_warn("%s.epochs cannot be written (%s): should the store be put back "
				 "to an earlier state, the next start may not notice",
			    s->place.path, strerrordesc_np(errno));
		s->is_witness_lost = true;
	}
}

static int
sqlite_commit(
    struct store *store, struct store_write *writes, size_t count, struct hrw_fault *fault)
{
	struct sqlite *s = sqlite_of(store);
	struct connection *c = &s->writer;
	int rc;

	for (size_t i = 0; i < count; i++) {
		writes[i].history_id = 0;
		writes[i].seal = 0;
	}
	pthread_mutex_lock(&c->lock);
	rc = place_look(&s->place, fault);
	if (rc == 0)
		rc = database_begin(&c->database, fault);
	if (rc == 0) {
		for (size_t i = 0; i < count && rc == 0; i++)
			rc = put(&c->database, &writes[i], fault);
		rc = database_end(&c->database, rc, fault);
	}
	if (rc == 0)
		remember(s, writes, count);
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < count && rc < 0; i++)
		writes[i].history_id = 0;
	return rc;
}

static char *
sqlite_document(struct store *store, const char *pool, const char *lineage, uint64_t epoch,
    struct hrw_fault *fault)
{
	struct connection *c = sqlite_of(store)->reader;
	sqlite3_stmt *s = sqlite_enter(c, DOCUMENT_GET, fault);
	char *document = NULL;
	int rc;

	if (s == NULL)
		return NULL;
	database_bind_text(s, 1, pool);
	database_bind_text(s, 2, lineage);
	sqlite3_bind_int64(s, 3, (int64_t)epoch);
	rc = database_step(&c->database, s, fault);
	if (rc == 0)
		hrw_fault(fault, HRW_UNKNOWN_EPOCH,
		    "epoch %" PRIu64 " of pool %s is not kept: it never was, or its history "
		    "entry is gone; GET /history lists what there is",
		    epoch, pool);
	else if (rc > 0 && sqlite3_column_int(s, 1) != 1)
		sqlite_damaged(c, "an earlier epoch's document is not what was stored", fault);
	else if (rc > 0 && (document = strdup(sqlite_text(s, 0))) == NULL)
		hrw_fault(fault, HRW_INTERNAL, "no memory for a stored document");
	sqlite_leave(c, s);
	return document;
}

static int64_t
sqlite_removed_at(struct store *store, const char *pool, const char *node)
{
	struct connection *c = sqlite_of(store)->reader;
	sqlite3_stmt *s = sqlite_enter(c, REMOVED_GET, NULL);
	int64_t at_ms = 0;

	if (s == NULL)
		return 0;
	database_bind_text(s, 1, pool);
	database_bind_text(s, 2, node);
	if (database_step(&c->database, s, NULL) > 0)
		at_ms = sqlite3_column_int64(s, 0);
	sqlite_leave(c, s);
	return at_ms;
}

/* A file that was replaced is no change that could be taken: it is noted alone. */
static bool
sqlite_has_changed(struct store *store)
{
	place_look(&sqlite_of(store)->place, NULL);
	return false;
}

static bool
sqlite_is_lost(struct store *store)
{
	return atomic_load_explicit(&sqlite_of(store)->place.is_lost, memory_order_relaxed);
}

static const struct store_methods methods = {
    .is_writable = true,
    .close = sqlite_close,
    .has_changed = sqlite_has_changed,
    .is_lost = sqlite_is_lost,
    .copy = sqlite_copy,
    .is_earlier = sqlite_is_earlier,
    .load = sqlite_load,
    .commit = sqlite_commit,
    .document = sqlite_document,
    .removed_at = sqlite_removed_at,
    .history = sqlite_history,
    .summarise = sqlite_summarise,
    .plan_put = sqlite_plan_put,
    .plan_get = sqlite_plan_get,
    .plans = sqlite_plans,
    .trim = sqlite_trim,
};

/* Reports that ran when the last daemon ended will not go on. */
static int
stop_plans(struct connection *c, struct hrw_fault *fault)
{
	sqlite3_stmt *s = sqlite_enter(c, PLANS_STOP, fault);
	int rc;

	if (s == NULL)
		return HRW_STORE_FAILED;
	rc = sqlite_finish(&c->database, s, fault);
	sqlite_leave(c, s);
	return rc;
}

struct store *
store_open_sqlite(const char *path, bool create, bool *is_new, struct hrw_fault *fault)
{
	bool in_memory = strcmp(path, ":memory:") == 0;
	struct sqlite *s = calloc(1, sizeof(*s));
	bool was_made = in_memory;
	int rc = 0;

	if (s == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "no memory for a store");
		return NULL;
	}
	s->store.methods = &methods;
	s->lock = -1;
	pthread_mutex_init(&s->writer.lock, NULL);
	pthread_mutex_init(&s->second.lock, NULL);
	s->reader = in_memory ? &s->writer : &s->second;
	if (!in_memory)
		rc = claim_take(&sqlite_kind, path, create, &s->lock, &was_made, fault);
	if (rc == 0)
		rc = database_open(&s->writer.database, &sqlite_kind, path, SQLITE_OPEN_READWRITE,
		    sqlite_statements, fault);
	if (rc == 0 && !in_memory && (s->witness = witness_open(path)) == NULL)
		log_warn("%s.epochs cannot be opened (%s): should the store have been put back to "
			 "an earlier state, nobody notices",
		    path, strerrordesc_np(errno));
	if (rc == 0)
		rc = stop_plans(&s->writer, fault);
	if (rc == 0)
		rc = sqlite_renew(s, fault);
	if (rc == 0 && !in_memory)
		rc = database_open(&s->second.database, &sqlite_kind, path, SQLITE_OPEN_READONLY,
		    sqlite_statements, fault);
	if (rc == 0)
		rc = place_note(&s->place, &sqlite_kind, in_memory ? NULL : path, fault);
	if (rc < 0) {
		sqlite_close(&s->store);
		return NULL;
	}
	if (is_new != NULL)
		*is_new = was_made;
	return &s->store;
}
