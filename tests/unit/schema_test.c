/*
 * schema_test.c - conf/hrwd.schema.json says what the table of options says, and
 * knows every placement.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/config/config.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static struct json *schema;

static void
read_schema(void)
{
	size_t len;
	const char *text_of = text_file("conf/hrwd.schema.json", &len);
	struct hrw_fault fault = {0};

	ck_assert_ptr_nonnull(text_of);
	schema = json_parse(hrw_bytes(text_of, len), JSON_STRICT, &fault);
	ck_assert_msg(schema != NULL, "%s", fault.detail);
}

static void
free_schema(void)
{
	json_free(schema);
}

/* The schema of an option; NULL: it has none. */
static const struct json *
entry(const struct config_option *o)
{
	return json_at(schema, o->section == NULL
				   ? text("/properties/%s", o->name)
				   : text("/properties/%s/properties/%s", o->section, o->name));
}

/* A member as it is written; "" where there is none. */
static const char *
source(const struct json *object, const char *name)
{
	const struct json *j = json_get(object, name);
	struct hrw_bytes written;

	if (j == NULL)
		return "";
	written = json_source(j);
	return text("%.*s", (int)written.len, (const char *)written.data);
}

static bool
is_range(const struct config_option *o)
{
	return strcmp(o->type, "a whole number") == 0;
}

START_TEST(every_option_has_its_help_default_and_range_in_the_schema)
{
	for (const struct config_option *o = config_options; o->name != NULL; o++) {
		const struct json *j = entry(o);

		ck_assert_msg(j != NULL, "the schema lacks %s", o->name);
		ck_assert_str_eq(json_text(json_get(j, "description")), o->help);
		ck_assert_str_eq(source(j, "default"), o->initial == NULL ? "" : o->initial);
		ck_assert_str_eq(source(j, "minimum"),
		    is_range(o) ? text("%llu", (unsigned long long)o->min) : "");
		ck_assert_str_eq(source(j, "maximum"),
		    is_range(o) ? text("%llu", (unsigned long long)o->max) : "");
		if (o->choices == NULL)
			continue;
		ck_assert_ptr_nonnull(json_get(j, "enum"));
		json_each (choice, json_get(j, "enum")) {
			const char *const *word = o->choices;

			while (*word != NULL && strcmp(*word, json_text(choice)) != 0)
				word++;
			ck_assert_msg(*word != NULL, "%s: %s", o->name, json_text(choice));
		}
	}
}
END_TEST

static bool
is_option(const char *section, const char *name)
{
	for (const struct config_option *o = config_options; o->name != NULL; o++)
		if (strcmp(o->name, name) == 0 &&
		    (section == NULL ? o->section == NULL
				     : o->section != NULL && strcmp(o->section, section) == 0))
			return true;
	return false;
}

START_TEST(the_schema_has_no_option_that_hrwd_lacks)
{
	json_each (j, json_get(schema, "properties")) {
		const struct json *inner = json_get(j, "properties");

		if (inner == NULL)
			ck_assert_msg(is_option(NULL, json_name(j)), "%s", json_name(j));
		json_each (option, inner)
			ck_assert_msg(is_option(json_name(j), json_name(option)), "%s.%s",
			    json_name(j), json_name(option));
	}
}
END_TEST

START_TEST(the_schema_lists_every_placement)
{
	const struct json *list = json_at(schema, "/$defs/placement/enum");
	size_t at = 0;

	json_each (name, list) {
		ck_assert_ptr_nonnull(hrw_placements[at]);
		ck_assert_str_eq(json_text(name), hrw_placements[at]->name);
		at++;
	}
	ck_assert_ptr_null(hrw_placements[at]);
}
END_TEST

SUITE(schema)
{
	tcase_add_checked_fixture(tests, read_schema, free_schema);
	tcase_add_test(tests, every_option_has_its_help_default_and_range_in_the_schema);
	tcase_add_test(tests, the_schema_has_no_option_that_hrwd_lacks);
	tcase_add_test(tests, the_schema_lists_every_placement);
}
