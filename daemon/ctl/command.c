/*
 * command.c - the table of commands.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/base/guess.h"
#include "daemon/ctl/command.h"

#define CHANGE "yes dry-run exit-code reason force at-epoch"
#define EDITS  "add drain activate rejoin remove reweight copies placement"
#define TERMS  "copies placement settles-after max-ttl max-moved"

/* clang-format off: a row a line or two */
const struct command commands[] = {
    {"owner", "KEY...", "", "the node ranked first for a key, and its address",
	"Of several keys, or of those on stdin (-), it prints a line with key, tab and owner each",
	lookup_owner},
    {"replicas", "KEY...", "copies", "the nodes that hold a key, best first, and fallback",
	"Of several keys, or of those on stdin (-), it prints a line with key, tab and holders "
	"each",
	lookup_replicas},
    {"explain", "KEY", "", "every node's rank and score for a key, and why", "", lookup_explain},
    {"nodes", "[NODE]", "", "the nodes of a pool, or one of them", "", lookup_nodes},
    {"pools", "", "", "every pool in short", "", lookup_pools},
    {"status", "", "exit-code", "the daemon, its store, and which pools are not settled", "",
	status_show},
    {"watch", "", "interval count", "print what changes in a pool, as it changes", "", follow_pool},

    {"add", "NODE ADDRESS", CHANGE " weight zone joining active settle-now",
	"add a node, to be filled", "", action_add},
    {"drain", "NODE...", CHANGE " wait deadline",
	"stop placing keys on nodes; they keep their copies",
	"Ctrl-C leaves the waiting of --wait, and the same command takes it up again: what drains "
	"already is waited for",
	action_drain},
    {"activate", "NODE...", CHANGE, "let nodes hold keys: filled ones, or back from a drain", "",
	action_activate},
    {"rejoin", "NODE...", CHANGE, "say that nodes came back empty", "", action_rejoin},
    {"reweight", "NODE WEIGHT", CHANGE " settle-now", "give a node another share of the keys", "",
	action_reweight},
    {"address", "NODE ADDRESS", CHANGE, "say where a node is now: no key moves", "",
	action_address},
    {"zone", "NODE ZONE", CHANGE, "move a node to another zone; - for its own", "", action_zone},
    {"remove", "NODE...", CHANGE, "remove draining nodes", "", action_remove},
    {"removable", "NODE...", "wait deadline", "may these nodes be switched off?",
	"It ends with 0 where all of them may, else with 1", removable_show},
    {"copies", "", "to from limit after csv", "the copies of stored keys still to be made",
	"As CSV or JSON it lists them, --limit of them or all", copies_show},
    {"settle", "", CHANGE, "say that all copies are in place", "", action_settle},

    {"change", "[FILE]", CHANGE " settle-now " EDITS, "any combination as one change",
	"It is made of options, or of a JSON file such as {\"drain\":[\"cache-c\"],\"copies\":3}",
	action_change},
    {"apply", "FILE", CHANGE " settle-now", "make pools exactly what a file declares",
	"The file holds a pool, or a configuration with pools. Several are all planned before it "
	"asks, then applied one after another: where one is refused meanwhile, those before it "
	"stay changed",
	action_apply},
    {"revert", "EPOCH", CHANGE " settle-now", "go back to an earlier epoch's membership", "",
	action_revert},
    {"pool add", "POOL", CHANGE " " TERMS " add", "make a pool, with nodes or without", "",
	pools_add},
    {"pool set", "[POOL]", CHANGE " settle-now " TERMS,
	"change a pool's copies, placement and times",
	"Another number of copies, or placement, is planned and shown as any change is", pools_set},
    {"pool drop", "POOL", CHANGE, "remove a pool and its keys", "", pools_drop},
    {"pool show", "[POOL]", "epoch", "a whole pool, and why it is not settled", "", pools_show},
    {"dump", "", "", "print all pools, or one, as hrwctl apply takes them", "--pool names the one",
	pools_dump},

    {"plan", "[FILE]", EDITS " keys offline exit-code",
	"what a change would do, of a file or options",
	"The file is JSON, such as {\"drain\":[\"cache-c\"],\"copies\":3}", plans_make},
    {"plan show", "ID", "watch", "a plan's report", "", plans_show},
    {"plan changes", "ID", "lost gained from leftover limit after csv", "a plan's single keys",
	"Of each: the nodes that lose and gain a copy, and where to copy it from", plans_changes},
    {"plan apply", "ID", "yes reason force", "make the planned change, if the pool is as it was",
	"", plans_apply},
    {"plans", "", "limit after", "kept plans, newest first", "Of every pool with --pool '*'",
	plans_list},
    {"history", "", "limit after", "what was changed or refused, newest first",
	"Of every pool with --pool '*'", plans_history},

    {"compare", "PLACEMENT...", "add drain activate rejoin remove reweight copies keys",
	"how evenly placements spread the keys",
	"A placement is a name, or a JSON object with parameters. With a change, it tells what "
	"that moves under each",
	compare_placements},
    {"simulate", "FILE [PLACEMENT...]", "capacity window leave join",
	"the hit rates of a trace under placements",
	"The trace is a key a line, in order of time; - is stdin. Without placements it is the "
	"pool's. Beside them it tries a node at random, and nodes in turn",
	simulate_trace},

    {"keys put", "FILE", "format crlf empty reason", "replace a pool's stored keys; - is stdin", "",
	keyfile_put},
    {"keys add", "FILE", "format crlf reason", "add to a pool's stored keys; - is stdin", "",
	keyfile_add},
    {"keys import", "DUMP FILE", "no-raw extend empty reason",
	"the same, of what memcached or Redis dumps", "", keyfile_import},
    {"keys get", "", "format limit after", "print a pool's stored keys, in order of bytes", "",
	keyfile_get},
    {"keys stats", "", "", "how many keys are stored", "", keyfile_stats},

    {"backup", "FILE", "", "write the daemon's whole store, as it is now, to a file",
	"Changes go on meanwhile. Key sets are not in it: hrwctl keys get prints one", backup_take},
    {"restore", "FILE STORE", "", "put a backup in the place of a stopped daemon's store",
	"The store that was there is kept beside it, and each pool goes on under a new lineage",
	backup_restore},

    {"token", "NAME ROLE [PATTERN...]", "", "make a token, and its line for auth.tokens", "",
	secret_make},
    {"completion", "SHELL", "", "print the script that completes words in a shell", "",
	completion_script},
    {"help", "[COMMAND...]", "", "what a command, or with \"options\" each, takes", "", NULL},
    {"version", "", "", "print the version", "", version_print},
    {.name = NULL},
};
/* clang-format on */

