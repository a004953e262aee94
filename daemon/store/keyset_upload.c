/*
 * keyset_upload.c - an upload of keys, from its first to its place in the set.
 *
 * The commit merges what was staged with the present set and writes batches that
 * others may come between.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/keyset_private.h"
#include "daemon/store/staged.h"

enum {
	BATCH_KEYS = 16384, /* of a transaction */
	BATCH_ADDED = 2048, /* each may touch a page of its own */
	/* An addition goes into the present table where it has at most so many keys,
	 * or at most this part of the set. */
	SMALL_KEYS = 10000,
	SMALL_PART = 16,
	/* Staged keys, duplicates and all, may be this much more than the limit: the
	 * disk is not to be filled by one key sent without end. */
	STAGED_TIMES = 4,
	STAGED_MORE = 1 << 20,
};

struct keyset_upload {
	struct keyset *keyset;
	struct keyset_change change;
	struct staged staged;
	char *pool;
	bool replaces;
	uint64_t limit;
};

struct keyset_upload *
keyset_begin(
    struct keyset *k, const char *pool, bool replaces, uint64_t limit, struct hrw_fault *fault)
{
	struct keyset_upload *u = calloc(1, sizeof(*u));

	if (u == NULL || (u->pool = strdup(pool)) == NULL) {
		free(u);
		hrw_fault(fault, HRW_INTERNAL, "no memory for an upload");
		return NULL;
	}
	u->keyset = k;
	u->replaces = replaces;
	u->limit = limit;
	u->change.pool = u->pool;
	if (staged_open(&u->staged, fault) < 0) {
		free(u->pool);
		free(u);
		return NULL;
	}
	keyset_change_list(k, &u->change);
	return u;
}

void
keyset_abort(struct keyset_upload *u)
{
	if (u == NULL)
		return;
	keyset_change_end(u->keyset, &u->change);
	staged_close(&u->staged);
	free(u->pool);
	free(u);
}

static int
too_large(const struct keyset_upload *u, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_TOO_LARGE,
	    "the key set of pool %.*s would have more than %" PRIu64
	    " keys: send fewer, or raise limits.keys",
	    (int)strcspn(u->pool, " "), u->pool, u->limit);
}

int
keyset_stage(struct keyset_upload *u, struct hrw_bytes keys, struct hrw_fault *fault)
{
	int rc = 0;

	while (rc == 0 && keys.len > 0) {
		uint32_t len = 0;

		if (keys.len >= sizeof(len))
			memcpy(&len, keys.data, sizeof(len));
		if (len == 0 || len > keys.len - sizeof(len))
			return hrw_fault(fault, HRW_INTERNAL, "a staged key is no record");
		if (u->staged.count >= u->limit * STAGED_TIMES + STAGED_MORE)
			return too_large(u, fault);
		rc = staged_put(&u->staged, hrw_bytes(keys.data + sizeof(len), len), fault);
		keys = hrw_bytes(keys.data + sizeof(len) + len, keys.len - sizeof(len) - len);
	}
	return rc;
}

/* The present set, in order. */
struct present {
	struct keyset_reader *reader;
	struct buffer batch;
	size_t at;
	struct hrw_bytes key;
	bool is_end;
};

static int
present_next(struct present *p, struct hrw_fault *fault)
{
	uint32_t len;

	if (p->at == p->batch.len) {
		long count;

		buffer_clear(&p->batch);
		p->at = 0;
		count = keyset_read(p->reader, &p->batch, fault);
		p->is_end = count <= 0;
		if (p->is_end)
			return (int)count;
	}
	memcpy(&len, p->batch.data + p->at, sizeof(len));
	p->key = hrw_bytes(p->batch.data + p->at + sizeof(len), len);
	p->at += sizeof(len) + len;
	return 0;
}

static int
present_start(struct present *p, struct keyset_upload *u, struct hrw_fault *fault)
{
	struct keyset_stats stats;

	*p = (struct present){0};
	p->reader = keyset_reader_open(u->keyset, u->pool, 0, &stats, fault);
	return p->reader == NULL ? HRW_STORE_FAILED : present_next(p, fault);
}

static void
present_end(struct present *p)
{
	keyset_reader_close(p->reader);
	buffer_fini(&p->batch);
}

static void
count_key(struct keyset_set *set, struct hrw_bytes key)
{
	set->stats.keys++;
	set->stats.bytes += key.len;
}

/* Staged keys and the present set as one run. */
struct merge {
	struct present present;
	bool steps_staged, steps_present; /* what the last key used up */
};

/* The next key of the new set, which is counted into `set`.
 *   returns  1; 0: no more; negative on an error
 *   key      its bytes, valid until the next call */
