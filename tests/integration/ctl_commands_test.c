/*
 * hrwctl's commands about the daemon, its pools and placements, and what it makes of
 * words that are none.
 */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* With one space for any number: how wide a column is, others of its cells decide. */
static const char *
narrow(const char *wide)
{
	struct page page = {0};

	for (const char *at = wide; *at != '\0'; at++)
		if (*at != ' ' || at[1] != ' ')
			page_add(&page, "%c", *at);
	return page.data != NULL ? page.data : "";
}

static void
expect_said(const struct ran *r, const char *said)
{
	ck_assert_msg(strstr(narrow(r->out), said) != NULL || strstr(r->err, said) != NULL,
	    "%s lacks \"%s\":\n%s%s", r->what, said, r->out, r->err);
}

static const char *
member(const struct ran *r, const char *name)
{
	cJSON *json = kept(cJSON_Parse(r->out));

	ck_assert_msg(json != NULL, "%s: %s", r->what, r->out);
	return kept(cJSON_PrintUnformatted(cJSON_GetObjectItem(json, name)));
}

START_TEST(status_says_which_daemon_and_what_is_not_settled)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r = expect_ran(ctl(d, "status", "--exit-code", NULL), 0);

	expect_said(r, text("at %s, up 00:0", d->admin));
	expect_said(r, text("store: sqlite, %s\n", daemon_path(d, "hrwd.db")));
	expect_said(r, "default 1 rendezvous 2 4 24 yes ");
	ck_assert_ptr_null(strstr(r->out, "not settled"));
	expect_ran(ctl(d, "drain", "cache-c", "--yes", NULL), 0);
	expect_ran(ctl(d, "add", "cache-e", "h:1", "--joining", "--yes", NULL), 0);
	r = expect_ran(ctl(d, "status", NULL), 0);
	expect_said(r, "\nnot settled:\n default: cache-c is draining, cache-e is joining\n");
	expect_ran(ctl(d, "status", "--exit-code", NULL), 5);
	r = expect_ran(ctl(d, "status", "-o", "json", NULL), 0);
	expect_said(r, "\"unsettled\":\"cache-c is draining, cache-e is joining\"");
	ck_assert_str_eq(member(r, "is_ready"), "true");
	expect_ran(ctl(d, "settle", "--yes", NULL), 0);
	expect_ran(ctl(d, "remove", "cache-c", "--yes", NULL), 0);
	expect_ran(ctl(d, "status", "--exit-code", NULL), 0);
	/* A lookup listener does not know it. */
	r = expect_ran(ctl(NULL, "--admin", d->lookup, "status", NULL), 1);
	expect_said(r, "--admin");
}
END_TEST

START_TEST(a_pool_is_made_shown_and_dropped)
{
	struct daemon *d = fleet_start();
	struct ran *r;

	expect_ran(ctl(d, "pool", "add", "web", "--copies", "2", "--placement",
		       "{\"name\":\"ring\",\"vnodes\":10}", "--add", "a,address=h:1,zone=r1",
		       "--add", "b,address=h:2", "--yes", NULL),
	    0);
	ck_assert_int_eq(epoch_of(d, "web"), 1);
	r = expect_ran(ctl(d, "pool", "show", "web", NULL), 0);
	expect_said(r, "POOL web\n");
	expect_said(r, "copies 2\n");
	expect_said(r, "\"vnodes\":10");
	expect_said(r, "settled yes\n");
	expect_said(r, "a h:1 active 1 - r1\n");
	ck_assert_str_eq(member(expect_ran(ctl(d, "pool", "show", "-o", "json", NULL), 0), "name"),
	    "\"default\"");
	r = expect_ran(ctl(d, "pool", "add", "web", "--yes", NULL), 4);
	expect_said(r, "hrwctl apply FILE --pool web");
	r = expect_ran(ctl(d, "pool", "show", "none", NULL), 1);
	expect_said(r, "hrwctl pool add none");
	expect_ran(ctl(d, "pool", "drop", "web", "--dry-run", "--exit-code", NULL), 1);
	r = expect_ran(ctl(d, "pool", "drop", "web", "--yes", NULL), 1);
	expect_said(r, "--force pool-not-empty");
	r = expect_ran(ctl(d, "pool", "drop", "web", "-y", "--force", "pool-not-empty", NULL), 0);
	expect_said(r, "applied: the pool is removed\n");
	expect_ran(ctl(d, "pool", "show", "web", NULL), 1);
	/* Without a node, and at an earlier epoch. */
	expect_ran(ctl(d, "pool", "add", "web", "--yes", NULL), 0);
	expect_ran(ctl(d, "drain", "cache-a", "--yes", NULL), 0);
	r = expect_ran(ctl(d, "pool", "show", "default", "--epoch", "1", "-o", "json", NULL), 0);
	ck_assert_ptr_null(strstr(r->out, "draining"));
	ck_assert_str_eq(member(r, "epoch"), "1");
	expect_ran(ctl(d, "pool", "add", "", "--yes", NULL), 2);
	expect_ran(ctl(d, "pool", "add", "UP", "--yes", NULL), 1);
}
END_TEST

