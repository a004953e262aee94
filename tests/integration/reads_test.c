/*
 * The routes of both listeners that change nothing.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static struct daemon *d; /* the fleet; no test of this suite changes it */

static void
setup(void)
{
	d = fleet_start();
}

static void
teardown(void)
{
	daemon_stop(d);
}

START_TEST(an_owner_is_told_with_its_address_and_the_epoch)
{
	struct answer *a = expect_status(get(d->lookup, "/owner?key=photo-7"), 200);

	expect(a, "key", "'photo-7'");
	expect(a, "pool", "'default'");
	expect(a, "owner", "'cache-d'");
	expect(a, "node", "'cache-d'");
	expect(a, "address", "'10.0.0.4:11211'");
	expect(a, "passed_over", "[]");
	expect(a, "fallback", "[]");
	expect(a, "epoch", "1");
	expect_header(a, "Content-Type", "application/json");
}
END_TEST

START_TEST(a_proxy_can_route_by_the_headers_of_a_lookup_alone)
{
	struct answer *a = get(d->lookup, "/owner?key=photo-7");
	const char *read, *fingerprint;

	expect_header(a, "Hrw-Owner", "cache-d");
	expect_header(a, "Hrw-Address", "10.0.0.4:11211");
	expect_header(a, "Hrw-Epoch", "1");
	expect_header(a, "Cache-Control", "no-cache");
	fingerprint = header(a, "Hrw-Fingerprint");
	ck_assert_ptr_nonnull(fingerprint);
	ck_assert_uint_eq(strlen(fingerprint), 16);
	ck_assert_uint_eq(strspn(fingerprint, "0123456789abcdef"), 16);
	/* Holders in rank order: a settled pool has no fallback. */
	read = header(a, "Hrw-Read");
	ck_assert_ptr_nonnull(read);
	ck_assert_int_eq(strncmp(read, "10.0.0.4:11211", 14), 0);
	ck_assert_ptr_nonnull(strstr(read, "10.0.0.1:11211"));
	ck_assert_ptr_null(strstr(read, "10.0.0.3:11211"));
	expect_header(get(d->lookup, "/replicas?key=photo-7"), "Hrw-Owner", "cache-d");
}
END_TEST

START_TEST(replicas_stand_best_first_with_all_that_a_client_needs)
{
	struct answer *a = expect_status(get(d->lookup, "/replicas?key=photo-7"), 200);

	expect(a, "key", "'photo-7'");
	expect(a, "pool", "'default'");
	expect(a, "copies", "2");
	expect(a, "epoch", "1");
	expect(a, "replicas",
	    "[{'node':'cache-d','address':'10.0.0.4:11211','weight':1,'zone':null,'warm':true,"
	    "'healthy':null},"
	    "{'node':'cache-a','address':'10.0.0.1:11211','weight':1,'zone':null,'warm':true,"
	    "'healthy':null}]");
	expect(a, "fallback", "[]");
}
END_TEST

START_TEST(fewer_copies_are_a_prefix_of_more_and_too_many_give_every_node)
{
	static const char *const order[] = {"cache-d", "cache-a", "cache-c", "cache-b"};

	for (int copies = 1; copies <= 8; copies++) {
		struct answer *a = get(d->lookup, text("/replicas?key=photo-7&copies=%d", copies));
		int count = copies < 4 ? copies : 4;

		expect_status(a, 200);
		ck_assert_int_eq(count_at(a, "replicas"), count);
		for (int i = 0; i < count; i++)
			expect(a, text("replicas[%d].node", i), text("'%s'", order[i]));
	}
}
END_TEST

