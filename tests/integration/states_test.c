/*
 * What is known of the copies, over HTTP: copies to be made, leftovers, when a node may
 * be switched off, and all of it across a crash.
 */
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/fault.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static struct answer *
with(const char *base, const char *path, const char *accept)
{
	return ask(base, "GET", path, text("Accept: %s", accept), NULL);
}

static size_t
lines_of(const struct answer *a)
{
	size_t lines = 0;

	for (const char *at = a->body; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	return lines;
}

START_TEST(copies_are_listed_until_they_are_said_to_be_made)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;

	ck_assert_uint_eq(get(d->admin, "/copies")->len, 0);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	a = expect_status(get(d->admin, "/copies"), 200);
	expect_header(a, "Content-Type", "application/x-ndjson");
	expect_header(a, "Hrw-Epoch", "2");
	ck_assert_uint_eq(lines_of(a), 13);
	ck_assert_ptr_eq(strstr(a->body, "{\"key\":\"photo-10\",\"to\":[\"cache-d\"],\"from\":["
					 "\"cache-b\",\"cache-c\"]}\n"),
	    a->body);
	ck_assert_uint_eq(lines_of(get(d->admin, "/copies?to=cache-a")), 3);
	ck_assert_uint_eq(lines_of(get(d->admin, "/copies?to=cache-c")), 0);
	ck_assert_uint_eq(lines_of(get(d->admin, "/copies?from=cache-c")), 13);
	ck_assert_uint_eq(lines_of(get(d->admin, "/copies?from=")), 0);
	ck_assert_uint_eq(lines_of(get(d->admin, "/copies?to=cache-z")), 0);
	a = with(d->admin, "/copies?limit=2&after=photo-10", "text/csv");
	expect_body(a, "key,key_base64,to,from\r\nphoto-12,,cache-a,cache-b cache-c\r\n"
		       "photo-14,,cache-b,cache-d cache-c\r\n");
	a = with(d->admin, "/copies", "application/json");
	ck_assert_int_eq(cJSON_GetArraySize(a->json), 13);
	expect_status(get(d->lookup, "/copies"), 404);
	expect_refusal(get(d->admin, "/copies?limit=0"), 400, "bad-parameter", "limit");

	expect_refusal(ask(d->admin, "POST", "/pools/default/settle", "If-Match: \"1\"", NULL), 412,
	    "stale-epoch", "2");
	expect_status(ask(d->admin, "POST", "/pools/default/settle",
			  text("If-Match: %s", header(a, "ETag")), NULL),
	    200);
	ck_assert_uint_eq(get(d->admin, "/copies")->len, 0);
	daemon_stop(d);
}
END_TEST

START_TEST(a_single_copy_is_copied_from_the_node_that_leaves)
{
	struct daemon *d =
	    daemon_start("{\"pools\":{\"default\":{\"nodes\":" FLEET_NODES "}}}", NULL);
	struct answer *a;

	expect_status(keys_put(d, photos()), 200);
	a = expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	expect(a, "keys_without_source", "0");
	ck_assert(number_at(a, "keys.changed") > 0);
	ck_assert(number_at(a, "keys_with_leaving_source") == number_at(a, "keys.changed"));
	expect(a, "changes[0].from", "'cache-c'");
	expect_refusal(del(d->admin, "/nodes/cache-c"), 409, "keys-at-risk", "cache-c|settle");
	a = expect_status(del(d->admin, "/nodes/cache-c?force=keys-at-risk"), 200);
	ck_assert(number_at(a, "keys_without_copy.after") > 0);
	expect(a, "keys_without_copy.before", "0");
	ck_assert(lines_of(get(d->admin, "/copies?from=")) > 0);
	daemon_stop(d);
}
END_TEST

