/*
 * Changes of nodes and pools, as an operator makes them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define CACHE_E "{\"name\":\"cache-e\",\"address\":\"10.0.0.5:11211\"}"

START_TEST(draining_a_cache_changes_thirteen_photos_each_with_a_source)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);

	expect(a, "pool", "'default'");
	expect(a, "outcome", "'applied'");
	expect(a, "refusal", "null");
	expect(a, "state", "'done'");
	expect(a, "progress", "1");
	expect(a, "epoch_before", "1");
	expect(a, "epoch_after", "2");
	expect(a, "copies", "2");
	expect(a, "change", "[{'op':'drain','node':'cache-c'}]");
	expect(a, "keys", "{'source':'stored','total':24,'changed':13,'generation':1}");
	expect(a, "owners", "{'changed':4,'cold':0}");
	expect(a, "copies_lost", "13");
	expect(a, "copies_gained", "13");
	expect(a, "needless", "0");
	expect(a, "keys_without_source", "0");
	expect(a, "nodes",
	    "[{'node':'cache-a','before':14,'after':17,'gains':3,'loses':0},"
	    "{'node':'cache-b','before':11,'after':16,'gains':5,'loses':0},"
	    "{'node':'cache-c','before':13,'after':0,'gains':0,'loses':13},"
	    "{'node':'cache-d','before':10,'after':15,'gains':5,'loses':0}]");
	expect(a, "moves",
	    "[{'lost':'cache-c','gained':'cache-a','keys':3},"
	    "{'lost':'cache-c','gained':'cache-b','keys':5},"
	    "{'lost':'cache-c','gained':'cache-d','keys':5}]");
	ck_assert_int_eq(count_at(a, "changes"), 13);
	/* In order of the keys' bytes. */
	expect(a, "changes[0]",
	    "{'key':'photo-10','lost':['cache-c'],'gained':['cache-d'],'from':'cache-b'}");
	expect(a, "changes[key=photo-2]",
	    "{'key':'photo-2','lost':['cache-c'],'gained':['cache-d'],'from':'cache-a'}");
	expect(a, "changes[12].key", "'photo-8'");
	expect(a, "changes_truncated", "false");
	expect(a, "changes_url", text("'/plans/%s/changes'", text_at(a, "plan")));
	daemon_stop(d);
}
END_TEST

START_TEST(a_drained_cache_stays_readable_as_fallback_until_it_is_removed)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;

	post(d->admin, "/nodes/cache-c/drain", NULL);
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
	expect(get(d->lookup, "/nodes/cache-c"), "share", "0");
	/* photo-3 was on c and a; now on a and b, of whom b is cold. */
	a = get(d->lookup, "/replicas?key=photo-3");
	expect(a, "replicas[0].node", "'cache-a'");
	expect(a, "replicas[0].warm", "true");
	expect(a, "replicas[1].node", "'cache-b'");
	expect(a, "replicas[1].warm", "false");
	expect(a, "fallback", "[{'node':'cache-c','address':'10.0.0.3:11211'}]");
	/* Warm holders, the others, the fallback. */
	expect_header(a, "Hrw-Read", header(get(d->lookup, "/owner?key=photo-3"), "Hrw-Read"));
	ck_assert_ptr_nonnull(strstr(header(a, "Hrw-Read"), "10.0.0.3:11211"));

	a = expect_status(del(d->admin, "/nodes/cache-c"), 200);
	expect(a, "change", "[{'op':'remove','node':'cache-c'}]");
	expect(a, "outcome", "'applied'");
	expect(a, "keys.changed", "0");
	expect(a, "epoch_after", "3");
	expect_refusal(get(d->lookup, "/nodes/cache-c"), 404, "unknown-node", "cache-c");
	a = get(d->lookup, "/replicas?key=photo-3");
	expect(a, "fallback", "[]");
	expect(a, "epoch", "3");
	daemon_stop(d);
}
END_TEST

START_TEST(a_newcomer_takes_the_photos_that_are_published)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = expect_status(post(d->admin, "/nodes", CACHE_E), 201);

	expect_header(a, "Location", "/nodes/cache-e?pool=default");
	expect(a, "change", "[{'op':'add','node':'cache-e'}]");
	expect(a, "keys.changed", "8");
	expect(a, "owners.changed", "4");
	expect(a, "nodes[node=cache-e]",
	    "{'node':'cache-e','before':0,'after':8,'gains':8,'loses':0}");
	expect(get(d->lookup, "/nodes/cache-e"), "id", "5");
	expect(get(d->lookup, "/nodes/cache-e"), "state", "'joining'");
	expect_status(post(d->admin, "/nodes/cache-e/activate", NULL), 200);
	expect(get(d->lookup, "/pools/default"), "settled", "true");
	daemon_stop(d);
}
END_TEST

