/*
 * What the daemon refuses, and how: each row of the contract's table of errors.
 *
 * Every refusal has its status, its stable code and a detail that shows the bad
 * value and a remedy; it changes nothing and is logged at most once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "tests/dsl/contract.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define JSON	"Content-Type: application/json"
#define A(n)	"{\"name\":\"" n "\",\"address\":\"10.0.0.9:11211\"}"
#define AT(a)	"{\"name\":\"cache-e\",\"address\":" a "}"
#define W(w)	"{\"name\":\"cache-e\",\"address\":\"10.0.0.9:11211\",\"weight\":" w "}"
#define Z(z)	"{\"name\":\"cache-e\",\"address\":\"10.0.0.9:11211\",\"zone\":" z "}"
#define LONG_33 "aaaaaaaaaabbbbbbbbbbccccccccccddd"
#define LONG_65 "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg"
#define DEEP_40 "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"

/* The daemons that the rows are asked of. */
enum which { FLEET, EMPTY, SMALL, FIXED, CALM, COUNT };

static const char *const configs[COUNT] = {
    [FLEET] = FLEET_CONFIG(""),
    [EMPTY] = NULL,
    [SMALL] = FLEET_CONFIG("\"limits\":{\"nodes\":4,\"json_bytes\":4096,\"body_bytes\":4096},"),
    [FIXED] = "{\"store\":{\"file\":\"$DIR/pools.json\"}}",
    [CALM] =
	"{\"pools\":{\"default\":{\"copies\":1,\"max_moved\":0.05,\"nodes\":" FLEET_NODES "}}}",
};

static struct daemon *daemons[COUNT];

static void
setup(void)
{
	static const char pools[] = "{\"default\":{\"copies\":2,\"nodes\":" FLEET_NODES "}}";

	for (int i = 0; i < COUNT; i++) {
		daemons[i] = daemon_prepare(configs[i], "--lookup", "127.0.0.1:0", "--admin",
		    "127.0.0.1:0", i == FIXED ? NULL : "--store", "$DIR/hrwd.db", NULL);
		if (i == FIXED)
			daemon_write(daemons[i], "pools.json", pools, sizeof(pools) - 1);
		daemon_launch(daemons[i]);
	}
}

static void
teardown(void)
{
	for (int i = 0; i < COUNT; i++)
		daemon_stop(daemons[i]);
}

