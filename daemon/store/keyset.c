/*
 * keyset.c - the pools' rows, their tables and who reads them, and whose turn it is
 * to change a set.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/keyset_private.h"

sqlite3_stmt *
keyset_prepare(struct database *d, const char *format, uint64_t number, struct hrw_fault *fault)
{
	char sql[256];
	sqlite3_stmt *s = NULL;

	sqlite3_snprintf(sizeof(sql), sql, format, (sqlite3_uint64)number);
	if (sqlite3_prepare_v2(d->db, sql, -1, &s, NULL) != SQLITE_OK)
		database_fault(d, fault);
	return s;
}

int
keyset_drop(struct keyset *k, uint64_t number, struct hrw_fault *fault)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "DROP TABLE IF EXISTS keys_%" PRIu64, number);
	return database_run(&k->writer, sql, fault);
}

/* As keyset_find(), the lock being held. */
static int
get(struct keyset *k, const char *pool, struct keyset_set *out, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(&k->reader, SET_GET, fault);
	int rc;

	*out = (struct keyset_set){0};
	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, pool);
	rc = database_step(&k->reader, s, fault);
	if (rc > 0) {
		out->number = (uint64_t)sqlite3_column_int64(s, 0);
		out->stats.keys = (uint64_t)sqlite3_column_int64(s, 1);
		out->stats.bytes = (uint64_t)sqlite3_column_int64(s, 2);
		out->stats.generation = (uint64_t)sqlite3_column_int64(s, 3);
		out->is_filling = sqlite3_column_int(s, 4) != 0;
		sqlite3_reset(s);
		rc = 0;
	}
	return rc;
}

int
keyset_find(struct keyset *k, const char *pool, struct keyset_set *out, struct hrw_fault *fault)
{
	int rc;

	pthread_mutex_lock(&k->lock);
	rc = get(k, pool, out, fault);
	pthread_mutex_unlock(&k->lock);
	return rc;
}

int
keyset_stats(struct keyset *k, const char *pool, struct keyset_stats *out, struct hrw_fault *fault)
{
	struct keyset_set set;
	int rc = keyset_find(k, pool, &set, fault);

	*out = set.stats;
	return rc;
}

/* The table's place in the list, put there where it is not. The lock is held. */
static struct keyset_table *
table_of(struct keyset *k, uint64_t number, struct hrw_fault *fault)
{
	struct keyset_table *t = k->tables;

	while (t != NULL && t->number != number)
		t = t->next;
	if (t == NULL && (t = calloc(1, sizeof(*t))) != NULL) {
		t->number = number;
		t->next = k->tables;
		k->tables = t;
	}
	if (t == NULL)
		hrw_fault(fault, HRW_INTERNAL, "no memory for a key set");
	return t;
}

int
keyset_hold(struct keyset *k, const char *pool, struct keyset_set *set, struct keyset_table **table,
    struct hrw_fault *fault)
{
	int rc;

	*table = NULL;
	pthread_mutex_lock(&k->lock);
	rc = get(k, pool, set, fault);
	if (rc == 0 && set->number != 0) {
		*table = table_of(k, set->number, fault);
		if (*table == NULL)
			rc = HRW_INTERNAL;
		else
			(*table)->readers++;
	}
	pthread_mutex_unlock(&k->lock);
	return rc;
}

/* Takes one table off the list that nobody reads; its number where it is to be
 * dropped, 0 where there is no such. */
static uint64_t
take_unread(struct keyset *k)
{
	struct keyset_table **at = &k->tables;
	uint64_t number = 0;

	pthread_mutex_lock(&k->lock);
	while (*at != NULL && number == 0) {
		struct keyset_table *t = *at;

		if (t->readers > 0) {
			at = &t->next;
			continue;
		}
		if (t->is_doomed)
			number = t->number;
		*at = t->next;
		free(t);
	}
	pthread_mutex_unlock(&k->lock);
	return number;
}

void
keyset_sweep(struct keyset *k)
{
	uint64_t number;

	/* One that cannot be dropped now is a stray at the next start. */
	while ((number = take_unread(k)) != 0)
		keyset_drop(k, number, NULL);
	database_rest(&k->writer);
}

void
keyset_let_go(struct keyset *k, struct keyset_table *table)
{
	bool is_to_drop;

	pthread_mutex_lock(&k->lock);
	table->readers--;
	is_to_drop = table->readers == 0 && table->is_doomed;
	pthread_mutex_unlock(&k->lock);
	if (!is_to_drop)
		return;
	pthread_mutex_lock(&k->writing);
	keyset_sweep(k);
	pthread_mutex_unlock(&k->writing);
}

