/*
 * change_test.c - what each change does to a pool's two memberships, a rule of
 * the table of states a test; and what is no change at all.
 */
#include <stdlib.h>

#include "tests/dsl/pools.h"
#include "tests/dsl/suite.h"

static void
check(const struct pool *pool, const char *present, const char *settled)
{
	ck_assert_str_eq(shown(pool->present), present);
	ck_assert_str_eq(shown(pool->settled), settled);
}

static struct pool *
settle(struct pool *pool)
{
	return after_change(pool, task_on(TASK_SETTLE, NULL));
}

/* The change with ?settle=now. */
static struct pool *
settled_now(struct pool *pool, const char *json)
{
	struct change *c = asked(json);

	c->settles_now = true;
	return after_change(pool, c);
}

START_TEST(a_drain_leaves_the_settled_membership)
{
	struct pool *p = after(made(1, "a b c"), "{'drain':['b']}");

	check(p, "a b!draining c", "a b c");
	ck_assert_int_eq((int)hrw_membership_find(p->present, "b")->since_ms, (int)TEST_NOW_MS);
	ck_assert_int_eq((int)hrw_membership_find(p->present, "a")->since_ms, 0);
}
END_TEST

START_TEST(a_node_added_as_joining_is_not_settled)
{
	check(after(made(1, "a"), "{'add':[{'name':'b','state':'joining'}]}"), "a b!joining", "a");
}
END_TEST

START_TEST(a_node_that_drains_while_joining_leaves_nothing)
{
	struct pool *p = after(made(1, "a"), "{'add':[{'name':'b','state':'joining'}]}");

	p = after(p, "{'drain':['b']}");
	ck_assert(pool_is_settled(p));
	ck_assert(!hrw_settled_counts(p->settled, "b"));
}
END_TEST

/* All copies were in place: those of the joining node too. */
START_TEST(to_settle_makes_the_joining_active)
{
	struct pool *p = settle(after(made(1, "a"), "{'add':[{'name':'b'}]}"));

	check(p, "a b", "a b");
	ck_assert(pool_is_settled(p));
	check(after(p, "{'drain':['b']}"), "a b!draining", "a b");
	p = settled_now(made(1, "a"), "{'add':[{'name':'b'}],'reweight':{'a':2}}");
	check(p, "a:2 b", "a:2 b");
	ck_assert(pool_is_settled(p));
}
END_TEST

START_TEST(the_last_activation_settles_a_pool_that_only_joined)
{
	struct pool *p = after(made(1, "a"), "{'add':[{'name':'b','weight':2},{'name':'c'}]}"), *q;

	check(p, "a b:2!joining c!joining", "a");
	ck_assert(p->only_joins);
	p = after(p, "{'activate':['b']}");
	check(p, "a b:2 c!joining", "a");
	/* Another address moves no copy, and a rejoin is a join. */
	q = after(after(p, "{'patch':{'a':{'address':'new.test:1'}}}"), "{'rejoin':['b']}");
	check(after(after(q, "{'activate':['c']}"), "{'activate':['b']}"), "a b:2 c", "a b:2 c");
	p = after(p, "{'activate':['c']}");
	check(p, "a b:2 c", "a b:2 c");
	ck_assert(pool_is_settled(p));
}
END_TEST

START_TEST(an_activation_settles_nothing_else_that_was_done)
{
	static const char *const others[] = {"{'reweight':{'a':2}}", "{'drain':['b']}",
	    "{'copies':2}", "{'placement':'table'}", "{'patch':{'a':{'zone':'z'}}}",
	    "{'add':[{'name':'d','state':'active'}]}"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct pool *p = after(made(1, "a b"), others[i]);

		p = after(after(p, "{'add':[{'name':'c'}]}"), "{'activate':['c']}");
		ck_assert_msg(!pool_is_settled(p) && !p->only_joins, "%s", others[i]);
		ck_assert(!hrw_settled_counts(p->settled, "c"));
		p = after(after(made(1, "a b"), "{'add':[{'name':'c'}]}"), others[i]);
		ck_assert_msg(!pool_is_settled(after(p, "{'activate':['c']}")), "%s", others[i]);
	}
}
END_TEST