START_TEST(what_was_dumped_makes_another_daemon_the_same)
{
	struct daemon *d = fleet_start(), *other;
	struct ran *dump, *again;

	expect_ran(
	    ctl(d, "pool", "add", "web", "--add", "a,address=h:1,weight=2", "--yes", NULL), 0);
	expect_ran(ctl(d, "drain", "cache-c", "--yes", NULL), 0);
	dump = expect_ran(ctl(d, "dump", NULL), 0);
	daemon_write(d, "dump.json", dump->out, strlen(dump->out));
	expect_out(expect_ran(ctl(d, "apply", daemon_path(d, "dump.json"), NULL), 0),
	    "already so: nothing is changed\n");
	other = daemon_start("{}", NULL);
	expect_ran(ctl(other, "apply", daemon_path(d, "dump.json"), "--yes", NULL), 0);
	again = expect_ran(ctl(other, "dump", NULL), 0);
	ck_assert_str_eq(again->out, dump->out);
	ck_assert_str_eq(
	    member(expect_ran(ctl(d, "pool", "show", "-o", "json", NULL), 0), "fingerprint"),
	    member(expect_ran(ctl(other, "pool", "show", "-o", "json", NULL), 0), "fingerprint"));
	/* One of them alone. */
	again = expect_ran(ctl(d, "dump", "-p", "web", NULL), 0);
	ck_assert_ptr_null(strstr(again->out, "cache-a"));
	expect_out(expect_ran(ctl(d, "dump", "-p", "none", NULL), 1), "");
}
END_TEST

START_TEST(a_node_that_moves_keeps_its_keys)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r = expect_ran(ctl(d, "address", "cache-a", "10.9.9.9:1", "-y", NULL), 0);

	expect_said(r, "24 stored keys: 0 change holders");
	expect(get(d->lookup, "/nodes/cache-a"), "address", "'10.9.9.9:1'");
	expect_ran(ctl(d, "zone", "cache-a", "r1", "-y", NULL), 0);
	expect(get(d->lookup, "/nodes/cache-a"), "zone", "'r1'");
	expect_ran(ctl(d, "zone", "cache-a", "-", "-y", NULL), 0);
	expect(get(d->lookup, "/nodes/cache-a"), "zone", "null");
	expect_out(expect_ran(ctl(d, "zone", "cache-a", "-", "-y", NULL), 0),
	    "already so: nothing is changed\n");
	expect_ran(ctl(d, "address", "cache-a", "nowhere", "-y", NULL), 1);
	expect_ran(ctl(d, "address", "cache-a", NULL), 2);
}
END_TEST

START_TEST(one_node_is_shown_whole)
{
	struct daemon *d = fleet_start();
	struct ran *r = expect_ran(ctl(d, "nodes", "cache-b", NULL), 0);

	expect_said(r, "NODE cache-b\n");
	expect_said(r, "address 10.0.0.2:11211\n");
	ck_assert_str_eq(
	    member(expect_ran(ctl(d, "nodes", "cache-b", "-o", "json", NULL), 0), "state"),
	    "\"active\"");
	expect_ran(ctl(d, "nodes", "cache-z", NULL), 1);
	expect_ran(ctl(d, "nodes", "cache-b", "-p", "none", NULL), 1);
	expect_ran(ctl(d, "nodes", "", NULL), 2);
}
END_TEST