START_TEST(readers_are_told_the_fallback_before_the_cold_and_writers_all)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = get(d->lookup, "/owner?key=photo-10");

	ck_assert_ptr_null(header(a, "Hrw-Holders"));
	ck_assert_ptr_null(header(a, "Hrw-Fallback"));
	expect_header(a, "Hrw-Read", "10.0.0.2:11211, 10.0.0.3:11211");
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	for (int copies = 1; copies <= 3; copies++) {
		a = get(d->lookup, text("/replicas?key=photo-10&copies=%d", copies));
		ck_assert_int_eq(count_at(a, "replicas"), copies);
		expect(a, "fallback", "[{'node':'cache-c','address':'10.0.0.3:11211'}]");
		expect_header(a, "Hrw-Read", "10.0.0.2:11211, 10.0.0.3:11211, 10.0.0.4:11211");
		expect_header(a, "Hrw-Holders", "10.0.0.2:11211, 10.0.0.4:11211");
		expect_header(a, "Hrw-Fallback", "10.0.0.3:11211");
	}
	expect(a, "replicas[0].warm", "true");
	expect(a, "replicas[1].warm", "false");
	expect(a, "replicas[2].warm", "false");
	daemon_stop(d);
}
END_TEST

static bool
check_is(const struct answer *a, const char *check)
{
	return cJSON_IsTrue(value_at(a->json, text("checks[check=%s].ok", check)));
}

START_TEST(a_node_may_be_switched_off_when_nobody_needs_it)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = expect_status(get(d->lookup, "/nodes/cache-c/removable"), 200);

	expect(a, "removable", "false");
	ck_assert(!check_is(a, "draining") && !check_is(a, "settled") && !check_is(a, "asked"));
	ck_assert(check_is(a, "guards"));
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	a = get(d->admin, "/nodes/cache-c/removable");
	ck_assert(check_is(a, "draining") && !check_is(a, "settled") && check_is(a, "asked"));
	expect_body(with(d->admin, "/nodes/cache-c/removable", "text/plain"), "no: settled\n");
	/* A lookup names it: its copy counts. */
	get(d->lookup, "/owner?key=photo-10");
	expect_body(
	    with(d->admin, "/nodes/cache-c/removable", "text/plain"), "no: settled, asked\n");
	expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	expect_body(with(d->admin, "/nodes/cache-c/removable?wait=1", "text/plain"), "no: asked\n");
	expect_refusal(get(d->admin, "/nodes/cache-z/removable"), 404, "unknown-node", "cache-z");
	daemon_stop(d);

	/* One copy: no guard would let it go before it is settled. */
	d = daemon_start("{\"pools\":{\"default\":{\"nodes\":" FLEET_NODES "}}}", NULL);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	expect_body(
	    with(d->admin, "/nodes/cache-c/removable", "text/plain"), "no: settled, guards\n");
	expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	expect(get(d->admin, "/nodes/cache-c/removable"), "removable", "true");
	expect_body(with(d->lookup, "/nodes/cache-c/removable", "text/plain"), "yes\n");
	daemon_stop(d);
}
END_TEST

START_TEST(who_waits_is_told_when_the_node_may_go)
{
	struct daemon *d = fleet_with_photos();
	int fd = raw_open(d->lookup), gone = raw_open(d->lookup);
	static const char wait[] =
	    "GET /nodes/cache-c/removable?wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n";

	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	raw_send(fd, wait, sizeof(wait) - 1);
	raw_send(gone, wait, sizeof(wait) - 1);
	ck_assert(!raw_is_ready(fd, 1500));
	close(gone);
	expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	expect(expect_status(raw_answer(fd, 20000), 200), "removable", "true");
	close(fd);
	daemon_stop(d);
}
END_TEST