START_TEST(what_is_already_so_is_unchanged_and_keeps_the_epoch)
{
	struct daemon *d = fleet_start();
	static const struct {
		const char *method, *path, *body;
	} rows[] = {
	    {"POST", "/nodes", "{\"name\":\"cache-a\",\"address\":\"10.0.0.1:11211\"}"},
	    {"POST", "/nodes",
		"{\"name\":\"cache-a\",\"weight\":1,\"address\":\"10.0.0.1:11211\"}"},
	    /* State aside. */
	    {"POST", "/nodes",
		"{\"name\":\"cache-a\",\"address\":\"10.0.0.1:11211\",\"state\":\"joining\"}"},
	    {"PUT", "/nodes/cache-a", "{\"address\":\"10.0.0.1:11211\"}"},
	    {"PATCH", "/nodes/cache-a", "{\"weight\":1}"},
	    {"PATCH", "/nodes/cache-a", "{\"weight\":null,\"zone\":null}"},
	    {"PATCH", "/nodes/cache-a", "{}"},
	    {"POST", "/nodes/cache-a/activate", NULL},
	    {"PATCH", "/pools/default", "{\"copies\":2}"},
	    {"PATCH", "/pools/default", "{\"placement\":\"rendezvous\"}"},
	    {"POST", "/pools/default/settle", NULL},
	    {"POST", "/pools/default/revert", "{\"to\":1}"},
	    {"POST", "/changes", "{\"activate\":[\"cache-a\"],\"copies\":2}"},
	    {"POST", "/changes", "{}"},
	    {"POST", "/changes", "{\"reweight\":{\"cache-b\":1}}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct answer *a = ask(d->admin, rows[i].method, rows[i].path,
		    rows[i].body != NULL ? "Content-Type: application/json" : NULL, rows[i].body);

		expect_status(a, 200);
		expect(a, "outcome", "'unchanged'");
		expect(a, "epoch_after", "1");
	}
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	post(d->admin, "/nodes/cache-b/drain", NULL);
	expect(post(d->admin, "/nodes/cache-b/drain", NULL), "outcome", "'unchanged'");
	/* A rejoin states what has happened, each time anew. */
	post(d->admin, "/nodes/cache-b/rejoin", NULL);
	expect(post(d->admin, "/nodes/cache-b/rejoin", NULL), "outcome", "'applied'");
	ck_assert_int_eq(epoch_of(d, "default"), 4);
	expect(post(d->admin, "/nodes/cache-b/drain", NULL), "outcome", "'unchanged'");
	/* Unchanged is not history. */
	expect(get(d->admin, "/history?limit=1"), "history[0].change[0].op", "'rejoin'");
	daemon_stop(d);
}
END_TEST

START_TEST(adding_a_name_that_is_another_node_is_refused_as_taken)
{
	struct daemon *d = fleet_start();
	struct answer *a =
	    post(d->admin, "/nodes", "{\"name\":\"cache-a\",\"address\":\"10.9.9.9:11211\"}");

	expect_refusal(a, 409, "bad-server", "cache-a");
	expect(a, "reason", "'taken'");
	a = post(
	    d->admin, "/nodes", "{\"name\":\"cache-f\",\"address\":\"10.0.0.6:11211\",\"id\":2}");
	ck_assert_int_ge((int)a->status, 400);
	expect(a, "code", "'bad-server'");
	expect(a, "reason", "'taken'");
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
}
END_TEST

START_TEST(a_declared_node_is_added_or_updated_to_what_is_sent)
{
	struct daemon *d = fleet_start();
	struct answer *a;

	a = put(d->admin, "/nodes/cache-e", "{\"address\":\"10.0.0.5:11211\",\"zone\":\"r1\"}");
	expect_status(a, 201);
	expect_header(a, "Location", "/nodes/cache-e?pool=default");
	expect(a, "change[0].op", "'add'");
	a = put(d->admin, "/nodes/cache-e", "{\"weight\":3}");
	expect_status(a, 200);
	expect(a, "outcome", "'applied'");
	a = get(d->lookup, "/nodes/cache-e");
	expect(a, "weight", "3");
	expect(a, "zone", "'r1'");
	expect(a, "address", "'10.0.0.5:11211'");
	/* The name may stand in the body too, but then it is the same. */
	expect_status(put(d->admin, "/nodes/cache-e", "{\"name\":\"cache-e\",\"weight\":3}"), 200);
	expect_refusal(put(d->admin, "/nodes/cache-e", "{\"name\":\"cache-f\",\"weight\":3}"), 400,
	    "bad-field", "cache-f");
	daemon_stop(d);
}
END_TEST

START_TEST(a_patch_of_several_fields_is_one_change_and_null_brings_back_a_default)
{
	struct daemon *d = fleet_start();
	struct answer *a = patch(d->admin, "/nodes/cache-b",
	    "{\"weight\":2.5,\"address\":\"10.0.0.22:11211\",\"zone\":\"r2\"}");

	expect_status(a, 200);
	expect(a, "epoch_after", "2");
	expect(a, "change[0].op", "'patch'");
	expect(a, "change[0].node", "'cache-b'");
	ck_assert_ptr_nonnull(value_at(a->json, "change[0].fields"));
	a = get(d->lookup, "/nodes/cache-b");
	expect(a, "weight", "2.5");
	expect(a, "address", "'10.0.0.22:11211'");
	expect(a, "zone", "'r2'");
	expect(a, "id", "2");
	a = ask(d->admin, "PATCH", "/nodes/cache-b", "Content-Type: application/merge-patch+json",
	    "{\"weight\":null,\"zone\":null}");
	expect_status(a, 200);
	a = get(d->lookup, "/nodes/cache-b");
	expect(a, "weight", "1");
	expect(a, "zone", "null");
	expect(a, "address", "'10.0.0.22:11211'");
	daemon_stop(d);
}
END_TEST

