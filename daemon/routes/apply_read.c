/*
 * apply_read.c - from a request, or a kept plan, to a change.
 */
#include <stdlib.h>

#include "core/keytype.h"
#include "core/node.h"
#include "daemon/members/guard.h"
#include "daemon/members/source.h"
#include "daemon/routes/apply_private.h"
#include "daemon/routes/rights.h"

enum { WAIT_SECONDS = 10, CHANGES_MAX = 1000 };

static int
no_memory(struct request *req)
{
	return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for the change");
}

/* A parameter that knows one word. */
static int
read_word(struct request *req, const char *name, const char *word, bool *out)
{
	struct hrw_bytes value = request_parameter(req, name);
	char shown[HRW_SHOWN];

	*out = value.data != NULL && hrw_bytes_equal(value, hrw_text(word));
	if (value.data == NULL || *out)
		return 0;
	hrw_fault(&req->fault, HRW_BAD_PARAMETER, "%s is \"%s\": it can be %s, or be left out",
	    name, hrw_show(value, shown, sizeof(shown)), word);
	return hrw_fault_at(&req->fault, "%s", name);
}

/* ?settle=now or later, which is what a change does without. */
static int
read_settle(struct request *req, bool *is_now)
{
	struct hrw_bytes value = request_parameter(req, "settle");
	char shown[HRW_SHOWN];

	*is_now = value.data != NULL && hrw_bytes_equal(value, hrw_text("now"));
	if (value.data == NULL || *is_now || hrw_bytes_equal(value, hrw_text("later")))
		return 0;
	hrw_fault(&req->fault, HRW_BAD_PARAMETER,
	    "settle is \"%s\": it can be now (all copies are in place) or later (they are not, as "
	    "without it)",
	    hrw_show(value, shown, sizeof(shown)));
	return hrw_fault_at(&req->fault, "settle");
}

/* What is asked of the report. */
static int
read_report_parameters(struct apply *a)
{
	static const char *const forms[] = {"application/json", "application/x-ndjson", NULL};
	struct request *req = a->req;
	int64_t wait, changes;
	bool has_none;
	int rc;

	rc = read_word(req, "report", "none", &has_none);
	if (rc < 0)
		return rc;
	rc = request_number(
	    req, "wait", 0, WAIT_SECONDS_MAX, WAIT_SECONDS, HRW_BAD_PARAMETER, &wait);
	if (rc < 0)
		return rc;
	rc = request_number(
	    req, "changes", 0, CHANGES_MAX, CHANGES_MAX, HRW_BAD_PARAMETER, &changes);
	if (rc < 0)
		return rc;
	rc = request_flag(req, "sample", &a->is_sampled);
	if (rc < 0)
		return rc;
	a->wants_report = !has_none;
	a->wait_ms = (uint64_t)wait * 1000;
	a->changes = (size_t)changes;
	a->is_async = common_lists(request_header(req, "Prefer"), "respond-async");
	a->is_streamed = request_accepts(req, forms) == 1;
	return 0;
}

/* ?keep=false: such a report is in the answer or nowhere. */
static int
read_keep(struct apply *a)
{
	struct request *req = a->req;
	bool is_said = request_parameter(req, "keep").data != NULL;
	const char *against = NULL;
	int rc = request_flag(req, "keep", &a->is_kept);

	if (rc < 0)
		return rc;
	a->is_kept = a->is_kept || !is_said;
	if (a->is_kept)
		return 0;
	if (!a->is_dry_run)
		against = "a change, whose report is kept: it is for dry runs";
	else if (a->is_async)
		against = "Prefer: respond-async, which asks for the report later";
	else if (a->is_streamed)
		against = "Accept: application/x-ndjson, which lists the changes of a kept report";
	if (request_parameter(req, "wait").data == NULL)
		a->wait_ms = WAIT_SECONDS_MAX * 1000;
	if (against == NULL)
		return 0;
	hrw_fault(&req->fault, HRW_BAD_PARAMETER, "keep=false does not go with %s", against);
	return hrw_fault_at(&req->fault, "keep");
}

