/*
 * json_test.c - what is JSON and what is not, and that nothing is lost on the way.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/json.h"
#include "tests/dsl/suite.h"

/* A text with its length, so that it may hold a NUL. */
#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

struct sample {
	const char *text;
	size_t len;
};

/* The text copied to the very end of a page, the next one unreadable: whoever
 * reads past the end dies. */
struct edge {
	char *map;
	size_t size;
	struct hrw_bytes text;
};

static struct edge
edge_new(const char *text, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (len / page + 2) * page;
	struct edge e = {.size = size};

	e.map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(e.map, MAP_FAILED);
	memcpy(e.map + size - page - len, text, len);
	ck_assert_int_eq(mprotect(e.map + size - page, page, PROT_NONE), 0);
	e.text = hrw_bytes(e.map + size - page - len, len);
	return e;
}

static void
edge_free(struct edge *e)
{
	munmap(e->map, e->size);
}

static struct json *
parse(const char *text, size_t len, unsigned flags, struct hrw_fault *fault)
{
	struct edge e = edge_new(text, len);
	struct json *root = json_parse(e.text, flags, fault);

	edge_free(&e);
	return root;
}

/* A document that is known to be good. */
static struct json *
good(const char *text)
{
	struct hrw_fault fault = {0};
	struct json *root = parse(text, strlen(text), JSON_STRICT, &fault);

	ck_assert_msg(root != NULL, "%s: %s", text, fault.detail);
	return root;
}

START_TEST(what_rfc_8259_allows_is_taken)
{
	static const struct sample samples[] = {
	    TEXT("null"),
	    TEXT(" true\r\n"),
	    TEXT("false\t"),
	    TEXT("0"),
	    TEXT("-0"),
	    TEXT("-1.5e+10"),
	    TEXT("1E400"),
	    TEXT("9007199254740993"),
	    TEXT("\"\""),
	    TEXT("\"\\u0000\""),
	    TEXT("\"\\ud83d\\ude00\""),
	    TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
	    TEXT("\"\xf4\x8f\xbf\xbf\""),
	    TEXT("\"\x7f\""),
	    TEXT("[]"),
	    TEXT("[ ]"),
	    TEXT("{}"),
	    TEXT("{ }"),
	    TEXT("[[],{}]"),
	    TEXT("{\"a\":1,\"A\":2,\"\":3}"),
	    TEXT("[1 , 2,\n3]"),
	    TEXT("{\"a\" : [ {\"a\":null} ] }"),
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct hrw_fault fault = {0};
		struct json *root = parse(samples[i].text, samples[i].len, JSON_STRICT, &fault);

		ck_assert_msg(root != NULL, "%s: %s", samples[i].text, fault.detail);
		json_free(root);
	}
}
END_TEST

