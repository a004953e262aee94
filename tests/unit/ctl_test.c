/*
 * hrwctl's parts that need no daemon.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/command.h"
#include "daemon/ctl/dump.h"
#include "daemon/ctl/table.h"
#include "daemon/ctl/url.h"
#include "tests/dsl/dice.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static const struct terminal plain, coloured = {.has_colours = true};

static const char *
printed(struct table *t, const struct terminal *terminal)
{
	size_t len;
	char *data;
	FILE *file = open_memstream(&data, &len);

	ck_assert_ptr_nonnull(file);
	table_print(t, file, terminal);
	fclose(file);
	return kept(data);
}

START_TEST(columns_line_up_and_no_line_ends_in_spaces)
{
	struct table t = {0};

	table_column(&t, TABLE_LEFT, "NODE");
	table_column(&t, TABLE_RIGHT, "KEYS");
	table_column(&t, TABLE_LEFT, "WHY");
	table_cell(&t, "a");
	table_count(&t, 12907);
	table_cell(&t, "%s", "");
	table_cell(&t, "longest");
	table_count(&t, 7);
	table_cell(&t, "because");
	ck_assert_str_eq(printed(&t, &plain), "NODE       KEYS  WHY\n"
					      "a        12,907\n"
					      "longest       7  because\n");
}
END_TEST

START_TEST(wide_characters_take_two_columns_and_accents_none_of_their_own)
{
	struct table t = {0};

	ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
	table_column(&t, TABLE_LEFT, "KEY");
	table_column(&t, TABLE_LEFT, "NODE");
	table_cell(&t, "\xe7\x8c\xab\xe7\x8c\xab"); /* two cats */
	table_cell(&t, "a");
	table_cell(&t, "e\xcc\x81t\xc3\xa9"); /* an accent of its own, and one within */
	table_cell(&t, "b");
	ck_assert_str_eq(printed(&t, &plain), "KEY   NODE\n"
					      "\xe7\x8c\xab\xe7\x8c\xab  a\n"
					      "e\xcc\x81t\xc3\xa9   b\n");
	setlocale(LC_CTYPE, "C");
}
END_TEST

START_TEST(a_cell_can_neither_break_its_line_nor_speak_to_the_terminal)
{
	struct table t = {0};

	table_column(&t, TABLE_LEFT, "KEY");
	table_bytes(&t, hrw_bytes("a\n\x1b[31m\0\xff", 9));
	ck_assert_str_eq(printed(&t, &plain), "KEY\na\\x0a\\x1b[31m\\x00\\xff\n");
}
END_TEST

START_TEST(styles_do_not_move_columns_and_are_not_there_without_a_terminal)
{
	for (int i = 0; i < 2; i++) {
		struct table t = {0};

		table_column(&t, TABLE_LEFT, "N");
		table_column(&t, TABLE_LEFT, "M");
		table_cell(&t, "bad");
		table_style(&t, STYLE_BAD);
		table_cell(&t, "x");
		ck_assert_str_eq(printed(&t, i == 0 ? &plain : &coloured),
		    i == 0 ? "N    M\nbad  x\n"
			   : "\x1b[1mN\x1b[0m    \x1b[1mM\x1b[0m\n\x1b[31mbad\x1b[0m  x\n");
	}
}
END_TEST

START_TEST(thousands_stand_apart)
{
	static const struct {
		uint64_t count;
		const char *text;
	} rows[] = {{0, "0"}, {999, "999"}, {1000, "1,000"}, {123456, "123,456"},
	    {UINT64_MAX, "18,446,744,073,709,551,615"}};
	char out[TABLE_COUNT];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_str_eq(table_number(rows[i].count, out), rows[i].text);
}
END_TEST

/* A dumped line, and its key; NULL: there is none, "!": it is refused. */
static const struct {
	enum dump_kind kind;
	const char *line, *key;
	enum dump_found found;
} dumps[] = {
    {DUMP_MEMCACHED, "key=photo-7 exp=-1 la=1700000000 cas=3 fetch=no cls=1 size=64", "photo-7",
	DUMP_KEY},
    {DUMP_MEMCACHED, "key=a%20b%25%0a exp=0\r", "a b%\n", DUMP_KEY},
    {DUMP_MEMCACHED, "key=alone", "alone", DUMP_KEY},
    {DUMP_MEMCACHED, "END\r", NULL, DUMP_END},
    {DUMP_MEMCACHED, "", NULL, DUMP_NOTHING},
    {DUMP_MEMCACHED, "key=a%2", "!", DUMP_KEY},
    {DUMP_MEMCACHED, "key=a%zz exp=0", "!", DUMP_KEY},
    {DUMP_MEMCACHED, "ERROR", "!", DUMP_KEY},
    {DUMP_REDIS, "photo-7", "photo-7", DUMP_KEY},
    {DUMP_REDIS, "say \"hi\"", "say \"hi\"", DUMP_KEY},
    {DUMP_REDIS, "\"agentCounter\"", "\"agentCounter\"", DUMP_KEY},
    {DUMP_REDIS, "a\\x41\r", "a\\x41\r", DUMP_KEY},
    {DUMP_REDIS, "", NULL, DUMP_EMPTY_KEY},
    {DUMP_REDIS_QUOTED, "\"two\\nlines\\t\\\"q\\\" \\\\ \\x01\"", "two\nlines\t\"q\" \\ \x01",
	DUMP_KEY},
    {DUMP_REDIS_QUOTED, "\"a\"\r", "a", DUMP_KEY},
    {DUMP_REDIS_QUOTED, "\"a\\x4\"", "!", DUMP_KEY},
    {DUMP_REDIS_QUOTED, "a", "!", DUMP_KEY},
    {DUMP_REDIS_QUOTED, "\"", "!", DUMP_KEY},
    {DUMP_REDIS_QUOTED, "\"a", "!", DUMP_KEY},
    {DUMP_REDIS_QUOTED, "\"a\\\"", "!", DUMP_KEY},
    {DUMP_REDIS_QUOTED, "\"a\"b\"", "!", DUMP_KEY},
    {DUMP_REDIS_QUOTED, "\"\"", NULL, DUMP_EMPTY_KEY},
    {DUMP_REDIS_QUOTED, "", NULL, DUMP_NOTHING},
};