START_TEST(an_explanation_shows_every_node_in_rank_order_with_the_published_raws)
{
	struct answer *a = expect_status(get(d->lookup, "/explain?key=photo-7"), 200);

	expect(a, "key", "'photo-7'");
	expect(a, "copies", "2");
	ck_assert_int_eq(count_at(a, "nodes"), 4);
	expect(a, "nodes[0].node", "'cache-d'");
	expect(a, "nodes[0].rank", "1");
	expect(a, "nodes[0].raw", "2441075413");
	expect(a, "nodes[1].raw", "2125994304");
	expect(a, "nodes[2].raw", "1658989238");
	expect(a, "nodes[3].raw", "161229223");
	expect(a, "nodes[3].node", "'cache-b'");
	expect(a, "nodes[3].rank", "4");
	expect(a, "nodes[1].chosen", "true");
	expect(a, "nodes[2].chosen", "false");
	expect(a, "nodes[0].state", "'active'");
	expect(a, "nodes[0].weight", "1");
	expect(a, "nodes[0].zone", "null");
	ck_assert_double_gt(number_at(a, "nodes[0].score"), number_at(a, "nodes[1].score"));
	ck_assert_str_ne(text_at(a, "nodes[0].why"), "");
}
END_TEST

START_TEST(the_photos_are_owned_as_published)
{
	static const struct {
		const char *node;
		int owns, holds;
	} published[] = {
	    {"cache-a", 8, 14}, {"cache-b", 6, 11}, {"cache-c", 4, 13}, {"cache-d", 6, 10}};
	struct answer *owners =
	    ask(d->lookup, "POST", "/owners", "Content-Type: text/plain", photos());
	struct answer *holders =
	    ask(d->lookup, "POST", "/owners?copies=2", "Content-Type: text/plain", photos());

	expect_status(owners, 200);
	expect_status(holders, 200);
	ck_assert_int_eq(strncmp(owners->body, "photo-1\tcache-d\nphoto-2\tcache-a\n", 32), 0);
	ck_assert_int_eq(strncmp(holders->body, "photo-1\tcache-d,cache-b\n", 24), 0);
	for (size_t i = 0; i < sizeof(published) / sizeof(*published); i++) {
		int owns = 0, holds = 0;

		for (const char *at = owners->body; (at = strstr(at, published[i].node)); at++)
			owns++;
		for (const char *at = holders->body; (at = strstr(at, published[i].node)); at++)
			holds++;
		ck_assert_int_eq(owns, published[i].owns);
		ck_assert_int_eq(holds, published[i].holds);
	}
}
END_TEST

START_TEST(many_keys_are_answered_in_the_form_they_were_asked_in)
{
	struct answer *a;

	a = ask(d->lookup, "POST", "/owners", "Content-Type: application/json",
	    "[\"photo-1\",{\"key\":\"photo-2\"},{\"key_base64\":\"cGhvdG8tMw==\"}]");
	expect_status(a, 200);
	expect(a, "pool", "'default'");
	expect(a, "epoch", "1");
	expect(a, "results",
	    "[{'key':'photo-1','owner':'cache-d'},{'key':'photo-2','owner':'cache-a'},"
	    "{'key':'photo-3','owner':'cache-c'}]");

	a = ask(d->lookup, "POST", "/owners?copies=2", "Content-Type: application/json",
	    "[\"photo-1\"]");
	expect(a, "results", "[{'key':'photo-1','replicas':['cache-d','cache-b']}]");

	a = ask(d->lookup, "POST", "/owners", "Content-Type: application/x-ndjson",
	    "\"photo-1\"\n{\"key\":\"photo-2\"}\n{\"key_base64\":\"cGhvdG8tMw==\"}\n");
	expect_status(a, 200);
	expect_body(a, "{\"key\":\"photo-1\",\"owner\":\"cache-d\"}\n"
		       "{\"key\":\"photo-2\",\"owner\":\"cache-a\"}\n"
		       "{\"key\":\"photo-3\",\"owner\":\"cache-c\"}\n");

	/* The last line may lack its end; text is the route's own type. */
	a = ask(d->lookup, "POST", "/owners", NULL, "photo-1\nphoto-2");
	expect_status(a, 200);
	expect_body(a, "photo-1\tcache-d\nphoto-2\tcache-a\n");
}
END_TEST

