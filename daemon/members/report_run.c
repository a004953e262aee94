/*
 * report_run.c - the computing of a report, on threads of the libuv pool.
 *
 * Lanes take batches of keys from one source in turn, count them in tallies of
 * their own, and list their changes in the order of the batches. Memory is a
 * batch and a tally a lane, whatever the number of keys.
 */
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/members/report_private.h"

/* Past so many keys, a tenth of a second, the store learns of a report when it
 * starts, so that a list shows it and a restart can tell that it was stopped. */
enum { KEYS_WORTH_A_RECORD = 100000 };

static void
fail(struct report *r, const struct hrw_fault *fault)
{
	uv_mutex_lock(&r->lock);
	if (!r->has_failed) {
		r->has_failed = true;
		r->fault = *fault;
	}
	atomic_store(&r->is_stopping, true);
	uv_cond_broadcast(&r->turn_came);
	uv_mutex_unlock(&r->lock);
}

/* Puts the report into the store as of a state, where it is kept. */
static int
keep(struct report *r, enum report_state state, struct hrw_fault *fault)
{
	static const char *const names[] = {"running", "done", "stopped", "failed"};
	struct store_plan plan = {.pool = r->pool, .at_ms = r->at_ms};
	struct buffer report = {0}, inputs = {0};
	int rc;

	if (r->id[0] == '\0')
		return 0;
	memcpy(plan.id, r->id, sizeof(r->id));
	report_write_as(r, state, &report);
	report_inputs(r, &inputs);
	plan.state = (char *)names[state]; /* only read */
	plan.report = (char *)buffer_text(&report);
	plan.inputs = (char *)buffer_text(&inputs);
	if (report.failed || inputs.failed)
		rc = hrw_fault(fault, HRW_INTERNAL, "no memory to keep the report");
	else
		rc = store_plan_put(r->reports->store, &plan, fault);
	buffer_fini(&report);
	buffer_fini(&inputs);
	return rc;
}

/* Opens the source at the first need. Under the lock. */
static int
open_source(struct report *r, struct hrw_fault *fault)
{
	int rc = 0;

	r->is_open = true;
	if (r->has_keys)
		source_open_request(&r->source, buffer_bytes(&r->keys), r->key_count);
	else if (r->is_sampled)
		source_open_estimate(&r->source, report_after(r));
	else
		rc = source_open_stored(
		    &r->source, r->reports->keyset, report_keys_of(r), 0, report_after(r), fault);
	if (rc < 0)
		return rc;
	atomic_store(&r->keys_total, r->source.total);
	if (r->source.kind == SOURCE_ESTIMATE)
		atomic_store(&r->is_listed, true); /* sample keys are nobody's: not listed */
	if (r->source.total >= KEYS_WORTH_A_RECORD)
		rc = keep(r, REPORT_RUNNING, fault);
	return rc;
}

/* The next batch and its number; as source_read(). */
static long
next_batch(struct report *r, struct buffer *records, uint64_t *batch, struct hrw_fault *fault)
{
	long count = 0;
	int rc = 0;

	buffer_clear(records);
	uv_mutex_lock(&r->lock);
	if (!r->is_open)
		rc = open_source(r, fault);
	if (rc == 0 && !r->has_failed)
		count = source_read(&r->source, records, fault);
	*batch = r->batch++;
	uv_mutex_unlock(&r->lock);
	return rc < 0 ? rc : count;
}

/* Lists a batch's entries (each ended by a NUL) when its turn has come. */
static void
list_changes(struct report *r, uint64_t batch, struct hrw_bytes entries)
{
	size_t at = 0;

	uv_mutex_lock(&r->lock);
	while (r->turn != batch && !atomic_load(&r->is_stopping) && !atomic_load(&r->is_listed))
		uv_cond_wait(&r->turn_came, &r->lock);
	if (r->turn == batch && !atomic_load(&r->is_listed)) {
		while (at < entries.len && r->change_count < r->changes_max) {
			const char *entry = (const char *)entries.data + at;

			if (r->change_count++ > 0)
				buffer_add_text(&r->changes, ",");
			buffer_add_text(&r->changes, entry);
			at += strlen(entry) + 1;
		}
		if (at < entries.len) {
			r->is_truncated = true;
			atomic_store(&r->is_listed, true);
		}
		r->turn++;
	}
	uv_cond_broadcast(&r->turn_came);
	uv_mutex_unlock(&r->lock);
}