START_TEST(a_new_address_moves_no_key)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = patch(d->admin, "/nodes/cache-a", "{\"address\":\"10.7.7.7:11211\"}");

	expect(a, "keys.changed", "0");
	expect(a, "epoch_after", "2");
	expect_header(get(d->lookup, "/owner?key=photo-2"), "Hrw-Address", "10.7.7.7:11211");
	daemon_stop(d);
}
END_TEST

START_TEST(a_patch_does_not_rename_or_change_state)
{
	static const char *const fields[] = {"{\"name\":\"cache-z\"}", "{\"id\":9}",
	    "{\"hash_name\":\"x\"}", "{\"state\":\"draining\"}"};
	struct daemon *d = fleet_start();

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		expect_refusal(
		    patch(d->admin, "/nodes/cache-a", fields[i]), 400, "bad-field", NULL);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	daemon_stop(d);
}
END_TEST

START_TEST(only_a_draining_node_is_removed_unless_forced)
{
	struct daemon *d = fleet_start();
	struct answer *a = del(d->admin, "/nodes/cache-c");

	expect_refusal(a, 409, "not-draining", "cache-c|drain");
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	a = expect_status(del(d->admin, "/nodes/cache-c?force=not-draining"), 200);
	expect(a, "epoch_after", "2");
	a = get(d->admin, "/history");
	expect(a, "history[0].forced", "['not-draining']");
	expect(a, "history[1].outcome", "'refused'");
	daemon_stop(d);
}
END_TEST

START_TEST(a_second_removal_says_when_the_node_was_removed)
{
	struct daemon *d = fleet_start();
	struct answer *a;

	post(d->admin, "/nodes/cache-c/drain", NULL);
	expect_status(del(d->admin, "/nodes/cache-c"), 200);
	a = del(d->admin, "/nodes/cache-c");
	expect_refusal(a, 404, "unknown-node", "cache-c|removed|20");
	a = del(d->admin, "/nodes/cache-x");
	expect_refusal(a, 404, "unknown-node", "cache-x");
	ck_assert_ptr_null(strstr(text_at(a, "detail"), "removed"));
	daemon_stop(d);
}
END_TEST

START_TEST(draining_as_many_nodes_as_copies_puts_keys_at_risk)
{
	struct daemon *d = fleet_start();
	struct answer *a;

	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	a = post(d->admin, "/nodes/cache-d/drain", NULL);
	expect_refusal(a, 409, "keys-at-risk", "cache-d");
	a = patch(d->admin, "/nodes/cache-d", "{\"weight\":0}");
	expect_refusal(a, 409, "keys-at-risk", NULL);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	/* Another guard's name does not help. */
	expect_refusal(post(d->admin, "/nodes/cache-d/drain?force=not-draining", NULL), 409,
	    "keys-at-risk", NULL);
	a = post(d->admin, "/nodes/cache-d/drain?force=not-draining,keys-at-risk", NULL);
	expect_status(a, 200);
	expect(a, "epoch_after", "3");
	daemon_stop(d);
}
END_TEST

