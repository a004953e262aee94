/*
 * log.c - a line is built whole, then written at once.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "daemon/json.h"
#include "daemon/log.h"

/* A message past this is cut: none of ours comes near. */
enum { MESSAGE_BYTES = 2048, SHOWN_BYTES = 2 * MESSAGE_BYTES };

/* The process has one stderr, and a reload may change how it is written while
 * any thread logs. */
static atomic_int level_now = CONFIG_LOG_INFO;
static atomic_bool is_json_now = false;

static const char *const level_name[] = {
    [CONFIG_LOG_ERROR] = "error",
    [CONFIG_LOG_WARN] = "warn",
    [CONFIG_LOG_INFO] = "info",
    [CONFIG_LOG_DEBUG] = "debug",
};

void
log_set(enum config_log_level level, bool is_json)
{
	atomic_store(&level_now, (int)level);
	atomic_store(&is_json_now, is_json);
}

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A pipe that takes only part of a line gets the rest; one that is gone cannot
 * be told so. */
static void
write_line(struct hrw_bytes line)
{
	while (line.len > 0) {
		ssize_t written = write(STDERR_FILENO, line.data, line.len);

		if (written <= 0)
			return;
		line = hrw_bytes(line.data + written, line.len - (size_t)written);
	}
}

static void put(enum config_log_level level, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void
put(enum config_log_level level, const char *format, va_list arguments)
{
	char message[MESSAGE_BYTES], shown[SHOWN_BYTES], at[JSON_TIME];
	struct buffer line = {0};

	if ((int)level > atomic_load(&level_now))
		return;
	vsnprintf(message, sizeof(message), format, arguments);
	hrw_show(hrw_text(message), shown, sizeof(shown));
	json_time(now_ms(), at);
	if (atomic_load(&is_json_now)) {
		struct json_out o = json_out(&line);

		json_open_object(&o, NULL);
		json_put_text(&o, "time", at);
		json_put_text(&o, "level", level_name[level]);
		json_put_text(&o, "message", shown);
		json_close_object(&o);
		buffer_add_text(&line, "\n");
	} else {
		buffer_printf(&line, "%s %s %s\n", at, level_name[level], shown);
	}
	if (!line.failed)
		write_line(buffer_bytes(&line));
	buffer_fini(&line);
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

LOG_FUNCTION(error, CONFIG_LOG_ERROR)
LOG_FUNCTION(warn, CONFIG_LOG_WARN)
LOG_FUNCTION(info, CONFIG_LOG_INFO)
LOG_FUNCTION(debug, CONFIG_LOG_DEBUG)
