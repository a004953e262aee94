/*
 * log_test.c - one line an event, and nothing of a client unescaped in it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/json.h"
#include "daemon/log.h"
#include "tests/dsl/suite.h"

/* What `write` logs, as a text to free(). */
static char *
logged(void (*write)(void))
{
	FILE *file = tmpfile();
	int kept = dup(STDERR_FILENO);
	char *text;
	long len;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
	write();
	dup2(kept, STDERR_FILENO);
	close(kept);
	len = lseek(fileno(file), 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(pread(fileno(file), text, (size_t)len, 0), len);
	fclose(file);
	return text;
}

static void
a_hostile_message(void)
{
	log_info("key %s", "a\nb\x1b[31m\xff\"\xc3\xa4");
}

START_TEST(a_line_is_time_level_and_message_without_control_bytes)
{
	char *text;

	log_set(CONFIG_LOG_INFO, false);
	text = logged(a_hostile_message);
	ck_assert_uint_eq(strcspn(text, " "), strlen("2026-01-02T03:04:05.678Z"));
	ck_assert_str_eq(strchr(text, ' '), " info key a\\x0ab\\x1b[31m\\xff\"\xc3\xa4\n");
	free(text);
}
END_TEST

START_TEST(as_json_a_line_is_one_object)
{
	struct hrw_fault fault = {0};
	struct json *line;
	char *text;

	log_set(CONFIG_LOG_INFO, true);
	text = logged(a_hostile_message);
	line = json_parse(hrw_text(text), JSON_STRICT, &fault);
	ck_assert_msg(line != NULL, "%s", fault.detail);
	ck_assert_str_eq(json_text(json_get(line, "level")), "info");
	ck_assert_str_eq(
	    json_text(json_get(line, "message")), "key a\\x0ab\\x1b[31m\\xff\"\xc3\xa4");
	ck_assert_ptr_nonnull(json_get(line, "time"));
	json_free(line);
	free(text);
}
END_TEST

static void
each_level(void)
{
	log_error("1");
	log_warn("2");
	log_info("3");
	log_debug("4");
}

START_TEST(what_is_below_the_level_stays_silent)
{
	char *text;

	log_set(CONFIG_LOG_WARN, false);
	text = logged(each_level);
	ck_assert_ptr_nonnull(strstr(text, "error 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "warn 2\n"));
	ck_assert_ptr_null(strstr(text, "info"));
	ck_assert_ptr_null(strstr(text, "debug"));
	free(text);
}
END_TEST

enum { THREADS = 4, LINES = 200 };

static void *
chatter(void *unused)
{
	(void)unused;
	for (int i = 0; i < LINES; i++)
		log_info("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	return NULL;
}

static void
all_at_once(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, chatter, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

START_TEST(lines_of_threads_never_mix)
{
	char *text, *line, *rest = NULL;
	size_t count = 0;

	log_set(CONFIG_LOG_INFO, false);
	text = logged(all_at_once);
	for (line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		ck_assert_uint_eq(strlen(line), 24 + strlen(" info ") + 48);
		count++;
	}
	ck_assert_uint_eq(count, THREADS * LINES);
	free(text);
}
END_TEST

SUITE(log)
{
	tcase_add_test(tests, a_line_is_time_level_and_message_without_control_bytes);
	tcase_add_test(tests, as_json_a_line_is_one_object);
	tcase_add_test(tests, what_is_below_the_level_stays_silent);
	tcase_add_test(tests, lines_of_threads_never_mix);
}
