/*
 * copies.c - the copies that are still to be made: shown, and counted.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/command.h"
#include "daemon/ctl/copies.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/url.h"

/* A list while it arrives. */
struct listing {
	struct copies_count *count;
	struct buffer line;
	struct table table;
	uint64_t shown;
	bool failed; /* a line was no JSON, or memory lacked */
};

/* The node's place in the count; the last one takes those for which there is none. */
static struct copies_node *
node_of(struct copies_count *count, const char *name)
{
	struct copies_node *node;

	for (size_t i = 0; i < count->nodes; i++)
		if (strcmp(count->node[i].name, name) == 0)
			return &count->node[i];
	if (count->nodes == COPIES_NODES)
		return &count->node[COPIES_NODES - 1];
	node = &count->node[count->nodes++];
	snprintf(
	    node->name, sizeof(node->name), "%s", count->nodes == COPIES_NODES ? "others" : name);
	return node;
}

static void
names_cell(struct table *t, const struct json *names)
{
	struct buffer text = {0};

	json_each (name, names)
		buffer_printf(&text, "%s%s", text.len > 0 ? ", " : "", client_text(name, ""));
	table_cell(t, "%s", text.len > 0 ? buffer_text(&text) : "-");
	buffer_fini(&text);
}

static void
take_line(struct listing *l)
{
	struct json *j = json_parse(buffer_bytes(&l->line), JSON_STRICT, NULL);
	const struct json *to = json_get(j, "to"), *from = json_get(j, "from");
	struct copies_count *count = l->count;

	buffer_clear(&l->line);
	if (j == NULL || to == NULL || from == NULL) {
		l->failed = true;
		json_free(j);
		return;
	}
	if (count->keys++ < l->shown) {
		const struct json *key = json_get(j, "key");

		table_bytes(&l->table, json_bytes(key != NULL ? key : json_get(j, "key_base64")));
		names_cell(&l->table, to);
		names_cell(&l->table, from);
	}
	count->copies += json_count(to);
	json_each (name, to)
		node_of(count, client_text(name, ""))->to_make++;
	if (json_count(from) == 0)
		count->without_source++;
	else if (json_count(from) == 1)
		node_of(count, client_text(json_first(from), ""))->only_source++;
	json_free(j);
}

static bool
take_piece(void *arg, struct hrw_bytes piece)
{
	struct listing *l = arg;
	size_t from = 0;

	for (size_t i = 0; i < piece.len && !l->failed; i++) {
		if (piece.data[i] != '\n')
			continue;
		buffer_add(&l->line, piece.data + from, i - from);
		from = i + 1;
		take_line(l);
	}
	buffer_add(&l->line, piece.data + from, piece.len - from);
	l->failed = l->failed || l->line.failed;
	return !l->failed;
}

static void
url_of(struct ctl *ctl, const char *to, const char *from, struct buffer *url)
{
	buffer_add_text(url, "/copies");
	if (ctl->options.pool != NULL)
		url_parameter(url, "pool", hrw_text(ctl->options.pool));
	if (to != NULL)
		url_parameter(url, "to", hrw_text(to));
	if (from != NULL)
		url_parameter(url, "from", hrw_text(from));
	url_page(url, 0, ctl->options.after);
}

int
copies_count(
    struct ctl *ctl, const char *to, const char *from, uint64_t shown, struct copies_count *out)
{
	struct listing l = {.count = out, .shown = shown};
	struct ask ask = {
	    .method = "GET", .accept = "application/x-ndjson", .write = take_piece, .arg = &l};
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	*out = (struct copies_count){0};
	table_column(&l.table, TABLE_LEFT, "KEY");
	table_column(&l.table, TABLE_LEFT, "TO");
	table_column(&l.table, TABLE_LEFT, "FROM");
	url_of(ctl, to, from, &url);
	ask.path = buffer_text(&url);
	rc = url.failed ? ctl_no_memory() : client_ask(ctl, &ask, &reply);
	if (rc == CTL_LEFT && l.failed)
		rc = ctl_fail(CTL_REFUSED, "the list of copies cannot be read: is this an hrwd?");
	if (rc == 0 && reply.status != 200)
		rc = client_refused(ctl, &reply);
	snprintf(out->epoch, sizeof(out->epoch), "%s", reply.epoch);
	if (rc == 0 && shown > 0 && out->keys > 0)
		table_print(&l.table, ctl->out, &ctl->terminal);
	else
		table_fini(&l.table);
	buffer_fini(&l.line);
	buffer_fini(&url);
	reply_fini(&reply);
	return rc;
}

