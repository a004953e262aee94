/*
 * log.h - one line an event, to stderr, as text or JSON.
 *
 * No byte of a client reaches a line unescaped. Any thread may log; a line is
 * written by one write(2), so lines of threads never mix.
 */
#ifndef HRWD_LOG_H
#define HRWD_LOG_H

#include <stdbool.h>

#include "daemon/config.h"

void log_set(enum config_log_level level, bool is_json);

/* text: "2026-01-02T03:04:05.678Z info message"; JSON: {"time","level","message"}.
 * The finished message has control bytes and non-UTF-8 written as \xNN. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