START_TEST(what_it_does_not_allow_is_refused)
{
	static const struct sample samples[] = {
	    TEXT(""),
	    TEXT(" "),
	    TEXT("nul"),
	    TEXT("nullx"),
	    TEXT("True"),
	    TEXT("NaN"),
	    TEXT("Infinity"),
	    TEXT("007"),
	    TEXT("-01"),
	    TEXT("1."),
	    TEXT(".5"),
	    TEXT("+1"),
	    TEXT("-"),
	    TEXT("1e"),
	    TEXT("1e+"),
	    TEXT("0x10"),
	    TEXT("1 2"),
	    TEXT("{} x"),
	    TEXT("\"a\nb\""),
	    TEXT("\"a\tb\""),
	    TEXT("\"a\x1f\""),
	    TEXT("\"a\0b\""),
	    TEXT("null\0"),
	    TEXT("\0"),
	    TEXT("[1\0]"),
	    TEXT("\v1"),
	    TEXT("\f1"),
	    TEXT("\xef\xbb\xbf{}"),
	    TEXT("\"\xff\""),
	    TEXT("\"\xc0\x80\""),
	    TEXT("\"\xed\xa0\x80\""),
	    TEXT("\"\xf4\x90\x80\x80\""),
	    TEXT("\"\xe2\x82\""),
	    TEXT("\""),
	    TEXT("\"abc"),
	    TEXT("\"\\"),
	    TEXT("\"\\u"),
	    TEXT("\"\\u00"),
	    TEXT("\"\\x41\""),
	    TEXT("\"\\u12g4\""),
	    TEXT("\"\\ud800\""),
	    TEXT("\"\\udc00\""),
	    TEXT("\"\\ud800\\ud800\""),
	    TEXT("\"\\ud800\\u0041\""),
	    TEXT("'a'"),
	    TEXT("{a:1}"),
	    TEXT("{\"a\"}"),
	    TEXT("{\"a\":}"),
	    TEXT("{\"a\":1,}"),
	    TEXT("{,}"),
	    TEXT("[1,]"),
	    TEXT("[,1]"),
	    TEXT("[1 2]"),
	    TEXT("["),
	    TEXT("[1"),
	    TEXT("[1,"),
	    TEXT("{"),
	    TEXT("{\"a"),
	    TEXT("{\"a\":1"),
	    TEXT("]"),
	    TEXT("[}"),
	    TEXT("{]"),
	    TEXT("{\"a\\u0000b\":1}"),
	    TEXT("{\"\\u0000\":1}"),
	    TEXT("// no\n1"),
	    TEXT("[1/* no */]"),
	    TEXT("/"),
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct hrw_fault fault = {0};
		struct json *root = parse(samples[i].text, samples[i].len, JSON_STRICT, &fault);

		ck_assert_msg(root == NULL, "%zu was taken: %s", i, samples[i].text);
		ck_assert_int_eq(fault.error, HRW_BAD_JSON);
		ck_assert_msg(strncmp(fault.detail, "line ", 5) == 0, "%s", fault.detail);
	}
}
END_TEST

START_TEST(a_mistake_is_told_by_line_and_column)
{
	static const struct {
		const char *text, *detail;
	} samples[] = {
	    {"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: ',' or '}' was expected, not '\"'"},
	    {"[1,", "line 1, column 4: a value"},
	    {"{\"\xc3\xa4\": 01}", "line 1, column 7: a number has no leading zeros"},
	    {"[\n\"abc\n\"]", "line 2, column 5: a control character"},
	    {"[\n\"abc", "line 2, column 1: this text has no end"},
	    {"{} {}", "line 1, column 4: the end of the text was expected, not '{'"},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct hrw_fault fault = {0};

		ck_assert_ptr_null(
		    parse(samples[i].text, strlen(samples[i].text), JSON_STRICT, &fault));
		ck_assert_msg(
		    strncmp(fault.detail, samples[i].detail, strlen(samples[i].detail)) == 0,
		    "%s\nnot %s", fault.detail, samples[i].detail);
	}
}
END_TEST

START_TEST(a_member_given_twice_is_refused_however_it_is_spelled)
{
	static const char *const samples[] = {
	    "{\"a\":{\"weight\":1,\"weight\":1}}",
	    "{\"a\":{\"weight\":1,\"b\":2,\"w\\u0065ight\":1}}",
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct hrw_fault fault = {0};

		ck_assert_ptr_null(parse(samples[i], strlen(samples[i]), JSON_STRICT, &fault));
		ck_assert_int_eq(fault.error, HRW_BAD_FIELD);
		ck_assert_str_eq(fault.field, "/a/weight");
		ck_assert_ptr_nonnull(strstr(fault.detail, "\"weight\" is given twice"));
	}
}
END_TEST

/* An opening bracket so many times. */
static char *
nested(size_t depth)
{
	char *text = malloc(2 * depth + 1);

	ck_assert_ptr_nonnull(text);
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	text[2 * depth] = '\0';
	return text;
}

