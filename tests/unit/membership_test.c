/*
 * membership_test.c - drafts and frozen memberships: who comes in, and how a
 * refusal reads.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

/* A node of that name, the rest as a short body has it. */
static struct hrw_node
named(const char *text)
{
	static char room[64][300];
	static unsigned turn;
	char *name = room[turn++ % 64];

	snprintf(name, sizeof(room[0]), "%s", text);
	return (struct hrw_node){.name = name, .weight = 1, .id = HRW_ID_UNSET};
}

static struct hrw_node
numbered_node(const char *name, int32_t id)
{
	struct hrw_node node = named(name);

	node.id = id;
	return node;
}

static int
freeze(struct hrw_membership *m, struct hrw_fault *fault)
{
	int rc = hrw_membership_freeze(m, NULL, fault);

	ck_assert_int_eq(m->is_frozen, rc == 0);
	return rc;
}

START_TEST(frozen_nodes_stand_by_name)
{
	struct hrw_membership *m = nodes("c a-b a b a.b a0");
	static const char *const order[] = {"a", "a-b", "a.b", "a0", "b", "c"};

	for (size_t i = 0; i < m->count; i++)
		ck_assert_str_eq(m->node[i].name, order[i]);
}
END_TEST

START_TEST(a_node_is_found_by_name_in_drafts_and_frozen)
{
	char name[24];

	for (size_t count = 0; count < 20; count++) {
		struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);

		for (size_t i = count; i-- > 0;) {
			struct hrw_node node;

			snprintf(name, sizeof(name), "n%02zu", 2 * i + 1);
			node = named(name);
			ck_assert_int_eq(hrw_membership_add(m, &node, NULL, NULL), 0);
		}
		for (int pass = 0; pass < 2; pass++) {
			for (size_t i = 0; i <= 2 * count; i++) {
				const struct hrw_node *found;

				snprintf(name, sizeof(name), "n%02zu", i);
				found = hrw_membership_find(m, name);
				ck_assert_int_eq(found != NULL, i % 2 == 1);
				if (found != NULL)
					ck_assert_str_eq(found->name, name);
			}
			if (pass == 0)
				frozen(m);
		}
	}
}
END_TEST

START_TEST(ids_go_on_above_the_highest)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);
	struct hrw_node list[] = {
	    named("a"),
	    numbered_node("b", 7),
	    named("c"),
	    numbered_node("d", 0),
	    named("e"),
	};
	static const int32_t ids[] = {1, 7, 8, 0, 9};

	ck_assert_int_eq(hrw_membership_add_all(m, list, 5, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < 5; i++)
		ck_assert_int_eq(m->node[i].id, ids[i]);
	list[0] = named("f");
	ck_assert_int_eq(hrw_membership_add(m, &list[0], NULL, NULL), 0);
	ck_assert_int_eq(m->node[5].id, 10);
	hrw_membership_free(m);
}
END_TEST

START_TEST(no_id_is_left_above_the_last)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);
	struct hrw_node last = numbered_node("a", INT32_MAX), next = named("b");
	struct hrw_fault fault;

	ck_assert_int_eq(hrw_membership_add(m, &last, NULL, &fault), 0);
	ck_assert_int_eq(hrw_membership_add(m, &next, NULL, &fault), HRW_BAD_FIELD);
	ck_assert_str_eq(fault.field, "/id");
	ck_assert_ptr_nonnull(strstr(fault.detail, "2147483647"));
	ck_assert_uint_eq(m->count, 1);
	hrw_membership_free(m);
}
END_TEST