START_TEST(a_drain_that_was_settled_cannot_be_undone)
{
	struct pool *p = after(made(2, "a b c"), "{'drain':['b']}");

	check(after(p, "{'activate':['b']}"), "a b c", "a b c");
	check(after(settle(p), "{'activate':['b']}"), "a b!joining c", "a b!draining c");
	p = after(after(made(2, "a b c"), "{'rejoin':['b']}"), "{'drain':['b']}");
	ck_assert_str_eq(shown(after(p, "{'activate':['b']}")->present), "a b!joining c");
}
END_TEST

START_TEST(a_drain_that_is_taken_back_settles_the_pool)
{
	struct pool *p = made(2, "a b c");

	check(after(after(p, "{'drain':['b']}"), "{'activate':['b']}"), "a b c", "a b c");
}
END_TEST

START_TEST(a_node_that_came_back_empty_keeps_its_place_and_counts_no_more)
{
	struct pool *p = made(1, "a b"), *q;

	q = after(p, "{'rejoin':['b']}");
	check(q, "a b!joining", "a b");
	ck_assert(!hrw_settled_counts(q->settled, "b"));
	ck_assert(hrw_membership_find(q->settled, "b")->is_empty);
	q = after(after(p, "{'drain':['b']}"), "{'rejoin':['b']}");
	check(q, "a b!draining", "a b");
	ck_assert(!hrw_settled_counts(q->settled, "b"));
}
END_TEST

START_TEST(a_rejoin_is_always_another_epoch)
{
	struct pool *p = after(made(1, "a b"), "{'rejoin':['b']}");
	const struct tried *t = tried(p, task_on(TASK_REJOIN, "b"));

	check(t->out.after, "a b!joining", "a b");
	ck_assert_uint_eq(t->out.after->epoch, p->epoch + 1);
	ck_assert_str_eq(
	    buffer_text((struct buffer *)&t->out.ops), quoted("[{'op':'rejoin','node':'b'}]"));
	ck_assert_str_eq(buffer_text((struct buffer *)&t->out.emptied), "b");
	t = tried(settle(after(made(1, "a b"), "{'drain':['b']}")), task_on(TASK_REJOIN, "b"));
	check(t->out.after, "a b!draining", "a b!draining");
	ck_assert(!t->out.is_unchanged);
}
END_TEST

START_TEST(a_removed_node_is_empty_where_it_was_settled)
{
	struct pool *p = after(made(2, "a b c"), "{'drain':['b']}"),
		    *q = after(p, "{'remove':['b']}");

	check(q, "a c", "a b c");
	ck_assert(hrw_membership_find(q->settled, "b")->is_empty);
	ck_assert(!pool_is_settled(q));
	/* Added anew it is another, and empty. */
	q = after(q, "{'add':[{'name':'b'}]}");
	ck_assert(!hrw_settled_counts(q->settled, "b"));
	/* One that takes no keys there is dropped. */
	check(after(settle(p), "{'remove':['b']}"), "a c", "a c");
}
END_TEST

START_TEST(an_added_node_joins_and_the_first_ones_are_active)
{
	check(after(made(1, "a"), "{'add':[{'name':'b'}]}"), "a b!joining", "a");
	check(after(made(1, "a"), "{'add':[{'name':'b','state':'active'}]}"), "a b", "a");
	check(after(made(1, ""), "{'add':[{'name':'a'},{'name':'b'}]}"), "a b", "a b");
	check(after(made(1, ""), "{'add':[{'name':'a'},{'name':'b','state':'joining'}]}"),
	    "a b!joining", "a");
}
END_TEST

START_TEST(other_edits_leave_the_settled_membership)
{
	struct pool *p = made(1, "a b"), *q;

	check(after(p, "{'reweight':{'b':2}}"), "a b:2", "a b");
	check(after(p, "{'patch':{'b':{'zone':'z'}}}"), "a b@z", "a b");
	q = after(p, "{'copies':2}");
	ck_assert(!pool_is_settled(q));
	ck_assert_uint_eq(q->settled->copies, 1);
	q = after(q, "{'placement':'table'}");
	ck_assert_str_eq(q->present->placement->name, "table");
	ck_assert_str_eq(q->settled->placement->name, "rendezvous");
	q = after(after(q, "{'placement':'rendezvous'}"), "{'copies':1}");
	ck_assert(pool_is_settled(q));
	ck_assert(q->only_joins);
}
END_TEST