START_TEST(several_keys_are_answered_at_one_epoch_in_their_order)
{
	struct daemon *d = fleet_with_photos();

	expect_out(expect_ran(ctl(d, "owner", "photo-7", "photo-1", "photo-7", NULL), 0),
	    "photo-7\tcache-d\nphoto-1\tcache-d\nphoto-7\tcache-d\n");
	expect_out(expect_ran(ctl_with(d, "photo-7\nphoto-1", "owner", "-", NULL), 0),
	    "photo-7\tcache-d\nphoto-1\tcache-d\n");
	expect_out(expect_ran(ctl(d, "replicas", "photo-7", "photo-1", NULL), 0),
	    "photo-7\tcache-d,cache-a\nphoto-1\tcache-d,cache-b\n");
	expect_out(expect_ran(ctl_with(d, "photo-7\n", "replicas", "-", "--copies", "1", NULL), 0),
	    "photo-7\tcache-d\n");
	expect_out(expect_ran(ctl_with(d, "photo-7\n", "owner", "-", "-o", "json", NULL), 0),
	    "{\"key\":\"photo-7\",\"owner\":\"cache-d\"}\n");
	expect_said(expect_ran(ctl(d, "owner", "photo-7", "photo-1", "-o", "json", NULL), 0),
	    "\"results\":[{\"key\":\"photo-7\",\"owner\":\"cache-d\"},");
	expect_out(expect_ran(ctl_with(d, "", "owner", "-", NULL), 0), "");
	expect_ran(ctl_with(d, "a\n\nb\n", "owner", "-", NULL), 1);
	expect_ran(ctl_with(d, "a\n\nb\n", "owner", "-", "-o", "json", NULL), 1);
	expect_ran(ctl(d, "owner", "a", "", NULL), 1);
	expect_ran(ctl(d, "owner", "a", "b", "-p", "none", NULL), 1);
	expect_ran(ctl(d, "replicas", "a", "b", "-p", "none", NULL), 1);
}
END_TEST

START_TEST(placements_are_compared_and_traces_simulated)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r = expect_ran(
	    ctl(d, "compare", "rendezvous", "{\"name\":\"ring\",\"vnodes\":7}", "jump", NULL), 0);

	expect_said(r, "PLACEMENT ");
	expect_said(r, "\"vnodes\":7");
	expect_said(r, "jump: 2 copies are more"); /* it can place one only */
	ck_assert_ptr_null(strstr(r->out, "MOVED"));
	r = expect_ran(
	    ctl(d, "compare", "rendezvous", "jump", "--copies", "1", "--drain", "cache-c", NULL),
	    0);
	expect_said(r, "MOVED");
	expect_said(r, "\"jump\"");
	r = expect_ran(ctl(d, "compare", "rendezvous", "-o", "json", NULL), 0);
	ck_assert_ptr_nonnull(strstr(member(r, "keys"), "\"total\":24"));
	expect_ran(ctl(d, "compare", "{", NULL), 2);
	expect_ran(ctl(d, "compare", NULL), 2);
	expect_ran(ctl(d, "compare", "nonsense", NULL), 1);

	daemon_write(d, "trace", "a\nb\na\nb\na\nb\na\nb\n", 16);
	r = expect_ran(
	    ctl(d, "simulate", daemon_path(d, "trace"), "rendezvous", "modulo", "--leave",
		"cache-a@4", "--join", "cache-a@6", "--window", "2", "--capacity", "5", NULL),
	    0);
	expect_said(r, "8 requests for 2 keys\n");
	expect_said(r, "\nround-robin ");
	r = expect_ran(ctl_with(d, "a\na\n", "simulate", "-", "-o", "json", NULL), 0);
	ck_assert_str_eq(member(r, "requests"), "2");
	expect_ran(ctl(d, "simulate", "/dev/null", NULL), 1);
	expect_ran(ctl(d, "simulate", "/nowhere/trace", NULL), 2);
}
END_TEST

