/*
 * pools.c - pools made, shown and dropped; all of them as a configuration.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/body.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/follow.h"
#include "daemon/ctl/pools.h"
#include "daemon/ctl/submit.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/url.h"

static void
reason(struct buffer *out, const char *what, const char *why)
{
	buffer_printf(out, "%s%s %s", out->len > 0 ? ", " : "", what, why);
}

static bool
differs(const struct json *a, const struct json *b, const char *member)
{
	const struct json *x = json_get(a, member), *y = json_get(b, member);

	return x != NULL && y != NULL && !hrw_bytes_equal(json_source(x), json_source(y));
}

/* Of one node, against what it was when all copies were in place (NULL: not there). */
static void
node_reason(const struct json *node, const struct json *was, struct buffer *out)
{
	const char *name = client_text(node, "/name"), *state = client_text(node, "/state");
	bool is_new = was == NULL || json_bool(json_get(was, "empty"));

	if (strcmp(state, "joining") == 0)
		reason(out, name, "is joining");
	else if (strcmp(state, "draining") == 0 && !is_new)
		reason(out, name, "is draining");
	else if (strcmp(state, "draining") != 0 && is_new)
		reason(out, name, "is to be filled");
	else if (differs(node, was, "weight"))
		reason(out, name, "has another weight");
	else if (differs(node, was, "zone"))
		reason(out, name, "is in another zone");
}

void
pools_unsettled(const struct json *pool, struct buffer *out)
{
	const struct json *settled = json_get(pool, "settled");

	if (settled == NULL || json_type(settled) != JSON_OBJECT)
		return;
	if (differs(pool, settled, "placement"))
		reason(out, "the placement", "is another");
	if (differs(pool, settled, "copies"))
		reason(out, "the number of copies", "is another");
	json_each (node, json_get(pool, "nodes"))
		node_reason(node, follow_node(settled, client_text(node, "/name")), out);
	json_each (was, json_get(settled, "nodes"))
		if (follow_node(pool, client_text(was, "/name")) == NULL)
			reason(out, client_text(was, "/name"), "was removed");
	if (out->len == 0)
		buffer_add_text(out, "copies are still to be made");
}

static void
pool_path(const char *name, struct buffer *path)
{
	buffer_add_text(path, "/pools");
	url_segment(path, name);
}

int
pools_add(struct ctl *ctl)
{
	struct order order = {.method = "PUT", .names_pool = true, .if_none_match = "*"};
	struct ask ask = {.method = "GET", .shape = CLIENT_POOL};
	struct reply reply = {0};
	int rc = body_pool(&ctl->options, &order.body);

	pool_path(ctl->argument[0], &order.path);
	ask.path = buffer_text(&order.path);
	if (rc == 0)
		rc = client_ask(ctl, &ask, &reply);
	if (rc == 0 && reply.status == 200)
		rc = ctl_fail(CTL_CONFLICT,
		    "there is a pool \"%s\" already: hrwctl apply FILE --pool %s changes it",
		    ctl->argument[0], ctl->argument[0]);
	else if (rc == 0 && client_has_code(&reply, "unknown-pool"))
		rc = submit_order(ctl, &order);
	else if (rc == 0)
		rc = client_refused(ctl, &reply);
	reply_fini(&reply);
	order_fini(&order);
	return rc;
}

int
pools_set(struct ctl *ctl)
{
	struct order order = {.method = "PATCH", .names_pool = true};
	char *name = NULL;
	int rc = body_terms(&ctl->options, &order.body);

	if (rc == 0 && ctl->argument_count == 0)
		rc = follow_pool_name(ctl, &name);
	if (rc == 0) {
		pool_path(name != NULL ? name : ctl->argument[0], &order.path);
		rc = submit_order(ctl, &order);
	}
	free(name);
	order_fini(&order);
	return rc;
}

int
pools_drop(struct ctl *ctl)
{
	struct order order = {.method = "DELETE", .names_pool = true};
	int rc;

	pool_path(ctl->argument[0], &order.path);
	rc = submit_order(ctl, &order);
	order_fini(&order);
	return rc;
}

/* "rendezvous", or all of an object with parameters. */
void
pools_placement(const struct json *placement, struct table *t)
{
	if (json_type(placement) == JSON_STRING)
		table_bytes(t, json_bytes(placement));
	else if (json_count(placement) == 1)
		table_cell(t, "%s", client_text(placement, "/name"));
	else
		table_bytes(t, json_source(placement));
}