START_TEST(with_zones_it_takes_draining_nodes_in_as_many_zones_as_copies)
{
	struct daemon *d = daemon_start("{\"pools\":{\"default\":{\"copies\":2,\"nodes\":["
					"{\"name\":\"a1\",\"address\":\"h:1\",\"zone\":\"ra\"},"
					"{\"name\":\"a2\",\"address\":\"h:2\",\"zone\":\"ra\"},"
					"{\"name\":\"b1\",\"address\":\"h:3\",\"zone\":\"rb\"},"
					"{\"name\":\"b2\",\"address\":\"h:4\",\"zone\":\"rb\"},"
					"{\"name\":\"c1\",\"address\":\"h:5\",\"zone\":\"rc\"}]}}}",
	    NULL);

	/* No key has both its copies in one zone. */
	expect_status(post(d->admin, "/changes", "{\"drain\":[\"a1\",\"a2\"]}"), 200);
	expect_refusal(post(d->admin, "/nodes/b1/drain", NULL), 409, "keys-at-risk", "b1");
	expect_status(post(d->admin, "/nodes/a2/activate", NULL), 200);
	expect_refusal(post(d->admin, "/nodes/c1/drain", NULL), 409, "keys-at-risk", NULL);
	/* To remove a1 makes no copies: they are made, and the pool is settled. */
	expect_status(del(d->admin, "/nodes/a1"), 200);
	expect_refusal(post(d->admin, "/nodes/c1/drain", NULL), 409, "keys-at-risk", "a1");
	expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	expect_status(post(d->admin, "/nodes/c1/drain", NULL), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(a_pool_of_one_copy_may_drain_but_for_its_last_node)
{
	struct daemon *d =
	    daemon_start("{\"pools\":{\"default\":{\"nodes\":" FLEET_NODES "}}}", NULL);

	expect_status(
	    post(d->admin, "/changes", "{\"drain\":[\"cache-a\",\"cache-b\",\"cache-c\"]}"), 200);
	expect_refusal(
	    post(d->admin, "/nodes/cache-d/drain", NULL), 409, "last-node", "add or activate");
	expect_status(post(d->admin, "/nodes/cache-d/drain?force=last-node", NULL), 200);
	expect_refusal(get(d->lookup, "/owner?key=a"), 503, "no-servers", "draining");
	/* The copies are there still: an explanation is given all the same. */
	expect_status(get(d->lookup, "/explain?key=a"), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(a_node_passes_from_joining_to_active_and_back_after_it_lost_its_copies)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/nodes",
	    "{\"name\":\"cache-e\",\"address\":\"10.0.0.5:11211\",\"state\":\"joining\"}");

	expect_status(a, 201);
	expect(a, "owners.cold", "4");
	ck_assert_str_eq(state_of(d, "cache-e"), "joining");
	ck_assert_int_eq(
	    cJSON_IsTrue(value_at(get(d->lookup, "/pools/default")->json, "settled")), 0);
	/* photo-7 was on d and a; now on d and the cold e, with a to fall back on. */
	a = get(d->lookup, "/replicas?key=photo-7");
	ck_assert_ptr_nonnull(value_at(a->json, "replicas[node=cache-e]"));
	expect(a, "replicas[node=cache-e].warm", "false");
	expect(a, "fallback[0].node", "'cache-a'");

	a = expect_status(post(d->admin, "/nodes/cache-e/activate", NULL), 200);
	expect(a, "change", "[{'op':'activate','node':'cache-e'}]");
	expect(a, "keys.changed", "0");
	ck_assert_str_eq(state_of(d, "cache-e"), "active");
	expect(get(d->lookup, "/pools/default"), "settled", "true");
	expect(get(d->lookup, "/replicas?key=photo-7"), "fallback", "[]");

	a = expect_status(post(d->admin, "/nodes/cache-e/rejoin", NULL), 200);
	expect(a, "change", "[{'op':'rejoin','node':'cache-e'}]");
	ck_assert_str_eq(state_of(d, "cache-e"), "joining");
	expect(get(d->lookup, "/replicas?key=photo-7"), "replicas[node=cache-e].warm", "false");
	daemon_stop(d);
}
END_TEST

START_TEST(settling_says_that_all_copies_are_in_place)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;

	post(d->admin, "/nodes/cache-c/drain", NULL);
	a = expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	expect(a, "change", "[{'op':'settle'}]");
	expect(a, "epoch_after", "3");
	expect(a, "keys.changed", "0");
	expect(get(d->lookup, "/pools/default"), "settled", "true");
	a = get(d->lookup, "/replicas?key=photo-3");
	expect(a, "replicas[1].warm", "true");
	expect(a, "fallback", "[]");
	daemon_stop(d);
}
END_TEST

START_TEST(a_reweight_settles_now_when_it_is_told_so)
{
	struct daemon *d = fleet_with_photos();

	expect_status(patch(d->admin, "/nodes/cache-a?settle=later", "{\"weight\":4}"), 200);
	ck_assert_ptr_nonnull(value_at(get(d->lookup, "/pools/default")->json, "settled.nodes"));
	expect_status(post(d->admin, "/pools/default/settle", NULL), 200);
	expect_status(patch(d->admin, "/nodes/cache-a", "{\"weight\":3}"), 200);
	ck_assert_ptr_nonnull(value_at(get(d->lookup, "/pools/default")->json, "settled.nodes"));
	expect_status(patch(d->admin, "/nodes/cache-a?settle=now", "{\"weight\":2}"), 200);
	expect(get(d->lookup, "/pools/default"), "settled", "true");
	daemon_stop(d);
}
END_TEST

START_TEST(any_combination_is_one_change_and_one_epoch)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/changes",
	    "{\"add\":[" CACHE_E
	    "],\"drain\":[\"cache-c\"],\"patch\":{\"cache-a\":{\"zone\":\"r1\"}},"
	    "\"reweight\":{\"cache-b\":2},\"copies\":3}");

	expect_status(a, 200);
	expect(a, "epoch_before", "1");
	expect(a, "epoch_after", "2");
	expect(a, "copies", "3");
	expect(a, "copies_before", "2");
	ck_assert_int_eq(count_at(a, "change"), 5);
	a = get(d->lookup, "/pools/default");
	expect(a, "copies", "3");
	expect(a, "nodes[name=cache-c].state", "'draining'");
	expect(a, "nodes[name=cache-b].weight", "2");
	expect(a, "nodes[name=cache-a].zone", "'r1'");
	expect(a, "nodes[name=cache-e].state", "'joining'");

	expect_refusal(
	    post(d->admin, "/changes", "{\"drain\":[\"cache-b\"],\"activate\":[\"cache-b\"]}"), 400,
	    "bad-field", "cache-b");
	/* All or nothing: one bad part undoes the rest. */
	expect_refusal(
	    post(d->admin, "/changes", "{\"drain\":[\"cache-b\"],\"activate\":[\"cache-z\"]}"), 404,
	    "unknown-node", "cache-z");
	ck_assert_str_eq(state_of(d, "cache-b"), "active");
	ck_assert_int_eq(epoch_of(d, "default"), 2);
	daemon_stop(d);
}
END_TEST

