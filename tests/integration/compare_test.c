/*
 * compare_test.c - POST /compare and POST /simulate, over HTTP.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define LINES "Content-Type: text/plain"
#define JSON  "Content-Type: application/json"

static struct answer *
compare(const struct daemon *d, const char *body)
{
	return post(d->admin, "/compare", text_replace(body, "'", "\""));
}

/* A trace by lines. */
static struct answer *
simulate(const struct daemon *d, const char *query, const char *trace)
{
	return ask(d->admin, "POST", text("/simulate%s", query), LINES, trace);
}

START_TEST(placements_are_compared_on_the_stored_keys)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = expect_status(
	    compare(
		d, "{'placements':['rendezvous',{'name':'ring','vnodes':10},'modulo'],'copies':1}"),
	    200);

	expect(a, "pool", "'default'");
	expect(a, "epoch", "1");
	expect(a, "copies", "1");
	expect(a, "keys", "{'source':'stored','total':24,'generation':1}");
	expect(a, "change", "null");
	ck_assert_int_eq(count_at(a, "results"), 3);
	expect(a, "results[0].placement", "{'name':'rendezvous'}");
	expect(a, "results[1].placement", "{'name':'ring','hash':'blake2b','vnodes':10}");
	/* Owners 8, 6, 4, 6: the deviation of those by their mean is sqrt(2)/6. */
	expect(a, "results[0].spread.busiest",
	    text("{'node':'cache-a','keys':8,'share':%.17g,'fair_share':0.25}", 8.0 / 24));
	expect(a, "results[0].spread.quietest",
	    text("{'node':'cache-c','keys':4,'share':%.17g,'fair_share':0.25}", 4.0 / 24));
	ck_assert_double_eq_tol(number_at(a, "results[0].spread.deviation"), 0.235702, 1e-6);
	expect(a, "results[0].unplaced", "0");
	for (int i = 0; i < 3; i++) {
		expect(a, text("results[%d].moved", i), "null");
		expect(a, text("results[%d].needless", i), "null");
		expect_absent(a, text("results[%d].error", i));
		ck_assert_double_gt(number_at(a, text("results[%d].prepare_ns", i)), 0);
		ck_assert_double_gt(number_at(a, text("results[%d].index_bytes", i)), 0);
		ck_assert_double_gt(number_at(a, text("results[%d].lookup_ns", i)), 0);
	}
	ck_assert_double_ge(number_at(a, "results[1].index_bytes"), 40 * 12);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
}
END_TEST

START_TEST(the_same_change_is_tried_under_each_placement)
{
	struct daemon *d = fleet_with_photos();
	struct answer *plan, *a;

	plan = expect_status(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), 200);
	a = expect_status(compare(d, "{'placements':['rendezvous','ring','modulo'],"
				     "'change':{'drain':['cache-c']}}"),
	    200);
	expect(a, "copies", "2");
	expect(a, "change", "[{'op':'drain','node':'cache-c'}]");
	expect(a, "results[0].moved", text("%g", number_at(plan, "keys.changed")));
	expect(a, "results[0].moved", "13");
	expect(a, "results[0].needless", "0");
	expect(a, "results[1].needless", "0");
	/* One copy is all that it knows: its own failure, not the others'. */
	expect(a, "results[2].placement", "{'name':'modulo','hash':'fmix32'}");
	expect(a, "results[2].error.code", "'bad-copies'");
	expect_absent(a, "results[2].spread");

	a = expect_status(compare(d, "{'placements':['rendezvous','modulo'],'copies':1,"
				     "'change':{'remove':['cache-c'],'add':[{'name':'cache-e'}]}}"),
	    200);
	expect(a, "results[0].needless", "0");
	ck_assert_double_gt(number_at(a, "results[1].moved"), 0);
	/* A weight that one of them takes. */
	a = expect_status(compare(d, "{'placements':['rendezvous','ring'],"
				     "'change':{'reweight':{'cache-a':2.5}}}"),
	    200);
	expect_absent(a, "results[0].error");
	expect(a, "results[1].error.code", "'bad-weight'");
	daemon_stop(d);
}
END_TEST

