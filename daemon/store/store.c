/*
 * store.c - hands each call to the kind of store it is.
 */
#include <stdlib.h>
#include <time.h>

#include "daemon/store/methods.h"

/* An outcome that is the store's own failure is counted; it is passed on. */
static int
noted(struct store *s, int rc)
{
	if (rc == HRW_STORE_FAILED)
		atomic_fetch_add_explicit(&s->figures.errors, 1, memory_order_relaxed);
	return rc;
}

static uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

const struct store_figures *
store_figures(const struct store *s)
{
	return &s->figures;
}

void
store_close(struct store *s)
{
	if (s != NULL)
		s->methods->close(s);
}

bool
store_is_writable(const struct store *s)
{
	return s->methods->is_writable;
}

bool
store_has_changed(struct store *s)
{
	return s->methods->has_changed != NULL && s->methods->has_changed(s);
}

bool
store_is_lost(struct store *s)
{
	return s->methods->is_lost != NULL && s->methods->is_lost(s);
}

int
store_copy(struct store *s, const char *to, struct hrw_fault *fault)
{
	if (s->methods->copy == NULL)
		return hrw_fault(fault, HRW_READ_ONLY,
		    "the pools come from a plain file: keep a copy of that file instead");
	return noted(s, s->methods->copy(s, to, fault));
}

bool
store_is_earlier(struct store *s, const char *pool, const char *was, const char *lineage)
{
	return s->methods->is_earlier != NULL && s->methods->is_earlier(s, pool, was, lineage);
}

void
store_reading(struct store *s, struct store_reading *out)
{
	*out = (struct store_reading){0};
	if (s->methods->reading != NULL)
		s->methods->reading(s, out);
}

/* A file that others write counts its own failures: nothing is wrong with the disk. */
int
store_load(struct store *s, store_each_pool each, void *arg, struct hrw_fault *fault)
{
	int rc = s->methods->load(s, each, arg, fault);

	return s->methods->reading != NULL ? rc : noted(s, rc);
}

int
store_commit(struct store *s, struct store_write *write, struct hrw_fault *fault)
{
	return store_commit_all(s, write, 1, fault);
}

int
store_commit_all(struct store *s, struct store_write *writes, size_t count, struct hrw_fault *fault)
{
	uint64_t began = now_ns();
	int rc = s->methods->commit(s, writes, count, fault);

	if (rc == 0)
		histogram_add_shared(&s->figures.commit, now_ns() - began);
	return noted(s, rc);
}

char *
store_document(
    struct store *s, const char *pool, const char *lineage, uint64_t epoch, struct hrw_fault *fault)
{
	return s->methods->document(s, pool, lineage, epoch, fault);
}

int64_t
store_removed_at(struct store *s, const char *pool, const char *node)
{
	return s->methods->removed_at(s, pool, node);
}

int
store_history(struct store *s, const char *pool, int64_t after, size_t limit, store_each_entry each,
    void *arg, struct hrw_fault *fault)
{
	return noted(s, s->methods->history(s, pool, after, limit, each, arg, fault));
}

int
store_summarise(struct store *s, int64_t history_id, const char *summary, struct hrw_fault *fault)
{
	return noted(s, s->methods->summarise(s, history_id, summary, fault));
}

int
store_plan_put(struct store *s, const struct store_plan *plan, struct hrw_fault *fault)
{
	return noted(s, s->methods->plan_put(s, plan, fault));
}

int
store_plan_get(struct store *s, const char *id, struct store_plan *out, struct hrw_fault *fault)
{
	return noted(s, s->methods->plan_get(s, id, out, fault));
}

int
store_unknown_plan(const char *id, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_UNKNOWN_PLAN,
	    "there is no plan %s: it never was, or was let go for newer ones (limits.plans)", id);
}

void
store_plan_fini(struct store_plan *plan)
{
	free(plan->pool);
	free(plan->state);
	free(plan->report);
	free(plan->inputs);
	*plan = (struct store_plan){0};
}

int
store_plans(struct store *s, const char *pool, const char *after, size_t limit,
    store_each_plan each, void *arg, struct hrw_fault *fault)
{
	return noted(s, s->methods->plans(s, pool, after, limit, each, arg, fault));
}

int
store_trim(struct store *s, size_t plans, size_t history, struct hrw_fault *fault)
{
	return noted(s, s->methods->trim(s, plans, history, fault));
}
