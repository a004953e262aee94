/*
 * claim.h - making an SQLite file ours before it is opened for writing.
 *
 * A file of ours is known by its application_id and user_version, is held by one
 * daemon at a time, appears under its name only when it is whole, and is judged
 * through a read-only connection, so that a file we refuse stays as it is.
 */
#ifndef HRWD_STORE_CLAIM_H
#define HRWD_STORE_CLAIM_H

#include "daemon/store/database.h"

/* Makes the file ours until claim_drop(): takes its lock, makes it where
 * `create` allows, and judges it.
 *   lock     receives the descriptor that holds it. The kernel drops the lock
 *            with the process, however that ends; PATH.lock stays and is harmless
 *   is_new   receives whether it was made now
 *   errors   STORE_FAILED: missing, no folder, not ours, newer, damaged, held by
 *            another daemon; the file is untouched
 *   cost     reads the whole file */
int claim_take(const struct database_kind *kind, const char *path, bool create, int *lock,
    bool *is_new, struct hrw_fault *fault);
void claim_drop(int lock);

#endif
