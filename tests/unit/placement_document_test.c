/*
 * placement_document_test.c - what holds for the parameters of each row of the
 * table of placements as JSON: which are taken, which are refused by name.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/members/document.h"
#include "tests/dsl/nodes.h"
#include "tests/dsl/suite.h"

#define each_placement(p)                                                                          \
	for (const struct hrw_placement *const *at_##p = hrw_placements, *p;                       \
	     (p = *at_##p) != NULL; at_##p++)

#define each_param(param, p)                                                                       \
	for (const struct hrw_param *param = (p)->params; param != NULL && param->name != NULL;    \
	     param++)

/* Parses one text; the fault is that of the last. */
static struct hrw_fault fault;
static struct json *document;

static struct hrw_membership *
parsed(const char *text, bool is_stored)
{
	struct hrw_membership *m = NULL;

	json_free(document);
	fault = (struct hrw_fault){0};
	document = json_parse(hrw_text(text), JSON_STRICT, &fault);
	if (document != NULL)
		m = document_placement_read(document, is_stored, 1, &fault);
	return m;
}

static const struct hrw_param *
param_of(const struct hrw_placement *p, const char *name)
{
	each_param(param, p) if (strcmp(param->name, name) == 0) return param;
	return NULL;
}

/* ,"name":value of a good value, the last of its choices. */
static void
put_value(struct buffer *out, const struct hrw_param *param)
{
	size_t last = 0;

	while (param->choices != NULL && param->choices[last + 1] != NULL)
		last++;
	buffer_printf(out, ",\"%s\":", param->name);
	switch (param->type) {
	case HRW_PARAM_CHOICE:
		buffer_printf(out, "\"%s\"", param->choices[last]);
		break;
	case HRW_PARAM_COUNT:
		buffer_printf(out, "%ju", (uintmax_t)param->min);
		break;
	case HRW_PARAM_FLAG:
		buffer_add_text(out, "true");
		break;
	case HRW_PARAM_SET:
		buffer_printf(out, "[\"%s\"]", param->choices[last]);
		break;
	case HRW_PARAM_HOSTS:
		buffer_add_text(out, "[{\"name\":\"rack-1\"}]");
		break;
	case HRW_PARAM_SECRET:
	case HRW_PARAM_TEXT:
		buffer_printf(out, "\"%.*s\"", (int)param->min, "0123456789abcdef0123456789abcdef");
		break;
	}
}

/* {"name":…} with all that is required but secrets, which no test here has. */
static void
begin(struct buffer *out, const struct hrw_placement *p)
{
	buffer_clear(out);
	buffer_printf(out, "{\"name\":\"%s\"", p->name);
	each_param(param, p) if (param->is_required && param->type != HRW_PARAM_SECRET)
	    put_value(out, param);
}

/* What makes a parameter count, or one choice that does not. */
static void
put_condition(
    struct buffer *out, const struct hrw_placement *p, const struct hrw_param *param, bool counts)
{
	const struct hrw_param *with = param_of(p, param->with);
	size_t i = 0;

	if (with->with != NULL && counts)
		put_condition(out, p, with, true);
	while ((strcmp(with->choices[i], param->is) == 0) != counts)
		i++;
	buffer_printf(out, ",\"%s\":\"%s\"", with->name, with->choices[i]);
}

static void
expect_refusal(const char *text, const char *name)
{
	char field[64];

	snprintf(field, sizeof(field), "/%s", name);
	ck_assert_msg(parsed(text, false) == NULL, "%s: taken", text);
	ck_assert_int_eq(fault.error, HRW_BAD_FIELD);
	ck_assert_msg(strcmp(fault.field, field) == 0, "%s: at %s", text, fault.field);
	ck_assert_msg(strstr(fault.detail, name) != NULL, "%s: %s", text, fault.detail);
}

static void
expect_taken(const char *text)
{
	struct hrw_membership *m = parsed(text, false);

	ck_assert_msg(m != NULL, "%s: %s", text, fault.detail);
	hrw_membership_free(m);
}

