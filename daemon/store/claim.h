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

/* Makes the file ours until claim_drop(): takes its lock, ends a restore that was cut
 * off, makes the file where `create` allows, and judges it.
 *   lock     receives the descriptor that holds it. The kernel drops the lock
 *            with the process, however that ends; PATH.lock stays and is harmless
 *   is_new   receives whether it was made now
 *   errors   STORE_FAILED: missing, no folder, not ours, newer, damaged, held by
 *            another daemon; the file is untouched
 *   cost     reads the whole file */
int claim_take(const struct database_kind *kind, const char *path, bool create, int *lock,
    bool *is_new, struct hrw_fault *fault);
void claim_drop(int lock);

/* Its parts, for a restore. */

/* Where the file really is: SQLite follows links too, and two names of one file
 * must meet at one lock. To free(); NULL: no memory. */
char *claim_path(const char *path);
/* "path" + suffix, to free(); NULL: no memory. */
char *claim_beside(const char *path, const char *suffix);
/* Takes PATH.lock; STORE_FAILED where another process has it. */
int claim_hold(
    const struct database_kind *kind, const char *path, int *lock, struct hrw_fault *fault);
/* In judge.c: may the file be opened? Not a byte is written to it. */
int claim_judge(const struct database_kind *kind, const char *path, struct hrw_fault *fault);
/* The folder of a file, opened. */
int claim_open_folder(const char *path);
/* Flushes a file or folder to its disk, and closes it. Negative with errno; fd may be -1. */
int claim_flush(int fd);

#endif
