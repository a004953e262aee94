/*
 * apply_private.h - a request for a change under way: what apply.c, apply_read.c and
 * apply_answer.c share.
 */
#ifndef HRWD_ROUTES_APPLY_PRIVATE_H
#define HRWD_ROUTES_APPLY_PRIVATE_H

#include "daemon/members/report.h"
#include "daemon/routes/apply.h"
#include "daemon/routes/common.h"

enum { WAIT_SECONDS_MAX = 300 };

struct apply {
	struct request *req;
	struct order order;
	struct json *body;	 /* what order.body points into */
	const struct pool *pool; /* as it stood when the request came; NULL: none */
	struct change *change;	 /* until the writer has it */
	char *pool_name, *plan_id;
	char set[KEYSET_NAME]; /* of a pool that was removed */
	bool is_dry_run;
	int rc; /* of the work off the loop */

	/* What is wanted of the report. */
	bool wants_report, is_async, is_streamed;
	bool is_kept, is_sampled;
	uint64_t wait_ms;
	size_t changes;
	struct buffer keys; /* sent along, as records */
	bool has_keys;
	uint64_t key_count;

	/* What came of it. */
	struct buffer stored; /* the order, for the kept plan */
	struct buffer bare;   /* the answer where there is no report */
	unsigned status;
	struct report *report;
	struct changes *listed;
	uv_work_t work;
	bool is_gone; /* the client, that is */
};

/* Parameters and headers: what is wanted of the report, what binds the change and
 * who asks for it. Fills a->change, whose pool is named later. */
int apply_read_parameters(struct apply *a);

/* The order of a request and its pool, judged by syntax, types, limits, rights and
 * whether there is such a pool, in this order.
 *   name  of the pool, as the request says it; data NULL: the default one */
int apply_read_request(struct apply *a, struct hrw_bytes name);

/* A kept plan's order, to be applied to the very version it was made for. Where it
 * is at fault is no place in this request. */
int apply_read_plan(struct apply *a, const struct store_plan *plan);
void apply_forget_place(struct hrw_fault *fault);

/* Answers once the outcome stands, with the report where one is wanted; the
 * connection is suspended until then. */
void apply_answer(struct apply *a, const struct outcome *out, int64_t history);

/* A line for what was done, or refused by a guard; what is so already, or was only
 * planned, is no news. */
void apply_tell(const struct apply *a, const struct outcome *out);

#endif