/* parts: what the detail holds, separated by |: the value and the remedy. */
static const struct refusal {
	const char *code;
	long status;
	enum which which;
	const char *method, *path, *headers, *body, *parts;
} refusals[] = {
    {"no-servers", 503, EMPTY, "GET", "/owner?key=a", NULL, NULL, "default"},
    {"no-servers", 503, EMPTY, "GET", "/replicas?key=a", NULL, NULL, "default"},
    {"no-servers", 503, EMPTY, "POST", "/owners", NULL, "a\nb\n", "default"},

    {"too-many", 400, SMALL, "POST", "/nodes", JSON, A("cache-e"), "4|limits.nodes"},

    {"bad-server", 400, FLEET, "POST", "/nodes", JSON, A(""), "a-z"},
    {"bad-server", 400, FLEET, "POST", "/nodes", JSON, A("Cache-e"), "Cache-e|a-z"},
    {"bad-server", 400, FLEET, "POST", "/nodes", JSON, A("9cache"), "9cache|a-z"},
    {"bad-server", 400, FLEET, "POST", "/nodes", JSON, A("cache_e"), "cache_e|a-z"},
    {"bad-server", 400, FLEET, "POST", "/nodes", JSON, A("cache e"), "cache e|a-z"},
    {"bad-server", 400, FLEET, "POST", "/nodes", JSON, A("caf\xc3\xa9"), "caf|a-z"},
    {"bad-server", 400, FLEET, "POST", "/nodes", JSON, A(LONG_33), "32"},
    {"bad-server", 400, FLEET, "POST", "/nodes", JSON,
	"{\"name\":7,\"address\":\"10.0.0.9:11211\"}", NULL},
    {"bad-server", 400, FLEET, "PUT", "/nodes/Cache", JSON, "{\"address\":\"h:1\"}", "Cache"},
    {"bad-server", 409, FLEET, "POST", "/nodes", JSON, A("cache-a"), "cache-a"},
    {"bad-server", 400, FLEET, "POST", "/changes", JSON,
	"{\"add\":[" A("cache-e") "," A("cache-e") "]}", "cache-e"},
    /* FNV-1a gives both names one hash. */
    {"bad-server", 409, FLEET, "POST", "/changes", JSON,
	"{\"add\":[" A("node-owcgfk") "," A("node-chebbo") "]}",
	"node-owcgfk|node-chebbo|hash_name"},

    {"bad-key", 400, FLEET, "GET", "/owner", NULL, NULL, "key="},
    {"bad-key", 400, FLEET, "GET", "/owner?key=", NULL, NULL, NULL},
    {"bad-key", 400, FLEET, "GET", "/owner?key=KEY257", NULL, NULL, "257|256"},
    {"bad-key", 400, FLEET, "POST", "/owners", JSON, "[7]", NULL},
    {"bad-key", 400, FLEET, "POST", "/owners", NULL, "a\n\nb\n", "line 2"},
    {"bad-key", 400, FLEET, "POST", "/plan", JSON, "{\"keys\":[\"\"]}", NULL},

    {"bad-copies", 400, FLEET, "GET", "/replicas?key=a&copies=0", NULL, NULL, "0|8"},
    {"bad-copies", 400, FLEET, "GET", "/replicas?key=a&copies=9", NULL, NULL, "9|8"},
    {"bad-copies", 400, FLEET, "GET", "/replicas?key=a&copies=-1", NULL, NULL, "-1"},
    {"bad-copies", 400, FLEET, "GET", "/replicas?key=a&copies=1.5", NULL, NULL, "1.5"},
    {"bad-copies", 400, FLEET, "GET", "/replicas?key=a&copies=two", NULL, NULL, "two"},
    {"bad-copies", 400, FLEET, "GET", "/replicas?key=a&copies=", NULL, NULL, NULL},
    {"bad-copies", 400, FLEET, "GET", "/replicas?key=a&copies=99999999999999999999", NULL, NULL,
	"99999999999999999999"},
    {"bad-copies", 400, FLEET, "PATCH", "/pools/default", JSON, "{\"copies\":0}", "0|8"},
    {"bad-copies", 400, FLEET, "PATCH", "/pools/default", JSON, "{\"copies\":9}", "9|8"},
    {"bad-copies", 400, FLEET, "PATCH", "/pools/default", JSON, "{\"copies\":\"2\"}", NULL},
    {"bad-copies", 400, FLEET, "PATCH", "/pools/default", JSON, "{\"copies\":1.5}", "1.5"},

    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("-1"), "-1"},
    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("\"twenty\""), "twenty"},
    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("1e400"), "1e400"},
    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("1e-400"), "1e-400"},
    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("-1e-400"), "-1e-400"},
    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("0.0001e-324"), "0.0001e-324"},
    {"bad-weight", 400, FLEET, "PATCH", "/nodes/cache-a", JSON, "{\"weight\":1e-324}", "1e-324"},
    {"bad-weight", 400, FLEET, "POST", "/changes", JSON, "{\"reweight\":{\"cache-a\":1e-400}}",
	"1e-400"},
    {"bad-field", 400, FLEET, "PATCH", "/pools/default", JSON, "{\"max_moved\":1e-400}", "1e-400"},
    {"bad-json", 400, FLEET, "POST", "/nodes/cache-a/drain", JSON, "{", NULL},
    {"bad-json", 400, FLEET, "POST", "/nodes/cache-a/drain", JSON, "{}}}", NULL},
    {"bad-json", 400, FLEET, "POST", "/nodes/cache-a/activate", JSON, "{ } }", NULL},
    {"bad-json", 400, FLEET, "POST", "/pools/default/settle", JSON, "nothing", NULL},
    {"bad-field", 400, FLEET, "DELETE", "/nodes/cache-a", JSON, "[]", "no body"},
    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("1e10"), "1e10|1e9"},
    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("1e-7"), "1e-7|1e-6"},
    {"bad-weight", 400, FLEET, "POST", "/nodes", JSON, W("true"), "true"},
    {"bad-weight", 400, FLEET, "PATCH", "/nodes/cache-a", JSON, "{\"weight\":[1]}", NULL},
    {"bad-weight", 400, FLEET, "POST", "/changes", JSON, "{\"reweight\":{\"cache-a\":-2}}", "-2"},
    {"bad-json", 400, FLEET, "POST", "/nodes", JSON, W("NaN"), "line 1|column"},

    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\"10.0.0.9\""), "10.0.0.9|port"},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\"10.0.0.9:0\""), "10.0.0.9:0|65535"},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\"10.0.0.9:65536\""), "65536|65535"},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\"10.0.0.9:80x\""), "80x"},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\":11211\""), ":11211"},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\"::1:80\""), "::1:80"},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\"[::g]:80\""), "[::g]:80"},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\"h ost:80\""), "h ost:80"},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("\"\""), NULL},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, AT("7"), NULL},
    {"bad-address", 400, FLEET, "POST", "/nodes", JSON, "{\"name\":\"cache-e\"}", "address"},
    {"bad-address", 400, FLEET, "PATCH", "/nodes/cache-a", JSON, "{\"address\":\"h\"}", "port"},

    {"bad-zone", 400, FLEET, "POST", "/nodes", JSON, Z("\"\""), NULL},
    {"bad-zone", 400, FLEET, "POST", "/nodes", JSON, Z("\"r 1\""), "r 1"},
    {"bad-zone", 400, FLEET, "POST", "/nodes", JSON, Z("\"" LONG_65 "\""), "64"},
    {"bad-zone", 400, FLEET, "PATCH", "/nodes/cache-a", JSON, "{\"zone\":7}", NULL},

    {"bad-pool", 400, FLEET, "PUT", "/pools/Tier", JSON "\nIf-Match: *", "{\"nodes\":[]}", "Tier"},
    {"bad-pool", 400, FLEET, "PUT", "/pools/" LONG_33, JSON "\nIf-Match: *", "{\"nodes\":[]}",
	"32"},

    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "", "line 1|column 1"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "{\"copies\":2", "line 1|column"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "{\n\"copies\":\n}", "line 3|column 1"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "{} {}", "line 1"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "{\"copies\":007}", "line 1"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "{'copies':2}", "line 1"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "\xef\xbb\xbf{}", "line 1"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "{\"drain\":[\"\xff\"]}", "line 1"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "{\"keys\":" DEEP_40 "}", "32"},
    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "{ /* why */ }", "line 1"},

    {"bad-field", 400, FLEET, "POST", "/changes", JSON, "[]", "object"},
    {"bad-field", 400, FLEET, "POST", "/changes", JSON, "{\"drian\":[]}", "drian|drain"},
    {"bad-field", 400, FLEET, "POST", "/changes", JSON, "{\"copies\":2,\"copies\":3}", "copies"},
    {"bad-field", 400, FLEET, "POST", "/changes", JSON, "{\"drain\":\"cache-a\"}", NULL},
    {"bad-field", 400, FLEET, "POST", "/changes", JSON, "{\"Drain\":[]}", "Drain"},
    {"bad-field", 400, FLEET, "POST", "/nodes", JSON,
	"{\"name\":\"cache-e\",\"address\":\"h:1\",\"wieght\":2}", "wieght|weight"},
    {"bad-field", 400, FLEET, "POST", "/nodes", JSON,
	"{\"name\":\"cache-e\",\"address\":\"h:1\",\"state\":\"draining\"}", "draining"},
    {"bad-field", 400, FLEET, "POST", "/nodes", JSON,
	"{\"name\":\"cache-e\",\"address\":\"h:1\",\"id\":-1}", "-1"},
    {"bad-field", 400, FLEET, "POST", "/changes", JSON,
	"{\"drain\":[\"cache-a\"],\"reweight\":{\"cache-a\":2}}", "cache-a"},
    {"bad-field", 400, FLEET, "PATCH", "/pools/default", JSON, "{\"placement\":\"rendevous\"}",
	"rendevous|rendezvous"},
    {"bad-field", 400, FLEET, "PATCH", "/pools/default", JSON, "{\"max_moved\":2}", "2"},
    {"bad-field", 400, FLEET, "POST", "/pools/default/revert", JSON, "{}", "to"},

    {"bad-parameter", 400, FLEET, "GET", "/owner?key=a&colour=red", NULL, NULL, "colour|%26"},
    {"bad-parameter", 400, FLEET, "GET", "/owner?key=a&key=b", NULL, NULL, "key"},
    {"bad-parameter", 400, FLEET, "GET", "/owner?key=%zz", NULL, NULL, "%zz|%25"},
    {"bad-parameter", 400, FLEET, "GET", "/owner?key=100%", NULL, NULL, "%25"},
    {"bad-parameter", 400, FLEET, "GET", "/owner?key=a%4", NULL, NULL, "%4"},
    {"bad-parameter", 400, FLEET, "POST", "/plan?dry_run=yes", JSON, "{}", "yes|true"},
    {"bad-parameter", 400, FLEET, "POST", "/nodes/cache-c/drain?force=keys", NULL, NULL,
	"keys|keys-at-risk"},
    {"bad-parameter", 400, FLEET, "POST", "/nodes/cache-c/drain?wait=soon", NULL, NULL, "soon"},
    {"bad-parameter", 400, FLEET, "POST", "/nodes/cache-c/drain?report=some", NULL, NULL,
	"some|none"},
    {"bad-parameter", 400, FLEET, "POST", "/nodes/cache-c/drain?settle=soon", NULL, NULL,
	"soon|now|later"},
    {"bad-field", 400, FLEET, "POST", "/nodes/cache-a/drain", NULL, "{\"dry_run\":true}",
	"dry_run|no body"},
    {"bad-json", 400, FLEET, "DELETE", "/nodes/cache-a", NULL, "x", NULL},
    {"bad-field", 400, FLEET, "PUT", "/nodes", "If-Match: *", "{\"pool\":\"img\",\"nodes\":[]}",
	"img|default"},
    {"bad-parameter", 400, FLEET, "GET", "/history?limit=1001", NULL, NULL, "1001|1000"},
    {"bad-parameter", 400, FLEET, "GET", "/plans?limit=0", NULL, NULL, "0"},
    {"bad-parameter", 400, FLEET, "GET", "/pools/default?epoch=one", NULL, NULL, "one"},
    {"bad-parameter", 400, FLEET, "GET", "/owner?KEY=a", NULL, NULL, "KEY"},

    {"unknown-path", 404, FLEET, "GET", "/", NULL, NULL, "/"},
    {"unknown-path", 404, FLEET, "GET", "/ownerr?key=a", NULL, NULL, "/ownerr"},
    {"unknown-path", 404, FLEET, "GET", "/owner%00x?key=a", NULL, NULL, NULL},
    {"unknown-path", 404, FLEET, "GET", "/owner%3Fkey=a", NULL, NULL, NULL},
    {"unknown-path", 404, FLEET, "GET", "/nodes/cache-a/drain/now", NULL, NULL, NULL},
    {"unknown-pool", 404, FLEET, "GET", "/owner?key=a&pool=other", NULL, NULL, "other"},
    {"unknown-pool", 404, FLEET, "POST", "/nodes/cache-a/drain?pool=other", NULL, NULL, "other"},
    {"unknown-pool", 404, FLEET, "DELETE", "/pools/other", NULL, NULL, "other"},
    {"unknown-node", 404, FLEET, "GET", "/nodes/cache-z", NULL, NULL, "cache-z"},
    {"unknown-node", 404, FLEET, "POST", "/nodes/cache-z/drain", NULL, NULL, "cache-z"},
    {"unknown-node", 404, FLEET, "PATCH", "/nodes/cache-z", JSON, "{\"weight\":2}", "cache-z"},
    {"unknown-node", 404, FLEET, "DELETE", "/nodes/cache-z", NULL, NULL, "cache-z"},
    {"unknown-node", 404, FLEET, "POST", "/changes", JSON, "{\"remove\":[\"cache-z\"]}", "cache-z"},
    {"unknown-plan", 404, FLEET, "GET", "/plans/nothing", NULL, NULL, "nothing"},
    {"unknown-plan", 404, FLEET, "POST", "/plans/nothing/apply", NULL, NULL, "nothing"},
    {"unknown-epoch", 404, FLEET, "GET", "/pools/default?epoch=99", NULL, NULL, "99"},
    {"unknown-epoch", 404, FLEET, "POST", "/pools/default/revert", JSON, "{\"to\":99}", "99"},

    {"bad-method", 405, FLEET, "DELETE", "/owner", NULL, NULL, "DELETE|GET"},
    {"bad-method", 405, FLEET, "PATCH", "/nodes", JSON, "{}", "PATCH"},
    {"bad-method", 405, FLEET, "GET", "/nodes/cache-a/drain", NULL, NULL, "GET|POST"},
    {"bad-method", 405, FLEET, "OPTIONS", "/owner", NULL, NULL, "OPTIONS"},
    {"bad-method", 405, FLEET, "BREW", "/owner", NULL, NULL, "BREW"},

    {"bad-type", 415, FLEET, "POST", "/nodes", "Content-Type: text/xml", "<a/>",
	"text/xml|curl --json"},
    {"bad-type", 415, FLEET, "POST", "/nodes", "Content-Type: application/x-www-form-urlencoded",
	A("cache-e"), "application/x-www-form-urlencoded|curl --json"},
    {"bad-type", 415, FLEET, "POST", "/changes", "Content-Type: text/plain", "{}", "text/plain"},
    {"bad-type", 415, FLEET, "PUT", "/keys", "Content-Type: text/csv", "a,b", "text/csv"},

    {"not-draining", 409, FLEET, "DELETE", "/nodes/cache-c", NULL, NULL, "cache-c|drain"},
    {"not-draining", 409, FLEET, "POST", "/changes", JSON, "{\"remove\":[\"cache-c\"]}", "cache-c"},
    {"keys-at-risk", 409, FLEET, "POST", "/changes", JSON, "{\"drain\":[\"cache-c\",\"cache-d\"]}",
	"cache-c|cache-d"},
    {"keys-at-risk", 409, FLEET, "POST", "/changes", JSON,
	"{\"reweight\":{\"cache-c\":0},\"drain\":[\"cache-d\"]}", NULL},
    {"last-node", 409, FLEET, "POST", "/changes", JSON,
	"{\"drain\":[\"cache-a\",\"cache-b\",\"cache-c\",\"cache-d\"]}",
	"add or activate|last-node"},
    {"too-much-moved", 409, CALM, "POST", "/nodes", JSON, A("cache-e"), "0.05|max_moved"},
    {"pool-not-empty", 409, FLEET, "DELETE", "/pools/default", NULL, NULL, "default|4|force"},

    {"stale-epoch", 412, FLEET, "POST", "/nodes/cache-c/drain", "If-Match: \"8\"", NULL, "8|1"},
    {"stale-epoch", 412, FLEET, "PUT", "/pools/default", JSON "\nIf-None-Match: *",
	"{\"nodes\":[]}", "1"},
    {"precondition-required", 428, FLEET, "PUT", "/nodes", JSON, "[]", "If-Match"},
    {"precondition-required", 428, FLEET, "PUT", "/pools/default", JSON, "{\"nodes\":[]}",
	"If-Match"},

    {"bad-json", 400, FLEET, "POST", "/changes", JSON, "VALUES", "200000"},

    {"too-large", 413, SMALL, "POST", "/changes", JSON, "BIG", "4096|json_bytes"},
    {"too-large", 413, SMALL, "POST", "/owners", NULL, "BIG", "4096|body_bytes"},

    {"forbidden", 403, FLEET, "GET", "/nodes", "Host: evil.example", NULL, "evil.example"},
    {"forbidden", 403, FLEET, "POST", "/nodes/cache-c/drain", "Host: evil.example:7071", NULL,
	"evil.example|listen.hosts"},
    {"forbidden", 403, FLEET, "POST", "/nodes/cache-c/drain", "Origin: http://evil.example", NULL,
	"evil.example"},
    {"forbidden", 403, FLEET, "POST", "/nodes/cache-c/drain", "Origin: null", NULL, "null"},

    {"read-only", 403, FIXED, "POST", "/nodes", JSON, A("cache-e"), "pools.json"},
    {"read-only", 403, FIXED, "POST", "/nodes/cache-c/drain", NULL, NULL, "pools.json"},
    {"read-only", 403, FIXED, "DELETE", "/pools/default?force=pool-not-empty", NULL, NULL, NULL},
};

