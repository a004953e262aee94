/*
 * plans.c - plans made, kept and applied; the history.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/body.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/planned.h"
#include "daemon/ctl/submit.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/url.h"

enum { PAGE_MAX = 1000 }; /* entries of GET /plans and GET /history at once */

int
plans_make(struct ctl *ctl)
{
	struct order order = {.method = "POST", .is_plan = true};
	int rc;

	if (ctl->options.offline != NULL)
		return offline_plan(ctl);
	buffer_add_text(&order.path, "/plan");
	rc = body_change(
	    ctl, ctl->argument_count > 0 ? ctl->argument[0] : NULL, ctl->options.keys, &order.body);
	if (rc == 0)
		rc = submit_order(ctl, &order);
	order_fini(&order);
	return rc;
}

static void
plan_path(const struct ctl *ctl, const char *suffix, struct buffer *url)
{
	buffer_add_text(url, "/plans");
	url_segment(url, ctl->argument[0]);
	buffer_add_text(url, suffix);
}

static int
get_plan(struct ctl *ctl, struct reply *reply)
{
	struct buffer url = {0};
	int rc;

	plan_path(ctl, "", &url);
	rc =
	    url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), CLIENT_REPORT, reply);
	buffer_fini(&url);
	return rc;
}

int
plans_show(struct ctl *ctl)
{
	struct reply reply = {0};
	int rc = get_plan(ctl, &reply);

	if (rc == 0 && ctl->options.watches)
		rc = submit_follow(ctl, &reply, "nothing is changed by that");
	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0 && strcmp(client_text(reply.json, "/state"), "running") == 0)
		fprintf(ctl->out, "running, %.0f %% done: --watch waits for its end\n",
		    json_number(json_get(reply.json, "progress")) * 100);
	else if (rc == 0)
		planned_show(ctl, reply.json);
	/* Who waited for the end of a report waited for all of it. */
	if (rc == 0 && ctl->options.watches &&
	    strcmp(client_text(reply.json, "/state"), "done") != 0)
		rc = ctl_fail(CTL_REFUSED, "the report is %s, and will not be done: plan it again",
		    client_text(reply.json, "/state"));
	reply_fini(&reply);
	return rc;
}

int
plans_apply(struct ctl *ctl)
{
	struct reply reply = {0};
	int rc = get_plan(ctl, &reply);

	if (rc == 0)
		rc = submit_follow(ctl, &reply, "nothing is changed");
	if (rc == 0 && !planned_is_idle(reply.json))
		planned_show(ctl, reply.json);
	if (rc == 0)
		rc = submit_plan(ctl, &reply);
	reply_fini(&reply);
	return rc;
}

int
plans_changes(struct ctl *ctl)
{
	const struct options *o = &ctl->options;
	struct ask ask = {.method = "GET",
	    .accept = o->is_csv ? "text/csv" : "application/x-ndjson",
	    .write = client_write,
	    .arg = ctl};
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	plan_path(ctl, "/changes", &url);
	if (o->lost != NULL)
		url_parameter(&url, "lost", hrw_text(o->lost));
	if (o->gained != NULL)
		url_parameter(&url, "gained", hrw_text(o->gained));
	if (o->source != NULL)
		url_parameter(&url, "from", hrw_text(o->source));
	if (o->leftover)
		url_parameter(&url, "leftover", hrw_text("true"));
	url_page(&url, o->limit, o->after);
	ask.path = buffer_text(&url);
	rc = url.failed ? ctl_no_memory() : client_ask(ctl, &ask, &reply);
	if (rc == 0 && reply.status != 200)
		rc = client_refused(ctl, &reply);
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}

static int
get_page(struct ctl *ctl, const char *path, const char *shape, struct reply *reply)
{
	const struct options *o = &ctl->options;
	struct buffer url = {0};
	int rc;

	if (o->limit > PAGE_MAX)
		return ctl_fail(CTL_USAGE,
		    "--limit is \"%llu\": this list comes %d at a time at most, and --after goes "
		    "on "
		    "behind them",
		    (unsigned long long)o->limit, PAGE_MAX);
	buffer_add_text(&url, path);
	url_page(&url, o->limit != 0 ? o->limit : OPTION_LINES, o->after);
	if (ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), shape, reply);
	buffer_fini(&url);
	return rc;
}