START_TEST(a_refused_node_leaves_the_draft_as_it_was)
{
	static char upper[] = "B", place[] = "nowhere", rack[] = "rack 1", empty[] = "",
		    bytes[] = "\xff";
	struct hrw_membership *m = draft("a:2@z1");
	struct hrw_membership *same = draft("a:2@z1");
	struct {
		struct hrw_node node;
		enum hrw_error error;
		const char *field, *reason;
	} bad[] = {
	    {named("b"), HRW_BAD_SERVER, "/name", "name"},
	    {named("a"), HRW_BAD_SERVER, "/name", "taken"},
	    {numbered_node("b", 1), HRW_BAD_SERVER, "/id", "taken"},
	    {named("b"), HRW_BAD_ADDRESS, "/address", NULL},
	    {named("b"), HRW_BAD_WEIGHT, "/weight", NULL},
	    {named("b"), HRW_BAD_ZONE, "/zone", NULL},
	    {named("b"), HRW_BAD_FIELD, "/hash_name", NULL},
	    {named("b"), HRW_BAD_FIELD, "/hash_name", NULL},
	    {named("b"), HRW_BAD_FIELD, "/state", NULL},
	    {numbered_node("b", -2), HRW_BAD_FIELD, "/id", NULL},
	};
	struct hrw_fault fault;

	bad[0].node.name = upper;
	bad[3].node.address = place;
	bad[4].node.weight = -1;
	bad[5].node.zone = rack;
	bad[6].node.hash_name = empty;
	bad[7].node.hash_name = bytes;
	bad[8].node.state = (enum hrw_state)3;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(
		    hrw_membership_add(m, &bad[i].node, NULL, &fault), (int)bad[i].error);
		ck_assert_int_eq(fault.error, bad[i].error);
		ck_assert_str_eq(fault.field, bad[i].field);
		ck_assert_pstr_eq(fault.reason, bad[i].reason);
		ck_assert(hrw_membership_equal(m, same));
		ck_assert_int_eq(
		    hrw_membership_add(m, &bad[i].node, NULL, NULL), (int)bad[i].error);
	}
	hrw_membership_free(same);
	hrw_membership_free(m);
}
END_TEST

START_TEST(a_list_is_added_whole_or_not_at_all)
{
	struct hrw_membership *m = draft("a b");
	struct hrw_membership *same = draft("a b");
	struct hrw_node list[] = {named("c"), named("d"), named("Wrong"), named("e")};
	struct hrw_fault fault;
	size_t at = 99;

	ck_assert_int_eq(hrw_membership_add_all(m, list, 4, NULL, &at, &fault), HRW_BAD_SERVER);
	ck_assert_uint_eq(at, 2);
	ck_assert(hrw_membership_equal(m, same));
	hrw_membership_free(same);
	hrw_membership_free(m);
}
END_TEST

START_TEST(the_first_fault_of_a_list_is_told)
{
	struct {
		struct hrw_node list[4];
		size_t at;
		const char *field;
	} cases[] = {
	    {{named("c"), named("a"), named("Wrong"), named("c")}, 1, "/name"},
	    {{named("c"), named("d"), named("d"), named("c")}, 2, "/name"},
	    {{named("c"), named("d"), named("e"), named("d")}, 3, "/name"},
	    /* c takes id 3, after a and b */
	    {{named("c"), numbered_node("d", 3), named("c"), named("e")}, 1, "/id"},
	    {{numbered_node("c", 9), numbered_node("c", 9), named("d"), named("e")}, 1, "/name"},
	    {{numbered_node("c", 2), named("c"), named("d"), named("e")}, 0, "/id"},
	};
	struct hrw_fault fault;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hrw_membership *m = draft("a b");
		size_t at = 99;

		ck_assert_int_eq(
		    hrw_membership_add_all(m, cases[i].list, 4, NULL, &at, &fault), HRW_BAD_SERVER);
		ck_assert_uint_eq(at, cases[i].at);
		ck_assert_str_eq(fault.field, cases[i].field);
		hrw_membership_free(m);
	}
}
END_TEST

