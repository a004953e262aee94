/*
 * witness.h - remembers, beside a store, which epochs it has answered.
 *
 * A store that was copied back over a newer one, or that lost its log, looks whole,
 * and would give epochs out again. The file PATH.epochs keeps each lineage's newest
 * epoch and the seal of its document, so that the next start can tell.
 *
 * A line is written when its change is durable and before the change is answered. It
 * is not flushed: it outlives a killed daemon at once, and a power cut some seconds
 * later, when the system has written it. A witness that lags behind says nothing.
 */
#ifndef HRWD_STORE_WITNESS_H
#define HRWD_STORE_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

struct witness;

/* NULL with errno where there can be none: the store is then used without. */
struct witness *witness_open(const char *store);
void witness_close(struct witness *w); /* NULL is fine */

/* The newest epoch of that pool and lineage, and its seal; false: it was never seen. */
bool witness_get(
    const struct witness *w, const char *pool, const char *lineage, uint64_t *epoch, int64_t *seal);

/* Remembers an epoch. The store's writer alone calls it.
 *   returns  negative with errno where the line was not written
 *   cost     a look through the lineages, a write of 64 bytes */
int witness_put(
    struct witness *w, const char *pool, const char *lineage, uint64_t epoch, int64_t seal);

/* Flushes what was written to the disk. */
void witness_flush(struct witness *w);

#endif
