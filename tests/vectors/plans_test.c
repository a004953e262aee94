/*
 * plans_test.c - replays plans.json: change reports of the native placement, each
 * figure and each listed key of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/tally.h"
#include "daemon/members/report_private.h"
#include "tests/dsl/replay.h"
#include "tests/dsl/suite.h"

static const char *
name_of(const struct hrw_plan *plan, uint32_t node)
{
	return node == HRW_NOT_LISTED ? "none" : plan->name[node];
}

/* Is it the node of that JSON text, none for null? */
static void
check_name(const struct hrw_plan *plan, uint32_t node, const struct json *expect, const char *where)
{
	const char *wanted = json_type(expect) == JSON_NULL ? "none" : json_text(expect);

	ck_assert_msg(strcmp(name_of(plan, node), wanted) == 0, "%s: %s is %s, not %s", where,
	    json_name(expect), name_of(plan, node), wanted);
}

static void
check_names(const struct hrw_plan *plan, const uint32_t *list, size_t count,
    const struct json *expect, const char *where)
{
	size_t i = 0;

	ck_assert_msg(
	    json_count(expect) == count, "%s: %s has %zu nodes", where, json_name(expect), count);
	json_each (name, expect)
		check_name(plan, list[i++], name, where);
}

static void
check_totals(const struct hrw_tally *t, const struct json *expect, const char *where)
{
	const struct json *owners = json_get(expect, "owners");
	const struct json *missing = json_get(expect, "copies_missing");
	const struct json *nowhere = json_get(expect, "keys_without_copy");
	const struct {
		const struct json *object;
		const char *name;
		uint64_t value;
	} totals[] = {
	    {expect, "changed", t->changed},
	    {expect, "copies_lost", t->copies_lost},
	    {expect, "copies_gained", t->copies_gained},
	    {expect, "keys_without_source", t->keys_without_source},
	    {expect, "keys_with_leaving_source", t->keys_with_leaving_source},
	    {owners, "changed", t->owners_changed},
	    {owners, "cold", t->owners_cold},
	    {missing, "before", t->missing_before},
	    {missing, "after", t->missing_after},
	    {nowhere, "before", t->nowhere_before},
	    {nowhere, "after", t->nowhere_after},
	};

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		const struct json *wanted = json_get(totals[i].object, totals[i].name);

		ck_assert_msg(wanted != NULL, "%s: no %s", where, totals[i].name);
		ck_assert_msg((double)totals[i].value == json_number(wanted),
		    "%s: %s %s is %ju, not %g", where, json_name(totals[i].object), totals[i].name,
		    (uintmax_t)totals[i].value, json_number(wanted));
	}
}

static void
check_nodes(const struct hrw_plan *plan, const struct hrw_tally *t, const struct json *expect)
{
	size_t i = 0;

	ck_assert_uint_eq(json_count(expect), t->count);
	json_each (node, expect) {
		ck_assert_str_eq(plan->name[i], json_text(json_get(node, "node")));
		ck_assert(t->node[i].before == json_number(json_get(node, "before")));
		ck_assert(t->node[i].after == json_number(json_get(node, "after")));
		ck_assert(t->node[i].gains == json_number(json_get(node, "gains")));
		ck_assert(t->node[i].loses == json_number(json_get(node, "loses")));
		i++;
	}
}

static void
check_moves(const struct hrw_plan *plan, const struct hrw_tally *t, const struct json *expect,
    const char *where)
{
	size_t count, i = 0;
	struct hrw_move *moves = hrw_tally_moves(t, &count);

	ck_assert_uint_eq(json_count(expect), count);
	json_each (move, expect) {
		check_name(plan, moves[i].lost, json_get(move, "lost"), where);
		check_name(plan, moves[i].gained, json_get(move, "gained"), where);
		ck_assert(moves[i].keys == json_number(json_get(move, "keys")));
		i++;
	}
	free(moves);
}

/* Each key, and those that are listed against the next entry. */
static struct hrw_tally *
check_keys(const struct hrw_plan *plan, const struct json *j, const char *where)
{
	const struct json *next = json_first(json_get(json_get(j, "expect"), "changes"));
	struct hrw_tally *tally = hrw_tally_new(plan);

	json_each (key, json_get(j, "keys")) {
		struct hrw_change c;

		hrw_plan_key(plan, json_bytes(key), &c);
		ck_assert_int_eq(hrw_tally_add(tally, &c), 0);
		if (!hrw_change_is_listed(&c))
			continue;
		ck_assert_msg(next != NULL, "%s: %s is listed", where, json_text(key));
		ck_assert_str_eq(json_text(key), json_text(json_get(next, "key")));
		check_names(plan, c.lost, c.lost_count, json_get(next, "lost"), where);
		check_names(plan, c.gained, c.gained_count, json_get(next, "gained"), where);
		check_name(plan, c.from, json_get(next, "from"), where);
		next = json_next(next);
	}
	ck_assert_msg(next == NULL, "%s: another key is listed", where);
	return tally;
}

static void
replay(const struct json *j, const char *where)
{
	const struct json *expect = json_get(j, "expect");
	struct pool *pool = replay_first(j);
	struct change *change;
	struct hrw_fault fault = {0};
	struct hrw_tally *tally;
	struct hrw_plan *plan;
	struct outcome out;

	json_each (step, json_get(j, "prepare"))
		pool = replay_step(pool, step);
	change = replay_change(json_get(j, "change"));
	if (change_build(change, pool, TEST_NOW_MS, &hrw_limits_max, &out, &fault) < 0)
		ck_abort_msg("%s: %s", where, fault.detail);
	plan = report_plan(out.before, out.after, NULL, buffer_text(&out.emptied));
	tally = check_keys(plan, j, where);
	check_totals(tally, expect, where);
	check_nodes(plan, tally, json_get(expect, "nodes"));
	check_moves(plan, tally, json_get(expect, "moves"), where);
	hrw_tally_free(tally);
	hrw_plan_free(plan);
	outcome_fini(&out);
	change_free(change);
	pool_release(pool);
}

START_TEST(every_report_of_plans_json_is_reproduced)
{
	struct json *root = replay_load("tests/vectors/plans.json");
	unsigned i = 0;

	json_each (plan, json_get(root, "plans")) {
		char where[32];

		snprintf(where, sizeof(where), "plan %u", i++);
		replay(plan, where);
	}
	ck_assert_uint_eq(i, 80);
	json_free(root);
}
END_TEST

SUITE(plan_vectors)
{
	tcase_add_test(tests, every_report_of_plans_json_is_reproduced);
}
