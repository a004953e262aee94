/*
 * Where a refusal points: `field` is a JSON pointer into the body as it was sent,
 * or the query parameter or header that is at fault; what a path names, or what
 * the request does not hold, has none.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define JSON   "Content-Type: application/json"
#define TEXT   "Content-Type: text/plain"
#define HEX_32 "0123456789abcdef0123456789abcdef"
#define ANY    "If-Match: *\n" JSON

static struct daemon *d;

/* The fleet; a pool of a placement that hashes nothing and takes no weights; one
 * whose nodes weigh, and have zones. */
static void
setup(void)
{
	d = daemon_start(
	    "{\"pools\":{\"default\":{\"copies\":2,\"nodes\":" FLEET_NODES "},"
	    "\"glb\":{\"placement\":{\"name\":\"glb\",\"seed\":\"" HEX_32 "\","
	    "\"hash_key\":\"" HEX_32 "\"},\"nodes\":" FLEET_NODES "},"
	    "\"jump\":{\"placement\":\"jump\",\"nodes\":" FLEET_NODES "},"
	    "\"heavy\":{\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\",\"weight\":2,"
	    "\"zone\":\"r1\"},{\"name\":\"b\",\"address\":\"h:2\",\"zone\":\"r2\"}]}}}",
	    NULL);
}

static void
teardown(void)
{
	daemon_stop(d);
}

