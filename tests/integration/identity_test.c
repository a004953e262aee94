/*
 * identity_test.c - every answer has a Request-Id, and a line of the log that tells
 * of the request has it too, with its trace.
 */
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define OTHER "0af7651916cd43dd8448eb211c80319c"

START_TEST(every_answer_has_a_request_id)
{
	struct daemon *d = fleet_start();
	const char *first = text("%s", header(get(d->lookup, "/owner?key=a"), "Request-Id"));
	const char *second = text("%s", header(get(d->lookup, "/owner?key=a"), "Request-Id"));

	ck_assert_uint_eq(strlen(first), 16);
	ck_assert_str_ne(first, second);
	ck_assert_ptr_nonnull(header(get(d->lookup, "/nowhere"), "Request-Id"));
	ck_assert_ptr_nonnull(header(get(d->lookup, "/metrics"), "Request-Id"));
	ck_assert_ptr_nonnull(header(get(d->admin, "/keys"), "Request-Id"));
	ck_assert_ptr_nonnull(
	    header(raw(d->lookup, "GET /owner?key=a HTTP/1.1\r\n\r\n"), "Request-Id"));
	ck_assert_str_eq(
	    header(ask(d->lookup, "GET", "/owner?key=a", "Request-Id: mine-1", NULL), "Request-Id"),
	    "mine-1");
	ck_assert_uint_eq(
	    strlen(header(
		ask(d->lookup, "GET", "/owner?key=a", "Request-Id: not mine", NULL), "Request-Id")),
	    16);
	daemon_stop(d);
}
END_TEST

/* Neither is known to be the one: no proxy's log has both. */
START_TEST(of_two_ids_or_traces_none_is_taken)
{
	static const char first[] = "00-" TRACE "-00f067aa0ba902b7-01";
	static const char second[] = "00-" OTHER "-00f067aa0ba902b7-01";
	struct daemon *d = fleet_start();
	const char *id;

	id = header(raw(d->lookup, "GET /owner?key=a HTTP/1.1\r\nHost: x\r\nRequest-Id: mine-1\r\n"
				   "request-id: mine-2\r\n\r\n"),
	    "Request-Id");
	ck_assert_uint_eq(strspn(id, "0123456789abcdef"), 16);
	id = header(raw(d->lookup, "GET /owner?key=a HTTP/1.1\r\nHost: x\r\nRequest-Id: mine-1\r\n"
				   "Request-Id: mine-1\r\nRequest-Id: mine-1\r\n\r\n"),
	    "Request-Id");
	ck_assert_uint_eq(strspn(id, "0123456789abcdef"), 16);
	ask(d->admin, "POST", "/nodes/cache-c/drain?report=none",
	    text("Request-Id: mine-4\ntraceparent: %s\nTraceparent: %s", first, second), NULL);
	daemon_wait_log(d, " request=mine-4\n");
	daemon_stop(d);
}
END_TEST

/* From its first request on, and on each listener: logs of a fleet are read together. */
START_TEST(no_two_servers_give_the_same_ids)
{
	enum { SERVERS = 4, EACH = 3 };
	struct daemon *d = fleet_start(), *other = fleet_start();
	const char *const bases[SERVERS] = {d->lookup, d->admin, other->lookup, other->admin};
	const char *ids[SERVERS * EACH];

	for (int i = 0; i < SERVERS * EACH; i++) {
		ids[i] = text("%s", header(get(bases[i / EACH], "/owner?key=a"), "Request-Id"));
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(ids[i], ids[k]);
	}
	daemon_stop(other);
	daemon_stop(d);
}
END_TEST

START_TEST(a_change_is_logged_with_its_request_and_trace)
{
	struct daemon *d = fleet_start();

	ask(d->admin, "POST", "/nodes/cache-c/drain?report=none",
	    "Request-Id: mine-2\ntraceparent: 00-" TRACE "-00f067aa0ba902b7-01", NULL);
	daemon_wait_log(d, " request=mine-2 trace=" TRACE "\n");
	ask(d->admin, "POST", "/nodes/cache-c/activate?report=none",
	    "Request-Id: mine-3\ntraceparent: 00-" TRACE "-00f067aa0ba902b7", NULL);
	daemon_wait_log(d, " request=mine-3\n");
	daemon_stop(d);
}
END_TEST

static int
refers_to(const cJSON *list, const char *to)
{
	const cJSON *one;

	cJSON_ArrayForEach (one, list) {
		const char *reference = cJSON_GetStringValue(cJSON_GetObjectItem(one, "$ref"));

		if (reference != NULL && strcmp(reference, to) == 0)
			return 1;
	}
	return 0;
}

START_TEST(every_operation_describes_both_and_every_answer_the_id)
{
	struct daemon *d = fleet_start();
	const cJSON *document = get(d->lookup, "/openapi.json")->json, *path, *operation, *answer;
	size_t operations = 0;

	cJSON_ArrayForEach (path, value_at(document, "paths")) {
		cJSON_ArrayForEach (operation, path) {
			const cJSON *parameters = value_at(operation, "parameters");

			operations++;
			ck_assert_msg(
			    refers_to(parameters, "#/components/parameters/Request-Id") &&
				refers_to(parameters, "#/components/parameters/traceparent"),
			    "%s %s", operation->string, path->string);
			cJSON_ArrayForEach (answer, value_at(operation, "responses"))
				ck_assert_msg(value_at(answer, "$ref") != NULL ||
						  value_at(answer, "headers.Request-Id") != NULL,
				    "%s %s: %s", operation->string, path->string, answer->string);
		}
	}
	cJSON_ArrayForEach (answer, value_at(document, "components.responses"))
		ck_assert_ptr_nonnull(value_at(answer, "headers.Request-Id"));
	for (int i = 0; i < 2; i++) {
		const char *name = i == 0 ? "Request-Id" : "traceparent";
		const cJSON *parameter = value_at(document, text("components.parameters.%s", name));

		ck_assert_str_eq(cJSON_GetStringValue(value_at(parameter, "name")), name);
		ck_assert_str_eq(cJSON_GetStringValue(value_at(parameter, "in")), "header");
		ck_assert(!cJSON_IsTrue(value_at(parameter, "required")));
	}
	ck_assert_uint_gt(operations, 30);
	daemon_stop(d);
}
END_TEST

SUITE(identity)
{
	tcase_add_test(tests, every_answer_has_a_request_id);
	tcase_add_test(tests, of_two_ids_or_traces_none_is_taken);
	tcase_add_test(tests, no_two_servers_give_the_same_ids);
	tcase_add_test(tests, a_change_is_logged_with_its_request_and_trace);
	tcase_add_test(tests, every_operation_describes_both_and_every_answer_the_id);
}