START_TEST(depth_and_number_of_values_are_limited)
{
	char *deep = nested(JSON_DEPTH_MAX), *deeper = nested(JSON_DEPTH_MAX + 1);
	char *deepest = nested(100000);
	struct buffer many = {0};
	struct hrw_fault fault = {0};
	struct json *root;

	json_free(good(deep));
	ck_assert_ptr_null(parse(deeper, strlen(deeper), JSON_STRICT, &fault));
	ck_assert_ptr_nonnull(strstr(fault.detail, "too deep"));
	ck_assert_ptr_null(parse(deepest, strlen(deepest), JSON_STRICT, &fault));
	free(deep);
	free(deeper);
	free(deepest);

	buffer_add_text(&many, "[1");
	for (size_t i = 2; i < JSON_VALUES_MAX; i++)
		buffer_add_text(&many, ",1");
	buffer_add_text(&many, "]");
	root = good(buffer_text(&many));
	ck_assert_uint_eq(json_count(root), JSON_VALUES_MAX - 1);
	json_free(root);
	many.len--;
	buffer_add_text(&many, ",1]");
	ck_assert_ptr_null(parse(many.data, many.len, JSON_STRICT, &fault));
	ck_assert_ptr_nonnull(strstr(fault.detail, "too many values"));
	buffer_fini(&many);
}
END_TEST

START_TEST(an_object_of_100000_members_is_no_burden)
{
	struct buffer text = {0};
	struct hrw_fault fault = {0};
	struct json *root;

	buffer_add_text(&text, "{\"first\":0");
	for (size_t i = 0; i < 100000; i++)
		buffer_printf(&text, ",\"%zu\":%zu", i, i);
	buffer_add_text(&text, "}");
	root = good(buffer_text(&text));
	ck_assert_uint_eq(json_count(root), 100001);
	ck_assert_double_eq(json_number(json_get(root, "99999")), 99999);
	json_free(root);
	text.len--;
	buffer_add_text(&text, ",\"first\":1}");
	ck_assert_ptr_null(parse(text.data, text.len, JSON_STRICT, &fault));
	ck_assert_str_eq(fault.field, "/first");
	buffer_fini(&text);
}
END_TEST

START_TEST(a_nul_survives_in_bytes_and_cuts_no_text)
{
	struct json *root = good("[\"x\\u0000y\\u0000\", \"plain\", \"\xc3\xbf\"]");
	const struct json *first = json_first(root), *second = json_next(first);

	ck_assert_ptr_null(json_text(first));
	ck_assert_uint_eq(json_bytes(first).len, 4);
	ck_assert_mem_eq(json_bytes(first).data, "x\0y\0", 4);
	ck_assert_str_eq(json_text(second), "plain");
	ck_assert_str_eq(json_text(json_next(second)), "\xc3\xbf");
	json_free(root);
}
END_TEST

START_TEST(names_are_told_apart_by_case)
{
	struct json *root = good("{\"WEIGHT\":7,\"weight\":1}");

	ck_assert_double_eq(json_number(json_get(root, "weight")), 1);
	ck_assert_ptr_null(json_get(root, "Weight"));
	ck_assert_ptr_null(json_get(NULL, "weight"));
	json_free(root);
}
END_TEST

START_TEST(whole_numbers_are_exact_to_the_last_of_63_bits)
{
	static const struct {
		const char *text;
		bool is_whole;
		int64_t number;
	} samples[] = {
	    {"9007199254740993", true, 9007199254740993},
	    {"9223372036854775807", true, INT64_MAX},
	    {"-9223372036854775808", true, INT64_MIN},
	    {"9223372036854775808", false, 0},
	    {"-9223372036854775809", false, 0},
	    {"-0", true, 0},
	    {"1.0", false, 0},
	    {"1e3", false, 0},
	    {"\"1\"", false, 0},
	    {"null", false, 0},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct json *root = good(samples[i].text);
		int64_t number = 0;

		ck_assert_int_eq(json_integer(root, &number), samples[i].is_whole);
		ck_assert_int_eq(number, samples[i].number);
		json_free(root);
	}
}
END_TEST

START_TEST(a_number_past_the_range_of_doubles_is_infinite)
{
	struct json *root = good("[1e400,-1e400,\"1\"]");
	const struct json *first = json_first(root), *second = json_next(first);

	ck_assert(isinf(json_number(first)) && json_number(first) > 0);
	ck_assert(isinf(json_number(second)) && json_number(second) < 0);
	ck_assert(isnan(json_number(json_next(second))));
	json_free(root);
}
END_TEST