/* What binds the change, and who asks for it. The pool is named later. */
static int
read_change_parameters(struct apply *a)
{
	struct request *req = a->req;
	struct hrw_bytes force = request_parameter(req, "force");
	unsigned traits = order_traits(a->order.kind);
	struct change *c = a->change = change_new("");
	int rc;

	if (c == NULL)
		return no_memory(req);
	rc = request_flag(req, "dry_run", &c->is_dry_run);
	if (rc < 0)
		return rc;
	if (force.data != NULL) {
		rc = guard_read(force, &c->force, &req->fault);
		if (rc < 0)
			return rc;
	}
	rc = read_settle(req, &a->order.settles_now);
	if (rc < 0)
		return rc;
	if (traits & ORDER_ONLY_PLANS)
		c->is_dry_run = true;
	a->is_dry_run = c->is_dry_run;
	rc = read_keep(a);
	if (rc < 0)
		return rc;
	c->precondition.is_required = (traits & ORDER_NEEDS_MATCH) != 0;
	rc = common_reason(req, &c->reason);
	if (rc < 0)
		return rc;
	rc = precondition_check("If-Match", request_header(req, "If-Match"), &req->fault);
	if (rc == 0)
		rc = precondition_check(
		    "If-None-Match", request_header(req, "If-None-Match"), &req->fault);
	if (rc < 0)
		return rc;
	if (!hrw_text_copy(&c->precondition.if_match, request_header(req, "If-Match")) ||
	    !hrw_text_copy(&c->precondition.if_none_match, request_header(req, "If-None-Match")) ||
	    !hrw_text_copy(&c->by, req->by) || !hrw_text_copy(&c->from, req->peer))
		return no_memory(req);
	return 0;
}

int
apply_read_parameters(struct apply *a)
{
	int rc = read_report_parameters(a);

	return rc < 0 ? rc : read_change_parameters(a);
}

static int
name_pool(struct apply *a, struct hrw_bytes name)
{
	free(a->change->pool);
	a->change->pool = strndup((const char *)name.data, name.len);
	a->pool_name = strndup((const char *)name.data, name.len);
	return a->change->pool != NULL && a->pool_name != NULL ? 0 : no_memory(a->req);
}

static int
add_key(void *arg, struct hrw_bytes key)
{
	struct apply *a = arg;
	int rc = a->pool != NULL ? hrw_key_check(a->pool->present, key, &a->req->fault) : 0;

	if (rc < 0)
		return rc;
	record_add(&a->keys, key);
	a->key_count++;
	return a->keys.failed ? no_memory(a->req) : 0;
}

/* "keys" of a POST /changes or /plan: a set, as stored keys are. */
static int
read_keys(struct apply *a)
{
	const struct json *keys = NULL;
	int rc;

	if (a->order.kind == ORDER_CHANGES || a->order.kind == ORDER_PLAN)
		keys = json_get(a->body, "keys");
	a->has_keys = keys != NULL;
	if (keys == NULL)
		return 0;
	if (a->is_sampled) {
		hrw_fault(&a->req->fault, HRW_BAD_PARAMETER,
		    "sample=true estimates by sample keys, and the body has keys to count: leave "
		    "one of them out");
		return hrw_fault_at(&a->req->fault, "sample");
	}
	rc = common_json_keys(a->req, keys, add_key, a);
	if (rc >= 0 && records_unique(&a->keys, &a->key_count) < 0)
		rc = no_memory(a->req);
	return rc;
}

/* The pool of the request: it must be there, or be one that can be made. */
static int
check_pool(struct apply *a, struct hrw_bytes name)
{
	struct request *req = a->req;
	const struct pool *pool;

	if (a->pool != NULL)
		return 0;
	if (!(order_traits(a->order.kind) & ORDER_MAKES_POOL))
		return common_pool_named(req, name, &pool);
	return hrw_check_name(
	    name, req->app->config->members.limits->name_bytes, HRW_BAD_POOL, &req->fault);
}