/* field NULL: none. In bodies and fields ' stands for ". */
static const struct {
	const char *code;
	long status;
	const char *method, *path, *headers, *body, *field;
} rows[] = {
    /* What is missing is pointed at where it should be. */
    {"bad-server", 400, "POST", "/nodes", JSON, "{'address':'h:1'}", "/name"},
    {"bad-address", 400, "POST", "/nodes", JSON, "{'name':'e'}", "/address"},
    {"bad-address", 400, "PUT", "/nodes/e", JSON, "{}", "/address"},
    {"bad-server", 400, "POST", "/changes", JSON, "{'add':[{'address':'h:1'}]}", "/add/0/name"},
    {"bad-address", 400, "PUT", "/nodes", ANY, "[{'name':'e'}]", "/0/address"},
    {"bad-address", 400, "PUT", "/nodes", ANY, "{'nodes':[{'name':'e'}]}", "/nodes/0/address"},
    {"bad-field", 400, "PUT", "/nodes", ANY, "{'pool':'default'}", "/nodes"},
    {"bad-field", 400, "POST", "/pools/default/revert", JSON, "{}", "/to"},
    {"bad-field", 400, "PATCH", "/pools/default", JSON, "{'placement':{'vnodes':3}}",
	"/placement/name"},
    {"bad-field", 400, "POST", "/simulate", JSON, "{'capacity':3}", "/keys"},
    {"bad-field", 400, "POST", "/compare", JSON, "{'copies':1}", "/placements"},

    /* Fields that the placement does not use. */
    {"bad-field", 400, "POST", "/nodes?pool=jump", JSON, "{'name':'e','address':'h:1','zone':'r1'}",
	"/zone"},
    {"bad-field", 400, "PATCH", "/nodes/cache-a?pool=jump", JSON, "{'zone':'r1'}", "/zone"},
    {"bad-field", 400, "PUT", "/nodes/cache-a?pool=jump", JSON, "{'slots':[[0,1]]}", "/slots"},
    {"bad-field", 400, "POST", "/changes?pool=jump", JSON,
	"{'add':[{'name':'e','address':'h:1'},{'name':'f','address':'h:1','hash_name':'x'}]}",
	"/add/1/hash_name"},
    {"bad-field", 400, "PUT", "/nodes?pool=jump", ANY,
	"[{'name':'e','address':'h:1'},{'name':'f','address':'h:1','healthy':true}]", "/1/healthy"},
    {"bad-field", 400, "PUT", "/pools/new", ANY,
	"{'placement':'jump','nodes':[{'name':'e','address':'h:1','reweight':1}]}",
	"/nodes/0/reweight"},
    {"bad-field", 400, "PATCH", "/pools/heavy", JSON,
	"{'placement':{'name':'uhashring','points_per_digest':4}}", "/placement/points_per_digest"},

    /* What is seen of the whole only: weights, collisions, ids, copies. */
    {"bad-weight", 400, "PUT", "/pools/new", ANY,
	"{'placement':'ring','nodes':[{'name':'e','address':'h:1'},"
	"{'name':'a','address':'h:1','weight':2}]}",
	"/nodes/1/weight"},
    {"bad-weight", 400, "PATCH", "/nodes/cache-a?pool=jump", JSON, "{'weight':2}", "/weight"},
    {"bad-weight", 400, "POST", "/changes?pool=jump", JSON, "{'reweight':{'cache-a':2}}",
	"/reweight/cache-a"},
    {"bad-weight", 400, "PATCH", "/pools/heavy", JSON, "{'placement':'ring'}", "/placement"},
    {"bad-server", 409, "POST", "/nodes", JSON,
	"{'name':'e','address':'h:1','hash_name':'cache-d'}", "/hash_name"},
    {"bad-server", 409, "POST", "/changes", JSON,
	"{'add':[{'name':'node-owcgfk','address':'h:1'},{'name':'node-chebbo','address':'h:1'}]}",
	"/add/1/name"},
    {"bad-server", 409, "POST", "/nodes", JSON, "{'name':'e','address':'h:1','id':1}", "/id"},
    {"bad-server", 409, "POST", "/nodes", JSON, "{'name':'cache-a','address':'h:1'}", "/name"},
    {"bad-server", 400, "PUT", "/nodes", ANY,
	"[{'name':'e','address':'h:1','id':7},{'name':'f','address':'h:1','id':7}]", "/1/id"},
    {"bad-server", 400, "PUT", "/pools/new", ANY,
	"{'nodes':[{'name':'e','address':'h:1'},{'name':'e','address':'h:1'}]}", "/nodes/1/name"},
    {"bad-server", 400, "POST", "/changes", JSON,
	"{'add':[{'name':'e','address':'h:1','id':7},{'name':'f','address':'h:1','id':7}]}",
	"/add/1/id"},
    {"bad-copies", 400, "PATCH", "/pools/jump", JSON, "{'copies':2}", "/copies"},
    {"bad-copies", 400, "PATCH", "/pools/default", JSON, "{'placement':'jump'}", "/placement"},

    {"bad-copies", 400, "GET", "/replicas?pool=jump&key=a&copies=2", NULL, NULL, "copies"},
    {"bad-copies", 400, "POST", "/owners?pool=glb&copies=3", TEXT, "10.0.0.1\n", "copies"},

    {"bad-key", 400, "POST", "/plan", JSON, "{'keys':['a','b','']}", "/keys/2"},
    {"bad-key", 400, "POST", "/plan?pool=glb", JSON, "{'keys':['10.0.0.1','b']}", "/keys/1"},
    {"bad-key", 400, "POST", "/owners", JSON, "['a',7]", "/1"},
    {"bad-field", 400, "POST", "/pools/default/revert", JSON, "{'to':'1'}", "/to"},
    {"unknown-epoch", 404, "POST", "/pools/default/revert", JSON, "{'to':99}", "/to"},

    /* Names in lists, and a name in a path. */
    {"unknown-node", 404, "POST", "/changes", JSON, "{'drain':['cache-a','x']}", "/drain/1"},
    {"unknown-node", 404, "POST", "/changes", JSON, "{'patch':{'x':{'weight':2}}}", "/patch/x"},
    {"bad-field", 400, "POST", "/changes", JSON, "{'drain':['cache-a'],'remove':['cache-a']}",
	"/remove/0"},
    {"unknown-node", 404, "PATCH", "/nodes/x", JSON, "{'weight':2}", NULL},
    {"unknown-node", 404, "POST", "/nodes/x/drain", NULL, NULL, NULL},

    /* Of another pool, or not as any answer gives it. */
    {"bad-field", 400, "PUT", "/pools/default", ANY, "{'name':'heavy','nodes':[]}", "/name"},
    {"bad-field", 400, "PUT", "/pools/default", ANY, "{'epoch':'1','nodes':[]}", "/epoch"},
    {"bad-field", 400, "PUT", "/pools/default", ANY, "{'lineage':7,'nodes':[]}", "/lineage"},
    {"bad-field", 400, "PUT", "/pools/default", ANY, "{'settled':'yes','nodes':[]}", "/settled"},
    {"bad-field", 400, "PUT", "/pools/default", ANY, "{'keys':[],'nodes':[]}", "/keys"},
    {"bad-field", 400, "PUT", "/pools/default", ANY, "{'fingerprint':null,'nodes':[]}",
	"/fingerprint"},
    {"bad-field", 400, "PUT", "/nodes", ANY, "[{'name':'e','address':'h:1','share':'half'}]",
	"/0/share"},
    {"bad-field", 400, "PUT", "/nodes/e", JSON, "{'address':'h:1','pool':'heavy'}", "/pool"},

    /* Headers and parameters. */
    {"bad-parameter", 400, "POST", "/nodes/cache-a/drain", "If-Match: 1", NULL, "If-Match"},
    {"bad-parameter", 400, "POST", "/nodes/cache-a/drain", "If-Match: \"1", NULL, "If-Match"},
    {"bad-parameter", 400, "PUT", "/nodes", "If-Match: epoch 1\n" JSON, "[]", "If-Match"},
    {"bad-parameter", 400, "PUT", "/nodes", "If-Match: \"1\" or \"2\"\n" JSON, "[]", "If-Match"},
    {"bad-parameter", 400, "PUT", "/pools/new", "If-None-Match: any\n" JSON, "{}", "If-None-Match"},
    {"stale-epoch", 412, "POST", "/nodes/cache-a/drain", "If-Match: W/\"1\"", NULL, "If-Match"},
    {"bad-parameter", 400, "POST", "/simulate?leave=cache-a@0", TEXT, "a\nb\n", "leave"},
    {"bad-parameter", 400, "POST", "/simulate?join=x@2", TEXT, "a\nb\n", "join"},
    {"unknown-node", 404, "POST", "/simulate?leave=x@1", TEXT, "a\nb\n", "leave"},
    {"bad-field", 400, "POST", "/simulate", JSON,
	"{'keys':['a','b'],'events':[{'at':1,'leave':'cache-a'},{'at':2,'leave':'cache-b'}]}",
	"/events/1/at"},
    {"bad-server", 409, "POST", "/simulate", JSON,
	"{'keys':['a','b'],'events':[{'at':1,'join':{'name':'cache-a'}}]}", "/events/0/join"},
    {"unknown-node", 404, "POST", "/simulate", JSON,
	"{'keys':['a','b'],'events':[{'at':1,'leave':'x'}]}", "/events/0/leave"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

START_TEST(a_refusal_points_into_what_was_sent)
{
	const char *body = rows[_i].body != NULL ? text_replace(rows[_i].body, "'", "\"") : NULL;
	struct answer *a = ask(d->admin, rows[_i].method, rows[_i].path, rows[_i].headers, body);

	expect_refusal(a, rows[_i].status, rows[_i].code, NULL);
	if (rows[_i].field == NULL)
		expect_absent(a, "field");
	else
		expect(a, "field", text("'%s'", rows[_i].field));
}
END_TEST

START_TEST(an_event_between_fewer_than_two_requests_is_told_so)
{
	struct answer *a = ask(d->admin, "POST", "/simulate?leave=cache-a@1", TEXT, "a\n");

	expect_refusal(a, 400, "bad-parameter", "one request|two");
}
END_TEST

/* Whatever the kept plan's own body was. */
START_TEST(what_is_wrong_with_a_kept_plan_is_no_place_in_the_request_that_applies_it)
{
	const char *plan;
	struct answer *a;

	a = post(d->admin, "/plan?pool=heavy", "{\"add\":[{\"name\":\"x\"}]}");
	plan = text_at(expect_status(a, 200), "plan");
	a = post(d->admin, text("/plans/%s/apply", plan), NULL);
	expect_refusal(a, 400, "bad-address", "x");
	expect_absent(a, "field");
	a = post(d->admin, "/plan?pool=heavy", "{\"remove\":[\"a\"]}");
	plan = text_at(expect_status(a, 200), "plan");
	a = ask(d->admin, "POST", text("/plans/%s/apply", plan), "If-Match: 1", NULL);
	expect_refusal(a, 400, "bad-parameter", NULL);
	expect(a, "field", "'If-Match'");
}
END_TEST

START_TEST(an_epoch_of_no_pool_is_null_in_answers_as_in_history)
{
	struct answer *a = ask(d->admin, "PUT", "/pools/brief", ANY, "{\"nodes\":[]}");

	expect_status(a, 201);
	expect(a, "epoch_before", "null");
	expect(a, "epoch_after", "1");
	expect(get(d->admin, "/history?pool=brief"), "history[0].epoch_before", "null");
	a = del(d->admin, "/pools/brief?report=none");
	expect(a, "epoch_before", "1");
	expect(a, "epoch_after", "null");
	expect(get(d->admin, "/history?pool=brief"), "history[0].epoch_after", "null");
}
END_TEST

SUITE(pointers)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_unchecked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_refusal_points_into_what_was_sent, 0, ROWS);
	tcase_add_test(tests, an_event_between_fewer_than_two_requests_is_told_so);
	tcase_add_test(
	    tests, what_is_wrong_with_a_kept_plan_is_no_place_in_the_request_that_applies_it);
	tcase_add_test(tests, an_epoch_of_no_pool_is_null_in_answers_as_in_history);
}
