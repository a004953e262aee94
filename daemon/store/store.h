/*
 * store.h - where memberships, history and plans are kept.
 *
 * Documents are JSON texts that the store does not look into. Every call may
 * block on a disk: call it from the libuv pool, or at start. Any thread; calls
 * are serialised inside, reads apart from writes. A write is durable when the
 * call returns 0. What an `each` is given is borrowed for that call, and it must
 * not call the store.
 */
#ifndef HRWD_STORE_STORE_H
#define HRWD_STORE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

struct store;

/* Opens (and with `create` makes) an SQLite store. ":memory:" lives in memory.
 *   is_new   receives whether it was made now; may be NULL
 *   errors   STORE_FAILED: missing, damaged, from a newer version, held by
 *            another daemon, not writable; the file is untouched. NULL then */
struct store *store_open_sqlite(
    const char *path, bool create, bool *is_new, struct hrw_fault *fault);

/* What a plain file may be; a reload of the configuration may change it. */
struct store_file_rules {
	const atomic_size_t *most;	/* bytes of it */
	const atomic_bool *allow_empty; /* it may have no pools, and pools no nodes */
};

/* Opens a plain file with a "pools" object: pools come from it and every change
 * is READ_ONLY; history and plans are kept in memory.
 *   rules   outlive the store
 *   errors  STORE_FAILED: it cannot be read, is no regular file, is too long;
 *           BAD_JSON, BAD_FIELD, BAD_POOL. NULL then */
struct store *store_open_file(
    const char *path, const struct store_file_rules *rules, struct hrw_fault *fault);

void store_close(struct store *s);

/* Does it take changes? */
bool store_is_writable(const struct store *s);

/* A plain file: is there another text since the last load, good or bad, or is it gone?
 * Of an SQLite file it is noted whether it is still in its place. To be asked now and
 * then; blocks. */
bool store_has_changed(struct store *s);

/* A plain file: how loading it went. Of another store all of it is 0. */
struct store_reading {
	uint64_t failures;
	bool is_failing; /* the last load failed: what was loaded before is served */
	int64_t since;	 /* … since this Unix time */
	char detail[HRW_FAULT_DETAIL];
};
void store_reading(struct store *s, struct store_reading *out);

/* As of the last commit or store_has_changed(): was the file, its log or its lock
 * removed, moved or replaced underneath? Every commit is STORE_FAILED then. Any thread,
 * no system call. */
bool store_is_lost(struct store *s);

/* Writes the store as it is at one moment into the file `to`, which is there and empty:
 * copy.h. Changes go on meanwhile. READ_ONLY for a plain file. */
int store_copy(struct store *s, const char *to, struct hrw_fault *fault);

/* Did the pool of this lineage have that one before a restore? */
bool store_is_earlier(struct store *s, const char *pool, const char *was, const char *lineage);

/* Every pool's present document, called in order of names. `document` NULL: a
 * pool of that name was removed (so a configuration's seed must not bring it
 * back). A negative answer of `each` stops and is returned. */
typedef int (*store_each_pool)(
    void *arg, const char *pool, const char *document, struct hrw_fault *fault);
int store_load(struct store *s, store_each_pool each, void *arg, struct hrw_fault *fault);

/* One change, all of it or nothing, in one transaction. */
struct store_write {
	const char *pool;
	/* false: no new epoch, only the history entry; the next four are not read. */
	bool has_document;
	const char *lineage;
	/* 0: the pool is new. It and the lineage must be what the store has, else CONFLICT. */
	uint64_t epoch_before;
	uint64_t epoch_after;
	const char *document; /* of epoch_after; NULL: the pool is removed */
	const char *entry;    /* the history entry, a JSON object without "id"; NULL: none */
	int64_t at_ms;
	const char *removed; /* names of nodes removed, separated by spaces; NULL: none */
	int64_t history_id;  /* receives the entry's id */
	int64_t seal;	     /* the store's own */
};
int store_commit(struct store *s, struct store_write *write, struct hrw_fault *fault);

/* Several changes in one transaction, each as above; the first that fails is
 * the fault and nothing of any is kept. */
int store_commit_all(
    struct store *s, struct store_write *writes, size_t count, struct hrw_fault *fault);

/* The pool's whole document of an epoch of that lineage, to free(); NULL with
 * UNKNOWN_EPOCH or STORE_FAILED. */
char *store_document(struct store *s, const char *pool, const char *lineage, uint64_t epoch,
    struct hrw_fault *fault);

/* When the pool's node of that name was last removed, Unix ms; 0: never known. What an
 * earlier pool of that name removed does not count. */
int64_t store_removed_at(struct store *s, const char *pool, const char *node);

/* History, newest first: entries with an id below `after` (0: from the newest).
 * pool NULL: all. The entry is JSON without its id; summary is JSON or NULL. */
typedef int (*store_each_entry)(void *arg, int64_t id, const char *entry, const char *summary);
int store_history(struct store *s, const char *pool, int64_t after, size_t limit,
    store_each_entry each, void *arg, struct hrw_fault *fault);

/* Adds what the report found to an entry. */
int store_summarise(
    struct store *s, int64_t history_id, const char *summary, struct hrw_fault *fault);

/* Plans: kept reports. `inputs` is the JSON needed to compute the changes anew
 * (before, settled, after, keys), `report` the planChange. */
struct store_plan {
	char id[40];
	char *pool, *state, *report, *inputs;
	int64_t at_ms;
};
int store_plan_put(struct store *s, const struct store_plan *plan, struct hrw_fault *fault);
/* UNKNOWN_PLAN; the texts are the caller's to free with store_plan_fini(). */
int store_plan_get(
    struct store *s, const char *id, struct store_plan *out, struct hrw_fault *fault);
void store_plan_fini(struct store_plan *plan);
/* Fills UNKNOWN_PLAN as store_plan_get() does. */
int store_unknown_plan(const char *id, struct hrw_fault *fault);
/* Newest first, those before the plan `after` ("" from the newest); without inputs. */
typedef int (*store_each_plan)(void *arg, const struct store_plan *plan);
int store_plans(struct store *s, const char *pool, const char *after, size_t limit,
    store_each_plan each, void *arg, struct hrw_fault *fault);

/* Keeps the newest so many plans and entries (never the entries' documents that
 * a pool's present epoch needs). Plans still "running" from before a restart
 * become "stopped" at open. */
int store_trim(struct store *s, size_t plans, size_t history, struct hrw_fault *fault);

#endif
