/*
 * options.h - the options of hrwctl, one row each.
 *
 * A row holds all that is known of an option. Which commands take it stands in
 * their rows; global ones are taken by all.
 */
#ifndef HRWD_CTL_OPTIONS_H
#define HRWD_CTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An option that may be given more than once; the texts are argv's. */
struct option_list {
	const char **at;
	size_t count;
};

struct options {
	/* global */
	const char *admin, *pool, *token_file, *output;
	const char *ca, *certificate, *certificate_key;
	bool is_verbose, is_help, is_version;
	uint64_t timeout;
	const char *print; /* not listed: what the build asks for */

	/* of a change */
	bool is_sure, is_dry_run, has_exit_code, settles_now, waits;
	const char *reason;
	struct option_list force;

	/* a change in flags */
	struct option_list add, drain, activate, rejoin, remove, reweight;
	const char *placement, *settles_after, *max_ttl, *max_moved;
	uint64_t copies;
	const char *weight, *zone;
	bool is_joining, is_active;
	const char *offline, *keys;

	/* of the rest */
	const char *lost, *gained, *source, *to;
	bool is_csv, leftover, watches;
	uint64_t limit, count, interval, epoch, at_epoch, capacity, window, deadline;
	const char *after;
	struct option_list leave, join;
	const char *format;
	bool extends, may_be_empty, has_crlf, is_quoted;
};

/* Lines of a table where --limit does not say. */
enum { OPTION_LINES = 20 };

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER, OPTION_LIST };

struct option_row {
	const char *name;
	char letter;	      /* short for it; 0: none */
	const char *argument; /* "ADDR"; NULL: a flag */
	enum option_kind kind;
	size_t offset; /* in struct options */
	bool is_global;
	bool is_common;		    /* stands in hrwctl --help, too */
	bool is_line;		    /* a text that goes into a header: no control bytes */
	uint64_t initial, min, max; /* numbers; initial is the default */
	const char *standard;	    /* the default of a text; NULL: none */
	const char *choices;	    /* words separated by spaces; NULL: any */
	const char *environment;    /* the variable that has the default; NULL: none */
	const char *help;
};

extern const struct option_row option_rows[]; /* ends with a NULL name */

/* The row of that name; NULL: none. */
const struct option_row *option_find(const char *name, size_t len);

/* The same of a letter other than 0. */
const struct option_row *option_lettered(char letter);

/* Is the word one of a list separated by spaces? */
bool option_lists(const char *list, const char *word, size_t len);

/* Fills defaults, then what argv says; the words left over are moved to its end.
 *   words     receives the index of the first word left over
 *   returns   0, or CTL_USAGE after saying why */
int options_read(struct options *o, int argc, char **argv, int *words);

/* Were any options given that the list does not have? CTL_USAGE after saying
 * which. */
int options_judge(const char *command, const char *allowed);

void options_fini(struct options *o);

#endif
