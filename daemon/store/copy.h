/*
 * copy.h - a store as it is at one moment, as a file of its own; and back.
 *
 * A copy bears a mark. Whoever opens a marked store, wherever it lies by then, first
 * gives each pool a new lineage (renew.c): epochs that were answered after the copy was
 * taken are then never given out again.
 */
#ifndef HRWD_STORE_COPY_H
#define HRWD_STORE_COPY_H

#include <stddef.h>

#include "daemon/store/database.h"

/* Opens a copy, or the file that is to become one, without the pragmas that a store has.
 *   flags   SQLITE_OPEN_READONLY or SQLITE_OPEN_READWRITE
 *   errors  STORE_FAILED, INTERNAL; nothing is open then */
int copy_open(struct database *d, const char *path, int flags, struct hrw_fault *fault);

/* Writes all of `from` to the file `to`, which is there and empty, marks it, and
 * flushes it. It is one file, without a log beside it. Changes go on meanwhile. */
int copy_write(struct database *from, const char *to, struct hrw_fault *fault);

/* Is the file a whole copy of a store, or a store? STORE_FAILED otherwise. */
int copy_judge(const char *path, struct hrw_fault *fault);

/* What a restore did. */
struct copy_restored {
	char *kept;   /* where the store lies that was there before; NULL: none was */
	size_t pools; /* of the copy */
};

/* Puts a copy in the place of a stopped daemon's store. Until the copy is whole and
 * flushed nothing is changed; from then on whoever opens the store ends what is left to
 * do (copy_finish()), so that it can be killed at any moment.
 *   errors  STORE_FAILED: no whole copy, a daemon holds the store, the disk */
int copy_restore(
    const char *from, const char *store, struct copy_restored *out, struct hrw_fault *fault);

/* Ends a restore that was cut off; by whoever holds the store's lock.
 *   real  the store, as claim_path() gives it */
int copy_finish(const char *real, struct hrw_fault *fault);

#endif
