/*
 * writer.h - the one writer: changes are judged, stored, published, answered.
 *
 * Lives on the main loop; changes queue one behind another. All that wait are
 * taken at once: each is built on what the one before it left, they are made
 * durable together, on the libuv pool, then published in one snapshot, and
 * answered when every reader has taken it: a lookup that starts after the answer
 * never sees the older membership. Where the whole cannot be stored, each is
 * tried by itself, so that a bad one fails alone.
 */
#ifndef HRWD_MEMBERS_WRITER_H
#define HRWD_MEMBERS_WRITER_H

#include <uv.h>

#include "daemon/members/change.h"
#include "daemon/members/config.h"
#include "daemon/members/snapshot.h"
#include "daemon/store/store.h"

struct writer;

/* Loads every pool of the store, seeds those of the configuration that it does
 * not know (neither there nor removed), and publishes the first snapshot (no
 * readers yet). Without a configuration file an empty default pool is seeded.
 * Blocks: call it before the loop runs.
 *   errors  what the store or a document says. NULL then */
struct writer *writer_new(uv_loop_t *loop, const struct members_config *config, struct store *store,
    struct hrw_fault *fault);
/* The pools that a plain-file store would begin with; a reference. Blocks. */
struct snapshot *writer_look(
    const struct members_config *config, struct store *store, struct hrw_fault *fault);
/* When idle, and without readers. The loop must run once more for its handle. */
void writer_free(struct writer *w);
/* Nothing queued and nothing under way. */
bool writer_is_idle(const struct writer *w);

/* The present snapshot; the main loop reads it in place, others acquire. */
struct snapshot *const *writer_snapshot(const struct writer *w);

/* Has `published` called on the main loop when the present snapshot is another. */
void writer_on_publish(struct writer *w, void (*published)(void *arg), void *arg);

/* A reader: one for each other loop, made before that loop runs.
 *   wake     called from the main thread: must make the reader's loop call
 *            writer_adopt() soon (uv_async_send), and not call the writer itself
 *   returns  NULL: no memory */
struct writer_reader;
struct writer_reader *writer_add_reader(struct writer *w, void (*wake)(void *arg), void *arg);
/* On the reader's loop: swaps *current for the newest snapshot and tells the
 * writer, whose answer waits for it. */
void writer_adopt(struct writer_reader *r, struct snapshot **current);
/* The reader's loop is ending: no answer waits for it any more. Main thread or its own. */
void writer_remove_reader(struct writer_reader *r);

/* Asks for a change (taken). `done` is called on the main loop, later; only
 * where memory lacks for the request itself, before this returns:
 *   status    0, or the error with its fault. READ_ONLY, STORE_FAILED and
 *             CONFLICT come from the store; nothing was changed then
 *   outcome   borrowed for the call; NULL on an error other than a refusal
 *   history   the id of its history entry; 0: none
 * A refusal by a guard is written into the history, a dry run never is. */
typedef void (*writer_done)(void *arg, int status, const struct outcome *outcome, int64_t history,
    const struct hrw_fault *fault);
void writer_apply(struct writer *w, struct change *change, writer_done done, void *arg);

/* A history entry that changes no membership (key sets). `ops` and `summary`
 * are JSON, taken over by copy. Fire and forget. */
void writer_record(struct writer *w, const char *pool, const char *by, const char *from,
    const char *reason, const char *ops, const char *summary);

/* Reads a plain-file store anew (SIGHUP, replaced file): publishes what changed and
 * logs what moved, or keeps the last good state and logs why. Pools become what a
 * start on the file would make of them: ids and hash names that it leaves out follow
 * from it alone. A file has no epochs: each pool of it begins at 1 with the daemon,
 * and a reload that changes it adds one. */
void writer_reload(struct writer *w);

#endif