START_TEST(leftovers_are_counted_listed_and_forgotten_in_time)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;

	expect(post(d->admin, "/nodes/cache-c/drain", NULL), "leftovers", "{'keys':0,'nodes':[]}");
	expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	/* cache-c missed writes meanwhile: what it had of its keys is old. */
	a = expect_status(post(d->admin, "/plan", "{\"activate\":[\"cache-c\"]}"), 200);
	expect(a, "leftovers", "{'keys':13,'nodes':[{'node':'cache-c','keys':13}]}");
	ck_assert_uint_eq(
	    lines_of(get(d->admin, text("/plans/%s/changes?leftover=true", text_at(a, "plan")))),
	    13);
	expect_status(post(d->admin, "/nodes/cache-c/rejoin", NULL), 200);
	a = expect_status(post(d->admin, "/plan", "{\"activate\":[\"cache-c\"]}"), 200);
	expect(a, "leftovers", "{'keys':0,'nodes':[]}");
	ck_assert_uint_eq(
	    get(d->admin, text("/plans/%s/changes?leftover=true", text_at(a, "plan")))->len, 0);
	daemon_stop(d);

	d = fleet_with_photos();
	expect_status(patch(d->admin, "/pools/default", "{\"max_ttl\":1}"), 200);
	expect_status(post(d->admin, "/nodes/cache-c/drain?settle=now", NULL), 200);
	sleep(3);
	a = expect_status(post(d->admin, "/plan", "{\"activate\":[\"cache-c\"]}"), 200);
	expect(a, "leftovers", "{'keys':0,'nodes':[]}");
	expect_refusal(
	    patch(d->admin, "/pools/default", "{\"max_ttl\":0}"), 400, "bad-field", "max_ttl");
	daemon_stop(d);
}
END_TEST

/* A pool of one copy whose node cache-c, drained and settled, would come back. */
static struct answer *
plan_return(struct daemon *d)
{
	return expect_status(post(d->admin, "/plan", "{\"activate\":[\"cache-c\"]}"), 200);
}

START_TEST(an_old_copy_lives_from_its_last_write_on_the_fallback)
{
	struct daemon *d = fleet_with_photos();

	expect_status(patch(d->admin, "/pools/default", "{\"max_ttl\":4}"), 200);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	sleep(6); /* longer than a value lives, and cache-c is still written to */
	expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	expect(plan_return(d), "leftovers.keys", "13");
	sleep(7);
	expect(plan_return(d), "leftovers.keys", "0");
	daemon_stop(d);
}
END_TEST

START_TEST(a_node_that_was_a_fallback_alone_has_old_copies_too)
{
	struct daemon *d = daemon_start(FLEET_CONFIG(""), NULL);
	struct answer *a;
	size_t written = 0;

	expect_status(ask(d->admin, "PUT", "/pools/p", "If-None-Match: *",
			  "{\"copies\":1,\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"},"
			  "{\"name\":\"b\",\"address\":\"h:2\",\"state\":\"draining\"}]}"),
	    201);
	expect_status(ask(d->admin, "PUT", "/keys?pool=p", "Content-Type: text/plain",
			  "x1\nx2\nx3\nx4\nx5\nx6\nx7\nx8\nx9\n"),
	    200);
	for (int i = 1; i <= 9; i++)
		written += strstr(get(d->lookup, text("/replicas?pool=p&key=x%d", i))->body,
			       "\"fallback\":[]") == NULL;
	ck_assert_uint_gt(written, 0);
	expect_status(post(d->admin, "/pools/p/settle", NULL), 200);
	a = expect_status(post(d->admin, "/plan?pool=p", "{\"activate\":[\"b\"]}"), 200);
	ck_assert_uint_eq((size_t)number_at(a, "leftovers.keys"), written);
	daemon_stop(d);
}
END_TEST

START_TEST(leftovers_are_not_known_where_the_history_does_not_reach)
{
	struct daemon *d = daemon_start(FLEET_CONFIG("\"limits\":{\"history\":3},"), NULL);

	keys_put(d, photos());
	expect_status(post(d->admin, "/nodes/cache-c/drain?settle=now", NULL), 200);
	expect(plan_return(d), "leftovers.keys", "13");
	for (int i = 1; i <= 6; i++)
		expect_status(
		    patch(d->admin, "/nodes/cache-a", text("{\"address\":\"10.0.1.%d:11211\"}", i)),
		    200);
	expect(plan_return(d), "leftovers", "null");
	daemon_stop(d);
}
END_TEST

