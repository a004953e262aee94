/*
 * guard_test.c - what a change may not do unless it is forced, and what an
 * earlier force does not stand in the way of.
 */
#include <stdlib.h>

#include "daemon/members/guard.h"
#include "tests/dsl/placed.h"
#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* Refused with that error; passes when that guard alone is forced, and says so;
 * a dry run goes on past it. */
static void
guarded(struct pool *pool, struct change *c, enum guard guard, enum hrw_error error)
{
	const struct tried *t;

	c->force = ~(unsigned)guard;
	t = tried(pool, c);
	ck_assert_int_eq(t->rc, error);
	ck_assert_int_eq(t->out.refusal, error);
	ck_assert_ptr_null(t->out.after);
	ck_assert_uint_gt(strlen(t->fault.detail), 0);

	c->is_dry_run = true;
	t = tried(pool, c);
	ck_assert_int_eq(t->rc, 0);
	ck_assert_int_eq(t->out.refusal, error);
	ck_assert(t->out.after != NULL || t->out.is_removed);

	c->is_dry_run = false;
	c->force = guard;
	t = tried(pool, c);
	ck_assert_msg(t->rc == 0, "%s", t->fault.detail);
	ck_assert_int_eq(t->out.refusal, 0);
	ck_assert_uint_eq(t->out.forced, guard);
}

static void
at_risk(struct pool *pool, const char *json)
{
	guarded(pool, asked(json), GUARD_KEYS_AT_RISK, HRW_KEYS_AT_RISK);
}

START_TEST(a_node_is_removed_only_while_it_drains)
{
	guarded(made(2, "a b c"), asked("{'remove':['a']}"), GUARD_NOT_DRAINING, HRW_NOT_DRAINING);
	guarded(after(made(1, "a b"), "{'add':[{'name':'c'}]}"), asked("{'remove':['c']}"),
	    GUARD_NOT_DRAINING, HRW_NOT_DRAINING);
	ck_assert_int_eq(error_of(made(1, "a b!draining"), "{'remove':['b']}"), 0);
}
END_TEST

START_TEST(not_all_copies_of_a_key_may_drain)
{
	struct pool *p = made(2, "a b c d");

	at_risk(p, "{'drain':['a','b']}");
	at_risk(after(p, "{'drain':['a']}"), "{'drain':['b']}");
	ck_assert_int_eq(error_of(made(3, "a b c d"), "{'drain':['a','b']}"), 0);
}
END_TEST

/* A single copy may drain, and must be made elsewhere before it goes. */
START_TEST(a_single_copy_may_drain_and_goes_when_it_was_made)
{
	struct pool *p = made(1, "a b c");

	ck_assert_int_eq(error_of(p, "{'drain':['a','b']}"), 0);
	p = after(p, "{'drain':['a']}");
	at_risk(p, "{'remove':['a']}");
	p = after_change(p, task_on(TASK_SETTLE, NULL));
	ck_assert_int_eq(error_of(p, "{'remove':['a']}"), 0);
}
END_TEST

START_TEST(empty_nodes_count_with_those_that_are_going)
{
	struct pool *p = after(made(2, "a b c d"), "{'rejoin':['a']}");

	/* A rejoin states what has happened, be it the last copy of all. */
	ck_assert_int_eq(error_of(p, "{'rejoin':['b']}"), 0);
	ck_assert_int_eq(error_of(made(1, "a"), "{'rejoin':['a']}"), 0);
	at_risk(p, "{'drain':['b']}");
	at_risk(after(after(made(2, "a b c d"), "{'drain':['a']}"), "{'remove':['a']}"),
	    "{'drain':['b']}");
	at_risk(after(p, "{'rejoin':['b']}"), "{'reweight':{'c':0}}");
	/* What ends an empty node's join makes it safe again. */
	ck_assert_int_eq(error_of(after(p, "{'activate':['a']}"), "{'drain':['b']}"), 0);
}
END_TEST

START_TEST(to_settle_in_the_same_change_excuses_nothing)
{
	struct change *c = asked("{'drain':['a','b']}");

	c->settles_now = true;
	guarded(made(2, "a b c d"), c, GUARD_KEYS_AT_RISK, HRW_KEYS_AT_RISK);
	c = asked("{'remove':['a']}");
	c->settles_now = true;
	guarded(after(made(1, "a b"), "{'drain':['a']}"), c, GUARD_KEYS_AT_RISK, HRW_KEYS_AT_RISK);
}
END_TEST

