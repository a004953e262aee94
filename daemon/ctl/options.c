/*
 * options.c - argv to struct options, by the rows.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/ctl.h"
#include "daemon/base/guess.h"

#define AT(member) offsetof(struct options, member)

#define GLOBAL	       .is_global = true
#define COMMON	       .is_global = true, .is_common = true
#define LETTER(of)     .letter = of
#define FLAG(to)       .kind = OPTION_FLAG, .offset = AT(to)
#define TEXT(word, to) .argument = word, .kind = OPTION_TEXT, .offset = AT(to)
#define LIST(word, to) .argument = word, .kind = OPTION_LIST, .offset = AT(to)
#define NUMBER(to, first, low, high)                                                               \
	.argument = "N", .kind = OPTION_NUMBER, .offset = AT(to), .initial = first, .min = low,    \
	.max = high

/* clang-format off: a row a line or two */
const struct option_row option_rows[] = {
    {"admin", TEXT("ADDR", admin), COMMON, .standard = "127.0.0.1:7071", .environment = "HRW_ADMIN",
	.help =
	    "hrwd's admin listener: host:port, [v6]:port, unix:/path or a URL; of several, with "
	    "commas between, the first that answers"},
    {"pool", LETTER('p'), TEXT("POOL", pool), COMMON, .environment = "HRW_POOL",
	.help = "the pool to use; without it, the daemon's default pool"},
    {"token-file", TEXT("FILE", token_file), COMMON, .environment = "HRW_TOKEN_FILE",
	.help = "a file with the token to send; without it, HRW_TOKEN is the token"},
    {"output", LETTER('o'), TEXT("FORM", output), COMMON, .standard = "text",
	.environment = "HRW_OUTPUT", .choices = "text json",
	.help = "tables for people, or the daemon's answer as JSON"},
    {"timeout", NUMBER(timeout, 60, 1, 3600), GLOBAL, .environment = "HRW_TIMEOUT",
	.help = "seconds that an answer may take; 60 without"},
    {"verbose", FLAG(is_verbose), GLOBAL,
	.help = "print each request as the curl command that sends it"},
    {"ca", TEXT("FILE", ca), GLOBAL, .environment = "HRW_CA",
	.help = "certificates to trust for https, instead of the system's"},
    {"certificate", TEXT("FILE", certificate), GLOBAL, .environment = "HRW_CERTIFICATE",
	.help = "the certificate to show the daemon"},
    {"certificate-key", TEXT("FILE", certificate_key), GLOBAL, .environment = "HRW_CERTIFICATE_KEY",
	.help = "its private key"},
    {"help", LETTER('h'), FLAG(is_help), COMMON,
	.help = "print this; behind a command, what that command takes"},
    {"version", FLAG(is_version), GLOBAL, .help = "print the version"},
    {"print", TEXT("WHAT", print), GLOBAL, .choices = "man bash zsh fish words"},

    {"yes", LETTER('y'), FLAG(is_sure),
	.help = "apply without asking; needed where there is no terminal to ask on"},
    {"dry-run", FLAG(is_dry_run), .help = "stop after the report"},
    {"exit-code", FLAG(has_exit_code),
	.help = "a dry run or plan ends with 5 where something would change, 1 where it would be "
		"refused; status with 5 where a pool is not settled"},
    {"reason", TEXT("TEXT", reason), .is_line = true,
	.help = "why, for the history: one line, of which 200 bytes are kept"},
    {"force", LIST("CODE", force),
	.choices = "keys-at-risk last-node not-draining pool-not-empty too-much-moved",
	.help = "override this guard, and no other; may be repeated"},
    {"settle-now", FLAG(settles_now),
	.help = "all copies are in place once the change is made, or need not be"},
    {"wait", FLAG(waits), .help = "go on until the nodes may be switched off"},
    {"deadline", NUMBER(deadline, 0, 1, 31622400),
	.help = "with --wait: seconds after which it ends with 1; without it, it waits for ever"},

    {"add", LIST("NODE", add),
	.help = "add a node: NAME,address=HOST:PORT and, where wanted, ,weight=W ,zone=Z "
		",state=joining"},
    {"drain", LIST("NODE", drain), .help = "drain a node"},
    {"activate", LIST("NODE", activate), .help = "activate a node"},
    {"rejoin", LIST("NODE", rejoin), .help = "a node came back empty"},
    {"remove", LIST("NODE", remove), .help = "remove a node"},
    {"reweight", LIST("NODE=W", reweight), .help = "give a node another weight"},
    {"copies", NUMBER(copies, 0, 1, 64), .help = "copies of each key"},
    {"placement", TEXT("NAME", placement),
	.help = "another placement: a name, or a JSON object with parameters"},
    {"settles-after", TEXT("SECONDS", settles_after),
	.help = "a membership counts as settled so long after it was made; - for never"},
    {"max-ttl", TEXT("SECONDS", max_ttl),
	.help = "the longest that any value lives; - where that is not known"},
    {"max-moved", TEXT("PART", max_moved),
	.help = "refuse a change that moves more owners than this part of 1; - for no such limit"},
    {"keys", TEXT("FILE", keys), .help = "keys to count, one a line, instead of the stored ones"},
    {"offline", TEXT("POOL.json", offline),
	.help = "ask no daemon: the pool is in this file, as a configuration or hrwctl pool show "
		"-o json has it"},
    {"weight", TEXT("W", weight), .help = "the node's weight; 1 without"},
    {"zone", TEXT("ZONE", zone), .help = "the node's zone; its own without"},
    {"joining", FLAG(is_joining),
	.help = "the node takes keys and is to be filled: activate it then; so it is without"},
    {"active", FLAG(is_active),
	.help = "the node is not to be filled before it counts as the others do"},

    {"watch", FLAG(watches), .help = "show its progress until it ends"},
    {"lost", TEXT("NODE", lost), .help = "only keys that lose a copy on this node"},
    {"gained", TEXT("NODE", gained), .help = "only keys that gain a copy on this node"},
    {"from", TEXT("NODE", source),
	.help = "only keys that can be copied from this node; '' for those without a source"},
    {"to", TEXT("NODE", to), .help = "only keys whose copy on this node is to be made"},
    {"leftover", FLAG(leftover), .help = "only keys of which a gaining node may have an old copy"},
    {"csv", FLAG(is_csv), .help = "as CSV"},
    {"limit", NUMBER(limit, 0, 1, INT32_MAX),
	.help = "so many at most; without it 20 lines of a table, and all keys of a list"},
    {"after", TEXT("KEY", after),
	.help = "go on behind this one: a key, or what --limit left off at"},
    {"epoch", NUMBER(epoch, 0, 1, INT64_MAX), .help = "the pool as it was at this epoch"},
    {"at-epoch", NUMBER(at_epoch, 0, 1, INT64_MAX),
	.help = "only if the pool is still at this epoch: the one that copies were made for"},
    {"capacity", NUMBER(capacity, 0, 1, 1 << 30),
	.help = "entries that each node's cache has room for; any number without"},
    {"window", NUMBER(window, 0, 1, 10000000),
	.help = "requests that a worst hit rate is counted over; 1,000 without"},
    {"leave", LIST("NODE@N", leave), .help = "a node leaves after so many requests"},
    {"join", LIST("NODE@N", join), .help = "a node joins, or comes back, after so many"},
    {"count", NUMBER(count, 0, 1, UINT32_MAX), .help = "end after so many changes"},
    {"interval", NUMBER(interval, 1, 1, 3600),
	.help = "seconds until it asks again where the stream ended, each time twice as many, up "
		"to 30; 1 without"},
    {"format", TEXT("FORM", format), .standard = "text", .choices = "text json ndjson",
	.help = "a key a line (text), a JSON array (json), or one JSON value a line (ndjson)"},
    {"extend", FLAG(extends), .help = "add to the stored keys instead of replacing them"},
    {"empty", FLAG(may_be_empty), .help = "an input without keys empties the key set"},
    {"crlf", FLAG(has_crlf),
	.help = "take the CR of each line end away, and a byte order mark; without it they are "
		"bytes of keys"},
    {"no-raw", FLAG(is_quoted),
	.help = "the keys stand in quotes, as redis-cli --no-raw prints them; without it quotes "
		"are bytes of keys"},
    {.name = NULL},
};
/* clang-format on */

