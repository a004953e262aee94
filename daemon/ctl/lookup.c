/*
 * lookup.c - what is: who has a key, which nodes and pools there are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/owners.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/url.h"

/* Asks for a path about the argument's key. JSON is printed; else `show` is. */
static int
ask_key(struct ctl *ctl, const char *path, const char *shape,
    void (*show)(struct ctl *, const struct json *))
{
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	buffer_add_text(&url, path);
	url_parameter(&url, "key", hrw_text(ctl->argument[0]));
	if (ctl->options.copies != 0)
		url_number(&url, "copies", ctl->options.copies);
	if (ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), shape, &reply);
	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		show(ctl, reply.json);
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}

/* A member as it stands in JSON, a text without its quotes; null is "-". */
static void
cell(struct table *t, const struct json *object, const char *name)
{
	const struct json *j = json_get(object, name);
	struct hrw_bytes source;

	if (j == NULL || json_type(j) == JSON_NULL) {
		table_cell(t, "-");
	} else if (json_type(j) == JSON_STRING) {
		table_bytes(t, json_bytes(j));
	} else if (json_type(j) == JSON_BOOL) {
		table_cell(t, "%s", json_bool(j) ? "yes" : "no");
	} else {
		source = json_source(j);
		table_cell(t, "%.*s", (int)source.len, (const char *)source.data);
	}
}

/* For each of `names` (separated by spaces) a cell. */
static void
cells(struct table *t, const struct json *object, const char *names)
{
	while (*names != '\0') {
		size_t len = strcspn(names, " ");
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		cell(t, object, name);
		names += len + (names[len] == ' ');
	}
}

static void
show_owner(struct ctl *ctl, const struct json *j)
{
	const char *owner = client_shown(j, "/owner"), *node = client_shown(j, "/node");

	fprintf(ctl->out, "%s  %s", node, client_shown(j, "/address"));
	if (strcmp(owner, node) != 0)
		fprintf(ctl->out, "  (instead of the owner %s, which is not healthy)", owner);
	fputc('\n', ctl->out);
}

int
lookup_owner(struct ctl *ctl)
{
	return owners_are_asked(ctl) ? owners_ask(ctl, false)
				     : ask_key(ctl, "/owner", "owner$ node$", show_owner);
}

static void
show_replicas(struct ctl *ctl, const struct json *j)
{
	struct table t = {0};

	table_column(&t, TABLE_LEFT, "NODE");
	table_column(&t, TABLE_LEFT, "ADDRESS");
	table_column(&t, TABLE_LEFT, "ZONE");
	table_column(&t, TABLE_LEFT, "READ");
	json_each (node, json_get(j, "replicas")) {
		cells(&t, node, "node address zone");
		table_cell(&t, "%s", json_bool(json_get(node, "warm")) ? "warm" : "cold");
	}
	json_each (node, json_get(j, "fallback")) {
		cells(&t, node, "node address zone");
		table_cell(&t, "fallback");
	}
	table_print(&t, ctl->out, &ctl->terminal);
}

int
lookup_replicas(struct ctl *ctl)
{
	return owners_are_asked(ctl)
		   ? owners_ask(ctl, true)
		   : ask_key(ctl, "/replicas", "replicas[ copies#", show_replicas);
}

/* With as many digits each, so that their points stand below each other. */
static void
score_cell(struct table *t, const struct json *score)
{
	if (score != NULL && json_type(score) == JSON_NUMBER)
		table_cell(t, "%.6f", json_number(score));
	else
		table_cell(t, "-");
}

static void
show_explain(struct ctl *ctl, const struct json *j)
{
	struct table t = {0};

	table_column(&t, TABLE_RIGHT, "RANK");
	table_column(&t, TABLE_LEFT, "NODE");
	table_column(&t, TABLE_RIGHT, "RAW");
	table_column(&t, TABLE_RIGHT, "SCORE");
	table_column(&t, TABLE_RIGHT, "WEIGHT");
	table_column(&t, TABLE_LEFT, "STATE");
	table_column(&t, TABLE_LEFT, "ZONE");
	table_column(&t, TABLE_LEFT, "WHY");
	json_each (node, json_get(j, "nodes")) {
		cells(&t, node, "rank node raw");
		score_cell(&t, json_get(node, "score"));
		cells(&t, node, "weight state zone why");
		if (json_bool(json_get(node, "chosen")))
			table_style(&t, STYLE_GOOD);
	}
	table_print(&t, ctl->out, &ctl->terminal);
}

int
lookup_explain(struct ctl *ctl)
{
	return ask_key(ctl, "/explain", "nodes[", show_explain);
}

