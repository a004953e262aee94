/*
 * planned.c - numbers first, then sentences.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/planned.h"
#include "daemon/ctl/table.h"

/* Past so many nodes those that keep all they have are left out; past so many
 * on either side the matrix is no help to anybody. */
enum { NODES_SHOWN = 40, MATRIX = 8 };

void
planned_ops(const struct json *change, struct buffer *out)
{
	bool is_first = true;

	json_each (op, change) {
		const char *name = client_text(op, "/op"), *node = client_text(op, "/node");
		const struct json *fields = json_get(op, "fields"), *from = json_get(op, "from"),
				  *to = json_get(op, "to");

		buffer_printf(
		    out, "%s%s%s%s", is_first ? "" : ", ", name, *node != '\0' ? " " : "", node);
		is_first = false;
		json_each (field, fields)
			buffer_printf(out, "%s%s", field == json_first(fields) ? " (" : ", ",
			    client_text(field, ""));
		if (json_first(fields) != NULL)
			buffer_add_text(out, ")");
		if (from != NULL && to != NULL) {
			buffer_add_text(out, " from ");
			buffer_add(out, json_source(from).data, json_source(from).len);
			buffer_add_text(out, " to ");
			buffer_add(out, json_source(to).data, json_source(to).len);
		}
	}
}

bool
planned_is_idle(const struct json *report)
{
	return client_count(report, "/epoch_before") == client_count(report, "/epoch_after");
}

static void
show_head(const struct ctl *ctl, const struct json *j)
{
	uint64_t before = client_count(j, "/epoch_before"), after = client_count(j, "/epoch_after"),
		 copies = client_count(j, "/copies");
	const struct terminal *t = &ctl->terminal;
	struct buffer ops = {0};

	planned_ops(json_get(j, "change"), &ops);
	fprintf(ctl->out, "%s%s%s\n", terminal_style(t, STYLE_HEAD), ctl_shown(buffer_text(&ops)),
	    terminal_style(t, STYLE_NONE));
	fprintf(ctl->out, "pool %s, ", client_shown(j, "/pool"));
	if (after == 0)
		fputs("removed", ctl->out);
	else if (before == 0)
		fputs("made", ctl->out);
	else if (before == after)
		fprintf(ctl->out, "epoch %llu", (unsigned long long)before);
	else
		fprintf(ctl->out, "epoch %llu to %llu", (unsigned long long)before,
		    (unsigned long long)after);
	fprintf(ctl->out, ", %llu %s", (unsigned long long)copies, copies == 1 ? "copy" : "copies");
	if (json_get(j, "copies_before") != NULL)
		fprintf(ctl->out, " (%llu before)",
		    (unsigned long long)client_count(j, "/copies_before"));
	fputs("\n\n", ctl->out);
	buffer_fini(&ops);
}

static void
signed_count(struct table *t, uint64_t count, enum terminal_style style)
{
	table_count(t, count);
	if (count > 0)
		table_style(t, style);
}

static void
show_nodes(const struct ctl *ctl, const struct json *j)
{
	const struct json *nodes = json_get(j, "nodes");
	size_t left_out = 0;
	struct table t = {0};

	table_column(&t, TABLE_LEFT, "NODE");
	table_column(&t, TABLE_RIGHT, "BEFORE");
	table_column(&t, TABLE_RIGHT, "AFTER");
	table_column(&t, TABLE_RIGHT, "GAINS");
	table_column(&t, TABLE_RIGHT, "LOSES");
	json_each (node, nodes) {
		uint64_t gains = client_count(node, "/gains"), loses = client_count(node, "/loses");

		if (json_count(nodes) > NODES_SHOWN && gains == 0 && loses == 0) {
			left_out++;
			continue;
		}
		table_cell(&t, "%s", client_text(node, "/node"));
		table_count(&t, client_count(node, "/before"));
		table_count(&t, client_count(node, "/after"));
		signed_count(&t, gains, STYLE_GOOD);
		signed_count(&t, loses, STYLE_WARN);
	}
	table_print(&t, ctl->out, &ctl->terminal);
	if (left_out > 0)
		fprintf(ctl->out, "(%zu further nodes keep all they have)\n", left_out);
	fputc('\n', ctl->out);
}