START_TEST(a_pool_keeps_a_node_that_takes_keys)
{
	guarded(made(1, "a"), asked("{'drain':['a']}"), GUARD_LAST_NODE, HRW_LAST_NODE);
	guarded(made(1, "a b:0"), asked("{'reweight':{'a':0}}"), GUARD_LAST_NODE, HRW_LAST_NODE);
	guarded(after(made(1, "a"), "{'rejoin':['a']}"), asked("{'drain':['a']}"), GUARD_LAST_NODE,
	    HRW_LAST_NODE);
	ck_assert_int_eq(error_of(made(1, "a b!draining"), "{'remove':['b']}"), 0);
	ck_assert_int_eq(error_of(made(1, "a!draining"), "{'remove':['a']}"), 0);
	ck_assert_int_eq(error_of(made(1, "a"), "{'drain':['a'],'add':[{'name':'b'}]}"), 0);
}
END_TEST

START_TEST(a_refusal_names_the_way_out_that_works)
{
	struct pool *p = after(made(1, "a b"), "{'drain':['a']}");

	ck_assert_ptr_nonnull(
	    strstr(tried(p, asked("{'remove':['a']}"))->fault.detail, "settle the pool"));
	p = after(made(2, "a b c"), "{'drain':['a']}");
	ck_assert_ptr_nonnull(strstr(
	    tried(p, asked("{'drain':['b']}"))->fault.detail, "with b on the way out, beside a,"));
	ck_assert_int_eq(
	    error_of(after_change(p, task_on(TASK_SETTLE, NULL)), "{'drain':['b']}"), 0);
	ck_assert_ptr_nonnull(strstr(tried(made(1, "a"), asked("{'drain':['a']}"))->fault.detail,
	    "add or activate another"));
}
END_TEST

START_TEST(a_weight_of_0_counts_as_draining)
{
	at_risk(made(2, "a b c d"), "{'reweight':{'a':0,'b':0}}");
	at_risk(after(made(2, "a b c d"), "{'drain':['a']}"), "{'reweight':{'b':0}}");
}
END_TEST

START_TEST(zones_are_counted_instead_of_nodes)
{
	struct pool *p = made(2, "a@x b@x c@y d@y e@z");

	ck_assert_int_eq(error_of(p, "{'drain':['a','b']}"), 0);
	at_risk(p, "{'drain':['a','c']}");
}
END_TEST

START_TEST(a_settled_pool_may_drain_again)
{
	struct pool *p = after(made(2, "a b c d"), "{'drain':['a']}");

	p = after_change(p, task_on(TASK_SETTLE, NULL));
	ck_assert_int_eq(error_of(p, "{'drain':['b']}"), 0);
}
END_TEST

START_TEST(a_pool_that_was_forced_can_be_changed_otherwise)
{
	struct pool *p = forced(made(2, "a b c d e"), "{'drain':['a','b']}");

	ck_assert_int_eq(error_of(p, "{'reweight':{'c':2}}"), 0);
	ck_assert_int_eq(error_of(p, "{'add':[{'name':'f'}]}"), 0);
	ck_assert_int_eq(error_of(p, "{'activate':['a']}"), 0);
	at_risk(after(p, "{'remove':['a']}"), "{'remove':['b']}");
	at_risk(p, "{'drain':['c']}");
}
END_TEST

START_TEST(a_second_copy_is_no_risk_to_a_pool_that_drains)
{
	ck_assert_int_eq(error_of(after(made(1, "a b c"), "{'drain':['a']}"), "{'copies':2}"), 0);
}
END_TEST

static struct pool *
with_max_moved(struct pool *pool, double part)
{
	struct change *c = task_on(TASK_TERMS, NULL);

	c->task[0].terms_set = TERM_MAX_MOVED;
	c->task[0].terms.max_moved = part;
	return after_change(pool, c);
}

START_TEST(too_many_owners_may_not_move_at_once)
{
	struct pool *p = with_max_moved(made(1, "a b c d"), 0.2);

	guarded(p, asked("{'drain':['a']}"), GUARD_TOO_MUCH_MOVED, HRW_TOO_MUCH_MOVED);
	ck_assert_int_eq(error_of(p, "{'reweight':{'a':0.9}}"), 0);
	ck_assert_int_eq(error_of(with_max_moved(p, 0.3), "{'drain':['a']}"), 0);
}
END_TEST

/* It is the pool's own limit that binds, not the one a change brings along. */
START_TEST(a_change_cannot_lift_max_moved_for_itself)
{
	struct pool *p = with_max_moved(made(1, "a b"), 0.2);
	struct change *c = asked("{'drain':['a']}");

	change_add(c, TASK_TERMS);
	c->task[c->count - 1].terms_set = TERM_MAX_MOVED;
	c->task[c->count - 1].terms.max_moved = 1;
	ck_assert_int_eq(tried(p, c)->rc, HRW_TOO_MUCH_MOVED);
}
END_TEST