START_TEST(keys_are_those_of_the_request_or_else_the_sample)
{
	struct daemon *d = fleet_start();
	struct answer *a =
	    expect_status(compare(d, "{'placements':['rendezvous',{'name':'jump',"
				     "'key_type':'uint64'}],'copies':1,'keys':['7','8','x']}"),
		200);

	expect(a, "keys", "{'source':'request','total':3}");
	expect(a, "results[0].unplaced", "0");
	expect(a, "results[1].error.code", "'bad-key'");
	a = expect_status(
	    compare(d, "{'placements':['rendezvous',{'name':'jump','key_type':'uint64'}],"
		       "'copies':1,'change':{'remove':['cache-b']}}"),
	    200);
	expect(a, "keys", "{'source':'estimate','total':65536}");
	ck_assert_double_lt(number_at(a, "results[0].spread.deviation"), 0.02);
	/* The sample is of the placement's own key type. */
	ck_assert_double_lt(number_at(a, "results[1].spread.deviation"), 0.02);
	ck_assert_double_gt(number_at(a, "results[1].needless"), 10000);
	daemon_stop(d);
}
END_TEST

START_TEST(a_placement_that_cannot_place_the_pool_says_why)
{
	struct daemon *d = fleet_start();
	struct answer *a = expect_status(
	    compare(d, "{'placements':['redis-cluster','rendezvous-keyed','ceph-straw2',"
		       "'rendezvous'],'copies':1}"),
	    200);

	expect(a, "results[0].error.code", "'no-servers'");
	ck_assert_ptr_nonnull(strstr(text_at(a, "results[0].error.detail"), "slots"));
	expect(a, "results[1].error.code", "'bad-field'");
	expect(a, "results[2].error.code", "'bad-zone'");
	expect_absent(a, "results[3].error");
	a = expect_status(post(d->admin, "/pools/empty", NULL), 405);
	expect_status(ask(d->admin, "PUT", "/pools/empty", JSON "\nIf-None-Match: *", "{}"), 201);
	a = expect_status(
	    post(d->admin, "/compare?pool=empty", "{\"placements\":[\"rendezvous\"]}"), 200);
	expect(a, "results[0].error.code", "'no-servers'");
	daemon_stop(d);
}
END_TEST

struct bad {
	const char *body, *code;
	long status;
	const char *field, *parts;
};

static const struct bad bad_comparisons[] = {
    {"", "bad-json", 400, NULL, NULL},
    {"[]", "bad-field", 400, NULL, "an array"},
    {"{}", "bad-field", 400, NULL, "placements"},
    {"{'placements':[]}", "bad-field", 400, "/placements", "1 to 64"},
    {"{'placements':'ring'}", "bad-field", 400, "/placements", "rendezvous"},
    {"{'placements':['ring','rung']}", "bad-field", 400, "/placements/1", "rung|modulo"},
    {"{'placements':[{'name':'ring','vnodes':0}]}", "bad-field", 400, "/placements/0/vnodes",
	"1 to 100000"},
    {"{'placements':[{'name':'ring','points':1}]}", "bad-field", 400, "/placements/0/points",
	"points"},
    {"{'placements':['ring'],'copies':0}", "bad-copies", 400, "/copies", "1"},
    {"{'placements':['ring'],'copies':9}", "bad-copies", 400, "/copies", "8"},
    {"{'placements':['ring'],'copy':1}", "bad-field", 400, "/copy", "copies"},
    {"{'placements':['ring'],'change':[]}", "bad-field", 400, "/change", NULL},
    {"{'placements':['ring'],'change':{'drian':[]}}", "bad-field", 400, "/change/drian", "drain"},
    {"{'placements':['ring'],'change':{'placement':'ring'}}", "bad-field", 400, "/change/placement",
	"placements"},
    {"{'placements':['ring'],'change':{'keys':['a']}}", "bad-field", 400, "/change/keys", NULL},
    {"{'placements':['ring'],'change':{'drain':['cache-z']}}", "unknown-node", 404, NULL,
	"cache-z"},
    {"{'placements':['ring'],'change':{'add':[{'name':'UP'}]}}", "bad-server", 400, NULL, "UP"},
    {"{'placements':['ring'],'keys':'a'}", "bad-field", 400, "/keys", NULL},
    {"{'placements':['ring'],'keys':['a','']}", "bad-key", 400, "/keys/1", NULL},
};

