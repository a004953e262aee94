/*
 * usage.c - --help, from the tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/command.h"

enum { INDENT = 28, WIDTH = 100 };

/* "  left   help", the help wrapped behind its column. */
static void
entry(struct buffer *out, const char *left, const char *help)
{
	size_t column = INDENT;

	buffer_printf(out, "  %-*s", INDENT - 2, left);
	if (strlen(left) > INDENT - 4) {
		buffer_printf(out, "\n%*s", INDENT, "");
	}
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
	if (row->environment != NULL && row->standard != NULL)
		buffer_printf(&help, " (default: %s, else %s)", row->environment, row->standard);
	else if (row->environment != NULL)
		buffer_printf(&help, " (default: %s)", row->environment);
	else if (row->standard != NULL)
		buffer_printf(&help, " (default: %s)", row->standard);
	entry(out, buffer_text(&left), buffer_text(&help));
	buffer_fini(&left);
	buffer_fini(&help);
}

/* Options of a list, or with NULL the global ones that are for people. */
static void
option_entries(struct buffer *out, const char *list)
{
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (list != NULL ? option_lists(list, row->name, strlen(row->name))
				 : row->is_global && row->help != NULL)
			option_entry(out, row);
}

static void
command_entry(struct buffer *out, const struct command *c)
{
	struct buffer left = {0};

	buffer_printf(&left, "%s%s%s", c->name, *c->arguments != '\0' ? " " : "", c->arguments);
	entry(out, buffer_text(&left), c->help);
	buffer_fini(&left);
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
	buffer_add_text(out, "\nGlobal options:\n");
	option_entries(out, NULL);
}

void
usage_write(const struct command *command, struct buffer *out)
{
	if (command != NULL) {
		buffer_printf(out, "usage: hrwctl [OPTION...] %s%s%s\n\n%s\n", command->name,
		    *command->arguments != '\0' ? " " : "", command->arguments, command->help);
		if (*command->options != '\0')
			buffer_add_text(out, "\nOptions:\n");
		option_entries(out, command->options);
		buffer_add_text(out, "\nGlobal options:\n");
		option_entries(out, NULL);
		return;
	}
	buffer_add_text(out, "usage: hrwctl [OPTION...] COMMAND [ARGUMENT...]\n\n"
			     "Asks hrwd which node is home to a key, and changes its pools: each "
			     "change is planned,\nshown, and applied when it was agreed to.\n\n"
			     "Commands (hrwctl COMMAND --help lists a command's options):\n");
	for (const struct command *c = commands; c->name != NULL; c++)
		command_entry(out, c);
	buffer_add_text(out, "\nGlobal options:\n");
	option_entries(out, NULL);
	buffer_add_text(out, "\nExit status:\n");
	for (const struct ctl_exit_row *row = ctl_exits; row->text != NULL; row++) {
		char status[8];

		snprintf(status, sizeof(status), "%d", (int)row->status);
		entry(out, status, row->text);
	}
}