START_TEST(keys_sent_along_with_a_change_are_the_ones_reported)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/changes",
	    "{\"drain\":[\"cache-c\"],\"keys\":[\"photo-2\",\"photo-7\",{\"key_base64\":\"//"
	    "4=\"}]}");

	expect_status(a, 200);
	expect(a, "keys.source", "'request'");
	expect(a, "keys.total", "3");
	expect(a, "changes[key=photo-2].from", "'cache-a'");
	expect(get(d->admin, "/keys/stats"), "keys", "24");
	daemon_stop(d);
}
END_TEST

START_TEST(a_list_makes_the_membership_exactly_itself)
{
	struct daemon *d = fleet_start();
	const char *three =
	    "[{\"name\":\"cache-a\",\"address\":\"10.0.0.1:11211\"},"
	    "{\"name\":\"cache-b\",\"address\":\"10.0.0.2:11211\",\"weight\":2}," CACHE_E
	    ",{\"name\":\"cache-d\",\"address\":\"10.0.0.4:11211\"}]";
	const char *json = "Content-Type: application/json";
	struct answer *a, *before;

	expect_refusal(
	    ask(d->admin, "PUT", "/nodes", json, three), 428, "precondition-required", "If-Match");
	expect_refusal(ask(d->admin, "PUT", "/nodes", text("%s\nIf-Match: \"7\"", json), three),
	    412, "stale-epoch", "1");
	/* cache-c is left out, and is not draining. */
	expect_refusal(ask(d->admin, "PUT", "/nodes", text("%s\nIf-Match: *", json), three), 409,
	    "not-draining", "cache-c");
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	a = ask(
	    d->admin, "PUT", "/nodes?force=not-draining", text("%s\nIf-Match: \"1\"", json), three);
	expect_status(a, 200);
	expect(a, "epoch_after", "2");
	before = get(d->lookup, "/nodes");
	ck_assert_int_eq(count_at(before, "nodes"), 4);
	expect(before, "nodes[name=cache-d].id", "4");
	expect(before, "nodes[name=cache-e].id", "5");
	expect(before, "nodes[name=cache-b].weight", "2");

	/* What GET gave can be sent back, under its own ETag. */
	a = ask(d->admin, "PUT", "/nodes", text("%s\nIf-Match: %s", json, header(before, "ETag")),
	    before->body);
	expect_status(a, 200);
	expect(a, "outcome", "'unchanged'");
	a = ask(d->admin, "PUT", "/nodes",
	    text("%s\nIf-Match: \"1\", %s", json, header(before, "ETag")), before->body);
	expect(a, "outcome", "'unchanged'");
	daemon_stop(d);
}
END_TEST

START_TEST(if_match_guards_every_change)
{
	struct daemon *d = fleet_start();
	const char *etag = header(get(d->lookup, "/nodes"), "ETag");

	expect_refusal(ask(d->admin, "POST", "/nodes/cache-c/drain", "If-Match: \"9\"", NULL), 412,
	    "stale-epoch", "9|1");
	expect_refusal(
	    ask(d->admin, "POST", "/nodes/cache-c/drain", "If-Match: \"1-feedfeedfeed\"", NULL),
	    412, "stale-epoch", NULL);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	expect_status(
	    ask(d->admin, "POST", "/nodes/cache-c/drain", text("If-Match: %s", etag), NULL), 200);
	expect_refusal(
	    ask(d->admin, "POST", "/nodes/cache-c/activate", text("If-Match: %s", etag), NULL), 412,
	    "stale-epoch", "2");
	/* The precondition comes before "already so" and before unknown nodes. */
	expect_refusal(ask(d->admin, "POST", "/nodes/cache-z/drain", "If-Match: \"1\"", NULL), 412,
	    "stale-epoch", NULL);
	daemon_stop(d);
}
END_TEST

START_TEST(a_dry_run_changes_nothing_and_is_never_refused_by_a_guard)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;

	a = expect_status(post(d->admin, "/nodes/cache-c/drain?dry_run=true", NULL), 200);
	expect(a, "outcome", "'dry_run'");
	expect(a, "refusal", "null");
	expect(a, "keys.changed", "13");
	a = expect_status(del(d->admin, "/nodes/cache-c?dry_run=true"), 200);
	expect(a, "outcome", "'dry_run'");
	expect(a, "refusal.code", "'not-draining'");
	ck_assert_ptr_nonnull(strstr(text_at(a, "refusal.detail"), "cache-c"));
	expect(a, "keys.changed", "13");
	a = post(d->admin, "/changes?dry_run=true", "{\"drain\":[\"cache-c\",\"cache-d\"]}");
	expect_status(a, 200);
	expect(a, "refusal.code", "'keys-at-risk'");
	a = expect_status(del(d->admin, "/pools/default?dry_run=true"), 200);
	expect(a, "refusal.code", "'pool-not-empty'");
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	ck_assert_str_eq(state_of(d, "cache-c"), "active");
	ck_assert_int_eq(count_at(get(d->admin, "/history?pool=default"), "history"),
	    count_at(get(d->admin, "/history"), "history"));
	daemon_stop(d);
}
END_TEST

