/*
 * manual.c - hrwctl(1), from the tables and a few words between them.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/ctl/command.h"

/* Text as roff takes it: a hyphen that is typed is a minus, and no line is read
 * as a request. */
static void
put(struct buffer *out, const char *text)
{
	for (const char *at = text; *at != '\0'; at++) {
		bool is_first = at == text || at[-1] == '\n';

		if (*at == '-')
			buffer_add_text(out, "\\-");
		else if (*at == '\\')
			buffer_add_text(out, "\\e");
		else if (is_first && (*at == '.' || *at == '\''))
			buffer_printf(out, "\\&%c", *at);
		else
			buffer_add(out, at, 1);
	}
}

static void
section(struct buffer *out, const char *title)
{
	buffer_printf(out, ".SH %s\n", title);
}

/* A paragraph with a bold head and, behind it, italic words. */
static void
item(struct buffer *out, const char *head, const char *words, const char *text)
{
	buffer_add_text(out, ".TP\n\\fB");
	put(out, head);
	buffer_add_text(out, "\\fR");
	if (*words != '\0') {
		buffer_add_text(out, " \\fI");
		put(out, words);
		buffer_add_text(out, "\\fR");
	}
	buffer_add_text(out, "\n");
	put(out, text);
	buffer_add_text(out, "\n");
}

static void
option_items(struct buffer *out, bool is_global)
{
	for (const struct option_row *row = option_rows; row->name != NULL; row++) {
		struct buffer head = {0}, text = {0};

		if (row->is_global != is_global || row->help == NULL)
			continue;
		if (row->letter != 0)
			buffer_printf(&head, "-%c, ", row->letter);
		buffer_printf(&head, "--%s", row->name);
		buffer_printf(&text, "%s.", row->help);
		if (row->choices != NULL)
			buffer_printf(&text, "\nOne of: %s.", row->choices);
		if (row->environment != NULL)
			buffer_printf(&text, "\nDefault: the variable %s.", row->environment);
		if (row->standard != NULL)
			buffer_printf(&text, "\nDefault: %s.", row->standard);
		item(out, buffer_text(&head), row->argument != NULL ? row->argument : "",
		    buffer_text(&text));
		buffer_fini(&head);
		buffer_fini(&text);
	}
}

static void
command_items(struct buffer *out)
{
	for (const struct command *c = commands; c->name != NULL; c++) {
		struct buffer text = {0};

		buffer_printf(&text, "%s.", c->help);
		if (*c->more != '\0')
			buffer_printf(&text, "\n%s.", c->more);
		for (const char *at = c->options; *at != '\0';) {
			size_t len = strcspn(at, " ");

			buffer_printf(
			    &text, "%s--%.*s", at == c->options ? "\nTakes " : ", ", (int)len, at);
			at += len + (at[len] == ' ');
		}
		if (*c->options != '\0')
			buffer_add_text(&text, ".");
		item(out, c->name, c->arguments, buffer_text(&text));
		buffer_fini(&text);
	}
}

static void
example(struct buffer *out, const char *what, const char *command)
{
	buffer_add_text(out, ".PP\n");
	put(out, what);
	buffer_add_text(out, "\n.PP\n.in +4n\n.EX\n");
	put(out, command);
	buffer_add_text(out, "\n.EE\n.in\n");
}

static void
examples(struct buffer *out)
{
	section(out, "EXAMPLES");
	example(out, "Which node is home to a key, and which nodes hold it?",
	    "hrwctl owner photo-7\nhrwctl replicas photo-7");
	example(out, "What would it mean to switch a node off?", "hrwctl plan --drain cache-c");
	example(out, "Drain it, wait until the copies are in place, and take it out:",
	    "hrwctl drain cache-c --wait --deadline 3600 --reason 'new disks'\nhrwctl remove "
	    "cache-c");
	example(out, "Keys of a running memcached:",
	    "echo 'lru_crawler metadump all' | nc -q1 10.0.0.1 11211 | hrwctl keys import "
	    "memcached -");
	example(out, "Keys of a Redis, whatever bytes they have:",
	    "redis-cli --no-raw --scan | hrwctl keys import redis - --no-raw");
	example(out, "Which nodes hold these keys?", "hrwctl replicas - <keys.txt");
	example(out, "Is something left to be done? 5 where it is:", "hrwctl status --exit-code");
	example(out, "A copy of all pools, for another daemon:",
	    "hrwctl dump >pools.json; hrwctl --admin 10.0.0.2:7071 apply pools.json");
	example(out, "The pools of a file, from a Git hook; 5 where they differ:",
	    "hrwctl apply pools.json --dry-run --exit-code");
	example(out,
	    "Without a daemon:", "hrwctl plan --offline pools.json --keys keys.txt --add cache-e");
	example(out, "A thousand keys behind the last one that was read:",
	    "hrwctl keys get --limit 1000 --after user-4711");
}

void
manual_write(struct buffer *out)
{
	buffer_add_text(out, ".TH HRWCTL 1 \"\" \"hrwd " HRW_VERSION "\" \"User Commands\"\n");
	section(out, "NAME");
	put(out, "hrwctl - ask hrwd about keys, and plan and change its pools");
	buffer_add_text(out, "\n");
	section(out, "SYNOPSIS");
	buffer_add_text(out, "\\fBhrwctl\\fR [\\fIOPTION\\fR...] \\fICOMMAND\\fR "
			     "[\\fIARGUMENT\\fR...]\n");
	section(out, "DESCRIPTION");
	put(out, "A change is planned first. Its report says which nodes gain and lose keys, how "
		 "many owners change and how many of the new ones are cold, and which keys have "
		 "no warm copy left. On a terminal hrwctl then asks, and applies that very plan: "
		 "a pool that has changed meanwhile is left alone. Where there is no terminal, "
		 "--yes is needed.\n");
	buffer_add_text(out, ".PP\n");
	put(out, "A long plan shows a progress bar. Ctrl-C leaves it, and the daemon goes on with "
		 "it: hrwctl plan show ID --watch takes it up again.\n");
	examples(out);
	section(out, "COMMANDS");
	command_items(out);
	section(out, "OPTIONS");
	option_items(out, true);
	section(out, "OPTIONS OF COMMANDS");
	option_items(out, false);
	section(out, "EXIT STATUS");
	for (const struct ctl_exit_row *row = ctl_exits; row->text != NULL; row++) {
		struct buffer text = {0};
		char status[8];

		snprintf(status, sizeof(status), "%d", (int)row->status);
		buffer_printf(&text, "%s.", row->text);
		item(out, status, "", buffer_text(&text));
		buffer_fini(&text);
	}
	section(out, "ENVIRONMENT");
	for (const struct option_row *row = option_rows; row->name != NULL; row++) {
		struct buffer text = {0};

		if (row->environment == NULL)
			continue;
		buffer_printf(&text, "stands for --%s where that is not given.", row->name);
		item(out, row->environment, "", buffer_text(&text));
		buffer_fini(&text);
	}
	item(out, "HRW_TOKEN", "", "the token to send, where there is no --token-file.");
	item(out, "NO_COLOR", "", "no colours, if it is not empty.");
	section(out, "SEE ALSO");
	buffer_add_text(out, "\\fBhrwd\\fR(8), \\fBhrwd.json\\fR(5)\n");
}
