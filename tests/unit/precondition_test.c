/*
 * precondition_test.c - a change meant for one version of a pool is not made to
 * another.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

/* What a drain of "a" with these headers ends with; NULL: not sent. */
static int
drained(struct pool *pool, const char *if_match, const char *if_none_match)
{
	struct change *c = asked("{'drain':['a']}");

	c->precondition.if_match = if_match != NULL ? strdup(if_match) : NULL;
	c->precondition.if_none_match = if_none_match != NULL ? strdup(if_none_match) : NULL;
	return tried(pool, c)->rc;
}

START_TEST(a_tag_is_the_pools_or_its_epoch_alone)
{
	struct pool *p = after(made(1, "a b c"), "{'drain':['b']}");

	char tag[48];

	snprintf(tag, sizeof(tag), "\"2-%s\"", p->lineage);
	ck_assert_str_eq(p->etag, tag);
	ck_assert_int_eq(drained(p, p->etag, NULL), 0);
	ck_assert_int_eq(drained(p, "\"2\"", NULL), 0);
	ck_assert_int_eq(drained(p, "*", NULL), 0);
	ck_assert_int_eq(drained(p, " * ", NULL), 0);
	ck_assert_int_eq(drained(p, "\"1\", \"2\"", NULL), 0);
	ck_assert_int_eq(drained(p, "\"x\",\"y,z\" , \"2\"", NULL), 0);
}
END_TEST

START_TEST(another_tag_is_stale)
{
	struct pool *p = made(1, "a b");
	static const char *const tags[] = {"\"2\"", "\"1-0000000000000000\"", "1", "W/\"1\"",
	    "\"1\"x", "\"\"", "", "\"1", "**", "\"11\""};

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		ck_assert_msg(drained(p, tags[i], NULL) == HRW_STALE_EPOCH, "%s", tags[i]);
}
END_TEST

START_TEST(a_stale_tag_is_told_the_present_one)
{
	struct pool *p = after(made(1, "a b"), "{'drain':['b']}");
	struct change *c = asked("{'drain':['a']}");
	const struct tried *t;

	c->precondition.if_match = strdup("\"1\"");
	t = tried(p, c);
	ck_assert_int_eq(t->rc, HRW_STALE_EPOCH);
	ck_assert_ptr_nonnull(strstr(t->fault.detail, "epoch 2"));
	ck_assert_ptr_nonnull(strstr(t->fault.detail, p->etag));
	ck_assert_str_eq(t->fault.field, "If-Match");
}
END_TEST

START_TEST(a_replacement_needs_a_precondition)
{
	struct change *c = task_on(TASK_POOL, NULL);
	struct pool *p = made(1, "");

	c->precondition.is_required = true;
	c->task[0].template = hrw_membership_copy(made(2, "a b")->present);
	ck_assert_int_eq(tried(p, c)->rc, HRW_PRECONDITION_REQUIRED);
	ck_assert_int_eq(tried(NULL, c)->rc, HRW_PRECONDITION_REQUIRED);
	c->precondition.if_match = strdup("*");
	ck_assert_int_eq(tried(p, c)->rc, 0);
	ck_assert_int_eq(tried(NULL, c)->rc, 0);
}
END_TEST

START_TEST(a_pool_can_be_made_only_where_there_is_none)
{
	struct change *c = task_on(TASK_POOL, NULL);

	c->precondition.is_required = true;
	c->precondition.if_none_match = strdup("*");
	c->task[0].template = hrw_membership_copy(made(2, "a b")->present);
	ck_assert_int_eq(tried(NULL, c)->rc, 0);
	ck_assert_int_eq(tried(made(1, ""), c)->rc, HRW_STALE_EPOCH);
	c->precondition.if_match = strdup("\"1\"");
	ck_assert_int_eq(tried(NULL, c)->rc, HRW_STALE_EPOCH);
}
END_TEST

START_TEST(a_plan_is_applied_to_its_own_epoch_alone)
{
	struct pool *p = made(1, "a b");
	struct change *c = asked("{'drain':['a']}");

	c->expected_etag = strdup(p->etag);
	ck_assert_int_eq(tried(p, c)->rc, 0);
	ck_assert_int_eq(tried(after(p, "{'drain':['b']}"), c)->rc, HRW_STALE_EPOCH);
	ck_assert_int_eq(tried(made(1, "a b"), c)->rc, HRW_STALE_EPOCH);
}
END_TEST

START_TEST(preconditions_come_before_names_and_guards)
{
	struct change *c = asked("{'remove':['nobody']}");

	c->precondition.if_match = strdup("\"9\"");
	ck_assert_int_eq(tried(made(1, "a"), c)->rc, HRW_STALE_EPOCH);
	ck_assert_int_eq(tried(NULL, c)->rc, HRW_UNKNOWN_POOL);
}
END_TEST

SUITE(precondition)
{
	tcase_add_test(tests, a_tag_is_the_pools_or_its_epoch_alone);
	tcase_add_test(tests, another_tag_is_stale);
	tcase_add_test(tests, a_stale_tag_is_told_the_present_one);
	tcase_add_test(tests, a_replacement_needs_a_precondition);
	tcase_add_test(tests, a_pool_can_be_made_only_where_there_is_none);
	tcase_add_test(tests, a_plan_is_applied_to_its_own_epoch_alone);
	tcase_add_test(tests, preconditions_come_before_names_and_guards);
}
