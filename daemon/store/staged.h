/*
 * staged.h - the keys of one upload: put in any order, had back sorted, each once.
 *
 * They lie in a private temporary database, which has no lock to wait for and is
 * gone with the process. Sorting spills to disk past a few MiB of memory.
 */
#ifndef HRWD_STORE_STAGED_H
#define HRWD_STORE_STAGED_H

#include "daemon/base/buffer.h"
#include "daemon/store/database.h"

/* Its owner serialises the calls. */
struct staged {
	struct database database;
	uint64_t count; /* keys put, duplicates too */

	sqlite3_stmt *sorted;
	struct buffer key; /* the present one, from staged_sort() on */
	bool is_end;	   /* past the last */
};

int staged_open(struct staged *s, struct hrw_fault *fault);
void staged_close(struct staged *s);

/* Puts a key, which has one byte at least. */
int staged_put(struct staged *s, struct hrw_bytes key, struct hrw_fault *fault);

/* Goes to the first key; then to the next.
 *   cost  n log n for the first */
int staged_sort(struct staged *s, struct hrw_fault *fault);
int staged_next(struct staged *s, struct hrw_fault *fault);

#endif
