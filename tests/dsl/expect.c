#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <cjson/cJSON.h>

#include "tests/dsl/http.h"
#include "tests/dsl/text.h"

enum { SHOWN = 3000 };

static const char *
shown(const struct answer *a)
{
	return text("%s\n  answered %ld\n%s\n%.*s", a->what, a->status, a->headers, SHOWN, a->body);
}

/* The element of a list whose member `selector` names ("name=cache-c") has that
 * text, or whose index it is. */
static const cJSON *
element(const cJSON *list, const char *selector)
{
	const char *equals = strchr(selector, '=');
	const char *name;
	const cJSON *at;

	if (equals == NULL)
		return cJSON_GetArrayItem(list, atoi(selector));
	name = text("%.*s", (int)(equals - selector), selector);
	cJSON_ArrayForEach (at, list) {
		const char *value =
		    cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(at, name));

		if (value != NULL && strcmp(value, equals + 1) == 0)
			return at;
	}
	return NULL;
}

const cJSON *
value_at(const cJSON *json, const char *path)
{
	while (json != NULL && *path != '\0') {
		size_t len;

		if (*path == '[') {
			len = strcspn(path, "]");
			json = element(json, text("%.*s", (int)len - 1, path + 1));
			path += len + (path[len] == ']');
			continue;
		}
		path += *path == '.';
		len = strcspn(path, ".[");
		json = cJSON_GetObjectItemCaseSensitive(json, text("%.*s", (int)len, path));
		path += len;
	}
	return json;
}

const char *
text_at(const struct answer *a, const char *path)
{
	const char *value = cJSON_GetStringValue(value_at(a->json, path));

	ck_assert_msg(value != NULL, "no text at \"%s\": %s", path, shown(a));
	return value;
}

double
number_at(const struct answer *a, const char *path)
{
	const cJSON *value = value_at(a->json, path);

	ck_assert_msg(cJSON_IsNumber(value), "no number at \"%s\": %s", path, shown(a));
	return value->valuedouble;
}

int
count_at(const struct answer *a, const char *path)
{
	const cJSON *value = value_at(a->json, path);

	ck_assert_msg(cJSON_IsArray(value), "no list at \"%s\": %s", path, shown(a));
	return cJSON_GetArraySize(value);
}

struct answer *
expect_status_at(struct answer *a, long status, const char *file, int line)
{
	ck_assert_msg(a->status == status, "%s:%d: %ld expected: %s", file, line, status, shown(a));
	return a;
}

void
expect_at(const struct answer *a, const char *path, const char *json, const char *file, int line)
{
	const cJSON *value = value_at(a->json, path);
	char *wanted = text_replace(json, "'", "\"");
	cJSON *want = cJSON_Parse(wanted);

	ck_assert_msg(want != NULL, "%s:%d: the test's JSON is wrong: %s", file, line, wanted);
	ck_assert_msg(value != NULL && cJSON_Compare(value, want, 1),
	    "%s:%d: \"%s\" should be %s: %s", file, line, path, wanted, shown(a));
	cJSON_Delete(want);
}

void
expect_absent_at(const struct answer *a, const char *path, const char *file, int line)
{
	ck_assert_msg(value_at(a->json, path) == NULL, "%s:%d: there should be no \"%s\": %s", file,
	    line, path, shown(a));
}

void
expect_header_at(
    const struct answer *a, const char *name, const char *value, const char *file, int line)
{
	const char *is = header(a, name);

	ck_assert_msg(is != NULL && strcmp(is, value) == 0, "%s:%d: header %s should be \"%s\": %s",
	    file, line, name, value, shown(a));
}

void
expect_body_at(const struct answer *a, const char *body, const char *file, int line)
{
	ck_assert_msg(a->len == strlen(body) && memcmp(a->body, body, a->len) == 0,
	    "%s:%d: the body should be \"%s\": %s", file, line, body, shown(a));
}

void
expect_refusal_at(const struct answer *a, long status, const char *code, const char *parts,
    const char *file, int line)
{
	char *rest = text("%s", parts != NULL ? parts : "");
	const char *type = header(a, "Content-Type");
	const char *detail, *part;

	ck_assert_msg(
	    a->status == status, "%s:%d: %ld %s expected: %s", file, line, status, code, shown(a));
	ck_assert_msg(type != NULL && strcmp(type, "application/problem+json") == 0,
	    "%s:%d: no problem+json: %s", file, line, shown(a));
	expect_at(a, "code", text("\"%s\"", code), file, line);
	expect_at(a, "status", text("%ld", status), file, line);
	detail = cJSON_GetStringValue(value_at(a->json, "detail"));
	ck_assert_msg(
	    detail != NULL && *detail != '\0', "%s:%d: no detail: %s", file, line, shown(a));
	while ((part = strsep(&rest, "|")) != NULL)
		ck_assert_msg(strstr(detail, part) != NULL,
		    "%s:%d: the detail should hold \"%s\": %s", file, line, part, shown(a));
}