enum { REFUSALS = sizeof(refusals) / sizeof(*refusals) };

START_TEST(a_refusal_shows_the_value_and_a_remedy_and_changes_nothing)
{
	const struct refusal *r = &refusals[_i];
	const struct daemon *d = daemons[r->which];
	const char *path = text_replace(r->path, "KEY257", text("%0257d", 0));
	const char *body = r->body;
	long epoch = epoch_of(d, "default");
	size_t lines = daemon_log_lines(d);
	struct answer *a;

	if (body != NULL && strcmp(body, "BIG") == 0)
		body = numbered_keys("k", 2000);
	if (body != NULL && strcmp(body, "VALUES") == 0)
		body = text("{\"keys\":[%s1]}", text_replace(text("%0200000d", 0), "0", "1,"));
	a = ask(d->admin, r->method, path, r->headers, body);
	expect_refusal(a, r->status, r->code, r->parts);
	ck_assert_str_ne(text_at(a, "title"), "");
	ck_assert_str_ne(text_at(a, "type"), "");
	if (r->status == 405)
		ck_assert_ptr_nonnull(header(a, "Allow"));
	if (r->status == 503 || r->status == 429)
		ck_assert_ptr_nonnull(header(a, "Retry-After"));
	ck_assert_int_eq(epoch_of(d, "default"), epoch);
	ck_assert_msg(daemon_log_lines(d) <= lines + 1, "logged more than once: %s", daemon_log(d));
}
END_TEST

