/*
 * config.h - what the configuration file and the flags say.
 *
 * Every option is one row of a table in config.c: its place in the file, type,
 * unit, range, default and help; parsing, --check, --help, conf/hrwd.json's
 * test and the schema read the rows.
 */
#ifndef HRWD_CONFIG_H
#define HRWD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/membership.h"
#include "daemon/json.h"

enum { CONFIG_ADDRESSES_MAX = 16 };

enum config_store { CONFIG_STORE_SQLITE, CONFIG_STORE_FILE };

enum config_log_level { CONFIG_LOG_ERROR, CONFIG_LOG_WARN, CONFIG_LOG_INFO, CONFIG_LOG_DEBUG };

struct config_addresses {
	size_t count; /* 0: off */
	char *address[CONFIG_ADDRESSES_MAX]; /* "host:port", "[v6]:port", "unix:/path" */
};

struct config {
	char *path; /* the file; NULL: none */
	struct config_addresses lookup, admin;
	size_t host_count;
	char **hosts; /* further names allowed in Host on the admin listener */
	unsigned workers; /* resolved: 1..16 */
	enum config_store store;
	char *store_path; /* absolute */
	bool store_create;
	char *default_pool;

	struct hrw_limits limits; /* nodes, key_bytes, copies, name_bytes */
	size_t json_bytes, body_bytes, parameters;
	uint64_t keys;
	size_t connections, connections_per_address;
	unsigned idle_seconds, head_seconds, body_seconds;
	size_t plans, running_plans, history;

	enum config_log_level log_level;
	bool log_is_json;

	struct json *document; /* the parsed file; owns the pools below; NULL: none */
	const struct json *pools; /* the "pools" object; NULL: none given */
};

/* Defaults, as with neither file nor flags. NULL: no memory. */
struct config *config_new(void);
void config_free(struct config *c);

/* Reads a file into a new configuration.
 *   errors  BAD_FIELD, BAD_JSON and the codes of pool fields; the detail says
 *           file, line, column, field and remedy. NULL then */
struct config *config_read(const char *path, struct hrw_fault *fault);

/* What flags set; each like its option in the file. */
int config_set_lookup(struct config *c, const char *address, struct hrw_fault *fault);
int config_set_admin(struct config *c, const char *address, struct hrw_fault *fault);
int config_set_store(struct config *c, const char *path, struct hrw_fault *fault);

#endif