START_TEST(limits_bind_names_and_nodes)
{
	struct hrw_limits limits = {.nodes = 3, .key_bytes = 256, .copies = 8, .name_bytes = 4};
	struct hrw_membership *m = draft("a b");
	struct hrw_node list[] = {named("c"), named("d")}, longer = named("abcde");
	struct hrw_fault fault;
	size_t at;

	ck_assert_int_eq(hrw_membership_add(m, &longer, &limits, &fault), HRW_BAD_SERVER);
	ck_assert_ptr_nonnull(strstr(fault.detail, "at most 4"));
	ck_assert_int_eq(hrw_membership_add_all(m, list, 2, &limits, &at, &fault), HRW_TOO_MANY);
	ck_assert_uint_eq(at, 1);
	ck_assert_ptr_nonnull(strstr(fault.detail, "limits.nodes"));
	ck_assert_uint_eq(m->count, 2);
	ck_assert_int_eq(hrw_membership_add(m, &list[0], &limits, &fault), 0);
	ck_assert_int_eq(hrw_membership_add(m, &list[1], &limits, &fault), HRW_TOO_MANY);
	/* What a store holds is not bound. */
	ck_assert_int_eq(hrw_membership_add(m, &list[1], NULL, &fault), 0);
	hrw_membership_free(m);
}
END_TEST

START_TEST(as_many_nodes_as_the_widest_limit_and_no_more)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);
	struct hrw_node *list = calloc(HRW_NODES_MAX + 1, sizeof(*list));
	char(*name)[16] = calloc(HRW_NODES_MAX + 1, sizeof(*name));
	struct hrw_fault fault;
	size_t at = 0;
	uint32_t *order = calloc(HRW_NODES_MAX, sizeof(*order));
	struct hrw_score *score = calloc(HRW_NODES_MAX, sizeof(*score));

	for (size_t i = 0; i <= HRW_NODES_MAX; i++) {
		sprintf(name[i], "n%zu", i);
		list[i] = (struct hrw_node){.name = name[i], .id = HRW_ID_UNSET};
		list[i].weight = 1 + (double)(i % 3);
	}
	ck_assert_int_eq(
	    hrw_membership_add_all(m, list, HRW_NODES_MAX + 1, NULL, &at, &fault), HRW_TOO_MANY);
	ck_assert_uint_eq(at, HRW_NODES_MAX);
	ck_assert_uint_eq(m->count, 0);
	ck_assert_int_eq(hrw_membership_add_all(m, list, HRW_NODES_MAX, NULL, &at, &fault), 0);
	ck_assert_int_eq(freeze(m, &fault), 0);
	ck_assert_int_eq(hrw_rank(m, hrw_text("photo-7"), HRW_NODES_MAX, order), HRW_NODES_MAX);
	hrw_explain(m, hrw_text("photo-7"), score);
	for (size_t i = 0; i < HRW_NODES_MAX; i++)
		ck_assert_uint_eq(score[order[i]].rank, i + 1);
	hrw_membership_free(m);
	free(score);
	free(order);
	free(name);
	free(list);
}
END_TEST

START_TEST(a_hash_name_left_out_is_the_name_and_stays)
{
	static char label[] = "old-name";
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1), *copy;
	struct hrw_node a = named("a"), b = named("b");

	b.hash_name = label;
	hrw_membership_add(m, &a, NULL, NULL);
	hrw_membership_add(m, &b, NULL, NULL);
	ck_assert_ptr_null(m->node[0].hash_name);
	frozen(m);
	ck_assert_str_eq(m->node[0].hash_name, "a");
	ck_assert(m->node[0].hash_name_is_default);
	ck_assert_str_eq(m->node[1].hash_name, "old-name");
	ck_assert(!m->node[1].hash_name_is_default);

	copy = hrw_membership_copy(m);
	ck_assert_str_eq(copy->node[0].hash_name, "a");
	hrw_membership_set_placement(copy, hrw_placements[0]);
	ck_assert_ptr_null(copy->node[0].hash_name);
	ck_assert_str_eq(copy->node[1].hash_name, "old-name");
	hrw_membership_free(copy);
}
END_TEST