static int
put(struct keyset *k, const char *pool, const struct keyset_set *set, struct hrw_fault *fault)
{
	sqlite3_stmt *s = database_statement(&k->writer, set != NULL ? SET_PUT : SET_FORGET, fault);

	if (s == NULL)
		return HRW_STORE_FAILED;
	database_bind_text(s, 1, pool);
	if (set != NULL) {
		sqlite3_bind_int64(s, 2, (int64_t)set->number);
		sqlite3_bind_int64(s, 3, (int64_t)set->stats.keys);
		sqlite3_bind_int64(s, 4, (int64_t)set->stats.bytes);
		sqlite3_bind_int64(s, 5, (int64_t)set->stats.generation);
		sqlite3_bind_int(s, 6, set->is_filling);
	}
	return database_step(&k->writer, s, fault);
}

int
keyset_swap(struct keyset *k, const char *pool, const struct keyset_set *old,
    const struct keyset_set *set, struct hrw_fault *fault)
{
	bool is_doomed = old->number != 0 && (set == NULL || set->number != old->number);
	struct keyset_table *table = NULL;
	int rc = put(k, pool, set, fault);

	/* Under the lock, so that nobody begins to read the old table in between. */
	pthread_mutex_lock(&k->lock);
	if (rc == 0 && is_doomed && (table = table_of(k, old->number, fault)) == NULL)
		rc = HRW_INTERNAL;
	rc = database_end(&k->writer, rc, fault);
	if (rc == 0 && table != NULL)
		table->is_doomed = true;
	pthread_mutex_unlock(&k->lock);
	return rc;
}

int
keyset_undo(
    struct keyset *k, const char *pool, const struct keyset_set *set, struct hrw_fault *fault)
{
	struct keyset_set whole = *set;
	sqlite3_stmt *s;
	int rc = HRW_STORE_FAILED;

	whole.is_filling = false;
	s = keyset_prepare(
	    &k->writer, "DELETE FROM keys_%llu WHERE since > ?1", set->number, fault);
	if (s == NULL)
		return rc;
	sqlite3_bind_int64(s, 1, (int64_t)set->stats.generation);
	rc = database_begin(&k->writer, fault);
	if (rc == 0) {
		rc = database_step(&k->writer, s, fault);
		rc = rc < 0 ? database_end(&k->writer, rc, fault)
			    : keyset_swap(k, pool, set, &whole, fault);
	}
	sqlite3_finalize(s);
	return rc;
}

void
keyset_change_list(struct keyset *k, struct keyset_change *change)
{
	pthread_mutex_lock(&k->lock);
	change->next = k->changes;
	k->changes = change;
	pthread_mutex_unlock(&k->lock);
}

static bool
has_turn(const struct keyset *k, const struct keyset_change *change)
{
	for (const struct keyset_change *c = k->changes; c != NULL; c = c->next)
		if (c->is_active && strcmp(c->pool, change->pool) == 0)
			return false;
	return true;
}

int
keyset_change_begin(struct keyset *k, struct keyset_change *change, struct hrw_fault *fault)
{
	int rc = 0;

	pthread_mutex_lock(&k->lock);
	while (!has_turn(k, change))
		pthread_cond_wait(&k->turn, &k->lock);
	change->is_active = true;
	if (change->is_forgotten)
		rc = hrw_fault(fault, HRW_UNKNOWN_POOL,
		    "pool %.*s was removed while its keys were sent",
		    (int)strcspn(change->pool, " "), change->pool);
	pthread_mutex_unlock(&k->lock);
	return rc;
}

void
keyset_change_end(struct keyset *k, struct keyset_change *change)
{
	struct keyset_change **at = &k->changes;

	pthread_mutex_lock(&k->lock);
	while (*at != change)
		at = &(*at)->next;
	*at = change->next;
	pthread_cond_broadcast(&k->turn);
	pthread_mutex_unlock(&k->lock);
}

/* Uploads to the pool that are under way must not bring it back. */
static void
forget_changes(struct keyset *k, const char *pool)
{
	pthread_mutex_lock(&k->lock);
	for (struct keyset_change *c = k->changes; c != NULL; c = c->next)
		if (strcmp(c->pool, pool) == 0)
			c->is_forgotten = true;
	pthread_mutex_unlock(&k->lock);
}

int
keyset_clear(struct keyset *k, const char *pool, bool forget, struct keyset_stats *out,
    struct hrw_fault *fault)
{
	struct keyset_change change = {.pool = pool};
	struct keyset_set old = {0}, set = {0};
	int rc;

	keyset_change_list(k, &change);
	rc = keyset_change_begin(k, &change, fault);
	if (rc == 0)
		rc = place_look(&k->place, fault);
	if (rc == 0)
		rc = keyset_find(k, pool, &old, fault);
	set.stats.generation = old.stats.generation + (old.stats.keys > 0);
	set.stats.removed = old.stats.keys;
	if (rc == 0 && (forget || old.stats.keys > 0)) {
		pthread_mutex_lock(&k->writing);
		rc = database_begin(&k->writer, fault);
		if (rc == 0)
			rc = keyset_swap(k, pool, &old, forget ? NULL : &set, fault);
		keyset_sweep(k);
		pthread_mutex_unlock(&k->writing);
	}
	if (rc == 0 && forget)
		forget_changes(k, pool);
	keyset_change_end(k, &change);
	*out = set.stats;
	return rc;
}
