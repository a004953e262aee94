/*
 * compare.c - placements side by side: how they spread keys, and what hit rates they
 * would have had.
 */
#include <math.h>
#include <string.h>

#include "daemon/ctl/body.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/pools.h"
#include "daemon/ctl/upload.h"
#include "daemon/ctl/url.h"

enum { COMPARE_SECONDS = 3600 }; /* it may wait for its turn, too */

/* "12.3 %"; "-" where it is not known. */
static void
percent(struct table *t, const struct json *j, const char *pointer)
{
	const struct json *at = json_at(j, pointer);

	if (at == NULL || json_type(at) != JSON_NUMBER)
		table_cell(t, "-");
	else
		table_cell(t, "%.1f %%", json_number(at) * 100);
}

static void
count(struct table *t, const struct json *j, const char *pointer)
{
	const struct json *at = json_at(j, pointer);

	if (at == NULL || json_type(at) != JSON_NUMBER)
		table_cell(t, "-");
	else
		table_count(t, (uint64_t)fmax(json_number(at), 0));
}

/* "cache-a 26.1 %" */
static void
load(struct table *t, const struct json *j)
{
	const struct json *share = json_get(j, "share");

	if (share == NULL)
		table_cell(t, "-");
	else
		table_cell(t, "%s %.1f %%", client_text(j, "/node"), json_number(share) * 100);
}

/* Why placements were left out, below the table. */
static void
show_errors(const struct ctl *ctl, const struct json *results)
{
	json_each (result, results)
		if (json_get(result, "error") != NULL)
			fprintf(ctl->out, "%s: %s (%s)\n", client_shown(result, "/placement/name"),
			    client_shown(result, "/error/detail"),
			    client_shown(result, "/error/code"));
}

static void
show_comparison(const struct ctl *ctl, const struct json *j)
{
	const struct json *results = json_get(j, "results");
	bool moves = json_type(json_get(j, "change")) == JSON_ARRAY;
	struct table t = {0};

	table_column(&t, TABLE_LEFT, "PLACEMENT");
	table_column(&t, TABLE_RIGHT, "DEVIATION");
	table_column(&t, TABLE_LEFT, "BUSIEST");
	table_column(&t, TABLE_LEFT, "QUIETEST");
	if (moves) {
		table_column(&t, TABLE_RIGHT, "MOVED");
		table_column(&t, TABLE_RIGHT, "NEEDLESS");
	}
	table_column(&t, TABLE_RIGHT, "LOOKUP NS");
	table_column(&t, TABLE_RIGHT, "INDEX BYTES");
	json_each (result, results) {
		if (json_get(result, "error") != NULL)
			continue;
		pools_placement(json_get(result, "placement"), &t);
		percent(&t, result, "/spread/deviation");
		load(&t, json_at(result, "/spread/busiest"));
		load(&t, json_at(result, "/spread/quietest"));
		if (moves) {
			count(&t, result, "/moved");
			count(&t, result, "/needless");
		}
		count(&t, result, "/lookup_ns");
		count(&t, result, "/index_bytes");
	}
	table_print(&t, ctl->out, &ctl->terminal);
	show_errors(ctl, results);
}

int
compare_placements(struct ctl *ctl)
{
	struct ask ask = {.method = "POST", .type = "application/json", .shape = "results["};
	struct buffer url = {0}, body = {0};
	struct reply reply = {0};
	int rc = body_compare(ctl, &body);

	buffer_add_text(&url, "/compare");
	if (ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	ask.path = buffer_text(&url);
	ask.body = buffer_bytes(&body);
	ask.wait_seconds = COMPARE_SECONDS;
	terminal_catch();
	if (rc == 0)
		rc = url.failed ? ctl_no_memory() : client_want(ctl, &ask, &reply);
	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		show_comparison(ctl, reply.json);
	reply_fini(&reply);
	buffer_fini(&body);
	buffer_fini(&url);
	return rc;
}

static void
show_simulation(const struct ctl *ctl, const struct json *j)
{
	const struct json *results = json_get(j, "results");
	char requests[TABLE_COUNT], distinct[TABLE_COUNT];
	struct table t = {0};

	fprintf(ctl->out, "%s requests for %s keys\n\n",
	    table_number(client_count(j, "/requests"), requests),
	    table_number(client_count(j, "/distinct"), distinct));
	table_column(&t, TABLE_LEFT, "PLACEMENT");
	table_column(&t, TABLE_RIGHT, "HITS");
	table_column(&t, TABLE_RIGHT, "STEADY");
	table_column(&t, TABLE_RIGHT, "WORST");
	table_column(&t, TABLE_RIGHT, "AT");
	table_column(&t, TABLE_RIGHT, "RECOVERED");
	table_column(&t, TABLE_LEFT, "BUSIEST");
	json_each (result, results) {
		if (json_get(result, "error") != NULL)
			continue;
		pools_placement(json_get(result, "placement"), &t);
		percent(&t, result, "/hit_rate/overall");
		percent(&t, result, "/hit_rate/steady");
		percent(&t, result, "/hit_rate/worst/rate");
		count(&t, result, "/hit_rate/worst/at");
		percent(&t, result, "/hit_rate/recovered");
		load(&t, json_get(result, "busiest"));
	}
	table_print(&t, ctl->out, &ctl->terminal);
	show_errors(ctl, results);
}

/* "cache-c@20000,cache-d@30000" */
static void
put_events(struct buffer *url, const char *name, const struct option_list *list)
{
	struct buffer text = {0};

	for (size_t i = 0; i < list->count; i++)
		buffer_printf(&text, "%s%s", i > 0 ? "," : "", list->at[i]);
	if (text.len > 0)
		url_parameter(url, name, buffer_bytes(&text));
	url->failed |= text.failed;
	buffer_fini(&text);
}

static int
simulate_path(const struct ctl *ctl, struct buffer *url)
{
	const struct options *o = &ctl->options;
	struct buffer placements = {0};
	int rc = 0;

	buffer_add_text(url, "/simulate");
	if (o->pool != NULL)
		url_parameter(url, "pool", hrw_text(o->pool));
	if (ctl->argument_count > 1) {
		rc = body_placements(ctl->argument + 1, ctl->argument_count - 1, &placements);
		url_parameter(url, "placements", buffer_bytes(&placements));
	}
	if (o->capacity != 0)
		url_number(url, "capacity", o->capacity);
	if (o->window != 0)
		url_number(url, "window", o->window);
	put_events(url, "leave", &o->leave);
	put_events(url, "join", &o->join);
	url->failed |= placements.failed;
	buffer_fini(&placements);
	return rc == 0 && url->failed ? ctl_no_memory() : rc;
}

int
simulate_trace(struct ctl *ctl)
{
	struct ask ask = {.method = "POST",
	    .type = "text/plain",
	    .shape = "requests# results[",
	    .read = upload_read};
	struct buffer url = {0};
	struct reply reply = {0};
	struct upload u;
	int rc = upload_open(&u, ctl, ctl->argument[0]);

	u.may_be_empty = true; /* of which the daemon knows more to say */
	if (rc == 0)
		rc = simulate_path(ctl, &url);
	ask.path = buffer_text(&url);
	terminal_catch();
	if (rc == 0)
		rc = upload_send(&u, &ask, &reply);
	if (rc == 0 && ctl->is_json)
		client_print(&reply.body);
	else if (rc == 0)
		show_simulation(ctl, reply.json);
	upload_close(&u);
	reply_fini(&reply);
	buffer_fini(&url);
	return rc;
}