START_TEST(a_value_knows_its_text_pointer_and_position)
{
	const char *text = "{\n  \"a/b~c\": [ 1, { \"d\": 1.50e2 } ]\n}";
	struct json *root = good(text);
	const struct json *d = json_at(root, "/a~1b~0c/1/d");
	char pointer[64], shorter[5];
	unsigned line, column;

	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(json_source(d).len, 6);
	ck_assert_mem_eq(json_source(d).data, "1.50e2", 6);
	json_pointer(d, pointer, sizeof(pointer));
	ck_assert_str_eq(pointer, "/a~1b~0c/1/d");
	json_pointer(d, shorter, sizeof(shorter));
	ck_assert_str_eq(shorter, "/a~1");
	json_position(d, &line, &column);
	ck_assert_uint_eq(line, 2);
	ck_assert_uint_eq(column, 24);
	ck_assert_ptr_eq(json_at(root, ""), root);
	ck_assert_ptr_null(json_at(root, "/a~1b~0c/2"));
	ck_assert_ptr_null(json_at(root, "a"));
	ck_assert_ptr_null(json_at(d, "/x"));
	json_free(root);
}
END_TEST

START_TEST(comments_are_space_where_asked_for)
{
	const char *text = "// top\n{ /* \xff \" */ \"a\": // end\n [1, /**/ 2] }\n// last";
	struct hrw_fault fault = {0};
	struct json *root = parse(text, strlen(text), JSON_COMMENTS, &fault);
	unsigned line, column;

	ck_assert_msg(root != NULL, "%s", fault.detail);
	ck_assert_uint_eq(json_count(json_get(root, "a")), 2);
	json_position(json_at(root, "/a/1"), &line, &column);
	ck_assert_uint_eq(line, 3);
	ck_assert_uint_eq(column, 11);
	json_free(root);
	ck_assert_ptr_null(parse("[1 /* 2]", 8, JSON_COMMENTS, &fault));
	ck_assert_str_eq(
	    fault.detail, "line 1, column 4: this comment has no end: close it with */");
	ck_assert_ptr_null(parse("[1]/", 4, JSON_COMMENTS, &fault));
	root = parse("\"// text\"", 9, JSON_COMMENTS, &fault);
	ck_assert_str_eq(json_text(root), "// text");
	json_free(root);
}
END_TEST

START_TEST(a_stranger_is_named_with_what_is_known_and_what_is_near)
{
	static const char *const known[] = {"name", "address", "weight", NULL};
	struct json *root = good("{\"name\":1,\"wieght\":2}");
	struct json *far = good("{\"colour\":1}");
	struct hrw_fault fault = {0};

	ck_assert_int_eq(json_only(root, known, &fault), HRW_BAD_FIELD);
	ck_assert_str_eq(fault.field, "/wieght");
	ck_assert_str_eq(fault.detail,
	    "\"wieght\" is not known here: did you mean \"weight\"?; known: name, address, weight");
	ck_assert_int_eq(json_only(far, known, &fault), HRW_BAD_FIELD);
	ck_assert_ptr_null(strstr(fault.detail, "did you mean"));
	ck_assert_int_eq(json_only(json_get(root, "name"), known, &fault), 0);
	json_free(root);
	json_free(far);
}
END_TEST

/* xorshift64*; Vigna, ACM TOMS 42(4), 2016. */
static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

START_TEST(every_double_reads_back_as_itself)
{
	uint64_t state = 42;

	for (int i = 0; i < 20000; i++) {
		uint64_t bits = next_random(&state);
		struct buffer text = {0};
		struct json_out o = json_out(&text);
		struct json *root;
		double number, back;

		memcpy(&number, &bits, sizeof(number));
		if (!isfinite(number))
			continue;
		json_put_number(&o, NULL, number);
		root = good(buffer_text(&text));
		back = json_number(root);
		ck_assert_msg(memcmp(&number, &back, sizeof(back)) == 0, "seed 42: %a as %s",
		    number, buffer_text(&text));
		json_free(root);
		buffer_fini(&text);
	}
}
END_TEST

