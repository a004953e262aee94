/*
 * Each refusal names what is true, and what helps at this daemon.
 */
#include <string.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

#define TWO_POOLS                                                                                  \
	"{\"default\":{\"nodes\":" FLEET_NODES "},\"e\":{\"nodes\":[]},"                           \
	"\"d\":{\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\",\"state\":\"draining\"}]}}"

/* The three that differ in whether they take changes: PATH reads a file, OFF has no
 * admin listener, USUAL takes them. */
enum kind { USUAL, OFF, PATH };

static struct daemon *
start(enum kind kind)
{
	struct daemon *d = daemon_prepare(
	    kind == PATH ? "{\"store\":{\"file\":\"$DIR/pools.json\",\"allow_empty\":true}}"
			 : "{\"store\":{\"path\":\"$DIR/hrwd.db\"},\"pools\":" TWO_POOLS "}",
	    "--lookup", "127.0.0.1:0", "--admin", kind == OFF ? "off" : "127.0.0.1:0", NULL);

	if (kind == PATH)
		daemon_write(d, "pools.json", TWO_POOLS, sizeof(TWO_POOLS) - 1);
	daemon_launch(d);
	return d;
}

static const char *const advice[][3] = {
    [USUAL] = {"add one with POST /nodes?pool=e", "activate it, or give it a weight",
	"PUT /pools/nope on the admin listener makes one"},
    [OFF] = {"pool e has no nodes: this hrwd takes no changes (listen.admin is off)",
	"of weight 0: this hrwd takes no changes (listen.admin is off)",
	"; this hrwd takes no changes (listen.admin is off)"},
    [PATH] = {"pool e has no nodes: change |/pools.json, which this hrwd reads again",
	"of weight 0: change |/pools.json, which", "; change |/pools.json, which"},
};

START_TEST(no_change_is_advised_that_this_daemon_refuses)
{
	struct daemon *d = start((enum kind)_i);
	const char *const asked[][2] = {
	    {"/owner?key=a&pool=e", "no-servers"},
	    {"/owner?key=a&pool=d", "no-servers"},
	    {"/owner?key=a&pool=nope", "unknown-pool"},
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		struct answer *a = get(d->lookup, asked[i][0]);

		expect_refusal(a, i < 2 ? 503 : 404, asked[i][1], advice[_i][i]);
		ck_assert_msg(_i == USUAL || (strstr(a->body, "POST /") == NULL &&
						 strstr(a->body, "PUT /") == NULL &&
						 strstr(a->body, "activate") == NULL),
		    "%s", a->body);
	}
	daemon_stop(d);
}
END_TEST

