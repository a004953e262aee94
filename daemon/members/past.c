/*
 * past.c - walks the epochs back.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/members/document.h"
#include "daemon/members/past.h"

/* So many documents hold the memberships that count in all but pools that change without
 * end, and a long history does not hold up a report. */
enum { EPOCHS_MAX = 4096 };

void
past_close(struct past *past)
{
	hrw_leftovers_free(past->leftovers);
	for (size_t i = 0; i < past->pools; i++)
		pool_release(past->pool[i]);
	*past = (struct past){0};
}

/* The first epoch of a node that may gain an old copy; UINT64_MAX: there is none. */
static uint64_t
first_joined(const struct hrw_plan *plan)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < plan->count; i++) {
		const struct hrw_node *node = hrw_membership_find(plan->before, plan->name[i]);

		if (node != NULL && plan->node[i].can_give && plan->node[i].takes_after &&
		    node->joined < first)
			first = node->joined;
	}
	return first;
}

static bool
is_known(const struct past *past, const struct hrw_membership *m)
{
	for (size_t i = 0; i < past->count; i++)
		if (hrw_holders_same(past->past[i].membership, m))
			return true;
	return false;
}

/* True where the membership is one more. */
static bool
add(struct past *past, const struct hrw_plan *plan, const struct hrw_membership *m, uint64_t epoch)
{
	if (past->count == HRW_LEFTOVERS_MAX || hrw_holders_same(m, plan->before) ||
	    is_known(past, m))
		return false;
	past->past[past->count++] = (struct hrw_past){m, epoch};
	return true;
}

/* What the pool's nodes were written to for, in that version. Takes the pool. */
static void
add_pool(struct past *past, const struct hrw_plan *plan, struct pool *then)
{
	bool is_new = add(past, plan, then->present, then->epoch);

	if (!pool_is_settled(then) && add(past, plan, then->settled, then->epoch))
		is_new = true;
	if (is_new)
		past->pool[past->pools++] = then;
	else
		pool_release(then);
}

/* The pool as of an epoch. 1, 0 where the history does not reach so far back. */
static int
load(struct store *store, const struct pool *before, uint64_t epoch, struct pool **out,
    struct hrw_fault *fault)
{
	char *document = store_document(store, before->name, before->lineage, epoch, fault);

	if (document == NULL)
		return fault->error == HRW_UNKNOWN_EPOCH ? 0 : (int)fault->error;
	*out = document_load(before->name, document, fault);
	free(document);
	return *out != NULL ? 1 : (int)fault->error;
}

static int
load_all(struct past *past, struct store *store, const struct hrw_plan *plan,
    const struct pool *before, int64_t now_ms, struct hrw_fault *fault)
{
	int64_t ttl_ms = (int64_t)before->terms.max_ttl * 1000;
	int64_t ended_ms = before->made_ms;
	uint64_t first = first_joined(plan);
	uint64_t last = before->epoch > EPOCHS_MAX ? before->epoch - EPOCHS_MAX : 1;
	uint64_t epoch = before->epoch - 1;

	if (first == UINT64_MAX)
		return 0;
	last = first > last ? first : last;
	for (; epoch >= last && past->count < HRW_LEFTOVERS_MAX; epoch--) {
		struct pool *then = NULL;
		int rc;

		if (ttl_ms > 0 && ended_ms != 0 && ended_ms + ttl_ms < now_ms)
			return 0;
		rc = load(store, before, epoch, &then, fault);
		if (rc <= 0 || then == NULL) {
			past->is_whole = false;
			return rc;
		}
		ended_ms = then->made_ms;
		add_pool(past, plan, then);
	}
	past->is_whole = past->count == HRW_LEFTOVERS_MAX || last == first;
	return 0;
}

int
past_open(struct past *past, struct store *store, const struct hrw_plan *plan,
    const struct pool *before, int64_t now_ms, struct hrw_fault *fault)
{
	bool is_whole;
	int rc = 0;

	*past = (struct past){.is_whole = true};
	if (before == NULL || hrw_holders_same(plan->before, plan->after))
		return 0;
	rc = load_all(past, store, plan, before, now_ms, fault);
	if (rc == 0 && past->count > 0) {
		past->leftovers = hrw_leftovers_new(plan, past->past, past->count);
		if (past->leftovers == NULL)
			rc = hrw_fault(fault, HRW_INTERNAL, "no memory for a report");
	}
	is_whole = past->is_whole;
	if (rc == 0 && past->leftovers != NULL && hrw_leftovers_are_possible(past->leftovers))
		return 0;
	past_close(past);
	past->is_whole = is_whole;
	return rc;
}
