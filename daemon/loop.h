/*
 * loop.h - from a configuration to a daemon that runs until it is told to end.
 *
 * The main thread's loop owns the admin listeners and the one writer; each
 * worker is a thread with a loop, a server a lookup address, and a reference of
 * its own to the present snapshot.
 */
#ifndef HRWD_LOOP_H
#define HRWD_LOOP_H

#include "daemon/config/config.h"

/* Loads everything, then listens, and returns after SIGTERM or SIGINT when the
 * requests under way are finished (limits.stop_seconds at most). A second such
 * signal ends the process at once with status 1.
 *   errors  what kept it from starting, with the fault filled; nothing is left
 *           open then */
int loop_run(struct config *config, struct hrw_fault *fault);

#endif
