/*
 * target_test.c - the request target by the byte: TRAPS of percent signs, plus
 * signs, NULs and parameters that were not meant as such.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/http/target.h"
#include "tests/dsl/suite.h"

enum { PARAMETERS = 8 };

static struct target_parameter parameters[PARAMETERS];
static struct target t;
static struct hrw_fault fault;

/* Parses text that ends at an unreadable page, so that reading on is a crash. */
static int
parse(const char *text, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (len / page + 2) * page;
	char *map = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = map + room - page - len;

	ck_assert_ptr_ne(map, MAP_FAILED);
	ck_assert_int_eq(mprotect(map + room - page, page, PROT_NONE), 0);
	memcpy(at, text, len);
	t = (struct target){.parameter = parameters, .parameter_max = PARAMETERS};
	return target_parse(at, len, &t, &fault);
}

#define parse_text(text) parse(text, sizeof(text) - 1)

static void
is_bytes(struct hrw_bytes got, const char *want, size_t len)
{
	ck_assert_uint_eq(got.len, len);
	ck_assert(len == 0 || memcmp(got.data, want, len) == 0);
}

#define is(got, want) is_bytes(got, want, sizeof(want) - 1)

static struct hrw_bytes
value(const char *name)
{
	const struct target_parameter *p = target_parameter(&t, name);

	ck_assert_ptr_nonnull(p);
	return p->value;
}

START_TEST(a_path_is_its_decoded_segments)
{
	ck_assert_int_eq(parse_text("/nodes/cache-a/drain"), 0);
	ck_assert_uint_eq(t.segment_count, 3);
	is(t.segment[0], "nodes");
	is(t.segment[1], "cache-a");
	is(t.segment[2], "drain");
	ck_assert_int_eq(parse_text("/%6Fwner"), 0);
	is(t.segment[0], "owner");
	ck_assert_int_eq(parse_text("/"), 0);
	ck_assert_uint_eq(t.segment_count, 1);
	is(t.segment[0], "");
}
END_TEST

START_TEST(a_byte_of_zero_makes_another_path)
{
	ck_assert_int_eq(parse_text("/owner%00x"), 0);
	is(t.segment[0], "owner\0x");
	ck_assert_int_eq(parse_text("/owner%3Fkey=a"), 0);
	is(t.segment[0], "owner?key=a");
	ck_assert_uint_eq(t.parameter_count, 0);
	ck_assert_int_eq(parse_text("/nodes/a%2Fdrain"), 0);
	ck_assert_uint_eq(t.segment_count, 2);
	is(t.segment[1], "a/drain");
}
END_TEST

START_TEST(v1_stands_before_any_path_once)
{
	ck_assert_int_eq(parse_text("/v1/owner?key=a"), 0);
	ck_assert_uint_eq(t.segment_count, 1);
	is(t.segment[0], "owner");
	ck_assert_int_eq(parse_text("/v1"), 0);
	is(t.segment[0], "v1");
	ck_assert_int_eq(parse_text("/v1/v1/owner"), 0);
	ck_assert_uint_eq(t.segment_count, 2);
}
END_TEST

START_TEST(a_key_is_bytes_and_plus_is_space_in_the_query_alone)
{
	ck_assert_int_eq(parse_text("/a+b?key=a%00b&pool=x+y%2B"), 0);
	is(t.segment[0], "a+b");
	is(value("key"), "a\0b");
	is(value("pool"), "x y+");
	ck_assert_int_eq(parse_text("/owner?key=a;b?c=d=%ff\xfe"), 0);
	is(value("key"), "a;b?c=d=\xff\xfe");
	ck_assert_int_eq(parse_text("/owner?k%65y=a"), 0);
	is(value("key"), "a");
	ck_assert_int_eq(parse_text("/owner?KEY=a"), 0);
	ck_assert_ptr_null(target_parameter(&t, "key"));
}
END_TEST

START_TEST(a_name_alone_differs_from_an_empty_value)
{
	ck_assert_int_eq(parse_text("/owner?key"), 0);
	ck_assert(!target_parameter(&t, "key")->has_value);
	ck_assert_int_eq(parse_text("/owner?key="), 0);
	ck_assert(target_parameter(&t, "key")->has_value);
	ck_assert_uint_eq(value("key").len, 0);
	ck_assert_int_eq(parse_text("/owner?"), 0);
	ck_assert_uint_eq(t.parameter_count, 0);
}
END_TEST

START_TEST(a_malformed_percent_is_refused_where_it_stands)
{
	static const char *const bad[] = {"%", "%4", "%zz", "100%", "%4g", "a%%", "%-1", "%+1"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[64];
		int len = snprintf(text, sizeof(text), "/owner?key=%s", bad[i]);

		ck_assert_int_eq(parse(text, (size_t)len), HRW_BAD_PARAMETER);
		len = snprintf(text, sizeof(text), "/%s/x", bad[i]);
		ck_assert_int_eq(parse(text, (size_t)len), HRW_UNKNOWN_PATH);
		len = snprintf(text, sizeof(text), "/owner?%s=a", bad[i]);
		ck_assert_int_eq(parse(text, (size_t)len), HRW_BAD_PARAMETER);
	}
	ck_assert_int_eq(parse_text("/owner?key=50%zz"), HRW_BAD_PARAMETER);
	ck_assert_ptr_nonnull(strstr(fault.detail, "\"%zz\""));
}
END_TEST

