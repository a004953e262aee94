/*
 * buffer_test.c - bytes that grow, and what is left of them.
 */
#include <stdlib.h>

#include "core/error.h"
#include "daemon/base/buffer.h"
#include "tests/dsl/suite.h"

START_TEST(what_is_added_stands_in_a_row)
{
	struct buffer b = {0};

	buffer_add(&b, "a\0b", 3);
	buffer_add_text(&b, "cd");
	buffer_printf(&b, "%d-%s", 42, "e");
	buffer_add(&b, NULL, 0);
	ck_assert_uint_eq(b.len, 9);
	ck_assert_mem_eq(buffer_text(&b), "a\0bcd42-e", 10);
	buffer_clear(&b);
	ck_assert_str_eq(buffer_text(&b), "");
	for (size_t i = 0; i < 10000; i++)
		buffer_printf(&b, "%zu,", i);
	ck_assert_uint_eq(b.len, 48890);
	ck_assert(!b.failed);
	buffer_fini(&b);
}
END_TEST

START_TEST(taking_leaves_it_empty)
{
	struct buffer b = {0};
	char *text;

	buffer_add_text(&b, "mine");
	text = buffer_take(&b);
	ck_assert_str_eq(text, "mine");
	free(text);
	ck_assert_uint_eq(b.len, 0);
	text = buffer_take(&b);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

START_TEST(a_failure_is_kept_and_seen_at_the_end)
{
	struct buffer b = {0};

	buffer_add_text(&b, "x");
	ck_assert_int_eq(buffer_reserve(&b, SIZE_MAX - 16), HRW_INTERNAL);
	buffer_add_text(&b, "y");
	ck_assert(b.failed);
	ck_assert_str_eq(buffer_text(&b), "");
	ck_assert_ptr_null(buffer_take(&b));
	buffer_fini(&b);
}
END_TEST

SUITE(buffer)
{
	tcase_add_test(tests, what_is_added_stands_in_a_row);
	tcase_add_test(tests, taking_leaves_it_empty);
	tcase_add_test(tests, a_failure_is_kept_and_seen_at_the_end);
}
