/*
 * report_write.c - a report as JSON: the planChange, its summary, its inputs.
 */
#include <stdlib.h>

#include "core/estimate.h"
#include "daemon/base/json.h"
#include "daemon/members/document.h"
#include "daemon/members/report_private.h"
#include "daemon/members/warnings.h"

static void
put_names(struct json_out *o, const char *name, const struct hrw_plan *plan, const uint32_t *nodes,
    uint32_t count)
{
	json_open_array(o, name);
	for (uint32_t i = 0; i < count; i++)
		json_put_text(o, NULL, plan->name[nodes[i]]);
	json_close_array(o);
}

/* A node by name, null for the side that is empty. */
static void
put_name(struct json_out *o, const char *name, const struct hrw_plan *plan, uint32_t node)
{
	json_put_text(o, name, node == HRW_NOT_LISTED ? NULL : plan->name[node]);
}

void
report_change_write(struct buffer *out, const struct hrw_plan *plan, struct hrw_bytes key,
    const struct hrw_change *c, const uint32_t *old, uint32_t old_count)
{
	struct json_out o = json_out(out);

	json_open_object(&o, NULL);
	json_put_key(&o, key);
	put_names(&o, "lost", plan, c->lost, c->lost_count);
	put_names(&o, "gained", plan, c->gained, c->gained_count);
	put_name(&o, "from", plan, c->from);
	if (old_count > 0)
		put_names(&o, "leftovers", plan, old, old_count);
	json_close_object(&o);
}

static void
put_refusal(struct json_out *o, const struct report *r)
{
	if (!r->has_refusal) {
		json_put_null(o, "refusal");
		return;
	}
	json_open_object(o, "refusal");
	json_put_text(o, "code", hrw_error_code(r->refusal.error));
	json_put_text(o, "detail", r->refusal.detail);
	json_close_object(o);
}

static void
put_keys(struct json_out *o, const struct report *r, bool is_counted)
{
	const struct hrw_tally *t = r->total;
	double low, high;

	json_open_object(o, "keys");
	json_put_text(o, "source", source_name(r->source.kind));
	json_put_count(o, "total", atomic_load(&r->keys_total));
	if (is_counted)
		json_put_count(o, "changed", t->changed);
	if (r->source.kind == SOURCE_STORED)
		json_put_count(o, "generation", r->source.generation);
	if (is_counted && r->source.kind == SOURCE_ESTIMATE) {
		hrw_wilson(t->changed, t->keys, &low, &high);
		json_open_object(o, "share");
		json_put_number(o, "changed", t->keys ? (double)t->changed / (double)t->keys : 0);
		json_put_number(o, "low", low);
		json_put_number(o, "high", high);
		json_close_object(o);
	}
	json_close_object(o);
}

static void
put_nodes(struct json_out *o, const struct report *r)
{
	json_open_array(o, "nodes");
	for (size_t i = 0; i < r->plan->count; i++) {
		const struct hrw_tally_node *n = &r->total->node[i];

		json_open_object(o, NULL);
		json_put_text(o, "node", r->plan->name[i]);
		json_put_count(o, "before", n->before);
		json_put_count(o, "after", n->after);
		json_put_count(o, "gains", n->gains);
		json_put_count(o, "loses", n->loses);
		json_close_object(o);
	}
	json_close_array(o);
}

static void
put_moves(struct json_out *o, const struct report *r)
{
	size_t count;
	struct hrw_move *move = hrw_tally_moves(r->total, &count);

	json_open_array(o, "moves");
	for (size_t i = 0; i < count; i++) {
		json_open_object(o, NULL);
		put_name(o, "lost", r->plan, move[i].lost);
		put_name(o, "gained", r->plan, move[i].gained);
		json_put_count(o, "keys", move[i].keys);
		json_close_object(o);
	}
	json_close_array(o);
	free(move);
}

static void
put_pair(struct json_out *o, const char *name, uint64_t before, uint64_t after)
{
	json_open_object(o, name);
	json_put_count(o, "before", before);
	json_put_count(o, "after", after);
	json_close_object(o);
}

/* What was counted: the same members in a report and in its summary. */
static void
put_totals(struct json_out *o, const struct report *r)
{
	json_open_object(o, "owners");
	json_put_count(o, "changed", r->total->owners_changed);
	json_put_count(o, "cold", r->total->owners_cold);
	json_close_object(o);
	json_put_count(o, "copies_lost", r->total->copies_lost);
	json_put_count(o, "copies_gained", r->total->copies_gained);
	json_put_count(o, "needless", r->total->needless);
	json_put_count(o, "keys_without_source", r->total->keys_without_source);
	json_put_count(o, "keys_with_leaving_source", r->total->keys_with_leaving_source);
	put_pair(o, "copies_missing", r->total->missing_before, r->total->missing_after);
	put_pair(o, "keys_without_copy", r->total->nowhere_before, r->total->nowhere_after);
}