START_TEST(a_report_can_be_left_out_or_asked_for_later)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a = post(d->admin, "/nodes/cache-c/drain?report=none", NULL);
	double begun;

	expect_status(a, 200);
	expect(a, "outcome", "'applied'");
	expect(a, "epoch_after", "2");
	a = ask(d->admin, "POST", "/nodes/cache-c/activate", "Prefer: respond-async", NULL);
	expect_status(a, 202);
	expect(a, "outcome", "'applied'");
	expect(a, "epoch_after", "3");
	begun = now_ms();
	a = get(d->admin, text("/plans/%s?wait=30", text_at(a, "plan")));
	expect_status(a, 200);
	expect(a, "state", "'done'");
	expect(a, "keys.total", "24");
	ck_assert_double_lt(now_ms() - begun, 10000);
	a = expect_status(post(d->admin, "/nodes/cache-c/drain?wait=0", NULL), 200);
	expect(a, "outcome", "'applied'");
	daemon_stop(d);
}
END_TEST

START_TEST(a_pool_is_made_listed_changed_removed_and_made_anew_under_another_lineage)
{
	struct daemon *d = fleet_start();
	const char *make = "Content-Type: application/json\nIf-None-Match: *";
	const char *body = "{\"placement\":{\"name\":\"rendezvous\"},\"copies\":1,\"nodes\":["
			   "{\"name\":\"x-1\",\"address\":\"10.1.0.1:80\"},{\"name\":\"x-2\","
			   "\"address\":\"10.1.0.2:80\","
			   "\"weight\":2,\"zone\":\"r1\"}]}";
	struct answer *a, *pool;
	const char *lineage;

	expect_refusal(put(d->admin, "/pools/tier-2", body), 428, "precondition-required", "If-");
	a = ask(d->admin, "PUT", "/pools/tier-2", make, body);
	expect_status(a, 201);
	expect_refusal(ask(d->admin, "PUT", "/pools/tier-2", make, body), 412, "stale-epoch", "1");
	expect_refusal(
	    put(d->admin, "/pools/tier-2", body), 428, "precondition-required", "If-Match");
	ck_assert_int_eq(count_at(get(d->lookup, "/pools"), "pools"), 2);
	pool = expect_status(get(d->lookup, "/pools/tier-2"), 200);
	expect(pool, "epoch", "1");
	expect(pool, "copies", "1");
	lineage = text_at(pool, "lineage");
	expect(get(d->lookup, "/owner?pool=tier-2&key=k"), "epoch", "1");

	/* What GET gave makes it again, and changes nothing. */
	a = ask(d->admin, "PUT", "/pools/tier-2",
	    text("Content-Type: application/json\nIf-Match: %s", header(pool, "ETag")), pool->body);
	expect_status(a, 200);
	expect(a, "outcome", "'unchanged'");

	a = expect_status(patch(d->admin, "/pools/tier-2", "{\"copies\":2}"), 200);
	expect(a, "change[0].op", "'copies'");
	expect(a, "epoch_after", "2");
	expect_status(patch(d->admin, "/pools/tier-2", "{\"max_moved\":0.25}"), 200);
	expect(get(d->lookup, "/pools/tier-2"), "max_moved", "0.25");

	expect_refusal(del(d->admin, "/pools/tier-2"), 409, "pool-not-empty", "tier-2|2");
	expect_status(del(d->admin, "/pools/tier-2?force=pool-not-empty"), 200);
	expect_refusal(get(d->lookup, "/pools/tier-2"), 404, "unknown-pool", "tier-2");
	expect_refusal(get(d->lookup, "/owner?pool=tier-2&key=k"), 404, "unknown-pool", "tier-2");
	expect_refusal(del(d->admin, "/pools/tier-2"), 404, "unknown-pool", "tier-2");
	ck_assert_int_gt(count_at(get(d->admin, "/history?pool=tier-2"), "history"), 1);

	expect_status(ask(d->admin, "PUT", "/pools/tier-2", make, body), 201);
	pool = get(d->lookup, "/pools/tier-2");
	expect(pool, "epoch", "1");
	ck_assert_str_ne(text_at(pool, "lineage"), lineage);
	/* An ETag of the old one is not taken for the new one's. */
	expect_refusal(ask(d->admin, "POST", "/nodes/x-1/drain?pool=tier-2",
			   text("If-Match: \"1-%s\"", lineage), NULL),
	    412, "stale-epoch", NULL);
	daemon_stop(d);
}
END_TEST

START_TEST(an_earlier_epoch_is_shown_and_gone_back_to_as_a_new_change)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;

	post(d->admin, "/nodes/cache-c/drain", NULL);
	post(d->admin, "/nodes", CACHE_E);
	a = get(d->lookup, "/pools/default?epoch=1");
	expect(a, "epoch", "1");
	ck_assert_int_eq(count_at(a, "nodes"), 4);
	expect(a, "nodes[name=cache-c].state", "'active'");
	a = get(d->lookup, "/pools/default?epoch=2");
	expect(a, "nodes[name=cache-c].state", "'draining'");

	/* Going back leaves cache-e out, which is not draining. */
	expect_refusal(
	    post(d->admin, "/pools/default/revert", "{\"to\":1}"), 409, "not-draining", "cache-e");
	a = post(d->admin, "/pools/default/revert?force=not-draining", "{\"to\":1}");
	expect_status(a, 200);
	expect(a, "epoch_before", "3");
	expect(a, "epoch_after", "4");
	a = get(d->lookup, "/pools/default");
	ck_assert_int_eq(count_at(a, "nodes"), 4);
	expect(a, "nodes[name=cache-c].state", "'active'");
	expect_refusal(
	    post(d->admin, "/pools/default/revert", "{\"to\":9}"), 404, "unknown-epoch", "9");
	daemon_stop(d);
}
END_TEST