START_TEST(any_change_can_settle)
{
	struct pool *p = made(1, "a b");

	check(settled_now(p, "{'reweight':{'b':2}}"), "a b:2", "a b:2");
	check(settled_now(p, "{'drain':['b']}"), "a b!draining", "a b!draining");
	p = settled_now(p, "{'copies':2,'placement':'table'}");
	ck_assert(pool_is_settled(p));
	ck_assert_uint_eq(p->settled->copies, 2);
	ck_assert_str_eq(p->settled->placement->name, "table");
}
END_TEST

START_TEST(edits_of_one_change_leave_the_settled_membership_as_one)
{
	struct pool *p = made(1, "a b");

	check(after(p, "{'drain':['a'],'reweight':{'b':2},'add':[{'name':'c'}]}"),
	    "a!draining b:2 c!joining", "a b");
}
END_TEST

START_TEST(an_address_is_not_a_matter_of_copies)
{
	struct pool *p = after(made(1, "a b"), "{'drain':['b']}");

	p = after(p, "{'patch':{'b':{'address':'new.test:1'}}}");
	check(p, "a b!draining", "a b");
	ck_assert(pool_is_settled(after(p, "{'activate':['b']}")));
	ck_assert(pool_is_settled(after(made(1, "a b"), "{'patch':{'b':{'address':'x.test:1'}}}")));
}
END_TEST

START_TEST(settle_makes_the_membership_the_settled_one)
{
	struct pool *p = after(made(1, "a b"), "{'drain':['b']}");

	check(settle(p), "a b!draining", "a b!draining");
	ck_assert_uint_eq(settle(p)->epoch, p->epoch + 1);
	ck_assert(tried(settle(p), task_on(TASK_SETTLE, NULL))->out.is_unchanged);
}
END_TEST

START_TEST(a_new_pool_has_its_joining_nodes_cold_and_its_drains_under_way)
{
	struct change *c = task_on(TASK_POOL, NULL);
	struct pool *p = made(2, "a b!joining c!draining");

	c->task[0].template = hrw_membership_copy(p->present);
	p = after_change(NULL, c);
	check(p, "a b!joining c!draining", "a c");
	ck_assert_uint_eq(p->epoch, 1);
	ck_assert_uint_eq(strlen(p->lineage), POOL_LINEAGE);
}
END_TEST

/* No change: the same epoch. */

static bool
changes_nothing(struct pool *pool, const char *json)
{
	const struct tried *t = tried(pool, asked(json));

	ck_assert_msg(t->rc == 0, "%s", t->fault.detail);
	ck_assert(!t->out.is_unchanged || t->out.after == pool);
	return t->out.is_unchanged;
}

START_TEST(what_is_so_already_is_no_change)
{
	struct pool *p = after(made(1, "a b:2@z"), "{'drain':['a']}");

	ck_assert(changes_nothing(p, "{'drain':['a']}"));
	ck_assert(changes_nothing(p, "{'activate':['b']}"));
	ck_assert(changes_nothing(p, "{'reweight':{'b':2},'copies':1}"));
	ck_assert(changes_nothing(p, "{'patch':{'b':{'zone':'z','address':'b.test:11211'}}}"));
	ck_assert(changes_nothing(p, "{'placement':{'name':'rendezvous'}}"));
	ck_assert(changes_nothing(p, "{'add':[{'name':'b','weight':2}]}"));
	ck_assert(changes_nothing(p, "{}"));
	ck_assert(!changes_nothing(p, "{'drain':['a'],'reweight':{'b':1}}"));
}
END_TEST

/* A put of a node with another state or the same. */
static struct change *
put_state(const char *name, enum hrw_state state)
{
	struct change *c = task_on(TASK_PUT, name);

	c->task[0].node.state = state;
	c->task[0].set = NODE_NAME | NODE_STATE;
	return c;
}