START_TEST(a_first_node_moves_nothing)
{
	ck_assert_int_eq(error_of(with_max_moved(made(1, ""), 0), "{'add':[{'name':'a'}]}"), 0);
}
END_TEST

START_TEST(a_pool_with_nodes_is_not_removed)
{
	struct change *c = task_on(TASK_DROP, NULL);

	guarded(made(1, "a"), c, GUARD_POOL_NOT_EMPTY, HRW_POOL_NOT_EMPTY);
	c->force = 0;
	ck_assert_ptr_nonnull(strstr(tried(made(1, "a"), c)->fault.detail, "1 node: remove it "));
	ck_assert_ptr_nonnull(
	    strstr(tried(made(1, "a b"), c)->fault.detail, "2 nodes: remove them "));
	ck_assert_int_eq(tried(made(1, ""), c)->rc, 0);
	ck_assert(tried(made(1, ""), c)->out.is_removed);
}
END_TEST

static struct pool *
settled(struct pool *pool)
{
	return after_change(pool, task_on(TASK_SETTLE, NULL));
}

static struct pool *
pool_of(struct hrw_membership *draft)
{
	ck_assert_int_eq(hrw_membership_freeze(draft, NULL, NULL), 0);
	return kept(pool_new("default", 1, NULL, &pool_no_terms, draft, draft));
}

/* a holds 0 to 99 and 200, b 100 to 199, c nothing. */
static struct pool *
slotted(const char *placement)
{
	struct hrw_membership *m = placed(placement, "a b c");

	give_slots(m, "a", 0, 99);
	give_slots(m, "a", 200, 200);
	give_slots(m, "b", 100, 199);
	return pool_of(m);
}

/* The change of a PUT /nodes; ' stands for ". */
static struct change *
listed(const char *json)
{
	struct hrw_fault fault = {0};
	struct json *list = json_parse(hrw_text(quoted(json)), JSON_STRICT, &fault);
	struct change *c = blank();

	ck_assert_msg(list != NULL && change_read_nodes(c, list, &hrw_limits_max, &fault) == 0,
	    "%s: %s", json, fault.detail);
	json_free(list);
	return c;
}

START_TEST(a_node_that_holds_slots_may_neither_drain_nor_go)
{
	static const char *const placements[] = {"redis-cluster", "kafka"};

	for (size_t i = 0; i < 2; i++) {
		struct pool *p = slotted(placements[i]);

		at_risk(p, "{'drain':['a']}");
		at_risk(p, "{'drain':['b']}");
		ck_assert_int_eq(error_of(p, "{'drain':['c']}"), 0);
		ck_assert_int_eq(
		    error_of(settled(after(p, "{'drain':['c']}")), "{'remove':['c']}"), 0);
		at_risk(forced(p, "{'drain':['b']}"), "{'remove':['b']}");
		ck_assert_int_eq(error_of(forced(p, "{'drain':['b']}"), "{'drain':['c']}"), 0);
		ck_assert_int_eq(error_of(forced(p, "{'drain':['b']}"), "{'activate':['b']}"), 0);
	}
}
END_TEST

START_TEST(the_refusal_names_a_slot_that_nobody_would_hold)
{
	struct pool *p = slotted("redis-cluster");
	const struct tried *t = tried(p, asked("{'drain':['b']}"));

	ck_assert_ptr_nonnull(strstr(t->fault.detail, "\"b\" holds slot 100,"));
	/* the first part of a is handed over, the last is not */
	t = tried(p, listed("[{'name':'a','address':'a:1','slots':[[200,200]],'state':'draining'},"
			    "{'name':'b','address':'b:1','slots':[[0,199]]},"
			    "{'name':'c','address':'c:1'}]"));
	ck_assert_int_eq(t->rc, HRW_KEYS_AT_RISK);
	ck_assert_ptr_nonnull(strstr(t->fault.detail, "\"a\" holds slot 200,"));
}
END_TEST

START_TEST(slots_that_are_handed_over_are_at_no_risk)
{
	struct pool *p = slotted("redis-cluster");
	struct change *all = listed("[{'name':'a','address':'a:1','state':'draining'},"
				    "{'name':'b','address':'b:1','slots':[[50,199]]},"
				    "{'name':'c','address':'c:1','slots':[[0,49],[200,300]]}]");

	p = settled(after_change(p, all));
	ck_assert_int_eq(error_of(p, "{'remove':['a']}"), 0);
	/* to one that drains itself they are not handed over */
	guarded(p,
	    listed("[{'name':'a','address':'a:1','slots':[[50,199]]},"
		   "{'name':'b','address':'b:1','state':'draining'},"
		   "{'name':'c','address':'c:1','slots':[[0,49],[200,300]]}]"),
	    GUARD_KEYS_AT_RISK, HRW_KEYS_AT_RISK);
}
END_TEST

