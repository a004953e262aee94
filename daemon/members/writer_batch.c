/*
 * writer_batch.c - judges, builds and stores what waited, on the libuv pool.
 */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/base/log.h"
#include "daemon/base/wall.h"
#include "daemon/members/guard.h"
#include "daemon/members/writer_private.h"

enum {
	TRIM_EVERY = 100,   /* entries between two trims, so that few are kept over the limit */
	GIVE_WAY_EVERY = 3, /* changes of a batch, a millisecond or less */
};

static void
put_optional(struct json_out *o, const char *name, const char *text)
{
	json_put_text(o, name, text != NULL && *text != '\0' ? text : NULL);
}

void
entry_write(struct buffer *out, const struct change *change, int64_t at_ms,
    const struct pool *before, uint64_t epoch_after, unsigned forced, const char *outcome,
    const char *ops)
{
	struct json_out o = json_out(out);

	json_open_object(&o, NULL);
	json_put_time(&o, "at", at_ms);
	json_put_text(&o, "pool", change->pool);
	json_put_count_or_null(&o, "epoch_before", before != NULL ? before->epoch : 0);
	json_put_count_or_null(&o, "epoch_after", epoch_after);
	put_optional(&o, "by", change->by);
	put_optional(&o, "from", change->from);
	put_optional(&o, "reason", change->reason);
	guard_write(&o, "forced", forced);
	json_put_text(&o, "outcome", outcome);
	json_put_raw(&o, "change", hrw_text(ops));
	json_close_object(&o);
}

/* A membership to go back to, for a task that names its epoch. */
static int
find_epoch(struct writer *w, const struct pool *now, struct task *task, struct hrw_fault *fault)
{
	struct pool *then = NULL;
	char *document;

	if (task->epoch == now->epoch) {
		task->template = hrw_membership_copy(now->present);
		return task->template != NULL ? 0 : hrw_fault(fault, HRW_INTERNAL, "no memory");
	}
	document = store_document(w->store, now->name, now->lineage, task->epoch, fault);
	if (document == NULL)
		return (int)fault->error;
	then = document_load(now->name, document, fault);
	free(document);
	if (then == NULL)
		return (int)fault->error;
	task->template = hrw_membership_copy(then->present);
	pool_release(then);
	return task->template != NULL ? 0 : hrw_fault(fault, HRW_INTERNAL, "no memory");
}

/* Does the clock of that epoch still run? Somebody may have settled the pool since. */
static bool
is_running(const struct pool *pool, uint64_t epoch)
{
	for (size_t i = 0; i < pool->clocks.count; i++)
		if (pool->clocks.at[i].epoch == epoch)
			return true;
	return false;
}

static int
find_epochs(struct writer *w, const struct pool *now, struct change *c, struct hrw_fault *fault)
{
	int rc = 0;

	for (size_t i = 0; now != NULL && rc == 0 && i < c->count; i++) {
		struct task *task = &c->task[i];

		if (task->template == NULL &&
		    (task->op == TASK_REVERT ||
			(task->op == TASK_SETTLE_EPOCH && is_running(now, task->epoch))))
			rc = find_epoch(w, now, task, fault);
	}
	return rc;
}

/* A node that is unknown may have been known: then say until when. */
static void
tell_removed(
    struct writer *w, const struct pool *now, const struct change *c, struct hrw_fault *fault)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct task *task = &c->task[i];
		int64_t at_ms = 0;
		char text[32];
		struct tm tm;
		time_t at;

		if (task->node.name != NULL && task->op != TASK_ADD && task->op != TASK_PUT &&
		    hrw_membership_find(now->present, task->node.name) == NULL)
			at_ms = store_removed_at(w->store, c->pool, task->node.name);
		if (at_ms == 0)
			continue;
		at = (time_t)(at_ms / 1000);
		gmtime_r(&at, &tm);
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
		hrw_fault(fault, HRW_UNKNOWN_NODE,
		    "pool \"%s\" has no node \"%s\": it was removed at %s", c->pool,
		    task->node.name, text);
		return;
	}
}