START_TEST(numbers_are_as_short_as_may_be)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	json_open_array(&o, NULL);
	json_put_number(&o, NULL, 0.1);
	json_put_number(&o, NULL, 1);
	json_put_number(&o, NULL, 9007199254740991.0);
	json_put_number(&o, NULL, 1.0 / 3);
	json_put_number(&o, NULL, (double)INFINITY);
	json_put_int(&o, NULL, INT64_MIN);
	json_put_count(&o, NULL, UINT64_MAX);
	json_close_array(&o);
	ck_assert_str_eq(buffer_text(&text),
	    "[0.1,1,9007199254740991,0.3333333333333333,null,-9223372036854775808,"
	    "18446744073709551615]");
	buffer_fini(&text);
}
END_TEST

/* A random character, as UTF-8: its length. */
static size_t
put_character(uint64_t *state, char *out)
{
	uint32_t code;

	do {
		code = (uint32_t)(next_random(state) >> 32) & 0x1fffff;
		code >>= next_random(state) % 21;
	} while (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff));
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 63));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 63));
		out[2] = (char)(0x80 | (code & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 63));
	out[2] = (char)(0x80 | (code >> 6 & 63));
	out[3] = (char)(0x80 | (code & 63));
	return 4;
}

START_TEST(every_string_reads_back_as_itself)
{
	uint64_t state = 7;

	for (int i = 0; i < 5000; i++) {
		struct buffer text = {0};
		struct json_out o = json_out(&text);
		char bytes[128];
		size_t len = 0, count = next_random(&state) % 30;
		struct json *root;

		while (count-- > 0)
			len += put_character(&state, bytes + len);
		json_put_bytes(&o, NULL, hrw_bytes(bytes, len));
		root = good(buffer_text(&text));
		ck_assert_msg(hrw_bytes_equal(json_bytes(root), hrw_bytes(bytes, len)),
		    "seed 7: %s", buffer_text(&text));
		json_free(root);
		buffer_fini(&text);
	}
}
END_TEST

START_TEST(bytes_of_no_utf8_make_no_broken_document)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);
	struct json *root;

	json_put_bytes(&o, NULL, hrw_bytes("a\xff\xc3\"b", 5));
	root = good(buffer_text(&text));
	ck_assert_str_eq(json_text(root), "a\xef\xbf\xbd\xef\xbf\xbd\"b");
	json_free(root);
	buffer_fini(&text);
}
END_TEST

/* The bytes that need no escape are looked for several at a time. */
START_TEST(one_byte_anywhere_is_escaped_or_stands_as_it_is)
{
	for (size_t len = 1; len <= 20; len++)
		for (size_t at = 0; at < len; at++)
			for (int byte = 0; byte < 0x80; byte++) {
				char bytes[20], wanted[32];
				struct buffer text = {0};

				memset(bytes, 'a', sizeof(bytes));
				bytes[at] = (char)byte;
				json_quote(&text, hrw_bytes(bytes, len));
				if (byte < 0x20 || byte == '"' || byte == '\\') {
					struct json *root = good(buffer_text(&text));

					ck_assert_uint_gt(text.len, len + 2);
					ck_assert(hrw_bytes_equal(
					    json_bytes(root), hrw_bytes(bytes, len)));
					json_free(root);
				} else {
					snprintf(
					    wanted, sizeof(wanted), "\"%.*s\"", (int)len, bytes);
					ck_assert_str_eq(buffer_text(&text), wanted);
				}
				buffer_fini(&text);
			}
}
END_TEST