START_TEST(one_bad_key_refuses_the_whole_request_and_names_its_line)
{
	const char *long_line = text("photo-1\nphoto-2\n%0300d\nphoto-3\n", 7);

	expect_refusal(ask(d->lookup, "POST", "/owners", NULL, "photo-1\n\nphoto-2\n"), 400,
	    "bad-key", "line 2");
	expect_refusal(
	    ask(d->lookup, "POST", "/owners", NULL, long_line), 400, "bad-key", "line 3|256");
	expect_refusal(ask(d->lookup, "POST", "/owners", "Content-Type: application/x-ndjson",
			   "\"photo-1\"\n\"\"\n"),
	    400, "bad-key", "line 2");
}
END_TEST

START_TEST(a_million_keys_are_answered_in_one_request_in_order)
{
	enum { KEYS = 1000000 };
	struct answer *a =
	    ask(d->lookup, "POST", "/owners", "Content-Type: text/plain", numbered_keys("k", KEYS));
	const char *at = a->body;

	expect_status(a, 200);
	for (size_t i = 0; i < KEYS; i++) {
		char *end;

		ck_assert_msg(*at == 'k' && strtoul(at + 1, &end, 10) == i &&
				  strncmp(end, "\tcache-", 7) == 0 && end[8] == '\n',
		    "line %zu is %.40s", i + 1, at);
		at = end + 9;
	}
	ck_assert_int_eq(*at, '\0');
}
END_TEST

