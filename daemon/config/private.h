/*
 * private.h - what the files of the configuration share: the readers that the table
 * of options names, and the steps from a file to a configuration.
 */
#ifndef HRWD_CONFIG_PRIVATE_H
#define HRWD_CONFIG_PRIVATE_H

#include "daemon/config/config.h"

/* Every option's default. */
int config_read_defaults(struct config *c, struct hrw_fault *fault);

/* Reads the values of c->document into c.
 *   errors  those of the options' readers; the fault's field is the value's JSON pointer */
int config_read_document(struct config *c, struct hrw_fault *fault);

/* Begins the fault's detail with the file, line, column and field. Returns its code. */
int config_locate(const char *path, const struct json *document, struct hrw_fault *fault);

/* Frees what the options' readers have set. */
void config_values_fini(struct config *c);

/* INTERNAL: no memory. */
int config_no_memory(struct hrw_fault *fault);

/* BAD_FIELD: a value of another type than the option's. */
int config_mistyped(
    const struct config_option *option, const struct json *j, struct hrw_fault *fault);

/* The member of the configuration that a row points at. */
void *config_member(struct config *c, const struct config_option *option);

/* Replaces a text that the configuration owns. */
int config_set_text(char **at, const char *text, struct hrw_fault *fault);

/* One for each kind of value: sets what the row points at, or is about. 0, or an
 * error with the value's pointer. */
#define CONFIG_READER(name)                                                                        \
	int config_read_##name(struct config *c, const struct config_option *option,               \
	    const struct json *j, struct hrw_fault *fault)

CONFIG_READER(count);
CONFIG_READER(limit);
CONFIG_READER(flag);
CONFIG_READER(live_flag);
CONFIG_READER(log_level);
CONFIG_READER(log_format);
CONFIG_READER(workers);
CONFIG_READER(addresses);
CONFIG_READER(hosts);
CONFIG_READER(path);
CONFIG_READER(secrets);
CONFIG_READER(store_path);
CONFIG_READER(store_file);
CONFIG_READER(default_pool);
CONFIG_READER(pools);

#undef CONFIG_READER

/* Frees what they have set. */
void config_limits_fini(struct config *c);
void config_addresses_fini(struct config_addresses *list);
void config_hosts_fini(struct config *c);

#endif
