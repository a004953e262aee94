/*
 * nobody_test.c - who asks for a key without an owner is told the true reason.
 */
#include <stdlib.h>

#include "daemon/members/nobody.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/suite.h"

START_TEST(a_key_without_an_owner_is_told_why)
{
	static const struct {
		const char *placement, *nodes, *told;
	} rows[] = {
	    {"rendezvous", "", "pool p has no nodes: add one"},
	    {"rendezvous", "a!draining", "the one node of pool p takes no keys"},
	    {"rendezvous", "a!draining b:0", "none of the 2 nodes of pool p takes keys"},
	    {"redis-cluster", "a", "no node of pool p that takes keys holds the key's slot"},
	    {"cassandra-murmur3", "a b", "no node of pool p that takes keys has tokens"},
	    {"nginx-hash", "a b!draining", "nginx-hash gives up on this key"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct hrw_membership *m = frozen(placed(rows[i].placement, rows[i].nodes));
		struct hrw_fault fault;

		ck_assert_int_eq(nobody_owns(m, "p", &fault), HRW_NO_SERVERS);
		ck_assert_msg(strncmp(fault.detail, rows[i].told, strlen(rows[i].told)) == 0, "%s",
		    fault.detail);
		ck_assert_int_eq(nobody_owns(m, NULL, &fault), HRW_NO_SERVERS);
		ck_assert_ptr_null(strstr(fault.detail, "pool"));
	}
}
END_TEST

SUITE(nobody)
{
	tcase_add_test(tests, a_key_without_an_owner_is_told_why);
}
