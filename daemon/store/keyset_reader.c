/*
 * keyset_reader.c - reads a key set a batch at a time, each batch a query that
 * goes on after the last key of the one before.
 *
 * A query's rows are not stepped through: a function of ours takes each key
 * within SQLite's own loop and ends the query when the batch is full. (Tried:
 * LIMIT and a step a key, which took half as long again.)
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/keyset_private.h"

enum {
	READ_KEYS = 16384,    /* so that lanes seldom wait for one another */
	READ_BYTES = 1 << 20, /* or so many bytes, where keys are long */
};

/* KiB: pages are read once, in order, and the system has them in memory anyway. */
#define CACHE "PRAGMA cache_size = -256"

struct keyset_reader {
	struct keyset *keyset;
	struct keyset_table *table; /* NULL: a set without keys */
	struct database database;   /* a connection of its own */
	sqlite3_stmt *first, *next; /* from the start; after the last key */
	struct buffer last;
	uint64_t generation;
	bool is_begun, is_done;
	struct buffer *out; /* of the batch under way */
	size_t start;	    /* where it begins there */
	long count;
};

#define KEYS_FROM "SELECT 1 FROM keys_%llu WHERE "
#define TAKEN	  "CASE WHEN since <= ?1 THEN take(key) ELSE 0 END ORDER BY key"

/* Notes where the next batch begins. */
static void
remember(struct keyset_reader *r, const void *key, uint32_t len)
{
	buffer_clear(&r->last);
	buffer_add(&r->last, key, len);
}

/* take(key): true where the batch is full, which makes it the query's one row. */
static void
take(sqlite3_context *context, int count, sqlite3_value **value)
{
	struct keyset_reader *r = sqlite3_user_data(context);
	const void *key = sqlite3_value_blob(value[0]);
	uint32_t len = (uint32_t)sqlite3_value_bytes(value[0]);
	bool is_full;

	(void)count; /* as registered: one */
	if (buffer_reserve(r->out, sizeof(len) + len) == 0) {
		memcpy(r->out->data + r->out->len, &len, sizeof(len));
		memcpy(r->out->data + r->out->len + sizeof(len), key, len);
		r->out->len += sizeof(len) + len;
	}
	is_full = ++r->count == READ_KEYS || r->out->len - r->start >= READ_BYTES || r->out->failed;
	if (is_full)
		remember(r, key, len);
	sqlite3_result_int(context, is_full);
}

static int
prepare(struct keyset_reader *r, struct hrw_fault *fault)
{
	struct database *d = &r->database;

	if (database_run(d, CACHE, fault) < 0)
		return HRW_STORE_FAILED;
	if (sqlite3_create_function(d->db, "take", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, r, take,
		NULL, NULL) != SQLITE_OK)
		return database_fault(d, fault);
	r->first = keyset_prepare(d, KEYS_FROM TAKEN, r->table->number, fault);
	r->next = keyset_prepare(d, KEYS_FROM "key > ?2 AND " TAKEN, r->table->number, fault);
	return r->first == NULL || r->next == NULL ? HRW_STORE_FAILED : 0;
}

struct keyset_reader *
keyset_reader_open(struct keyset *k, const char *pool, uint64_t generation,
    struct keyset_stats *stats, struct hrw_fault *fault)
{
	struct keyset_reader *r = calloc(1, sizeof(*r));
	struct keyset_set set;
	int rc;

	if (r == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "no memory to read a key set");
		return NULL;
	}
	r->keyset = k;
	rc = keyset_hold(k, pool, &set, &r->table, fault);
	if (rc == 0 && generation != 0 && set.stats.generation != generation)
		rc = hrw_fault(fault, HRW_KEYS_CHANGED,
		    "the keys of pool %.*s are of generation %" PRIu64 " by now, not %" PRIu64
		    ": plan anew",
		    (int)strcspn(pool, " "), pool, set.stats.generation, generation);
	*stats = set.stats;
	r->generation = set.stats.generation;
	if (rc < 0 || r->table == NULL)
		goto out;
	/* A connection of its own would open another file of that name. */
	rc = place_look(&k->place, fault);
	if (rc == 0)
		rc = keyset_connect(k, &r->database, SQLITE_OPEN_READONLY, fault);
	if (rc == 0)
		rc = prepare(r, fault);
out:
	if (rc == 0)
		return r;
	keyset_reader_close(r);
	return NULL;
}

void
keyset_reader_after(struct keyset_reader *r, struct hrw_bytes key)
{
	if (key.len == 0)
		return; /* no key is empty: all come after it */
	remember(r, key.data, (uint32_t)key.len);
	r->is_begun = true;
}

long
keyset_read(struct keyset_reader *r, struct buffer *out, struct hrw_fault *fault)
{
	sqlite3_stmt *s = r->is_begun ? r->next : r->first;
	int rc;

	if (r->table == NULL || r->is_done)
		return 0;
	r->out = out;
	r->start = out->len;
	r->count = 0;
	sqlite3_bind_int64(s, 1, (int64_t)r->generation);
	if (r->is_begun)
		sqlite3_bind_blob(s, 2, r->last.data, (int)r->last.len, SQLITE_STATIC);
	rc = database_step(&r->database, s, fault);
	if (rc == 0)
		r->is_done = true; /* before a batch was full */
	sqlite3_reset(s);
	r->is_begun = true;
	if (rc >= 0 && (out->failed || r->last.failed))
		rc = hrw_fault(fault, HRW_INTERNAL, "no memory for a batch of keys");
	return rc < 0 ? rc : r->count;
}

void
keyset_reader_close(struct keyset_reader *r)
{
	if (r == NULL)
		return;
	sqlite3_finalize(r->first);
	sqlite3_finalize(r->next);
	database_close(&r->database);
	buffer_fini(&r->last);
	if (r->table != NULL)
		keyset_let_go(r->keyset, r->table);
	free(r);
}
