/*
 * log.h - one line an event, to stderr, as text or JSON.
 *
 *     log_event(LOG_INFO, "pool changed", log_text("pool", name), log_count("epoch", 5));
 *
 *   text   2026-01-02T03:04:05.678Z info pool changed pool=default epoch=5
 *   JSON   {"time":"…","level":"info","message":"pool changed","pool":"default","epoch":5}
 *
 * No byte of a client reaches a line unescaped. Any thread may log; a line is
 * written whole, so lines of threads never mix. Nobody who logs waits for whoever
 * reads stderr: sink.h keeps what cannot be written now, and drops what is too much.
 *
 * Where stderr is the journal, a line begins with its level as journald reads it,
 * "<6>" (sd-daemon(3)).
 */
#ifndef HRWD_BASE_LOG_H
#define HRWD_BASE_LOG_H

#include <stdbool.h>

#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_set(enum log_level level, bool is_json);

/* Are lines of this level written? Asked before what only a line needs is counted. */
bool log_is_wanted(enum log_level level);

/* Writes lines that had to be kept, and tells of those that were dropped. To be called
 * now and then. */
void log_flush(void);

/* Sentences: the finished message has control bytes and what is not UTF-8 written
 * as \xNN. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The one line of a start that failed, "hrwd: …", whatever the configuration says of
 * the log; then log_finish(). */
void log_last_words(const struct hrw_fault *fault);

/* Where the process ends: waits a moment for a reader of stderr that is slow. */
void log_finish(void);

/* Events, whose message is a literal and whose particulars are fields. As text a
 * field is name=value; a value that is no plain word stands in quotes, in which
 * \" is a quote, so that no value passes for another field. As JSON it is a member.
 * In both \xNN is a byte and \\ a backslash, so that no two values look the same; but
 * one that is long is cut with "…". */
struct log_field {
	const char *name;
	enum { LOG_NOTHING, LOG_TEXT, LOG_COUNT } kind;
	struct hrw_bytes text; /* any bytes */
	size_t most;	       /* bytes of it that are shown */
	uint64_t count;
};

enum { LOG_VALUE = 1024 };

/* Bytes, of which so many are shown, LOG_VALUE at most. data NULL: no field. */
static inline struct log_field
log_bytes(const char *name, struct hrw_bytes bytes, size_t most)
{
	return (struct log_field){.name = name,
	    .kind = bytes.data != NULL ? LOG_TEXT : LOG_NOTHING,
	    .text = bytes,
	    .most = most};
}

/* NULL: no field. */
static inline struct log_field
log_text(const char *name, const char *text)
{
	return log_bytes(name, text != NULL ? hrw_text(text) : (struct hrw_bytes){0}, LOG_VALUE);
}

static inline struct log_field
log_count(const char *name, uint64_t count)
{
	return (struct log_field){.name = name, .kind = LOG_COUNT, .count = count};
}

/* The same, and no field where it is not known. */
static inline struct log_field
log_count_if(bool is_known, const char *name, uint64_t count)
{
	return is_known ? log_count(name, count) : (struct log_field){.kind = LOG_NOTHING};
}

#define log_event(level, message, ...)                                                             \
	log_fields((level), "" message, (const struct log_field[]){__VA_ARGS__},                   \
	    sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))

void log_fields(
    enum log_level level, const char *message, const struct log_field *field, size_t count);

/* The event "access", which log.access alone switches on: it is written whatever the
 * level. As any line it waits for whoever reads stderr. */
void log_access(const struct log_field *field, size_t count);

#endif