/* null where no key is known, or the history could not tell. */
static void
put_leftovers(struct json_out *o, const struct report *r)
{
	if (!r->has_leftovers) {
		json_put_null(o, "leftovers");
		return;
	}
	json_open_object(o, "leftovers");
	json_put_count(o, "keys", r->leftover_keys);
	json_open_array(o, "nodes");
	for (size_t i = 0; r->leftovers != NULL && i < r->plan->count; i++) {
		if (r->leftovers[i] == 0)
			continue;
		json_open_object(o, NULL);
		json_put_text(o, "node", r->plan->name[i]);
		json_put_count(o, "keys", r->leftovers[i]);
		json_close_object(o);
	}
	json_close_array(o);
	json_close_object(o);
}

static uint64_t
epoch_of(const struct pool *pool)
{
	return pool != NULL ? pool->epoch : 0;
}

/* While all keys are counted and their lanes' tallies are not one yet, it runs. */
static double
progress(const struct report *r, enum report_state state)
{
	uint64_t total = atomic_load(&r->keys_total), done = atomic_load(&r->keys_done);
	double part;

	if (r->is_open_again) {
		done += atomic_load(&r->keys_again);
		total *= 2;
	}
	part = total == 0 ? 0 : (double)done / (double)total;

	if (state == REPORT_DONE)
		return 1;
	return state == REPORT_RUNNING && part > 0.99 ? 0.99 : part;
}

void
report_write_as(const struct report *r, enum report_state state, struct buffer *out)
{
	static const char *const states[] = {"running", "done", "stopped", "failed"};
	unsigned before = report_before(r)->copies, after = report_after(r)->copies;
	struct json_out o = json_out(out);

	/* A pool that is not there has no number of copies: the other's stands. */
	if (r->before_pool == NULL)
		before = after;
	if (r->after_pool == NULL)
		after = before;
	json_open_object(&o, NULL);
	json_put_text(&o, "plan", r->id[0] != '\0' ? r->id : NULL);
	json_put_text(&o, "pool", r->pool);
	json_put_text(&o, "outcome", r->outcome);
	put_refusal(&o, r);
	json_put_text(&o, "state", states[state]);
	json_put_number(&o, "progress", progress(r, state));
	if (state == REPORT_FAILED)
		json_put_text(&o, "failure", r->fault.detail);
	json_put_count_or_null(&o, "epoch_before", epoch_of(r->before_pool));
	json_put_count_or_null(&o, "epoch_after", epoch_of(r->after_pool));
	json_put_count(&o, "copies", after);
	if (before != after)
		json_put_count(&o, "copies_before", before);
	json_put_raw(&o, "change", hrw_text(r->ops != NULL ? r->ops : "[]"));
	if (r->after_pool != NULL)
		warnings_put(&o, r->after_pool->warnings);
	if (state == REPORT_RUNNING) {
		json_open_object(&o, "keys");
		json_put_count(&o, "total", atomic_load(&r->keys_total));
		json_close_object(&o);
	} else {
		put_keys(&o, r, true);
		put_totals(&o, r);
		put_leftovers(&o, r);
		put_nodes(&o, r);
		put_moves(&o, r);
		json_open_array(&o, "changes");
		if (r->changes.len > 0)
			json_put_raw(&o, NULL, buffer_bytes(&r->changes));
		json_close_array(&o);
		json_put_bool(&o, "changes_truncated", r->is_truncated);
	}
	if (r->id[0] != '\0')
		buffer_printf(out, ",\"changes_url\":\"/plans/%s/changes\"", r->id);
	json_close_object(&o);
}

void
report_summary(const struct report *r, struct buffer *out)
{
	struct json_out o = json_out(out);

	json_open_object(&o, NULL);
	json_put_text(&o, "plan", r->id);
	put_keys(&o, r, true);
	put_totals(&o, r);
	json_close_object(&o);
}

static void
put_pool(struct json_out *o, const char *name, const struct pool *pool)
{
	char *document = pool != NULL ? document_store(pool) : NULL;

	if (document != NULL)
		json_put_raw(o, name, hrw_text(document));
	else
		json_put_null(o, name);
	if (pool != NULL && document == NULL)
		o->to->failed = true; /* no memory: not to be taken for an empty pool */
	free(document);
}

void
report_inputs(const struct report *r, struct buffer *out)
{
	struct json_out o = json_out(out);
	struct hrw_bytes key;
	size_t at = 0;

	json_open_object(&o, NULL);
	put_pool(&o, "before", r->before_pool);
	put_pool(&o, "after", r->after_pool);
	json_put_text(&o, "source", source_name(r->source.kind));
	if (r->emptied != NULL && r->emptied[0] != '\0')
		json_put_text(&o, "emptied", r->emptied);
	if (r->source.kind == SOURCE_STORED)
		json_put_count(&o, "generation", r->source.generation);
	if (r->has_keys) {
		json_open_array(&o, "keys");
		while (record_next(buffer_bytes(&r->keys), &at, &key))
			json_put_key_element(&o, key);
		json_close_array(&o);
	}
	if (r->change != NULL)
		json_put_raw(&o, "change", hrw_text(r->change));
	if (r->before_pool != NULL)
		json_put_text(&o, "etag", r->before_pool->etag);
	json_close_object(&o);
}