START_TEST(history_tells_who_did_what_and_why_newest_first)
{
	struct daemon *d = fleet_with_photos();
	struct answer *a;
	double oldest;

	ask(d->admin, "POST", "/nodes/cache-c/drain", "Hrw-Reason: rack 3 is moved", NULL);
	del(d->admin, "/nodes/cache-a");
	del(d->admin, "/nodes/cache-c");
	a = expect_status(get(d->admin, "/history"), 200);
	expect(a, "history[0].outcome", "'applied'");
	expect(a, "history[0].change", "[{'op':'remove','node':'cache-c'}]");
	expect(a, "history[0].epoch_before", "2");
	expect(a, "history[0].epoch_after", "3");
	expect(a, "history[1].outcome", "'refused'");
	expect(a, "history[2].reason", "'rack 3 is moved'");
	expect(a, "history[2].pool", "'default'");
	ck_assert_ptr_nonnull(strstr(text_at(a, "history[2].from"), "127.0.0.1"));
	ck_assert_ptr_nonnull(value_at(a->json, "history[2].by"));
	ck_assert_uint_gt(strlen(text_at(a, "history[2].at")), 18);
	ck_assert_ptr_nonnull(value_at(a->json, "history[2].summary"));
	expect(a, "history[2].forced", "[]");
	/* The photos were put before. */
	ck_assert_int_ge(count_at(a, "history"), 4);

	/* Page by page, the same entries. */
	a = get(d->admin, "/history?limit=1");
	ck_assert_int_eq(count_at(a, "history"), 1);
	ck_assert_ptr_nonnull(value_at(a->json, "next"));
	oldest = number_at(a, "history[0].id");
	a = get(d->admin, text("/history?limit=2&after=%.0f", oldest));
	ck_assert_double_lt(number_at(a, "history[0].id"), oldest);
	expect(a, "history[0].outcome", "'refused'");
	daemon_stop(d);
}
END_TEST

/* Lookups on several connections, which land on several workers, while one
 * client changes. */
enum { CLIENTS = 6, CHANGES = 200 };

static struct {
	struct daemon *d;
	atomic_long answered; /* the newest epoch that a change was answered with */
	atomic_int is_over;
	atomic_long lookups, stale, broken;
} race;