static const struct {
	const char *argument, *choices;
} choices[] = {
    {"ROLE", "read plan operate admin"},
    {"DUMP", "memcached redis"},
    {"SHELL", "bash zsh fish"},
};

const char *
command_choices(const char *argument, size_t len)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (strlen(choices[i].argument) == len &&
		    memcmp(choices[i].argument, argument, len) == 0)
			return choices[i].choices;
	return NULL;
}

/* How many of the words the name is; 0 where it is not theirs. */
static size_t
match(const char *name, char **words, size_t count)
{
	size_t taken = 0;

	while (*name != '\0') {
		size_t part = strcspn(name, " ");

		if (taken == count || strlen(words[taken]) != part ||
		    memcmp(words[taken], name, part) != 0)
			return 0;
		taken++;
		name += part + (name[part] == ' ');
	}
	return taken;
}

bool
command_is_group(const char *word)
{
	size_t len = strlen(word);

	for (const struct command *c = commands; c->name != NULL; c++)
		if (strncmp(c->name, word, len) == 0 && c->name[len] == ' ')
			return true;
	return false;
}

const struct command *
command_find(char **words, size_t count, size_t *taken)
{
	const struct command *best = NULL;

	*taken = 0;
	for (const struct command *c = commands; c->name != NULL; c++) {
		size_t length = match(c->name, words, count);

		if (length > *taken) {
			best = c;
			*taken = length;
		}
	}
	return best;
}

/* What the same is called elsewhere. */
static const struct {
	const char *word, *name;
} synonyms[] = {
    {"undrain", "activate"},
    {"uncordon", "activate"},
    {"cordon", "drain"},
    {"drop", "pool drop"},
    {"put", "keys put"},
    {"scan", "keys get"},
    {"monitor", "watch"},
    {"rm", "remove"},
    {"delete", "remove"},
    {"ls", "nodes"},
    {"list", "nodes"},
    {"members", "nodes"},
    {"info", "status"},
    {"health", "status"},
    {"rollback", "revert"},
    {"export", "dump"},
    {"save", "backup"},
    {"get", "owner"},
};

const char *
command_guess(char **words, size_t count)
{
	const char *names[128], *guess = NULL;
	size_t known = 0;
	char two[128];

	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
		if (strcmp(synonyms[i].word, words[0]) == 0)
			return synonyms[i].name;

	for (const struct command *c = commands; c->name != NULL && known < 127; c++)
		names[known++] = c->name;
	names[known] = NULL;
	if (count > 1) {
		snprintf(two, sizeof(two), "%s %s", words[0], words[1]);
		guess = guess_word(two, names);
	}
	return guess != NULL ? guess : guess_word(words[0], names);
}

/* Nothing but a key can be empty: `drain "$node"` without a $node is a slip. */
static int
judge_given(const char *name, size_t len, char **arguments, size_t count, size_t from, bool is_list)
{
	size_t end = is_list || from + 1 > count ? count : from + 1;

	if (len == 3 && memcmp(name, "KEY", 3) == 0)
		return 0;
	for (size_t i = from; i < end; i++)
		if (*arguments[i] == '\0')
			return ctl_fail(CTL_USAGE, "%.*s is \"\": give it a name or a value",
			    (int)(len - (*name == '[')), name + (*name == '['));
	return 0;
}

int
command_judge(const struct command *command, char **arguments, size_t count)
{
	const char *at = command->arguments;
	size_t least = 0, most = 0;
	int rc;

	while (*at != '\0') {
		size_t part = strcspn(at, " "), bare = strcspn(at, ".]");
		const char *words = command_choices(at, part);

		if (words != NULL && most < count &&
		    !option_lists(words, arguments[most], strlen(arguments[most])))
			return ctl_fail(CTL_USAGE, "%.*s is \"%s\": it can be one of: %s",
			    (int)part, at, arguments[most], words);
		least += *at != '[';
		rc = judge_given(at, bare < part ? bare : part, arguments, count, most,
		    bare < part && at[bare] == '.');
		if (rc != 0)
			return rc;
		most = bare < part && at[bare] == '.' ? SIZE_MAX : most + 1;
		at += part + (at[part] == ' ');
	}
	if (count >= least && count <= most)
		return 0;
	return ctl_fail(CTL_USAGE, "usage: hrwctl %s%s%s (hrwctl %s --help tells more)",
	    command->name, *command->arguments != '\0' ? " " : "", command->arguments,
	    command->name);
}