static int
merge_next(struct merge *m, struct keyset_upload *u, struct keyset_set *set, struct hrw_bytes *key,
    struct hrw_fault *fault)
{
	for (;;) {
		struct hrw_bytes staged;
		int order, rc = 0;

		if (m->steps_staged)
			rc = staged_next(&u->staged, fault);
		if (rc == 0 && m->steps_present)
			rc = present_next(&m->present, fault);
		if (rc < 0)
			return rc;
		m->steps_staged = m->steps_present = false;
		if (u->staged.is_end && m->present.is_end)
			return 0;
		staged = buffer_bytes(&u->staged.key);
		order = u->staged.is_end    ? 1
			: m->present.is_end ? -1
					    : hrw_bytes_cmp(staged, m->present.key);
		m->steps_staged = order <= 0;
		m->steps_present = order >= 0;
		if (order > 0 && u->replaces) {
			set->stats.removed++;
			continue;
		}
		set->stats.added += order < 0;
		*key = order <= 0 ? staged : m->present.key;
		count_key(set, *key);
		return set->stats.keys > u->limit ? too_large(u, fault) : 1;
	}
}

/* One transaction's worth of keys. 1: there may be more. */
static int
write_batch(struct keyset_upload *u, struct merge *m, sqlite3_stmt *insert, struct keyset_set *set,
    struct hrw_fault *fault)
{
	struct keyset *k = u->keyset;
	struct hrw_bytes key;
	int more = 1, rc;

	pthread_mutex_lock(&k->writing);
	rc = database_begin(&k->writer, fault);
	if (rc == 0) {
		for (int i = 0; i < BATCH_KEYS && rc == 0; i++) {
			more = merge_next(m, u, set, &key, fault);
			if (more <= 0)
				break;
			sqlite3_bind_blob(insert, 1, key.data, (int)key.len, SQLITE_STATIC);
			rc = database_step(&k->writer, insert, fault);
		}
		rc = database_end(&k->writer, more < 0 ? more : rc, fault);
	}
	pthread_mutex_unlock(&k->writing);
	return rc < 0 ? rc : more;
}

/* A new table with a number of its own. */
static int
make_table(struct keyset *k, uint64_t *number, sqlite3_stmt **insert, struct hrw_fault *fault)
{
	sqlite3_stmt *s;
	int rc = HRW_STORE_FAILED;

	pthread_mutex_lock(&k->writing);
	*number = ++k->last_table;
	/* since: 0 takes no room; additions bear the generation that they made. */
	s = keyset_prepare(&k->writer,
	    "CREATE TABLE keys_%llu (key BLOB PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID",
	    *number, fault);
	if (s != NULL)
		rc = database_step(&k->writer, s, fault);
	sqlite3_finalize(s);
	if (rc == 0)
		*insert = keyset_prepare(
		    &k->writer, "INSERT INTO keys_%llu VALUES (?1, 0)", *number, fault);
	if (rc == 0 && *insert == NULL)
		rc = HRW_STORE_FAILED;
	pthread_mutex_unlock(&k->writing);
	return rc;
}

/* Puts the set in the place of the old one; or, where it is the same or was not
 * to be had (rc), puts it away. */
static int
settle(struct keyset_upload *u, const struct keyset_set *old, struct keyset_set *set,
    sqlite3_stmt *insert, int rc, struct hrw_fault *fault)
{
	struct keyset *k = u->keyset;
	uint64_t number = set->number;
	bool is_same =
	    old->stats.generation > 0 && set->stats.added == 0 && set->stats.removed == 0;

	set->stats.generation = old->stats.generation + !is_same;
	if (set->stats.keys == 0)
		set->number = 0;
	pthread_mutex_lock(&k->writing);
	sqlite3_finalize(insert);
	if (rc == 0 && !is_same)
		rc = database_begin(&k->writer, fault);
	if (rc == 0 && !is_same)
		rc = keyset_swap(k, u->pool, old, set, fault);
	if (number != 0 && (rc < 0 || is_same || set->number == 0))
		keyset_drop(k, number, NULL);
	keyset_sweep(k);
	pthread_mutex_unlock(&k->writing);
	return rc;
}

/* Fills another table and swaps it in. */
static int
rebuild(struct keyset_upload *u, const struct keyset_set *old, struct keyset_set *set,
    struct hrw_fault *fault)
{
	struct merge m = {0};
	sqlite3_stmt *insert = NULL;
	int rc;

	rc = staged_sort(&u->staged, fault);
	if (rc == 0)
		rc = present_start(&m.present, u, fault);
	if (rc == 0)
		rc = make_table(u->keyset, &set->number, &insert, fault);
	while (rc == 0 && (rc = write_batch(u, &m, insert, set, fault)) > 0) {
		database_pause();
		rc = 0;
	}
	rc = settle(u, old, set, insert, rc, fault);
	present_end(&m.present);
	return rc;
}

