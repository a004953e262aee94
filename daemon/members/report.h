/*
 * report.h - computes what a change does to keys, off the loops.
 *
 * A report runs on threads of the libuv pool, shows progress, can be stopped
 * and needs memory that does not grow with the number of keys. Kept reports are
 * the store's; their single changes are computed anew when they are read.
 */
#ifndef HRWD_MEMBERS_REPORT_H
#define HRWD_MEMBERS_REPORT_H

#include <uv.h>

#include "daemon/base/histogram.h"
#include "daemon/members/change.h"
#include "daemon/members/config.h"
#include "daemon/members/listing.h"
#include "daemon/store/keyset.h"
#include "daemon/store/store.h"

struct reports; /* all that run or wait to run; on the main loop */

struct reports *reports_new(uv_loop_t *loop, const struct members_config *config,
    struct store *store, struct keyset *keyset);
/* The most threads of the libuv pool that reports and errands hold at once: more do
 * not start, even where a reload has raised limits.running_plans. */
size_t reports_threads(const struct members_config *config);
/* Tells all to end as "stopped"; the loop runs on until they are idle. */
void reports_stop(struct reports *r);
bool reports_is_idle(const struct reports *r);
/* How many run, and how many wait to. Any thread. */
size_t reports_running(const struct reports *r);
size_t reports_waiting(const struct reports *r);

/* What all reports came to that ended; read by any thread. */
struct report_figures {
	struct histogram duration;
	atomic_uint_least64_t keys;
};

const struct report_figures *reports_figures(const struct reports *reports);

/* The copies that are still to be made, by pool. */
struct missing *reports_missing(const struct reports *reports);
void reports_free(struct reports *r); /* when idle */

/* What a report is about; texts are copied, pools acquired, keys taken. */
struct report_request {
	const char *pool;
	const char *outcome;		 /* "applied", "unchanged", "dry_run" */
	const struct hrw_fault *refusal; /* NULL: none */
	struct pool *before, *after;	 /* before NULL: an empty pool */
	const char *ops;		 /* JSON array */
	const char *emptied; /* names of nodes that came back empty, separated by spaces */
	const char *change; /* JSON body that POST /plans/{id}/apply repeats; NULL: not appliable */
	int64_t history;    /* entry to summarise; 0: none */
	bool has_keys;	    /* keys were sent along */
	struct buffer keys; /* records as keyset.h has them; taken, left empty */
	uint64_t key_count; /* … so many */
	size_t changes;	    /* listed at most */
	bool is_kept;	    /* false: it has no id, and ends when report_stop() says so */
	bool is_sampled;    /* estimated, although keys are stored */
};

struct report; /* counted; on the main loop */

/* Starts one, or has it wait while limits.running_plans run. BUSY: a dry run
 * while so many wait already, or any while limits.plans do. */
int report_start(
    struct reports *r, struct report_request *ask, struct report **out, struct hrw_fault *fault);
void report_release(struct report *report);

/* Calls `done` once on the main loop, never from within this call: when the
 * report has ended, or after timeout_ms with it running still. The report stays
 * referenced until then. 0 or HRW_INTERNAL. */
int report_wait(struct report *report, uint64_t timeout_ms, void (*done)(void *arg), void *arg);
/* Before its `done` came: no longer wanted. */
void report_forget(struct report *report, void *arg);

/* Its client went away: it ends as "stopped". */
void report_stop(struct report *report);

const char *report_id(const struct report *report);
const char *report_pool(const struct report *report); /* its name */
bool report_is_running(const struct report *report);

/* What it counted. False, and nothing is filled: it has not ended well, or it knew
 * no key and estimated. */
struct report_count {
	uint64_t keys, moved, owners_moved; /* moved: a copy of it did */
};
bool report_counted(const struct report *report, struct report_count *out);

/* Writes the planChange object (whole, braces included) as it stands now: while
 * it runs, without what is not counted yet. */
void report_write(const struct report *report, struct buffer *out);

/* Unix ms of its start, or of when it began to wait. */
int64_t report_at(const struct report *report);

/* Each that runs or waits and will be kept, oldest first. */
void reports_each(
    struct reports *r, void (*each)(void *arg, const struct report *report), void *arg);

/* A running report by id, acquired; NULL when there is none (ask the store). */
struct report *reports_find(struct reports *r, const char *id);

/* Single changes of a kept plan, computed anew. Opened and read on the libuv pool. */
struct changes;
struct changes_filter {
	char *lost, *gained, *from; /* NULL: any; "" : none */
	bool leftover;		    /* only keys of which a gaining node may have an old copy */
	uint64_t limit;		    /* lines at most; 0: all */
	struct hrw_bytes after;	    /* keys after this one; data NULL: from the first */
};
/* UNKNOWN_PLAN, KEYS_CHANGED; BAD_PARAMETER at "after": not among keys that were sent
 * along, which have no other order than their own. An estimate has no single changes. */
struct changes *changes_open(struct reports *r, const char *id, enum listing_form form,
    const struct changes_filter *filter, struct hrw_fault *fault);
int changes_fill(void *changes, struct buffer *out); /* as respond_stream() wants it */
void changes_close(void *changes);

#endif
