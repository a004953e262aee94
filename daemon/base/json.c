/*
 * json.c - the tree: cJSON's items, each with where it stands in the text.
 *
 * The recogniser has accepted the text and noted every value in preorder; cJSON
 * then reads the clean form of it, and a walk in the same order brings the two
 * together. Nodes are one array, so children are pointers and nothing is
 * searched twice.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/guess.h"
#include "daemon/base/json.h"
#include "daemon/base/json_check.h"

enum { FEW_MEMBERS = 12 };

struct json {
	const cJSON *item;
	const struct json *parent, *first, *next;
	uint32_t len;	/* of a string's bytes, NULs included; of a container: its children */
	uint32_t index; /* among its siblings */
	struct json_span span;
};

/* What a root stands at the beginning of. */
struct document {
	cJSON *tree;
	char *text; /* as it was given */
	size_t len, count;
	struct json node[];
};

static const struct document *
document_of(const struct json *j)
{
	while (j->parent != NULL)
		j = j->parent;
	return (const struct document *)(const void *)((const char *)j -
						       offsetof(struct document, node));
}

static struct hrw_bytes
text_of(const struct document *d)
{
	return hrw_bytes(d->text, d->len);
}

static void
document_free(struct document *d)
{
	if (d == NULL)
		return;
	cJSON_Delete(d->tree);
	free(d->text);
	free(d);
}

/* Puts the NULs back into a string, which had to be one C string for cJSON. */
static uint32_t
restore(char *text)
{
	size_t len = strlen(text);

	for (char *at = text; (at = memchr(at, JSON_NUL, len - (size_t)(at - text))) != NULL; at++)
		*at = '\0';
	return (uint32_t)len;
}

/* Fills the nodes from `at` on with an item and all below it: the next free
 * place. Recursion is bounded by JSON_DEPTH_MAX. */
static size_t
attach(struct document *d, const struct json_span *span, size_t at, const cJSON *item,
    const struct json *parent)
{
	struct json *j = &d->node[at], *last = NULL;
	size_t next = at + 1;

	*j = (struct json){.item = item, .parent = parent, .span = span[at]};
	if (cJSON_IsString(item))
		j->len = restore(item->valuestring);
	for (const cJSON *child = item->child; child != NULL; child = child->next) {
		struct json *node = &d->node[next];

		next = attach(d, span, next, child, j);
		if (last == NULL)
			j->first = node;
		else
			last->next = node;
		last = node;
		node->index = j->len++;
	}
	return next;
}

static struct document *
build(struct hrw_bytes text, const struct json_check *check)
{
	struct document *d = calloc(1, sizeof(*d) + check->count * sizeof(d->node[0]));

	if (d == NULL)
		return NULL;
	d->text = malloc(text.len);
	d->tree = cJSON_ParseWithLengthOpts(check->clean.data, check->clean.len, NULL, true);
	if (d->text == NULL || d->tree == NULL) {
		document_free(d);
		return NULL;
	}
	memcpy(d->text, text.data, text.len);
	d->len = text.len;
	d->count = check->count;
	attach(d, check->span, 0, d->tree, NULL);
	return d;
}

/* By name; the earlier one first where names are equal. */
static int
member_cmp(const void *left, const void *right)
{
	const struct json *a = *(const struct json *const *)left;
	const struct json *b = *(const struct json *const *)right;
	int rc = strcmp(a->item->string, b->item->string);

	return rc != 0 ? rc : (a > b) - (a < b);
}

/* The first member whose name came before; NULL: there is none. Those few of most
 * objects are compared each with each, which costs less than to sort them. */
static const struct json *
repeated_of(const struct json *object, const struct json **list)
{
	const struct json *repeated = NULL;
	size_t count = 0;

	json_each (member, object) {
		for (size_t k = 0; k < count && object->len <= FEW_MEMBERS; k++)
			if (strcmp(list[k]->item->string, member->item->string) == 0)
				return member;
		list[count++] = member;
	}
	if (object->len <= FEW_MEMBERS)
		return NULL;
	qsort(list, count, sizeof(*list), member_cmp);
	for (size_t k = 1; k < count; k++)
		if (strcmp(list[k - 1]->item->string, list[k]->item->string) == 0 &&
		    (repeated == NULL || list[k] < repeated))
			repeated = list[k];
	return repeated;
}

/* No object names a member twice. `list` has room for every value. */
static int
check_repeats(const struct document *d, const struct json **list, struct hrw_fault *fault)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct json *repeated;
		unsigned line, column;

		if (json_type(&d->node[i]) != JSON_OBJECT || d->node[i].len < 2)
			continue;
		repeated = repeated_of(&d->node[i], list);
		if (repeated == NULL)
			continue;
		json_position(repeated, &line, &column);
		return json_fault(repeated, fault, HRW_BAD_FIELD,
		    "line %u, column %u: \"%s\" is given twice in one object: keep one of them",
		    line, column, repeated->item->string);
	}
	return 0;
}