/* What a sample tells of all keys: a range, unless both ends read alike. */
static void
show_share(const struct ctl *ctl, const struct json *share)
{
	char low[16], high[16];

	snprintf(low, sizeof(low), "%.1f", json_number(json_get(share, "low")) * 100);
	snprintf(high, sizeof(high), "%.1f", json_number(json_get(share, "high")) * 100);
	fprintf(ctl->out, ", as %s%s%s %% of all keys would", low,
	    strcmp(low, high) == 0 ? "" : " to ", strcmp(low, high) == 0 ? "" : high);
}

/* The node that the change drains, where it is one: the source of what only a leaving
 * node has. */
static const char *
leaving_node(const struct json *j)
{
	const char *name = NULL;

	json_each (op, json_get(j, "change"))
		if (strcmp(client_text(op, "/op"), "drain") == 0) {
			if (name != NULL)
				return NULL;
			name = client_text(op, "/node");
		}
	return name;
}

/* A line in words, in a colour. */
static void
say(const struct ctl *ctl, enum terminal_style style, const char *format, ...)
{
	va_list values;

	fputs(terminal_style(&ctl->terminal, style), ctl->out);
	va_start(values, format);
	vfprintf(ctl->out, format, values);
	va_end(values);
	fprintf(ctl->out, "%s\n", terminal_style(&ctl->terminal, STYLE_NONE));
}

static void
show_leftovers(const struct ctl *ctl, const struct json *j)
{
	uint64_t keys = client_count(j, "/leftovers/keys");
	struct buffer nodes = {0};
	char number[TABLE_COUNT];

	if (json_type(json_get(j, "leftovers")) == JSON_NULL &&
	    strcmp(client_text(j, "/keys/source"), "estimate") != 0 &&
	    client_count(j, "/copies_gained") > 0)
		say(ctl, STYLE_WARN, "whether nodes that gain have old copies is not known");
	if (keys == 0)
		return;
	json_each (node, json_at(j, "/leftovers/nodes"))
		buffer_printf(&nodes, "%s%s %s", nodes.len > 0 ? ", " : "",
		    client_shown(node, "/node"), table_number(client_count(node, "/keys"), number));
	say(ctl, STYLE_BAD,
	    "old copies of %s %s may still be on nodes that gain them (%s): delete them there "
	    "before "
	    "the change, or let them expire",
	    table_number(keys, number), keys == 1 ? "key" : "keys", buffer_text(&nodes));
	buffer_fini(&nodes);
}

/* What an operator has to do about it, in sentences. */
static void
show_work(const struct ctl *ctl, const struct json *j)
{
	uint64_t before = client_count(j, "/copies_missing/before"),
		 after = client_count(j, "/copies_missing/after"),
		 leaving = client_count(j, "/keys_with_leaving_source"),
		 nowhere = client_count(j, "/keys_without_copy/after"),
		 nowhere_before = client_count(j, "/keys_without_copy/before");
	const char *node = leaving_node(j);
	char number[TABLE_COUNT], other[TABLE_COUNT];

	if (after > 0)
		say(ctl, STYLE_NONE, "%s %s to be made%s%s%s", table_number(after, number),
		    after == 1 ? "copy is" : "copies are", before > 0 ? " (" : "",
		    before > 0 ? table_number(before, other) : "", before > 0 ? " before)" : "");
	/* No holder changes, and yet fewer are missing: the change vouches for them. */
	if (after < before && client_count(j, "/keys/changed") == 0)
		say(ctl, STYLE_WARN,
		    "this says that %s of the copies that were still to be made %s in place: "
		    "readers miss those that are not (hrwctl copies lists them)",
		    table_number(before - after, number), before - after == 1 ? "is" : "are");
	if (leaving > 0)
		say(ctl, STYLE_WARN,
		    "%s is the only source of %s of the keys: copy %s before it exits",
		    node != NULL ? ctl_shown(node) : "a leaving node",
		    table_number(leaving, number), leaving == 1 ? "it" : "those");
	if (nowhere > nowhere_before)
		say(ctl, STYLE_BAD, "%s %s would be on no node that is known to have %s",
		    table_number(nowhere - nowhere_before, number),
		    nowhere - nowhere_before == 1 ? "more key" : "more keys",
		    nowhere - nowhere_before == 1 ? "it" : "them");
	show_leftovers(ctl, j);
}