START_TEST(what_cannot_be_compared_is_refused_with_its_place)
{
	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(bad_comparisons) / sizeof(*bad_comparisons); i++) {
		const struct bad *bad = &bad_comparisons[i];
		struct answer *a = compare(d, bad->body);

		expect_refusal(a, bad->status, bad->code, bad->parts);
		if (bad->field != NULL)
			expect(a, "field", text("'%s'", bad->field));
	}
	expect_refusal(post(d->admin, "/compare?pool=none", "{\"placements\":[\"ring\"]}"), 404,
	    "unknown-pool", "none");
	expect_refusal(post(d->admin, "/compare?wait=1", "{}"), 400, "bad-parameter", "wait");
	expect_refusal(simulate(d, "", ""), 400, "bad-key", "empty");
	expect_refusal(ask(d->admin, "POST", "/compare", LINES, "a"), 415, "bad-type", NULL);
	expect_status(get(d->admin, "/compare"), 405);
	expect_status(post(d->lookup, "/compare", "{}"), 404);
	expect_status(post(d->lookup, "/simulate", "{}"), 404);
	daemon_stop(d);
}
END_TEST

/* "k0\nk1\n…", `rounds` times k0 to k9. */
static const char *
rounds(size_t count)
{
	struct page page = {0};

	for (size_t i = 0; i < count; i++)
		page_add(&page, "k0\nk1\nk2\nk3\nk4\nk5\nk6\nk7\nk8\nk9\n");
	return kept(page.data);
}

START_TEST(a_trace_by_lines_is_replayed_with_what_the_query_says)
{
	struct daemon *d = fleet_start();
	struct answer *a = expect_status(
	    simulate(d,
		"?placements=rendezvous,modulo&capacity=10&window=50&leave=cache-c@500"
		"&join=cache-c@700,cache-e@800",
		rounds(100)),
	    200);

	expect(a, "pool", "'default'");
	expect(a, "epoch", "1");
	expect(a, "requests", "1000");
	expect(a, "distinct", "10");
	expect(a, "capacity", "10");
	expect(a, "window", "50");
	expect(a, "events",
	    "[{'at':500,'leave':'cache-c'},{'at':700,'join':'cache-c'},"
	    "{'at':800,'join':'cache-e'}]");
	ck_assert_int_eq(count_at(a, "results"), 4);
	expect(a, "results[0].placement", "{'name':'rendezvous'}");
	expect(a, "results[1].placement", "{'name':'modulo','hash':'fmix32'}");
	expect(a, "results[2].placement", "{'name':'random'}");
	expect(a, "results[3].placement", "{'name':'round-robin'}");
	for (int i = 0; i < 2; i++) {
		expect(a, text("results[%d].hit_rate.steady", i), "1");
		ck_assert_double_lt(number_at(a, text("results[%d].hit_rate.worst.rate", i)), 1);
		ck_assert_double_ge(number_at(a, text("results[%d].hit_rate.worst.at", i)), 500);
		expect(a, text("results[%d].hit_rate.recovered", i), "1");
		expect(a, text("results[%d].unplaced", i), "0");
	}
	ck_assert_double_gt(number_at(a, "results[0].hit_rate.overall"),
	    number_at(a, "results[1].hit_rate.overall"));
	ck_assert_double_gt(number_at(a, "results[3].busiest.share"), 0.25);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
}
END_TEST