START_TEST(an_old_copy_is_told_with_the_node_to_delete_it_on)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;

	expect_status(post(d->admin, "/nodes/cache-c/drain?settle=now", NULL), 200);
	a = get(d->admin, text("/plans/%s/changes?leftover=true", text_at(plan_return(d), "plan")));
	ck_assert_ptr_nonnull(strstr(a->body, "\"leftovers\":[\"cache-c\"]}\n"));
	a = with(d->admin,
	    text("/plans/%s/changes?leftover=true&limit=1", text_at(plan_return(d), "plan")),
	    "text/csv");
	ck_assert_ptr_eq(strstr(a->body, "key,key_base64,lost,gained,from,leftovers\r\n"), a->body);
	ck_assert_ptr_nonnull(strstr(a->body, ",cache-c\r\n"));
	daemon_stop(d);
}
END_TEST

START_TEST(a_lookup_that_named_a_node_as_holder_counts_too)
{
	struct daemon *d = fleet_with_photos();

	get(d->lookup, "/owner?key=photo-10");
	expect_status(post(d->admin, "/nodes/cache-c/drain?settle=now", NULL), 200);
	expect_body(with(d->admin, "/nodes/cache-c/removable", "text/plain"), "no: asked\n");
	daemon_stop(d);

	/* Nobody knows what was asked before a restart. */
	d = fleet_with_photos();
	expect_status(post(d->admin, "/nodes/cache-c/drain?settle=now", NULL), 200);
	expect_body(with(d->admin, "/nodes/cache-c/removable", "text/plain"), "yes\n");
	daemon_crash(d);
	expect_body(with(d->admin, "/nodes/cache-c/removable", "text/plain"), "no: asked\n");
	daemon_stop(d);
}
END_TEST

START_TEST(what_is_no_name_is_judged_in_its_turn)
{
	struct daemon *d = fleet_with_photos();
	static const char *const bodies[] = {"{\"drain\":[\"\"]}", "{\"drain\":[\"c\\u0000\"]}",
	    "{\"activate\":[\"cache-c\\u0000\"]}", "{\"reweight\":{\"\":1}}"};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		expect_refusal(
		    post(d->admin, "/changes?pool=zz", bodies[i]), 404, "unknown-pool", "zz");
		expect_refusal(ask(d->admin, "POST", "/changes", "If-Match: \"99\"", bodies[i]),
		    412, "stale-epoch", "");
		expect_refusal(
		    post(d->admin, "/changes", bodies[i]), 404, "unknown-node", "default");
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_change_that_names_more_nodes_than_there_can_be_is_refused_at_once)
{
	struct daemon *d = fleet_with_photos();
	struct page body = {0};

	page_add(&body, "{\"drain\":[\"n\"");
	for (int i = 0; i < 32768; i++)
		page_add(&body, ",\"n%d\"", i);
	page_add(&body, "]}");
	expect_refusal(post(d->admin, "/plan", body.data), 400, "too-many", "32769");
	free(body.data);
	daemon_stop(d);
}
END_TEST

START_TEST(an_id_of_a_plan_is_taken_with_every_byte)
{
	struct daemon *d = fleet_with_photos();
	const char *id = text_at(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), "plan");

	expect_status(get(d->admin, text("/plans/%s", id)), 200);
	expect_refusal(get(d->admin, text("/plans/%s%%00x", id)), 404, "unknown-plan", "x");
	expect_refusal(get(d->admin, text("/plans/%s%%00/changes", id)), 404, "unknown-plan", "");
	expect_refusal(
	    post(d->admin, text("/plans/%s%%00/apply", id), NULL), 404, "unknown-plan", "");
	expect(get(d->admin, "/pools/default"), "epoch", "1");
	daemon_stop(d);
}
END_TEST

START_TEST(a_sample_is_an_estimate_however_early_it_is_stopped)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = expect_status(
	    post(d->admin, "/plan?sample=true&keep=false&wait=0", "{\"drain\":[\"cache-c\"]}"),
	    200);

	expect(a, "keys.source", "'estimate'");
	daemon_stop(d);
}
END_TEST