static void
show_members(const struct ctl *ctl, const struct json *pool)
{
	struct buffer unsettled = {0};
	struct table t = {0};

	table_column(&t, TABLE_LEFT, "POOL");
	table_column(&t, TABLE_LEFT, client_text(pool, "/name"));
	json_each (member, pool) {
		const char *name = json_name(member);

		if (strcmp(name, "name") == 0 || strcmp(name, "nodes") == 0)
			continue;
		table_cell(&t, "%s", name);
		if (strcmp(name, "placement") == 0) {
			pools_placement(member, &t);
		} else if (json_type(member) == JSON_NULL) {
			table_cell(&t, "-");
		} else if (json_type(member) == JSON_STRING) {
			table_bytes(&t, json_bytes(member));
		} else if (strcmp(name, "settled") != 0) {
			table_bytes(&t, json_source(member));
		} else {
			pools_unsettled(pool, &unsettled);
			table_cell(&t, "%s%s", unsettled.len > 0 ? "no: " : "yes",
			    unsettled.len > 0 ? buffer_text(&unsettled) : "");
		}
	}
	table_print(&t, ctl->out, &ctl->terminal);
	buffer_fini(&unsettled);
}

int
pools_show(struct ctl *ctl)
{
	struct buffer url = {0};
	struct reply reply = {0};
	char *name = NULL;
	int rc = 0;

	if (ctl->argument_count == 0)
		rc = follow_pool_name(ctl, &name);
	if (rc != 0)
		return rc;
	pool_path(name != NULL ? name : ctl->argument[0], &url);
	if (ctl->options.epoch != 0)
		url_number(&url, "epoch", ctl->options.epoch);
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), CLIENT_POOL, &reply);
	if (rc == 0 && ctl->is_json) {
		client_print(&reply.body);
	} else if (rc == 0) {
		show_members(ctl, reply.json);
		fputc('\n', ctl->out);
		lookup_show_nodes(ctl, reply.json);
	}
	reply_fini(&reply);
	buffer_fini(&url);
	free(name);
	return rc;
}

int
pools_each(
    struct ctl *ctl, int (*take)(struct ctl *ctl, const struct json *summary, void *arg), void *arg)
{
	struct reply page = {0};
	char next[256] = "";
	int rc;

	do {
		struct buffer url = {0};

		buffer_add_text(&url, "/pools?limit=1000");
		if (next[0] != '\0')
			url_parameter(&url, "after", hrw_text(next));
		rc = url.failed ? ctl_no_memory()
				: client_get(ctl, buffer_text(&url), "pools[", &page);
		buffer_fini(&url);
		if (rc == 0)
			json_each (pool, json_get(page.json, "pools"))
				if (rc == 0)
					rc = take(ctl, pool, arg);
		snprintf(next, sizeof(next), "%s", client_text(page.json, "/next"));
		reply_fini(&page);
	} while (rc == 0 && next[0] != '\0');
	return rc;
}

int
pools_get(struct ctl *ctl, const char *name, struct reply *reply)
{
	struct buffer url = {0};
	int rc;

	pool_path(name, &url);
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), CLIENT_POOL, reply);
	buffer_fini(&url);
	return rc;
}

static void
put_but(struct json_out *o, const char *name, const struct json *object, const char *left_out)
{
	json_open_object(o, name);
	json_each (member, object) {
		const char *own = json_name(member);

		if (option_lists(left_out, own, strlen(own)))
			continue;
		if (strcmp(own, "nodes") != 0) {
			json_put_tree(o, own, member);
			continue;
		}
		json_open_array(o, own);
		json_each (node, member)
			put_but(o, NULL, node, "state_since joined_epoch share health");
		json_close_array(o);
	}
	json_close_object(o);
}

/* A pool a line: so two dumps can be compared by diff(1). */
static int
dump_one(struct ctl *ctl, const char *name, struct buffer *text)
{
	struct json_out o = json_out(text);
	struct reply reply = {0};
	int rc = pools_get(ctl, name, &reply);

	if (rc == 0) {
		buffer_add_text(text, text->len > 0 ? ",\n" : "");
		json_quote(text, hrw_text(name));
		buffer_add_text(text, ":");
		put_but(&o, NULL, reply.json,
		    "name epoch lineage fingerprint settled only_joins keys warnings");
		if (!json_bool(json_get(reply.json, "settled")) &&
		    json_type(json_get(reply.json, "settled")) != JSON_NULL)
			fprintf(stderr,
			    "hrwctl: pool %s is not settled: what is dumped says nothing of copies "
			    "that are still to be made\n",
			    ctl_shown(name));
	}
	reply_fini(&reply);
	return rc;
}

static int
dump_pool(struct ctl *ctl, const struct json *summary, void *text)
{
	return dump_one(ctl, client_text(summary, "/name"), text);
}

int
pools_dump(struct ctl *ctl)
{
	struct buffer text = {0};
	int rc = ctl->options.pool != NULL ? dump_one(ctl, ctl->options.pool, &text)
					   : pools_each(ctl, dump_pool, &text);

	if (rc == 0 && text.failed)
		rc = ctl_no_memory();
	if (rc == 0) {
		client_put(hrw_text("{\"pools\":{\n"));
		client_put(buffer_bytes(&text));
		client_put(hrw_text("\n}}\n"));
	}
	buffer_fini(&text);
	return rc;
}