START_TEST(the_same_can_be_asked_for_in_json)
{
	struct daemon *d = fleet_start();
	struct answer *a, *by_lines;

	a = expect_status(
	    ask(d->admin, "POST", "/simulate", JSON,
		text_replace("{'keys':['a','b','a','b','a','b','a','b'],'capacity':null,"
			     "'window':2,'placements':[{'name':'ring','vnodes':7}],'events':["
			     "{'at':6,'join':{'name':'cache-f','address':'10.0.0.6:1'}},"
			     "{'at':4,'leave':'cache-a'}]}",
		    "'", "\"")),
	    200);
	expect(a, "capacity", "null");
	expect(a, "events", "[{'at':4,'leave':'cache-a'},{'at':6,'join':'cache-f'}]");
	expect(a, "results[0].placement", "{'name':'ring','hash':'blake2b','vnodes':7}");
	by_lines = expect_status(simulate(d,
				     "?placements=%5B%7B%22name%22:%22ring%22,%22vnodes%22:7%7D%5D"
				     "&window=2&leave=cache-a@4&join=cache-f@6",
				     "a\nb\na\nb\na\nb\na\nb"),
	    200);
	ck_assert_str_eq(by_lines->body, a->body);
	by_lines = expect_status(ask(d->admin, "POST",
				     "/simulate?placements=%5B%7B%22name%22:%22ring%22,"
				     "%22vnodes%22:7%7D%5D&window=2&leave=cache-a@4&join=cache-f@6",
				     "Content-Type: application/x-ndjson",
				     "\"a\"\n\"b\"\n\"a\"\n\"b\"\n\"a\"\n\"b\"\n\"a\"\n\"b\"\n"),
	    200);
	ck_assert_str_eq(by_lines->body, a->body);
	daemon_stop(d);
}
END_TEST

START_TEST(without_placements_the_pools_own_is_simulated)
{
	struct daemon *d = fleet_start();
	struct answer *a = expect_status(simulate(d, "", "x\nx\nx\nx\n"), 200);

	expect(a, "window", "1000");
	expect(a, "results[0]",
	    "{'placement':{'name':'rendezvous'},'hit_rate':{'overall':0.75,'steady':1,"
	    "'worst':{'rate':1,'at':2},'recovered':null},'hits':3,'unplaced':0,"
	    "'busiest':{'node':'cache-a','requests':4,'share':1}}");
	ck_assert_int_eq(count_at(a, "results"), 3);
	/* One that cannot place this pool says so by itself. */
	a = expect_status(simulate(d, "?placements=redis-cluster,rendezvous", "x\nx\n"), 200);
	expect(a, "results[0].error.code", "'no-servers'");
	expect_absent(a, "results[1].error");
	a = expect_status(simulate(d, "?placements=envoy-maglev&join=cache-e@1", "x\nx\n"), 200);
	expect(a, "results[0].error.code", "'bad-address'");
	expect_absent(a, "results[1].error");
	daemon_stop(d);
}
END_TEST

struct bad_simulation {
	const char *query, *headers, *body, *code;
	long status;
	const char *field, *parts;
};