static void *
look_up(void *arg)
{
	static const char request[] = "GET /owner?key=photo-7 HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int fd = -1;

	(void)arg;
	while (!atomic_load(&race.is_over)) {
		long newest = atomic_load(&race.answered);
		const char *epoch;
		struct answer *a;

		if (fd < 0)
			fd = raw_open(race.d->lookup);
		raw_send(fd, request, sizeof(request) - 1);
		a = raw_answer(fd, 10000);
		epoch = a->status == 200 ? header(a, "Hrw-Epoch") : NULL;
		if (epoch == NULL)
			atomic_fetch_add(&race.broken, 1);
		else if (strtol(epoch, NULL, 10) < newest)
			atomic_fetch_add(&race.stale, 1);
		/* Now and then another connection, so another worker. */
		if (epoch == NULL || atomic_fetch_add(&race.lookups, 1) % 50 == 0) {
			close(fd);
			fd = -1;
		}
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

START_TEST(a_lookup_after_a_changes_answer_never_sees_the_older_epoch)
{
	pthread_t client[CLIENTS];

	race.d = daemon_start(FLEET_CONFIG("\"workers\":4,"), NULL);
	atomic_store(&race.answered, 1);
	for (int i = 0; i < CLIENTS; i++)
		ck_assert_int_eq(pthread_create(&client[i], NULL, look_up, NULL), 0);
	for (int i = 0; i < CHANGES; i++) {
		struct answer *a = post(race.d->admin,
		    i % 2 == 0 ? "/nodes/cache-c/drain?report=none"
			       : "/nodes/cache-c/activate?report=none",
		    NULL);

		expect_status(a, 200);
		atomic_store(&race.answered, (long)number_at(a, "epoch_after"));
	}
	atomic_store(&race.is_over, 1);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(client[i], NULL);
	ck_assert_int_eq(atomic_load(&race.answered), CHANGES + 1);
	ck_assert_int_eq(atomic_load(&race.stale), 0);
	ck_assert_int_eq(atomic_load(&race.broken), 0);
	ck_assert_int_gt(atomic_load(&race.lookups), CHANGES);
	daemon_stop(race.d);
}
END_TEST

/* Changes from several clients at once queue: each gets an epoch of its own. */
static void *
reweigh(void *arg)
{
	const char *node = arg;

	for (int i = 0; i < 20; i++) {
		struct answer *a = patch(race.d->admin, text("/nodes/%s?report=none", node),
		    text("{\"weight\":%d}", i + 2));

		if (a->status != 200)
			atomic_fetch_add(&race.broken, 1);
	}
	return NULL;
}

START_TEST(changes_of_many_clients_queue_and_none_is_lost)
{
	static char nodes[4][8] = {"cache-a", "cache-b", "cache-c", "cache-d"};
	pthread_t client[4];

	race.d = fleet_start();
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&client[i], NULL, reweigh, nodes[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(client[i], NULL);
	ck_assert_int_eq(atomic_load(&race.broken), 0);
	ck_assert_int_eq(epoch_of(race.d, "default"), 81);
	for (int i = 0; i < 4; i++)
		expect(get(race.d->lookup, text("/nodes/%s", nodes[i])), "weight", "21");
	daemon_stop(race.d);
}
END_TEST

/* One of those that change the same epoch. */
static void *
claim(void *arg)
{
	struct answer **answer = arg;

	*answer =
	    ask(race.d->admin, "POST", "/nodes/cache-c/drain?report=none", "If-Match: \"1\"", NULL);
	return NULL;
}

START_TEST(of_many_changes_of_one_epoch_the_first_alone_is_made)
{
	struct answer *answer[8];
	pthread_t client[8];
	int made = 0;

	race.d = fleet_start();
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&client[i], NULL, claim, &answer[i]), 0);
	for (int i = 0; i < 8; i++)
		pthread_join(client[i], NULL);
	for (int i = 0; i < 8; i++) {
		if (answer[i]->status == 200)
			made++;
		else
			expect_refusal(answer[i], 412, "stale-epoch", "2");
	}
	ck_assert_int_eq(made, 1);
	ck_assert_int_eq(epoch_of(race.d, "default"), 2);
	daemon_stop(race.d);
}
END_TEST

START_TEST(a_client_that_goes_away_stops_its_report_never_its_change)
{
	struct daemon *d = fleet_start();
	const char *request = "POST /nodes/cache-c/drain HTTP/1.1\r\nHost: localhost\r\n"
			      "Content-Length: 0\r\n\r\n";
	double deadline = now_ms() + 5000;
	int fd = raw_open(d->admin);

	raw_send(fd, request, strlen(request));
	pause_ms(2);
	close(fd);
	while (epoch_of(d, "default") != 2) {
		ck_assert_msg(now_ms() < deadline, "the change was dropped");
		pause_ms(5);
	}
	daemon_stop(d);
}
END_TEST

SUITE(changes)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, draining_a_cache_changes_thirteen_photos_each_with_a_source);
	tcase_add_test(tests, a_drained_cache_stays_readable_as_fallback_until_it_is_removed);
	tcase_add_test(tests, a_newcomer_takes_the_photos_that_are_published);
	tcase_add_test(tests, what_is_already_so_is_unchanged_and_keeps_the_epoch);
	tcase_add_test(tests, adding_a_name_that_is_another_node_is_refused_as_taken);
	tcase_add_test(tests, a_declared_node_is_added_or_updated_to_what_is_sent);
	tcase_add_test(
	    tests, a_patch_of_several_fields_is_one_change_and_null_brings_back_a_default);
	tcase_add_test(tests, a_new_address_moves_no_key);
	tcase_add_test(tests, a_patch_does_not_rename_or_change_state);
	tcase_add_test(tests, only_a_draining_node_is_removed_unless_forced);
	tcase_add_test(tests, a_second_removal_says_when_the_node_was_removed);
	tcase_add_test(tests, draining_as_many_nodes_as_copies_puts_keys_at_risk);
	tcase_add_test(tests, with_zones_it_takes_draining_nodes_in_as_many_zones_as_copies);
	tcase_add_test(tests, a_pool_of_one_copy_may_drain_but_for_its_last_node);
	tcase_add_test(
	    tests, a_node_passes_from_joining_to_active_and_back_after_it_lost_its_copies);
	tcase_add_test(tests, settling_says_that_all_copies_are_in_place);
	tcase_add_test(tests, a_reweight_settles_now_when_it_is_told_so);
	tcase_add_test(tests, any_combination_is_one_change_and_one_epoch);
	tcase_add_test(tests, keys_sent_along_with_a_change_are_the_ones_reported);
	tcase_add_test(tests, a_list_makes_the_membership_exactly_itself);
	tcase_add_test(tests, if_match_guards_every_change);
	tcase_add_test(tests, a_dry_run_changes_nothing_and_is_never_refused_by_a_guard);
	tcase_add_test(tests, a_report_can_be_left_out_or_asked_for_later);
	tcase_add_test(
	    tests, a_pool_is_made_listed_changed_removed_and_made_anew_under_another_lineage);
	tcase_add_test(tests, an_earlier_epoch_is_shown_and_gone_back_to_as_a_new_change);
	tcase_add_test(tests, history_tells_who_did_what_and_why_newest_first);
	tcase_add_test(tests, a_lookup_after_a_changes_answer_never_sees_the_older_epoch);
	tcase_add_test(tests, changes_of_many_clients_queue_and_none_is_lost);
	tcase_add_test(tests, of_many_changes_of_one_epoch_the_first_alone_is_made);
	tcase_add_test(tests, a_client_that_goes_away_stops_its_report_never_its_change);
}