struct json *
json_parse(struct hrw_bytes text, unsigned flags, struct hrw_fault *fault)
{
	struct json_check check = {0};
	struct document *d = NULL;
	const struct json **list = NULL;
	int rc = json_check(text, flags, &check, fault);

	if (rc < 0)
		goto out;
	d = build(text, &check);
	list = malloc(check.count * sizeof(*list));
	if (d == NULL || list == NULL) {
		rc = hrw_fault(
		    fault, HRW_INTERNAL, "no memory for a JSON text of %zu bytes", text.len);
		goto out;
	}
	rc = check_repeats(d, list, fault);
out:
	free(list);
	json_check_fini(&check);
	if (rc < 0) {
		document_free(d);
		return NULL;
	}
	return d->node;
}

void
json_free(struct json *root)
{
	if (root == NULL)
		return;
	document_free((struct document *)(void *)((char *)root - offsetof(struct document, node)));
}

enum json_type
json_type(const struct json *j)
{
	switch (j->item->type & 0xff) {
	case cJSON_True:
	case cJSON_False:
		return JSON_BOOL;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

const char *
json_type_name(enum json_type type)
{
	static const char *const name[] = {
	    [JSON_NULL] = "null",
	    [JSON_BOOL] = "true or false",
	    [JSON_NUMBER] = "a number",
	    [JSON_STRING] = "a string",
	    [JSON_ARRAY] = "an array",
	    [JSON_OBJECT] = "an object",
	};

	return name[type];
}

const struct json *
json_first(const struct json *j)
{
	return j != NULL ? j->first : NULL;
}

const struct json *
json_next(const struct json *j)
{
	return j->next;
}

size_t
json_count(const struct json *j)
{
	return cJSON_IsString(j->item) ? 0 : j->len;
}

const char *
json_name(const struct json *j)
{
	return j->item->string == NULL ? "" : j->item->string;
}

const struct json *
json_get(const struct json *j, const char *name)
{
	if (j == NULL || json_type(j) != JSON_OBJECT)
		return NULL;
	json_each (member, j)
		if (strcmp(member->item->string, name) == 0)
			return member;
	return NULL;
}

struct hrw_bytes
json_bytes(const struct json *j)
{
	if (j == NULL || !cJSON_IsString(j->item))
		return hrw_bytes(NULL, 0);
	return hrw_bytes(j->item->valuestring, j->len);
}

const char *
json_text(const struct json *j)
{
	if (j == NULL || !cJSON_IsString(j->item))
		return NULL;
	return strlen(j->item->valuestring) == j->len ? j->item->valuestring : NULL;
}

bool
json_bool(const struct json *j)
{
	return j != NULL && cJSON_IsTrue(j->item);
}

/* Is it 1e-400: not 0, but too small for a double? */
static bool
says_more_than_zero(const struct json *j)
{
	struct hrw_bytes text = json_source(j);

	for (size_t i = 0; i < text.len && text.data[i] != 'e' && text.data[i] != 'E'; i++)
		if (text.data[i] >= '1' && text.data[i] <= '9')
			return true;
	return false;
}

double
json_number(const struct json *j)
{
	if (j == NULL || !cJSON_IsNumber(j->item))
		return (double)NAN;
	return j->item->valuedouble == 0 && says_more_than_zero(j) ? (double)NAN
								   : j->item->valuedouble;
}

bool
json_integer(const struct json *j, int64_t *out)
{
	bool is_negative = false;
	uint64_t number = 0, limit;
	struct hrw_bytes source;
	size_t i = 0;

	if (j == NULL || !cJSON_IsNumber(j->item))
		return false;
	source = json_source(j);
	if (source.data[0] == '-') {
		is_negative = true;
		i = 1;
	}
	limit = (uint64_t)INT64_MAX + is_negative;
	for (; i < source.len; i++) {
		unsigned digit = (unsigned)source.data[i] - '0';

		if (digit > 9 || number > (limit - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (is_negative)
		*out = number == 0 ? 0 : -(int64_t)(number - 1) - 1;
	else
		*out = (int64_t)number;
	return true;
}

struct hrw_bytes
json_source(const struct json *j)
{
	const struct document *d = document_of(j);

	return hrw_bytes(d->text + j->span.at, j->span.end - j->span.at);
}

void
json_position(const struct json *j, unsigned *line, unsigned *column)
{
	json_check_position(text_of(document_of(j)), j->span.at, line, column);
}

/* One step of a pointer: /name with ~ and / escaped, or /index. */
static void
pointer_step(const struct json *j, struct buffer *out)
{
	buffer_add_text(out, "/");
	if (j->item->string == NULL) {
		buffer_printf(out, "%u", j->index);
		return;
	}
	for (const char *at = j->item->string; *at != '\0'; at++) {
		if (*at == '~')
			buffer_add_text(out, "~0");
		else if (*at == '/')
			buffer_add_text(out, "~1");
		else
			buffer_add(out, at, 1);
	}
}

void
json_pointer(const struct json *j, char *out, size_t size)
{
	const struct json *path[JSON_DEPTH_MAX + 1];
	struct buffer text = {0};
	size_t depth = 0, len;

	for (; j->parent != NULL; j = j->parent)
		path[depth++] = j;
	while (depth > 0)
		pointer_step(path[--depth], &text);
	len = text.len < size ? text.len : size - 1;
	len = hrw_utf8_prefix(hrw_bytes(text.data, len)); /* no half a character */
	memcpy(out, buffer_text(&text), len);
	out[len] = '\0';
	buffer_fini(&text);
}

/* The child that one step of a pointer names; NULL: none. */
static const struct json *
child_at(const struct json *j, struct hrw_bytes step)
{
	json_each (child, j) {
		struct buffer own = {0};
		bool is_it;

		pointer_step(child, &own);
		is_it = hrw_bytes_equal(buffer_bytes(&own), step);
		buffer_fini(&own);
		if (is_it)
			return child;
	}
	return NULL;
}

const struct json *
json_at(const struct json *j, const char *pointer)
{
	while (j != NULL && *pointer == '/') {
		size_t len = 1 + strcspn(pointer + 1, "/");

		j = child_at(j, hrw_bytes(pointer, len));
		pointer += len;
	}
	return *pointer == '\0' ? j : NULL;
}

#undef json_fault
#undef json_lacks /* an analyser's, see json.h */

void
json_fault_at(const struct json *j, struct hrw_fault *fault)
{
	char pointer[HRW_FAULT_FIELD];

	json_pointer(j, pointer, sizeof(pointer));
	hrw_fault_at(fault, "%s", pointer);
}

int
json_fault(
    const struct json *j, struct hrw_fault *fault, enum hrw_error error, const char *format, ...)
{
	char detail[2 * HRW_FAULT_DETAIL];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(detail, sizeof(detail), format, arguments);
	va_end(arguments);
	hrw_fault(fault, error, "%s", detail);
	json_fault_at(j, fault);
	return error;
}

int
json_lacks(const struct json *object, const char *name, struct hrw_fault *fault,
    enum hrw_error error, const char *format, ...)
{
	char detail[2 * HRW_FAULT_DETAIL], pointer[HRW_FAULT_FIELD];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(detail, sizeof(detail), format, arguments);
	va_end(arguments);
	json_pointer(object, pointer, sizeof(pointer));
	hrw_fault(fault, error, "%s", detail);
	hrw_fault_at(fault, "%s/%s", pointer, name);
	return error;
}

int
json_as_given(const struct json *j, unsigned types, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	if (j == NULL || (types >> json_type(j) & 1) != 0)
		return 0;
	return json_fault(j, fault, HRW_BAD_FIELD,
	    "\"%s\" is %s, but no answer gives it so: it is read-only, leave it out or send it "
	    "as it was given",
	    json_name(j), hrw_show(json_source(j), shown, sizeof(shown)));
}

static int
stranger(const struct json *member, const char *const *names, struct hrw_fault *fault)
{
	const char *guess = guess_word(json_name(member), names);
	struct buffer known = {0};
	int rc;

	for (size_t i = 0; names[i] != NULL; i++)
		buffer_printf(&known, "%s%s", i == 0 ? "" : ", ", names[i]);
	rc = json_fault(member, fault, HRW_BAD_FIELD,
	    "\"%.100s\" is not known here%s%s%s; known: %s", json_name(member),
	    guess == NULL ? "" : ": did you mean \"", guess == NULL ? "" : guess,
	    guess == NULL ? "" : "\"?", known.len == 0 ? "nothing" : buffer_text(&known));
	buffer_fini(&known);
	return rc;
}

int
json_only(const struct json *object, const char *const *names, struct hrw_fault *fault)
{
	json_each (member, object) {
		size_t i = 0;

		while (names[i] != NULL && strcmp(names[i], json_name(member)) != 0)
			i++;
		if (names[i] == NULL)
			return stranger(member, names, fault);
	}
	return 0;
}