static const struct bad_simulation bad_simulations[] = {
    {"", LINES, "a\n\nb\n", "bad-key", 400, NULL, "line 2"},
    {"", LINES, "", "bad-key", 400, NULL, "empty"},
    {"?capacity=0", LINES, "a\nb\n", "bad-parameter", 400, "capacity", NULL},
    {"?capacity=1.5", LINES, "a\nb\n", "bad-parameter", 400, "capacity", NULL},
    {"?window=0", LINES, "a\nb\n", "bad-parameter", 400, "window", NULL},
    {"?placements=", LINES, "a\nb\n", "bad-parameter", 400, "placements", NULL},
    {"?placements=ring,rung", LINES, "a\nb\n", "bad-parameter", 400, "placements", "rung"},
    {"?placements=%5B", LINES, "a\nb\n", "bad-parameter", 400, "placements", NULL},
    {"?placements=%5B%7B%22name%22:%22ring%22,%22vnodes%22:0%7D%5D", LINES, "a\n", "bad-parameter",
	400, "placements", "100000"},
    {"?leave=cache-a", LINES, "a\nb\n", "bad-parameter", 400, "leave", "NODE@POSITION"},
    {"?leave=cache-a@", LINES, "a\nb\n", "bad-parameter", 400, "leave", "NODE@POSITION"},
    {"?leave=cache-a@-1", LINES, "a\nb\n", "bad-parameter", 400, "leave", "NODE@POSITION"},
    {"?leave=cache-a@0", LINES, "a\nb\n", "bad-parameter", 400, NULL, "use 1, "},
    {"?leave=cache-a@2", LINES, "a\nb\n", "bad-parameter", 400, NULL, "2 requests"},
    {"?leave=cache-z@1", LINES, "a\nb\n", "unknown-node", 404, NULL, "cache-z"},
    {"?leave=cache-a@1,cache-a@2", LINES, "a\nb\nc\n", "unknown-node", 404, NULL, "cache-a"},
    {"?join=cache-a@1", LINES, "a\nb\n", "bad-server", 409, NULL, "cache-a"},
    {"?join=UP@1", LINES, "a\nb\n", "bad-server", 400, "join", "UP"},
    {"?pool=none", LINES, "a\nb\n", "unknown-pool", 404, NULL, "none"},
    {"?color=red", LINES, "a\nb\n", "bad-parameter", 400, "color", NULL},
    {"", "Content-Type: text/csv", "a\nb\n", "bad-type", 415, NULL, NULL},
    {"?capacity=1", JSON, "{'keys':['a']}", "bad-parameter", 400, "capacity", "body"},
    {"?leave=a@1", JSON, "{'keys':['a']}", "bad-parameter", 400, "leave", "events"},
    {"", JSON, "{'keys':['a'", "bad-json", 400, NULL, "line 1"},
    {"", JSON, "['a']", "bad-field", 400, NULL, "keys"},
    {"", JSON, "{}", "bad-field", 400, NULL, "keys"},
    {"", JSON, "{'keys':[]}", "bad-key", 400, NULL, "empty"},
    {"", JSON, "{'keys':7}", "bad-field", 400, "/keys", NULL},
    {"", JSON, "{'keys':['']}", "bad-key", 400, "/keys/0", NULL},
    {"", JSON, "{'keys':['a'],'size':1}", "bad-field", 400, "/size", NULL},
    {"", JSON, "{'keys':['a'],'capacity':0}", "bad-field", 400, "/capacity", "null"},
    {"", JSON, "{'keys':['a'],'window':null}", "bad-field", 400, "/window", NULL},
    {"", JSON, "{'keys':['a'],'placements':['rung']}", "bad-field", 400, "/placements/0", "rung"},
    {"", JSON, "{'keys':['a'],'events':{}}", "bad-field", 400, "/events", NULL},
    {"", JSON, "{'keys':['a'],'events':[{'at':1}]}", "bad-field", 400, "/events/0", "leave"},
    {"", JSON, "{'keys':['a'],'events':[{'at':'1','leave':'cache-a'}]}", "bad-field", 400,
	"/events/0", "at"},
    {"", JSON, "{'keys':['a'],'events':[{'at':1,'leave':'cache-a','join':'b'}]}", "bad-field", 400,
	"/events/0", NULL},
    {"", JSON, "{'keys':['a'],'events':[{'at':1,'leave':{'name':'cache-a'}}]}", "bad-field", 400,
	"/events/0/leave", "name"},
    {"", JSON, "{'keys':['a'],'events':[{'at':1,'join':{'name':'e','weight':-1}}]}", "bad-weight",
	400, "/events/0/join/weight", "-1"},
    {"", JSON, "{'keys':['a'],'events':[{'at':1,'join':'UP'}]}", "bad-server", 400,
	"/events/0/join", "UP"},
    {"", JSON, "{'keys':['a','b'],'events':[{'at':9,'leave':'cache-a'}]}", "bad-field", 400, NULL,
	"2 requests"},
};

START_TEST(what_cannot_be_simulated_is_refused_with_its_place)
{
	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(bad_simulations) / sizeof(*bad_simulations); i++) {
		const struct bad_simulation *bad = &bad_simulations[i];
		struct answer *a = ask(d->admin, "POST", text("/simulate%s", bad->query),
		    bad->headers, text_replace(bad->body, "'", "\""));

		expect_refusal(a, bad->status, bad->code, bad->parts);
		if (bad->field != NULL)
			expect(a, "field", text("'%s'", bad->field));
	}
	daemon_stop(d);
}
END_TEST