static void
show_totals(const struct ctl *ctl, const struct json *j)
{
	uint64_t cold = client_count(j, "/owners/cold"),
		 lost = client_count(j, "/keys_without_source");
	const char *source = client_text(j, "/keys/source");
	const struct json *share = json_at(j, "/keys/share");
	const struct terminal *t = &ctl->terminal;
	char number[TABLE_COUNT];

	fprintf(ctl->out, "%s %s keys: ", table_number(client_count(j, "/keys/total"), number),
	    strcmp(source, "estimate") == 0  ? "sample"
	    : strcmp(source, "request") == 0 ? "given"
					     : "stored");
	fprintf(
	    ctl->out, "%s change holders", table_number(client_count(j, "/keys/changed"), number));
	if (share != NULL)
		show_share(ctl, share);
	fprintf(ctl->out, "\nowners changed: %s, ",
	    table_number(client_count(j, "/owners/changed"), number));
	fprintf(ctl->out, "%scold: %s%s\n", cold > 0 ? terminal_style(t, STYLE_WARN) : "",
	    table_number(cold, number), cold > 0 ? terminal_style(t, STYLE_NONE) : "");
	fprintf(ctl->out, "%skeys without a source: %s%s\n",
	    lost > 0 ? terminal_style(t, STYLE_BAD) : "", table_number(lost, number),
	    lost > 0 ? terminal_style(t, STYLE_NONE) : "");
	show_work(ctl, j);
}

/* Names on one side of the matrix, in the order in which they come. NULL, the
 * side that is empty, stands as "-". */
struct side {
	const char *name[MATRIX];
	size_t count;
	bool overflows;
};

static size_t
side_at(struct side *side, const struct json *name)
{
	const char *text = json_text(name) != NULL ? json_text(name) : "-";

	for (size_t i = 0; i < side->count; i++)
		if (strcmp(side->name[i], text) == 0)
			return i;
	if (side->count == MATRIX) {
		side->overflows = true;
		return 0;
	}
	side->name[side->count] = text;
	return side->count++;
}

static void
show_matrix(const struct ctl *ctl, const struct json *j)
{
	struct side lost = {0}, gained = {0};
	char pairs[TABLE_COUNT];
	uint64_t keys[MATRIX][MATRIX] = {{0}};
	const struct json *moves = json_get(j, "moves");
	struct table t = {0};

	json_each (move, moves) {
		size_t row = side_at(&lost, json_get(move, "lost")),
		       column = side_at(&gained, json_get(move, "gained"));

		keys[row][column] = client_count(move, "/keys");
	}
	if (lost.count == 0)
		return;
	if (lost.overflows || gained.overflows) {
		fprintf(ctl->out,
		    "\n%s pairs of nodes that keys move between: --output json lists "
		    "them\n",
		    table_number(json_count(moves), pairs));
		return;
	}
	fputc('\n', ctl->out);
	table_column(&t, TABLE_LEFT, "LOST \\ GAINED");
	for (size_t i = 0; i < gained.count; i++)
		table_column(&t, TABLE_RIGHT, gained.name[i]);
	for (size_t row = 0; row < lost.count; row++) {
		table_cell(&t, "%s", lost.name[row]);
		for (size_t i = 0; i < gained.count; i++) {
			if (keys[row][i] == 0)
				table_cell(&t, ".");
			else
				table_count(&t, keys[row][i]);
		}
	}
	table_print(&t, ctl->out, &ctl->terminal);
}

static void
show_refusal(const struct ctl *ctl, const struct json *j)
{
	const struct terminal *t = &ctl->terminal;
	char *advice = client_advice(client_text(j, "/refusal/detail"));

	fprintf(ctl->out, "\n%sit would be refused: %s (%s)%s\n", terminal_style(t, STYLE_BAD),
	    advice != NULL ? ctl_shown(advice) : "", client_shown(j, "/refusal/code"),
	    terminal_style(t, STYLE_NONE));
	free(advice);
}

void
planned_show(const struct ctl *ctl, const struct json *j)
{
	const char *state = client_shown(j, "/state");
	const struct terminal *t = &ctl->terminal;

	show_head(ctl, j);
	if (strcmp(state, "done") != 0)
		fprintf(ctl->out, "%sthe report is %s%s%s: these are not all keys%s\n",
		    terminal_style(t, STYLE_WARN), state,
		    json_get(j, "failure") != NULL ? ", " : "", client_shown(j, "/failure"),
		    terminal_style(t, STYLE_NONE));
	show_nodes(ctl, j);
	show_totals(ctl, j);
	show_matrix(ctl, j);
	if (json_type(json_get(j, "refusal")) == JSON_OBJECT)
		show_refusal(ctl, j);
	client_warn(j);
}
