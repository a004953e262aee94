/*
 * blake2b_test.c - the short way through BLAKE2b, for texts of one block, beside
 * the library's.
 */
#include <blake2.h>

#include "core/hash/blake2b.h"
#include "tests/dsl/dice.h"
#include "tests/dsl/suite.h"

enum { LONGEST = 400 };

static uint64_t
by_library(const uint8_t *text, size_t len)
{
	uint8_t digest[8];
	uint64_t h = 0;

	ck_assert_int_eq(blake2b(digest, text, NULL, sizeof(digest), len, 0), 0);
	for (size_t i = 0; i < sizeof(digest); i++)
		h = h << 8 | digest[i];
	return h;
}

START_TEST(every_length_gives_what_the_library_gives)
{
	for (size_t len = 0; len <= LONGEST; len++) {
		struct dice d = {len};
		uint8_t text[LONGEST];

		for (size_t i = 0; i < len; i++)
			text[i] = (uint8_t)dice_roll(&d);
		ck_assert_msg(
		    hrw_blake2b(hrw_bytes(text, len)) == by_library(text, len), "length %zu", len);
	}
}
END_TEST

START_TEST(texts_joined_are_one_text_wherever_it_was_cut)
{
	uint8_t text[LONGEST];
	struct dice d = {1};

	for (size_t i = 0; i < LONGEST; i++)
		text[i] = (uint8_t)dice_roll(&d);
	for (unsigned times = 0; times < 5000; times++) {
		size_t len = dice_below(&d, LONGEST + 1), a = dice_below(&d, (uint32_t)len + 1),
		       b = dice_below(&d, (uint32_t)(len - a) + 1);

		ck_assert_msg(hrw_blake2b_join(hrw_bytes(text, a), hrw_bytes(text + a, b),
				  hrw_bytes(text + a + b, len - a - b)) == by_library(text, len),
		    "%zu, %zu and %zu bytes", a, b, len - a - b);
	}
}
END_TEST

SUITE(blake2b)
{
	tcase_add_test(tests, every_length_gives_what_the_library_gives);
	tcase_add_test(tests, texts_joined_are_one_text_wherever_it_was_cut);
}