/* As a client counts: the bytes of its own request line, from 1 on. */
START_TEST(what_is_malformed_has_a_place_and_a_parameter)
{
	static const struct {
		const char *target, *place, *field;
	} rows[] = {
	    {"/owner?key=%zz", "byte 12 ", "key"},
	    {"/owner?pool=a%20b&key=x%4", "byte 24 ", "key"},
	    {"/owner?k%65y=50%", "byte 16 ", "key"},
	    {"/owner?key=a b", "byte 13 ", "key"},
	    {"/owner?key=a&pool=\x01", "byte 19 ", "pool"},
	    {"/owner?%zz=a", "byte 8 ", "%zz"},
	    {"/owner?a=b&na%2me=a", "byte 14 ", "na%2me"},
	    {"http://h:1/owner?key=%zz", "byte 22 ", "key"},
	    {"/v1/own%zzer", "byte 8 ", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ck_assert_int_lt(parse(rows[i].target, strlen(rows[i].target)), 0);
		ck_assert_msg(strstr(fault.detail, rows[i].place) != NULL, "%s: %s", rows[i].target,
		    fault.detail);
		ck_assert_str_eq(fault.field, rows[i].field);
	}
}
END_TEST

START_TEST(what_no_encoder_sends_is_refused)
{
	ck_assert_int_eq(parse_text("/owner?key=a b"), HRW_BAD_PARAMETER);
	ck_assert_ptr_nonnull(strstr(fault.detail, "%20"));
	ck_assert_int_eq(parse_text("/owner?key=a\tb"), HRW_BAD_PARAMETER);
	ck_assert_int_eq(parse_text("/owner?key=a#frag"), HRW_BAD_PARAMETER);
	ck_assert_ptr_nonnull(strstr(fault.detail, "%23"));
	ck_assert_int_eq(parse_text("/owner?key=a\x7f"), HRW_BAD_PARAMETER);
	ck_assert_int_eq(parse_text("/own er"), HRW_UNKNOWN_PATH);
	ck_assert_int_eq(parse_text("/owner#frag"), HRW_UNKNOWN_PATH);
}
END_TEST

START_TEST(an_unencoded_ampersand_is_never_part_of_a_guess)
{
	ck_assert_int_eq(parse_text("/owner?key=a&"), HRW_BAD_PARAMETER);
	ck_assert_ptr_nonnull(strstr(fault.detail, "--data-urlencode"));
	ck_assert_int_eq(parse_text("/owner?&key=a"), HRW_BAD_PARAMETER);
	ck_assert_int_eq(parse_text("/owner?key=a&&pool=b"), HRW_BAD_PARAMETER);
	ck_assert_int_eq(parse_text("/owner?key=a&key=b"), HRW_BAD_PARAMETER);
	ck_assert_str_eq(fault.field, "key");
	ck_assert_int_eq(parse_text("/owner?key=a&b"), 0);
	ck_assert_int_eq(target_only(&t, "key pool", &fault), HRW_BAD_PARAMETER);
	ck_assert_str_eq(fault.field, "b");
	ck_assert_ptr_nonnull(strstr(fault.detail, "key pool"));
	ck_assert_int_eq(target_only(&t, "key b", &fault), 0);
	ck_assert_int_eq(target_only(&t, "key bb", &fault), HRW_BAD_PARAMETER);
}
END_TEST

START_TEST(parameters_are_counted)
{
	ck_assert_int_eq(parse_text("/x?a&b&c&d&e&f&g&h"), 0);
	ck_assert_int_eq(parse_text("/x?a&b&c&d&e&f&g&h&i"), HRW_BAD_PARAMETER);
}
END_TEST

START_TEST(the_absolute_form_is_its_path_and_others_name_none)
{
	ck_assert_int_eq(parse_text("http://cache.example:7070/owner?key=a"), 0);
	is(t.authority, "cache.example:7070");
	is(t.segment[0], "owner");
	is(value("key"), "a");
	ck_assert_int_eq(parse_text("http://h"), 0);
	is(t.segment[0], "");
	ck_assert_int_eq(parse_text("http://h?key=a"), 0);
	is(value("key"), "a");
	ck_assert_int_eq(parse_text("*"), HRW_UNKNOWN_PATH);
	ck_assert_int_eq(parse_text("host:7070"), HRW_UNKNOWN_PATH);
	ck_assert_int_eq(parse_text("http:///owner"), HRW_UNKNOWN_PATH);
	ck_assert_int_eq(parse_text("owner"), HRW_UNKNOWN_PATH);
	ck_assert_int_eq(parse("", 0), HRW_UNKNOWN_PATH);
}
END_TEST

START_TEST(a_path_has_so_many_parts_at_most)
{
	ck_assert_int_eq(parse_text("/a/b/c/d"), 0);
	ck_assert_int_eq(parse_text("/a/b/c/d/e"), HRW_UNKNOWN_PATH);
	ck_assert_int_eq(parse_text("/v1/a/b/c/d"), 0);
	ck_assert_int_eq(parse_text("//owner"), 0);
	ck_assert_uint_eq(t.segment_count, 2);
}
END_TEST

SUITE(target)
{
	tcase_add_test(tests, a_path_is_its_decoded_segments);
	tcase_add_test(tests, a_byte_of_zero_makes_another_path);
	tcase_add_test(tests, v1_stands_before_any_path_once);
	tcase_add_test(tests, a_key_is_bytes_and_plus_is_space_in_the_query_alone);
	tcase_add_test(tests, a_name_alone_differs_from_an_empty_value);
	tcase_add_test(tests, a_malformed_percent_is_refused_where_it_stands);
	tcase_add_test(tests, what_is_malformed_has_a_place_and_a_parameter);
	tcase_add_test(tests, what_no_encoder_sends_is_refused);
	tcase_add_test(tests, an_unencoded_ampersand_is_never_part_of_a_guess);
	tcase_add_test(tests, parameters_are_counted);
	tcase_add_test(tests, the_absolute_form_is_its_path_and_others_name_none);
	tcase_add_test(tests, a_path_has_so_many_parts_at_most);
}