START_TEST(where_nodes_are_the_partitions_none_may_drain)
{
	struct pool *p = pool_of(placed("kafka", "a b c"));

	at_risk(p, "{'drain':['b']}");
	/* the partitions are those that are left: each has its node */
	ck_assert_int_eq(error_of(settled(forced(p, "{'drain':['b']}")), "{'remove':['b']}"), 0);
	ck_assert_int_eq(error_of(pool_of(placed("redis-cluster", "a b")), "{'drain':['b']}"), 0);
}
END_TEST

START_TEST(other_placements_know_no_slots)
{
	struct pool *p = slotted("redis-cluster");

	p = after(p, "{'placement':'rendezvous'}");
	ck_assert_int_eq(error_of(p, "{'drain':['a']}"), 0);
}
END_TEST

START_TEST(what_is_so_already_needs_no_force)
{
	struct pool *p = forced(made(2, "a b c"), "{'drain':['a','b']}");

	ck_assert_int_eq(error_of(p, "{'drain':['a','b']}"), 0);
}
END_TEST

START_TEST(guards_are_forced_by_their_codes)
{
	struct hrw_fault fault;
	unsigned guards;

	ck_assert_int_eq(guard_read(hrw_text("keys-at-risk,not-draining"), &guards, &fault), 0);
	ck_assert_uint_eq(guards, GUARD_KEYS_AT_RISK | GUARD_NOT_DRAINING);
	ck_assert_int_eq(guard_read(hrw_text("last-node"), &guards, &fault), 0);
	ck_assert_uint_eq(guards, GUARD_LAST_NODE);
	ck_assert_int_eq(guard_read(hrw_text("pool-not-empty"), &guards, &fault), 0);
	ck_assert_uint_eq(guards, GUARD_POOL_NOT_EMPTY);
	ck_assert_int_eq(guard_read(hrw_text("true"), &guards, &fault), HRW_BAD_PARAMETER);
	ck_assert_str_eq(fault.field, "force");
	ck_assert_int_eq(guard_read(hrw_text(""), &guards, &fault), HRW_BAD_PARAMETER);
	ck_assert_int_eq(
	    guard_read(hrw_text("too-much-moved,"), &guards, &fault), HRW_BAD_PARAMETER);
}
END_TEST

SUITE(guard)
{
	tcase_add_test(tests, a_node_is_removed_only_while_it_drains);
	tcase_add_test(tests, not_all_copies_of_a_key_may_drain);
	tcase_add_test(tests, a_single_copy_may_drain_and_goes_when_it_was_made);
	tcase_add_test(tests, empty_nodes_count_with_those_that_are_going);
	tcase_add_test(tests, to_settle_in_the_same_change_excuses_nothing);
	tcase_add_test(tests, a_pool_keeps_a_node_that_takes_keys);
	tcase_add_test(tests, a_refusal_names_the_way_out_that_works);
	tcase_add_test(tests, a_weight_of_0_counts_as_draining);
	tcase_add_test(tests, zones_are_counted_instead_of_nodes);
	tcase_add_test(tests, a_settled_pool_may_drain_again);
	tcase_add_test(tests, a_pool_that_was_forced_can_be_changed_otherwise);
	tcase_add_test(tests, a_second_copy_is_no_risk_to_a_pool_that_drains);
	tcase_add_test(tests, too_many_owners_may_not_move_at_once);
	tcase_add_test(tests, a_change_cannot_lift_max_moved_for_itself);
	tcase_add_test(tests, a_first_node_moves_nothing);
	tcase_add_test(tests, a_pool_with_nodes_is_not_removed);
	tcase_add_test(tests, a_node_that_holds_slots_may_neither_drain_nor_go);
	tcase_add_test(tests, the_refusal_names_a_slot_that_nobody_would_hold);
	tcase_add_test(tests, slots_that_are_handed_over_are_at_no_risk);
	tcase_add_test(tests, where_nodes_are_the_partitions_none_may_drain);
	tcase_add_test(tests, other_placements_know_no_slots);
	tcase_add_test(tests, what_is_so_already_needs_no_force);
	tcase_add_test(tests, guards_are_forced_by_their_codes);
}
