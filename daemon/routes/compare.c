/*
 * compare.c - POST /compare: several placements side by side, before one is
 * chosen.
 */
#include <stdlib.h>

#include "daemon/base/wall.h"
#include "daemon/members/comparison.h"
#include "daemon/members/source.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"

struct asking {
	struct request *req;
	struct json *body;
	struct comparison *comparison;
};

static void
asking_free(void *state)
{
	struct asking *a = state;

	json_free(a->body);
	comparison_free(a->comparison);
	free(a);
}

static int
read_placements(struct asking *a)
{
	const struct json *list = json_get(a->body, "placements");
	struct comparison *c = a->comparison;

	if (list == NULL)
		return json_lacks(a->body, "placements", &a->req->fault, HRW_BAD_FIELD,
		    "\"placements\" is missing: give a list of those to compare, such as "
		    "[\"rendezvous\",{\"name\":\"ring\",\"vnodes\":100}]");
	return document_placements_read(
	    list, COMPARISON_PLACEMENTS_MAX, c->template, &c->count, &a->req->fault);
}

/* What is compared are the placements, with the keys of this request. */
static int
read_change(struct asking *a)
{
	const struct json *change = json_get(a->body, "change");
	struct comparison *c = a->comparison;
	struct hrw_fault *fault = &a->req->fault;
	const struct json *stranger;

	if (change == NULL)
		return 0;
	stranger = json_get(change, "placement");
	if (stranger == NULL)
		stranger = json_get(change, "keys");
	if (stranger != NULL)
		return json_fault(stranger, fault, HRW_BAD_FIELD,
		    "a change that is compared has no \"%s\": name it beside \"change\"%s",
		    json_name(stranger),
		    strcmp(json_name(stranger), "placement") == 0 ? ", in \"placements\"" : "");
	c->change = change_new("");
	if (c->change == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory to compare");
	return change_read(c->change, change, true, c->limits, fault);
}

static int
add_key(void *arg, struct hrw_bytes key)
{
	struct comparison *c = arg;

	record_add(&c->keys, key);
	c->key_count++;
	return c->keys.failed ? HRW_INTERNAL : 0;
}

static int
read_body(struct asking *a)
{
	static const char *const names[] = {"placements", "copies", "change", "keys", NULL};
	struct comparison *c = a->comparison;
	struct request *req = a->req;
	const struct json *copies, *keys;
	int rc;

	a->body = json_parse(req->body, JSON_STRICT, &req->fault);
	if (a->body == NULL)
		return (int)req->fault.error;
	if (json_type(a->body) != JSON_OBJECT)
		return json_fault(a->body, &req->fault, HRW_BAD_FIELD,
		    "the body is %s: give an object such as "
		    "{\"placements\":[\"rendezvous\",\"ring\"]}",
		    json_type_name(json_type(a->body)));
	copies = json_get(a->body, "copies");
	keys = json_get(a->body, "keys");
	rc = json_only(a->body, names, &req->fault);
	if (rc == 0)
		rc = read_placements(a);
	if (rc == 0 && copies != NULL)
		rc = document_copies_read(copies, c->limits, &c->copies, &req->fault);
	if (rc == 0)
		rc = read_change(a);
	c->has_keys = keys != NULL;
	if (rc == 0 && keys != NULL)
		rc = common_json_keys(req, keys, add_key, c);
	if (rc >= 0 && keys != NULL && records_unique(&c->keys, &c->key_count) < 0)
		rc = hrw_fault(&req->fault, HRW_INTERNAL, "no memory to compare");
	return rc;
}

static void
gone(struct request *req)
{
	struct asking *a = req->state;

	errand_stop(&a->comparison->errand);
}

static void
compared(struct errand *errand)
{
	struct asking *a = errand->owner;
	struct request *req = a->req;
	struct comparison *c = a->comparison;

	if (c->rc < 0) {
		req->fault = c->fault;
		request_resume(req, c->rc);
	} else if (atomic_load(&errand->is_stopping)) {
		request_resume(req, respond_empty(req, 204)); /* nobody reads it */
	} else {
		request_resume(req, respond_json(req, 200, &c->answer));
	}
}

int
compare_post(struct request *req)
{
	struct asking *a = calloc(1, sizeof(*a));
	const struct pool *pool = NULL;
	struct comparison *c;
	int rc;

	if (a == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory to compare");
	req->state = a;
	req->state_free = asking_free;
	a->req = req;
	c = a->comparison = calloc(1, sizeof(*c));
	if (c == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory to compare");
	c->limits = req->app->config->members.limits;
	c->keyset = req->app->keyset;
	c->now_ms = wall_ms();
	rc = read_body(a);
	if (rc == 0)
		rc = common_pool(req, &pool);
	if (rc < 0)
		return rc;
	c->pool = pool_acquire((struct pool *)pool);
	common_headers(req, pool);
	c->errand = (struct errand){.run = comparison_run, .done = compared, .owner = a};
	rc = errand_start(req->app->reports, &c->errand, &req->fault);
	return rc < 0 ? rc : request_suspend(req, gone);
}