START_TEST(what_would_take_too_much_is_refused_by_its_limit)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"limits\":{\"json_bytes\":4096,\"body_bytes\":16777216},"), NULL);
	const char *many = numbered_keys("", 400000);
	struct page page = {0};

	expect_refusal(
	    ask(d->admin, "POST", "/simulate", JSON, text("{\"keys\":[\"%05000d\"]}", 0)), 413,
	    "too-large", "json_bytes|text/plain");
	expect_refusal(simulate(d, "", text("%020000000d", 0)), 413, "too-large", "body_bytes");
	/* 400,000 distinct keys on each of 68 nodes */
	for (int i = 0; i < 64; i++)
		page_add(&page, "%sn%d@%d", i > 0 ? "," : "", i, i + 1);
	expect_refusal(simulate(d, text("?join=%s", page.data), many), 400, "bad-parameter",
	    "MiB|smaller capacity");
	expect_status(simulate(d, text("?capacity=1000&join=%s", page.data), many), 200);
	page_add(&page, ",o@99");
	expect_refusal(simulate(d, text("?join=%s", page.data), many), 400, "bad-parameter", "64");
	free(page.data);
	daemon_stop(d);
}
END_TEST

/* Sends a request that takes long, and goes away. */
static void
ask_and_leave(const struct daemon *d, const char *path, const char *body)
{
	int fd = raw_open(d->admin);
	const char *head = text("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
				"application/json\r\nContent-Length: %zu\r\n\r\n",
	    path, strlen(body));

	raw_send(fd, head, strlen(head));
	raw_send(fd, body, strlen(body));
	pause_ms(300);
	close(fd);
}

START_TEST(a_comparison_ends_when_its_client_goes_away)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"running_plans\":1},"), NULL);
	struct page page = {0};
	double began;

	expect_status(keys_put(d, numbered_keys("key-", 300000)), 200);
	page_add(&page, "{\"placements\":[");
	for (int i = 0; i < 64; i++)
		page_add(&page, "%s\"rendezvous-blake2b\"", i > 0 ? "," : "");
	page_add(&page, "],\"change\":{\"drain\":[\"cache-a\"]}}");
	ask_and_leave(d, "/compare", page.data); /* it runs */
	ask_and_leave(d, "/compare", page.data); /* it waits, or has begun */
	began = now_ms();
	expect_status(compare(d, "{'placements':['rendezvous'],'keys':['a']}"), 200);
	ck_assert_double_lt(now_ms() - began, 5000);
	/* and the daemon ends while one runs */
	ask_and_leave(d, "/compare", page.data);
	free(page.data);
	daemon_stop(d);
}
END_TEST

START_TEST(too_many_at_once_are_told_to_come_back)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"running_plans\":1},"), NULL);
	struct page page = {0};
	int fd[2];

	expect_status(keys_put(d, numbered_keys("key-", 300000)), 200);
	page_add(&page, "{\"placements\":[");
	for (int i = 0; i < 64; i++)
		page_add(&page, "%s\"rendezvous-blake2b\"", i > 0 ? "," : "");
	page_add(&page, "]}");
	for (int i = 0; i < 2; i++) {
		const char *head =
		    text("POST /compare HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
			 "application/json\r\nContent-Length: %zu\r\n\r\n%s",
			page.len, page.data);

		fd[i] = raw_open(d->admin);
		raw_send(fd[i], head, strlen(head));
		pause_ms(200);
	}
	/* one runs, one waits */
	expect_refusal(compare(d, "{'placements':['rendezvous']}"), 429, "busy", "running_plans");
	expect_refusal(simulate(d, "", "a\nb\n"), 429, "busy", "running_plans");
	close(fd[1]);
	close(fd[0]);
	free(page.data);
	daemon_stop(d);
}
END_TEST

SUITE(compare_http)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, placements_are_compared_on_the_stored_keys);
	tcase_add_test(tests, the_same_change_is_tried_under_each_placement);
	tcase_add_test(tests, keys_are_those_of_the_request_or_else_the_sample);
	tcase_add_test(tests, a_placement_that_cannot_place_the_pool_says_why);
	tcase_add_test(tests, what_cannot_be_compared_is_refused_with_its_place);
	tcase_add_test(tests, a_trace_by_lines_is_replayed_with_what_the_query_says);
	tcase_add_test(tests, the_same_can_be_asked_for_in_json);
	tcase_add_test(tests, without_placements_the_pools_own_is_simulated);
	tcase_add_test(tests, what_cannot_be_simulated_is_refused_with_its_place);
	tcase_add_test(tests, what_would_take_too_much_is_refused_by_its_limit);
	tcase_add_test(tests, a_comparison_ends_when_its_client_goes_away);
	tcase_add_test(tests, too_many_at_once_are_told_to_come_back);
}
