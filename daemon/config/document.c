/*
 * document.c - from JSON to the options' values; no file is opened here but
 * the secrets that pools are read by.
 *
 * Defaults are JSON in the table of options and go through the same readers as a
 * file, so a default that its own option would refuse cannot be shipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/private.h"

enum { CONFIG_NAMES_MAX = 64 };

static int
read_default(struct config *c, const struct config_option *option, struct hrw_fault *fault)
{
	struct json *j = json_parse(hrw_text(option->initial), JSON_STRICT, fault);
	int rc;

	if (j == NULL)
		return fault->error;
	rc = option->read(c, option, j, fault);
	json_free(j);
	return rc;
}

int
config_read_defaults(struct config *c, struct hrw_fault *fault)
{
	int rc = 0;

	for (const struct config_option *o = config_options; o->name != NULL && rc == 0; o++)
		if (o->initial != NULL)
			rc = read_default(c, o, fault);
	return rc;
}

/* The names known in a section, or those and the sections outermost. */
static int
check_names(const struct json *object, const char *section, struct hrw_fault *fault)
{
	const char *names[CONFIG_NAMES_MAX];
	size_t count = 0;

	if (json_type(object) != JSON_OBJECT)
		return json_fault(object, fault, HRW_BAD_FIELD, "%s is %s here: give an object",
		    section == NULL ? "a configuration" : section,
		    json_type_name(json_type(object)));
	for (const struct config_option *o = config_options; o->name != NULL; o++) {
		const char *name = section == NULL && o->section != NULL ? o->section : o->name;

		if (section != NULL && (o->section == NULL || strcmp(o->section, section) != 0))
			continue;
		if (count == 0 || strcmp(names[count - 1], name) != 0)
			names[count++] = name;
	}
	names[count] = NULL;
	return json_only(object, names, fault);
}

int
config_read_document(struct config *c, struct hrw_fault *fault)
{
	const char *section = NULL;
	int rc = check_names(c->document, NULL, fault);

	for (const struct config_option *o = config_options; o->name != NULL && rc == 0; o++) {
		const struct json *object = c->document, *value;

		if (o->section != NULL)
			object = json_get(c->document, o->section);
		if (object == NULL)
			continue;
		if (o->section != NULL && (section == NULL || strcmp(section, o->section) != 0)) {
			section = o->section;
			rc = check_names(object, section, fault);
			if (rc < 0)
				return rc;
		}
		value = json_get(object, o->name);
		if (value != NULL)
			rc = o->read(c, o, value, fault);
	}
	return rc;
}

/* The value that a pointer names, or where that is not there, the one it should
 * stand in; NULL: it names none. */
static const struct json *
place_of(const struct json *document, const char *pointer)
{
	const char *last = strrchr(pointer, '/');
	const struct json *at = json_at(document, pointer);
	char within[HRW_FAULT_FIELD];

	if (at != NULL || last == NULL)
		return at;
	snprintf(within, sizeof(within), "%.*s", (int)(last - pointer), pointer);
	return json_at(document, within);
}

int
config_locate(const char *path, const struct json *document, struct hrw_fault *fault)
{
	char said[HRW_FAULT_DETAIL], field[HRW_FAULT_FIELD];
	const struct json *at = document == NULL ? NULL : place_of(document, fault->field);
	unsigned line = 0, column = 0;
	int skip = 0;

	if (at != NULL)
		json_position(at, &line, &column);
	else if (sscanf(fault->detail, "line %u, column %u: %n", &line, &column, &skip) < 2)
		skip = 0;
	snprintf(said, sizeof(said), "%s", fault->detail + skip);
	snprintf(field, sizeof(field), "%s", fault->field);
	hrw_fault(fault, fault->error, "%s:%u:%u: %s%s%s", path, line, column, field,
	    field[0] == '\0' ? "" : ": ", said);
	return hrw_fault_at(fault, "%s", field);
}

int
config_check_elsewhere(const char *path, struct json *document, struct hrw_fault *fault)
{
	struct config *c = calloc(1, sizeof(*c));
	int rc;

	if (c == NULL)
		return config_no_memory(fault);
	c->is_elsewhere = true;
	rc = config_read_defaults(c, fault);
	c->document = document;
	if (rc == 0)
		rc = config_read_document(c, fault);
	if (rc < 0)
		config_locate(path, document, fault);
	config_values_fini(c);
	free(c);
	return rc;
}
