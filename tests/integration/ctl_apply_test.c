/*
 * hrwctl apply and plan --offline, of files with many pools and of whole
 * configurations.
 */
#include <stdbool.h>
#include <string.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define NODE_A "{\"name\":\"a\",\"address\":\"h:1\"}"
#define NODE_B "{\"name\":\"b\",\"address\":\"h:2\"}"
#define X      "\"x\":{\"nodes\":[" NODE_A "]}"
#define Y      "\"y\":{\"nodes\":[" NODE_A "," NODE_B "]}"

static const char *
file_of(const struct daemon *d, const char *content)
{
	daemon_write(d, "pools.json", content, strlen(content));
	return daemon_path(d, "pools.json");
}

static bool
has_pool(const struct daemon *d, const char *name)
{
	return get(d->lookup, text("/pools/%s", name))->status == 200;
}

START_TEST(every_pool_of_a_file_is_made_what_it_declares)
{
	struct daemon *d = fleet_start();
	const char *path = file_of(d, "{\"pools\":{" X "," Y "}}");
	struct ran *r;

	expect_ran(ctl(d, "apply", path, "--dry-run", "--exit-code", NULL), 5);
	ck_assert(!has_pool(d, "x"));
	r = expect_ran(ctl(d, "apply", path, "--yes", NULL), 0);
	/* Both reports stand before the first change. */
	ck_assert_ptr_nonnull(strstr(r->out, "pool x, made"));
	ck_assert_ptr_nonnull(strstr(r->out, "pool y, made"));
	ck_assert_ptr_nonnull(
	    strstr(r->out, "\n\napplied: pool x, epoch 1\napplied: pool y, epoch 1\n"));
	ck_assert(strstr(r->out, "applied") > strstr(r->out, "pool y, made"));
	expect(get(d->lookup, "/pools/y"), "nodes[1].name", "'b'");
	expect_out(expect_ran(ctl(d, "apply", path, NULL), 0), "already so: nothing is changed\n");
	expect_out(expect_ran(ctl(d, "apply", path, "--dry-run", "--exit-code", NULL), 0),
	    "pool x: already so: nothing would change\n"
	    "pool y: already so: nothing would change\n");
	/* Only what differs is applied; --pool means one of them. */
	path = file_of(d, "{\"pools\":{" X ",\"y\":{\"copies\":2,\"nodes\":[" NODE_A "," NODE_B
			  "]},\"z\":{\"nodes\":[]}}}");
	expect_ran(ctl(d, "apply", path, "--yes", "--pool", "z", NULL), 0);
	ck_assert_int_eq(epoch_of(d, "y"), 1);
	r = expect_ran(ctl(d, "apply", path, "--yes", NULL), 0);
	ck_assert_ptr_nonnull(strstr(
	    r->out, "\n\nalready so: pool x\napplied: pool y, epoch 2\nalready so: pool z\n"));
	expect_ran(ctl(d, "apply", path, "--yes", "--pool", "none", NULL), 2);
}
END_TEST

START_TEST(where_one_pool_is_wrong_none_is_changed)
{
	struct daemon *d = fleet_start();
	static const char *const bad[] = {
	    "{\"nodes\":[{\"name\":\"UP\",\"address\":\"h:1\"}]}",
	    "{\"nodes\":[" NODE_A "],\"bogus\":1}",
	    "{\"nodes\":[" NODE_A "," NODE_A "]}",
	    "{\"nodes\":{}}",
	    "7",
	    /* Right, and refused by a guard. */
	    "{\"nodes\":[" NODE_B "]}",
	};
	struct ran *r;

	expect_ran(ctl(d, "apply", file_of(d, "{\"pools\":{\"y\":{\"nodes\":[" NODE_A "]}}}"),
		       "--yes", NULL),
	    0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		r = expect_ran(
		    ctl(d, "apply", file_of(d, text("{\"pools\":{" X ",\"y\":%s}}", bad[i])),
			"--yes", NULL),
		    1);
		ck_assert_ptr_nonnull(strstr(r->err, " is changed"));
		ck_assert_ptr_null(strstr(r->out, "applied"));
		ck_assert(!has_pool(d, "x"));
		ck_assert_int_eq(epoch_of(d, "y"), 1);
	}
	/* A dry run tells of it, too. */
	expect_ran(
	    ctl(d, "apply", daemon_path(d, "pools.json"), "--dry-run", "--exit-code", NULL), 1);
}
END_TEST

START_TEST(of_many_pools_it_is_asked_once)
{
	struct daemon *d = fleet_start();
	const char *path = file_of(d, "{\"pools\":{" X "," Y "}}");
	struct screen *s = screen_open(d, "apply", path, NULL);

	screen_wait(s, "apply? [y/N] ");
	ck_assert_ptr_nonnull(strstr(s->text, "pool y, made"));
	screen_type(s, "n\n");
	ck_assert_int_eq(screen_end(s), 1);
	ck_assert(!has_pool(d, "x") && !has_pool(d, "y"));
	s = screen_open(d, "apply", path, NULL);
	screen_wait(s, "apply? [y/N] ");
	screen_type(s, "y\n");
	ck_assert_int_eq(screen_end(s), 0);
	ck_assert_ptr_null(strstr(strstr(s->text, "apply?") + 1, "apply?"));
	ck_assert(has_pool(d, "x") && has_pool(d, "y"));
}
END_TEST