START_TEST(a_hash_name_places_keys_as_that_name_would)
{
	static char label[] = "b";
	struct hrw_membership *other = draft("a"), *same = nodes("a b");
	struct hrw_node z = named("z");

	z.hash_name = label;
	ck_assert_int_eq(hrw_membership_add(other, &z, NULL, NULL), 0);
	frozen(other);
	for_each_key (key, 1000)
		ck_assert_int_eq(owns(other, "z", key), owns(same, "b", key));
}
END_TEST

START_TEST(two_nodes_with_one_text_are_refused)
{
	static char label[] = "x";
	struct hrw_membership *m = draft("a x");
	struct hrw_node b = named("b");
	struct hrw_fault fault;

	b.hash_name = label;
	ck_assert_int_eq(hrw_membership_add(m, &b, NULL, NULL), 0);
	ck_assert_int_eq(freeze(m, &fault), HRW_BAD_SERVER);
	ck_assert_str_eq(fault.reason, "collision");
	ck_assert_ptr_nonnull(strstr(fault.detail, "\"b\" and \"x\""));
	ck_assert_ptr_nonnull(strstr(fault.detail, "hash_name"));
	/* Still a draft, its defaults not yet taken. */
	ck_assert_ptr_null(hrw_membership_find(m, "x")->hash_name);
	ck_assert_int_eq(hrw_membership_remove(m, "b"), 0);
	ck_assert_int_eq(freeze(m, &fault), 0);
	hrw_membership_free(m);
}
END_TEST

START_TEST(copies_are_bound)
{
	struct hrw_limits limits = {.nodes = 64, .key_bytes = 256, .copies = 8, .name_bytes = 32};
	struct hrw_membership *m = draft("a b");
	struct hrw_fault fault;

	m->copies = 0;
	ck_assert_int_eq(freeze(m, &fault), HRW_BAD_COPIES);
	ck_assert_str_eq(fault.field, "/copies");
	m->copies = HRW_COPIES_MAX + 1;
	ck_assert_int_eq(freeze(m, &fault), HRW_BAD_COPIES);
	ck_assert_ptr_nonnull(strstr(fault.detail, "65 "));
	m->copies = 9;
	ck_assert_int_eq(hrw_membership_freeze(m, &limits, &fault), HRW_BAD_COPIES);
	ck_assert_ptr_nonnull(strstr(fault.detail, "limits.copies"));
	ck_assert_int_eq(freeze(m, &fault), 0);
	hrw_membership_free(m);
}
END_TEST

START_TEST(takers_are_neither_draining_nor_of_no_weight)
{
	struct hrw_membership *m = nodes("a:2 b:0 c!draining d:0.5!joining e:0!draining");

	ck_assert_uint_eq(m->taker_count, 2);
	ck_assert_double_eq(m->taker_weight, 2.5);
}
END_TEST

START_TEST(zones_are_numbered_by_name)
{
	struct hrw_membership *m = nodes("a@r1 b@r2 c d e@r1 f@r3!draining g:0@r2");

	ck_assert(m->has_zones);
	ck_assert_uint_eq(m->zone_of[0], m->zone_of[4]);
	for (size_t i = 0; i < 6; i++)
		for (size_t j = 0; j < i; j++)
			if (!(i == 4 && j == 0))
				ck_assert_uint_ne(m->zone_of[i], m->zone_of[j]);
	/* r1, r2, c, d: nobody takes keys in r3 */
	ck_assert_uint_eq(m->zone_count, 4);
	ck_assert(!nodes("a b@r1!draining c")->has_zones);
	ck_assert_uint_eq(nodes("a b@r1!draining c")->zone_count, 2);
}
END_TEST