START_TEST(a_clock_that_is_set_forward_lets_no_node_go_before_its_time)
{
	struct fault *system = fault_begin();
	struct daemon *d = fleet_with_photos();

	get(d->lookup, "/owner?key=photo-10");
	expect_status(post(d->admin, "/nodes/cache-c/drain?settle=now", NULL), 200);
	atomic_store(&system->clock, 3600);
	expect_body(with(d->admin, "/nodes/cache-c/removable", "text/plain"), "no: asked\n");
	fault_disarm(system);
	daemon_stop(d);
}
END_TEST

START_TEST(a_clock_that_is_set_forward_settles_nothing)
{
	struct fault *system = fault_begin();
	struct daemon *d = fleet_with_photos();

	expect_status(patch(d->admin, "/pools/default", "{\"settles_after\":600}"), 200);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	atomic_store(&system->clock, 3600);
	/* Any change has it look anew. */
	expect_status(patch(d->admin, "/nodes/cache-a", "{\"address\":\"10.0.1.9:11211\"}"), 200);
	sleep(2);
	expect(get(d->admin, "/pools/default"), "settled.nodes[name=cache-c].state", "'active'");
	expect_status(patch(d->admin, "/pools/default", "{\"settles_after\":1}"), 200);
	sleep(3);
	expect(get(d->admin, "/pools/default"), "settled", "true");
	fault_disarm(system);
	daemon_stop(d);
}
END_TEST

START_TEST(a_header_without_room_for_every_address_says_so)
{
	struct daemon *d = fleet_start();
	struct page body = {0};
	struct answer *a;

	page_add(&body, "{\"copies\":8,\"nodes\":[");
	for (int i = 0; i < 9; i++)
		page_add(&body,
		    "%s{\"name\":\"n%d\",\"address\":\"n%d.a%058d.a%058d.a%058d.example:11211\"}",
		    i > 0 ? "," : "", i, i, 1, 1, 1);
	page_add(&body, "]}");
	expect_status(ask(d->admin, "PUT", "/pools/long", "If-None-Match: *", body.data), 201);
	a = expect_status(get(d->lookup, "/replicas?pool=long&key=x"), 200);
	ck_assert_int_eq(count_at(a, "replicas"), 8);
	expect_header(a, "Hrw-Truncated", "true");
	a = expect_status(get(d->lookup, "/replicas?key=x"), 200);
	ck_assert_ptr_null(header(a, "Hrw-Truncated"));
	free(body.data);
	daemon_stop(d);
}
END_TEST

START_TEST(what_a_removal_and_a_rejoin_cost_shows_in_numbers)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;

	a = expect_status(post(d->admin, "/nodes/cache-c/rejoin", NULL), 200);
	expect(a, "keys.changed", "0");
	expect(a, "copies_missing", "{'before':0,'after':13}");
	expect(a, "keys_without_copy", "{'before':0,'after':0}");
	ck_assert_uint_eq(lines_of(get(d->admin, "/copies?to=cache-c")), 13);
	ck_assert_ptr_nonnull(strstr(
	    get(d->admin, "/metrics")->body, "hrwd_pool_copies_missing{pool=\"default\"} 13\n"));
	expect_status(post(d->admin, "/nodes/cache-c/activate", NULL), 200);
	expect(get(d->admin, "/pools/default"), "settled", "true");
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	a = expect_status(del(d->admin, "/nodes/cache-c"), 200);
	expect(a, "copies_missing", "{'before':13,'after':13}");
	expect(get(d->admin, "/pools/default"), "settled.nodes[name=cache-c].empty", "true");
	daemon_stop(d);
}
END_TEST

START_TEST(a_crash_forgets_nothing_that_was_known)
{
	struct daemon *d = fleet_with_photos();
	struct answer *before, *after;

	expect_status(
	    patch(d->admin, "/pools/default", "{\"settles_after\":3600,\"max_ttl\":60}"), 200);
	expect_status(post(d->admin, "/nodes/cache-b/rejoin", NULL), 200);
	expect_status(
	    post(d->admin, "/nodes", "{\"name\":\"cache-e\",\"address\":\"10.0.0.5:11211\"}"), 201);
	before = get(d->admin, "/pools/default");
	expect(before, "only_joins", "true");
	daemon_crash(d);
	after = get(d->admin, "/pools/default");
	ck_assert_str_eq(after->body, before->body);
	expect(after, "settled.nodes[name=cache-b].empty", "true");
	expect(after, "settles_after", "3600");
	expect_status(post(d->admin, "/nodes/cache-b/activate", NULL), 200);
	expect_status(post(d->admin, "/nodes/cache-e/activate", NULL), 200);
	expect(get(d->admin, "/pools/default"), "settled", "true");
	daemon_stop(d);
}
END_TEST

