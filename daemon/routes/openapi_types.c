/*
 * openapi_types.c - shapes and placements as JSON Schema (2020-12).
 */
#include <stdio.h>

#include "core/membership.h"
#include "daemon/routes/shapes.h"

#define SCHEMAS		  "#/components/schemas/"
#define NODE_NAME_PATTERN "\"^[a-z][a-z0-9.-]{0,252}$\""

enum { WORD = 64 };

/* A type that is no shape: a JSON type with what narrows it, as JSON. */
static const struct basic {
	const char *name, *type;
	const char *keyword[2], *value[2];
} basics[] = {
    {"text", "string", {NULL}, {NULL}},
    {"flag", "boolean", {NULL}, {NULL}},
    {"integer", "integer", {NULL}, {NULL}},
    {"number", "number", {NULL}, {NULL}},
    {"null", "null", {NULL}, {NULL}},
    {"any", NULL, {NULL}, {NULL}},
    {"true", "boolean", {"const"}, {"true"}},
    {"count", "integer", {"minimum"}, {"0"}},
    {"epoch", "integer", {"minimum"}, {"1"}},
    {"copies", "integer", {"minimum", "maximum"}, {"1", "64"}},
    {"share", "number", {"minimum", "maximum"}, {"0", "1"}},
    {"weight", "number", {"minimum", "maximum"}, {"0", "1e9"}},
    {"name", "string", {"pattern"}, {NODE_NAME_PATTERN}},
    {"address", "string", {"pattern"}, {"\":[0-9]+$\""}},
    {"zone", "string", {"pattern"}, {"\"^[A-Za-z0-9._-]{1,64}$\""}},
    {"state", "string", {"enum"}, {"[\"active\",\"joining\",\"draining\"]"}},
    {"outcome", "string", {"enum"}, {"[\"applied\",\"unchanged\",\"dry_run\"]"}},
    {"time", "string", {"format"}, {"\"date-time\""}},
    {"hex", "string", {"pattern"}, {"\"^[0-9a-f]{16}$\""}},
    {"fingerprint", "string", {"pattern"}, {"\"^[0-9a-f]{16}$\""}},
    {"base64", "string", {"contentEncoding"}, {"\"base64\""}},
    {"slots", "array", {"items", "description"},
	{"{\"type\":\"integer\",\"minimum\":0}", "\"First and last, both included\""}},
    {"token", "string", {"pattern"}, {"\"^-?[0-9]+$\""}},
};

/* A part of a type, without the quotes or brackets around it. */
struct part {
	char kind; /* one of [ { ' for a list, a map, a text; 0: a word */
	struct hrw_bytes inner;
};

static bool
is_word(struct hrw_bytes text, const char *word)
{
	return hrw_bytes_equal(text, hrw_text(word));
}

/* The next alternative of a type; false at its end. */
static bool
next_part(const char **at, const char *end, struct part *out)
{
	static const char openers[] = "[{'", closers[] = "]}'";
	const char *opener = *at < end ? strchr(openers, **at) : NULL;
	const char *from = *at;
	int depth = 0;

	if (from >= end)
		return false;
	if (opener == NULL) {
		while (*at < end && **at != '|')
			++*at;
		*out = (struct part){0, hrw_bytes(from, (size_t)(*at - from))};
	} else {
		char closer = closers[opener - openers];

		do {
			if (**at == closer && (depth > 0))
				depth--;
			else if (**at == *opener)
				depth++;
			++*at;
		} while (depth > 0 && *at < end);
		*out = (struct part){*opener, hrw_bytes(from + 1, (size_t)(*at - from) - 2)};
	}
	if (*at < end && **at == '|')
		++*at;
	return true;
}

static void put_schema(
    struct json_out *o, const char *name, struct hrw_bytes type, const char *help);

