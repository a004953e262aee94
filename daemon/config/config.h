/*
 * config.h - what the configuration file and the flags say.
 *
 * Every option is one row of a table in options.c: its place in the file, type,
 * unit, range, default and help; parsing, --check, --help, conf/hrwd.json's
 * test and the schema read the rows.
 */
#ifndef HRWD_CONFIG_CONFIG_H
#define HRWD_CONFIG_CONFIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/json.h"
#include "daemon/base/log.h"
#include "daemon/http/config.h"
#include "daemon/members/config.h"

enum config_store { CONFIG_STORE_SQLITE, CONFIG_STORE_FILE };

struct config {
	char *path; /* the file; NULL: none */
	struct http_config http;
	struct members_config members;
	enum config_store store;
	bool store_create;
	atomic_bool allow_empty; /* a file store may come to be without pools or nodes */
	struct config_limits *all_limits; /* those of members, and before; freed with the rest */
	size_t running_uploads;
	atomic_size_t running_lists;
	atomic_uint_least64_t keys;

	char *certificate, *key, *client_ca; /* absolute; NULL: none */
	char *secrets;			     /* the folder, absolute; NULL: none */
	char *tokens_path;		     /* absolute; NULL: no tokens are asked for */

	enum log_level log_level;
	bool log_is_json;

	/* It is for another machine: groups, secrets, and the pools read by them, are
	 * not looked at. */
	bool is_elsewhere;

	struct json *document; /* the parsed file; owns the pools; NULL: none */
};

/* One option: all that is known of it. */
struct config_option {
	const char *section; /* the object it stands in; NULL: the outermost */
	const char *name;
	const char *type;    /* for people: "a whole number" */
	const char *initial; /* the default as JSON; NULL: none, or found at start */
	const char *help;
	/* Takes a value into a configuration, or fills the fault. */
	int (*read)(struct config *c, const struct config_option *option, const struct json *j,
	    struct hrw_fault *fault);
	size_t offset, size;	    /* of the member that a generic reader sets */
	uint64_t min, max;	    /* whole numbers */
	const char *const *choices; /* words, ended by NULL */
	bool reloads;		    /* can change while the daemon runs */
};

extern const struct config_option config_options[]; /* ends with a NULL name */

/* Defaults, as with neither file nor flags. NULL: no memory. */
struct config *config_new(void);
void config_free(struct config *c);

/* Does this address speak TLS? */
bool config_is_tls(const struct config *c, const struct config_address *address);

/* Reads a file into a new configuration, and the files that it names: tokens,
 * certificate, key.
 *   errors  BAD_FIELD, BAD_JSON and the codes of pool fields, or INTERNAL when it
 *           cannot be read; the detail says file, line, column, field and
 *           remedy. NULL then */
struct config *config_read(const char *path, struct hrw_fault *fault);

/* Is a configuration for another machine right but for its pools, whose secrets are
 * there alone? No file that it names is opened.
 *   path     of its file, for messages; the document stays the caller's
 *   errors   as config_read() */
int config_check_elsewhere(const char *path, struct json *document, struct hrw_fault *fault);

/* What flags set; each like its option in the file. */
int config_set_lookup(struct config *c, const char *address, struct hrw_fault *fault);
int config_set_admin(struct config *c, const char *address, struct hrw_fault *fault);
int config_set_store(struct config *c, const char *path, struct hrw_fault *fault);

/* What no single option shows, once the flags are set: BAD_FIELD when nothing
 * listens, or when anybody could reach the admin listener. */
int config_check(const struct config *c, struct hrw_fault *fault);

/* Reads the file of a running configuration again, and those that it names, and
 * takes over the options that can change while the daemon runs; the rest stays
 * as it was.
 *   fixed    receives the names of other options that differ from those at
 *            start, separated by ", "
 *   errors   as config_read(): nothing is changed then. No file: 0 */
int config_reload(struct config *c, struct buffer *fixed, struct hrw_fault *fault);

/* What an option takes: "a whole number from 1 to 64; 2 when left out". */
void config_describe(struct buffer *out, const struct config_option *option);

/* Every option with its type, range, default and help, for --help. */
void config_help(struct buffer *out);

#endif
