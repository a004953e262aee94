/*
 * plans_test.c - replays plans.json: change reports of the native placement, each
 * figure and each listed key of them.
 *
 * A plan's draining and joining nodes were drained, or added as joining, while
 * the pool was settled.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tally.h"
#include "tests/dsl/suite.h"

static cJSON *
load(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t room = 0;
	cJSON *json;

	ck_assert_msg(file != NULL, "no %s: run from the root of the repository", path);
	ck_assert_int_gt(getdelim(&text, &room, '\0', file), 0);
	json = cJSON_Parse(text);
	ck_assert_ptr_nonnull(json);
	free(text);
	fclose(file);
	return json;
}

static const cJSON *
field(const cJSON *object, const char *name)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);

	ck_assert_msg(value != NULL, "no field %s", name);
	return value;
}

static size_t
number(const cJSON *object, const char *name)
{
	return (size_t)field(object, name)->valuedouble;
}

static struct hrw_node
node_of(const cJSON *json)
{
	const cJSON *weight = cJSON_GetObjectItemCaseSensitive(json, "weight");
	const cJSON *zone = cJSON_GetObjectItemCaseSensitive(json, "zone");
	const cJSON *state = cJSON_GetObjectItemCaseSensitive(json, "state");

	return (struct hrw_node){
	    .name = field(json, "name")->valuestring,
	    .zone = zone == NULL ? NULL : zone->valuestring,
	    .weight = weight == NULL ? 1 : weight->valuedouble,
	    .id = HRW_ID_UNSET,
	    .state = state == NULL ? HRW_ACTIVE
				   : (enum hrw_state)hrw_state_from_name(state->valuestring),
	};
}

static void
add(struct hrw_membership *m, struct hrw_node node)
{
	ck_assert_int_eq(hrw_membership_add(m, &node, NULL, NULL), 0);
}

static struct hrw_membership *
empty(const cJSON *plan)
{
	return hrw_membership_new(hrw_placements[0], (unsigned)number(plan, "copies"));
}

static struct hrw_membership *
present(const cJSON *plan)
{
	struct hrw_membership *m = empty(plan);
	const cJSON *json;

	cJSON_ArrayForEach (json, field(plan, "nodes"))
		add(m, node_of(json));
	return m;
}

/* What joins was not there yet, what drains still held its keys. */
static struct hrw_membership *
settled(const cJSON *plan)
{
	struct hrw_membership *m = empty(plan);
	const cJSON *json;

	cJSON_ArrayForEach (json, field(plan, "nodes")) {
		struct hrw_node node = node_of(json);

		if (node.state == HRW_JOINING)
			continue;
		node.state = HRW_ACTIVE;
		add(m, node);
	}
	return m;
}

static void
set_states(struct hrw_membership *m, const cJSON *names, enum hrw_state state)
{
	const cJSON *name;

	cJSON_ArrayForEach (name, names)
		hrw_membership_find(m, name->valuestring)->state = state;
}

static void
apply(struct hrw_membership *m, const cJSON *change)
{
	const cJSON *task, *item;

	cJSON_ArrayForEach (task, change) {
		if (strcmp(task->string, "copies") == 0) {
			m->copies = (unsigned)task->valuedouble;
		} else if (strcmp(task->string, "drain") == 0) {
			set_states(m, task, HRW_DRAINING);
		} else if (strcmp(task->string, "activate") == 0) {
			set_states(m, task, HRW_ACTIVE);
		} else if (strcmp(task->string, "add") == 0) {
			cJSON_ArrayForEach (item, task)
				add(m, node_of(item));
		} else if (strcmp(task->string, "remove") == 0) {
			cJSON_ArrayForEach (item, task)
				ck_assert_int_eq(hrw_membership_remove(m, item->valuestring), 0);
		} else if (strcmp(task->string, "reweight") == 0) {
			cJSON_ArrayForEach (item, task)
				hrw_membership_find(m, item->string)->weight = item->valuedouble;
		} else {
			ck_abort_msg(
			    "plans.json has a task that this test does not know: %s", task->string);
		}
	}
}

static struct hrw_membership *
frozen(struct hrw_membership *m)
{
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, NULL), 0);
	return m;
}

static void
check_names(const struct hrw_plan *plan, const uint32_t *list, size_t count, const cJSON *expect,
    const char *where)
{
	ck_assert_msg((size_t)cJSON_GetArraySize(expect) == count, "%s: %s has %zu nodes", where,
	    expect->string, count);
	for (size_t i = 0; i < count; i++) {
		const char *name = cJSON_GetArrayItem(expect, (int)i)->valuestring;

		ck_assert_msg(strcmp(plan->name[list[i]], name) == 0, "%s: %s has %s, not %s",
		    where, expect->string, plan->name[list[i]], name);
	}
}

