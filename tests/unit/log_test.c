/*
 * log_test.c - one line an event, and nothing of a client unescaped in it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/json.h"
#include "daemon/base/log.h"
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

	log_set(LOG_INFO, false);
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

	log_set(LOG_INFO, true);
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

static void
an_event(void)
{
	log_event(LOG_INFO, "pool changed", log_text("pool", "default"),
	    log_count("epoch", UINT64_MAX), log_text("absent", NULL),
	    log_count_if(false, "unknown", 1), log_count_if(true, "keys", 24),
	    log_text("empty", ""), log_text("what", "drain cache-c"));
}

START_TEST(as_text_fields_are_pairs_and_what_is_no_word_stands_in_quotes)
{
	char *text;

	log_set(LOG_INFO, false);
	text = logged(an_event);
	ck_assert_str_eq(strchr(text, ' '),
	    " info pool changed pool=default epoch=18446744073709551615 keys=24 empty=\"\" "
	    "what=\"drain cache-c\"\n");
	free(text);
}
END_TEST

START_TEST(as_json_fields_are_members_and_numbers_are_numbers)
{
	struct json *line;
	int64_t keys = 0;
	char *text;

	log_set(LOG_INFO, true);
	text = logged(an_event);
	ck_assert_ptr_nonnull(strstr(text, ",\"epoch\":18446744073709551615,"));
	line = json_parse(hrw_text(text), JSON_STRICT, NULL);
	ck_assert_str_eq(json_text(json_get(line, "what")), "drain cache-c");
	ck_assert(json_integer(json_get(line, "keys"), &keys) && keys == 24);
	ck_assert_uint_eq(json_count(line), 8);
	json_free(line);
	free(text);
}
END_TEST

/* What would end a value, or a line, and begin another. */
static const struct {
	const char *value, *text, *json;
} hostile[] = {
    {"a status=200", "\"a status=200\"", "a status=200"},
    {"a\" status=200 x=\"", "\"a\\\" status=200 x=\\\"\"", "a\" status=200 x=\""},
    {"\\\" status=200", "\"\\\\\\\" status=200\"", "\\\\\" status=200"},
    {"\\", "\"\\\\\"", "\\\\"},
    {"a\n2026-01-01T00:00:00.000Z info forged", "\"a\\x0a2026-01-01T00:00:00.000Z info forged\"",
	"a\\x0a2026-01-01T00:00:00.000Z info forged"},
    {"\x1b[31m\xff\x7f", "\"\\x1b[31m\\xff\\x7f\"", "\\x1b[31m\\xff\\x7f"},
    {"\\x1b[31m", "\"\\\\x1b[31m\"", "\\\\x1b[31m"},
    {"\\\\x1b", "\"\\\\\\\\x1b\"", "\\\\\\\\x1b"},
    {"\xc3\xa4", "\"\xc3\xa4\"", "\xc3\xa4"},
    {"a=b", "\"a=b\"", "a=b"},
};

static size_t turn;

static void
a_hostile_value(void)
{
	log_event(LOG_INFO, "it", log_text("value", hostile[turn].value), log_count("n", 1));
}

START_TEST(no_value_passes_for_another_field_line_or_value)
{
	struct json *line;
	char expected[200], *text;

	turn = (size_t)_i;
	log_set(LOG_INFO, false);
	text = logged(a_hostile_value);
	snprintf(expected, sizeof(expected), " info it value=%s n=1\n", hostile[turn].text);
	ck_assert_str_eq(strchr(text, ' '), expected);
	free(text);
	log_set(LOG_INFO, true);
	text = logged(a_hostile_value);
	line = json_parse(hrw_text(text), JSON_STRICT, NULL);
	ck_assert_str_eq(json_text(json_get(line, "value")), hostile[turn].json);
	json_free(line);
	free(text);
}
END_TEST

static char quotes[5000];

static void
long_values(void)
{
	log_event(LOG_INFO, "it", log_bytes("key", hrw_text("photo-12345"), 9),
	    log_bytes("whole", hrw_text("photo-123"), 9), log_text("most", quotes));
}

START_TEST(long_values_are_cut)
{
	char *text;

	memset(quotes, '"', sizeof(quotes) - 1);
	for (int i = 0; i < 2; i++) {
		log_set(LOG_INFO, i == 1);
		text = logged(long_values);
		ck_assert_ptr_nonnull(strstr(
		    text, i == 1 ? "\"key\":\"photo-\xe2\x80\xa6\"" : " key=photo-\xe2\x80\xa6 "));
		ck_assert_ptr_nonnull(
		    strstr(text, i == 1 ? "\"whole\":\"photo-123\"" : " whole=photo-123 "));
		ck_assert_uint_lt(strlen(text), 4096); /* one write to a pipe, whole */
		free(text);
	}
}
END_TEST

/* JOURNAL_STREAM as journald sets it: of this very stderr, or of another. */
START_TEST(to_the_journal_a_line_begins_with_its_level)
{
	FILE *file = tmpfile();
	int kept = dup(STDERR_FILENO);
	char stream[64], line[200] = "";
	struct stat st;

	ck_assert_int_eq(fstat(fileno(file), &st), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino + (_i == 0 ? 0 : 1));
	setenv("JOURNAL_STREAM", stream, 1);
	log_set(LOG_DEBUG, _i == 0);
	dup2(fileno(file), STDERR_FILENO);
	each_level();
	dup2(kept, STDERR_FILENO);
	rewind(file);
	for (int level = 0; level < 4; level++) {
		static const char *const priority[] = {"<3>{", "<4>{", "<6>{", "<7>{"};

		ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
		if (_i == 0)
			ck_assert_msg(strncmp(line, priority[level], 4) == 0, "%s", line);
		else
			ck_assert_msg(line[0] == '2', "%s", line);
	}
	fclose(file);
}
END_TEST

START_TEST(what_is_below_the_level_stays_silent)
{
	char *text;

	log_set(LOG_WARN, false);
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

	log_set(LOG_INFO, false);
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
	tcase_add_test(tests, as_text_fields_are_pairs_and_what_is_no_word_stands_in_quotes);
	tcase_add_test(tests, as_json_fields_are_members_and_numbers_are_numbers);
	tcase_add_loop_test(tests, no_value_passes_for_another_field_line_or_value, 0,
	    sizeof(hostile) / sizeof(hostile[0]));
	tcase_add_test(tests, long_values_are_cut);
	tcase_add_loop_test(tests, to_the_journal_a_line_begins_with_its_level, 0, 2);
	tcase_add_test(tests, what_is_below_the_level_stays_silent);
	tcase_add_test(tests, lines_of_threads_never_mix);
}
