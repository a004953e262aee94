/*
 * identity_test.c - a request's id is the client's or one of its own; a trace is
 * taken to the letter of W3C Trace Context or not at all.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/http/identity.h"
#include "tests/dsl/suite.h"

#define TRACE  "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"

static const struct {
	const char *sent;
	bool is_taken;
} traces[] = {
    {"00-" TRACE "-" PARENT "-01", true},
    {"00-" TRACE "-" PARENT "-00", true},
    {"cc-" TRACE "-" PARENT "-01", true},
    {"cc-" TRACE "-" PARENT "-01-what-comes-later", true},
    {"cc-" TRACE "-" PARENT "-01.what", false},
    {"00-" TRACE "-" PARENT "-01-more", false},
    {"ff-" TRACE "-" PARENT "-01", false},
    {"00-" TRACE "-" PARENT "-0", false},
    {"00-" TRACE "-" PARENT "-0g", false},
    {"00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01", false},
    {"00-00000000000000000000000000000000-" PARENT "-01", false},
    {"00-" TRACE "-0000000000000000-01", false},
    {"00_" TRACE "-" PARENT "-01", false},
    {"00-" TRACE "_" PARENT "-01", false},
    {"00-" TRACE "-" PARENT "_01", false},
    {"", false},
    {"00", false},
};

START_TEST(a_trace_is_taken_where_it_is_well_formed)
{
	uint64_t next = 1;
	struct identity i;

	for (size_t k = 0; k < sizeof(traces) / sizeof(traces[0]); k++) {
		identity_give(&i, hrw_bytes(NULL, 0), hrw_text(traces[k].sent), &next);
		ck_assert_msg(strcmp(i.trace, traces[k].is_taken ? TRACE : "") == 0, "%s gave %s",
		    traces[k].sent, i.trace);
	}
}
END_TEST

START_TEST(an_id_is_the_clients_where_it_is_plain)
{
	char longest[IDENTITY_ID + 2];
	uint64_t next = 1;
	struct identity i;

	memset(longest, 'a', sizeof(longest));
	identity_give(&i, hrw_text("Ab-9._z"), hrw_bytes(NULL, 0), &next);
	ck_assert_str_eq(i.id, "Ab-9._z");
	identity_give(&i, hrw_bytes(longest, IDENTITY_ID), hrw_bytes(NULL, 0), &next);
	ck_assert_uint_eq(strlen(i.id), IDENTITY_ID);
	ck_assert_uint_eq(next, 1);
	for (int k = 0; k < 4; k++) {
		struct hrw_bytes sent[] = {hrw_bytes(longest, IDENTITY_ID + 1), hrw_text("a b"),
		    hrw_text("a\"b"), hrw_text("")};

		identity_give(&i, sent[k], hrw_bytes(NULL, 0), &next);
		ck_assert_uint_eq(strlen(i.id), 16);
		ck_assert_uint_eq(strspn(i.id, "0123456789abcdef"), 16);
	}
}
END_TEST

static int
id_cmp(const void *a, const void *b)
{
	return strcmp(a, b);
}

START_TEST(no_two_ids_are_the_same)
{
	static char ids[1000][17];
	uint64_t next = identity_seed();
	struct identity i;

	for (size_t k = 0; k < 1000; k++) {
		identity_give(&i, hrw_bytes(NULL, 0), hrw_bytes(NULL, 0), &next);
		memcpy(ids[k], i.id, 17);
	}
	qsort(ids, 1000, 17, id_cmp);
	for (size_t k = 1; k < 1000; k++)
		ck_assert_str_ne(ids[k - 1], ids[k]);
}
END_TEST

SUITE(identity)
{
	tcase_add_test(tests, a_trace_is_taken_where_it_is_well_formed);
	tcase_add_test(tests, an_id_is_the_clients_where_it_is_plain);
	tcase_add_test(tests, no_two_ids_are_the_same);
}
