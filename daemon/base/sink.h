/*
 * sink.h - writes lines to stderr and never waits for whoever reads it.
 *
 * A reader that stands still would hold up every thread that logs, and with them
 * changes and the stop. Lines that cannot be written now are kept, up to a bound, and
 * written when they can be; past the bound they are dropped and counted. Any thread.
 */
#ifndef HRWD_BASE_SINK_H
#define HRWD_BASE_SINK_H

#include "core/bytes.h"

/* Writes a line, which ends with a line feed, or keeps it. */
void sink_write(struct hrw_bytes line);

/* Writes what was kept, as far as that goes now. To be called now and then. */
void sink_flush(void);

/* The same for so long at most, where the process ends. */
void sink_finish(int timeout_ms);

/* Lines that were dropped in all. */
uint64_t sink_dropped(void);

/* How many were dropped that nobody was told of, once lines can be written again; 0
 * otherwise. Whoever asks tells. */
uint64_t sink_untold(void);

#endif