/* One batch: counted, and its changes written down while the list has room. */
static int
count_batch(struct lane *lane, struct hrw_bytes records, struct buffer *entries)
{
	struct report *r = lane->report;
	bool is_listing = !atomic_load(&r->is_listed);
	size_t at = 0, listed = 0;
	struct hrw_change change;
	struct hrw_bytes key;
	int rc;

	buffer_clear(entries);
	/* A key of a large pool may take milliseconds: a batch is not waited for. */
	while (!atomic_load_explicit(&r->is_stopping, memory_order_relaxed) &&
	       record_next(records, &at, &key)) {
		hrw_plan_key(r->plan, key, &change);
		rc = hrw_tally_add(lane->tally, &change);
		if (rc < 0)
			return rc;
		/* One more than fits, so that list_changes() sees that it was cut. */
		if (is_listing && listed <= r->changes_max && hrw_change_is_listed(&change)) {
			report_change_write(entries, r->plan, key, &change, NULL, 0);
			buffer_add(entries, "", 1);
			listed++;
		}
	}
	return entries->failed ? HRW_INTERNAL : 0;
}

/* Opens the second pass at its first need. False: there is none. Under the lock. */
static bool
begin_again(struct report *r, struct hrw_fault *fault)
{
	int rc;

	if (r->has_begun_again)
		return r->is_open_again;
	r->has_begun_again = true;
	if (r->source.kind == SOURCE_ESTIMATE)
		return false;
	rc = past_open(&r->past, r->reports->store, r->plan, r->before_pool, r->at_ms, fault);
	r->has_leftovers = rc == 0 && r->past.is_whole;
	if (rc < 0 || r->past.leftovers == NULL || !r->past.is_whole)
		return false;
	r->leftovers = calloc(r->plan->count + 1, sizeof(*r->leftovers));
	if (r->leftovers == NULL)
		rc = HRW_INTERNAL;
	else if (r->has_keys)
		source_open_request(&r->again, buffer_bytes(&r->keys), r->key_count);
	else
		rc = source_open_stored(&r->again, r->reports->keyset, report_keys_of(r),
		    r->source.generation, report_after(r), fault);
	r->is_open_again = rc == 0;
	r->has_leftovers = rc == 0;
	return r->is_open_again;
}

/* The next batch of the second pass; as source_read(). */
static long
next_again(struct report *r, struct buffer *records, struct hrw_fault *fault)
{
	long count = 0;

	buffer_clear(records);
	uv_mutex_lock(&r->lock);
	if (begin_again(r, fault))
		count = source_read(&r->again, records, fault);
	if (count < 0)
		r->has_leftovers = false; /* not known, and no reason to drop the rest */
	uv_mutex_unlock(&r->lock);
	return count;
}

static void
add_leftovers(struct report *r, const uint64_t *count, uint64_t keys)
{
	uv_mutex_lock(&r->lock);
	for (size_t i = 0; i < r->plan->count; i++)
		r->leftovers[i] += count[i];
	r->leftover_keys += keys;
	uv_mutex_unlock(&r->lock);
}