/* Puts the new ones among the staged keys into the present table, in one
 * transaction as many as a batch. */
static int
add_batch(
    struct keyset_upload *u, sqlite3_stmt *insert, struct keyset_set *set, struct hrw_fault *fault)
{
	struct keyset *k = u->keyset;
	struct staged *s = &u->staged;
	int rc;

	pthread_mutex_lock(&k->writing);
	rc = database_begin(&k->writer, fault);
	if (rc < 0)
		goto out;
	for (int i = 0; i < BATCH_ADDED && rc == 0 && !s->is_end; i++) {
		struct hrw_bytes key = buffer_bytes(&s->key);

		sqlite3_bind_blob(insert, 1, key.data, (int)key.len, SQLITE_STATIC);
		rc = database_step(&k->writer, insert, fault);
		if (rc == 0 && sqlite3_changes(k->writer.db) > 0) {
			set->stats.added++;
			count_key(set, key);
		}
		if (rc == 0 && set->stats.keys > u->limit)
			rc = too_large(u, fault);
		if (rc == 0)
			rc = staged_next(s, fault);
	}
	rc = database_end(&k->writer, rc, fault);
out:
	pthread_mutex_unlock(&k->writing);
	return rc;
}

/* Marks the set as being filled, undoing what an earlier addition may have left,
 * and prepares the additions. */
static int
start_filling(
    struct keyset_upload *u, struct keyset_set *old, sqlite3_stmt **insert, struct hrw_fault *fault)
{
	struct keyset *k = u->keyset;
	int rc = 0;

	pthread_mutex_lock(&k->writing);
	if (old->is_filling)
		rc = keyset_undo(k, u->pool, old, fault);
	old->is_filling = true;
	if (rc == 0)
		rc = database_begin(&k->writer, fault);
	if (rc == 0)
		rc = keyset_swap(k, u->pool, old, old, fault);
	if (rc == 0) {
		*insert = keyset_prepare(&k->writer,
		    "INSERT OR IGNORE INTO keys_%llu VALUES (?1, ?2)", old->number, fault);
		rc = *insert == NULL ? HRW_STORE_FAILED : 0;
	}
	if (rc == 0)
		sqlite3_bind_int64(*insert, 2, (int64_t)old->stats.generation + 1);
	pthread_mutex_unlock(&k->writing);
	return rc;
}

/* Makes what was added the next generation; or takes it out again. */
static int
end_filling(struct keyset_upload *u, const struct keyset_set *old, struct keyset_set *set,
    sqlite3_stmt *insert, int rc, struct hrw_fault *fault)
{
	struct keyset *k = u->keyset;

	pthread_mutex_lock(&k->writing);
	sqlite3_finalize(insert);
	if (rc == 0)
		rc = database_begin(&k->writer, fault);
	if (rc == 0) {
		set->stats.generation += set->stats.added > 0;
		rc = keyset_swap(k, u->pool, old, set, fault);
	}
	/* Where not even this can be written, the next addition does it. */
	if (rc < 0)
		keyset_undo(k, u->pool, old, NULL);
	database_rest(&k->writer);
	pthread_mutex_unlock(&k->writing);
	return rc;
}

/* Extends the present table. */
static int
extend(struct keyset_upload *u, struct keyset_set *old, struct keyset_set *set,
    struct hrw_fault *fault)
{
	sqlite3_stmt *insert = NULL;
	int rc;

	*set = *old;
	set->is_filling = false;
	rc = staged_sort(&u->staged, fault);
	if (rc == 0)
		rc = start_filling(u, old, &insert, fault);
	while (rc == 0 && !u->staged.is_end) {
		rc = add_batch(u, insert, set, fault);
		database_pause();
	}
	rc = end_filling(u, old, set, insert, rc, fault);
	return rc;
}

int
keyset_commit(struct keyset_upload *u, struct keyset_stats *out, struct hrw_fault *fault)
{
	struct keyset_set old = {0}, set = {0};
	int rc;

	rc = keyset_change_begin(u->keyset, &u->change, fault);
	if (rc == 0)
		rc = place_look(&u->keyset->place, fault);
	if (rc == 0)
		rc = keyset_find(u->keyset, u->pool, &old, fault);
	if (rc < 0)
		goto out;
	if (!u->replaces && old.number != 0 &&
	    (u->staged.count <= SMALL_KEYS || u->staged.count <= old.stats.keys / SMALL_PART))
		rc = extend(u, &old, &set, fault);
	else
		rc = rebuild(u, &old, &set, fault);
out:
	*out = set.stats;
	keyset_abort(u);
	return rc;
}