/* An & that was not encoded stands behind the key. */
START_TEST(a_parameter_that_no_key_can_end_with_is_not_blamed_on_one)
{
	struct daemon *d = start(USUAL);
	static const struct {
		const char *path;
		int is_hinted;
	} rows[] = {
	    {"/owner?key=a&b", 1},
	    {"/owner?pool=default&key=a&deadline=3", 1},
	    {"/owner?deadline=3&key=a", 0},
	    {"/owner?key=a&pool=default&deadline=3", 0},
	    {"/nodes?deadline=3", 0},
	    {"/history?limit=5&deadline=3", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct answer *a = get(d->admin, rows[i].path);

		expect_refusal(
		    a, 400, "bad-parameter", i == 0 ? "\"b\"|known:" : "deadline|known:");
		ck_assert_msg((strstr(a->body, "%26") != NULL) == rows[i].is_hinted, "%s: %s",
		    rows[i].path, a->body);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_path_without_a_name_tells_of_its_own_pool)
{
	struct daemon *d = start(USUAL);

	expect_refusal(post(d->admin, "/nodes//drain?pool=f", NULL), 404, "unknown-pool", "\"f\"");
	expect_refusal(post(d->admin, "/nodes//drain?pool=d", NULL), 404, "unknown-node", "\"d\"");
	daemon_stop(d);
}
END_TEST

START_TEST(a_node_was_removed_from_this_pool_not_from_an_earlier_one_of_its_name)
{
	struct daemon *d = start(USUAL);
	static const char two[] = "{\"nodes\":[{\"name\":\"x\",\"address\":\"h:1\"},"
				  "{\"name\":\"y\",\"address\":\"h:2\"}]}",
			  one[] = "{\"nodes\":[{\"name\":\"y\",\"address\":\"h:2\"}]}";
	static const char fresh[] = "If-None-Match: *\nContent-Type: application/json";
	struct answer *a;

	for (int crash = 0; crash < 2; crash++) {
		expect_status(ask(d->admin, "PUT", "/pools/p", fresh, two), 201);
		expect_status(
		    del(d->admin, "/nodes/x?pool=p&force=not-draining,keys-at-risk"), 200);
		expect_refusal(del(d->admin, "/nodes/x?pool=p"), 404, "unknown-node", "removed at");
		expect_status(del(d->admin, "/pools/p?force=pool-not-empty"), 200);
		expect_status(ask(d->admin, "PUT", "/pools/p", fresh, one), 201);
		if (crash)
			daemon_crash(d);
		a = del(d->admin, "/nodes/x?pool=p");
		expect_refusal(a, 404, "unknown-node", "x");
		ck_assert_msg(strstr(a->body, "removed at") == NULL, "%s", a->body);
		expect_status(del(d->admin, "/pools/p?force=pool-not-empty"), 200);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_refused_batch_has_its_epoch)
{
	struct daemon *d = start(USUAL);
	static const char *const types[] = {"Content-Type: text/plain",
	    "Content-Type: application/json", "Content-Type: application/x-ndjson"};
	static const char *const bodies[] = {"a\n", "[\"a\"]", "\"a\"\n"};

	for (int i = 0; i < 3; i++) {
		struct answer *a = ask(d->lookup, "POST", "/owners?pool=e", types[i], bodies[i]);

		expect_refusal(a, 503, "no-servers", NULL);
		expect_header(a, "Hrw-Epoch", "1");
		expect_header(
		    a, "Hrw-Epoch", header(get(d->lookup, "/owner?key=a&pool=e"), "Hrw-Epoch"));
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_weight_is_shown_as_it_was_written)
{
	struct daemon *d = start(USUAL);
	struct answer *a;

	expect_status(patch(d->admin, "/nodes/cache-a", "{\"weight\":0.1}"), 200);
	a = patch(d->admin, "/pools/default", "{\"placement\":\"jump\"}");
	expect_refusal(a, 400, "bad-weight", "weight 0.1 of");
	daemon_stop(d);
}
END_TEST

START_TEST(a_token_that_may_not_drain_is_told_which_may)
{
	struct daemon *d =
	    fleet_with_tokens("\"auth\":{\"tokens\":\"$DIR/tokens\"},", token_lines());

	daemon_launch(d);
	expect_refusal(ask_as("read", d->admin, "POST", "/nodes/cache-c/drain", NULL), 403,
	    "forbidden", "role operate or admin|(?dry_run=true) needs a token of role plan");
	expect_refusal(ask_as("plan", d->admin, "POST", "/nodes/cache-c/drain", NULL), 403,
	    "forbidden", "role operate");
	daemon_stop(d);
}
END_TEST

SUITE(remedies)
{
	tcase_add_loop_test(tests, no_change_is_advised_that_this_daemon_refuses, USUAL, PATH + 1);
	tcase_add_test(tests, a_parameter_that_no_key_can_end_with_is_not_blamed_on_one);
	tcase_add_test(tests, a_path_without_a_name_tells_of_its_own_pool);
	tcase_add_test(
	    tests, a_node_was_removed_from_this_pool_not_from_an_earlier_one_of_its_name);
	tcase_add_test(tests, a_refused_batch_has_its_epoch);
	tcase_add_test(tests, a_weight_is_shown_as_it_was_written);
	tcase_add_test(tests, a_token_that_may_not_drain_is_told_which_may);
}
