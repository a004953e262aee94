/*
 * keytype_test.c - one number, one text: what is no key of its type is none.
 */
#include "core/keytype.h"
#include "tests/dsl/edge.h"
#include "tests/dsl/suite.h"

static const struct {
	enum hrw_key_type type;
	const char *text;
	int rc;
	uint64_t number;
} numbers[] = {
    {HRW_KEY_INT32, "0", 0, 0},
    {HRW_KEY_INT32, "2147483647", 0, 2147483647},
    {HRW_KEY_INT32, "-2147483648", 0, (uint64_t)-2147483648LL},
    {HRW_KEY_INT32, "2147483648", HRW_BAD_KEY, 0},
    {HRW_KEY_INT32, "-2147483649", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, "9223372036854775807", 0, INT64_MAX},
    {HRW_KEY_INT64, "-9223372036854775808", 0, (uint64_t)INT64_MIN},
    {HRW_KEY_INT64, "9223372036854775808", HRW_BAD_KEY, 0},
    {HRW_KEY_UINT32, "4294967295", 0, UINT32_MAX},
    {HRW_KEY_UINT32, "4294967296", HRW_BAD_KEY, 0},
    {HRW_KEY_UINT64, "18446744073709551615", 0, UINT64_MAX},
    {HRW_KEY_UINT64, "18446744073709551616", HRW_BAD_KEY, 0},
    {HRW_KEY_UINT64, "99999999999999999999", HRW_BAD_KEY, 0},
    {HRW_KEY_UINT64, "-1", HRW_BAD_KEY, 0},
    {HRW_KEY_UINT64, "007", HRW_BAD_KEY, 0},
    {HRW_KEY_UINT64, "00", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, "-0", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, "-01", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, "+1", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, " 1", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, "1 ", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, "1e3", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, "-", HRW_BAD_KEY, 0},
    {HRW_KEY_INT64, "", HRW_BAD_KEY, 0},
};

START_TEST(a_number_is_written_in_one_way)
{
	uint64_t number = 0;
	int rc = hrw_key_number(at_edge(hrw_text(numbers[_i].text)), numbers[_i].type, &number);

	ck_assert_msg(rc == numbers[_i].rc, "\"%s\": %d", numbers[_i].text, rc);
	if (rc == 0)
		ck_assert_uint_eq(number, numbers[_i].number);
}
END_TEST

START_TEST(a_uuid_is_its_text_form_in_either_case)
{
	static const char text[] = "123e4567-e89b-12d3-a456-42661417400F";
	static const uint8_t bytes[16] = {0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4,
	    0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0x0f};
	static const char *const others[] = {"", "123e4567e89b12d3a45642661417400f",
	    "{123e4567-e89b-12d3-a456-42661417400}", "123e4567-e89b-12d3-a456-42661417400",
	    "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a4564-2661417400f"};
	uint8_t out[16];

	ck_assert_int_eq(hrw_key_uuid(at_edge(hrw_text(text)), out), 0);
	ck_assert_mem_eq(out, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert_int_eq(hrw_key_uuid(at_edge(hrw_text(others[i])), out), HRW_BAD_KEY);
}
END_TEST

SUITE(keytype)
{
	tcase_add_loop_test(
	    tests, a_number_is_written_in_one_way, 0, sizeof(numbers) / sizeof(*numbers));
	tcase_add_test(tests, a_uuid_is_its_text_form_in_either_case);
}
