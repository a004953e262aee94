/*
 * error_test.c - codes, titles and faults in words.
 */
#include "core/bytes.h"
#include "core/error.h"
#include "tests/dsl/suite.h"

START_TEST(every_error_is_found_again_by_its_code)
{
	static const int errors[] = {
#define NUMBER(name, number, code, title) (number),
	    HRW_ERRORS(NUMBER)
#undef NUMBER
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		ck_assert_int_lt(errors[i], 0);
		ck_assert_int_eq(hrw_error_from_code(hrw_error_code(errors[i])), errors[i]);
		ck_assert_str_ne(hrw_error_title(errors[i]), "");
	}
	ck_assert_int_eq(hrw_error_from_code("no-such-code"), 0);
}
END_TEST

START_TEST(a_number_out_of_the_list_is_our_own_fault)
{
	ck_assert_str_eq(hrw_error_code(-9999), "internal");
	ck_assert_str_eq(hrw_error_title(7), "Our own fault");
}
END_TEST

START_TEST(a_fault_returns_its_error_and_clears_the_last_one)
{
	struct hrw_fault f = {.reason = "taken", .field = "/name"};

	ck_assert_int_eq(hrw_fault(&f, HRW_BAD_ZONE, "zone %d", 7), HRW_BAD_ZONE);
	ck_assert_int_eq(f.error, HRW_BAD_ZONE);
	ck_assert_ptr_null(f.reason);
	ck_assert_str_eq(f.field, "");
	ck_assert_str_eq(f.detail, "zone 7");
	ck_assert_int_eq(hrw_fault_at(&f, "/nodes/%d", 3), HRW_BAD_ZONE);
	ck_assert_str_eq(f.field, "/nodes/3");
}
END_TEST

START_TEST(without_a_fault_the_number_alone_is_returned)
{
	ck_assert_int_eq(hrw_fault(NULL, HRW_BUSY, "%s", "unread"), HRW_BUSY);
	ck_assert_int_eq(hrw_fault_at(NULL, "%s", "unread"), 0);
}
END_TEST

START_TEST(what_a_fault_is_given_is_made_safe)
{
	struct hrw_fault f;

	hrw_fault(&f, HRW_BAD_KEY, "%s", "a\n\x1b[1m\x7f\xff é \xc3");
	ck_assert_str_eq(f.detail, "a\\x0a\\x1b[1m\\x7f\\xff é \\xc3");
}
END_TEST

START_TEST(a_long_detail_is_cut_between_characters)
{
	struct hrw_fault f;
	char text[2 * HRW_FAULT_DETAIL];

	/* Every length and every phase of a two-byte character and an escape. */
	for (size_t len = HRW_FAULT_DETAIL - 20; len < HRW_FAULT_DETAIL + 300; len++)
		for (size_t phase = 0; phase < 3; phase++) {
			memset(text, 'x', len);
			text[len] = '\0';
			for (size_t i = phase; i + 2 < len; i += 3)
				memcpy(text + i, i % 2 == 0 ? "é" : "\n\n", 2);
			hrw_fault(&f, HRW_BAD_KEY, "%s", text);
			ck_assert_uint_lt(strlen(f.detail), HRW_FAULT_DETAIL);
			ck_assert(hrw_is_utf8(hrw_text(f.detail)));
			ck_assert_ptr_nonnull(strstr(f.detail, "…"));
		}
}
END_TEST

START_TEST(a_detail_that_just_fits_is_whole)
{
	struct hrw_fault f;
	char text[HRW_FAULT_DETAIL + 1];

	memset(text, 'x', sizeof(text));
	text[HRW_FAULT_DETAIL - 1] = '\0';
	hrw_fault(&f, HRW_BAD_KEY, "%s", text);
	ck_assert_str_eq(f.detail, text);
	text[HRW_FAULT_DETAIL - 1] = 'x';
	text[HRW_FAULT_DETAIL] = '\0';
	hrw_fault(&f, HRW_BAD_KEY, "%s", text);
	ck_assert_uint_eq(strlen(f.detail), HRW_FAULT_DETAIL - 1);
	ck_assert_str_eq(f.detail + HRW_FAULT_DETAIL - 4, "…");
}
END_TEST

SUITE(error)
{
	tcase_add_test(tests, every_error_is_found_again_by_its_code);
	tcase_add_test(tests, a_number_out_of_the_list_is_our_own_fault);
	tcase_add_test(tests, a_fault_returns_its_error_and_clears_the_last_one);
	tcase_add_test(tests, without_a_fault_the_number_alone_is_returned);
	tcase_add_test(tests, what_a_fault_is_given_is_made_safe);
	tcase_add_test(tests, a_long_detail_is_cut_between_characters);
	tcase_add_test(tests, a_detail_that_just_fits_is_whole);
}