/* What the store is to write for a change that was built. */
static int
prepare_write(struct item *item, int64_t now_ms)
{
	struct outcome *out = &item->outcome;
	bool is_refused = out->refusal != 0;
	uint64_t epoch = out->before != NULL ? out->before->epoch : 0;
	uint64_t epoch_after = out->after != NULL ? out->after->epoch : is_refused ? epoch : 0;

	entry_write(&item->entry, item->change, now_ms, out->before, epoch_after, out->forced,
	    is_refused ? "refused" : "applied", buffer_text(&out->ops));
	if (out->after != NULL)
		item->document = document_store(out->after);
	item->write = (struct store_write){.pool = item->change->pool,
	    .lineage = out->after != NULL    ? out->after->lineage
		       : out->before != NULL ? out->before->lineage
					     : "",
	    .epoch_before = epoch,
	    .epoch_after = out->after != NULL ? out->after->epoch : epoch + 1,
	    .document = item->document,
	    .has_document = !is_refused,
	    .entry = buffer_text(&item->entry),
	    .at_ms = now_ms,
	    .removed = !is_refused && out->removed.len > 0 ? buffer_text(&out->removed) : NULL};
	if (item->entry.failed || (out->after != NULL && item->document == NULL))
		return hrw_fault(&item->fault, HRW_INTERNAL, "no memory for the change");
	item->has_write = true;
	return 0;
}

static int
read_only(struct writer *w, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_READ_ONLY,
	    "the pools come from the file %s, which this daemon only reads: change it there; it is "
	    "read again when it is replaced, or on SIGHUP",
	    w->config->store_path != NULL ? w->config->store_path : "of the store");
}

/* Judges and builds one change on the snapshot that those before it left. */
static void
judge_change(struct writer *w, const struct snapshot *s, struct item *item)
{
	struct pool *now = (struct pool *)snapshot_pool(s, hrw_text(item->change->pool));
	struct change *c = item->change;
	int64_t now_ms = wall_ms();
	int rc = find_epochs(w, now, c, &item->fault);

	if (rc == HRW_UNKNOWN_EPOCH)
		hrw_fault_at(&item->fault, "/to");
	if (rc == 0)
		rc = change_build(c, now, now_ms, w->config->limits, &item->outcome, &item->fault);
	if (rc == HRW_UNKNOWN_NODE)
		tell_removed(w, now, c, &item->fault);
	if (rc == 0 && !c->is_dry_run && !item->outcome.is_unchanged) {
		rc = store_is_writable(w->store) ? prepare_write(item, now_ms)
						 : read_only(w, &item->fault);
	} else if (rc < 0 && item->outcome.refusal != 0) {
		if (prepare_write(item, now_ms) < 0)
			log_event(LOG_ERROR, "a refusal is not in the history",
			    log_text("pool", c->pool), log_text("detail", item->fault.detail));
		item->fault = item->outcome.fault;
	}
	item->status = rc;
}

static void
judge_record(const struct snapshot *s, struct item *item)
{
	const struct pool *now = snapshot_pool(s, hrw_text(item->change->pool));
	int64_t now_ms = wall_ms();

	entry_write(&item->entry, item->change, now_ms, now, now != NULL ? now->epoch : 0, 0,
	    "applied", item->ops);
	item->write = (struct store_write){.pool = item->change->pool,
	    .lineage = now != NULL ? now->lineage : "",
	    .entry = buffer_text(&item->entry),
	    .at_ms = now_ms};
	item->has_write = !item->entry.failed;
}