enum { ROWS = sizeof(option_rows) / sizeof(option_rows[0]) - 1 };

/* Which were given, to be held against the command's own when it is known. */
static bool given[ROWS];

static void *
member(struct options *o, const struct option_row *row)
{
	return (char *)o + row->offset;
}

const struct option_row *
option_find(const char *name, size_t len)
{
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
			return row;
	return NULL;
}

const struct option_row *
option_lettered(char letter)
{
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (row->letter == letter)
			return row;
	return NULL;
}

bool
option_lists(const char *list, const char *word, size_t len)
{
	while (list != NULL && *list != '\0') {
		size_t part = strcspn(list, " ");

		if (part == len && memcmp(list, word, len) == 0)
			return true;
		list += part + strspn(list + part, " ");
	}
	return false;
}

static int
read_number(const struct option_row *row, const char *name, const char *text, uint64_t *out)
{
	char *end;

	*out = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && *end == '\0' && *out >= row->min && *out <= row->max)
		return 0;
	return ctl_fail(CTL_USAGE, "%s is \"%s\": give a whole number from %llu to %llu", name,
	    text, (unsigned long long)row->min, (unsigned long long)row->max);
}

static int
add_text(struct option_list *list, const char *text)
{
	const char **at = realloc(list->at, (list->count + 1) * sizeof(*at));

	if (at == NULL)
		return ctl_no_memory();
	list->at = at;
	at[list->count++] = text;
	return 0;
}

/* A header is one line: what stands behind a line feed would be the daemon's next
 * header, or its next request. */