START_TEST(a_dumped_line_gives_its_key)
{
	struct hrw_fault fault;
	struct buffer key = {0};
	int rc = dump_line(dumps[_i].kind, hrw_text(dumps[_i].line), &key, &fault);

	if (dumps[_i].key == NULL)
		ck_assert_int_eq(rc, dumps[_i].found);
	else if (strcmp(dumps[_i].key, "!") == 0)
		ck_assert_int_eq(rc, HRW_BAD_KEY);
	else
		ck_assert_int_eq(rc, DUMP_KEY);
	if (rc == DUMP_KEY)
		ck_assert_str_eq(buffer_text(&key), dumps[_i].key);
	buffer_fini(&key);
}
END_TEST

/* As redis-cli --no-raw writes a key (sdscatrepr), and as memcached does (uriencode). The
 * caller frees it. */
static char *
dumped(enum dump_kind kind, struct hrw_bytes key)
{
	static const char bare[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789-._~";
	static const char bytes[] = "\\\"\n\r\t\a\b", names[] = "\\\"nrtab";
	struct page out = {0};

	page_add(&out, "%s", kind == DUMP_MEMCACHED ? "key=" : "\"");
	for (size_t i = 0; i < key.len; i++) {
		int c = key.data[i];
		const char *named = c != 0 ? strchr(bytes, c) : NULL;

		if (kind == DUMP_MEMCACHED)
			page_add(&out, c != 0 && strchr(bare, c) != NULL ? "%c" : "%%%02X", c);
		else if (named != NULL)
			page_add(&out, "\\%c", names[named - bytes]);
		else
			page_add(&out, c >= ' ' && c < 0x7f ? "%c" : "\\x%02x", c);
	}
	page_add(&out, "%s", kind == DUMP_MEMCACHED ? " exp=-1 la=1 cas=2\r" : "\"");
	return out.data;
}

START_TEST(any_key_survives_its_dump)
{
	static const char special[] = "\\\"%x0\r\n ";
	struct dice dice = {7};
	struct hrw_fault fault;
	struct buffer key = {0};
	uint8_t bytes[40];

	for (int i = 0; i < 20000; i++) {
		enum dump_kind kind = i % 2 == 0 ? DUMP_MEMCACHED : DUMP_REDIS_QUOTED;
		size_t len = 1 + dice_below(&dice, sizeof(bytes));
		char *line;

		for (size_t k = 0; k < len; k++) {
			bytes[k] = (uint8_t)dice_below(&dice, 256);
			if (dice_percent(&dice, 50))
				bytes[k] = (uint8_t)special[dice_below(&dice, sizeof(special) - 1)];
		}
		line = dumped(kind, hrw_bytes(bytes, len));
		ck_assert_msg(
		    dump_line(kind, hrw_text(line), &key, &fault) == DUMP_KEY, "%s", line);
		ck_assert_msg(
		    hrw_bytes_equal(buffer_bytes(&key), hrw_bytes(bytes, len)), "%s", line);
		free(line);
	}
	buffer_fini(&key);
}
END_TEST

START_TEST(a_path_takes_any_byte)
{
	struct buffer url = {0};

	buffer_add_text(&url, "/owner");
	url_parameter(&url, "key", hrw_bytes("a/b?&=+ \0\xff~", 11));
	url_number(&url, "copies", 3);
	ck_assert_str_eq(buffer_text(&url), "/owner?key=a%2Fb%3F%26%3D%2B%20%00%FF~&copies=3");
	buffer_clear(&url);
	buffer_add_text(&url, "/nodes");
	url_segment(&url, "../x");
	url_segment(&url, "..");
	url_segment(&url, ".");
	url_segment(&url, "a.b");
	ck_assert_str_eq(buffer_text(&url), "/nodes/..%2Fx/%2E%2E/%2E/a.b");
	buffer_fini(&url);
}
END_TEST

START_TEST(an_address_is_a_host_a_socket_or_a_url)
{
	static const struct {
		const char *address, *base, *socket_path;
	} rows[] = {
	    {"127.0.0.1:7071", "http://127.0.0.1:7071", ""},
	    {"[::1]:7071", "http://[::1]:7071", ""},
	    {"https://hrwd.example:7071/", "https://hrwd.example:7071", ""},
	    {"unix:/run/hrwd/admin.sock", "http://localhost", "/run/hrwd/admin.sock"},
	    {"", NULL, NULL},
	    {"a b", NULL, NULL},
	    {"http://h/?x", NULL, NULL},
	    {"h:1\r\nX: y", NULL, NULL},
	    {"unix:/run/\x01", NULL, NULL},
	    {"h:1/\x7f", NULL, NULL},
	};
	char *base, *socket_path;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int rc = client_address(rows[i].address, &base, &socket_path);

		if (rows[i].base == NULL) {
			ck_assert_int_eq(rc, CTL_USAGE);
			continue;
		}
		ck_assert_int_eq(rc, 0);
		ck_assert_str_eq(base, rows[i].base);
		ck_assert_str_eq(socket_path, rows[i].socket_path);
		free(base);
		free(socket_path);
	}
}
END_TEST

