/*
 * keyset_reader.c - reads a key set a batch at a time, each batch a query that
 * goes on after the last key of the one before.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "daemon/store/keyset_impl.h"

enum {
	READ_KEYS = 4096,
	READ_BYTES = 1 << 20, /* or so many bytes, where keys are long */
};

struct keyset_reader {
	struct keyset *keyset;
	struct keyset_table *table; /* NULL: a set without keys */
	struct database database;   /* a connection of its own */
	sqlite3_stmt *first, *next; /* from the start; after the last key */
	struct buffer last;
	uint64_t generation;
	bool is_begun, is_done;
};

#define KEYS_FROM "SELECT key FROM keys_%llu WHERE since <= ?1"
#define IN_ORDER  " ORDER BY key LIMIT ?2"

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
		    "the keys of pool %s are of generation %" PRIu64 " by now, not %" PRIu64
		    ": plan anew",
		    pool, set.stats.generation, generation);
	*stats = set.stats;
	r->generation = set.stats.generation;
	if (rc < 0 || r->table == NULL)
		goto out;
	rc = keyset_connect(k, &r->database, SQLITE_OPEN_READONLY, fault);
	if (rc < 0)
		goto out;
	r->first = keyset_prepare(&r->database, KEYS_FROM IN_ORDER, r->table->number, fault);
	r->next = keyset_prepare(
	    &r->database, KEYS_FROM " AND key > ?3" IN_ORDER, r->table->number, fault);
	if (r->first == NULL || r->next == NULL)
		rc = HRW_STORE_FAILED;
out:
	if (rc == 0)
		return r;
	keyset_reader_close(r);
	return NULL;
}

/* Notes where the next batch begins. */
static void
remember(struct keyset_reader *r, const void *key, int len)
{
	buffer_clear(&r->last);
	buffer_add(&r->last, key, (size_t)len);
}

long
keyset_read(struct keyset_reader *r, struct buffer *out, struct hrw_fault *fault)
{
	sqlite3_stmt *s = r->is_begun ? r->next : r->first;
	size_t start = out->len;
	long count = 0;
	int rc = 0;

	if (r->table == NULL || r->is_done)
		return 0;
	sqlite3_bind_int64(s, 1, (int64_t)r->generation);
	sqlite3_bind_int(s, 2, READ_KEYS);
	if (r->is_begun)
		sqlite3_bind_blob(s, 3, r->last.data, (int)r->last.len, SQLITE_STATIC);
	while (count < READ_KEYS && out->len - start < READ_BYTES &&
	       (rc = database_step(&r->database, s, fault)) > 0) {
		const void *key = sqlite3_column_blob(s, 0);
		uint32_t len = (uint32_t)sqlite3_column_bytes(s, 0);

		buffer_add(out, &len, sizeof(len));
		buffer_add(out, key, len);
		count++;
		if (count == READ_KEYS || out->len - start >= READ_BYTES)
			remember(r, key, (int)len);
	}
	if (rc == 0)
		r->is_done = true; /* before a batch was full */
	sqlite3_reset(s);
	r->is_begun = true;
	if (rc >= 0 && (out->failed || r->last.failed))
		rc = hrw_fault(fault, HRW_INTERNAL, "no memory for a batch of keys");
	return rc < 0 ? rc : count;
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
