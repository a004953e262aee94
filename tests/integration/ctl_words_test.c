/*
 * What hrwctl says of itself, and of what the daemon refused: in its own words.
 */
#include <string.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

START_TEST(help_is_found_wherever_it_is_looked_for)
{
	const char *all = expect_ran(ctl(NULL, "--help", NULL), 0)->out;
	const char *put = expect_ran(ctl(NULL, "keys", "put", "--help", NULL), 0)->out;
	const char *keys = expect_ran(ctl(NULL, "keys", "--help", NULL), 0)->out;
	struct ran *r;

	expect_out(expect_ran(ctl(NULL, "help", NULL), 0), all);
	expect_out(expect_ran(ctl(NULL, "help", "keys", "put", NULL), 0), put);
	expect_out(expect_ran(ctl(NULL, "help", "keys", NULL), 0), keys);
	ck_assert_ptr_nonnull(strstr(keys, "\n  keys import DUMP FILE"));
	ck_assert_ptr_nonnull(strstr(keys, "\n  keys stats"));
	ck_assert_ptr_null(strstr(keys, "drain"));
	/* A command is one, though others begin as it does. */
	ck_assert_ptr_nonnull(
	    strstr(expect_ran(ctl(NULL, "plan", "--help", NULL), 0)->out, "--offline"));
	r = expect_ran(ctl(NULL, "keys", NULL), 2);
	ck_assert_ptr_nonnull(strstr(r->err, "hrwctl keys --help"));
}
END_TEST

START_TEST(a_refusal_advises_what_hrwctl_takes)
{
	struct daemon *d = fleet_with_photos();
	static const char *const http[] = {"GET /", "POST /", "PUT /", "PATCH /", "DELETE /",
	    "force=", "Accept", "?wait", "If-", "patch", "header", "curl", "dry_run",
	    "admin listener makes"};
	static const struct {
		const char *words[5], *said;
	} rows[] = {
	    {{"remove", "cache-a", "--yes"}, "--force not-draining"},
	    {{"drain", "cache-z", "--yes"}, "hrwctl nodes lists"},
	    {{"nodes", "--pool", "none"}, "hrwctl pool add none makes one"},
	    {{"drain", "cache-a", "--pool", "none", "--yes"}, "no pool"},
	    {{"owner", "k", "--pool", "empty"}, "hrwctl add NODE ADDRESS --pool empty"},
	    {{"keys", "get"}, "--format ndjson"},
	    {{"revert", "99", "--yes"}, "hrwctl history lists"},
	    {{"add", "cache-a", "h:1", "--yes"}, "hrwctl address"},
	    {{"owner", ""}, "the key is empty"},
	};

	expect_status(ask(d->admin, "PUT", "/pools/empty",
			  "Content-Type: application/json\nIf-None-Match: *", "{\"nodes\":[]}"),
	    201);
	expect_ran(
	    ctl_with(d, "[\"two\\nlines\"]", "keys", "put", "-", "--format", "json", NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *w = rows[i].words;
		struct ran *r = expect_ran(ctl_mixed(d, w[0], w[1], w[2], w[3], w[4], NULL), 1);

		ck_assert_msg(strstr(r->out, rows[i].said) != NULL, "%s: %s", r->what, r->out);
		for (size_t k = 0; k < sizeof(http) / sizeof(http[0]); k++)
			ck_assert_msg(strstr(r->out, http[k]) == NULL, "%s: %s", r->what, r->out);
	}
	/* JSON is what the daemon says. */
	ck_assert_ptr_nonnull(strstr(
	    ctl(d, "nodes", "--pool", "none", "--output", "json", NULL)->out, "PUT /pools/none"));
}
END_TEST

START_TEST(a_plan_of_an_earlier_epoch_is_to_be_planned_again)
{
	struct daemon *d = fleet_with_photos();
	const char *id = text_at(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), "plan");
	struct ran *r;

	expect_ran(ctl(d, "reweight", "cache-a", "2", "--yes", NULL), 0);
	r = expect_ran(ctl(d, "plan", "apply", id, "--yes", NULL), 4);
	ck_assert_ptr_nonnull(
	    strstr(r->err, "hrwctl history says what changed; then plan it again"));
	ck_assert_ptr_null(strstr(r->err, "If-"));
}
END_TEST