static const char *
plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

void
copies_tell(struct ctl *ctl, const struct copies_count *count)
{
	const struct terminal *t = &ctl->terminal;
	char number[TABLE_COUNT];
	const char *before = ": ";

	if (count->copies == 0) {
		fputs("no copy of a stored key is missing\n", ctl->out);
		return;
	}
	fprintf(ctl->out, "%s %s to be made", table_number(count->copies, number),
	    plural(count->copies, "copy is", "copies are"));
	for (size_t i = 0; i < count->nodes; i++) {
		if (count->node[i].to_make == 0)
			continue;
		fprintf(ctl->out, "%s%s %s", before, ctl_shown(count->node[i].name),
		    table_number(count->node[i].to_make, number));
		before = ", ";
	}
	fputc('\n', ctl->out);
	for (size_t i = 0; i < count->nodes; i++)
		if (count->node[i].only_source > 0)
			fprintf(ctl->out,
			    "%s is the only source of %s %s: keep it until %s copied\n",
			    ctl_shown(count->node[i].name),
			    table_number(count->node[i].only_source, number),
			    plural(count->node[i].only_source, "key", "keys"),
			    plural(count->node[i].only_source, "it is", "they are"));
	if (count->epoch[0] != '\0')
		fprintf(ctl->out,
		    "as of epoch %s: once these are made, hrwctl settle --at-epoch %s\n",
		    count->epoch, count->epoch);
	if (count->without_source > 0)
		fprintf(ctl->out, "%s%s %s no known source: no node is known to have %s%s\n",
		    terminal_style(t, STYLE_BAD), table_number(count->without_source, number),
		    plural(count->without_source, "key has", "keys have"),
		    plural(count->without_source, "it", "them"), terminal_style(t, STYLE_NONE));
}

/* Of keys that nobody knows, nobody knows whether copies are missing. */
static int
tell_none(struct ctl *ctl, const struct copies_count *count)
{
	struct reply reply = {0};
	struct buffer url = {0};
	int rc;

	buffer_add_text(&url, "/keys/stats");
	if (ctl->options.pool != NULL)
		url_parameter(&url, "pool", hrw_text(ctl->options.pool));
	rc = url.failed ? ctl_no_memory() : client_get(ctl, buffer_text(&url), "keys#", &reply);
	if (rc == 0 && client_count(reply.json, "/keys") > 0)
		copies_tell(ctl, count);
	else if (rc == 0)
		fputs("not known: no keys are stored, so no copies can be listed; hrwctl keys put "
		      "FILE "
		      "stores them\n",
		    ctl->out);
	buffer_fini(&url);
	reply_fini(&reply);
	return rc;
}

/* The daemon's own lines, as they come. */
static int
copy_out(struct ctl *ctl)
{
	struct ask ask = {.method = "GET",
	    .accept = ctl->options.is_csv ? "text/csv" : "application/x-ndjson",
	    .write = client_write,
	    .arg = ctl};
	struct buffer url = {0};
	struct reply reply = {0};
	int rc;

	url_of(ctl, ctl->options.to, ctl->options.source, &url);
	url_page(&url, ctl->options.limit, NULL);
	ask.path = buffer_text(&url);
	rc = url.failed ? ctl_no_memory() : client_ask(ctl, &ask, &reply);
	if (rc == 0 && reply.status != 200)
		rc = client_refused(ctl, &reply);
	buffer_fini(&url);
	reply_fini(&reply);
	return rc;
}

/* hrwctl copies */
int
copies_show(struct ctl *ctl)
{
	uint64_t shown = ctl->options.limit != 0 ? ctl->options.limit : OPTION_LINES;
	struct copies_count count;
	int rc;

	if (ctl->is_json || ctl->options.is_csv)
		return copy_out(ctl);
	rc = copies_count(ctl, ctl->options.to, ctl->options.source, shown, &count);
	if (rc != 0)
		return rc;
	if (count.keys > shown)
		fputs("… (--limit shows more, --csv all)\n", ctl->out);
	if (count.keys == 0)
		return tell_none(ctl, &count);
	copies_tell(ctl, &count);
	return CTL_DONE;
}