START_TEST(a_copy_is_equal_until_something_differs)
{
	struct hrw_membership *m = nodes("a:2@z1 b!joining c"), *copy;
	struct hrw_node *b;

	for (int i = 0; i < 9; i++) {
		copy = hrw_membership_copy(m);
		b = hrw_membership_find(copy, "b");
		b->since_ms = 12345;
		ck_assert(hrw_membership_equal(m, copy));
		switch (i) {
		case 0:
			hrw_node_set_address(b, "other:1", NULL);
			break;
		case 1:
			hrw_node_set_zone(b, "z1", NULL);
			break;
		case 2:
			hrw_node_set_weight(b, 7, NULL);
			break;
		case 3:
			b->state = HRW_ACTIVE;
			break;
		case 4:
			b->id = 77;
			break;
		case 5:
			hrw_membership_remove(copy, "b");
			break;
		case 6:
			copy->copies = 2;
			break;
		case 7:
			b->hash_name_is_default = false;
			break;
		case 8:
			hrw_node_set_address(b, NULL, NULL);
			break;
		}
		ck_assert(!hrw_membership_equal(m, copy));
		ck_assert(!hrw_membership_equal(copy, m));
		hrw_membership_free(copy);
	}
}
END_TEST

START_TEST(a_setter_that_refuses_changes_nothing)
{
	struct hrw_membership *m = draft("a:2@z1"), *same = draft("a:2@z1");
	struct hrw_fault fault;

	ck_assert_int_eq(hrw_node_set_address(&m->node[0], "x", &fault), HRW_BAD_ADDRESS);
	ck_assert_int_eq(hrw_node_set_zone(&m->node[0], "", &fault), HRW_BAD_ZONE);
	ck_assert_int_eq(hrw_node_set_weight(&m->node[0], -1, &fault), HRW_BAD_WEIGHT);
	ck_assert(hrw_membership_equal(m, same));
	ck_assert_int_eq(hrw_node_set_zone(&m->node[0], NULL, &fault), 0);
	ck_assert_ptr_null(m->node[0].zone);
	ck_assert_int_eq(hrw_membership_remove(m, "b"), HRW_UNKNOWN_NODE);
	hrw_membership_free(same);
	hrw_membership_free(m);
}
END_TEST

START_TEST(a_state_is_found_again_by_its_name)
{
	for (int state = HRW_ACTIVE; state <= HRW_DRAINING; state++)
		ck_assert_int_eq(hrw_state_from_name(hrw_state_name((enum hrw_state)state)), state);
	ck_assert_int_eq(hrw_state_from_name("Active"), -1);
}
END_TEST

SUITE(membership)
{
	tcase_add_test(tests, frozen_nodes_stand_by_name);
	tcase_add_test(tests, a_node_is_found_by_name_in_drafts_and_frozen);
	tcase_add_test(tests, ids_go_on_above_the_highest);
	tcase_add_test(tests, no_id_is_left_above_the_last);
	tcase_add_test(tests, a_refused_node_leaves_the_draft_as_it_was);
	tcase_add_test(tests, a_list_is_added_whole_or_not_at_all);
	tcase_add_test(tests, the_first_fault_of_a_list_is_told);
	tcase_add_test(tests, limits_bind_names_and_nodes);
	tcase_add_test(tests, as_many_nodes_as_the_widest_limit_and_no_more);
	tcase_add_test(tests, a_hash_name_left_out_is_the_name_and_stays);
	tcase_add_test(tests, a_hash_name_places_keys_as_that_name_would);
	tcase_add_test(tests, two_nodes_with_one_text_are_refused);
	tcase_add_test(tests, copies_are_bound);
	tcase_add_test(tests, takers_are_neither_draining_nor_of_no_weight);
	tcase_add_test(tests, zones_are_numbered_by_name);
	tcase_add_test(tests, a_copy_is_equal_until_something_differs);
	tcase_add_test(tests, a_setter_that_refuses_changes_nothing);
	tcase_add_test(tests, a_state_is_found_again_by_its_name);
}
