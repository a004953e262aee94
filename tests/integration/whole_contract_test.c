/*
 * The last suite: has every route and every error been asked for?
 *
 * The routes are those that the daemon itself lists; what the tests before
 * asked of it stands in tests/dsl/contract.h. Only a whole run can tell, so the
 * suite is empty where HRW_SUITES picks some.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/error.h"
#include "tests/dsl/contract.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* The contract's own list: the daemon must have these, whatever else it has. */
static const char *const contract[] = {"GET /owner", "GET /replicas", "GET /explain",
    "POST /owners", "GET /nodes", "GET /nodes/{}", "GET /nodes/{}/removable", "GET /copies",
    "GET /pools", "GET /pools/{}", "GET /watch", "GET /livez", "GET /readyz", "GET /version",
    "GET /metrics", "GET /openapi.json", "POST /nodes", "PUT /nodes/{}", "PATCH /nodes/{}",
    "POST /nodes/{}/drain", "POST /nodes/{}/activate", "POST /nodes/{}/rejoin", "DELETE /nodes/{}",
    "PUT /nodes", "POST /changes", "POST /plan", "POST /compare", "POST /simulate", "PUT /pools/{}",
    "PATCH /pools/{}", "DELETE /pools/{}", "POST /pools/{}/settle", "POST /pools/{}/revert",
    "PUT /keys", "POST /keys", "DELETE /keys", "GET /keys", "GET /keys/stats",
    "POST /plans/{}/apply", "GET /plans", "GET /plans/{}", "GET /plans/{}/changes", "GET /history"};

static const char *
upper(const char *name)
{
	char *out = text("%s", name);

	for (char *at = out; *at != '\0'; at++)
		*at = (char)toupper((unsigned char)*at);
	return out;
}

START_TEST(every_route_that_the_daemon_lists_is_exercised)
{
	struct daemon *d = fleet_start();
	const cJSON *paths = value_at(get(d->admin, "/openapi.json")->json, "paths");
	const cJSON *path, *method;
	int routes = 0;

	cJSON_ArrayForEach (path, paths) {
		cJSON_ArrayForEach (method, path) {
			const char *name = upper(method->string);

			if (strstr("GET POST PUT PATCH DELETE", name) == NULL)
				continue;
			routes++;
			ck_assert_msg(contract_has_route(name, path->string),
			    "%s %s was never asked for with success", name, path->string);
		}
	}
	ck_assert_int_ge(routes, (int)(sizeof(contract) / sizeof(*contract)));
	daemon_stop(d);
}
END_TEST

START_TEST(every_route_of_the_contract_is_listed_and_exercised)
{
	struct daemon *d = fleet_start();
	const cJSON *paths = value_at(get(d->admin, "/openapi.json")->json, "paths");

	for (size_t i = 0; i < sizeof(contract) / sizeof(*contract); i++) {
		const char *path = strchr(contract[i], ' ') + 1;
		const char *method = text("%.*s", (int)(path - contract[i]) - 1, contract[i]);
		const cJSON *listed;
		int is_listed = 0;

		ck_assert_msg(contract_has_route(method, path), "%s is not exercised", contract[i]);
		cJSON_ArrayForEach (listed, paths) {
			const char *with = strchr(listed->string, '{');
			const char *name = listed->string;

			if (with != NULL)
				name = text(
				    "%.*s{}%s", (int)(with - name), name, strchr(with, '}') + 1);
			is_listed |=
			    strcmp(name, path) == 0 && cJSON_GetObjectItem(listed, method) != NULL;
		}
		ck_assert_msg(is_listed, "%s is not in /openapi.json", contract[i]);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(every_error_was_answered)
{
	static const char *const later[] = {"conflict", "internal"};

#define CHECK(name, number, code, title)                                                           \
	ck_assert_msg(                                                                             \
	    contract_has_code(code) || strcmp(code, later[0]) == 0 || strcmp(code, later[1]) == 0, \
	    "no test was answered \"%s\"", code);
	HRW_ERRORS(CHECK)
#undef CHECK
}
END_TEST

SUITE(whole_contract)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	if (getenv("HRW_SUITES") != NULL)
		return;
	tcase_add_test(tests, every_route_that_the_daemon_lists_is_exercised);
	tcase_add_test(tests, every_route_of_the_contract_is_listed_and_exercised);
	tcase_add_test(tests, every_error_was_answered);
}