/* What a change leaves, for those behind it. */
static int
advance(struct snapshot **s, struct item *item, struct hrw_fault *fault)
{
	struct outcome *out = &item->outcome;
	struct snapshot *next;

	if (!item->has_write || !item->write.has_document)
		return 0;
	next = snapshot_with(
	    *s, item->change->pool, out->after != NULL ? pool_acquire(out->after) : NULL);
	if (next == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for the change");
	snapshot_release(*s);
	*s = next;
	return 0;
}

static void
reload(struct writer *w, struct snapshot **s)
{
	struct hrw_fault fault = {0};
	struct snapshot *next = load_again(w, *s, &fault);

	if (next == NULL) {
		log_error("%s; the last good pools stay", fault.detail);
		return;
	}
	snapshot_release(*s);
	*s = next;
}

/* Back to before it was judged. */
static void
reset(struct item *item)
{
	outcome_fini(&item->outcome);
	buffer_clear(&item->entry);
	free(item->document);
	item->document = NULL;
	item->has_write = false;
	item->status = 0;
	item->fault = (struct hrw_fault){0};
}

static void
judge(struct writer *w, struct snapshot **s, struct item *item)
{
	switch (item->kind) {
	case ITEM_CHANGE:
		judge_change(w, *s, item);
		break;
	case ITEM_RECORD:
		judge_record(*s, item);
		break;
	case ITEM_RELOAD:
		reload(w, s);
		break;
	}
}

/* It was not stored: a change did not happen. A refusal stands all the same. */
static void
fail(struct item *item, int rc, const struct hrw_fault *fault)
{
	bool is_refused = item->outcome.refusal != 0;

	item->has_write = false;
	item->write.history_id = 0;
	if (item->kind == ITEM_RECORD || is_refused)
		log_event(LOG_ERROR, "an entry is not in the history",
		    log_text("pool", item->change->pool), log_text("detail", fault->detail));
	if (is_refused)
		return;
	outcome_fini(&item->outcome);
	item->status = rc;
	item->fault = *fault;
}

/* All in one transaction, built one on the other. False: nothing was stored. */
static bool
run_together(struct writer *w, struct batch *batch)
{
	struct store_write *writes = calloc(batch->count, sizeof(*writes));
	struct snapshot *s = snapshot_acquire(batch->base);
	struct hrw_fault fault = {0};
	size_t count = 0, judged = 0;
	bool is_done = writes != NULL;

	for (struct item *item = batch->first; is_done && item != NULL; item = item->next) {
		judge(w, &s, item);
		if (advance(&s, item, &fault) < 0)
			is_done = false;
		else if (item->has_write)
			writes[count++] = item->write;
		/* A batch may take milliseconds, as long as the system lets a thread
		 * run: lookups on the same CPU are let in between. (Tried: after each
		 * change, which halved their rate for nothing more.) */
		if (++judged % GIVE_WAY_EVERY == 0)
			sched_yield();
	}
	if (is_done && count > 0)
		is_done = store_commit_all(w->store, writes, count, &fault) == 0;
	count = 0;
	for (struct item *item = batch->first; is_done && item != NULL; item = item->next)
		if (item->has_write)
			item->write.history_id = writes[count++].history_id;
	if (is_done) {
		snapshot_release(batch->next);
		batch->next = s;
	} else {
		snapshot_release(s);
	}
	free(writes);
	return is_done;
}

/* Each by itself: what fails is left out, the rest goes on without it. */
static void
run_alone(struct writer *w, struct batch *batch)
{
	for (struct item *item = batch->first; item != NULL; item = item->next) {
		struct snapshot *s = snapshot_acquire(batch->next);
		struct hrw_fault fault = {0};
		int rc = 0;

		reset(item);
		judge(w, &s, item);
		rc = advance(&s, item, &fault);
		if (rc == 0 && item->has_write)
			rc = store_commit(w->store, &item->write, &fault);
		if (rc == 0) {
			snapshot_release(batch->next);
			batch->next = s;
			continue;
		}
		snapshot_release(s);
		fail(item, rc, &fault);
	}
}

static void
summarise(struct writer *w, struct batch *batch)
{
	struct hrw_fault fault = {0};

	for (struct item *item = batch->first; item != NULL; item = item->next) {
		w->entries += item->has_write;
		if (item->kind == ITEM_RECORD && item->write.history_id != 0 &&
		    store_summarise(w->store, item->write.history_id, item->summary, &fault) < 0)
			log_error("a history entry has no summary: %s", fault.detail);
	}
	if (w->entries < TRIM_EVERY)
		return;
	w->entries = 0;
	if (store_trim(w->store, w->config->plans, w->config->history, &fault) < 0)
		log_error("the history is not trimmed: %s", fault.detail);
}

void
batch_run(struct writer *w, struct batch *batch)
{
	if (!run_together(w, batch))
		run_alone(w, batch);
	summarise(w, batch);
}
