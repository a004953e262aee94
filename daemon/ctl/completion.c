/*
 * completion.c - what a word of a command line can become.
 *
 * The shells' scripts only ask hrwctl itself, which knows its tables, and the
 * daemon for names of nodes. Where nothing is answered they offer files.
 */
#include <string.h>

#include "core/placement.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"

enum { WORDS_MAX = 64 };

/* A command line so far. */
struct line {
	struct ctl *ctl;
	char *word[WORDS_MAX]; /* that are no options, nor arguments of such */
	size_t count;
	const struct option_row *open; /* its argument is the word at hand; NULL: none */
	const char *prefix;	       /* the word at hand */
	const char *lead;	       /* that stands before it in one word: "--pool=" */
	size_t lead_len;
};

static void
offer(const struct line *l, const char *word, size_t len, const char *help)
{
	size_t typed = strlen(l->prefix);

	if (typed > len || strncmp(word, l->prefix, typed) != 0)
		return;
	printf("%.*s%.*s\t%s\n", (int)l->lead_len, l->lead, (int)len, word, help);
}

static void
offer_list(const struct line *l, const char *list)
{
	while (*list != '\0') {
		size_t len = strcspn(list, " ");

		offer(l, list, len, "");
		list += len + (list[len] == ' ');
	}
}

/* A name that the daemon gave: one that a shell would read anything else into is not
 * offered. */
static void
offer_named(const struct line *l, const struct json *j, const char *name, const char *help)
{
	const char *word = client_text(j, name);

	/* Of several nodes none is given twice. */
	for (size_t i = 0; l->open == NULL && i < l->count; i++)
		if (strcmp(l->word[i], word) == 0)
			return;
	if (*word != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789.-") == strlen(word))
		offer(l, word, strlen(word), client_shown(j, help));
}

/* What the daemon lists, by the name of an argument. */
static const struct source {
	const char *argument, *path, *list, *shape, *name, *help;
} sources[] = {
    {"NODE", "/nodes", "nodes", "nodes[", "/name", "/state"},
    {"POOL", "/pools?limit=1000", "pools", "pools[", "/name", "/placement"},
    {"ID", "/plans?limit=20", "plans", "plans[", "/plan", "/at"},
};

static void
offer_listed(const struct line *l, const struct source *from)
{
	struct reply reply = {0};

	if (lookup_list(l->ctl, from->path, from->shape, &reply) == 0)
		json_each (entry, json_get(reply.json, from->list))
			offer_named(l, entry, from->name, from->help);
	reply_fini(&reply);
}

static const struct option_row *
option_placement(void)
{
	return option_find("placement", strlen("placement"));
}

/* What an argument of that name can be; nothing for files and free text. */
static void
offer_argument(const struct line *l, const char *name, size_t len)
{
	const char *choices;

	name += *name == '[';
	len = strcspn(name, " ]");
	choices = command_choices(name, len);

	if (choices != NULL) {
		offer_list(l, choices);
		return;
	}
	if ((len >= 9 && memcmp(name, "PLACEMENT", 9) == 0) || l->open == option_placement())
		for (const struct hrw_placement *const *p = hrw_placements; *p != NULL; p++)
			offer(l, (*p)->name, strlen((*p)->name), (*p)->source);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		size_t own = strlen(sources[i].argument);

		if (len >= own && memcmp(name, sources[i].argument, own) == 0 &&
		    (len == own || strchr(".]=@", name[own]) != NULL))
			offer_listed(l, &sources[i]);
	}
}

static void
offer_options(const struct line *l, const struct command *c)
{
	char option[64];

	for (const struct option_row *row = option_rows; row->name != NULL; row++) {
		if (row->help == NULL ||
		    (!row->is_global &&
			(c == NULL || !option_lists(c->options, row->name, strlen(row->name)))))
			continue;
		snprintf(option, sizeof(option), "--%s", row->name);
		offer(l, option, strlen(option), row->help);
	}
}

/* The next word of each command that begins with the words there are. */
static void
offer_commands(const struct line *l)
{
	const char *last = "";

	for (const struct command *c = commands; c->name != NULL; c++) {
		const char *at = c->name;
		size_t i = 0, len;

		while (i < l->count && strncmp(at, l->word[i], strlen(l->word[i])) == 0 &&
		       at[strlen(l->word[i])] == ' ')
			at += strlen(l->word[i++]) + 1;
		len = strcspn(at, " ");
		/* "keys put" and "keys add" both begin with keys: said once. */
		if (i < l->count || (strcspn(last, " ") == len && strncmp(last, at, len) == 0))
			continue;
		offer(l, at, len, at[len] == '\0' ? c->help : "");
		last = at;
	}
}

static void
offer_arguments(const struct line *l, const struct command *c, size_t taken)
{
	const char *at = c->arguments;

	for (size_t left = l->count - taken; left > 0 && *at != '\0'; left--) {
		size_t len = strcspn(at, " ");

		if (len > 3 && memcmp(at + len - 3, "...", 3) == 0)
			break;
		at += len + (at[len] == ' ');
	}
	offer_argument(l, at, strcspn(at, " "));
}

/* The options that say which daemon is meant, and how, count here, too. */
static void
take_option(struct options *o, const struct option_row *row, const char *value)
{
	static const char known[] = "admin pool token-file ca certificate certificate-key";

	if (option_lists(known, row->name, strlen(row->name)))
		*(const char **)((char *)o + row->offset) = value;
}

