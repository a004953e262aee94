/*
 * The vectors over HTTP: what a user of any language can hold the daemon to.
 *
 * HRW_VECTORS names their folder, tests/vectors when unset. Each file is one
 * daemon's: a pool for each of its parts.
 */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#define MAKE "Content-Type: application/json\nIf-None-Match: *"

static cJSON *
vectors(const char *name)
{
	const char *folder = getenv("HRW_VECTORS");
	const char *path = text("%s/%s", folder != NULL ? folder : "tests/vectors", name);
	const char *content = text_file(path, NULL);
	cJSON *json;

	ck_assert_msg(content != NULL, "no %s: run from the top folder", path);
	json = cJSON_Parse(content);
	ck_assert_ptr_nonnull(json);
	return kept(json);
}

static const char *
printed(const cJSON *json)
{
	return kept(cJSON_PrintUnformatted(json));
}

static const char *
member_text(const cJSON *json, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static const cJSON *
member(const cJSON *json, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(json, name);
}

static const char *
state_in(const cJSON *node)
{
	const char *state = member_text(node, "state");

	return state != NULL ? state : "active";
}

/* The vectors give names; a node needs an address. */
static cJSON *
with_address(const cJSON *node)
{
	static int serial;
	cJSON *copy = kept(cJSON_Duplicate(node, 1));

	serial++;
	if (member(copy, "address") == NULL)
		cJSON_AddStringToObject(
		    copy, "address", text("10.%d.%d.1:11211", serial / 256 % 256, serial % 256));
	return copy;
}

/* A key in a query. */
static const char *
encoded(const char *key)
{
	struct page page = {0};

	for (; *key != '\0'; key++)
		page_add(&page, "%%%02x", (unsigned char)*key);
	return kept(page.data);
}

/* Makes a settled pool of nodes: those that are draining stand in it as active,
 * then are drained; those that are joining are then added. */
static void
make_pool(const struct daemon *d, const char *pool, const cJSON *nodes, int copies)
{
	struct page first = {0}, add = {0}, drain = {0};
	const cJSON *node;

	cJSON_ArrayForEach (node, nodes) {
		cJSON *copy = with_address(node);
		const char *state = state_in(node);

		if (strcmp(state, "joining") == 0) {
			page_add(&add, "%s%s", add.len != 0 ? "," : "", printed(copy));
			continue;
		}
		cJSON_DeleteItemFromObject(copy, "state");
		page_add(&first, "%s%s", first.len != 0 ? "," : "", printed(copy));
		if (strcmp(state, "draining") == 0)
			page_add(&drain, "%s\"%s\"", drain.len != 0 ? "," : "",
			    member_text(node, "name"));
	}
	expect_status(ask(d->admin, "PUT", text("/pools/%s?report=none", pool), MAKE,
			  text("{\"copies\":%d,\"nodes\":[%s]}", copies,
			      first.data != NULL ? first.data : "")),
	    201);
	if (add.len + drain.len != 0)
		expect_status(
		    post(d->admin, text("/changes?pool=%s&force=keys-at-risk&report=none", pool),
			text("{\"add\":[%s],\"drain\":[%s]}", add.data != NULL ? add.data : "",
			    drain.data != NULL ? drain.data : "")),
		    200);
	free(first.data);
	free(add.data);
	free(drain.data);
}

START_TEST(rendezvous_answers_as_its_vectors_say)
{
	const cJSON *pools = member(vectors("rendezvous.json"), "pools");
	const cJSON *part, *one;
	struct page config = {0};
	struct daemon *d;
	int cases = 0;

	page_add(&config, "{\"limits\":{\"nodes\":2049,\"key_bytes\":2048},\"pools\":{");
	cJSON_ArrayForEach (part, pools)
		page_add(&config, "%s\"%s\":%s", part == pools->child ? "" : ",",
		    member_text(part, "name"), printed(member(part, "pool")));
	page_add(&config, "}}");
	d = daemon_start(kept(config.data), NULL);
	cJSON_ArrayForEach (part, pools) {
		const char *pool = member_text(part, "name");

		cJSON_ArrayForEach (one, member(part, "cases")) {
			const char *key = member_text(one, "key");
			struct answer *a;
			const cJSON *owner;
			int at = 0;

			ck_assert_msg(key != NULL, "a key in hex: %s", printed(one));
			a = get(d->lookup, text("/replicas?pool=%s&key=%s", pool, encoded(key)));
			expect_status(a, 200);
			ck_assert_int_eq(
			    count_at(a, "replicas"), cJSON_GetArraySize(member(one, "owners")));
			cJSON_ArrayForEach (owner, member(one, "owners"))
				expect(a, text("replicas[%d].node", at++), printed(owner));
			cases++;
		}
	}
	ck_assert_int_ge(cases, 300);
	daemon_stop(d);
}
END_TEST

/* One step of a sequence, each as POST /changes but for settle. */
static void
make_step(const struct daemon *d, const char *pool, const cJSON *step)
{
	cJSON *body = kept(cJSON_Duplicate(step, 1));
	const char *settle = "";
	cJSON *added;
	struct answer *a;

	if (member(step, "settle") != NULL && cJSON_GetArraySize(step) == 1) {
		a = post(d->admin, text("/pools/%s/settle?report=none", pool), NULL);
		expect_status(a, 200);
		return;
	}
	if (member(step, "settle") != NULL) {
		settle = "&settle=now";
		cJSON_DeleteItemFromObject(body, "settle");
	}
	added = cJSON_GetObjectItemCaseSensitive(body, "add");
	if (added != NULL) {
		cJSON *list = cJSON_CreateArray();
		const cJSON *node;

		cJSON_ArrayForEach (node, added)
			cJSON_AddItemToArray(list, cJSON_Duplicate(with_address(node), 1));
		cJSON_ReplaceItemInObjectCaseSensitive(body, "add", list);
	}
	a = post(d->admin,
	    text("/changes?pool=%s&force=keys-at-risk,last-node,not-draining,too-much-moved&"
		 "report=none%s",
		pool, settle),
	    printed(body));
	expect_status(a, 200);
}

/* An answer's changes, in any order, are those of the vector. */
static void
same_changes(const struct answer *a, const cJSON *expected)
{
	const cJSON *one;

	ck_assert_int_eq(count_at(a, "changes"), cJSON_GetArraySize(expected));
	cJSON_ArrayForEach (one, expected)
		expect(a, text("changes[key=%s]", member_text(one, "key")), printed(one));
}

START_TEST(plans_report_as_their_vectors_say)
{
	static const char *const figures[] = {"copies_lost", "copies_gained", "keys_without_source",
	    "keys_with_leaving_source", "copies_missing", "keys_without_copy", "owners", "nodes",
	    "moves"};
	const cJSON *plans = member(vectors("plans.json"), "plans");
	struct daemon *d = daemon_start(NULL, NULL);
	const cJSON *plan, *step;
	int serial = 0;

	cJSON_ArrayForEach (plan, plans) {
		const char *pool = text("p%d", serial++);
		const cJSON *expected = member(plan, "expect");
		cJSON *body = kept(cJSON_Duplicate(member(plan, "change"), 1));
		struct answer *a;

		make_pool(d, pool, member(plan, "nodes"), member(plan, "copies")->valueint);
		cJSON_ArrayForEach (step, member(plan, "prepare"))
			make_step(d, pool, step);
		cJSON_AddItemToObject(body, "keys", cJSON_Duplicate(member(plan, "keys"), 1));
		a = expect_status(post(d->admin, text("/plan?pool=%s", pool), printed(body)), 200);
		expect(a, "keys.source", "'request'");
		expect(a, "keys.changed", printed(member(expected, "changed")));
		for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
			expect(a, figures[i], printed(member(expected, figures[i])));
		same_changes(a, member(expected, "changes"));
	}
	ck_assert_int_eq(serial, 80);
	daemon_stop(d);
}
END_TEST

START_TEST(sequences_of_changes_leave_the_states_of_their_vectors)
{
	const cJSON *sequences = member(vectors("states.json"), "sequences");
	struct daemon *d = daemon_start(NULL, NULL);
	const cJSON *sequence;
	int serial = 0;

	cJSON_ArrayForEach (sequence, sequences) {
		const char *pool = text("s%d", serial++);
		const cJSON *step, *one;
		const cJSON *settled;

		make_pool(d, pool, member(sequence, "nodes"), member(sequence, "copies")->valueint);
		cJSON_ArrayForEach (step, member(sequence, "steps"))
			make_step(d, pool, step);
		settled = value_at(get(d->lookup, text("/pools/%s", pool))->json, "settled");
		ck_assert_msg(cJSON_IsTrue(settled) == cJSON_IsTrue(member(sequence, "settled")),
		    "sequence %d: settled is %s", serial - 1, printed(settled));
		cJSON_ArrayForEach (one, member(sequence, "cases")) {
			struct answer *a = get(d->lookup, text("/replicas?pool=%s&key=%s", pool,
							      encoded(member_text(one, "key"))));
			const cJSON *name;
			int at = 0;

			expect_status(a, 200);
			ck_assert_int_eq(
			    count_at(a, "replicas"), cJSON_GetArraySize(member(one, "replicas")));
			cJSON_ArrayForEach (name, member(one, "replicas")) {
				expect(a, text("replicas[%d].node", at), printed(name));
				expect(a, text("replicas[%d].warm", at),
				    printed(cJSON_GetArrayItem(member(one, "warm"), at)));
				at++;
			}
			at = 0;
			ck_assert_msg(
			    count_at(a, "fallback") == cJSON_GetArraySize(member(one, "fallback")),
			    "sequence %d, %s: %s", serial - 1, printed(one), a->body);
			cJSON_ArrayForEach (name, member(one, "fallback"))
				expect(a, text("fallback[%d].node", at++), printed(name));
		}
	}
	ck_assert_int_eq(serial, 140);
	daemon_stop(d);
}
END_TEST

SUITE(vectors_http)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, rendezvous_answers_as_its_vectors_say);
	tcase_add_test(tests, plans_report_as_their_vectors_say);
	tcase_add_test(tests, sequences_of_changes_leave_the_states_of_their_vectors);
}