START_TEST(a_parameter_of_another_placement_is_refused_by_name)
{
	struct buffer text = {0};

	each_placement(p) each_placement(other) each_param(param, other)
	{
		if (param_of(p, param->name) != NULL)
			continue;
		begin(&text, p);
		put_value(&text, param);
		buffer_add_text(&text, "}");
		expect_refusal(buffer_text(&text), param->name);
	}
	buffer_fini(&text);
}
END_TEST

START_TEST(a_parameter_is_taken_where_it_counts_and_else_refused_by_name)
{
	struct buffer text = {0};
	size_t conditions = 0;

	each_placement(p) each_param(param, p)
	{
		if (param->type == HRW_PARAM_SECRET || param->is_required)
			continue;
		begin(&text, p);
		if (param->with != NULL)
			put_condition(&text, p, param, true);
		put_value(&text, param);
		buffer_add_text(&text, "}");
		expect_taken(buffer_text(&text));
		if (param->with == NULL)
			continue;
		begin(&text, p);
		put_condition(&text, p, param, false);
		put_value(&text, param);
		buffer_add_text(&text, "}");
		expect_refusal(buffer_text(&text), param->name);
		conditions++;
	}
	ck_assert_uint_ge(conditions, 13);
	buffer_fini(&text);
}
END_TEST

/* Frozen, as an answer shows it. */
static char *
shown(struct hrw_membership *m)
{
	struct buffer text = {0};
	struct json_out o = json_out(&text);

	ck_assert_ptr_nonnull(m);
	ck_assert_msg(hrw_membership_freeze(m, NULL, &fault) == 0, "%s: %s", m->placement->name,
	    fault.detail);
	document_placement_write(&o, NULL, m);
	hrw_membership_free(m);
	return buffer_take(&text);
}

START_TEST(what_is_shown_of_a_placement_is_taken_back)
{
	struct buffer text = {0};

	each_placement(p)
	{
		each_param(choice, p)
		{
			if (choice->type != HRW_PARAM_CHOICE || choice->with != NULL)
				continue;
			for (size_t i = 0; choice->choices[i] != NULL; i++) {
				char *first, *again;

				begin(&text, p);
				buffer_printf(
				    &text, ",\"%s\":\"%s\"", choice->name, choice->choices[i]);
				if (strcmp(choice->choices[i], "hash") == 0 &&
				    param_of(p, "host") != NULL)
					buffer_add_text(&text, ",\"host\":\"h.test\"");
				buffer_add_text(&text, "}");
				first = shown(parsed(buffer_text(&text), false));
				again = shown(parsed(first, false));
				ck_assert_str_eq(first, again);
				free(first);
				free(again);
			}
		}
	}
	buffer_fini(&text);
}
END_TEST

