/*
 * ctl.h - what every command of hrwctl is given, and how it ends.
 *
 * main -> command -> lookup, action, … -> client; whatever people read goes
 * through table and terminal. A command is one function and one row of
 * commands[]; --help, the manual page and the shells' completion grow from it.
 */
#ifndef HRWD_CTL_CTL_H
#define HRWD_CTL_CTL_H

#include <stdio.h>

#include "daemon/ctl/options.h"
#include "daemon/ctl/terminal.h"

enum ctl_exit {
	CTL_DONE = 0,
	CTL_REFUSED = 1,
	CTL_USAGE = 2,
	CTL_UNREACHABLE = 3,
	CTL_CONFLICT = 4,
	CTL_PENDING = 5,
	CTL_OUTPUT = 6,
	CTL_LEFT = 130, /* by Ctrl-C, as shells count it */
};

/* Ends with a NULL text. */
extern const struct ctl_exit_row {
	enum ctl_exit status;
	const char *brief, *text;
} ctl_exits[];

struct command;
struct client;

struct ctl {
	const struct command *command;
	struct options options;
	char **argument; /* argv's */
	size_t argument_count;
	struct client *client;
	struct terminal terminal;
	FILE *out;	  /* for people: stdout, or stderr where stdout has JSON */
	int output_error; /* errno of a stdout that takes no more; 0: none that is known */
	uint64_t due;	  /* the second at which --deadline is over; 0: not looked at yet */
	bool is_json;	  /* stdout has one JSON document, or one a line */
};

/* Says "hrwctl: …" on stderr, control bytes escaped. Returns `status`. */
int ctl_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Seconds that may still be waited, `most` at most; 0: --deadline is over. Its time
 * begins with the first call. */
unsigned ctl_patience(struct ctl *ctl, unsigned most);
/* Says that it is over. Returns CTL_REFUSED. */
int ctl_late(const struct ctl *ctl);

/* A text of somebody else's as a terminal may get it (core/bytes.h): itself, or a copy
 * that lasts for the next 15 calls. */
const char *ctl_shown(const char *text);

/* The first control byte of a text; NULL: it has none. */
const char *ctl_control(const char *text);

static inline int
ctl_no_memory(void)
{
	ctl_fail(CTL_REFUSED, "no memory");
	return CTL_REFUSED;
}

#endif
