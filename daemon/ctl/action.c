/*
 * action.c - the commands that change a pool: each says what, submit.c does it.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/body.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/follow.h"
#include "daemon/ctl/submit.h"
#include "daemon/ctl/url.h"

/* A node's own route for one node; one change for several. */
static int
submit_named(struct ctl *ctl, const char *op, const char *method, const char *suffix)
{
	struct order order = {.method = method};
	struct json_out o = json_out(&order.body);
	int rc;

	if (ctl->argument_count == 1) {
		buffer_add_text(&order.path, "/nodes");
		url_segment(&order.path, ctl->argument[0]);
		buffer_add_text(&order.path, suffix);
	} else {
		order.method = "POST";
		buffer_add_text(&order.path, "/changes");
		json_open_object(&o, NULL);
		json_open_array(&o, op);
		for (size_t i = 0; i < ctl->argument_count; i++)
			json_put_text(&o, NULL, ctl->argument[i]);
		json_close_array(&o);
		json_close_object(&o);
	}
	rc = submit_order(ctl, &order);
	order_fini(&order);
	return rc;
}

int
action_drain(struct ctl *ctl)
{
	int rc = follow_judge(&ctl->options);

	if (rc == 0)
		rc = submit_named(ctl, "drain", "POST", "/drain");
	return rc == 0 && ctl->options.waits && !ctl->options.is_dry_run ? follow_drain(ctl) : rc;
}

int
action_activate(struct ctl *ctl)
{
	return submit_named(ctl, "activate", "POST", "/activate");
}

int
action_rejoin(struct ctl *ctl)
{
	return submit_named(ctl, "rejoin", "POST", "/rejoin");
}

int
action_remove(struct ctl *ctl)
{
	return submit_named(ctl, "remove", "DELETE", "");
}

int
action_add(struct ctl *ctl)
{
	const struct options *options = &ctl->options;
	struct order order = {.method = "POST"};
	struct json_out o = json_out(&order.body);
	int rc = 0;

	buffer_add_text(&order.path, "/nodes");
	json_open_object(&o, NULL);
	json_put_text(&o, "name", ctl->argument[0]);
	json_put_text(&o, "address", ctl->argument[1]);
	if (options->weight != NULL) {
		rc = body_number("--weight", options->weight);
		json_put_raw(&o, "weight", hrw_text(options->weight));
	}
	if (options->zone != NULL)
		json_put_text(&o, "zone", options->zone);
	if (options->is_joining && options->is_active)
		rc = ctl_fail(CTL_USAGE, "--joining and --active: a node is one of them");
	else if (options->is_joining || options->is_active)
		json_put_text(&o, "state", options->is_active ? "active" : "joining");
	json_close_object(&o);
	if (rc == 0)
		rc = submit_order(ctl, &order);
	order_fini(&order);
	return rc;
}

/* One field of one node; a number as it was written, a NULL text as null. */
static int
patch(struct ctl *ctl, const char *field, const char *number, const char *text)
{
	struct order order = {.method = "PATCH"};
	struct json_out o = json_out(&order.body);
	int rc;

	buffer_add_text(&order.path, "/nodes");
	url_segment(&order.path, ctl->argument[0]);
	json_open_object(&o, NULL);
	if (number != NULL)
		json_put_raw(&o, field, hrw_text(number));
	else
		json_put_text(&o, field, text);
	json_close_object(&o);
	rc = submit_order(ctl, &order);
	order_fini(&order);
	return rc;
}

int
action_reweight(struct ctl *ctl)
{
	int rc = body_number("the weight", ctl->argument[1]);

	return rc == 0 ? patch(ctl, "weight", ctl->argument[1], NULL) : rc;
}

int
action_address(struct ctl *ctl)
{
	return patch(ctl, "address", NULL, ctl->argument[1]);
}

int
action_zone(struct ctl *ctl)
{
	const char *zone = ctl->argument[1];

	return patch(ctl, "zone", NULL, strcmp(zone, "-") != 0 ? zone : NULL);
}

int
action_change(struct ctl *ctl)
{
	struct order order = {.method = "POST"};
	int rc =
	    body_change(ctl, ctl->argument_count > 0 ? ctl->argument[0] : NULL, NULL, &order.body);

	buffer_add_text(&order.path, "/changes");
	if (rc == 0)
		rc = submit_order(ctl, &order);
	order_fini(&order);
	return rc;
}