START_TEST(what_help_says_is_for_who_types)
{
	const char *all = expect_ran(ctl(NULL, "--print", "man", NULL), 0)->out;
	static const char *const http[] = {"GET /", "POST /", "PUT /", "PATCH /", "DELETE /"};

	for (size_t i = 0; i < sizeof(http) / sizeof(http[0]); i++)
		ck_assert_msg(strstr(all, http[i]) == NULL, "%.80s", strstr(all, http[i]));
}
END_TEST

START_TEST(keys_that_are_too_many_for_a_plan_have_another_way)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"json_bytes\":4096},"), NULL);
	const char *keys = numbered_keys("key-", 1000), *path = daemon_path(d, "keys");
	struct ran *r;

	daemon_write(d, "keys", keys, strlen(keys));
	r = expect_ran(ctl(d, "plan", "--keys", path, "--drain", "cache-c", NULL), 1);
	ck_assert_ptr_nonnull(strstr(r->err, "(too-large)"));
	ck_assert_ptr_nonnull(strstr(r->err, "hrwctl keys put"));
	ck_assert_ptr_nonnull(strstr(r->err, "--offline"));
	/* Both do. */
	r = expect_ran(ctl(d, "plan", "--keys", path, "--drain", "cache-c", "--offline",
			   daemon_path(d, "hrwd.json"), NULL),
	    0);
	ck_assert_ptr_nonnull(strstr(r->out, "1,000 given keys"));
	expect_ran(ctl(d, "keys", "put", path, NULL), 0);
	r = expect_ran(ctl(d, "plan", "--drain", "cache-c", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->out, "1,000 stored keys"));
}
END_TEST

START_TEST(what_is_said_comes_in_the_order_in_which_it_happened)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r = expect_ran(ctl_mixed(d, "drain", "cache-c", NULL), 2);
	const char *report = strstr(r->out, "24 stored keys"),
		   *end = strstr(r->out, "hrwctl: nothing is changed");

	ck_assert_msg(report != NULL && end != NULL && report < end, "%s", r->out);
	r = expect_ran(ctl_mixed(d, "remove", "cache-c", "--yes", NULL), 1);
	report = strstr(r->out, "it would be refused");
	end = strstr(r->out, "hrwctl: nothing is changed");
	ck_assert_msg(report != NULL && end != NULL && report < end, "%s", r->out);
}
END_TEST

START_TEST(only_a_plan_that_can_be_applied_is_offered)
{
	struct daemon *d = fleet_with_photos();
	static const char promise[] = " makes this change";
	struct ran *r = expect_ran(ctl(d, "plan", "--add", "cache-e", NULL), 0);

	ck_assert_ptr_null(strstr(r->out, promise));
	ck_assert_ptr_nonnull(strstr(r->out, ",address=HOST:PORT"));
	r = expect_ran(
	    ctl(d, "plan", "--add", "cache-e,address=h:1", "--add", "cache-f,weight=2", NULL), 0);
	ck_assert_ptr_null(strstr(r->out, promise));
	r = expect_ran(ctl_with(d, "{\"add\":[{\"name\":\"cache-e\"}]}", "plan", "-", NULL), 0);
	ck_assert_ptr_null(strstr(r->out, promise));
	r = expect_ran(ctl(d, "plan", "--add", "cache-e,address=h:1", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->out, promise));
	r = expect_ran(ctl(d, "plan", "--drain", "cache-c", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->out, promise));
}
END_TEST

SUITE(ctl_words)
{
	tcase_add_test(tests, help_is_found_wherever_it_is_looked_for);
	tcase_add_test(tests, a_refusal_advises_what_hrwctl_takes);
	tcase_add_test(tests, a_plan_of_an_earlier_epoch_is_to_be_planned_again);
	tcase_add_test(tests, what_help_says_is_for_who_types);
	tcase_add_test(tests, keys_that_are_too_many_for_a_plan_have_another_way);
	tcase_add_test(tests, what_is_said_comes_in_the_order_in_which_it_happened);
	tcase_add_test(tests, only_a_plan_that_can_be_applied_is_offered);
}