START_TEST(the_longest_name_is_the_command)
{
	char *show[] = {(char *)"plan", (char *)"show", (char *)"id"};
	char *plan[] = {(char *)"plan", (char *)"file"};
	char *none[] = {(char *)"keys"};
	size_t taken;

	ck_assert_str_eq(command_find(show, 3, &taken)->name, "plan show");
	ck_assert_uint_eq(taken, 2);
	ck_assert_str_eq(command_find(plan, 2, &taken)->name, "plan");
	ck_assert_uint_eq(taken, 1);
	ck_assert_ptr_null(command_find(none, 1, &taken));
}
END_TEST

START_TEST(each_command_option_and_status_stands_in_help_and_manual)
{
	struct buffer help = {0}, manual = {0};

	usage_write(NULL, &help);
	manual_write(&manual);
	for (const struct command *c = commands; c->name != NULL; c++) {
		struct buffer own = {0}, group = {0};

		/* Of those with one first word a line tells, and help of that word lists them. */
		usage_write_group(text("%.*s", (int)strcspn(c->name, " "), c->name), &group);
		ck_assert_msg(strstr(buffer_text(strchr(c->name, ' ') != NULL ? &group : &help),
				  text("  %s", c->name)) != NULL,
		    "%s", c->name);
		buffer_fini(&group);
		ck_assert_msg(strstr(buffer_text(&manual),
				  text("\n\\fB%s\\fR", text_replace(c->name, "-", "\\-"))) != NULL,
		    "%s", c->name);
		usage_write(c, &own);
		for (const char *at = c->options; *at != '\0';) {
			size_t len = strcspn(at, " ");

			ck_assert_msg(option_find(at, len) != NULL, "%s takes %s", c->name, at);
			ck_assert_ptr_nonnull(
			    strstr(buffer_text(&own), text(" --%.*s", (int)len, at)));
			at += len + (at[len] == ' ');
		}
		buffer_fini(&own);
	}
	for (const struct option_row *row = option_rows; row->name != NULL; row++)
		if (row->help != NULL)
			ck_assert_msg(strstr(buffer_text(&manual),
					  text("%s%s\\-\\-%s\\fR", "\n\\fB",
					      row->letter != 0 ? text("\\-%c, ", row->letter) : "",
					      text_replace(row->name, "-", "\\-"))) != NULL,
			    "%s", row->name);
	/* Whoever looks something up finds it by example. */
	ck_assert(strstr(buffer_text(&manual), ".SH EXAMPLES") <
		  strstr(buffer_text(&manual), ".SH COMMANDS"));
	buffer_fini(&help);
	buffer_fini(&manual);
}
END_TEST

SUITE(ctl)
{
	tcase_add_test(tests, columns_line_up_and_no_line_ends_in_spaces);
	tcase_add_test(tests, wide_characters_take_two_columns_and_accents_none_of_their_own);
	tcase_add_test(tests, a_cell_can_neither_break_its_line_nor_speak_to_the_terminal);
	tcase_add_test(tests, styles_do_not_move_columns_and_are_not_there_without_a_terminal);
	tcase_add_test(tests, thousands_stand_apart);
	tcase_add_loop_test(
	    tests, a_dumped_line_gives_its_key, 0, (int)(sizeof(dumps) / sizeof(dumps[0])));
	tcase_add_test(tests, any_key_survives_its_dump);
	tcase_add_test(tests, a_path_takes_any_byte);
	tcase_add_test(tests, an_address_is_a_host_a_socket_or_a_url);
	tcase_add_test(tests, the_longest_name_is_the_command);
	tcase_add_test(tests, each_command_option_and_status_stands_in_help_and_manual);
}
