/*
 * inspect.h - what a start would find in its pools, before anything starts.
 */
#ifndef HRWD_INSPECT_H
#define HRWD_INSPECT_H

#include "daemon/config/config.h"

/* Reads the file of pools that the configuration names, if it names one, as the start
 * does: there is no last good one yet, so a file that cannot be taken is an error of
 * the configuration.
 *   warns   write warnings of the file's pools, or of those of the configuration, into
 *           the log
 *   errors  what the store or a pool says */
int inspect_pools(const struct config *c, bool warns, struct hrw_fault *fault);

#endif