int
lookup_list(struct ctl *ctl, const char *path, const char *shape, struct reply *reply)
{
	struct buffer url = {0};
	int rc;

	buffer_add_text(&url, path);
	if (ctl->options.pool != NULL && strncmp(path, "/pools", 6) != 0)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), shape, reply);
	buffer_fini(&url);
	return rc;
}

static enum terminal_style
state_style(const char *state)
{
	return strcmp(state, "active") == 0 ? STYLE_NONE : STYLE_WARN;
}

void
lookup_show_nodes(const struct ctl *ctl, const struct json *j)
{
	enum { MANY_NODES = 50 };
	struct table t = {0};
	int digits = 1;

	table_column(&t, TABLE_LEFT, "NODE");
	table_column(&t, TABLE_LEFT, "ADDRESS");
	table_column(&t, TABLE_LEFT, "STATE");
	table_column(&t, TABLE_RIGHT, "WEIGHT");
	table_column(&t, TABLE_RIGHT, "SHARE");
	table_column(&t, TABLE_LEFT, "ZONE");
	/* Shares of many nodes are small. */
	if (json_count(json_get(j, "nodes")) > MANY_NODES)
		digits = 3;
	json_each (node, json_get(j, "nodes")) {
		double share = json_number(json_get(node, "share"));

		cells(&t, node, "name address state");
		table_style(&t, state_style(client_text(node, "/state")));
		cell(&t, node, "weight");
		if (isnan(share))
			table_cell(&t, "-");
		else
			table_cell(&t, "%.*f %%", digits, share * 100);
		cell(&t, node, "zone");
	}
	table_print(&t, ctl->out, &ctl->terminal);
	client_warn(j);
}

/* All that is known of one node, a member a line. */
static int
show_one(struct ctl *ctl)
{
	struct buffer path = {0};
	struct reply reply = {0};
	struct table t = {0};
	int rc;

	buffer_add_text(&path, "/nodes");
	url_segment(&path, ctl->argument[0]);
	rc = path.failed ? ctl_no_memory()
			 : lookup_list(ctl, buffer_text(&path), "name$ address$", &reply);
	if (rc == 0 && ctl->is_json) {
		client_print(&reply.body);
	} else if (rc == 0) {
		table_column(&t, TABLE_LEFT, "NODE");
		table_column(&t, TABLE_LEFT, client_text(reply.json, "/name"));
		json_each (member, reply.json) {
			if (strcmp(json_name(member), "name") == 0)
				continue;
			table_cell(&t, "%s", json_name(member));
			cell(&t, reply.json, json_name(member));
		}
		table_print(&t, ctl->out, &ctl->terminal);
	}
	reply_fini(&reply);
	buffer_fini(&path);
	return rc;
}

int
lookup_nodes(struct ctl *ctl)
{
	struct reply reply = {0};
	int rc;

	if (ctl->argument_count > 0)
		return show_one(ctl);
	rc = lookup_list(ctl, "/nodes", "nodes[", &reply);

	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		lookup_show_nodes(ctl, reply.json);
	reply_fini(&reply);
	return rc;
}

void
lookup_pool_columns(struct table *t)
{
	table_column(t, TABLE_LEFT, "POOL");
	table_column(t, TABLE_RIGHT, "EPOCH");
	table_column(t, TABLE_LEFT, "PLACEMENT");
	table_column(t, TABLE_RIGHT, "COPIES");
	table_column(t, TABLE_RIGHT, "NODES");
	table_column(t, TABLE_RIGHT, "KEYS");
	table_column(t, TABLE_LEFT, "SETTLED");
	table_column(t, TABLE_LEFT, "FINGERPRINT");
}

void
lookup_pool_row(struct table *t, const struct json *pool)
{
	cells(t, pool, "name epoch placement copies nodes");
	table_count(t, client_count(pool, "/keys"));
	cells(t, pool, "settled fingerprint");
}

int
lookup_pools(struct ctl *ctl)
{
	struct reply reply = {0};
	struct table t = {0};
	int rc = lookup_list(ctl, "/pools?limit=1000", "pools[", &reply);

	if (rc != 0)
		goto out;
	if (ctl->is_json) {
		client_print(&reply.body);
		goto out;
	}
	lookup_pool_columns(&t);
	json_each (pool, json_get(reply.json, "pools"))
		lookup_pool_row(&t, pool);
	table_print(&t, ctl->out, &ctl->terminal);
	if (json_get(reply.json, "next") != NULL)
		fputs("(these are the first 1,000)\n", ctl->out);
out:
	reply_fini(&reply);
	return rc;
}