/* A later pass, over the keys that gain: nobody waits for it who wants the rest. */
static void
count_leftovers(struct lane *lane)
{
	struct report *r = lane->report;
	uint64_t *by_node = calloc(r->plan->count + 1, sizeof(*by_node)), keys = 0;
	struct buffer records = {0};
	struct hrw_fault fault = {0};
	long count = 1;

	while (by_node != NULL && !atomic_load(&r->is_stopping)) {
		uint32_t node[HRW_COPIES_MAX];
		struct hrw_change change;
		struct hrw_bytes key;
		size_t at = 0;

		count = next_again(r, &records, &fault);
		if (count <= 0)
			break;
		while (!atomic_load_explicit(&r->is_stopping, memory_order_relaxed) &&
		       record_next(buffer_bytes(&records), &at, &key)) {
			uint32_t found;

			hrw_plan_key(r->plan, key, &change);
			found = hrw_leftovers_of(r->past.leftovers, key, &change, node);
			for (uint32_t i = 0; i < found; i++)
				by_node[node[i]]++;
			keys += found > 0;
		}
		atomic_fetch_add(&r->keys_again, (uint64_t)count);
	}
	if (keys > 0)
		add_leftovers(r, by_node, keys);
	buffer_fini(&records);
	free(by_node);
}

static void
run_lane(struct lane *lane)
{
	struct report *r = lane->report;
	struct buffer records = {0}, entries = {0};
	struct hrw_fault fault = {0};
	uint64_t batch;
	long count;

	lane->tally = hrw_tally_new(r->plan);
	if (lane->tally == NULL) {
		hrw_fault(&fault, HRW_INTERNAL, "no memory for a report");
		fail(r, &fault);
		return;
	}
	while (!atomic_load(&r->is_stopping)) {
		count = next_batch(r, &records, &batch, &fault);
		if (count == 0)
			break;
		if (count > 0 && count_batch(lane, buffer_bytes(&records), &entries) < 0)
			count = hrw_fault(&fault, HRW_INTERNAL, "no memory for a report");
		if (count < 0) {
			fail(r, &fault);
			break;
		}
		if (!atomic_load(&r->is_listed))
			list_changes(r, batch, buffer_bytes(&entries));
		atomic_fetch_add(&r->keys_done, (uint64_t)count);
	}
	buffer_fini(&records);
	buffer_fini(&entries);
	count_leftovers(lane);
}

/* The last lane's task: one tally, one state, and both kept. */
static void
finish(struct report *r)
{
	struct hrw_fault fault = {0};
	struct buffer summary = {0};
	bool is_whole;
	int rc = 0;

	for (unsigned i = 0; i < r->lanes; i++) {
		if (r->lane[i].tally != NULL && rc == 0)
			rc = hrw_tally_merge(r->total, r->lane[i].tally);
		hrw_tally_free(r->lane[i].tally);
		r->lane[i].tally = NULL;
	}
	if (r->is_open)
		source_close(&r->source);
	if (r->is_open_again)
		source_close(&r->again);
	if (rc < 0 || r->changes.failed) {
		r->has_failed = true;
		hrw_fault(&r->fault, HRW_INTERNAL, "no memory for a report");
	}
	histogram_add_shared(&r->reports->figures.duration, uv_hrtime() - r->started_ns);
	atomic_fetch_add(&r->reports->figures.keys, atomic_load(&r->keys_done));
	is_whole = r->is_open && r->total->keys == r->source.total;
	r->state = r->has_failed ? REPORT_FAILED : is_whole ? REPORT_DONE : REPORT_STOPPED;
	if (r->has_failed)
		log_event(LOG_ERROR, "report failed", log_text("plan", r->id),
		    log_text("pool", r->pool), log_text("detail", r->fault.detail));
	rc = keep(r, r->state, &fault);
	if (rc == 0 && r->history != 0) {
		report_summary(r, &summary);
		rc = store_summarise(r->reports->store, r->history, buffer_text(&summary), &fault);
		buffer_fini(&summary);
	}
	if (rc == 0)
		rc = store_trim(r->reports->store, r->reports->config->plans,
		    r->reports->config->history, &fault);
	if (rc < 0)
		log_event(LOG_ERROR, "report not kept", log_text("plan", r->id),
		    log_text("pool", r->pool), log_text("detail", fault.detail));
}

void
report_run(uv_work_t *work)
{
	struct lane *lane = work->data;
	struct report *r = lane->report;

	run_lane(lane);
	if (atomic_fetch_sub(&r->lanes_left, 1) == 1)
		finish(r);
}
