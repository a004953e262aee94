/*
 * config_options.h - what config.c, config_document.c and the table of options share.
 */
#ifndef HRWD_CONFIG_OPTIONS_H
#define HRWD_CONFIG_OPTIONS_H

#include "daemon/config.h"

/* Every option's default. */
int config_read_defaults(struct config *c, struct hrw_fault *fault);

/* Takes c->document's values; what is wrong is told by its pointer. */
int config_read_document(struct config *c, struct hrw_fault *fault);

/* Puts file, line, column and field before what is wrong. Returns the fault's code. */
int config_locate(const char *path, const struct json *document, struct hrw_fault *fault);

/* Frees what the options' readers have set. */
void config_values_fini(struct config *c);

#endif