START_TEST(the_time_of_a_state_is_that_of_its_change)
{
	struct pool *p = made(1, "a b");
	const struct hrw_node *a;

	a = hrw_membership_find(p->present, "a");
	ck_assert_int_eq((int)a->since_ms, 0);
	ck_assert(tried(p, put_state("a", HRW_ACTIVE))->out.is_unchanged);
	p = after(p, "{'activate':['a'],'drain':['b']}");
	ck_assert_int_eq((int)hrw_membership_find(p->present, "a")->since_ms, 0);
	ck_assert_int_eq((int)hrw_membership_find(p->present, "b")->since_ms, (int)TEST_NOW_MS);
	p = after_change(made(1, "a b"), put_state("a", HRW_DRAINING));
	ck_assert_int_eq((int)hrw_membership_find(p->present, "a")->since_ms, (int)TEST_NOW_MS);
}
END_TEST

START_TEST(another_max_moved_is_a_change)
{
	struct pool *p = made(1, "a b"), *next;
	struct change *c = task_on(TASK_TERMS, NULL);

	c->task[0].terms_set = TERM_MAX_MOVED;
	c->task[0].terms.max_moved = 0.5;
	next = after_change(p, c);
	ck_assert_uint_eq(next->epoch, p->epoch + 1);
	ck_assert_double_eq(next->terms.max_moved, 0.5);
	ck_assert(tried(next, c)->out.is_unchanged);
}
END_TEST

START_TEST(a_node_that_is_there_otherwise_cannot_be_added)
{
	struct pool *p = after(made(1, "a b"), "{'drain':['a']}");
	const struct tried *t = tried(p, asked("{'add':[{'name':'b','weight':2}]}"));

	ck_assert_int_eq(t->rc, HRW_BAD_SERVER);
	ck_assert_str_eq(t->fault.reason, "taken");
	ck_assert_str_eq(t->fault.field, "/add/0/name");
	/* Its state is no matter. */
	ck_assert(changes_nothing(p, "{'add':[{'name':'a','state':'joining'}]}"));
}
END_TEST

START_TEST(null_brings_back_a_default)
{
	struct pool *p = after(made(1, "a:3@z b"), "{'patch':{'a':{'weight':null,'zone':null}}}");

	ck_assert_str_eq(shown(p->present), "a b");
}
END_TEST

START_TEST(a_node_must_be_there_to_be_changed)
{
	struct pool *p = made(1, "a b");

	ck_assert_int_eq(error_of(p, "{'drain':['c']}"), HRW_UNKNOWN_NODE);
	ck_assert_int_eq(error_of(p, "{'patch':{'c':{}}}"), HRW_UNKNOWN_NODE);
	ck_assert_int_eq(error_of(p, "{'drain':['a'],'remove':['c']}"), HRW_UNKNOWN_NODE);
	ck_assert_int_eq(error_of(NULL, "{'drain':['c']}"), HRW_UNKNOWN_POOL);
}
END_TEST

START_TEST(ids_go_on_from_the_highest_and_stay)
{
	struct pool *p = made(1, "a b c");

	p = settle(after(p, "{'drain':['b']}"));
	p = after(p, "{'remove':['b'],'add':[{'name':'d'},{'name':'e','id':9},{'name':'f'}]}");
	ck_assert_int_eq(hrw_membership_find(p->present, "d")->id, 4);
	ck_assert_int_eq(hrw_membership_find(p->present, "e")->id, 9);
	ck_assert_int_eq(hrw_membership_find(p->present, "f")->id, 10);
	ck_assert_int_eq(error_of(p, "{'add':[{'name':'g','id':4}]}"), HRW_BAD_SERVER);
}
END_TEST