/* "count(1..64)": a word and a range. */
static void
put_word(struct json_out *o, struct hrw_bytes word)
{
	const uint8_t *range = memchr(word.data, '(', word.len);
	size_t len = range != NULL ? (size_t)(range - word.data) : word.len;
	char least[WORD] = "", most[WORD] = "", target[WORD + sizeof(SCHEMAS)];

	if (range != NULL)
		sscanf((const char *)range, "(%63[0-9].%*1[.]%63[0-9]", least, most);
	for (size_t i = 0; i < sizeof(basics) / sizeof(*basics); i++) {
		const struct basic *b = &basics[i];

		if (!is_word(hrw_bytes(word.data, len), b->name))
			continue;
		if (b->type != NULL)
			json_put_text(o, "type", b->type);
		for (size_t k = 0; range == NULL && k < 2 && b->keyword[k] != NULL; k++)
			json_put_raw(o, b->keyword[k], hrw_text(b->value[k]));
		if (range != NULL) {
			json_put_raw(o, "minimum", hrw_text(least));
			json_put_raw(o, "maximum", hrw_text(most));
		}
		return;
	}
	snprintf(target, sizeof(target), SCHEMAS "%.*s", (int)word.len, (const char *)word.data);
	json_put_text(o, "$ref", target);
}

static void
put_part(struct json_out *o, const struct part *part)
{
	switch (part->kind) {
	case '[':
		json_put_text(o, "type", "array");
		put_schema(o, "items", part->inner, NULL);
		break;
	case '{':
		json_put_text(o, "type", "object");
		put_schema(o, "additionalProperties", part->inner, NULL);
		break;
	case '\'':
		json_put_bytes(o, "const", part->inner);
		break;
	default:
		put_word(o, part->inner);
	}
}

static void
put_alternatives(struct json_out *o, struct hrw_bytes type, bool is_enum)
{
	const char *at = (const char *)type.data, *end = at + type.len;
	struct part part;

	json_open_array(o, is_enum ? "enum" : "anyOf");
	while (next_part(&at, end, &part)) {
		if (is_enum && part.kind == 0) {
			json_put_null(o, NULL);
		} else if (is_enum) {
			json_put_bytes(o, NULL, part.inner);
		} else {
			json_open_object(o, NULL);
			put_part(o, &part);
			json_close_object(o);
		}
	}
	json_close_array(o);
}

static void
put_schema(struct json_out *o, const char *name, struct hrw_bytes type, const char *help)
{
	const char *at = (const char *)type.data, *end = at + type.len;
	struct part part, first = {0};
	bool is_enum = true;
	size_t count = 0;

	while (next_part(&at, end, &part)) {
		if (count++ == 0)
			first = part;
		is_enum = is_enum && (part.kind == '\'' || is_word(part.inner, "null"));
	}
	json_open_object(o, name);
	if (count == 1)
		put_part(o, &first);
	else
		put_alternatives(o, type, is_enum);
	if (help != NULL)
		json_put_text(o, "description", help);
	json_close_object(o);
}

void
shape_put_type(struct json_out *o, const char *name, const char *type, const char *help)
{
	put_schema(o, name, hrw_text(type), help);
}

/* Is a member there always? */
static bool
is_required(const struct shape *shape, const struct shape_member *member, size_t len)
{
	const char *at = shape->required;

	if (at == NULL)
		return member->name[len] != '?';
	while ((at = strstr(at, member->name)) != NULL) {
		if (at[len] == '\0' || at[len] == ' ')
			return true;
		at += len;
	}
	return false;
}

static void
put_members(struct json_out *o, const struct shape *shape)
{
	json_open_object(o, "properties");
	for (size_t i = 0; i < SHAPE_PARTS && shape->parts[i] != NULL; i++)
		for (const struct shape_member *m = shape->parts[i]; m->name != NULL; m++) {
			char name[WORD];

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(m->name, "?"), m->name);
			shape_put_type(o, name, m->type, m->help);
		}
	json_close_object(o);
}

static void
put_required(struct json_out *o, const struct shape *shape)
{
	json_open_array(o, "required");
	for (size_t i = 0; i < SHAPE_PARTS && shape->parts[i] != NULL; i++)
		for (const struct shape_member *m = shape->parts[i]; m->name != NULL; m++) {
			size_t len = strcspn(m->name, "?");

			if (is_required(shape, m, len))
				json_put_bytes(o, NULL, hrw_bytes(m->name, len));
		}
	json_close_array(o);
}

static void
put_shape(struct json_out *o, const struct shape *shape)
{
	if (shape->parts[0] == NULL) {
		shape_put_type(o, shape->name, shape->type, shape->help);
		return;
	}
	json_open_object(o, shape->name);
	json_put_text(o, "type", "object");
	json_put_text(o, "description", shape->help);
	put_members(o, shape);
	put_required(o, shape);
	json_put_bool(o, "additionalProperties", false);
	json_close_object(o);
}

/* Placements, from their own tables. */

