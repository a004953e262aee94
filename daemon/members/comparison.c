/*
 * comparison.c - a placement at a time: its memberships, its times, its keys.
 */
#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "core/compare.h"
#include "daemon/members/build.h"
#include "daemon/members/comparison.h"
#include "daemon/members/nobody.h"
#include "daemon/members/source.h"

/* Lookups are timed by so many at once, since a look at the clock takes about as
 * long as one lookup does; the median of blocks is told. */
enum { BLOCK_KEYS = 16, BLOCKS_MAX = 4096 };

/* One placement's turn. */
struct turn {
	struct comparison *comparison;
	const struct hrw_membership *template;
	struct hrw_membership *before, *after; /* after NULL: no change */
	struct hrw_compared compared;
	uint64_t prepare_ns;
	size_t index_bytes;
	double block_ns[BLOCKS_MAX]; /* a lookup, by block */
	size_t blocks;
};

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool
is_stopping(struct comparison *c)
{
	return atomic_load(&c->errand.is_stopping);
}

/* The pool's nodes under the turn's placement, with the change or without. */
static int
place(struct turn *t, bool has_change, struct hrw_membership **out, struct hrw_fault *fault)
{
	struct comparison *c = t->comparison;
	size_t more = has_change ? c->change->count : 0;
	struct task *task = calloc(more + 2, sizeof(*task));
	/* A field that one of the placements uses is no reason to refuse the others. */
	struct change change = {.pool = c->pool->name, .task = task, .takes_unused = true};
	struct pool_terms terms;
	int rc;

	if (task == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory to compare");
	/* Tasks are only read, so that texts and templates can be borrowed. */
	task[change.count++] =
	    (struct task){.op = TASK_PLACEMENT, .template = (struct hrw_membership *)t->template};
	if (c->copies != 0)
		task[change.count++] = (struct task){.op = TASK_COPIES, .copies = c->copies};
	for (size_t i = 0; i < more; i++)
		task[change.count++] = c->change->task[i];
	rc = edit_apply(&change, c->pool, c->now_ms, c->limits, out, &terms, fault);
	free(task);
	return rc;
}

static int
prepare(struct turn *t, struct hrw_fault *fault)
{
	const struct hrw_placement *placement = t->template->placement;
	uint64_t began;
	void *index;
	int rc;

	rc = place(t, false, &t->before, fault);
	if (rc == 0 && t->comparison->change != NULL)
		rc = place(t, true, &t->after, fault);
	if (rc < 0)
		return rc;
	/* Once more, by itself: freezing does other things, too. */
	began = now_ns();
	rc = placement->prepare(t->before, &index, fault);
	t->prepare_ns = now_ns() - began;
	if (rc < 0)
		return rc;
	t->index_bytes = placement->size(index);
	placement->free(index);
	rc = hrw_compared_init(&t->compared, t->before, t->after);
	return rc < 0 ? hrw_fault(fault, rc, "no memory to compare") : 0;
}

/* Looks the keys of a batch up again, which were looked up just now. */
static void
time_batch(struct turn *t, struct hrw_bytes records)
{
	size_t at = 0;
	bool has_more = true;

	while (has_more && t->blocks < BLOCKS_MAX) {
		struct hrw_bytes key[BLOCK_KEYS];
		size_t count = 0;
		uint32_t node;
		uint64_t began;

		while (count < BLOCK_KEYS && (has_more = record_next(records, &at, &key[count])))
			count++;
		if (count == 0)
			return;
		began = now_ns();
		for (size_t i = 0; i < count; i++)
			hrw_rank(t->before, key[i], 1, &node);
		t->block_ns[t->blocks++] = (double)(now_ns() - began) / (double)count;
	}
}

static int
count_keys(struct turn *t, struct source *source, struct hrw_fault *fault)
{
	struct buffer records = {0};
	long count = 0;
	int rc = 0;

	while (rc == 0 && !is_stopping(t->comparison) &&
	       (count = source_read(source, &records, fault)) > 0) {
		struct hrw_bytes key;
		size_t at = 0;

		while (rc == 0 && record_next(buffer_bytes(&records), &at, &key))
			rc = hrw_compared_key(&t->compared, key, fault);
		if (rc == 0)
			time_batch(t, buffer_bytes(&records));
		buffer_clear(&records);
	}
	buffer_fini(&records);
	return count < 0 ? (int)count : rc;
}

/* The keys as they stood when the comparison began: `first` tells which. */
static int
open_keys(struct turn *t, const struct source *first, struct source *out, struct hrw_fault *fault)
{
	struct comparison *c = t->comparison;

	switch (first->kind) {
	case SOURCE_STORED:
		return source_open_stored(
		    out, c->keyset, c->pool, first->generation, t->before, fault);
	case SOURCE_REQUEST:
		source_open_request(out, buffer_bytes(&c->keys), c->key_count);
		break;
	case SOURCE_ESTIMATE:
		/* Of the placement's own key type. */
		source_open_estimate(out, t->before);
		break;
	}
	return 0;
}

static int
number_cmp(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double
median(double *list, size_t count)
{
	qsort(list, count, sizeof(*list), number_cmp);
	return count % 2 == 1 ? list[count / 2] : (list[count / 2 - 1] + list[count / 2]) / 2;
}

static void
put_load(struct json_out *o, const char *name, const struct turn *t, const struct hrw_load *load)
{
	assert(t->before != NULL);
	json_open_object(o, name);
	json_put_text(o, "node", t->before->node[load->node].name);
	json_put_count(o, "keys", load->keys);
	json_put_number(o, "share", load->share);
	json_put_number(o, "fair_share", load->fair);
	json_close_object(o);
}

static void
put_spread(struct json_out *o, const struct turn *t)
{
	struct hrw_spread spread;

	if (!hrw_spread(t->before, t->compared.owned, &spread)) {
		json_put_null(o, "spread");
		return;
	}
	json_open_object(o, "spread");
	json_put_number(o, "deviation", spread.deviation);
	put_load(o, "busiest", t, &spread.busiest);
	put_load(o, "quietest", t, &spread.quietest);
	json_close_object(o);
}

static void
put_result(struct json_out *o, struct turn *t)
{
	const struct hrw_tally *tally = t->compared.tally;

	put_spread(o, t);
	json_put_count(o, "unplaced", t->compared.unplaced);
	if (tally != NULL) {
		json_put_count(o, "moved", tally->changed);
		json_put_count(o, "needless", tally->needless);
	} else {
		json_put_null(o, "moved");
		json_put_null(o, "needless");
	}
	json_put_count(o, "prepare_ns", t->prepare_ns);
	json_put_count(o, "index_bytes", t->index_bytes);
	if (t->blocks > 0)
		json_put_number(o, "lookup_ns", median(t->block_ns, t->blocks));
	else
		json_put_null(o, "lookup_ns");
}

void
comparison_put_error(struct json_out *o, const struct hrw_fault *fault)
{
	json_open_object(o, "error");
	json_put_text(o, "code", hrw_error_code(fault->error));
	json_put_text(o, "detail", fault->detail);
	json_close_object(o);
}

/* What no placement could mend refuses the whole. */
static bool
is_of_the_whole(int rc)
{
	return rc == HRW_UNKNOWN_NODE || rc == HRW_KEYS_CHANGED || rc == HRW_STORE_FAILED ||
	       rc == HRW_INTERNAL;
}

static int
take_turn(struct comparison *c, struct turn *t, const struct source *first, struct json_out *o)
{
	struct source source = {0};
	struct hrw_fault fault = {0};
	int rc = prepare(t, &fault);

	if (rc == 0)
		rc = open_keys(t, first, &source, &fault);
	if (rc == 0) {
		rc = count_keys(t, &source, &fault);
		source_close(&source);
		if (rc == 0 && t->compared.keys > 0 && t->compared.unplaced == t->compared.keys)
			rc = nobody_owns(t->before, NULL, &fault);
	}
	if (is_of_the_whole(rc)) {
		c->fault = fault;
	} else {
		json_open_object(o, NULL);
		document_placement_write(
		    o, "placement", t->before != NULL ? t->before : t->template);
		if (rc < 0)
			comparison_put_error(o, &fault);
		else
			put_result(o, t);
		json_close_object(o);
	}
	hrw_compared_fini(&t->compared);
	hrw_membership_free(t->before);
	hrw_membership_free(t->after);
	return is_of_the_whole(rc) ? rc : 0;
}

static void
put_head(struct json_out *o, const struct comparison *c, const struct source *first)
{
	struct buffer ops = {0};

	json_put_text(o, "pool", c->pool->name);
	json_put_count(o, "epoch", c->pool->epoch);
	json_put_count(o, "copies", c->copies != 0 ? c->copies : c->pool->present->copies);
	json_open_object(o, "keys");
	json_put_text(o, "source", source_name(first->kind));
	json_put_count(o, "total", first->total);
	if (first->kind == SOURCE_STORED)
		json_put_count(o, "generation", first->generation);
	json_close_object(o);
	if (c->change != NULL) {
		ops_asked(c->change, &ops);
		json_put_raw(o, "change", buffer_bytes(&ops));
		o->to->failed = o->to->failed || ops.failed;
		buffer_fini(&ops);
	} else {
		json_put_null(o, "change");
	}
}

static int
compare(struct comparison *c, struct turn *t)
{
	struct json_out o = json_out(&c->answer);
	struct source first;
	int rc = 0;

	if (c->has_keys)
		source_open_request(&first, buffer_bytes(&c->keys), c->key_count);
	else
		rc = source_open_stored(&first, c->keyset, c->pool, 0, c->pool->present, &c->fault);
	if (rc < 0)
		return rc;
	source_close(&first);
	json_open_object(&o, NULL);
	put_head(&o, c, &first);
	json_open_array(&o, "results");
	for (size_t i = 0; rc == 0 && i < c->count && !is_stopping(c); i++) {
		*t = (struct turn){.comparison = c, .template = c->template[i]};
		rc = take_turn(c, t, &first, &o);
	}
	json_close_array(&o);
	json_close_object(&o);
	return rc;
}

void
comparison_run(struct errand *errand)
{
	struct comparison *c = (struct comparison *)errand; /* its first member */
	struct turn *turn = malloc(sizeof(*turn));

	if (turn == NULL)
		c->rc = hrw_fault(&c->fault, HRW_INTERNAL, "no memory to compare");
	else
		c->rc = compare(c, turn);
	free(turn);
}

void
comparison_free(struct comparison *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->count; i++)
		hrw_membership_free(c->template[i]);
	pool_release(c->pool);
	change_free(c->change);
	buffer_fini(&c->keys);
	buffer_fini(&c->answer);
	free(c);
}
