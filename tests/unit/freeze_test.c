/*
 * freeze_test.c - what freezing asks of a placement's traits, parameters and
 * hashed texts, tried on placements that exist here alone.
 */
#include <stdlib.h>

#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	(void)m;
	(void)fault;
	*index = NULL;
	return 0;
}

static void
drop(void *index)
{
	(void)index;
}

static const char *const colours[] = {"red", "green", NULL};

static const struct hrw_param params[] = {
    {.name = "colour", .type = HRW_PARAM_CHOICE, .choices = colours, .help = "red or green"},
    {.name = "rows", .type = HRW_PARAM_COUNT, .min = 2, .max = 9, .initial = 4, .help = "2 to 9"},
    {.name = "wide", .type = HRW_PARAM_FLAG, .initial = 1, .help = "true or false"},
    {.name = "secret",
	.type = HRW_PARAM_TEXT,
	.min = 2,
	.max = 4,
	.is_required = true,
	.help = "a text"},
    {.name = NULL},
};

/* What they share: no weights, and nothing to prepare. */
#define WITHOUT_RULES .weights = {.rule = HRW_WEIGHT_NONE}, .prepare = prepare, .free = drop

static const struct hrw_placement with_params = {
    .name = "with-params", .params = params, WITHOUT_RULES};
static const struct hrw_placement by_address = {
    .name = "by-address", .hashed = HRW_HASHED_ADDRESS, WITHOUT_RULES};
static const struct hrw_placement by_host = {
    .name = "by-host", .hashed = HRW_HASHED_HOST, WITHOUT_RULES};
static const struct hrw_placement by_label = {
    .name = "by-label", .hashed = HRW_HASHED_LABEL, WITHOUT_RULES};
static const struct hrw_placement by_nothing = {
    .name = "by-nothing", .hashed = HRW_HASHED_NOTHING, WITHOUT_RULES};
static const struct hrw_placement single = {
    .name = "single", .traits = HRW_SINGLE_COPY, WITHOUT_RULES};

/* Freezes a draft that a parameter was changed in. */
static int
freeze_with(size_t param, uint64_t number, const char *text, struct hrw_fault *fault)
{
	struct hrw_membership *m = hrw_membership_new(&with_params, 1);
	int rc;

	m->param[3].text = strdup("key");
	m->param[param].number = number;
	if (text != NULL || param == 3) {
		free(m->param[3].text);
		m->param[3].text = text != NULL ? strdup(text) : NULL;
	}
	rc = hrw_membership_freeze(m, NULL, fault);
	hrw_membership_free(m);
	return rc;
}

START_TEST(parameters_begin_with_their_defaults)
{
	struct hrw_membership *m = hrw_membership_new(&with_params, 1);

	ck_assert_uint_eq(m->param[0].number, 0);
	ck_assert_uint_eq(m->param[1].number, 4);
	ck_assert_uint_eq(m->param[2].number, 1);
	ck_assert_ptr_null(m->param[3].text);
	m->param[1].number = 7;
	m->param[3].text = strdup("key");
	hrw_membership_set_placement(m, &with_params);
	ck_assert_uint_eq(m->param[1].number, 4);
	ck_assert_ptr_null(m->param[3].text);
	hrw_membership_free(m);
}
END_TEST