START_TEST(what_a_store_holds_without_effect_is_passed_over)
{
	static const struct {
		const char *stored, *shown;
	} rows[] = {
	    {"{\"name\":\"uhashring\",\"hash\":\"md5\",\"vnodes\":3,\"points_per_digest\":2}",
		"{\"name\":\"uhashring\",\"hash\":\"md5\",\"vnodes\":3}"},
	    {"{\"name\":\"squid-carp\",\"carp_key\":[]}", "{\"name\":\"squid-carp\"}"},
	    {"{\"name\":\"haproxy-map\",\"hash\":\"djb2\",\"avalanche\":true,\"balance\":\"hash\","
	     "\"len\":4,\"depth\":0,\"whole\":true}",
		"{\"name\":\"haproxy-map\",\"hash\":\"djb2\",\"avalanche\":true,\"balance\":"
		"\"hash\"}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = shown(parsed(rows[i].stored, true));

		ck_assert_str_eq(text, rows[i].shown);
		free(text);
	}
}
END_TEST

START_TEST(pools_that_place_alike_are_alike_whatever_was_without_effect)
{
	struct hrw_membership *a =
	    parsed("{\"name\":\"uhashring\",\"points_per_digest\":2,\"hash\":\"md5\"}", true);
	struct hrw_membership *b = parsed("{\"name\":\"uhashring\"}", true);

	ck_assert_int_eq(hrw_membership_freeze(a, NULL, NULL), 0);
	ck_assert_int_eq(hrw_membership_freeze(b, NULL, NULL), 0);
	ck_assert(hrw_membership_places_alike(a, b));
	hrw_membership_free(a);
	hrw_membership_free(b);
}
END_TEST

START_TEST(a_list_that_names_nothing_is_refused)
{
	struct buffer text = {0};
	size_t lists = 0;

	each_placement(p) each_param(param, p)
	{
		if (param->type != HRW_PARAM_SET && param->type != HRW_PARAM_HOSTS)
			continue;
		begin(&text, p);
		buffer_printf(&text, ",\"%s\":[]}", param->name);
		expect_refusal(buffer_text(&text), param->name);
		ck_assert_ptr_nonnull(strstr(fault.detail, "leave it out"));
		lists++;
	}
	ck_assert_uint_eq(lists, 3);
	buffer_fini(&text);
}
END_TEST

/* The value is shown, and what may be used instead reads as a sentence where there
 * is but one, too. */
START_TEST(a_refusal_shows_the_value_and_says_what_to_use)
{
	static const struct {
		const char *text, *detail;
	} rows[] = {
	    {"{\"name\":\"ring\",\"hash\":\"md5\"}", "\"hash\" is \"md5\" here: use blake2b"},
	    {"{\"name\":\"ring\",\"hash\":null}", "\"hash\" is null here: use blake2b"},
	    {"{\"name\":\"modulo\",\"hash\":5}", "\"hash\" is 5 here: use one of fmix32, blake2b"},
	    {"{\"name\":\"ring\",\"vnodes\":0}",
		"\"vnodes\" is 0 here: use a whole number from 1 to 100000"},
	    {"{\"name\":\"ring\",\"vnodes\":\"9\"}",
		"\"vnodes\" is \"9\" here: use a whole number from 1 to 100000"},
	    {"{\"name\":\"twemproxy-modula\",\"hash_tag\":\"{\"}",
		"\"hash_tag\" is \"{\" here: use a text of 2 bytes"},
	    {"{\"name\":\"varnish-shard\",\"by\":\"hash\",\"host\":\"\"}",
		"\"host\" is \"\" here: use a text of 1 to 255 bytes"},
	    {"{\"name\":\"haproxy-map\",\"avalanche\":1}",
		"\"avalanche\" is 1 here: use true or false"},
	    {"{\"name\":\"squid-carp\",\"carp_key\":\"host\"}",
		"\"carp_key\" is \"host\" here: use a list of names"},
	    {"{\"name\":\"squid-carp\",\"carp_key\":[\"port\",\"user\"]}",
		"\"carp_key\" has \"user\": use some of scheme, host, port, path, params"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ck_assert_ptr_null(parsed(rows[i].text, false));
		ck_assert_str_eq(fault.detail, rows[i].detail);
	}
}
END_TEST

START_TEST(who_names_no_placement_is_told_all_of_them)
{
	ck_assert_ptr_null(parsed("{\"name\":\"rendevous\"}", false));
	each_placement(p)
	    ck_assert_msg(strstr(fault.detail, p->name) != NULL, "%s: %s", p->name, fault.detail);
}
END_TEST

SUITE(placement_document)
{
	tcase_add_test(tests, who_names_no_placement_is_told_all_of_them);
	tcase_add_test(tests, a_parameter_of_another_placement_is_refused_by_name);
	tcase_add_test(tests, a_parameter_is_taken_where_it_counts_and_else_refused_by_name);
	tcase_add_test(tests, what_is_shown_of_a_placement_is_taken_back);
	tcase_add_test(tests, what_a_store_holds_without_effect_is_passed_over);
	tcase_add_test(tests, pools_that_place_alike_are_alike_whatever_was_without_effect);
	tcase_add_test(tests, a_list_that_names_nothing_is_refused);
	tcase_add_test(tests, a_refusal_shows_the_value_and_says_what_to_use);
}