START_TEST(a_membership_settles_after_its_time_and_over_a_crash)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = NULL;

	expect_status(patch(d->admin, "/pools/default", "{\"settles_after\":3}"), 200);
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	expect(get(d->admin, "/pools/default"), "settled.nodes[name=cache-c].state", "'active'");
	daemon_crash(d);
	for (int i = 0; i < 300; i++) {
		a = get(d->admin, "/pools/default");
		if (cJSON_IsTrue(value_at(a->json, "settled")))
			break;
		usleep(100000);
	}
	expect(a, "settled", "true");
	a = get(d->admin, "/history?limit=1");
	expect(a, "history[0].by", "'settles_after'");
	expect(a, "history[0].change", "[{'op':'settle'}]");
	daemon_stop(d);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
START_TEST(a_reader_that_reads_slowly_costs_no_memory)
{
	struct daemon *d = fleet_start();
	static const char list[] = "GET /copies HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int fd;
	long before;

	expect_status(keys_put(d, numbered_keys("some-key-of-a-user-", 300000)), 200);
	expect_status(post(d->admin, "/nodes/cache-c/drain?report=none", NULL), 200);
	expect_status(get(d->admin, "/copies?limit=1"), 200);
	before = daemon_resident(d);
	fd = raw_open(d->admin);
	raw_send(fd, list, sizeof(list) - 1);
	ck_assert(raw_is_ready(fd, 20000));
	sleep(2);
	ck_assert_msg(daemon_resident(d) - before < 8 << 10, "it grew from %ld to %ld KiB", before,
	    daemon_resident(d));
	close(fd);
	daemon_stop(d);
}
END_TEST
#endif

SUITE(states)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, copies_are_listed_until_they_are_said_to_be_made);
	tcase_add_test(tests, a_single_copy_is_copied_from_the_node_that_leaves);
	tcase_add_test(tests, readers_are_told_the_fallback_before_the_cold_and_writers_all);
	tcase_add_test(tests, a_node_may_be_switched_off_when_nobody_needs_it);
	tcase_add_test(tests, who_waits_is_told_when_the_node_may_go);
	tcase_add_test(tests, leftovers_are_counted_listed_and_forgotten_in_time);
	tcase_add_test(tests, an_old_copy_lives_from_its_last_write_on_the_fallback);
	tcase_add_test(tests, a_node_that_was_a_fallback_alone_has_old_copies_too);
	tcase_add_test(tests, leftovers_are_not_known_where_the_history_does_not_reach);
	tcase_add_test(tests, an_old_copy_is_told_with_the_node_to_delete_it_on);
	tcase_add_test(tests, a_lookup_that_named_a_node_as_holder_counts_too);
	tcase_add_test(tests, what_is_no_name_is_judged_in_its_turn);
	tcase_add_test(tests, a_change_that_names_more_nodes_than_there_can_be_is_refused_at_once);
	tcase_add_test(tests, an_id_of_a_plan_is_taken_with_every_byte);
	tcase_add_test(tests, a_sample_is_an_estimate_however_early_it_is_stopped);
	tcase_add_test(tests, a_clock_that_is_set_forward_settles_nothing);
	tcase_add_test(tests, a_clock_that_is_set_forward_lets_no_node_go_before_its_time);
	tcase_add_test(tests, a_header_without_room_for_every_address_says_so);
	tcase_add_test(tests, what_a_removal_and_a_rejoin_cost_shows_in_numbers);
	tcase_add_test(tests, a_crash_forgets_nothing_that_was_known);
	tcase_add_test(tests, a_membership_settles_after_its_time_and_over_a_crash);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(tests, a_reader_that_reads_slowly_costs_no_memory);
#endif
}