START_TEST(parameters_out_of_range_are_refused)
{
	static const struct {
		size_t param;
		uint64_t number;
		const char *text, *field, *detail;
	} cases[] = {
	    {0, 1, NULL, NULL, NULL},
	    {0, 2, NULL, "/placement/colour", "red or green"},
	    {1, 2, NULL, NULL, NULL},
	    {1, 9, NULL, NULL, NULL},
	    {1, 1, NULL, "/placement/rows", "2 to 9"},
	    {1, 10, NULL, "/placement/rows", "10 is out of range"},
	    {2, 0, NULL, NULL, NULL},
	    {2, 2, NULL, "/placement/wide", "true or false"},
	    {3, 0, "ab", NULL, NULL},
	    {3, 0, "abcd", NULL, NULL},
	    {3, 0, "a", "/placement/secret", "2 to 4"},
	    {3, 0, "abcde", "/placement/secret", "5 bytes"},
	    {3, 0, NULL, "/placement/secret", "needs its parameter"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hrw_fault fault = {.error = HRW_OK};
		int rc = freeze_with(cases[i].param, cases[i].number, cases[i].text, &fault);

		ck_assert_int_eq(rc, cases[i].field != NULL ? HRW_BAD_FIELD : 0);
		if (cases[i].field == NULL)
			continue;
		ck_assert_str_eq(fault.field, cases[i].field);
		ck_assert_ptr_nonnull(strstr(fault.detail, cases[i].detail));
		ck_assert_ptr_nonnull(strstr(fault.detail, "with-params"));
	}
}
END_TEST

START_TEST(a_placement_of_one_owner_takes_one_copy)
{
	struct hrw_membership *m = hrw_membership_new(&single, 2);
	struct hrw_fault fault;

	ck_assert_int_eq(hrw_membership_freeze(m, NULL, &fault), HRW_BAD_COPIES);
	ck_assert_ptr_nonnull(strstr(fault.detail, "2 copies"));
	m->copies = 1;
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, &fault), 0);
	hrw_membership_free(m);
}
END_TEST

START_TEST(a_placement_without_weights_takes_1_alone)
{
	static const char *const texts[] = {"a b:2", "a:0 b"};
	struct hrw_fault fault;

	for (size_t i = 0; i < 2; i++) {
		struct hrw_membership *m = draft(texts[i]);

		hrw_membership_set_placement(m, &by_nothing);
		ck_assert_int_eq(hrw_membership_freeze(m, NULL, &fault), HRW_BAD_WEIGHT);
		ck_assert_str_eq(fault.field, i == 0 ? "/nodes/1/weight" : "/nodes/0/weight");
		ck_assert_ptr_nonnull(strstr(fault.detail, "use 1"));
		hrw_membership_free(m);
	}
}
END_TEST

START_TEST(the_default_text_is_the_placements)
{
	static const struct {
		const char *address, *host, *label;
	} cases[] = {
	    {"10.0.0.1:11211", "10.0.0.1", "10.0.0.1"},
	    {"10.0.0.1:80", "10.0.0.1", "10.0.0.1:80"},
	    {"[::1]:11211", "::1", "::1"},
	    {"[::1]:80", "::1", "::1:80"},
	    {"[2001:db8::1]:11212", "2001:db8::1", "2001:db8::1:11212"},
	    {"web.example:11211", "web.example", "web.example"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct {
			const struct hrw_placement *placement;
			const char *text;
		} kinds[] = {{&by_address, cases[i].address}, {&by_host, cases[i].host},
		    {&by_label, cases[i].label}, {&by_nothing, NULL}};

		for (size_t k = 0; k < 4; k++) {
			struct hrw_membership *m = draft("a");

			hrw_membership_set_placement(m, kinds[k].placement);
			ck_assert_int_eq(
			    hrw_node_set_address(&m->node[0], cases[i].address, NULL), 0);
			frozen(m);
			ck_assert_pstr_eq(m->node[0].hash_name, kinds[k].text);
		}
	}
}
END_TEST

START_TEST(a_later_change_of_address_keeps_the_text)
{
	struct hrw_membership *m = draft("a"), *copy;

	hrw_membership_set_placement(m, &by_address);
	frozen(m);
	copy = hrw_membership_copy(m);
	ck_assert_int_eq(hrw_node_set_address(&copy->node[0], "other:1", NULL), 0);
	frozen(copy);
	ck_assert_str_eq(copy->node[0].hash_name, "a.test:11211");

	/* A change of placement takes the new default. */
	copy = hrw_membership_copy(copy);
	hrw_membership_set_placement(copy, &by_host);
	frozen(copy);
	ck_assert_str_eq(copy->node[0].hash_name, "other");
}
END_TEST

START_TEST(an_address_that_is_hashed_must_be_there)
{
	struct hrw_membership *m = draft("a b");
	struct hrw_fault fault;

	hrw_membership_set_placement(m, &by_host);
	ck_assert_int_eq(hrw_node_set_address(&m->node[1], NULL, NULL), 0);
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, &fault), HRW_BAD_ADDRESS);
	ck_assert_str_eq(fault.field, "/nodes/1/address");
	ck_assert_ptr_null(m->node[0].hash_name);
	hrw_membership_free(m);
}
END_TEST