/* Somebody else changes the second while it is being asked about. */
START_TEST(what_was_applied_before_a_pool_that_moved_on_is_said)
{
	struct daemon *d = fleet_start();
	const char *path = file_of(d, "{\"pools\":{" X "," Y ",\"z\":{\"nodes\":[]}}}");
	struct screen *s = screen_open(d, "apply", path, NULL);

	screen_wait(s, "apply? [y/N] ");
	expect_status(ask(d->admin, "PUT", "/pools/y",
			  "Content-Type: application/json\nIf-None-Match: *", "{\"nodes\":[]}"),
	    201);
	screen_type(s, "y\n");
	ck_assert_int_eq(screen_end(s), 4);
	ck_assert_ptr_nonnull(strstr(s->text, ": pool x, epoch 1"));
	ck_assert_msg(strstr(s->text,
			  "pool y and those behind it in the file are as they were, 1 before it is "
			  "changed") != NULL,
	    "%s", s->text);
	ck_assert(!has_pool(d, "z"));
	expect_ran(ctl(d, "apply", path, "--yes", NULL), 0);
	expect(get(d->lookup, "/pools/y"), "nodes[1].name", "'b'");
	ck_assert(has_pool(d, "z"));
}
END_TEST

/* What stands beside the pools, and a part of what is said of it; NULL: it is right. */
static const struct {
	const char *beside, *said;
} besides[] = {
    {"\"bogus\":1,", "bogus"},
    {"\"limits\":{\"nodes\":\"x\"},", "/limits/nodes"},
    {"\"limits\":{\"node\":64},", "node"},
    {"\"limits\":7,", "limits"},
    {"\"listen\":{\"admin\":\"nowhere\"},", "/listen/admin"},
    {"\"log\":{\"level\":\"loud\"},", "/log/level"},
    {"\"secrets\":7,", "secrets"},
    {"\"nodes\":[],", "nodes"},
    {"\"store\":{\"path\":\"a\",\"file\":\"b\"},", "/store/file"},
    {"\"limits\":{\"nodes\":1024},", NULL},
    {"\"default_pool\":\"x\",\"log\":{\"format\":\"json\"},", NULL},
    /* There, not here. */
    {"\"listen\":{\"admin\":{\"address\":\"unix:/run/hrwd/a\",\"group\":\"nobody-has-it\"}},"
     "\"auth\":{\"tokens\":\"/nowhere/tokens\"},\"secrets\":\"/nowhere/secrets\","
     "\"tls\":{\"certificate\":\"/nowhere/c\",\"key\":\"/nowhere/k\"},",
	NULL},
};

START_TEST(what_stands_beside_the_pools_is_never_ignored)
{
	struct daemon *d = fleet_start();
	const char *path = file_of(d, text("{%s\"pools\":{" X "}}", besides[_i].beside));
	const char *said = besides[_i].said;
	struct ran *apply = ctl(d, "apply", path, "--yes", NULL);
	struct ran *plan = ctl(NULL, "plan", "--offline", path, "--reweight", "a=2", NULL);

	expect_ran(apply, said != NULL ? 2 : 0);
	expect_ran(plan, said != NULL ? 2 : 0);
	ck_assert(has_pool(d, "x") == (said == NULL));
	if (said != NULL) {
		ck_assert_msg(strstr(apply->err, said) != NULL, "%s", apply->err);
		ck_assert_str_eq(apply->err, plan->err);
		/* Where it stands. */
		ck_assert_ptr_nonnull(strstr(apply->err, text("%s:1:", path)));
	}
}
END_TEST

START_TEST(a_file_without_a_pool_is_called_so)
{
	struct daemon *d = fleet_start();
	static const char *const none[] = {"{\"pools\":{}}", "{\"pools\":[]}", "{\"pools\":null}"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct ran *r = expect_ran(ctl(d, "apply", file_of(d, none[i]), "--yes", NULL), 2);

		ck_assert_ptr_nonnull(strstr(r->err, "pool"));
		expect_ran(
		    ctl(NULL, "plan", "--offline", file_of(d, none[i]), "--drain", "a", NULL), 2);
	}
}
END_TEST

START_TEST(the_shipped_configuration_can_be_applied)
{
	struct daemon *d = fleet_start();

	expect_ran(ctl(d, "apply", "conf/hrwd.json", "--dry-run", NULL), 0);
}
END_TEST

SUITE(ctl_apply)
{
	tcase_add_test(tests, every_pool_of_a_file_is_made_what_it_declares);
	tcase_add_test(tests, where_one_pool_is_wrong_none_is_changed);
	tcase_add_test(tests, of_many_pools_it_is_asked_once);
	tcase_add_test(tests, what_was_applied_before_a_pool_that_moved_on_is_said);
	tcase_add_loop_test(tests, what_stands_beside_the_pools_is_never_ignored, 0,
	    (int)(sizeof(besides) / sizeof(besides[0])));
	tcase_add_test(tests, a_file_without_a_pool_is_called_so);
	tcase_add_test(tests, the_shipped_configuration_can_be_applied);
}
