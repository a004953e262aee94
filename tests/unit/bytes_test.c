/*
 * bytes_test.c - order of byte strings, and UTF-8.
 */
#include "core/bytes.h"
#include "tests/dsl/edge.h"
#include "tests/dsl/suite.h"

START_TEST(bytes_stand_in_bytewise_order_a_prefix_first)
{
	static const struct hrw_bytes sorted[] = {
	    {NULL, 0},
	    {(const uint8_t *)"\0", 1},
	    {(const uint8_t *)"\0a", 2},
	    {(const uint8_t *)"a", 1},
	    {(const uint8_t *)"a\0", 2},
	    {(const uint8_t *)"ab", 2},
	    {(const uint8_t *)"b", 1},
	    {(const uint8_t *)"\x80", 1},
	    {(const uint8_t *)"\xff", 1},
	};
	int count = sizeof(sorted) / sizeof(sorted[0]);

	for (int i = 0; i < count; i++)
		for (int j = 0; j < count; j++) {
			int order = hrw_bytes_cmp(sorted[i], sorted[j]);

			ck_assert_int_eq((order > 0) - (order < 0), (i > j) - (i < j));
			ck_assert_int_eq(hrw_bytes_equal(sorted[i], sorted[j]), i == j);
		}
}
END_TEST

/* RFC 3629, table of section 3. */
static struct hrw_bytes
encode(uint32_t code, uint8_t room[4])
{
	if (code < 0x80) {
		room[0] = (uint8_t)code;
		return hrw_bytes(room, 1);
	}
	if (code < 0x800) {
		room[0] = (uint8_t)(0xc0 | code >> 6);
		room[1] = (uint8_t)(0x80 | (code & 0x3f));
		return hrw_bytes(room, 2);
	}
	if (code < 0x10000) {
		room[0] = (uint8_t)(0xe0 | code >> 12);
		room[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
		room[2] = (uint8_t)(0x80 | (code & 0x3f));
		return hrw_bytes(room, 3);
	}
	room[0] = (uint8_t)(0xf0 | code >> 18);
	room[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	room[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	room[3] = (uint8_t)(0x80 | (code & 0x3f));
	return hrw_bytes(room, 4);
}

START_TEST(every_code_point_but_surrogates_is_utf8)
{
	uint8_t room[4];

	for (uint32_t code = 0; code <= 0x110fff; code++) {
		bool is_good = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);

		ck_assert_int_eq(hrw_is_utf8(encode(code, room)), is_good);
	}
}
END_TEST

/* With the test before: as many as there are code points, so no others. */
START_TEST(nothing_else_is_utf8)
{
	size_t two = 0, three = 0, four = 0;

	for (uint32_t i = 0x80; i < 0x100; i++)
		ck_assert_uint_eq(hrw_utf8_prefix(hrw_bytes(&(uint8_t){(uint8_t)i}, 1)), 0);
	for (uint32_t i = 0x8000; i < 0x10000; i++) {
		const uint8_t text[2] = {(uint8_t)(i >> 8), (uint8_t)i};

		two += hrw_utf8_prefix(hrw_bytes(text, 2)) != 0;
	}
	for (uint32_t i = 0xe00000; i < 0xf00000; i++) {
		const uint8_t text[3] = {(uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};

		three += hrw_utf8_prefix(hrw_bytes(text, 3)) != 0;
	}
	for (uint32_t i = 0; i < 16 * 66 * 66 * 66; i++) {
		const uint8_t text[4] = {(uint8_t)(0xf0 + i / (66 * 66 * 66)),
		    (uint8_t)(0x7f + i / (66 * 66) % 66), (uint8_t)(0x7f + i / 66 % 66),
		    (uint8_t)(0x7f + i % 66)};

		four += hrw_utf8_prefix(hrw_bytes(text, 4)) != 0;
	}
	ck_assert_uint_eq(two, 0x800 - 0x80);
	ck_assert_uint_eq(three, 0x10000 - 0x800 - 0x800);
	ck_assert_uint_eq(four, 0x110000 - 0x10000);
}
END_TEST

START_TEST(a_prefix_ends_before_the_first_bad_byte)
{
	ck_assert_uint_eq(hrw_utf8_prefix(hrw_text("")), 0);
	ck_assert_uint_eq(hrw_utf8_prefix(hrw_text("aé\xff")), 3);
	ck_assert_uint_eq(hrw_utf8_prefix(hrw_bytes("a\0b", 3)), 3);
	/* cut short, at the end of memory */
	ck_assert_uint_eq(hrw_utf8_prefix(at_edge(hrw_text("a\xf0\x9f\x98"))), 1);
	ck_assert_uint_eq(hrw_utf8_prefix(at_edge(hrw_text("a\xe2\x82"))), 1);
	ck_assert_uint_eq(hrw_utf8_prefix(at_edge(hrw_text("a\xc3"))), 1);
}
END_TEST

START_TEST(a_shown_text_is_safe_and_cut_with_a_mark)
{
	char room[8];

	ck_assert_str_eq(hrw_show(hrw_text("seven77"), room, sizeof(room)), "seven77");
	ck_assert_str_eq(hrw_show(hrw_text("eight888"), room, sizeof(room)), "eigh…");
	ck_assert_str_eq(hrw_show(hrw_text("aéééé"), room, sizeof(room)), "aé…");
	ck_assert_str_eq(hrw_show(hrw_bytes("\0a", 2), room, sizeof(room)), "\\x00a");
	ck_assert_str_eq(hrw_show(hrw_text("\n\n"), room, sizeof(room)), "\\x0a…");
	ck_assert_str_eq(hrw_show(at_edge(hrw_text("\xc3")), room, sizeof(room)), "\\xc3");
	ck_assert_str_eq(hrw_show(hrw_text("abcde"), room, 4), "…");
	ck_assert_str_eq(hrw_show(hrw_text(""), room, 4), "");
}
END_TEST

/* Bytes of a character of up to three bytes. */
static size_t
utf8_of(uint32_t c, char out[4])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	out[0] = (char)(0xe0 | c >> 12);
	out[1] = (char)(0x80 | (c >> 6 & 63));
	out[2] = (char)(0x80 | (c & 63));
	return 3;
}

START_TEST(what_a_terminal_obeys_or_what_turns_text_about_is_never_shown)
{
	for (uint32_t c = 0; c < 0x10000; c++) {
		bool is_unseen = c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e ||
				 c == 0x200f || c == 0xfeff || (c >= 0x2028 && c <= 0x202e) ||
				 (c >= 0x2066 && c <= 0x2069);
		char text[4], room[64];
		size_t len = utf8_of(c, text);

		if (c >= 0xd800 && c < 0xe000)
			continue;
		hrw_show(hrw_bytes(text, len), room, sizeof(room));
		if (is_unseen)
			ck_assert_msg(strlen(room) == 4 * len && room[0] == '\\', "U+%04x", c);
		else
			ck_assert_msg(
			    strlen(room) == len && memcmp(room, text, len) == 0, "U+%04x", c);
	}
}
END_TEST

SUITE(bytes)
{
	tcase_add_test(tests, bytes_stand_in_bytewise_order_a_prefix_first);
	tcase_add_test(tests, every_code_point_but_surrogates_is_utf8);
	tcase_add_test(tests, nothing_else_is_utf8);
	tcase_add_test(tests, a_prefix_ends_before_the_first_bad_byte);
	tcase_add_test(tests, a_shown_text_is_safe_and_cut_with_a_mark);
	tcase_add_test(tests, what_a_terminal_obeys_or_what_turns_text_about_is_never_shown);
}