START_TEST(one_host_twice_is_told_by_its_text)
{
	struct hrw_membership *m = draft("a b");
	struct hrw_fault fault;

	hrw_membership_set_placement(m, &by_host);
	hrw_node_set_address(&m->node[0], "10.0.0.1:1", NULL);
	hrw_node_set_address(&m->node[1], "10.0.0.1:2", NULL);
	ck_assert_int_eq(hrw_membership_freeze(m, NULL, &fault), HRW_BAD_SERVER);
	ck_assert_str_eq(fault.reason, "collision");
	ck_assert_ptr_nonnull(strstr(fault.detail, "\"10.0.0.1\""));
	hrw_membership_free(m);
}
END_TEST

START_TEST(a_text_that_is_not_hashed_is_refused_but_kept_where_it_was)
{
	static char name[] = "b", label[] = "text";
	struct hrw_node node = {.name = name, .weight = 1, .id = HRW_ID_UNSET, .hash_name = label};
	struct hrw_membership *m = hrw_membership_new(hrw_placements[0], 1);
	struct hrw_fault fault;

	ck_assert_int_eq(hrw_membership_add(m, &node, &hrw_limits_max, &fault), 0);
	hrw_membership_set_placement(m, &by_nothing);
	ck_assert_str_eq(m->node[0].hash_name, "text");
	hrw_membership_remove(m, "b");
	ck_assert_int_eq(hrw_membership_add(m, &node, &hrw_limits_max, &fault), HRW_BAD_FIELD);
	ck_assert_str_eq(fault.field, "/hash_name");
	ck_assert_int_eq(hrw_membership_add(m, &node, NULL, &fault), 0);
	frozen(m);
}
END_TEST

START_TEST(zones_do_not_count_for_a_placement_without_them)
{
	struct hrw_membership *m = draft("a@r1 b@r1");

	hrw_membership_set_placement(m, &by_address);
	frozen(m);
	ck_assert(!m->has_zones);
	ck_assert_uint_ne(m->zone_of[0], m->zone_of[1]);
}
END_TEST

START_TEST(every_placement_of_the_table_is_found_by_its_name)
{
	for (size_t i = 0; hrw_placements[i] != NULL; i++) {
		ck_assert_ptr_eq(hrw_placement_find(hrw_placements[i]->name), hrw_placements[i]);
		ck_assert_str_ne(hrw_placements[i]->source, "");
	}
	ck_assert_str_eq(hrw_placements[0]->name, "rendezvous");
	ck_assert_ptr_null(hrw_placement_find("Rendezvous"));
}
END_TEST

SUITE(freeze)
{
	tcase_add_test(tests, parameters_begin_with_their_defaults);
	tcase_add_test(tests, parameters_out_of_range_are_refused);
	tcase_add_test(tests, a_placement_of_one_owner_takes_one_copy);
	tcase_add_test(tests, a_placement_without_weights_takes_1_alone);
	tcase_add_test(tests, the_default_text_is_the_placements);
	tcase_add_test(tests, a_later_change_of_address_keeps_the_text);
	tcase_add_test(tests, an_address_that_is_hashed_must_be_there);
	tcase_add_test(tests, one_host_twice_is_told_by_its_text);
	tcase_add_test(tests, a_text_that_is_not_hashed_is_refused_but_kept_where_it_was);
	tcase_add_test(tests, zones_do_not_count_for_a_placement_without_them);
	tcase_add_test(tests, every_placement_of_the_table_is_found_by_its_name);
}