START_TEST(a_mistyped_command_is_answered_with_the_nearest)
{
	static const struct {
		const char *words[3], *said;
	} rows[] = {
	    {{"drian", "cache-a"}, "did you mean \"drain\"?"},
	    {{"setle"}, "did you mean \"settle\"?"},
	    {{"keys", "ptu", "x"}, "did you mean \"keys put\"?"},
	    {{"kesy", "put", "x"}, "did you mean \"keys put\"?"},
	    {{"plan", "shwo", "x"}, "did you mean \"plan show\"?"},
	    {{"undrain", "cache-a"}, "did you mean \"activate\"?"},
	    {{"help", "drian"}, "did you mean \"drain\"?"},
	    {{"frobnicate"}, "hrwctl --help"},
	    {{"pool"}, "hrwctl pool --help"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *w = rows[i].words;
		struct ran *r = ctl(
		    NULL, "--admin", "127.0.0.1:1", w[0], w[1], w[1] != NULL ? w[2] : NULL, NULL);

		expect_said(expect_ran(r, 2), rows[i].said);
	}
}
END_TEST

START_TEST(short_options_are_the_long_ones)
{
	struct daemon *d = fleet_start();

	ck_assert_str_eq(expect_ran(ctl(d, "nodes", "-o", "json", "-p", "default", NULL), 0)->out,
	    expect_ran(ctl(d, "nodes", "--output=json", "--pool=default", NULL), 0)->out);
	expect_ran(ctl(d, "drain", "-y", "cache-a", NULL), 0);
	ck_assert_str_eq(state_of(d, "cache-a"), "draining");
	expect_out(expect_ran(ctl(d, "drain", "-h", NULL), 0),
	    expect_ran(ctl(d, "drain", "--help", NULL), 0)->out);
	expect_said(ctl(d, "drain", "-h", NULL), " -y, --yes ");
	expect_ran(ctl(d, "nodes", "-y", NULL), 2);
	expect_ran(ctl(d, "nodes", "-oxml", NULL), 2);
	expect_ran(ctl(d, "nodes", "-x", NULL), 2);
	expect_ran(ctl(d, "nodes", "-p", NULL), 2);
}
END_TEST

START_TEST(shells_learn_nodes_pools_and_plans)
{
	struct daemon *d = fleet_with_photos();
	const char *id = text_at(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), "plan");
	struct ran *r;

	expect_out(
	    ctl(d, "--print", "words", "--", "pool", "drop", "", NULL), "default\trendezvous\n");
	expect_out(ctl(d, "--print", "words", "--", "-p", "", NULL), "default\trendezvous\n");
	expect_out(ctl(d, "--print", "words", "--", "nodes", "--pool", "d", NULL),
	    "default\trendezvous\n");
	expect_out(
	    ctl(d, "--print", "words", "--", "pool", "show", "d", NULL), "default\trendezvous\n");
	expect_out(ctl(d, "--print", "words", "--", "-p", "none", "drain", "", NULL), "");
	expect_out(
	    ctl(d, "--print", "words", "--", "-y", "-p", "default", "drain", "cache-a", NULL),
	    "cache-a\tactive\n");
	r = ctl(d, "--print", "words", "--", "plan", "apply", "", NULL);
	ck_assert_int_eq(strncmp(r->out, id, strlen(id)), 0);
	expect_out(ctl(d, "--print", "words", "--", "completion", "z", NULL), "zsh\t\n");
	expect_out(ctl(d, "completion", "bash", NULL),
	    expect_ran(ctl(d, "--print", "bash", NULL), 0)->out);
	expect_ran(ctl(d, "completion", "csh", NULL), 2);
}
END_TEST

SUITE(ctl_commands)
{
	tcase_add_test(tests, status_says_which_daemon_and_what_is_not_settled);
	tcase_add_test(tests, a_pool_is_made_shown_and_dropped);
	tcase_add_test(tests, what_was_dumped_makes_another_daemon_the_same);
	tcase_add_test(tests, a_node_that_moves_keeps_its_keys);
	tcase_add_test(tests, one_node_is_shown_whole);
	tcase_add_test(tests, several_keys_are_answered_at_one_epoch_in_their_order);
	tcase_add_test(tests, placements_are_compared_and_traces_simulated);
	tcase_add_test(tests, a_mistyped_command_is_answered_with_the_nearest);
	tcase_add_test(tests, short_options_are_the_long_ones);
	tcase_add_test(tests, shells_learn_nodes_pools_and_plans);
}
