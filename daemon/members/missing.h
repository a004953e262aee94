/*
 * missing.h - how many copies of a pool's stored keys are still to be made, as the
 * last report counted them.
 *
 * It belongs to one epoch and one key set: another of either, and it is not known
 * until a report counts anew. Any thread.
 */
#ifndef HRWD_MEMBERS_MISSING_H
#define HRWD_MEMBERS_MISSING_H

#include "daemon/members/pool.h"

struct missing;

struct missing *missing_new(void); /* NULL: no memory */
void missing_free(struct missing *m);

/* A report counted it for this version of the pool. Without memory it is not kept. */
void missing_note(struct missing *m, const struct pool *pool, uint64_t copies);

/* The pool's key set is another. */
void missing_forget(struct missing *m, const char *pool);

/* Of a settled pool none are. False: it is not known. */
bool missing_of(struct missing *m, const struct pool *pool, uint64_t *copies);

#endif