START_TEST(bare_names_are_given_to_who_asks_for_text)
{
	static const struct {
		const char *accept;
		int is_text;
	} rows[] = {{"text/plain", 1}, {"*/*", 0}, {"application/json", 0}, {"image/png", 0},
	    {"text/plain, application/json", 0}, {"application/json;q=0.5, text/plain", 1},
	    {"text/plain;q=0.1, application/json;q=0.2", 0}, {"text/*", 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *accept = text("Accept: %s", rows[i].accept);
		struct answer *owner = ask(d->lookup, "GET", "/owner?key=photo-7", accept, NULL);
		struct answer *both = ask(d->lookup, "GET", "/replicas?key=photo-7", accept, NULL);

		expect_status(owner, 200);
		if (rows[i].is_text) {
			expect_body(owner, "cache-d\n");
			expect_body(both, "cache-d\ncache-a\n");
			ck_assert_int_eq(
			    strncmp(header(owner, "Content-Type"), "text/plain", 10), 0);
		} else {
			ck_assert_msg(owner->json != NULL && both->json != NULL,
			    "\"%s\" should give JSON", rows[i].accept);
		}
	}
	/* Errors are always JSON. */
	expect_refusal(
	    ask(d->lookup, "GET", "/owner", "Accept: text/plain", NULL), 400, "bad-key", NULL);
}
END_TEST

START_TEST(head_works_wherever_get_does)
{
	static const char *const paths[] = {"/owner?key=photo-7", "/replicas?key=photo-7",
	    "/explain?key=photo-7", "/nodes", "/nodes/cache-a", "/pools", "/pools/default",
	    "/livez", "/readyz", "/version", "/metrics", "/openapi.json"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct answer *a = ask(d->lookup, "HEAD", paths[i], NULL, NULL);

		expect_status(a, 200);
		ck_assert_uint_eq(a->len, 0);
	}
	expect_header(
	    ask(d->lookup, "HEAD", "/owner?key=photo-7", NULL, NULL), "Hrw-Owner", "cache-d");
	expect_status(ask(d->lookup, "HEAD", "/nodes/cache-z", NULL, NULL), 404);
}
END_TEST

START_TEST(every_path_answers_under_v1_too)
{
	expect(get(d->lookup, "/v1/owner?key=photo-7"), "owner", "'cache-d'");
	expect(get(d->lookup, "/v1/nodes/cache-a"), "name", "'cache-a'");
	expect_status(get(d->admin, "/v1/history"), 200);
	expect_refusal(get(d->lookup, "/v1/v1/owner?key=a"), 404, "unknown-path", NULL);
	expect_refusal(get(d->lookup, "/v2/owner?key=a"), 404, "unknown-path", NULL);
}
END_TEST

/* The owner that POST /owners gives for one key, as JSON. */
static const char *
owner_by_json(const char *json_key)
{
	struct answer *a = ask(
	    d->lookup, "POST", "/owners", "Content-Type: application/json", text("[%s]", json_key));

	expect_status(a, 200);
	return text_at(a, "results[0].owner");
}

START_TEST(keys_are_bytes_however_they_are_sent)
{
	/* One key in a row: as a query, as JSON. Each is tried behind 16 prefixes, so
	 * that a cut key shows. */
	static const struct {
		const char *query, *json;
	} rows[] = {{"a%00b", "\"%sa\\u0000b\""}, {"a%00", "\"%sa\\u0000\""}, {"a+b", "\"%sa b\""},
	    {"a%2Bb", "\"%sa+b\""}, {"a%2bb", "\"%sa+b\""}, {"caf%C3%A9", "\"%scaf\\u00e9\""},
	    {"a%0Ab", "\"%sa\\nb\""}, {"a;b", "\"%sa;b\""}, {"a%26b%3Dc", "\"%sa&b=c\""},
	    {"a=b", "\"%sa=b\""}, {"a%25zz", "\"%sa%%zz\""}, {"a/b?c", "\"%sa/b?c\""},
	    {"%F0%9F%98%80", "\"%s\\ud83d\\ude00\""}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int n = 0; n < 16; n++) {
			const char *prefix = text("p%d-", n);
			struct answer *a =
			    get(d->lookup, text("/owner?key=%s%s", prefix, rows[i].query));

			expect_status(a, 200);
			ck_assert_msg(
			    strcmp(text_at(a, "owner"),
				owner_by_json(text_replace(
				    text_replace(rows[i].json, "%s", prefix), "%%", "%"))) == 0,
			    "%s%s", prefix, rows[i].query);
		}
	ck_assert_ptr_nonnull(
	    strstr(get(d->lookup, "/owner?key=a%00b")->body, "\"key\":\"a\\u0000b\""));
}
END_TEST

START_TEST(a_key_that_is_not_utf8_comes_back_as_base64_and_can_be_sent_so)
{
	struct answer *a = expect_status(get(d->lookup, "/owner?key=%ff%fe"), 200);

	expect_absent(a, "key");
	expect(a, "key_base64", "'//4='");
	ck_assert_str_eq(text_at(a, "owner"), owner_by_json("{\"key_base64\":\"//4=\"}"));
	a = ask(d->lookup, "POST", "/owners", "Content-Type: application/json",
	    "[{\"key_base64\":\"//4=\"}]");
	expect(a, "results[0].key_base64", "'//4='");
}
END_TEST

START_TEST(a_key_may_be_a_header_but_not_both)
{
	struct answer *a = ask(d->lookup, "GET", "/owner", "Hrw-Key: photo-7", NULL);

	expect(a, "owner", "'cache-d'");
	/* Raw bytes: nothing in it is decoded. */
	a = ask(d->lookup, "GET", "/owner", "Hrw-Key: a%20+b", NULL);
	expect(a, "key", "'a%20+b'");
	expect_refusal(ask(d->lookup, "GET", "/owner?key=photo-7", "Hrw-Key: photo-7", NULL), 400,
	    "bad-parameter", "Hrw-Key");
}
END_TEST

START_TEST(nodes_are_listed_by_name_with_shares_that_sum_to_one)
{
	struct answer *a = expect_status(get(d->lookup, "/nodes"), 200);
	double sum = 0;

	expect(a, "pool", "'default'");
	expect(a, "epoch", "1");
	ck_assert_int_eq(count_at(a, "nodes"), 4);
	for (int i = 0; i < 4; i++) {
		expect(a, text("nodes[%d].name", i), text("'cache-%c'", 'a' + i));
		expect(a, text("nodes[%d].id", i), text("%d", i + 1));
		sum += number_at(a, text("nodes[%d].share", i));
	}
	ck_assert_double_eq_tol(sum, 1, 1e-9);
	expect(a, "nodes[0].address", "'10.0.0.1:11211'");
	expect(a, "nodes[0].weight", "1");
	expect(a, "nodes[0].zone", "null");
	expect(a, "nodes[0].state", "'active'");
	expect(a, "nodes[0].share", "0.25");
	ck_assert_uint_gt(strlen(text_at(a, "nodes[0].state_since")), 10);
	ck_assert_ptr_nonnull(value_at(a->json, "nodes[0].health"));

	a = expect_status(get(d->lookup, "/nodes/cache-c"), 200);
	expect(a, "pool", "'default'");
	expect(a, "epoch", "1");
	expect(a, "name", "'cache-c'");
	expect(a, "address", "'10.0.0.3:11211'");
	expect_refusal(get(d->lookup, "/nodes/cache-z"), 404, "unknown-node", "cache-z");
}
END_TEST

START_TEST(a_pool_is_told_as_a_configuration_has_it)
{
	struct answer *a = expect_status(get(d->lookup, "/pools/default"), 200);
	struct answer *all = expect_status(get(d->lookup, "/pools"), 200);

	ck_assert_int_eq(count_at(all, "pools"), 1);
	expect(a, "copies", "2");
	ck_assert_int_eq(count_at(a, "nodes"), 4);
	expect(a, "epoch", "1");
	expect(a, "settled", "true");
	ck_assert_uint_gt(strlen(text_at(a, "lineage")), 7);
	ck_assert_str_eq(text_at(a, "fingerprint"), header(a, "Hrw-Fingerprint"));
	ck_assert_ptr_nonnull(value_at(a->json, "keys"));
	ck_assert_ptr_nonnull(value_at(a->json, "placement"));
	expect(get(d->lookup, "/pools/default?epoch=1"), "epoch", "1");
	expect_refusal(get(d->lookup, "/pools/default?epoch=7"), 404, "unknown-epoch", "7");
	expect_refusal(get(d->lookup, "/pools/other"), 404, "unknown-pool", "other");
}
END_TEST

START_TEST(the_fingerprint_is_that_of_the_canonical_document)
{
	/* printf '%s' '{"copies":2,"nodes":[{"address":"10.0.0.1:11211","name":"cache-a",
	 * "state":"active","weight":1,"zone":null},…],"placement":{"name":"rendezvous"}}' |
	 * sha256sum | cut -c1-16 */
	expect(get(d->lookup, "/pools/default"), "fingerprint", "'39a88793ba814b2a'");
}
END_TEST

START_TEST(an_etag_names_epoch_and_lineage_and_saves_the_body)
{
	static const char *const paths[] = {"/nodes", "/pools/default"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct answer *a = expect_status(get(d->lookup, paths[i]), 200);
		const char *lineage = text_at(get(d->lookup, "/pools/default"), "lineage");
		const char *etag = header(a, "ETag");

		ck_assert_ptr_nonnull(etag);
		ck_assert_str_eq(etag, text("\"1-%s\"", lineage));
		a = ask(d->lookup, "GET", paths[i], text("If-None-Match: %s", etag), NULL);
		expect_status(a, 304);
		ck_assert_uint_eq(a->len, 0);
		expect_header(a, "ETag", etag);
		a = ask(d->lookup, "GET", paths[i], text("If-None-Match: \"x\", %s", etag), NULL);
		expect_status(a, 304);
		expect_status(ask(d->lookup, "GET", paths[i], "If-None-Match: \"2-x\"", NULL), 200);
	}
}
END_TEST

START_TEST(the_daemon_tells_how_it_is)
{
	struct answer *a;

	expect_status(get(d->lookup, "/livez"), 200);
	expect_status(get(d->lookup, "/readyz"), 200);
	expect_body(get(d->lookup, "/readyz?verbose"),
	    "ok pools: the memberships of 1 pool are loaded\nready\n");
	expect_status(get(d->lookup, "/version"), 200);
	a = expect_status(get(d->admin, "/status"), 200);
	expect(a, "store.kind", "'sqlite'");
	expect(a, "store.is_writable", "true");
	expect(a, "is_ready", "true");
	expect_status(get(d->lookup, "/status"), 404);
	a = expect_status(get(d->lookup, "/metrics"), 200);
	ck_assert_int_eq(strncmp(header(a, "Content-Type"), "text/plain", 10), 0);
	ck_assert_ptr_nonnull(strstr(a->body, "hrwd_config_drift"));
	ck_assert_ptr_nonnull(strstr(a->body, "# TYPE hrwd_"));
	a = expect_status(get(d->lookup, "/openapi.json"), 200);
	ck_assert_int_eq(strncmp(text_at(a, "openapi"), "3.", 2), 0);
}
END_TEST

START_TEST(the_lookup_listener_knows_no_change)
{
	static const struct {
		const char *method, *path;
		long status;
	} rows[] = {{"POST", "/nodes/cache-c/drain", 404}, {"POST", "/changes", 404},
	    {"POST", "/plan", 404}, {"GET", "/keys", 404}, {"PUT", "/keys", 404},
	    {"GET", "/plans", 404}, {"GET", "/history", 404},
	    {"POST", "/pools/default/settle", 404}, {"POST", "/nodes", 405}, {"PUT", "/nodes", 405},
	    {"DELETE", "/nodes/cache-c", 405}, {"PUT", "/pools/default", 405},
	    {"POST", "/owner", 405}, {"DELETE", "/owners", 405}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct answer *a = ask(d->lookup, rows[i].method, rows[i].path, NULL, NULL);

		expect_refusal(
		    a, rows[i].status, rows[i].status == 404 ? "unknown-path" : "bad-method", NULL);
	}
	expect_header(ask(d->lookup, "POST", "/nodes", NULL, NULL), "Allow", "GET, HEAD");
}
END_TEST

START_TEST(no_route_changes_anything_by_the_lookup_listener)
{
	const char *pool = expect_status(get(d->admin, "/pools/default"), 200)->body;
	const char *history = expect_status(get(d->admin, "/history?pool=*"), 200)->body;
	struct answer *api = get(d->admin, "/openapi.json");
	const cJSON *path, *method;
	int asked = 0;

	cJSON_ArrayForEach (path, value_at(api->json, "paths")) {
		const char *named = text_replace(path->string, "{name}", "cache-c");

		named = text_replace(named, "{pool}", "default");
		cJSON_ArrayForEach (method, path) {
			char *verb = text("%s", method->string);
			struct answer *a;

			if (strcmp(verb, "get") == 0 || strcmp(named, "/owners") == 0)
				continue;
			for (char *c = verb; *c != '\0'; c++)
				*c = (char)toupper((unsigned char)*c);
			a = ask(d->lookup, verb, text("%s?force=keys-at-risk,not-draining", named),
			    "Content-Type: application/json\nIf-Match: *", "{\"copies\":1}");
			ck_assert_msg(a->status == 404 || a->status == 405, "%s %s: %ld", verb,
			    named, a->status);
			asked++;
		}
	}
	ck_assert_int_gt(asked, 15);
	expect_body(get(d->admin, "/pools/default"), pool);
	expect_body(get(d->admin, "/history?pool=*"), history);
}
END_TEST

START_TEST(both_listeners_give_the_same_reads)
{
	static const char *const paths[] = {"/owner?key=photo-7", "/replicas?key=photo-7",
	    "/explain?key=photo-7", "/nodes", "/nodes/cache-a", "/pools", "/pools/default"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		ck_assert_str_eq(get(d->lookup, paths[i])->body, get(d->admin, paths[i])->body);
}
END_TEST

START_TEST(a_thousand_requests_in_one_breath_are_answered_in_turn)
{
	struct page page = {0};
	int fd = raw_open(d->lookup);

	for (int i = 0; i < 1000; i++)
		page_add(&page, "GET /owner?key=k%d HTTP/1.1\r\nHost: x\r\n\r\n", i);
	kept(page.data);
	raw_send(fd, page.data, page.len);
	for (int i = 0; i < 1000; i++)
		expect(raw_answer(fd, 5000), "key", text("'k%d'", i));
	close(fd);
}
END_TEST

START_TEST(a_pool_is_named_or_it_is_the_default_one)
{
	struct daemon *two =
	    daemon_start("{\"default_pool\":\"blue\",\"pools\":{"
			 "\"blue\":{\"nodes\":[{\"name\":\"b\",\"address\":\"h:1\"}]},"
			 "\"red\":{\"nodes\":[{\"name\":\"r\",\"address\":\"h:2\"}]}}}",
		NULL);

	expect(get(two->lookup, "/owner?key=k"), "owner", "'b'");
	expect(get(two->lookup, "/owner?key=k&pool=red"), "owner", "'r'");
	expect(get(two->lookup, "/owner?key=k&pool=blue"), "owner", "'b'");
	expect_refusal(get(two->lookup, "/owner?key=k&pool=green"), 404, "unknown-pool", "green");
	ck_assert_int_eq(count_at(get(two->lookup, "/pools"), "pools"), 2);
	daemon_stop(two);
}
END_TEST

START_TEST(weights_give_shares_and_a_weight_of_zero_takes_nothing)
{
	struct daemon *w = daemon_start(
	    "{\"pools\":{\"default\":{\"nodes\":["
	    "{\"name\":\"large\",\"address\":\"h:1\",\"weight\":3},"
	    "{\"name\":\"none\",\"address\":\"h:2\",\"weight\":0},"
	    "{\"name\":\"small\",\"address\":\"h:3\",\"weight\":1,\"zone\":\"r1\"}]}}}",
	    NULL);
	struct answer *a = get(w->lookup, "/nodes");

	expect(a, "nodes[0].share", "0.75");
	expect(a, "nodes[1].share", "0");
	expect(a, "nodes[1].weight", "0");
	expect(a, "nodes[2].share", "0.25");
	expect(a, "nodes[2].zone", "'r1'");
	daemon_stop(w);
}
END_TEST

SUITE(reads)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_unchecked_fixture(tests, setup, teardown);
	tcase_add_test(tests, an_owner_is_told_with_its_address_and_the_epoch);
	tcase_add_test(tests, a_proxy_can_route_by_the_headers_of_a_lookup_alone);
	tcase_add_test(tests, replicas_stand_best_first_with_all_that_a_client_needs);
	tcase_add_test(tests, fewer_copies_are_a_prefix_of_more_and_too_many_give_every_node);
	tcase_add_test(
	    tests, an_explanation_shows_every_node_in_rank_order_with_the_published_raws);
	tcase_add_test(tests, the_photos_are_owned_as_published);
	tcase_add_test(tests, many_keys_are_answered_in_the_form_they_were_asked_in);
	tcase_add_test(tests, one_bad_key_refuses_the_whole_request_and_names_its_line);
	tcase_add_test(tests, a_million_keys_are_answered_in_one_request_in_order);
	tcase_add_test(tests, bare_names_are_given_to_who_asks_for_text);
	tcase_add_test(tests, head_works_wherever_get_does);
	tcase_add_test(tests, every_path_answers_under_v1_too);
	tcase_add_test(tests, keys_are_bytes_however_they_are_sent);
	tcase_add_test(tests, a_key_that_is_not_utf8_comes_back_as_base64_and_can_be_sent_so);
	tcase_add_test(tests, a_key_may_be_a_header_but_not_both);
	tcase_add_test(tests, nodes_are_listed_by_name_with_shares_that_sum_to_one);
	tcase_add_test(tests, a_pool_is_told_as_a_configuration_has_it);
	tcase_add_test(tests, the_fingerprint_is_that_of_the_canonical_document);
	tcase_add_test(tests, an_etag_names_epoch_and_lineage_and_saves_the_body);
	tcase_add_test(tests, the_daemon_tells_how_it_is);
	tcase_add_test(tests, the_lookup_listener_knows_no_change);
	tcase_add_test(tests, no_route_changes_anything_by_the_lookup_listener);
	tcase_add_test(tests, both_listeners_give_the_same_reads);
	tcase_add_test(tests, a_thousand_requests_in_one_breath_are_answered_in_turn);
	tcase_add_test(tests, a_pool_is_named_or_it_is_the_default_one);
	tcase_add_test(tests, weights_give_shares_and_a_weight_of_zero_takes_nothing);
}
