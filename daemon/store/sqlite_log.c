/*
 * sqlite_log.c - history and plans in an SQLite file, and what of them is let go.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/sqlite_private.h"

/* Of a trim: rows that go in one transaction. */
enum { TRIM_ROWS = 32 };

int
sqlite_history(struct store *store, const char *pool, int64_t after, size_t limit,
    store_each_entry each, void *arg, struct hrw_fault *fault)
{
	struct connection *c = sqlite_of(store)->reader;
	sqlite3_stmt *s = sqlite_enter(c, pool != NULL ? HISTORY_LIST_POOL : HISTORY_LIST, fault);
	int rc;

	if (s == NULL)
		return HRW_STORE_FAILED;
	if (pool != NULL)
		database_bind_text(s, 1, pool);
	sqlite3_bind_int64(s, 2, after > 0 ? after : INT64_MAX);
	sqlite3_bind_int64(s, 3, (int64_t)limit);
	while ((rc = database_step(&c->database, s, fault)) > 0) {
		if (sqlite3_column_int(s, 3) != 1)
			rc = sqlite_damaged(c, "a history entry is not what was stored", fault);
		else
			rc = each(
			    arg, sqlite3_column_int64(s, 0), sqlite_text(s, 1), sqlite_text(s, 2));
		if (rc < 0)
			break;
	}
	sqlite_leave(c, s);
	return rc;
}

int
sqlite_summarise(
    struct store *store, int64_t history_id, const char *summary, struct hrw_fault *fault)
{
	struct connection *c = &sqlite_of(store)->writer;
	sqlite3_stmt *s = sqlite_enter(c, HISTORY_SUMMARISE, fault);
	int rc;

	if (s == NULL)
		return HRW_STORE_FAILED;
	sqlite3_bind_int64(s, 1, history_id);
	database_bind_text(s, 2, summary);
	rc = sqlite_finish(&c->database, s, fault);
	sqlite_leave(c, s);
	return rc;
}

static void
bind_plan(sqlite3_stmt *s, const struct store_plan *plan)
{
	database_bind_text(s, 1, plan->id);
	database_bind_text(s, 2, plan->pool);
	sqlite3_bind_int64(s, 3, plan->at_ms);
	database_bind_text(s, 4, plan->state);
	database_bind_text(s, 5, plan->report);
	database_bind_text(s, 6, plan->inputs);
}

/* First as an update: an insert that finds its id there would use up a number. */
static int
put_plan(struct database *d, const struct store_plan *plan, struct hrw_fault *fault)
{
	static const int order[] = {PLAN_UPDATE, PLAN_ADD};
	int rc = 0;

	for (size_t i = 0; i < 2; i++) {
		sqlite3_stmt *s = database_statement(d, order[i], fault);

		if (s == NULL)
			return HRW_STORE_FAILED;
		bind_plan(s, plan);
		rc = sqlite_finish(d, s, fault);
		if (rc < 0 || sqlite3_changes(d->db) > 0)
			break;
	}
	return rc;
}

int
sqlite_plan_put(struct store *store, const struct store_plan *plan, struct hrw_fault *fault)
{
	struct connection *c = &sqlite_of(store)->writer;
	int rc;

	pthread_mutex_lock(&c->lock);
	rc = database_begin(&c->database, fault);
	if (rc == 0)
		rc = database_end(&c->database, put_plan(&c->database, plan, fault), fault);
	pthread_mutex_unlock(&c->lock);
	return rc;
}

/* The row as a plan whose texts belong to the statement. */
static struct store_plan
plan_of(sqlite3_stmt *s)
{
	struct store_plan plan = {
	    .pool = (char *)sqlite_text(s, 1),
	    .at_ms = sqlite3_column_int64(s, 2),
	    .state = (char *)sqlite_text(s, 3),
	    .report = (char *)sqlite_text(s, 4),
	};
	const char *id = sqlite_text(s, 0);

	memcpy(plan.id, id, strnlen(id, sizeof(plan.id) - 1));
	return plan;
}

int
sqlite_plan_get(
    struct store *store, const char *id, struct store_plan *out, struct hrw_fault *fault)
{
	struct connection *c = sqlite_of(store)->reader;
	sqlite3_stmt *s = sqlite_enter(c, PLAN_GET, fault);
	int rc;

