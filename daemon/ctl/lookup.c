/*
 * lookup.c - what is: who has a key, which nodes and pools there are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/upload.h"
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

/* More than one key, or keys on stdin: one request, so that one epoch answers. */
static bool
is_many(const struct ctl *ctl)
{
	return ctl->argument_count > 1 || strcmp(ctl->argument[0], "-") == 0;
}

/* "key<TAB>cache-d" or "key<TAB>cache-d,cache-a", as POST /owners has it as text; in
 * the order of the arguments. */
static void
show_results(const struct ctl *ctl, const struct json *j)
{
	struct buffer line = {0};
	size_t at = 0;

	json_each (result, json_get(j, "results")) {
		const struct json *replicas = json_get(result, "replicas");

		if (at == ctl->argument_count)
			break;
		buffer_clear(&line);
		buffer_printf(&line, "%s\t%s", ctl->argument[at++], client_text(result, "/owner"));
		json_each (node, replicas)
			buffer_printf(&line, "%s%s", node == json_first(replicas) ? "" : ",",
			    client_text(node, ""));
		buffer_add_text(&line, "\n");
		client_put(buffer_bytes(&line));
	}
	buffer_fini(&line);
}

/* The keys that are given, as a JSON array: a key may have a line feed. */
static void
put_keys(const struct ctl *ctl, struct buffer *body)
{
	struct json_out o = json_out(body);

	json_open_array(&o, NULL);
	for (size_t i = 0; i < ctl->argument_count; i++)
		json_put_key_element(&o, hrw_text(ctl->argument[i]));
	json_close_array(&o);
}

static bool
write_answer(void *arg, struct hrw_bytes piece)
{
	const struct upload *u = arg;

	return client_write(u->ctl, piece);
}

/* Lines of stdin, answered in the form in which they are sent: however many, none is
 * kept here. */
static int
ask_stdin(struct ctl *ctl, const char *path)
{
	struct ask ask = {.method = "POST",
	    .path = path,
	    .type = ctl->is_json ? "application/x-ndjson" : "text/plain",
	    .read = ctl->is_json ? upload_read_dump : upload_read,
	    .write = write_answer};
	struct reply reply = {0};
	struct upload u;
	int rc = upload_open(&u, ctl, "-");

	u.kind = DUMP_REDIS; /* a key a line */
	u.may_be_empty = true;
	ask.accept = ask.type;
	if (rc == 0)
		rc = upload_send(&u, &ask, &reply);
	reply_fini(&reply);
	upload_close(&u);
	return rc;
}

/* copies   0: the owner */
static int
ask_many(struct ctl *ctl, uint64_t copies)
{
	struct ask ask = {.method = "POST", .type = "application/json", .shape = "results["};
	struct buffer url = {0}, body = {0};
	struct reply reply = {0};
	int rc;

	buffer_add_text(&url, "/owners");
	if (copies != 0)
		url_number(&url, "copies", copies);
	if (ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	ask.path = buffer_text(&url);
	if (ctl->argument_count == 1) {
		rc = url.failed ? ctl_no_memory() : ask_stdin(ctl, ask.path);
		goto out;
	}
	put_keys(ctl, &body);
	ask.body = buffer_bytes(&body);
	rc = url.failed || body.failed ? ctl_no_memory() : client_want(ctl, &ask, &reply);
	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		show_results(ctl, reply.json);
out:
	reply_fini(&reply);
	buffer_fini(&body);
	buffer_fini(&url);
	return rc;
}

/* POST /owners gives as many as it is told. */
static int
copies_of_pool(struct ctl *ctl, uint64_t *out)
{
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	buffer_add_text(&url, "/replicas?key=k");
	if (ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), "copies#", &reply);
	*out = client_count(reply.json, "/copies");
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
	return is_many(ctl) ? ask_many(ctl, 0) : ask_key(ctl, "/owner", "owner$ node$", show_owner);
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
	uint64_t copies = ctl->options.copies;
	int rc = 0;

	if (!is_many(ctl))
		return ask_key(ctl, "/replicas", "replicas[ copies#", show_replicas);
	if (copies == 0)
		rc = copies_of_pool(ctl, &copies);
	return rc == 0 ? ask_many(ctl, copies) : rc;
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
}

int
lookup_nodes(struct ctl *ctl)
{
	struct reply reply = {0};
	int rc = lookup_list(ctl, "/nodes", "nodes[", &reply);

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