/* The option that a word is, with "=" or without; its argument is another word where
 * *value is NULL. */
static const struct option_row *
option_of(const char *word, const char **value)
{
	const char *equals = strchr(word, '=');

	*value = NULL;
	if (word[1] != '-')
		return word[2] == '\0' ? option_lettered(word[1]) : NULL;
	*value = equals != NULL ? equals + 1 : NULL;
	return option_find(
	    word + 2, equals != NULL ? (size_t)(equals - word - 2) : strlen(word + 2));
}

/* Takes the words up to the one at hand apart. */
static void
read_words(struct line *l, char **words, size_t count)
{
	l->prefix = l->lead = "";
	for (size_t i = 0; i < count; i++) {
		bool is_last = i + 1 == count;
		const struct option_row *row;
		const char *value;

		if (is_last)
			l->prefix = words[i];
		if (words[i][0] != '-' || words[i][1] == '\0') {
			if (!is_last && l->count < WORDS_MAX)
				l->word[l->count++] = words[i];
			continue;
		}
		row = option_of(words[i], &value);
		if (row == NULL || row->argument == NULL || (is_last && value == NULL))
			continue;
		if (value != NULL && is_last) {
			l->open = row;
			l->prefix = value;
			l->lead = words[i];
			l->lead_len = (size_t)(value - words[i]);
			continue;
		}
		if (value == NULL) {
			/* bash makes a word of the "=" between the two. */
			i += i + 2 < count && strcmp(words[i + 1], "=") == 0 ? 2 : 1;
			value = words[i];
		}
		if (i + 1 == count) {
			l->open = row;
			l->prefix = strcmp(value, "=") == 0 ? "" : value;
		} else {
			take_option(&l->ctl->options, row, value);
		}
	}
}

int
completion_print(struct ctl *ctl, char **words, size_t count)
{
	struct line l = {.ctl = ctl};
	const struct command *c;
	size_t taken;

	/* Nobody wants to read within a command line that no daemon answers, nor to wait
	 * for one: it has a second. */
	if (freopen("/dev/null", "w", stderr) == NULL)
		return CTL_REFUSED;
	ctl->options.timeout = 1;
	read_words(&l, words, count);
	if (l.count > 0 && strcmp(l.word[0], "help") == 0) {
		memmove(l.word, l.word + 1, --l.count * sizeof(*l.word));
		offer_commands(&l);
		if (l.count == 0)
			offer_list(&l, "options");
		return CTL_DONE;
	}
	c = command_find(l.word, l.count, &taken);
	if (l.open != NULL && l.open->choices != NULL) {
		offer_list(&l, l.open->choices);
	} else if (l.open != NULL) {
		offer_argument(&l, l.open->argument, strlen(l.open->argument));
	} else if (*l.prefix == '-') {
		offer_options(&l, c);
	} else {
		offer_commands(&l);
		if (c != NULL)
			offer_arguments(&l, c, taken);
	}
	return CTL_DONE;
}

static void
write_bash(struct buffer *out)
{
	buffer_add_text(out,
	    "# bash completion of hrwctl\n"
	    "_hrwctl() {\n"
	    "\tlocal IFS=$'\\n'\n"
	    "\tCOMPREPLY=($(hrwctl --print words -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
	    "2>/dev/null | cut -f1))\n"
	    "}\n"
	    "complete -o default -F _hrwctl hrwctl\n");
}

static void
write_zsh(struct buffer *out)
{
	buffer_add_text(out, "#compdef hrwctl\n"
			     "local -a found\n"
			     "found=(${(f)\"$(hrwctl --print words -- \"${(@)words[2,CURRENT]}\" "
			     "2>/dev/null)\"})\n"
			     "if (( $#found )); then\n"
			     "\tfound=(\"${(@)found//:/\\\\:}\")\n"
			     "\tfound=(\"${(@)found/$'\\t'/:}\")\n"
			     "\t_describe -t words hrwctl found\n"
			     "else\n"
			     "\t_files\n"
			     "fi\n");
}

static void
write_fish(struct buffer *out)
{
	buffer_add_text(out, "# fish completion of hrwctl\n"
			     "function __hrwctl_words\n"
			     "\tset -l words (commandline -opc) (commandline -ct)\n"
			     "\tset -l found (hrwctl --print words -- $words[2..-1] 2>/dev/null)\n"
			     "\tif test (count $found) -gt 0\n"
			     "\t\tprintf '%s\\n' $found\n"
			     "\telse\n"
			     "\t\t__fish_complete_path (commandline -ct)\n"
			     "\tend\n"
			     "end\n"
			     "complete -c hrwctl -f -a '(__hrwctl_words)'\n");
}

void
completion_write(const char *shell, struct buffer *out)
{
	if (strcmp(shell, "bash") == 0)
		write_bash(out);
	else if (strcmp(shell, "zsh") == 0)
		write_zsh(out);
	else
		write_fish(out);
}

int
completion_script(struct ctl *ctl)
{
	struct buffer text = {0};
	int rc;

	completion_write(ctl->argument[0], &text);
	rc = text.failed ? ctl_no_memory() : CTL_DONE;
	client_put(buffer_bytes(&text));
	buffer_fini(&text);
	return rc;
}
