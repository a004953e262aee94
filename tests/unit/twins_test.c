/*
 * twins_test.c - nodes that no key tells apart, where the placement takes them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/estimate.h"
#include "core/twins.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"

enum { KEYS = 2000 };

/* Texts that collide; the third does not. Found by trying some 100,000. */
static const struct {
	const char *placement, *text[3];
} pairs[] = {
    {"ignite", {"aw", "c9", "d0"}},
    {"ignite partitions=1000", {"aw", "c9", "d0"}},
    {"libmemcached-ketama", {"10.3.52.36", "10.0.4.50", "10.0.4.51"}},
    {"libmemcached-ketama", {"cca6bbfed.lan", "c26ea06ed.lan", "c26ea06ee.lan"}},
    {"nginx-consistent", {"c6cd56448.lan:11211", "c92e40a5c.lan:11211", "c92e40a5d.lan:11211"}},
};

static size_t
owned(const struct hrw_membership *m, const char *name)
{
	char room[HRW_SAMPLE_KEY_BYTES];
	size_t count = 0;

	for (uint32_t i = 0; i < KEYS; i++)
		count += owns(m, name, hrw_sample_key(m, i, room));
	return count;
}

START_TEST(twins_are_found_and_one_of_them_owns_nothing)
{
	struct hrw_membership *m = placed(pairs[_i].placement, "a b c");
	uint32_t twin_of[3];

	for (int n = 0; n < 3; n++)
		give_hash_name(m, (const char *[]){"a", "b", "c"}[n], pairs[_i].text[n]);
	frozen(m);
	ck_assert_int_eq(hrw_twins(m, twin_of), 1);
	ck_assert_uint_eq(twin_of[0], 0);
	ck_assert_uint_eq(twin_of[1], 0);
	ck_assert_uint_eq(twin_of[2], 2);
	ck_assert_uint_gt(owned(m, "c"), KEYS / 10);
	ck_assert_msg(
	    (owned(m, "a") == 0) != (owned(m, "b") == 0), "%zu %zu", owned(m, "a"), owned(m, "b"));
	ck_assert_uint_gt(owned(m, "a") + owned(m, "b"), KEYS / 10);
}
END_TEST

/* Squid's peers each see another key, so that those of one hash share out theirs. Where
 * a hash reads no label byte by byte, a label's twin is none. */
START_TEST(nodes_that_keys_tell_apart_are_no_twins)
{
	struct hrw_membership *m = placed("libmemcached-ketama hash=murmur", "a b c");
	uint32_t twin_of[3];

	give_hash_name(m, "a", "10.3.52.36");
	give_hash_name(m, "b", "10.0.4.50");
	ck_assert_int_eq(hrw_twins(frozen(m), twin_of), 0);
	ck_assert_uint_gt(owned(m, "a"), 0);
	ck_assert_uint_gt(owned(m, "b"), 0);
	m = placed("squid-carp", "a b c");
	give_hash_name(m, "a", "cf1c10990.lan");
	give_hash_name(m, "b", "c5cafe17f.lan");
	ck_assert_int_eq(hrw_twins(frozen(m), twin_of), 0);
	ck_assert_uint_gt(owned(m, "a"), 0);
	ck_assert_uint_gt(owned(m, "b"), 0);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		m = frozen(placed(pairs[i].placement, "a b c"));
		ck_assert_int_eq(hrw_twins(m, twin_of), 0);
	}
}
END_TEST

SUITE(twins)
{
	tcase_add_loop_test(tests, twins_are_found_and_one_of_them_owns_nothing, 0,
	    sizeof(pairs) / sizeof(pairs[0]));
	tcase_add_test(tests, nodes_that_keys_tell_apart_are_no_twins);
}
