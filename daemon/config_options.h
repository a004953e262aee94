/*
 * config_options.h - what config.c and its table of options share.
 */
#ifndef HRWD_CONFIG_OPTIONS_H
#define HRWD_CONFIG_OPTIONS_H

#include "daemon/config.h"

/* Frees what the options' readers have set. */
void config_values_fini(struct config *c);

#endif