/* Codes that need more than one request; by the test that brings them out. */
static const struct {
	const char *code, *test;
} elsewhere[] = {
    {"keys-changed", "changes_over_another_key_set_are_refused"},
    {"timeout", "a_request_that_never_ends_is_ended"},
    {"busy", "more_plans_at_once_than_allowed_are_busy"},
    {"store-failed", "a_change_that_cannot_be_made_durable_is_not_made"},
    {"unauthorized", "a_token_that_is_missing_or_wrong_is_told_so"},
    {"conflict", "no store is shared yet"},
    {"internal", "our own faults"},
};

static int
has_test(const char *code)
{
	for (size_t i = 0; i < REFUSALS; i++)
		if (strcmp(refusals[i].code, code) == 0)
			return 1;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (strcmp(elsewhere[i].code, code) == 0)
			return 1;
	return 0;
}

START_TEST(no_error_is_without_a_test)
{
#define CHECK(name, number, code, title) ck_assert_msg(has_test(code), "no row for \"%s\"", code);
	HRW_ERRORS(CHECK)
#undef CHECK
}
END_TEST

START_TEST(good_values_at_the_edges_are_taken)
{
	static const char *const good[] = {
	    "{\"name\":\"a\",\"address\":\"h:1\"}",
	    "{\"name\":\"aaaaaaaaaabbbbbbbbbbccccccccccdd\",\"address\":\"h:65535\"}",
	    "{\"name\":\"n.with-dots.1\",\"address\":\"[::1]:11211\"}",
	    "{\"name\":\"n-host\",\"address\":\"cache-1.example.com:11211\"}",
	    "{\"name\":\"w-low\",\"address\":\"10.0.0.1:1\",\"weight\":1e-6}",
	    "{\"name\":\"w-high\",\"address\":\"10.0.0.1:1\",\"weight\":1e9}",
	    "{\"name\":\"w-zero\",\"address\":\"10.0.0.1:1\",\"weight\":0}",
	    "{\"name\":\"w-text\",\"address\":\"10.0.0.1:1\",\"weight\":2.50e+0}",
	    "{\"name\":\"z\",\"address\":\"10.0.0.1:1\",\"zone\":\"A._-9\"}",
	    "{\"name\":\"z-null\",\"address\":\"10.0.0.1:1\",\"zone\":null}",
	    "{\"name\":\"joins\",\"address\":\"10.0.0.1:1\",\"state\":\"joining\"}",
	    "{\"name\":\"esc\\u0061ped\",\"address\":\"10.0.0.1:1\"}",
	};
	struct daemon *d = daemon_start(NULL, NULL);

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		expect_status(post(d->admin, "/nodes", good[i]), 201);
	expect(get(d->lookup, "/nodes/escaped"), "name", "'escaped'");
	expect(get(d->lookup, "/nodes/w-text"), "weight", "2.5");
	expect_status(get(d->lookup, text("/owner?key=%0256d", 1)), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(a_nul_in_a_text_is_refused_and_never_cuts_it)
{
	const struct daemon *d = daemons[FLEET];
	static const char with_nul[] = "{\"name\":\"cache-e\",\"address\":\"h:1\"}";
	static const char *const bodies[] = {
	    "{\"name\":\"cache-e\\u0000x\",\"address\":\"h:1\"}",
	    "{\"name\":\"cache-e\",\"address\":\"h:1\\u0000\"}",
	    "{\"name\":\"cache-e\",\"address\":\"h:1\",\"zone\":\"r1\\u0000\"}",
	    "{\"name\\u0000\":\"cache-e\",\"address\":\"h:1\"}",
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		expect_status(post(d->admin, "/nodes", bodies[i]), 400);
	expect_status(ask_bytes(d->admin, "POST", "/nodes", JSON, with_nul, sizeof(with_nul)), 400);
	expect_refusal(get(d->admin, "/nodes/cache-a%00"), 404, "unknown-node", "cache-a\\x00");
	expect_refusal(get(d->admin, "/nodes/cache-a%00x"), 404, "unknown-node", NULL);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
}
END_TEST

START_TEST(hosts_of_the_listener_itself_may_ask)
{
	const struct daemon *d = daemons[FLEET];
	const char *port = strrchr(d->admin, ':');
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]", "LocalHost"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect_status(
		    ask(d->admin, "GET", "/nodes", text("Host: %s%s", names[i], port), NULL), 200);
	expect_status(ask(d->admin, "GET", "/nodes", text("Origin: %s", d->admin), NULL), 200);
	/* Another port is another origin. */
	expect_refusal(ask(d->admin, "GET", "/nodes", "Origin: http://127.0.0.1:1", NULL), 403,
	    "forbidden", NULL);
	/* Lookups are for everybody. */
	expect_status(ask(d->lookup, "GET", "/nodes", "Host: evil.example", NULL), 200);
}
END_TEST

/* Requests that no honest client sends. */
static const struct {
	const char *name, *request;
} smuggled[] = {
    {"length and chunks",
	"POST /nodes/cache-c/drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
	"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    {"two lengths", "POST /nodes/cache-c/drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
		    "Content-Length: 50\r\n\r\n"},
    {"two equal lengths",
	"POST /nodes/cache-c/drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
	"Content-Length: 0\r\n\r\n"},
    {"two hosts", "POST /nodes/cache-c/drain HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n"
		  "Content-Length: 0\r\n\r\n"},
};

START_TEST(a_request_of_two_readings_is_refused_and_its_connection_closed)
{
	static const char behind[] =
	    "POST /nodes/cache-d/drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
	const struct daemon *d = daemons[FLEET];
	int fd = raw_open(d->admin);
	struct answer *a;

	raw_send(fd, smuggled[_i].request, strlen(smuggled[_i].request));
	raw_send(fd, behind, sizeof(behind) - 1);
	a = raw_answer(fd, 5000);
	ck_assert_msg(a->status == 400, "%s: %ld %s", smuggled[_i].name, a->status, a->body);
	/* What follows is not run as a second request. */
	a = raw_answer(fd, 5000);
	ck_assert_msg(a->status == 0, "%s: %ld %s", smuggled[_i].name, a->status, a->body);
	close(fd);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
}
END_TEST

START_TEST(odd_requests_are_answered_or_closed_and_never_hang)
{
	static const char *const odd[] = {
	    "GET /owner?key=a\r\n\r\n",
	    "GET\r\n\r\n",
	    "\r\n\r\n\r\n\r\nGET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n",
	    "GET http://x/owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n",
	    "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
	    "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
	    "get /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n",
	    "GET /owner?key=a HTTP/2.0\r\nHost: x\r\n\r\n",
	    "GET /owner?key=a HTTP/1.0\r\n\r\n",
	    "GET /owner?key=a HTTP/1.1\r\n\r\n",
	    "GET /owner?key=a\tb HTTP/1.1\r\nHost: x\r\n\r\n",
	    "GET owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n",
	    ("POST /owners HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n"
	     "Connection: close\r\n\r\n0\r\n\r\n"),
	    "POST /owners HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
	    "POST /owners HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
	    "POST /owners HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	    "GET /owner?key=a HTTP/1.1\nHost: x\n\n",
	};
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"limits\":{\"head_seconds\":1,\"body_seconds\":1,\"idle_seconds\":1},"),
	    NULL);

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		double begun = now_ms();
		struct answer *a = raw(d->lookup, odd[i]);

		ck_assert_msg(now_ms() - begun < 8000, "row %zu took %.0f ms", i, now_ms() - begun);
		ck_assert_msg(a->status < 500 || a->status == 505, "row %zu: %ld", i, a->status);
		expect_status(get(d->lookup, "/owner?key=a"), 200);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_thousand_parameters_and_long_heads_are_answered_at_once)
{
	const struct daemon *d = daemons[FLEET];
	struct page page = {0};
	double begun = now_ms();

	page_add(&page, "/owner?key=a");
	for (int i = 0; i < 1000; i++)
		page_add(&page, "&p%d=1", i);
	kept(page.data);
	expect_refusal(get(d->lookup, page.data), 400, "bad-parameter", NULL);
	expect_refusal(get(d->lookup, text("/owner?key=%030000d", 1)), 400, "bad-key", "256");
	ck_assert_int_eq(get(d->lookup, text("/owner?key=%0100000d", 1))->status, 414);
	ck_assert_int_eq(
	    ask(d->lookup, "GET", "/owner?key=a", text("X-Long: %0100000d", 1), NULL)->status, 431);
	ck_assert_double_lt(now_ms() - begun, 5000);
}
END_TEST