START_TEST(keys_are_text_or_base64)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	json_open_array(&o, NULL);
	json_put_key_element(&o, hrw_bytes("a\0\"", 3));
	json_put_key_element(&o, hrw_bytes("\xff", 1));
	json_put_key_element(&o, hrw_bytes("\xff\x01", 2));
	json_put_key_element(&o, hrw_bytes("\xff\x01\x02", 3));
	json_open_object(&o, NULL);
	json_put_key(&o, hrw_text("k"));
	json_close_object(&o);
	json_close_array(&o);
	ck_assert_str_eq(buffer_text(&text),
	    "[\"a\\u0000\\\"\",{\"key_base64\":\"/w==\"},{\"key_base64\":\"/wE=\"},"
	    "{\"key_base64\":\"/wEC\"},{\"key\":\"k\"}]");
	buffer_fini(&text);
}
END_TEST

START_TEST(a_tree_is_written_as_it_was_read)
{
	const char *text = "{\"a\":[1.50,null,true,\"x\\u0000\\n\"],\"b\":{},\"c\":[{\"d\":[]}]}";
	struct json *root = good(text);
	struct buffer out = {0};
	struct json_out o = json_out(&out);

	json_put_tree(&o, NULL, root);
	ck_assert_str_eq(buffer_text(&out), text);
	json_free(root);
	buffer_fini(&out);
}
END_TEST

START_TEST(times_are_utc_with_milliseconds)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	json_open_object(&o, NULL);
	json_put_time(&o, "a", INT64_C(1767323045678));
	json_put_time(&o, "b", 0);
	json_put_time(&o, "c", -1);
	json_close_object(&o);
	ck_assert_str_eq(buffer_text(&text),
	    "{\"a\":\"2026-01-02T03:04:05.678Z\",\"b\":\"1970-01-01T00:00:00.000Z\","
	    "\"c\":\"1969-12-31T23:59:59.999Z\"}");
	buffer_fini(&text);
}
END_TEST

/* What stands in a list of that one value. */
static const char *
written(double number, char out[64])
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	json_put_number(&o, NULL, number);
	snprintf(out, 64, "%s", buffer_text(&text));
	buffer_fini(&text);
	return out;
}

START_TEST(whole_numbers_are_written_as_printf_writes_them)
{
	static const double edge[] = {0, 1, 9, 10, 4294967295.0, 4294967296.0, 999999999999999.0,
	    1e15, 1e15 + 1, 9007199254740993.0, 1e19, 0.5, 1e-6, 1e300};
	uint64_t state = 7;
	char text[64], wanted[64];

	for (size_t i = 0; i < sizeof(edge) / sizeof(edge[0]); i++)
		for (int sign = -1; sign <= 1; sign += 2) {
			double number = sign * edge[i];
			int digits = 15;

			do
				snprintf(wanted, sizeof(wanted), "%.*g", digits, number);
			while (strtod(wanted, NULL) != number && digits++ < 17);
			ck_assert_str_eq(written(number, text), wanted);
		}
	for (int i = 0; i < 10000; i++) {
		double number;

		state = state * 6364136223846793005u + 1442695040888963407u;
		number = (double)(state >> 20);
		snprintf(wanted, sizeof(wanted), "%.15g", number);
		ck_assert_str_eq(written(number, text), wanted);
	}
}
END_TEST

START_TEST(integers_of_any_size_are_written_whole)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	json_put_int(&o, NULL, INT64_MIN);
	json_put_int(&o, NULL, INT64_MAX);
	json_put_int(&o, NULL, 0);
	json_put_int(&o, NULL, -1);
	json_put_count(&o, NULL, UINT64_MAX);
	ck_assert_str_eq(buffer_text(&text),
	    "-9223372036854775808,9223372036854775807,0,-1,18446744073709551615");
	buffer_fini(&text);
}
END_TEST

START_TEST(times_are_those_of_strftime)
{
	uint64_t state = 11;

	for (int i = 0; i < 10000; i++) {
		/* From the year 1653 to 2286. */
		int64_t ms = (int64_t)(state % 20000000000000u) - 10000000000000;
		time_t seconds = (time_t)((ms - (ms < 0 ? 999 : 0)) / 1000);
		char text[JSON_TIME], wanted[64];
		struct tm utc;
		size_t len;

		gmtime_r(&seconds, &utc);
		len = strftime(wanted, sizeof(wanted), "%Y-%m-%dT%H:%M:%S", &utc);
		snprintf(wanted + len, sizeof(wanted) - len, ".%03dZ",
		    (int)(ms - (int64_t)seconds * 1000));
		ck_assert_str_eq(json_time(ms, text), wanted);
		state = state * 6364136223846793005u + 1442695040888963407u;
	}
}
END_TEST

