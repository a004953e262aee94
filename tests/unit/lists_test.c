/*
 * lists_test.c - what is listed in several places is listed alike: routes, options,
 * commands, metrics, the fields of a node.
 *
 * Help, manual pages, completion and /openapi.json are made from the tables; here the
 * texts that people write are held to them.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/config/config.h"
#include "daemon/ctl/command.h"
#include "daemon/members/document.h"
#include "daemon/metrics/metrics.h"
#include "daemon/routes/routes.h"
#include "daemon/routes/shapes.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static const char *readme;

static void
read_readme(void)
{
	readme = text_file("README.md", NULL);
	ck_assert_ptr_nonnull(readme);
}

/* From one heading to the next. */
static const char *
chapter(const char *heading)
{
	const char *from = strstr(readme, text("\n## %s\n", heading)), *to;

	ck_assert_msg(from != NULL, "the README has no \"%s\"", heading);
	to = strstr(from + 1, "\n## ");
	return text("%.*s", to != NULL ? (int)(to - from) : (int)strlen(from), from);
}

/* "/nodes/{name}/drain" is listed whole, or as "`/drain`" behind another of its kind. */
START_TEST(the_readme_lists_every_route)
{
	const char *interface = chapter("Interface");

	for (size_t i = 0; i < route_count; i++) {
		const char *path = routes[i].path;
		bool is_whole = strstr(interface, text("%s`", path)) != NULL ||
				strstr(interface, text("%s?", path)) != NULL;

		ck_assert_msg(is_whole || strstr(interface, text("`%s`", strrchr(path, '/'))),
		    "the README's interface lacks %s", path);
	}
}
END_TEST

static bool
is_end_of_route(const char *path, size_t len)
{
	for (size_t i = 0; i < route_count; i++) {
		size_t whole = strlen(routes[i].path);

		if (whole >= len && memcmp(routes[i].path + whole - len, path, len) == 0)
			return true;
	}
	return false;
}

START_TEST(every_path_in_the_readmes_interface_is_a_route)
{
	const char *at = strstr(chapter("Interface"), "| ask | path |");
	size_t found = 0;

	ck_assert_ptr_nonnull(at);
	at = text("%.*s", (int)(strstr(at, "\n\n") - at), at);
	for (; (at = strchr(at, '/')) != NULL; found++) {
		size_t len = strcspn(at, "`?, ");

		/* "`PUT`/`PATCH`" has a slash of its own. */
		if (len > 1)
			ck_assert_msg(is_end_of_route(at, len), "%.*s is no route", (int)len, at);
		at += len > 0 ? len : 1;
	}
	ck_assert_uint_gt(found, 20);
}
END_TEST

START_TEST(every_option_that_the_readme_names_exists)
{
	static const char *const sections[] = {"limits", "auth", "tls", "listen", "store", "log"};

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		const char *dotted = text("`%s.", sections[i]);

		for (const char *at = readme; (at = strstr(at, dotted)) != NULL;) {
			const struct config_option *o = config_options;
			size_t len = strcspn(at += strlen(dotted), "`");

			while (o->name != NULL &&
			       (o->section == NULL || strcmp(o->section, sections[i]) != 0 ||
				   strncmp(o->name, at, len) != 0 || o->name[len] != '\0'))
				o++;
			ck_assert_msg(
			    o->name != NULL, "the README names %s.%.*s", sections[i], (int)len, at);
		}
	}
}
END_TEST

START_TEST(every_command_that_the_readme_shows_exists)
{
	static const char shown[] = "`hrwctl ";
	size_t found = 0;

	for (const char *at = readme; (at = strstr(at, shown)) != NULL;) {
		char first[32], second[32] = "", *words[] = {first, second};
		size_t taken = 0;

		at += strlen(shown);
		if (sscanf(at, "%31[a-z] %31[a-z]", first, second) < 1)
			continue; /* an option */
		found++;
		ck_assert_msg(
		    command_find(words, 2, &taken) != NULL, "there is no hrwctl %s", first);
	}
	ck_assert_uint_gt(found, 5);
}
END_TEST