START_TEST(a_request_that_never_ends_is_ended)
{
	static const struct {
		const char *begin, *more;
		int is_body;
	} rows[] = {
	    {"GET /owner?key=a HTTP/1.1\r\nHost: x\r\n", "X: y\r\n", 0},
	    {"GET /owner?key=a", "a", 0},
	    {"POST /owners HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n", "a\n", 1},
	    {"POST /owners HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
		"2\r\na\n\r\n", 1},
	};
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"limits\":{\"head_seconds\":1,\"body_seconds\":1,\"idle_seconds\":5},"),
	    NULL);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double begun = now_ms();
		int fd = raw_open(d->lookup);
		struct answer *a;

		/* A byte now and then, so that it never idles. */
		raw_send(fd, rows[i].begin, strlen(rows[i].begin));
		do
			raw_send(fd, rows[i].more, strlen(rows[i].more));
		while (!raw_is_ready(fd, 100) && now_ms() - begun < 5000);
		a = raw_answer(fd, 5000);
		close(fd);
		if (rows[i].is_body) {
			ck_assert_msg(a->status == 408, "row %zu: %ld", i, a->status);
			expect(a, "code", "'timeout'");
			contract_record("POST", "/owners", a->status, text_at(a, "code"));
		}
		ck_assert_msg(a->status == 408 || a->status == 0, "row %zu: %ld", i, a->status);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(more_connections_than_allowed_are_told_so_or_closed)
{
	enum { LIMIT = 16 };
	struct daemon *d =
	    daemon_start(FLEET_CONFIG("\"limits\":{\"connections\":16},\"workers\":1,"), NULL);
	int fd[3 * LIMIT], served = 0;
	const char *request = "GET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n";

	for (int i = 0; i < 3 * LIMIT; i++) {
		struct answer *a;

		fd[i] = raw_open(d->lookup);
		raw_send(fd[i], request, strlen(request));
		a = raw_answer(fd[i], 2000);
		ck_assert_msg(
		    a->status == 200 || a->status == 429 || a->status == 0, "%ld", a->status);
		served += a->status == 200;
	}
	ck_assert_int_le(served, LIMIT);
	ck_assert_int_gt(served, 0);
	for (int i = 0; i < 3 * LIMIT; i++)
		close(fd[i]);
	pause_ms(50);
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(more_plans_at_once_than_allowed_are_busy)
{
	/* 64 nodes of unequal weight: a key takes a while. */
	struct page nodes = {0};
	struct daemon *d;
	struct answer *a;
	int busy = 0;

	for (int i = 0; i < 64; i++)
		page_add(&nodes, "%s{\"name\":\"n-%d\",\"address\":\"h:%d\",\"weight\":%d}",
		    i != 0 ? "," : "", i, i + 1, i + 1);
	kept(nodes.data);
	d = daemon_start(
	    text("{\"limits\":{\"running_plans\":1},\"pools\":{\"default\":{\"copies\":8,"
		 "\"nodes\":[%s]}}}",
		nodes.data),
	    NULL);
	expect_status(keys_put(d, numbered_keys("key-", 300000)), 200);
	for (int i = 0; i < 5 && !busy; i++) {
		const char *body = "{\"drain\":[\"n-7\"]}";
		const char *async = JSON "\nPrefer: respond-async";

		a = ask(d->admin, "POST", "/plan", async, body);
		ck_assert(a->status == 202 || a->status == 429);
		a = ask(d->admin, "POST", "/plan", async, body);
		if (a->status != 429)
			continue;
		busy = 1;
		expect_refusal(a, 429, "busy", "1|running_plans");
		ck_assert_ptr_nonnull(header(a, "Retry-After"));
		/* A change is made all the same: it never waits for a report. */
		a = post(d->admin, "/nodes/n-7/drain?report=none", NULL);
		expect_status(a, 200);
	}
	ck_assert_int_eq(busy, 1);
	daemon_stop(d);
}
END_TEST

START_TEST(details_never_carry_control_bytes)
{
	const struct daemon *d = daemons[FLEET];
	struct answer *a = get(d->lookup, "/nodes/%1b%5b31m%0a%ff");

	expect_status(a, 404);
	for (size_t i = 0; i + 1 < a->len; i++)
		ck_assert_msg((unsigned char)a->body[i] >= 0x20 || a->body[i] == '\n',
		    "byte %zu of %s", i, a->body);
	for (const char *at = daemon_log(d); *at != '\0'; at++)
		ck_assert(*at == '\n' || (unsigned char)*at >= 0x20);
}
END_TEST

/* What a shell makes of the command in a detail: its words, each in <>. */
static const char *
words_of(const char *detail)
{
	const char *command = strstr(detail, "curl ");
	char *script;
	FILE *pipe;
	char words[2000];
	size_t len;

	ck_assert_msg(command != NULL, "%s", detail);
	script = text("curl() { printf '<%%s>' \"$@\"; }; %s", command);
	pipe = popen(script, "r");
	ck_assert_ptr_nonnull(pipe);
	len = fread(words, 1, sizeof(words) - 1, pipe);
	words[len] = '\0';
	ck_assert_int_eq(pclose(pipe), 0);
	return text("%s", words);
}

START_TEST(the_command_that_is_shown_asks_for_the_same_and_nothing_else)
{
	static const struct {
		const char *method, *target, *words; /* behind the words the base, then: */
		const char *shown;
	} rows[] = {
	    {"POST", "/nodes?dry_run=true&pool=img", "<--json><@FILE><-X><POST>",
		"/nodes?dry_run=true&pool=img"},
	    {"PUT", "/v1/nodes/cache-a?pool=img", "<--json><@FILE><-X><PUT>",
		"/nodes/cache-a?pool=img"},
	    {"PATCH", "/nodes/cache-a?report=none", "<--json><@FILE><-X><PATCH>",
		"/nodes/cache-a?report=none"},
	    {"PUT", "/keys?pool=img",
		"<--data-binary><@FILE><-H><Content-Type: text/plain><-X><PUT>", "/keys?pool=img"},
	    {"POST", "/owners?copies=2",
		"<--data-binary><@FILE><-H><Content-Type: text/plain><-X><POST>",
		"/owners?copies=2"},
	    {"POST", "/nodes?pool='%3B+touch%20/tmp/x'%00%0a%22$(id)`id`\\",
		"<--json><@FILE><-X><POST>",
		"/nodes?pool=%27%3B%20touch%20%2Ftmp%2Fx%27%00%0A%22%24%28id%29%60id%60%5C"},
	    {"POST", "/nodes?dry_run&force=a,b&pool=%ff%26{a}[1-9]", "<--json><@FILE><-X><POST>",
		"/nodes?dry_run&force=a,b&pool=%FF%26%7Ba%7D%5B1-9%5D"},
	};

	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct answer *a =
		    ask(d->admin, rows[i].method, rows[i].target, "Content-Type: text/xml", "<a/>");

		expect_status(a, 415);
		ck_assert_str_eq(words_of(text_at(a, "detail")),
		    text("%s<%s%s>", rows[i].words, d->admin, rows[i].shown));
	}
}
END_TEST