/* Whatever the recogniser takes, cJSON must take alike: written again and read
 * again it is the same. */
START_TEST(any_text_is_refused_or_survives_being_written)
{
	static const char *const piece[] = {"{", "}", "[", "]", ",", ":", " ", "\n", "0", "1", "-",
	    ".", "e5", "00", "\"a\"", "\"b\"", "\"\\u0000\"", "\"\\n\"", "true", "null",
	    "\"a\":", "\"b\":", "[1", "2]", "{\"c\":", "}", "[[", "]]", "\xc3\xa4", "\""};
	uint64_t state = 99;
	unsigned taken = 0;

	for (int i = 0; i < 50000; i++) {
		struct buffer text = {0}, once = {0}, twice = {0};
		struct json_out first = json_out(&once), second = json_out(&twice);
		struct hrw_fault fault = {0};
		struct json *root;

		for (uint64_t n = next_random(&state) % 8; n < 8; n++)
			buffer_add_text(
			    &text, piece[next_random(&state) % (sizeof(piece) / sizeof(piece[0]))]);
		root = json_parse(buffer_bytes(&text), JSON_STRICT, &fault);
		ck_assert_msg(root != NULL || fault.error != HRW_INTERNAL, "seed 99, case %d: %s",
		    i, buffer_text(&text));
		if (root != NULL) {
			taken++;
			json_put_tree(&first, NULL, root);
			json_free(root);
			root = good(buffer_text(&once));
			json_put_tree(&second, NULL, root);
			ck_assert_str_eq(buffer_text(&once), buffer_text(&twice));
			json_free(root);
		}
		buffer_fini(&text);
		buffer_fini(&once);
		buffer_fini(&twice);
	}
	ck_assert_uint_gt(taken, 500);
}
END_TEST

SUITE(json)
{
	tcase_add_test(tests, any_text_is_refused_or_survives_being_written);
	tcase_add_test(tests, what_rfc_8259_allows_is_taken);
	tcase_add_test(tests, what_it_does_not_allow_is_refused);
	tcase_add_test(tests, a_mistake_is_told_by_line_and_column);
	tcase_add_test(tests, a_member_given_twice_is_refused_however_it_is_spelled);
	tcase_add_test(tests, depth_and_number_of_values_are_limited);
	tcase_add_test(tests, an_object_of_100000_members_is_no_burden);
	tcase_add_test(tests, a_nul_survives_in_bytes_and_cuts_no_text);
	tcase_add_test(tests, names_are_told_apart_by_case);
	tcase_add_test(tests, whole_numbers_are_exact_to_the_last_of_63_bits);
	tcase_add_test(tests, a_number_past_the_range_of_doubles_is_infinite);
	tcase_add_test(tests, a_value_knows_its_text_pointer_and_position);
	tcase_add_test(tests, comments_are_space_where_asked_for);
	tcase_add_test(tests, a_stranger_is_named_with_what_is_known_and_what_is_near);
	tcase_add_test(tests, every_double_reads_back_as_itself);
	tcase_add_test(tests, numbers_are_as_short_as_may_be);
	tcase_add_test(tests, every_string_reads_back_as_itself);
	tcase_add_test(tests, bytes_of_no_utf8_make_no_broken_document);
	tcase_add_test(tests, one_byte_anywhere_is_escaped_or_stands_as_it_is);
	tcase_add_test(tests, keys_are_text_or_base64);
	tcase_add_test(tests, a_tree_is_written_as_it_was_read);
	tcase_add_test(tests, times_are_utc_with_milliseconds);
	tcase_add_test(tests, times_are_those_of_strftime);
	tcase_add_test(tests, whole_numbers_are_written_as_printf_writes_them);
	tcase_add_test(tests, integers_of_any_size_are_written_whole);
}