	*out = (struct store_plan){0};
	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, id);
	rc = database_step(&c->database, s, fault);
	if (rc == 0) {
		rc = store_unknown_plan(id, fault);
	} else if (rc > 0 && sqlite3_column_int(s, 5) != 1) {
		rc = sqlite_damaged(c, "a plan is not what was stored", fault);
	} else if (rc > 0) {
		*out = plan_of(s);
		out->pool = strdup(out->pool);
		out->state = strdup(out->state);
		out->report = strdup(out->report);
		out->inputs = strdup(sqlite_text(s, 6));
		rc = 0;
		if (out->pool == NULL || out->state == NULL || out->report == NULL ||
		    out->inputs == NULL) {
			store_plan_fini(out);
			rc = hrw_fault(fault, HRW_INTERNAL, "no memory for a plan");
		}
	}
	sqlite_leave(c, s);
	return rc;
}

/* The number of the plan that a page begins below. */
static int
number_of(struct connection *c, const char *id, int64_t *number, struct hrw_fault *fault)
{
	sqlite3_stmt *s;
	int rc;

	*number = INT64_MAX;
	if (id == NULL || *id == '\0')
		return 0;
	s = sqlite_enter(c, PLAN_NUMBER, fault);
	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, id);
	rc = database_step(&c->database, s, fault);
	if (rc > 0)
		*number = sqlite3_column_int64(s, 0);
	sqlite_leave(c, s);
	return rc == 0 ? store_unknown_plan(id, fault) : rc < 0 ? rc : 0;
}

int
sqlite_plans(struct store *store, const char *pool, const char *after, size_t limit,
    store_each_plan each, void *arg, struct hrw_fault *fault)
{
	struct connection *c = sqlite_of(store)->reader;
	sqlite3_stmt *s;
	int64_t below;
	int rc;

	rc = number_of(c, after, &below, fault);
	if (rc < 0)
		return rc;
	s = sqlite_enter(c, pool != NULL ? PLAN_LIST_POOL : PLAN_LIST, fault);
	if (s == NULL)
		return HRW_STORE_FAILED;
	if (pool != NULL)
		database_bind_text(s, 1, pool);
	sqlite3_bind_int64(s, 2, below);
	sqlite3_bind_int64(s, 3, (int64_t)limit);
	while ((rc = database_step(&c->database, s, fault)) > 0) {
		if (sqlite3_column_int(s, 5) != 1) {
			rc = sqlite_damaged(c, "a plan is not what was stored", fault);
		} else {
			struct store_plan plan = plan_of(s);

			rc = each(arg, &plan);
		}
		if (rc < 0)
			break;
	}
	sqlite_leave(c, s);
	return rc;
}

/* Deletes what is not among the newest `keep`, a few rows at a time. */
static int
trim_rows(struct connection *c, int number, size_t keep, struct hrw_fault *fault)
{
	int rc, gone;

	do {
		sqlite3_stmt *s = sqlite_enter(c, number, fault);

		if (s == NULL)
			return HRW_STORE_FAILED;
		sqlite3_bind_int64(s, 1, keep > INT64_MAX ? INT64_MAX : (int64_t)keep);
		sqlite3_bind_int64(s, 2, TRIM_ROWS);
		rc = sqlite_finish(&c->database, s, fault);
		gone = sqlite3_changes(c->database.db);
		sqlite_leave(c, s);
		if (rc == 0 && gone == TRIM_ROWS)
			database_pause();
	} while (rc == 0 && gone == TRIM_ROWS);
	return rc;
}

int
sqlite_trim(struct store *store, size_t plans, size_t history, struct hrw_fault *fault)
{
	struct connection *c = &sqlite_of(store)->writer;
	int rc;

	witness_flush(sqlite_of(store)->witness);
	rc = trim_rows(c, TRIM_PLANS, plans, fault);
	if (rc == 0)
		rc = trim_rows(c, TRIM_HISTORY, history, fault);
	if (rc == 0)
		rc = trim_rows(c, TRIM_DOCUMENTS, history, fault);
	if (rc == 0)
		rc = trim_rows(c, TRIM_REMOVED, history, fault);
	return rc;
}
