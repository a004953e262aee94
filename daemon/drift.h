/*
 * drift.h - where the configuration's pools and the store's have parted.
 *
 * The store is the truth once it knows a pool; a difference is told once, at
 * start, so that nobody edits a file and waits for it to count.
 */
#ifndef HRWD_DRIFT_H
#define HRWD_DRIFT_H

#include "daemon/app.h"

/* Compares every pool of the configuration with the snapshot: a warning and
 * hrwd_config_drift for each. */
void drift_tell(const struct app *app, const struct snapshot *snapshot);

#endif
