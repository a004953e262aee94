/*
 * spool_test.c - what was put in comes out, in memory and from the file.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/http/spool.h"
#include "tests/dsl/suite.h"

/* The byte at a place of the pattern that the tests write. */
static unsigned char
byte_at(uint64_t at)
{
	return (unsigned char)(at * 131 + (at >> 11));
}

static void
fill(struct spool *s, size_t total, size_t piece)
{
	unsigned char *data = malloc(piece);
	size_t at = 0;

	while (at < total) {
		size_t len = total - at < piece ? total - at : piece;

		for (size_t i = 0; i < len; i++)
			data[i] = byte_at(at + i);
		ck_assert_int_eq(spool_add(s, data, len), 0);
		at += len;
	}
	free(data);
	ck_assert_uint_eq(spool_len(s), total);
}

static void
reads_back(struct spool *s, size_t total, size_t piece)
{
	unsigned char *data = malloc(piece);
	uint64_t at = 0;
	long got, wrong = 0;

	/* Not an assertion a byte: each costs more than the read. */
	while ((got = spool_read(s, at, data, piece)) > 0) {
		for (long i = 0; i < got; i++)
			wrong += data[i] != byte_at(at + (uint64_t)i);
		at += (uint64_t)got;
	}
	ck_assert_int_eq(wrong, 0);
	ck_assert_int_eq(got, 0);
	ck_assert_uint_eq(at, total);
	free(data);
}

START_TEST(bytes_come_back_whatever_their_number)
{
	static const size_t totals[] = {
	    0, 1, SPOOL_MEMORY - 1, SPOOL_MEMORY, SPOOL_MEMORY + 1, 3 * SPOOL_MEMORY + 7};

	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++) {
		struct spool *s = spool_new();

		fill(s, totals[i], 70001);
		reads_back(s, totals[i], 65536);
		reads_back(s, totals[i], 999983);
		spool_free(s);
	}
}
END_TEST

START_TEST(a_piece_larger_than_the_memory_goes_to_the_file)
{
	struct spool *s = spool_new();

	fill(s, 2 * SPOOL_MEMORY, 2 * SPOOL_MEMORY);
	reads_back(s, 2 * SPOOL_MEMORY, 4096);
	spool_free(s);
}
END_TEST

START_TEST(reading_past_the_end_gives_nothing)
{
	struct spool *s = spool_new();
	char byte;

	fill(s, 10, 10);
	ck_assert_int_eq(spool_read(s, 10, &byte, 1), 0);
	ck_assert_int_eq(spool_read(s, 11, &byte, 1), 0);
	ck_assert_int_eq(spool_read(s, 9, &byte, 1), 1);
	spool_free(s);
	spool_free(NULL);
}
END_TEST

SUITE(spool)
{
	tcase_add_test(tests, bytes_come_back_whatever_their_number);
	tcase_add_test(tests, a_piece_larger_than_the_memory_goes_to_the_file);
	tcase_add_test(tests, reading_past_the_end_gives_nothing);
}