/* Syntax, types and limits of the request, in which no pool is regarded. */
static int
read_request(struct apply *a)
{
	struct request *req = a->req;
	unsigned traits = order_traits(a->order.kind);
	int rc;

	rc = apply_read_parameters(a);
	if (rc < 0)
		return rc;
	if (traits & ORDER_NAMES_NODE)
		common_node_name(req->segment[0], &a->order.node);
	if (traits & ORDER_HAS_BODY) {
		a->body = json_parse(req->body, JSON_STRICT, &req->fault);
		if (a->body == NULL)
			return (int)req->fault.error;
		a->order.body = a->body;
	}
	rc = order_read(&a->order, req->app->config->members.limits, a->change, &req->fault);
	if (rc == 0)
		rc = rights_judge(req, a->change);
	return rc < 0 ? rc : read_keys(a);
}

/* A body that says whose it is must be sent to that pool. */
static int
check_said_pool(struct apply *a, struct hrw_bytes name)
{
	static const char *const members[] = {"pool", "name"};
	unsigned traits = order_traits(a->order.kind);
	char shown[HRW_SHOWN], own[HRW_SHOWN];

	/* A node's own name is no pool's; other bodies have neither member. */
	for (size_t i = 0; i < (traits & ORDER_MAKES_POOL ? 2 : 1); i++) {
		const struct json *said = json_get(a->body, members[i]);

		if (said == NULL || hrw_bytes_equal(json_bytes(said), name))
			continue;
		return json_fault(said, &a->req->fault, HRW_BAD_FIELD,
		    "the body is of pool %s, and the request changes \"%s\": name that pool in "
		    "the request, or leave the field out",
		    hrw_show(json_source(said), shown, sizeof(shown)),
		    hrw_show(name, own, sizeof(own)));
	}
	return 0;
}

int
apply_read_request(struct apply *a, struct hrw_bytes name)
{
	int rc = read_request(a);

	if (rc == 0)
		rc = check_pool(a, name);
	if (rc < 0)
		return rc;
	if (name.data == NULL)
		name = hrw_text(a->req->snapshot->default_name);
	rc = check_said_pool(a, name);
	return rc < 0 ? rc : name_pool(a, name);
}

/* A kept plan's order, to be applied to the very version it was made for. */
static int
read_plan(struct apply *a, const struct store_plan *plan)
{
	struct request *req = a->req;
	const char *etag;
	int rc;

	a->body = json_parse(hrw_text(plan->inputs), JSON_STRICT, &req->fault);
	if (a->body == NULL)
		return (int)req->fault.error;
	rc = order_parse(json_get(a->body, "change"), &a->order, &req->fault);
	if (rc < 0)
		return rc;
	rc = name_pool(a, hrw_text(plan->pool));
	if (rc < 0)
		return rc;
	etag = json_text(json_get(a->body, "etag"));
	if (!hrw_text_copy(&a->change->expected_etag, etag))
		return no_memory(req);
	/* A plan to make a pool holds as long as there is none. */
	if (etag == NULL && a->change->precondition.if_none_match == NULL &&
	    !hrw_text_copy(&a->change->precondition.if_none_match, "*"))
		return no_memory(req);
	a->pool = snapshot_pool(req->snapshot, hrw_text(plan->pool));
	rc = check_pool(a, hrw_text(plan->pool));
	if (rc < 0)
		return rc;
	rc = order_read(&a->order, req->app->config->members.limits, a->change, &req->fault);
	return rc < 0 ? rc : rights_judge(req, a->change);
}

void
apply_forget_place(struct hrw_fault *fault)
{
	if (fault->field[0] == '/')
		hrw_fault_at(fault, "%s", "");
}

int
apply_read_plan(struct apply *a, const struct store_plan *plan)
{
	int rc = read_plan(a, plan);

	if (rc < 0)
		apply_forget_place(&a->req->fault);
	return rc;
}