static void
put_choices(struct json_out *o, const struct hrw_param *param)
{
	json_open_array(o, "enum");
	for (size_t i = 0; param->choices[i] != NULL; i++)
		json_put_text(o, NULL, param->choices[i]);
	json_close_array(o);
}

static void
put_param(struct json_out *o, const struct hrw_param *param)
{
	struct buffer help = {0};

	buffer_add_text(&help, param->help);
	if (param->with != NULL)
		buffer_printf(&help, "; counts only where %s is %s", param->with, param->is);
	json_open_object(o, param->name);
	json_put_text(o, "description", buffer_text(&help));
	buffer_fini(&help);
	switch (param->type) {
	case HRW_PARAM_CHOICE:
		put_choices(o, param);
		break;
	case HRW_PARAM_COUNT:
		json_put_text(o, "type", "integer");
		json_put_count(o, "minimum", param->min);
		json_put_count(o, "maximum", param->max);
		break;
	case HRW_PARAM_FLAG:
		json_put_text(o, "type", "boolean");
		break;
	case HRW_PARAM_SET:
		json_put_text(o, "type", "array");
		json_put_bool(o, "uniqueItems", true);
		json_open_object(o, "items");
		put_choices(o, param);
		json_close_object(o);
		break;
	case HRW_PARAM_HOSTS:
		json_put_text(o, "type", "array");
		json_put_raw(o, "items", hrw_text("{\"$ref\":\"" SCHEMAS "host\"}"));
		break;
	case HRW_PARAM_SECRET:
	case HRW_PARAM_TEXT:
		json_put_text(o, "type", "string");
		break;
	}
	json_close_object(o);
}

static void
placement_schema_name(const struct hrw_placement *p, char out[WORD])
{
	snprintf(out, WORD, "placement.%s", p->name);
}

static void
put_placement(struct json_out *o, const struct hrw_placement *p)
{
	const struct hrw_param *param = p->params;
	char name[WORD];

	placement_schema_name(p, name);
	json_open_object(o, name);
	json_put_text(o, "type", "object");
	json_put_text(o, "description", p->source);
	json_open_object(o, "properties");
	json_open_object(o, "name");
	json_put_text(o, "const", p->name);
	json_close_object(o);
	for (size_t i = 0; param != NULL && param[i].name != NULL; i++)
		put_param(o, &param[i]);
	json_close_object(o);
	json_put_raw(o, "required", hrw_text("[\"name\"]"));
	json_put_bool(o, "additionalProperties", false);
	json_close_object(o);
}

/* Any of them; and as they may be asked for: by name alone, too. */
static void
put_placements(struct json_out *o)
{
	char target[2 * WORD], name[WORD];

	for (size_t i = 0; hrw_placements[i] != NULL; i++)
		put_placement(o, hrw_placements[i]);
	json_open_object(o, "placement");
	json_put_text(o, "description", "A placement with its parameters");
	json_open_array(o, "oneOf");
	for (size_t i = 0; hrw_placements[i] != NULL; i++) {
		placement_schema_name(hrw_placements[i], name);
		snprintf(target, sizeof(target), SCHEMAS "%s", name);
		json_open_object(o, NULL);
		json_put_text(o, "$ref", target);
		json_close_object(o);
	}
	json_close_array(o);
	json_close_object(o);

	json_open_object(o, "placement_name");
	json_open_array(o, "enum");
	for (size_t i = 0; hrw_placements[i] != NULL; i++)
		json_put_text(o, NULL, hrw_placements[i]->name);
	json_close_array(o);
	json_close_object(o);
	shape_put_type(o, "placement_choice", "placement_name|placement",
	    "A placement, by name or with parameters");
}

static void
put_codes(struct json_out *o)
{
	static const char *const codes[] = {
#define CODE(name, number, code, title) code,
	    HRW_ERRORS(CODE)
#undef CODE
	};

	json_open_object(o, "code");
	json_put_text(o, "description", "Why it was refused; stable");
	json_open_array(o, "enum");
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		json_put_text(o, NULL, codes[i]);
	json_close_array(o);
	json_close_object(o);
}

void
shape_put_all(struct json_out *o)
{
	static const struct shape *const tables[] = {shapes_pool, shapes_change, shapes_compare};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct shape *shape = tables[i]; shape->name != NULL; shape++)
			put_shape(o, shape);
	put_placements(o);
	put_codes(o);
}