/* Half a command would ask for something else; a Host is not the daemon's word. */
START_TEST(what_cannot_be_shown_whole_and_safely_is_left_out)
{
	static const char head[] = "POST /owners?copies=2 HTTP/1.1\r\nHost: x';id;'\r\n"
				   "Content-Type: a/b\r\nContent-Length: 1\r\n\r\na";
	struct daemon *d = fleet_start();
	char pool[700];
	struct answer *a;

	memset(pool, 'x', sizeof(pool) - 1);
	pool[sizeof(pool) - 1] = '\0';
	a = ask(d->admin, "POST", text("/nodes?pool=%s", pool), "Content-Type: text/xml", "<a/>");
	expect_status(a, 415);
	ck_assert_ptr_null(strstr(a->body, "curl"));
	ck_assert_ptr_nonnull(strstr(a->body, "application/json"));
	a = expect_status(raw(d->lookup, head), 415);
	ck_assert_ptr_null(strstr(words_of(text_at(a, "detail")), "id"));
}
END_TEST

SUITE(errors)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_unchecked_fixture(tests, setup, teardown);
	tcase_add_loop_test(
	    tests, a_refusal_shows_the_value_and_a_remedy_and_changes_nothing, 0, REFUSALS);
	tcase_add_test(tests, no_error_is_without_a_test);
	tcase_add_test(tests, good_values_at_the_edges_are_taken);
	tcase_add_test(tests, a_nul_in_a_text_is_refused_and_never_cuts_it);
	tcase_add_test(tests, hosts_of_the_listener_itself_may_ask);
	tcase_add_loop_test(tests, a_request_of_two_readings_is_refused_and_its_connection_closed,
	    0, sizeof(smuggled) / sizeof(*smuggled));
	tcase_add_test(tests, odd_requests_are_answered_or_closed_and_never_hang);
	tcase_add_test(tests, a_thousand_parameters_and_long_heads_are_answered_at_once);
	tcase_add_test(tests, a_request_that_never_ends_is_ended);
	tcase_add_test(tests, more_connections_than_allowed_are_told_so_or_closed);
	tcase_add_test(tests, more_plans_at_once_than_allowed_are_busy);
	tcase_add_test(tests, details_never_carry_control_bytes);
	tcase_add_test(tests, the_command_that_is_shown_asks_for_the_same_and_nothing_else);
	tcase_add_test(tests, what_cannot_be_shown_whole_and_safely_is_left_out);
}