START_TEST(the_readme_lists_every_metric)
{
	const char *metrics = chapter("Metrics");

	for (size_t i = 0; metrics_name(i) != NULL; i++)
		ck_assert_msg(strstr(metrics, text("`%s`", metrics_name(i))) != NULL,
		    "the README lacks %s", metrics_name(i));
}
END_TEST

START_TEST(every_metric_that_the_readme_names_exists)
{
	static const char *const prefixes[] = {"`hrwd_", "`process_"};
	size_t found = 0, count = 0;

	for (size_t i = 0; i < 2; i++)
		for (const char *at = readme; (at = strstr(at, prefixes[i])) != NULL; found++) {
			size_t len = strcspn(++at, "`{"), k = 0;

			while (metrics_name(k) != NULL && (strncmp(metrics_name(k), at, len) != 0 ||
							      metrics_name(k)[len] != '\0'))
				k++;
			ck_assert_msg(metrics_name(k) != NULL, "%.*s is no metric", (int)len, at);
		}
	while (metrics_name(count) != NULL)
		count++;
	ck_assert_uint_ge(found, count);
}
END_TEST

static bool
has_member(const struct shape *shape, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < SHAPE_PARTS && shape->parts[i] != NULL; i++)
		for (const struct shape_member *m = shape->parts[i]; m->name != NULL; m++)
			if (strncmp(m->name, name, len) == 0 &&
			    (m->name[len] == '\0' || m->name[len] == '?'))
				return true;
	return false;
}

static const struct shape *
shape_find(const char *name)
{
	const struct shape *shape = shapes_pool;

	while (shape->name != NULL && strcmp(shape->name, name) != 0)
		shape++;
	ck_assert_msg(shape->name != NULL, "there is no shape %s", name);
	return shape;
}

START_TEST(fields_of_a_node_are_described_where_they_may_be)
{
	static const char *const answers[] = {"node", "listed_node", "one_node"};
	static const char *const requests[] = {"node_sent", "listed_node_sent"};

	for (unsigned bit = 1; (bit & NODE_FIELDS) != 0; bit <<= 1) {
		const char *name = document_field_name(bit);

		for (size_t i = 0; i < 3; i++)
			ck_assert_msg(has_member(shape_find(answers[i]), name), "%s", name);
		for (size_t i = 0; i < 2; i++)
			ck_assert_msg(has_member(shape_find(requests[i]), name), "%s", name);
		ck_assert_msg(
		    has_member(shape_find("node_patch"), name) == ((bit & NODE_EDITABLE) != 0),
		    "%s", name);
	}
}
END_TEST

START_TEST(the_schema_has_every_field_of_a_node)
{
	size_t len;
	const char *content = text_file("conf/hrwd.schema.json", &len);
	struct json *schema = json_parse(hrw_bytes(content, len), JSON_STRICT, NULL);
	const struct json *node = json_at(schema, "/$defs/node/properties");

	ck_assert_ptr_nonnull(node);
	for (unsigned bit = 1; (bit & NODE_FIELDS) != 0; bit <<= 1)
		ck_assert_msg(json_get(node, document_field_name(bit)) != NULL, "%s",
		    document_field_name(bit));
	json_free(schema);
}
END_TEST

SUITE(lists)
{
	tcase_add_checked_fixture(tests, read_readme, NULL);
	tcase_add_test(tests, the_readme_lists_every_route);
	tcase_add_test(tests, every_path_in_the_readmes_interface_is_a_route);
	tcase_add_test(tests, every_option_that_the_readme_names_exists);
	tcase_add_test(tests, every_command_that_the_readme_shows_exists);
	tcase_add_test(tests, the_readme_lists_every_metric);
	tcase_add_test(tests, every_metric_that_the_readme_names_exists);
	tcase_add_test(tests, fields_of_a_node_are_described_where_they_may_be);
	tcase_add_test(tests, the_schema_has_every_field_of_a_node);
}