/* Names are hashed here, addresses there; what was given stays. */
START_TEST(another_placement_takes_new_default_hash_names)
{
	struct pool *p = settled_now(made(1, "a"), "{'add':[{'name':'b','hash_name':'B'}]}");

	ck_assert_str_eq(hrw_membership_find(p->present, "a")->hash_name, "a");
	p = settled_now(p, "{'placement':'nginx-consistent'}");
	ck_assert_str_eq(hrw_membership_find(p->present, "a")->hash_name, "a.test:11211");
	ck_assert_str_eq(hrw_membership_find(p->present, "b")->hash_name, "B");
	ck_assert(pool_is_settled(p));
	/* A later address moves no key. */
	p = after(p, "{'patch':{'a':{'address':'other.test:1'}}}");
	ck_assert(pool_is_settled(p));
	ck_assert_str_eq(hrw_membership_find(p->present, "a")->hash_name, "a.test:11211");
}
END_TEST

/* PUT /nodes/{name}. */

static struct change *
put(const char *json)
{
	struct hrw_fault fault = {0};
	struct json *j = json_parse(hrw_text(quoted(json)), JSON_STRICT, &fault);
	struct change *c = blank();
	int rc = change_read_node(c, TASK_PUT, hrw_text("b"), j, false, &hrw_limits_max, &fault);

	ck_assert_msg(rc == 0, "%s", fault.detail);
	json_free(j);
	return c;
}

START_TEST(a_put_adds_or_updates_to_what_was_sent)
{
	struct pool *p = made(1, "a b:2@z");

	check(after_change(p, put("{'weight':3}")), "a b:3@z", "a b:2@z");
	check(after_change(made(1, "a"), put("{'address':'b:1'}")), "a b!joining", "a");
	check(after_change(made(1, "a"), put("{'address':'b:1','state':'active'}")), "a b", "a");
	check(after_change(p, put("{'state':'joining'}")), "a b:2@z!joining", "a b:2@z");
	ck_assert(tried(p, put("{'weight':2,'id':2}"))->out.is_unchanged);
	ck_assert_int_eq(tried(p, put("{'id':7}"))->rc, HRW_BAD_FIELD);
	ck_assert_int_eq(tried(made(1, "a"), put("{'weight':1}"))->rc, HRW_BAD_ADDRESS);
}
END_TEST

/* PUT /nodes and PUT /pools/{pool}. */

static struct change *
listed(const char *json)
{
	struct hrw_fault fault = {0};
	struct json *j = json_parse(hrw_text(quoted(json)), JSON_STRICT, &fault);
	struct change *c = blank();
	int rc = json_type(j) == JSON_ARRAY ? change_read_nodes(c, j, &hrw_limits_max, &fault)
					    : change_read_pool(c, j, &hrw_limits_max, &fault);

	ck_assert_msg(rc == 0, "%s", fault.detail);
	json_free(j);
	return c;
}

START_TEST(a_list_keeps_what_a_node_is_known_by_and_nothing_else)
{
	struct pool *p = settled_now(made(1, "a:5@z b"), "{'add':[{'name':'c','hash_name':'C'}]}");

	p = settled_now(p, "{'drain':['b','a']}");
	p = after_change(p, listed("[{'name':'c','address':'c:1'},{'name':'a','address':'a:1'},"
				   "{'name':'d','address':'d:1','state':'joining'}]"));
	ck_assert_str_eq(shown(p->present), "a!draining c d!joining");
	ck_assert_int_eq(hrw_membership_find(p->present, "a")->id, 1);
	ck_assert_int_eq((int)hrw_membership_find(p->present, "a")->since_ms, (int)TEST_NOW_MS);
	ck_assert_int_eq(hrw_membership_find(p->present, "d")->id, 4);
	ck_assert_str_eq(hrw_membership_find(p->present, "c")->hash_name, "C");
}
END_TEST

START_TEST(a_list_that_leaves_out_a_node_in_use_is_refused)
{
	ck_assert_int_eq(
	    tried(made(1, "a b"), listed("[{'name':'a','address':'a:1'}]"))->rc, HRW_NOT_DRAINING);
}
END_TEST

START_TEST(what_get_gave_can_be_put_back)
{
	struct pool *p = after(made(2, "a:2@x b c"), "{'drain':['b'],'add':[{'name':'d',"
						     "'address':'d:1','hash_name':'D'}]}");
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	json_open_object(&o, NULL);
	json_put_text(&o, "name", p->name);
	document_pool_write(&o, p);
	json_close_object(&o);
	ck_assert(tried(p, listed(buffer_text(&text)))->out.is_unchanged);
	buffer_fini(&text);
}
END_TEST