/* Where a list was cut: how to go on. */
static void
show_next(struct ctl *ctl, const struct json *j)
{
	const struct json *next = json_get(j, "next");
	struct hrw_bytes text;

	if (next == NULL)
		return;
	text = json_text(next) != NULL ? hrw_text(json_text(next)) : json_source(next);
	fprintf(ctl->out, "… (--after %.*s shows older ones)\n", (int)text.len,
	    (const char *)text.data);
}

/* "2026-01-02 03:04:05", UTC, of the time in JSON. */
static void
time_cell(struct table *t, const struct json *object)
{
	const char *at = client_text(object, "/at");

	table_cell(t, "%.10s %.8s", at, strlen(at) > 11 ? at + 11 : "");
}

static void
ops_cell(struct table *t, const struct json *object)
{
	struct buffer ops = {0};

	planned_ops(json_get(object, "change"), &ops);
	table_bytes(t, buffer_bytes(&ops));
	buffer_fini(&ops);
}

static void
epoch_cell(struct table *t, const struct json *object)
{
	uint64_t before = client_count(object, "/epoch_before"),
		 after = client_count(object, "/epoch_after");

	if (before == after)
		table_cell(t, "%llu", (unsigned long long)before);
	else
		table_cell(t, "%llu-%llu", (unsigned long long)before, (unsigned long long)after);
}

static void
show_plans(struct ctl *ctl, const struct json *j)
{
	struct table t = {0};

	table_column(&t, TABLE_LEFT, "PLAN");
	table_column(&t, TABLE_LEFT, "AT (UTC)");
	table_column(&t, TABLE_LEFT, "POOL");
	table_column(&t, TABLE_LEFT, "EPOCH");
	table_column(&t, TABLE_LEFT, "OUTCOME");
	table_column(&t, TABLE_LEFT, "STATE");
	table_column(&t, TABLE_RIGHT, "KEYS");
	table_column(&t, TABLE_RIGHT, "COLD");
	table_column(&t, TABLE_LEFT, "CHANGE");
	json_each (plan, json_get(j, "plans")) {
		table_cell(&t, "%s", client_text(plan, "/plan"));
		time_cell(&t, plan);
		table_cell(&t, "%s", client_text(plan, "/pool"));
		epoch_cell(&t, plan);
		table_cell(&t, "%s", client_text(plan, "/outcome"));
		table_cell(&t, "%s", client_text(plan, "/state"));
		table_count(&t, client_count(plan, "/keys/changed"));
		table_count(&t, client_count(plan, "/owners/cold"));
		ops_cell(&t, plan);
	}
	table_print(&t, ctl->out, &ctl->terminal);
	show_next(ctl, j);
}

int
plans_list(struct ctl *ctl)
{
	struct reply reply = {0};
	int rc = get_page(ctl, "/plans", "plans[", &reply);

	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		show_plans(ctl, reply.json);
	reply_fini(&reply);
	return rc;
}

static void
show_history(struct ctl *ctl, const struct json *j)
{
	struct table t = {0};

	table_column(&t, TABLE_LEFT, "AT (UTC)");
	table_column(&t, TABLE_LEFT, "POOL");
	table_column(&t, TABLE_LEFT, "EPOCH");
	table_column(&t, TABLE_LEFT, "OUTCOME");
	table_column(&t, TABLE_LEFT, "BY");
	table_column(&t, TABLE_LEFT, "REASON");
	table_column(&t, TABLE_LEFT, "CHANGE");
	json_each (entry, json_get(j, "history")) {
		const char *by = client_text(entry, "/by");
		const char *reason = client_text(entry, "/reason");

		time_cell(&t, entry);
		table_cell(&t, "%s", client_text(entry, "/pool"));
		epoch_cell(&t, entry);
		table_cell(&t, "%s", client_text(entry, "/outcome"));
		if (strcmp(client_text(entry, "/outcome"), "refused") == 0)
			table_style(&t, STYLE_BAD);
		table_cell(&t, "%s", *by != '\0' ? by : "-");
		table_cell(&t, "%s", *reason != '\0' ? reason : "-");
		ops_cell(&t, entry);
	}
	table_print(&t, ctl->out, &ctl->terminal);
	show_next(ctl, j);
}

int
plans_history(struct ctl *ctl)
{
	struct reply reply = {0};
	int rc = get_page(ctl, "/history", "history[", &reply);

	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		show_history(ctl, reply.json);
	reply_fini(&reply);
	return rc;
}