/* An order on the pool itself, by its name in the path. */
static int
submit_pool(struct ctl *ctl, struct order *order, const char *suffix)
{
	char *name = NULL;
	int rc = follow_pool_name(ctl, &name);

	if (rc == 0) {
		order->names_pool = true;
		buffer_add_text(&order->path, "/pools");
		url_segment(&order->path, name);
		buffer_add_text(&order->path, suffix);
		rc = submit_order(ctl, order);
	}
	free(name);
	order_fini(order);
	return rc;
}

int
action_settle(struct ctl *ctl)
{
	struct order order = {.method = "POST"};

	return submit_pool(ctl, &order, "/settle");
}

int
action_revert(struct ctl *ctl)
{
	struct order order = {.method = "POST"};
	struct json_out o = json_out(&order.body);
	int rc = body_number("the epoch", ctl->argument[0]);

	if (rc != 0)
		return rc;
	json_open_object(&o, NULL);
	json_put_raw(&o, "to", hrw_text(ctl->argument[0]));
	json_close_object(&o);
	return submit_pool(ctl, &order, "/revert");
}

/* The declared pool replaces the one that is there as it is there now, or is
 * made where there is none. 0, or what client_refused() returns. */
static int
declare(struct ctl *ctl, const char *name, const struct json *pool, struct order *order)
{
	struct json_out o = json_out(&order->body);
	struct reply reply = {0};
	struct ask ask = {.method = "GET", .shape = CLIENT_POOL};
	int rc;

	*order = (struct order){.method = "PUT", .names_pool = true};
	buffer_add_text(&order->path, "/pools");
	url_segment(&order->path, name);
	json_put_tree(&o, NULL, pool);
	ask.path = buffer_text(&order->path);
	rc = client_ask(ctl, &ask, &reply);
	if (rc == 0 && reply.status == 200 && reply.etag[0] == '\0')
		rc = client_stranger(ctl);
	else if (rc == 0 && reply.status == 200)
		snprintf(order->if_match, sizeof(order->if_match), "%s", reply.etag);
	else if (rc == 0 && client_has_code(&reply, "unknown-pool"))
		strcpy(order->if_none_match, "*");
	else if (rc == 0)
		rc = client_refused(ctl, &reply);
	reply_fini(&reply);
	return rc;
}

static int
declare_one(struct ctl *ctl, const char *name, const struct json *pool)
{
	struct order order;
	int rc = declare(ctl, name, pool, &order);

	if (rc == 0)
		rc = submit_order(ctl, &order);
	order_fini(&order);
	return rc;
}

static int
declare_all(struct ctl *ctl, const struct json *pools)
{
	size_t count = 0;
	struct order *orders = calloc(json_count(pools), sizeof(*orders));
	int rc = orders != NULL ? 0 : ctl_no_memory();

	json_each (pool, pools) {
		if (rc != 0)
			break;
		rc = declare(ctl, json_name(pool), pool, &orders[count]);
		orders[count++].pool = json_name(pool);
	}
	if (rc == 0)
		rc = submit_orders(ctl, orders, count);
	while (count > 0)
		order_fini(&orders[--count]);
	free(orders);
	return rc;
}

/* A whole configuration: the pool that is meant, or every one. */
static int
declare_configuration(struct ctl *ctl, const char *path, struct json *j)
{
	const char *only = ctl->options.pool;
	const struct json *pools = NULL, *pool;
	int rc = body_configuration(path, j, &pools);

	if (rc != 0)
		return rc;
	pool = only != NULL ? json_get(pools, only) : json_first(pools);
	if (pool == NULL)
		return ctl_fail(CTL_USAGE, "%s has no pool \"%s\"", path, only);
	return only == NULL && json_count(pools) > 1 ? declare_all(ctl, pools)
						     : declare_one(ctl, json_name(pool), pool);
}

int
action_apply(struct ctl *ctl)
{
	const char *path = ctl->argument[0], *in_file;
	struct json *j = body_json(path);
	char *name = NULL;
	int rc = CTL_USAGE;

	if (j == NULL)
		return CTL_USAGE;
	in_file = json_text(json_get(j, "name"));
	if (json_type(j) != JSON_OBJECT) {
		ctl_fail(CTL_USAGE, "%s holds %s: give a pool, an object with \"nodes\"", path,
		    json_type_name(json_type(j)));
	} else if (json_get(j, "pools") != NULL) {
		rc = declare_configuration(ctl, path, j);
	} else if (ctl->options.pool == NULL && in_file != NULL) {
		rc = declare_one(ctl, in_file, j);
	} else {
		rc = follow_pool_name(ctl, &name);
		if (rc == 0)
			rc = declare_one(ctl, name, j);
	}
	free(name);
	json_free(j);
	return rc;
}