START_TEST(a_pool_is_replaced_as_one_change)
{
	struct pool *p = made(2, "a b");

	p = after_change(p, listed("{'copies':1,'max_moved':0.5,'placement':'table','nodes':["
				   "{'name':'a','address':'a:1'},{'name':'b','address':'b:1'},"
				   "{'name':'c','address':'c:1'}]}"));
	check(p, "a b c!joining", "a b");
	ck_assert_uint_eq(p->epoch, 2);
	ck_assert_uint_eq(p->present->copies, 1);
	ck_assert_str_eq(p->present->placement->name, "table");
	ck_assert(p->terms.max_moved == 0.5);
}
END_TEST

START_TEST(a_revert_follows_the_same_rules)
{
	struct pool *first = made(2, "a b c"), *p = after(first, "{'drain':['b']}");
	struct change *c = task_on(TASK_REVERT, NULL);

	p = after(settle(p), "{'remove':['b']}");
	check(p, "a c", "a c");
	c->task[0].template = hrw_membership_copy(first->present);
	p = after_change(p, c);
	check(p, "a b!joining c", "a c");
	ck_assert_int_eq(hrw_membership_find(p->present, "b")->id, 2);
	/* A drain is undone as activate does it, and a node that is filled stays so. */
	p = forced(first, "{'drain':['b'],'rejoin':['c']}");
	c = task_on(TASK_REVERT, NULL);
	c->task[0].template = hrw_membership_copy(first->present);
	ck_assert_str_eq(shown(after_change(p, c)->present), "a b c!joining");
	c = task_on(TASK_REVERT, NULL);
	c->task[0].template = hrw_membership_copy(first->present);
	p = after_change(settle(after(first, "{'drain':['b']}")), c);
	check(p, "a b!joining c", "a b!draining c");
}
END_TEST

/* The words of it. */

static const char *
ops(struct pool *pool, struct change *c)
{
	return buffer_text((struct buffer *)&tried(pool, c)->out.ops);
}

START_TEST(a_change_is_told_op_by_op)
{
	struct pool *p = made(2, "a b c");

	ck_assert_str_eq(
	    ops(p, asked("{'drain':['b'],'add':[{'name':'d'}],'reweight':{'c':2},'copies':1}")),
	    quoted("[{'op':'drain','node':'b'},{'op':'patch','node':'c','fields':['weight']},"
		   "{'op':'add','node':'d'},{'op':'copies','from':2,'to':1}]"));
	ck_assert_str_eq(ops(p, asked("{'placement':'table'}")),
	    quoted("[{'op':'placement','from':{'name':'rendezvous'},"
		   "'to':{'name':'table','rows':4096}}]"));
	ck_assert_str_eq(ops(after(p, "{'drain':['b']}"), task_on(TASK_SETTLE, NULL)),
	    quoted("[{'op':'settle'}]"));
	/* Also what was so already: it was asked for. */
	ck_assert_str_eq(
	    ops(p, asked("{'activate':['b']}")), quoted("[{'op':'activate','node':'b'}]"));
}
END_TEST

START_TEST(names_that_go_are_told)
{
	struct pool *p = after(made(1, "a b c d"), "{'drain':['a','c']}");
	const struct tried *t = tried(p, asked("{'remove':['c','a']}"));

	ck_assert_str_eq(buffer_text((struct buffer *)&t->out.removed), "a c");
}
END_TEST

/* Limits bind what a change brings. */

START_TEST(limits_bind_newcomers_and_not_who_is_there)
{
	struct hrw_limits limits = {.nodes = 2, .key_bytes = 256, .copies = 2, .name_bytes = 4};
	struct pool *p = made(1, "longer-than-four b c");
	struct outcome out;
	struct hrw_fault fault;

	ck_assert_int_eq(
	    change_build(asked("{'drain':['longer-than-four']}"), p, 0, &limits, &out, &fault), 0);
	outcome_fini(&out);
	ck_assert_int_eq(change_build(asked("{'add':[{'name':'d'}]}"), p, 0, &limits, &out, &fault),
	    HRW_TOO_MANY);
	outcome_fini(&out);
	ck_assert_int_eq(change_build(asked("{'add':[{'name':'fiver'}]}"), made(1, "a"), 0, &limits,
			     &out, &fault),
	    HRW_BAD_SERVER);
	outcome_fini(&out);
}
END_TEST