/* Is it the node of that JSON text, none for null? */
static void
check_name(const struct hrw_plan *plan, uint32_t node, const cJSON *expect, const char *where)
{
	const char *name = node == HRW_NOT_LISTED ? "none" : plan->name[node];
	const char *wanted = cJSON_IsNull(expect) ? "none" : expect->valuestring;

	ck_assert_msg(
	    strcmp(name, wanted) == 0, "%s: %s is %s, not %s", where, expect->string, name, wanted);
}

static void
check_totals(const struct hrw_tally *t, const cJSON *expect, const char *where)
{
	const cJSON *owners = field(expect, "owners");
	const struct {
		const cJSON *object;
		const char *name;
		uint64_t value;
	} totals[] = {
	    {expect, "changed", t->changed},
	    {expect, "copies_lost", t->copies_lost},
	    {expect, "copies_gained", t->copies_gained},
	    {expect, "keys_without_source", t->keys_without_source},
	    {owners, "changed", t->owners_changed},
	    {owners, "cold", t->owners_cold},
	};

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		ck_assert_msg(totals[i].value == number(totals[i].object, totals[i].name),
		    "%s: %s is %ju, not %zu", where, totals[i].name, (uintmax_t)totals[i].value,
		    number(totals[i].object, totals[i].name));
}

static void
check_nodes(const struct hrw_plan *plan, const struct hrw_tally *t, const cJSON *expect)
{
	ck_assert_int_eq(cJSON_GetArraySize(expect), (int)t->count);
	for (size_t i = 0; i < t->count; i++) {
		const cJSON *node = cJSON_GetArrayItem(expect, (int)i);

		ck_assert_str_eq(plan->name[i], field(node, "node")->valuestring);
		ck_assert_uint_eq(t->node[i].before, number(node, "before"));
		ck_assert_uint_eq(t->node[i].after, number(node, "after"));
		ck_assert_uint_eq(t->node[i].gains, number(node, "gains"));
		ck_assert_uint_eq(t->node[i].loses, number(node, "loses"));
	}
}

static void
check_moves(
    const struct hrw_plan *plan, const struct hrw_tally *t, const cJSON *expect, const char *where)
{
	size_t count;
	struct hrw_move *moves = hrw_tally_moves(t, &count);

	ck_assert_int_eq(cJSON_GetArraySize(expect), (int)count);
	for (size_t i = 0; i < count; i++) {
		const cJSON *move = cJSON_GetArrayItem(expect, (int)i);

		check_name(plan, moves[i].lost, field(move, "lost"), where);
		check_name(plan, moves[i].gained, field(move, "gained"), where);
		ck_assert_uint_eq(moves[i].keys, number(move, "keys"));
	}
	free(moves);
}

static void
replay(const cJSON *json, const char *where)
{
	const cJSON *expect = field(json, "expect"), *next = field(expect, "changes")->child, *key;
	struct hrw_membership *before = frozen(present(json));
	struct hrw_membership *was = frozen(settled(json));
	struct hrw_membership *after = present(json);
	struct hrw_plan *plan;
	struct hrw_tally *tally;

	apply(after, field(json, "change"));
	frozen(after);
	plan = hrw_plan_new(before, was, after);
	tally = hrw_tally_new(plan);
	cJSON_ArrayForEach (key, field(json, "keys")) {
		struct hrw_change c;

		hrw_plan_key(plan, hrw_text(key->valuestring), &c);
		ck_assert_int_eq(hrw_tally_add(tally, &c), 0);
		if (!hrw_change_is_listed(&c))
			continue;
		ck_assert_msg(next != NULL, "%s: %s is listed", where, key->valuestring);
		ck_assert_str_eq(key->valuestring, field(next, "key")->valuestring);
		check_names(plan, c.lost, c.lost_count, field(next, "lost"), where);
		check_names(plan, c.gained, c.gained_count, field(next, "gained"), where);
		check_name(plan, c.from, field(next, "from"), where);
		next = next->next;
	}
	ck_assert_ptr_null(next);
	check_totals(tally, expect, where);
	check_nodes(plan, tally, field(expect, "nodes"));
	check_moves(plan, tally, field(expect, "moves"), where);
	hrw_tally_free(tally);
	hrw_plan_free(plan);
	hrw_membership_free(after);
	hrw_membership_free(was);
	hrw_membership_free(before);
}

START_TEST(every_report_of_plans_json_is_reproduced)
{
	cJSON *json = load("tests/vectors/plans.json");
	const cJSON *plan;
	unsigned i = 0;

	cJSON_ArrayForEach (plan, field(json, "plans")) {
		char where[32];

		snprintf(where, sizeof(where), "plan %u", i++);
		replay(plan, where);
	}
	ck_assert_uint_gt(i, 0);
	cJSON_Delete(json);
}
END_TEST

SUITE(plan_vectors)
{
	tcase_add_test(tests, every_report_of_plans_json_is_reproduced);
}
