#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <cjson/cJSON.h>

#include "tests/dsl/logged.h"
#include "tests/dsl/text.h"

enum { WAIT_MS = 10000 };

static int
has_text(const cJSON *event, const char *name, const char *value)
{
	const char *is = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, name));

	return is != NULL && strcmp(is, value) == 0;
}

/* The events until now that have the message and, unless NULL, the request's id: the
 * first in *found, NULL where there is none. Returns their number. */
static size_t
search(const struct daemon *d, const char *message, const char *request, const cJSON **found)
{
	char *rest = text("%s", daemon_log(d));
	size_t count = 0;

	*found = NULL;
	/* What stands behind the last line feed is no line yet. */
	for (char *line; (line = strsep(&rest, "\n")) != NULL && rest != NULL;) {
		cJSON *event = cJSON_ParseWithOpts(line, NULL, 1);

		ck_assert_msg(cJSON_IsObject(event), "no event: %s", line);
		if (!has_text(event, "message", message) ||
		    (request != NULL && !has_text(event, "request", request))) {
			cJSON_Delete(event);
			continue;
		}
		if (count++ == 0)
			*found = kept(event);
		else
			cJSON_Delete(event);
	}
	return count;
}

const cJSON *
logged(const struct daemon *d, const char *message, const char *request)
{
	double deadline = now_ms() + WAIT_MS;
	const cJSON *event;

	while (search(d, message, request, &event) == 0) {
		ck_assert_msg(now_ms() < deadline, "the log has no \"%s\" of %s: %s", message,
		    request != NULL ? request : "any request", daemon_log(d));
		pause_ms(5);
	}
	return event;
}

size_t
logged_count(const struct daemon *d, const char *message)
{
	const cJSON *event;

	return search(d, message, NULL, &event);
}

static const char *
shown(const cJSON *event)
{
	return kept(cJSON_PrintUnformatted(event));
}

void
expect_logged_at(
    const cJSON *event, const char *name, const char *value, const char *file, int line)
{
	const cJSON *is = cJSON_GetObjectItemCaseSensitive(event, name);

	if (value == NULL)
		ck_assert_msg(is == NULL, "%s:%d: %s in %s", file, line, name, shown(event));
	else
		ck_assert_msg(has_text(event, name, value), "%s:%d: %s is not \"%s\" in %s", file,
		    line, name, value, shown(event));
}

void
expect_counted_at(const cJSON *event, const char *name, double value, const char *file, int line)
{
	const cJSON *is = cJSON_GetObjectItemCaseSensitive(event, name);

	ck_assert_msg(cJSON_IsNumber(is) && is->valuedouble == value, "%s:%d: %s is not %g in %s",
	    file, line, name, value, shown(event));
}
