/*
 * command.h - the commands of hrwctl, one row each, and what grows from them.
 */
#ifndef HRWD_CTL_COMMAND_H
#define HRWD_CTL_COMMAND_H

#include "daemon/base/buffer.h"
#include "daemon/ctl/ctl.h"

struct command {
	const char *name;	     /* "plan show" */
	const char *arguments;	     /* "NODE ADDRESS", "[FILE]", "NODE..." */
	const char *options;	     /* beside the global ones, separated by spaces */
	const char *help;	     /* a line of the list of commands */
	const char *more;	     /* sentences behind it, in its own help; "": none */
	int (*run)(struct ctl *ctl); /* an enum ctl_exit */
};

extern const struct command commands[]; /* ends with a NULL name */

/* Words that an argument can be: "ROLE" -> "read plan operate admin"; NULL: any. */
const char *command_choices(const char *argument, size_t len);

/* The command whose name the first words are, the longest of them.
 *   taken   receives how many words those are */
const struct command *command_find(char **words, size_t count, size_t *taken);

/* Do names of several words begin with this one: "keys"? */
bool command_is_group(const char *word);

/* Are there as many arguments as it takes, and may each be one? 0 or CTL_USAGE. */
int command_judge(const struct command *command, char **arguments, size_t count);

/* --help; with a command, its own. */
void usage_write(const struct command *command, struct buffer *out);
/* The options that all of them take. */
void usage_write_options(struct buffer *out);
/* The commands whose first word it is. */
void usage_write_group(const char *word, struct buffer *out);

/* hrwctl(1) as roff. */
void manual_write(struct buffer *out);

/* The script that makes a shell (bash, zsh, fish) ask completion_print(). */
void completion_write(const char *shell, struct buffer *out);

/* Prints what the last word can become, "word<TAB>help" a line. CTL_DONE. */
int completion_print(struct ctl *ctl, char **words, size_t count);

/* The nearest command to words that are none; NULL: none is near. */
const char *command_guess(char **words, size_t count);

/* Each command's function, by file. */
int lookup_owner(struct ctl *ctl);
int lookup_replicas(struct ctl *ctl);
int lookup_explain(struct ctl *ctl);
int lookup_nodes(struct ctl *ctl);
int lookup_pools(struct ctl *ctl);

/* A list of the pool that is meant: "/nodes". As client_get(). */
struct reply;
int lookup_list(struct ctl *ctl, const char *path, const char *shape, struct reply *reply);

/* The nodes of what GET /nodes or GET /pools/{pool} gave; columns and a row of pools. */
struct table;
struct json;
void lookup_show_nodes(const struct ctl *ctl, const struct json *j);
void lookup_pool_columns(struct table *t);
void lookup_pool_row(struct table *t, const struct json *pool);

int pools_add(struct ctl *ctl);
int pools_set(struct ctl *ctl);
int pools_drop(struct ctl *ctl);
int pools_show(struct ctl *ctl);
int pools_dump(struct ctl *ctl);

int backup_take(struct ctl *ctl);
int backup_restore(struct ctl *ctl);
int status_show(struct ctl *ctl);
int compare_placements(struct ctl *ctl);
int simulate_trace(struct ctl *ctl);

int action_add(struct ctl *ctl);
int action_drain(struct ctl *ctl);
int action_activate(struct ctl *ctl);
int action_rejoin(struct ctl *ctl);
int action_reweight(struct ctl *ctl);
int action_address(struct ctl *ctl);
int action_zone(struct ctl *ctl);
int action_remove(struct ctl *ctl);
int action_settle(struct ctl *ctl);
int action_change(struct ctl *ctl);
int action_apply(struct ctl *ctl);
int action_revert(struct ctl *ctl);

int copies_show(struct ctl *ctl);
int removable_show(struct ctl *ctl);

int plans_make(struct ctl *ctl);
int plans_show(struct ctl *ctl);
int plans_changes(struct ctl *ctl);
int plans_apply(struct ctl *ctl);
int plans_list(struct ctl *ctl);
int plans_history(struct ctl *ctl);
int offline_plan(struct ctl *ctl); /* of plans_make(), without a daemon */

int keyfile_put(struct ctl *ctl);
int keyfile_add(struct ctl *ctl);
int keyfile_import(struct ctl *ctl);
int keyfile_get(struct ctl *ctl);
int keyfile_stats(struct ctl *ctl);

int follow_pool(struct ctl *ctl);
int secret_make(struct ctl *ctl);
int version_print(struct ctl *ctl);
int completion_script(struct ctl *ctl);

#endif
