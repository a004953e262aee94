/*
 * flags.h - the flags of hrwd, one row each: parsing, --help, the manual page and
 * the shells' completion read the rows.
 */
#ifndef HRWD_CONFIG_FLAGS_H
#define HRWD_CONFIG_FLAGS_H

#include "daemon/base/buffer.h"

/* What the flags say; texts are argv's. */
struct flags {
	const char *config, *lookup, *admin, *store;
	bool is_check, is_health, is_version, is_help;
};

struct flag {
	const char *name, *argument; /* argument NULL: takes none */
	size_t offset;		     /* in struct flags: a text, or a truth */
	bool is_path;		     /* the argument is a file */
	const char *help;
};

extern const struct flag flag_rows[]; /* ends with a NULL name */

/* 0, or -1 after getopt has said why. */
int flags_read(int argc, char **argv, struct flags *out);

/* "hrwd [--config FILE] …" */
void flags_usage(struct buffer *out);

/* What --help prints: the flags, and every option of the configuration. */
void flags_help(struct buffer *out);

#endif
