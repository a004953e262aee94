/*
 * log.c - a line is built whole, then written at once.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/json.h"
#include "daemon/base/log.h"
#include "daemon/base/sink.h"
#include "daemon/base/wall.h"

/* A message past this is cut: none of ours comes near. */
enum { MESSAGE_BYTES = 1024, SHOWN_BYTES = 2 * MESSAGE_BYTES };

enum { LAST_MS = 500 }; /* for a reader of stderr that is slow */

/* The process has one stderr, and a reload may change how it is written while
 * any thread logs. */
static atomic_int level_now = LOG_INFO;
static atomic_bool is_json_now = false;
static bool is_journal;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* With the priorities of syslog(3). */
static const struct {
	const char *name, *priority;
} levels[] = {
    [LOG_ERROR] = {"error", "<3>"},
    [LOG_WARN] = {"warn", "<4>"},
    [LOG_INFO] = {"info", "<6>"},
    [LOG_DEBUG] = {"debug", "<7>"},
};

void
log_set(enum log_level level, bool is_json)
{
	atomic_store(&level_now, (int)level);
	atomic_store(&is_json_now, is_json);
}

/* JOURNAL_STREAM is "DEVICE:INODE" of the stream that journald gave; who started us
 * may have sent stderr elsewhere since (systemd.exec(5)). */
static void
look_for_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat is;

	is_journal = stream != NULL && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
		     fstat(STDERR_FILENO, &is) == 0 && is.st_dev == device && is.st_ino == inode;
}

/* What goes before a line: "<3>", or "". */
static const char *
prefix(enum log_level level)
{
	pthread_once(&once, look_for_journal);
	return is_journal ? levels[level].priority : "";
}

/* What of a value may be shown, and one byte more, so that a cut is marked. */
static struct hrw_bytes
shown_part(const struct log_field *f, size_t *most)
{
	*most = f->most < LOG_VALUE ? f->most : LOG_VALUE;
	return hrw_bytes(f->text.data, f->text.len <= *most ? f->text.len : *most + 1);
}

/* A value as a line shows it, with a backslash before each of the bytes `special`:
 * the backslash is one, or a value could pass for the \xNN of another. */
static const char *
show(const struct log_field *f, const char *special, char shown[LOG_VALUE + 1])
{
	char escaped[2 * (LOG_VALUE + 1)];
	size_t most, len = 0;
	struct hrw_bytes text = shown_part(f, &most);

	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] != '\0' && strchr(special, text.data[i]) != NULL)
			escaped[len++] = '\\';
		escaped[len++] = (char)text.data[i];
	}
	return hrw_show(hrw_bytes(escaped, len), shown, most + 1);
}

static void
put_member(struct json_out *o, const struct log_field *f)
{
	char shown[LOG_VALUE + 1];

	switch (f->kind) {
	case LOG_NOTHING:
		break;
	case LOG_TEXT:
		json_put_text(o, f->name, show(f, "\\", shown));
		break;
	case LOG_COUNT:
		json_put_count(o, f->name, f->count);
		break;
	}
}

/* Is it one word, which reads as well without quotes? */
static bool
is_word(struct hrw_bytes text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-_.:,/+*@[]{}";

	for (size_t i = 0; i < text.len; i++)
		if (memchr(plain, text.data[i], sizeof(plain) - 1) == NULL)
			return false;
	return text.len > 0;
}

static void
put_text(struct buffer *line, const struct log_field *f)
{
	char shown[LOG_VALUE + 1];
	size_t most;
	const char *quote = is_word(shown_part(f, &most)) ? "" : "\"";

	buffer_printf(line, " %s=%s%s%s", f->name, quote, show(f, "\"\\", shown), quote);
}

static void
put_pair(struct buffer *line, const struct log_field *f)
{
	switch (f->kind) {
	case LOG_NOTHING:
		break;
	case LOG_TEXT:
		put_text(line, f);
		break;
	case LOG_COUNT:
		buffer_printf(line, " %s=%llu", f->name, (unsigned long long)f->count);
		break;
	}
}

static void
put_line(enum log_level level, const char *message, const struct log_field *field, size_t count)
{
	struct buffer line = {0};
	char at[JSON_TIME];

	json_time(wall_ms(), at);
	buffer_add_text(&line, prefix(level));
	if (atomic_load(&is_json_now)) {
		struct json_out o = json_out(&line);

		json_open_object(&o, NULL);
		json_put_text(&o, "time", at);
		json_put_text(&o, "level", levels[level].name);
		json_put_text(&o, "message", message);
		for (size_t i = 0; i < count; i++)
			put_member(&o, &field[i]);
		json_close_object(&o);
	} else {
		buffer_printf(&line, "%s %s %s", at, levels[level].name, message);
		for (size_t i = 0; i < count; i++)
			put_pair(&line, &field[i]);
	}
	buffer_add_text(&line, "\n");
	if (!line.failed)
		sink_write(buffer_bytes(&line));
	buffer_fini(&line);
}

void
log_flush(void)
{
	uint64_t untold;

	sink_flush();
	untold = sink_untold();
	if (untold > 0)
		log_event(
		    LOG_WARN, "log lines dropped: nobody read stderr", log_count("lines", untold));
}

bool
log_is_wanted(enum log_level level)
{
	return (int)level <= atomic_load(&level_now);
}

void
log_fields(enum log_level level, const char *message, const struct log_field *field, size_t count)
{
	if (log_is_wanted(level))
		put_line(level, message, field, count);
}

void
log_access(const struct log_field *field, size_t count)
{
	put_line(LOG_INFO, "access", field, count);
}

static void put(enum log_level level, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void
put(enum log_level level, const char *format, va_list arguments)
{
	char message[MESSAGE_BYTES], shown[SHOWN_BYTES];

	if (!log_is_wanted(level))
		return;
	vsnprintf(message, sizeof(message), format, arguments);
	put_line(level, hrw_show(hrw_text(message), shown, sizeof(shown)), NULL, 0);
}

#define LOG_FUNCTION(name, level)                                                                  \
	void log_##name(const char *format, ...)                                                   \
	{                                                                                          \
		va_list arguments;                                                                 \
                                                                                                   \
		va_start(arguments, format);                                                       \
		put(level, format, arguments);                                                     \
		va_end(arguments);                                                                 \
	}

LOG_FUNCTION(error, LOG_ERROR)
LOG_FUNCTION(warn, LOG_WARN)
LOG_FUNCTION(info, LOG_INFO)
LOG_FUNCTION(debug, LOG_DEBUG)

void
log_finish(void)
{
	sink_finish(LAST_MS);
}

void
log_last_words(const struct hrw_fault *fault)
{
	struct buffer line = {0};

	buffer_printf(&line, "%shrwd: %s\n", prefix(LOG_ERROR), fault->detail);
	sink_write(buffer_bytes(&line));
	buffer_fini(&line);
	log_finish();
}
