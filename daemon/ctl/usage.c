/*
 * usage.c - --help, from the tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/command.h"

enum { INDENT = 26, WIDTH = 80 };

/* "  left   help", the help wrapped behind its column. */
static void
entry(struct buffer *out, const char *left, const char *help)
{
	size_t column = INDENT;

	buffer_printf(out, "  %-*s", INDENT - 2, left);
	if (strlen(left) > INDENT - 4)
		buffer_printf(out, "\n%*s", INDENT, "");
	while (*help != '\0') {
		size_t len = strcspn(help, " ");

		if (column > INDENT && column + len + 1 > WIDTH) {
			buffer_printf(out, "\n%*s", INDENT, "");
			column = INDENT;
		}
		buffer_printf(out, "%s%.*s", column > INDENT ? " " : "", (int)len, help);
		column += len + (column > INDENT);
		help += len + (help[len] == ' ');
	}
	buffer_add_text(out, "\n");
}

/* Words between margins. */
static void
paragraph(struct buffer *out, const char *text)
{
	size_t column = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, " ");
		bool is_full = column > 0 && column + len + 1 > WIDTH;

		buffer_printf(out, "%s%.*s",
		    is_full	 ? "\n"
		    : column > 0 ? " "
				 : "",
		    (int)len, text);
		column = is_full || column == 0 ? len : column + len + 1;
		if (is_full)
			column = len;
		text += len + (text[len] == ' ');
	}
	buffer_add_text(out, "\n");
}

static void
option_entry(struct buffer *out, const struct option_row *row)
{
	struct buffer left = {0}, help = {0};

	if (row->letter != 0)
		buffer_printf(&left, "-%c, ", row->letter);
	buffer_printf(&left, "--%s%s%s", row->name, row->argument != NULL ? " " : "",
	    row->argument != NULL ? row->argument : "");
	buffer_add_text(&help, row->help);
	if (row->choices != NULL)
		buffer_printf(&help, " (%s)", row->choices);
	if (row->environment != NULL)
		buffer_printf(&help, " (or %s%s%s)", row->environment,
		    row->standard != NULL ? ", else " : "",
		    row->standard != NULL ? row->standard : "");
	else if (row->standard != NULL)
		buffer_printf(&help, " (default: %s)", row->standard);
	entry(out, buffer_text(&left), buffer_text(&help));
	buffer_fini(&left);
	buffer_fini(&help);
}

/* The options that a command of its own takes. */
static void
own_options(struct buffer *out, const char *list)
{
	if (*list == '\0')
		return;
	buffer_add_text(out, "\nOptions:\n");
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (option_lists(list, row->name, strlen(row->name)))
			option_entry(out, row);
}

static void
global_options(struct buffer *out, bool only_common)
{
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (row->is_global && row->help != NULL && (row->is_common || !only_common))
			option_entry(out, row);
}

void
usage_write_options(struct buffer *out)
{
	buffer_add_text(out, "Options of every command:\n");
	global_options(out, false);
}

/* Their names alone. */
static void
name_options(struct buffer *out)
{
	struct buffer text = {0};

	buffer_add_text(&text, "Options of every command (hrwctl help options):");
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (row->is_global && row->help != NULL)
			buffer_printf(
			    &text, "%s --%s", text.data[text.len - 1] == ':' ? "" : ",", row->name);
	buffer_add_text(out, "\n");
	paragraph(out, buffer_text(&text));
	buffer_fini(&text);
}

static void
command_entry(struct buffer *out, const struct command *c)
{
	struct buffer left = {0};

	buffer_printf(&left, "%s%s%s", c->name, *c->arguments != '\0' ? " " : "", c->arguments);
	entry(out, buffer_text(&left), c->help);
	buffer_fini(&left);
}

/* "keys COMMAND  put, add, get": one line for those that begin with a word. */
static void
group_entry(struct buffer *out, const struct command *first, size_t len)
{
	struct buffer left = {0}, help = {0};

	buffer_printf(&left, "%.*s COMMAND", (int)len, first->name);
	for (const struct command *c = first; c->name != NULL; c++)
		if (strncmp(c->name, first->name, len) == 0 && c->name[len] == ' ')
			buffer_printf(&help, "%s%s", help.len > 0 ? ", " : "", c->name + len + 1);
	buffer_printf(&help, ": hrwctl %.*s --help", (int)len, first->name);
	entry(out, buffer_text(&left), buffer_text(&help));
	buffer_fini(&left);
	buffer_fini(&help);
}

static void
all_commands(struct buffer *out)
{
	static const struct {
		const char *first, *title;
	} titles[] = {
	    {"owner", "Ask"},
	    {"add", "Change nodes"},
	    {"change", "Change pools"},
	    {"plan", "Plan and look back"},
	    {"compare", "Compare placements"},
	    {"keys put", "Keys"},
	    {"token", "Around it"},
	};
	const char *group = "";

	for (const struct command *c = commands; c->name != NULL; c++) {
		size_t len = strcspn(c->name, " ");

		for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
			if (strcmp(titles[i].first, c->name) == 0)
				buffer_printf(out, "%s:\n", titles[i].title);
		if (c->name[len] == '\0') {
			command_entry(out, c);
		} else if (strncmp(group, c->name, len + 1) != 0) {
			group_entry(out, c, len);
			group = c->name;
		}
	}
}

void
usage_write_group(const char *word, struct buffer *out)
{
	size_t len = strlen(word);

	buffer_printf(out,
	    "usage: hrwctl [OPTION...] %s COMMAND [ARGUMENT...]\n\n"
	    "Commands (with --help behind it, a command lists its options):\n",
	    word);
	for (const struct command *c = commands; c->name != NULL; c++)
		if (strncmp(c->name, word, len) == 0 && c->name[len] == ' ')
			command_entry(out, c);
	name_options(out);
}

static void
one_command(const struct command *c, struct buffer *out)
{
	struct buffer text = {0};

	buffer_printf(out, "usage: hrwctl [OPTION...] %s%s%s\n\n", c->name,
	    *c->arguments != '\0' ? " " : "", c->arguments);
	buffer_printf(&text, "%s%s%s%s", c->help, *c->more != '\0' ? ". " : "", c->more,
	    *c->more != '\0' ? "." : "");
	paragraph(out, buffer_text(&text));
	buffer_fini(&text);
	own_options(out, c->options);
	name_options(out);
}

void
usage_write(const struct command *command, struct buffer *out)
{
	struct buffer exits = {0};

	if (command != NULL) {
		one_command(command, out);
		return;
	}
	buffer_add_text(out,
	    "usage: hrwctl [OPTION...] COMMAND [ARGUMENT...]\n"
	    "Asks hrwd which node is home to a key, and changes its pools: each change is\n"
	    "planned, shown, and applied when it was agreed to.\n\n");
	all_commands(out);
	buffer_add_text(
	    out, "\nOptions of every command (hrwctl help options lists the others):\n");
	global_options(out, true);
	buffer_add_text(&exits, "Exit status:");
	for (const struct ctl_exit_row *row = ctl_exits; row->text != NULL; row++)
		buffer_printf(
		    &exits, "%s %d %s", row == ctl_exits ? "" : ",", (int)row->status, row->brief);
	buffer_add_text(out, "\n");
	paragraph(out, buffer_text(&exits));
	buffer_fini(&exits);
}

int
version_print(struct ctl *ctl)
{
	(void)ctl;
	puts("hrwctl " HRW_VERSION);
	return CTL_DONE;
}