static int
judge_line(const char *name, const char *text)
{
	const char *at = ctl_control(text);

	if (at == NULL)
		return 0;
	return ctl_fail(CTL_USAGE,
	    "%s is \"%s\": it is carried as one line, so it can have no %s; of a commit, "
	    "git log -1 --format=%%s is one",
	    name, text, *at == '\n' || *at == '\r' ? "line break" : "control byte");
}

/* name: where the value comes from, "--output" or "HRW_OUTPUT" */
static int
take(struct options *o, const struct option_row *row, const char *name, const char *text)
{
	int rc = row->is_line ? judge_line(name, text) : 0;

	if (rc != 0)
		return rc;
	if (row->choices != NULL && !option_lists(row->choices, text, strlen(text)))
		return ctl_fail(
		    CTL_USAGE, "%s is \"%s\": it can be one of: %s", name, text, row->choices);
	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)member(o, row) = true;
		break;
	case OPTION_TEXT:
		*(const char **)member(o, row) = text;
		break;
	case OPTION_NUMBER:
		rc = read_number(row, name, text, member(o, row));
		break;
	case OPTION_LIST:
		rc = add_text(member(o, row), text);
		break;
	}
	return rc;
}

static void
set_defaults(struct options *o)
{
	*o = (struct options){0};
	for (const struct option_row *row = option_rows; row->name != NULL; row++) {
		if (row->kind == OPTION_NUMBER)
			*(uint64_t *)member(o, row) = row->initial;
		if (row->kind == OPTION_TEXT)
			*(const char **)member(o, row) = row->standard;
	}
}

/* What is not given comes from the environment: a variable that an option overrides may
 * be wrong. */
static int
take_environment(struct options *o)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ROWS; i++) {
		const struct option_row *row = &option_rows[i];
		const char *text = row->environment != NULL ? getenv(row->environment) : NULL;

		if (!given[i] && text != NULL && *text != '\0')
			rc = take(o, row, row->environment, text);
	}
	return rc;
}

static int
unknown(const char *word)
{
	const char *names[ROWS + 1], *guess;
	char name[64];
	size_t count = 0;

	if (word[0] == '-' && word[1] >= '0' && word[1] <= '9')
		return ctl_fail(CTL_USAGE,
		    "\"%s\" is no option: -- stands before words that begin with - and are none",
		    word);
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (row->help != NULL)
			names[count++] = row->name;
	names[count] = NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	guess = strncmp(name, "--", 2) == 0 ? guess_word(name + 2, names) : NULL;
	return ctl_fail(CTL_USAGE, "\"%s\" is no option%s%s%s: hrwctl COMMAND --help lists them",
	    name, guess != NULL ? ": did you mean \"--" : "", guess != NULL ? guess : "",
	    guess != NULL ? "\"? Else" : "");
}

static int
lacks_value(const char *word)
{
	const struct option_row *row =
	    word[1] == '-' ? option_find(word + 2, strlen(word + 2)) : option_lettered(word[1]);

	return ctl_fail(CTL_USAGE, "%s lacks its value: give %s %s%s%s%s", word, word,
	    row != NULL ? row->argument : "VALUE", row != NULL && row->choices != NULL ? " (" : "",
	    row != NULL && row->choices != NULL ? row->choices : "",
	    row != NULL && row->choices != NULL ? ")" : "");
}

int
options_read(struct options *o, int argc, char **argv, int *words)
{
	struct option options[ROWS + 1] = {0};
	char letters[2 * ROWS + 2] = ":", *end = letters + 1, name[64];
	int code, at, rc;

	set_defaults(o);
	opterr = 0;
	for (size_t i = 0; i < ROWS; i++) {
		options[i].name = option_rows[i].name;
		options[i].has_arg =
		    option_rows[i].argument == NULL ? no_argument : required_argument;
		if (option_rows[i].letter != 0)
			end += sprintf(end, "%c%s", option_rows[i].letter,
			    option_rows[i].argument == NULL ? "" : ":");
	}
	while ((code = getopt_long(argc, argv, letters, options, &at)) != -1) {
		if (code == '?' || code == ':')
			return code == ':' ? lacks_value(argv[optind - 1])
					   : unknown(argv[optind - 1]);
		if (code != 0)
			at = (int)(option_lettered((char)code) - option_rows);
		given[at] = true;
		snprintf(name, sizeof(name), "--%s", option_rows[at].name);
		rc = take(o, &option_rows[at], name, optarg);
		if (rc != 0)
			return rc;
	}
	*words = optind;
	return o->is_help || o->is_version ? 0 : take_environment(o);
}

int
options_judge(const char *command, const char *allowed)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &option_rows[i];

		if (!given[i] || row->is_global ||
		    option_lists(allowed, row->name, strlen(row->name)))
			continue;
		return ctl_fail(CTL_USAGE,
		    "--%s is no option of \"%s\": hrwctl %s --help lists what it takes", row->name,
		    command, command);
	}
	return 0;
}

void
options_fini(struct options *o)
{
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (row->kind == OPTION_LIST)
			free(((struct option_list *)member(o, row))->at);
}