START_TEST(a_field_that_the_placement_does_not_use_is_refused)
{
	struct pool *p = made(1, "a b");
	const struct tried *t = tried(p, asked("{'patch':{'a':{'reweight':0.5}}}"));

	ck_assert_int_eq(t->rc, HRW_BAD_FIELD);
	ck_assert_str_eq(t->fault.field, "/patch/a/reweight");
	ck_assert_int_eq(
	    error_of(after(p, "{'placement':'modulo'}"), "{'add':[{'name':'c','hash_name':'x'}]}"),
	    HRW_BAD_FIELD);
}
END_TEST

START_TEST(a_default_that_is_said_is_no_change_and_shown_where_it_is_used)
{
	struct pool *p = after(made(1, "a@h1 b@h2"), "{'placement':'ceph-straw2'}");
	const struct tried *t = tried(p, asked("{'patch':{'a':{'reweight':1}}}"));
	char *document = document_store(p);

	ck_assert_int_eq(t->rc, 0);
	ck_assert(t->out.is_unchanged);
	ck_assert_ptr_nonnull(strstr(document, "\"reweight\":1"));
	free(document);
	document = document_store(after(p, "{'placement':'ring'}"));
	ck_assert_ptr_null(strstr(document, "\"reweight\""));
	free(document);
	ck_assert_int_eq(error_of(made(1, "a b"), "{'patch':{'a':{'reweight':1}}}"), HRW_BAD_FIELD);
}
END_TEST

/* Into the body as it was sent, whatever list core saw, or nowhere. */
START_TEST(a_fault_points_into_what_was_asked)
{
	static const struct {
		const char *before, *asked, *field;
	} rows[] = {
	    {"{}", "{'patch':{'b':{'weight':1}},'add':[{'name':'c','slots':[]}]}", "/add/0/slots"},
	    {"{'placement':'jump'}", "{'add':[{'name':'d'},{'name':'c','zone':'r1'}]}",
		"/add/1/zone"},
	    {"{'placement':'jump'}", "{'patch':{'b':{'zone':'r1'}}}", "/patch/b/zone"},
	    {"{}", "{'add':[{'name':'a1','hash_name':'b'}]}", "/add/0/hash_name"},
	    {"{}", "{'add':[{'name':'z1','hash_name':'x'},{'name':'a1','hash_name':'x'}]}",
		"/add/1/hash_name"},
	    {"{'placement':'ring'}", "{'patch':{'b':{'weight':2}}}", "/patch/b/weight"},
	    {"{'placement':'ring'}", "{'reweight':{'a':1,'b':2}}", "/reweight/b"},
	    {"{'reweight':{'b':2}}", "{'placement':'ring'}", "/placement"},
	    {"{'reweight':{'b':2}}", "{'placement':'ring','patch':{'b':{'zone':'r1'}}}",
		"/placement"},
	    {"{'copies':2}", "{'placement':'jump'}", "/placement"},
	    {"{'placement':'jump'}", "{'copies':2}", "/copies"},
	    {"{}", "{'placement':'jump','copies':2}", "/copies"},
	    {"{}", "{'placement':{'name':'ceph-straw2'}}", "/placement"},
	    {"{}", "{'placement':{'name':'envoy-maglev','table_size':6}}", "/placement/table_size"},
	    {"{'placement':'redis-cluster','patch':{'b':{'slots':[[50,60]]}}}",
		"{'patch':{'a':{'slots':[[40,50]]}}}", "/patch/a/slots"},
	    {"{'placement':'redis-cluster','patch':{'a':{'slots':[[40,50]]}}}",
		"{'patch':{'b':{'slots':[[1,2],[50,60]]}}}", "/patch/b/slots"},
	    {"{}", "{'drain':['b','x']}", "/drain/1"},
	    {"{}", "{'patch':{'x':{}}}", "/patch/x"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tried *t;

		t = tried(forced(made(1, "a b"), rows[i].before), asked(rows[i].asked));
		ck_assert_msg(t->rc < 0, "%s: taken", rows[i].asked);
		ck_assert_msg(strcmp(t->fault.field, rows[i].field) == 0, "%s: at \"%s\": %s",
		    rows[i].asked, t->fault.field, t->fault.detail);
	}
}
END_TEST

START_TEST(what_a_document_has_and_we_do_not_know_goes_on)
{
	struct pool *p = made(1, "a b");

	p->extra = strdup("\"colour\":\"red\"");
	ck_assert_str_eq(after(p, "{'drain':['a']}")->extra, "\"colour\":\"red\"");
}
END_TEST

SUITE(change)
{
	tcase_add_test(tests, a_drain_leaves_the_settled_membership);
	tcase_add_test(tests, a_node_added_as_joining_is_not_settled);
	tcase_add_test(tests, a_node_that_drains_while_joining_leaves_nothing);
	tcase_add_test(tests, to_settle_makes_the_joining_active);
	tcase_add_test(tests, the_last_activation_settles_a_pool_that_only_joined);
	tcase_add_test(tests, an_activation_settles_nothing_else_that_was_done);
	tcase_add_test(tests, a_drain_that_was_settled_cannot_be_undone);
	tcase_add_test(tests, a_drain_that_is_taken_back_settles_the_pool);
	tcase_add_test(tests, a_node_that_came_back_empty_keeps_its_place_and_counts_no_more);
	tcase_add_test(tests, a_rejoin_is_always_another_epoch);
	tcase_add_test(tests, a_removed_node_is_empty_where_it_was_settled);
	tcase_add_test(tests, an_added_node_joins_and_the_first_ones_are_active);
	tcase_add_test(tests, other_edits_leave_the_settled_membership);
	tcase_add_test(tests, any_change_can_settle);
	tcase_add_test(tests, edits_of_one_change_leave_the_settled_membership_as_one);
	tcase_add_test(tests, an_address_is_not_a_matter_of_copies);
	tcase_add_test(tests, settle_makes_the_membership_the_settled_one);
	tcase_add_test(tests, a_new_pool_has_its_joining_nodes_cold_and_its_drains_under_way);
	tcase_add_test(tests, what_is_so_already_is_no_change);
	tcase_add_test(tests, the_time_of_a_state_is_that_of_its_change);
	tcase_add_test(tests, another_max_moved_is_a_change);
	tcase_add_test(tests, a_node_that_is_there_otherwise_cannot_be_added);
	tcase_add_test(tests, null_brings_back_a_default);
	tcase_add_test(tests, a_node_must_be_there_to_be_changed);
	tcase_add_test(tests, ids_go_on_from_the_highest_and_stay);
	tcase_add_test(tests, another_placement_takes_new_default_hash_names);
	tcase_add_test(tests, a_put_adds_or_updates_to_what_was_sent);
	tcase_add_test(tests, a_list_keeps_what_a_node_is_known_by_and_nothing_else);
	tcase_add_test(tests, a_list_that_leaves_out_a_node_in_use_is_refused);
	tcase_add_test(tests, what_get_gave_can_be_put_back);
	tcase_add_test(tests, a_pool_is_replaced_as_one_change);
	tcase_add_test(tests, a_revert_follows_the_same_rules);
	tcase_add_test(tests, a_change_is_told_op_by_op);
	tcase_add_test(tests, names_that_go_are_told);
	tcase_add_test(tests, limits_bind_newcomers_and_not_who_is_there);
	tcase_add_test(tests, a_field_that_the_placement_does_not_use_is_refused);
	tcase_add_test(tests, a_default_that_is_said_is_no_change_and_shown_where_it_is_used);
	tcase_add_test(tests, a_fault_points_into_what_was_asked);
	tcase_add_test(tests, what_a_document_has_and_we_do_not_know_goes_on);
}
