/*
 * The real hrwctl against the real daemon: what it shows, what it asks, and how
 * it ends. The terminal's part stands in ctl_terminal_test.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

#define DRAINED                                                                                    \
	"drain cache-c\n"                                                                          \
	"pool default, epoch 1 to 2, 2 copies\n"                                                   \
	"\n"                                                                                       \
	"NODE     BEFORE  AFTER  GAINS  LOSES\n"                                                   \
	"cache-a      14     17      3      0\n"                                                   \
	"cache-b      11     16      5      0\n"                                                   \
	"cache-c      13      0      0     13\n"                                                   \
	"cache-d      10     15      5      0\n"                                                   \
	"\n"                                                                                       \
	"24 stored keys: 13 change holders\n"                                                      \
	"owners changed: 4, cold: 0\n"                                                             \
	"keys without a source: 0\n"                                                               \
	"13 copies are to be made\n"                                                               \
	"\n"                                                                                       \
	"LOST \\ GAINED  cache-a  cache-b  cache-d\n"                                              \
	"cache-c              3        5        5\n"

static void
write_file(const struct daemon *d, const char *name, const char *content)
{
	daemon_write(d, name, content, strlen(content));
}

START_TEST(lookups_are_shown_as_they_are)
{
	struct daemon *d = fleet_with_photos();

	expect_out(expect_ran(ctl(d, "owner", "photo-7", NULL), 0), "cache-d  10.0.0.4:11211\n");
	expect_out(expect_ran(ctl(d, "replicas", "photo-7", NULL), 0),
	    "NODE     ADDRESS         ZONE  READ\n"
	    "cache-d  10.0.0.4:11211  -     warm\n"
	    "cache-a  10.0.0.1:11211  -     warm\n");
	expect_out(expect_ran(ctl(d, "nodes", NULL), 0),
	    "NODE     ADDRESS         STATE   WEIGHT   SHARE  ZONE\n"
	    "cache-a  10.0.0.1:11211  active       1  25.0 %  -\n"
	    "cache-b  10.0.0.2:11211  active       1  25.0 %  -\n"
	    "cache-c  10.0.0.3:11211  active       1  25.0 %  -\n"
	    "cache-d  10.0.0.4:11211  active       1  25.0 %  -\n");
	ck_assert_ptr_nonnull(strstr(
	    expect_ran(ctl(d, "explain", "photo-7", NULL), 0)->out, "2441075413  1.769895 "));
	ck_assert_ptr_nonnull(
	    strstr(expect_ran(ctl(d, "pools", NULL), 0)->out, "default      1  rendezvous"));
}
END_TEST

START_TEST(a_plan_is_shown_as_tables_and_changes_nothing)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r = expect_ran(ctl(d, "plan", "--drain", "cache-c", NULL), 0);

	ck_assert_msg(strncmp(r->out, DRAINED, strlen(DRAINED)) == 0, "%s", r->out);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
}
END_TEST

START_TEST(the_plan_that_was_shown_is_the_one_that_is_applied)
{
	struct daemon *d = fleet_with_photos();
	struct answer *history;

	expect_out(
	    expect_ran(ctl(d, "drain", "cache-c", "--yes", "--reason", "new disks", NULL), 0),
	    DRAINED "\napplied: epoch 2\n");
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
	history = get(d->admin, "/history");
	expect(history, "history[0].reason", "'new disks'");
	expect(history, "history[0].outcome", "'applied'");
	/* Once more: it is so already. */
	expect_out(expect_ran(ctl(d, "drain", "cache-c", "--yes", NULL), 0),
	    "already so: nothing is changed\n");
	expect_out(
	    expect_ran(ctl(d, "drain", "cache-c", NULL), 0), "already so: nothing is changed\n");
	ck_assert_int_eq(epoch_of(d, "default"), 2);
}
END_TEST

START_TEST(without_a_terminal_nothing_is_changed_but_with_yes)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r = expect_ran(ctl_with(d, "y\n", "drain", "cache-c", NULL), 2);

	expect_out(r, DRAINED);
	ck_assert_ptr_nonnull(strstr(r->err, "--yes"));
	ck_assert_int_eq(epoch_of(d, "default"), 1);
}
END_TEST

START_TEST(a_refused_change_says_which_force_would_do)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r = expect_ran(ctl(d, "remove", "cache-a", "--yes", NULL), 1);

	ck_assert_ptr_nonnull(strstr(r->out, "it would be refused: \"cache-a\" is active"));
	ck_assert_ptr_nonnull(strstr(r->err, "--force not-draining"));
	ck_assert_int_eq(epoch_of(d, "default"), 1);
	expect_ran(ctl(d, "remove", "cache-a", "--yes", "--force", "keys-at-risk", NULL), 1);
	expect_ran(ctl(d, "remove", "cache-a", "--yes", "--force", "not-draining", NULL), 0);
	ck_assert_int_eq(epoch_of(d, "default"), 2);
}
END_TEST

START_TEST(a_plan_for_a_pool_that_moved_on_is_a_conflict)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r =
	    expect_ran(ctl(d, "drain", "cache-c", "--dry-run", "--output", "json", NULL), 0);
	cJSON *report = kept(cJSON_Parse(r->out));
	const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(report, "plan"));

	ck_assert_ptr_nonnull(id);
	expect_ran(ctl(d, "reweight", "cache-a", "2", "--yes", NULL), 0);
	r = expect_ran(ctl(d, "plan", "apply", id, "--yes", NULL), 4);
	ck_assert_ptr_nonnull(strstr(r->err, "(stale-epoch)"));
	ck_assert_str_eq(state_of(d, "cache-c"), "active");
}
END_TEST

START_TEST(a_kept_plan_is_shown_listed_and_applied)
{
	struct daemon *d = fleet_with_photos();
	struct answer *plan = post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}");
	const char *id = text_at(plan, "plan");
	struct ran *r;

	expect_out(expect_ran(ctl(d, "plan", "show", id, NULL), 0), DRAINED);
	expect_out(expect_ran(ctl(d, "plan", "show", id, "--watch", NULL), 0), DRAINED);
	r = expect_ran(ctl(d, "plans", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->out, id));
	ck_assert_ptr_nonnull(strstr(r->out, "dry_run  done     13     0  drain cache-c\n"));
	expect_out(
	    expect_ran(ctl(d, "plan", "changes", id, "--csv", "--gained", "cache-a", NULL), 0),
	    "key,key_base64,lost,gained,from\r\n"
	    "photo-12,,cache-c,cache-a,cache-b\r\n"
	    "photo-17,,cache-c,cache-a,cache-b\r\n"
	    "photo-22,,cache-c,cache-a,cache-d\r\n");
	expect_out(expect_ran(ctl(d, "plan", "apply", id, "--yes", NULL), 0),
	    DRAINED "\napplied: epoch 2\n");
	expect_ran(ctl(d, "plan", "show", "none", NULL), 1);
}
END_TEST

START_TEST(nobody_there_is_said_with_the_address_and_how_to_change_it)
{
	struct ran *r = expect_ran(ctl(NULL, "--admin", "127.0.0.1:1", "nodes", NULL), 3);

	ck_assert_ptr_nonnull(strstr(r->err, "127.0.0.1:1 (Connection refused)"));
	ck_assert_ptr_nonnull(strstr(r->err, "--admin"));
	ck_assert_ptr_nonnull(strstr(r->err, "HRW_ADMIN"));
	r = expect_ran(ctl(NULL, "--admin", "unix:/nowhere/hrwd.sock", "nodes", NULL), 3);
	ck_assert_ptr_nonnull(strstr(r->err, "unix:/nowhere/hrwd.sock"));
}
END_TEST

/* Each is wrong use: it ends with 2, and asks no daemon. */
static const char *const wrong[][6] = {
    {NULL},
    {"nonsense"},
    {"--nonsense"},
    {"owner"},
    {"owner", "a", "--yes"},
    {"nodes", "--output", "xml"},
    {"drain"},
    {"keys"},
    {"keys", "put", "/nowhere/keys"},
    {"keys", "import", "mysql", "-"},
    {"add", "cache-e"},
    {"reweight", "cache-a", "heavy"},
    {"revert", "yesterday"},
    {"plan"},
    {"plan", "file", "--drain", "a"},
    {"plan", "--add", "a,weight"},
    {"plan", "--reweight", "a"},
    {"drain", "a", "--force", "everything"},
    {"replicas", "a", "--copies", "0"},
    {"apply", "/nowhere/pool.json"},
    {"token", "ops", "root"},
    {"token", "two words", "read"},
    {"--token-file", "/nowhere/token", "nodes"},
    {"drain", ""},
    {"drain", "cache-a", ""},
    {"add", "", "h:1"},
    {"add", "cache-e", ""},
    {"reweight", "cache-a", ""},
    {"plan", "show", ""},
    {"plan", ""},
    {"keys", "put", ""},
    {"token", "ops", "read", ""},
    {"help", "nonsense"},
    {"keys", "nonsense", "--help"},
    {"pool", "add"},
    {"pool", "drop"},
    {"pool", "add", "web", "--placement", "{"},
    {"address", "cache-a"},
    {"zone", "cache-a", ""},
    {"compare"},
    {"compare", "{\"name\":"},
    {"simulate"},
    {"simulate", "/nowhere/trace"},
    {"completion"},
    {"completion", "csh"},
    {"keys", "import", "memcached", "/dev/null", "--no-raw"},
    {"keys", "put", "/dev/null", "--crlf", "--format=json"},
    {"nodes", "a", "b"},
    {"nodes", "-x"},
    {"--timeout=0", "nodes"},
    {"--admin", "a b", "nodes"},
};

/* What a user gives can end no request and begin no other, wherever it goes: in a
 * header, a path, an address. */
START_TEST(no_text_of_the_users_becomes_a_request_of_its_own)
{
	static const char *const breaks[] = {"\r\n", "\n", "\r"};
	struct daemon *d = fleet_with_photos();
	struct ran *r;

	write_file(d, "keys", "a\n");
	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		const char *line = breaks[i];
		const char *evil = text("x%s%sPOST /nodes/cache-a/drain HTTP/1.1%sHost: "
					"localhost%sContent-Length: 0%s%s",
		    line, line, line, line, line, line);
		const struct {
			const char *words[6];
			int status;
		} rows[] = {
		    {{"drain", "cache-c", "--yes", "--reason", evil}, 2},
		    {{"keys", "put", daemon_path(d, "keys"), "--reason", evil}, 2},
		    {{"settle", "--reason", evil, "--yes"}, 2},
		    {{"nodes", "--admin", text("%s/%s", d->admin, evil)}, 2},
		    {{"drain", evil, "--yes"}, 1},
		    {{"nodes", "--pool", evil}, 1},
		    {{"settle", "--pool", evil, "--yes"}, 1},
		    {{"owner", evil}, 0},
		    {{"plan", "show", evil}, 1},
		    {{"plan", "--add", evil}, 1},
		    {{"keys", "put", evil}, 2},
		    {{"nodes", "--token-file", evil}, 2},
		};

		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
			const char *const *w = rows[k].words;

			expect_ran(
			    ctl(d, w[0], w[1], w[2], w[3], w[4], w[5], NULL), rows[k].status);
			ck_assert_int_eq(epoch_of(d, "default"), 1);
		}
		setenv("HRW_TOKEN", evil, 1);
		expect_ran(ctl(d, "nodes", NULL), 2);
		unsetenv("HRW_TOKEN");
		/* Of a file, its first line is the token. */
		write_file(d, "token", evil);
		expect_ran(ctl(d, "nodes", "--token-file", daemon_path(d, "token"), NULL), 0);
		ck_assert_int_eq(epoch_of(d, "default"), 1);
	}
	expect(get(d->admin, "/keys/stats"), "keys", "24");
	/* It is said before anybody is asked, and how a commit gives one line. */
	r = expect_ran(ctl(NULL, "--admin", "127.0.0.1:1", "drain", "cache-c", "--reason",
			   "new disks\n\nThe old ones fail.", NULL),
	    2);
	ck_assert_ptr_nonnull(strstr(r->err, "no line break"));
	ck_assert_ptr_nonnull(strstr(r->err, "--format=%s"));
	/* Any other text arrives as it is. */
	expect_ran(ctl(d, "drain", "cache-c", "--yes", "--reason",
		       "d\xc3\xa9j\xc3\xa0 vu: 50 % \"old\", it's so\\n", NULL),
	    0);
	expect(get(d->admin, "/history"), "history[0].reason",
	    "'d\xc3\xa9j\xc3\xa0 vu: 50 % \\\"old\\\", it\\u0027s so\\\\n'");
}
END_TEST

START_TEST(a_step_in_a_path_is_a_name_like_any_other)
{
	struct daemon *d = fleet_start();
	static const char *const names[] = {".", "..", "a/../cache-c", "../cache-c", "%2e%2e"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ran *r = expect_ran(ctl(d, "drain", names[i], "--yes", NULL), 1);

		ck_assert_msg(strstr(r->err, "(unknown-node)") != NULL ||
				  strstr(r->err, "(bad-server)") != NULL,
		    "%s", r->err);
	}
	ck_assert_int_eq(epoch_of(d, "default"), 1);
}
END_TEST

START_TEST(wrong_use_ends_with_two_and_says_why)
{
	const char *const *w = wrong[_i];
	struct ran *r = ctl(NULL, "--admin", "127.0.0.1:1", w[0], w[1], w[2], w[3], w[4], NULL);

	if (_i == 0)
		r = ctl(NULL, "--admin", "127.0.0.1:1", NULL);
	else if (strcmp(w[0], "--admin") == 0)
		r = ctl(NULL, w[0], w[1], w[2], NULL);
	expect_ran(r, 2);
	ck_assert_int_eq(strncmp(r->err, "hrwctl: ", 8), 0);
	ck_assert_str_eq(strchr(r->err, '\n'), "\n");
	expect_out(r, "");
}
END_TEST

START_TEST(exit_code_tells_what_a_dry_run_came_to)
{
	struct daemon *d = fleet_with_photos();

	expect_ran(ctl(d, "drain", "cache-c", "--dry-run", NULL), 0);
	expect_ran(ctl(d, "drain", "cache-c", "--dry-run", "--exit-code", NULL), 5);
	expect_ran(ctl(d, "plan", "--drain", "cache-c", "--exit-code", NULL), 5);
	expect_ran(ctl(d, "activate", "cache-c", "--dry-run", "--exit-code", NULL), 0);
	expect_ran(ctl(d, "remove", "cache-c", "--dry-run", NULL), 0);
	expect_ran(ctl(d, "remove", "cache-c", "--dry-run", "--exit-code", NULL), 1);
	expect_ran(ctl(d, "drain", "cache-z", "--dry-run", "--exit-code", NULL), 1);
	ck_assert_int_eq(epoch_of(d, "default"), 1);
}
END_TEST

START_TEST(every_kind_of_change_can_be_made)
{
	struct daemon *d = fleet_with_photos();
	long epoch = 1;
	static const char *const rows[][5] = {
	    {"add", "cache-e", "10.0.0.5:11211"},
	    {"activate", "cache-e"},
	    {"reweight", "cache-e", "2.5"},
	    {"rejoin", "cache-e"},
	    {"drain", "cache-e", "cache-d", "--force=keys-at-risk"},
	    {"settle", NULL},
	    {"remove", "cache-e", "cache-d"},
	    {"change", "--add", "cache-f,address=10.0.0.6:11211,weight=3,zone=r1", "--copies", "1"},
	    {"revert", "1", "--force=not-draining", "--force=keys-at-risk"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *w = rows[i];
		struct ran *r = w[1] == NULL ? ctl(d, "--yes", w[0], NULL)
					     : ctl(d, "--yes", w[0], w[1], w[2], w[3], w[4], NULL);

		/* Removing what drained leaves nothing to settle. */
		epoch += strstr(r->out, "already so") == NULL;
		expect_ran(r, 0);
		ck_assert_msg(epoch_of(d, "default") == epoch, "%s: %s", r->what, r->out);
	}
	write_file(d, "change.json", "{ \"drain\": [\"cache-c\"] /* the old one */ }");
	expect_ran(ctl(d, "change", daemon_path(d, "change.json"), "--yes", NULL), 0);
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
	expect_ran(ctl_with(d, "{\"activate\":[\"cache-c\"]}", "change", "-", "--yes", NULL), 0);
	ck_assert_str_eq(state_of(d, "cache-c"), "active");
}
END_TEST

START_TEST(a_declared_pool_is_made_once_and_then_is_so_already)
{
	struct daemon *d = fleet_start();
	const char *path = daemon_path(d, "web.json");

	write_file(d, "web.json",
	    "{ // declared\n\"name\":\"web\",\"copies\":2,\"nodes\":["
	    "{\"name\":\"a\",\"address\":\"h:1\"},{\"name\":\"b\",\"address\":\"h:2\"}]}");
	expect_ran(ctl(d, "apply", path, "--dry-run", "--exit-code", NULL), 5);
	expect_ran(ctl(d, "apply", path, "--yes", NULL), 0);
	ck_assert_int_eq(epoch_of(d, "web"), 1);
	expect_out(expect_ran(ctl(d, "apply", path, NULL), 0), "already so: nothing is changed\n");
	expect_ran(ctl(d, "apply", path, "--dry-run", "--exit-code", NULL), 0);
	/* Another file for it, by --pool; a node left out must drain first. */
	write_file(
	    d, "web2.json", "{\"copies\":2,\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"}]}");
	path = daemon_path(d, "web2.json");
	expect_ran(ctl(d, "apply", path, "--pool", "web", "--yes", NULL), 1);
	expect_ran(
	    ctl(d, "apply", path, "--pool", "web", "--yes", "--force", "not-draining", NULL), 0);
	ck_assert_int_eq(epoch_of(d, "web"), 2);
}
END_TEST

START_TEST(json_is_what_the_daemon_says)
{
	struct daemon *d = fleet_with_photos();
	static const char *const rows[][6] = {
	    {"owner", "photo-7"},
	    {"replicas", "photo-7", "--copies", "3"},
	    {"explain", "photo-7"},
	    {"nodes", "--pool=default"},
	    {"pools", "--verbose"},
	    {"plans", "--limit=3"},
	    {"history", "--limit=3"},
	    {"keys", "get"},
	    {"keys", "stats"},
	    {"plan", "--drain", "cache-c"},
	    {"drain", "cache-c", "--dry-run"},
	    {"drain", "cache-c", "--yes"},
	    {"drain", "cache-c", "--yes"},
	    {"remove", "cache-a", "--yes"},
	    {"owner", ""},
	    {"owner", "a", "b"},
	    {"nodes", "cache-b"},
	    {"status"},
	    {"pool", "show"},
	    {"pool", "add", "web", "--yes"},
	    {"pool", "drop", "web", "--yes"},
	    {"address", "cache-b", "h:1", "--yes"},
	    {"zone", "cache-b", "r1", "--dry-run"},
	    {"compare", "ring"},
	    {"token", "ops", "read"},
	};
	struct ran *r;
	cJSON *json;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *w = rows[i];

		r = ctl(d, "--output", "json", w[0], w[1], w[2], w[3], NULL);
		json = cJSON_Parse(r->out);
		ck_assert_msg(json != NULL, "%s: %s%s", r->what, r->out, r->err);
		kept(json);
		/* One line, ended once. */
		ck_assert_msg(strchr(r->out, '\n') == r->out + strlen(r->out) - 1, "%s: \"%s\"",
		    r->what, r->out);
	}
	r = expect_ran(ctl(d, "--output", "json", "activate", "cache-c", "--yes", NULL), 0);
	json = kept(cJSON_Parse(r->out));
	ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(json, "outcome")), "applied");
	ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(json, "state")), "done");
	r = expect_ran(ctl(d, "--output", "json", "activate", "cache-c", NULL), 0);
	json = kept(cJSON_Parse(r->out));
	ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(json, "outcome")), "unchanged");
}
END_TEST

START_TEST(keys_go_to_the_daemon_and_come_back)
{
	struct daemon *d = fleet_start();
	struct ran *r;

	write_file(d, "keys", "b\na\nb\n");
	expect_out(expect_ran(ctl(d, "keys", "put", daemon_path(d, "keys"), NULL), 0),
	    "pool default: 2 keys, 2 added, 0 removed\n");
	expect_out(expect_ran(ctl_with(d, "c", "keys", "add", "-", NULL), 0),
	    "pool default: 3 keys, 1 added, 0 removed\n");
	expect_out(expect_ran(ctl(d, "keys", "get", NULL), 0), "a\nb\nc\n");
	expect_ran(ctl_with(d, "[\"x\",{\"key_base64\":\"/w==\"}]", "keys", "put", "-", "--format",
		       "json", NULL),
	    0);
	expect_out(expect_ran(ctl(d, "keys", "get", "--format", "ndjson", NULL), 0),
	    "\"x\"\n{\"key_base64\":\"/w==\"}\n");
	expect_ran(ctl_with(d, "key=a%20b exp=-1\r\nkey=%ff exp=0\r\nEND\r\n", "keys", "import",
		       "memcached", "-", NULL),
	    0);
	expect_out(expect_ran(ctl(d, "keys", "get", "--format", "ndjson", NULL), 0),
	    "\"a b\"\n{\"key_base64\":\"/w==\"}\n");
	expect_out(expect_ran(ctl_with(d, "say \"hi\"\nplain\n", "keys", "import", "redis", "-",
				  "--extend", NULL),
		       0),
	    "pool default: 4 keys, 2 added, 0 removed\n");
	/* A line that is none undoes it all, and says where it stands. */
	r = expect_ran(
	    ctl_with(d, "key=z exp=0\nERROR\n", "keys", "import", "memcached", "-", NULL), 2);
	ck_assert_ptr_nonnull(strstr(r->err, "line 2"));
	r = expect_ran(ctl_with(d, "z\n\n", "keys", "put", "-", NULL), 1);
	ck_assert_ptr_nonnull(strstr(r->err, "line 2"));
	expect_out(expect_ran(ctl(d, "keys", "stats", NULL), 0), "pool default: 4 keys\n");
}
END_TEST

/* A report without what only a kept one has, and with where the keys came from
 * aside. */
static char *
bare(const char *report)
{
	cJSON *json = kept(cJSON_Parse(report));
	cJSON *keys = cJSON_GetObjectItem(json, "keys");

	ck_assert_msg(json != NULL, "%s", report);
	cJSON_DeleteItemFromObject(json, "plan");
	cJSON_DeleteItemFromObject(json, "changes_url");
	/* Without a daemon there is no history that would tell. */
	cJSON_DeleteItemFromObject(json, "leftovers");
	cJSON_DeleteItemFromObject(keys, "source");
	cJSON_DeleteItemFromObject(keys, "generation");
	return kept(cJSON_Print(json));
}

START_TEST(a_plan_without_a_daemon_is_the_daemons_own)
{
	struct daemon *d = fleet_with_photos();
	const char *pool = daemon_path(d, "pool.json"), *keys = daemon_path(d, "keys");
	struct ran *off, *on;

	write_file(d, "keys", text("%sphoto-1\n", photos())); /* one twice */
	/* Unsettled, so that warmth counts. */
	expect_ran(
	    ctl(d, "add", "cache-e", "10.0.0.5:11211", "--weight", "2", "--joining", "--yes", NULL),
	    0);
	for (int i = 0; i < 2; i++) {
		write_file(d, "pool.json", get(d->lookup, "/pools/default")->body);
		on = expect_ran(ctl(d, "--output", "json", "plan", "--drain", "cache-b", "--drain",
				    "cache-c", "--add", "cache-x,weight=3", NULL),
		    0);
		off = expect_ran(ctl(NULL, "--output", "json", "plan", "--offline", pool, "--drain",
				     "cache-b", "--drain", "cache-c", "--add", "cache-x,weight=3",
				     i == 0 ? "--keys" : NULL, keys, NULL),
		    0);
		ck_assert_str_eq(bare(off->out), bare(on->out));
		ck_assert_ptr_nonnull(strstr(off->out, "\"plan\":null"));
		ck_assert_ptr_nonnull(strstr(off->out, "\"keys-at-risk\""));
		/* The second time no key is known, and both estimate. */
		expect_status(del(d->admin, "/keys"), 200);
	}
}
END_TEST

START_TEST(a_plan_without_a_daemon_reads_a_configuration_and_finds_its_faults)
{
	struct daemon *d = fleet_start();
	const char *path = daemon_path(d, "hrwd.json");
	struct ran *r;

	write_file(d, "keys", photos());
	r = expect_ran(ctl(NULL, "plan", "--offline", path, "--keys", daemon_path(d, "keys"),
			   "--drain", "cache-c", "--exit-code", NULL),
	    5);
	ck_assert_ptr_nonnull(strstr(r->out, "24 given keys: 13 change holders\n"));
	r = expect_ran(ctl(NULL, "plan", "--offline", path, "--drain", "cache-z", NULL), 1);
	ck_assert_ptr_nonnull(strstr(r->err, "(unknown-node)"));
	expect_ran(
	    ctl(NULL, "plan", "--offline", path, "--pool", "web", "--drain", "cache-c", NULL), 2);
	write_file(d, "bad.json", "{\"nodes\":[{\"name\":\"UP\",\"address\":\"h:1\"}]}");
	r = expect_ran(
	    ctl(NULL, "plan", "--offline", daemon_path(d, "bad.json"), "--drain", "a", NULL), 2);
	ck_assert_ptr_nonnull(strstr(r->err, "UP"));
	write_file(d, "keys", "a\n\n");
	r = expect_ran(ctl(NULL, "plan", "--offline", path, "--keys", daemon_path(d, "keys"),
			   "--drain", "cache-c", NULL),
	    2);
	ck_assert_ptr_nonnull(strstr(r->err, "line 2"));
}
END_TEST

START_TEST(a_token_that_was_made_here_is_taken_by_the_daemon)
{
	struct ran *r =
	    expect_ran(ctl(NULL, "--output", "json", "token", "ops", "operate", NULL), 0);
	cJSON *json = kept(cJSON_Parse(r->out));
	const char *token = cJSON_GetStringValue(cJSON_GetObjectItem(json, "token"));
	const char *line = cJSON_GetStringValue(cJSON_GetObjectItem(json, "line"));
	struct daemon *d =
	    fleet_with_tokens("\"auth\":{\"tokens\":\"$DIR/tokens\"},", text("%s\n", line));
	const char *path;

	daemon_launch(d);
	write_file(d, "token", text("%s\n", token));
	path = daemon_path(d, "token");
	r = expect_ran(ctl(d, "nodes", NULL), 1);
	ck_assert_ptr_nonnull(strstr(r->err, "this needs a token (unauthorized): --token-file"));
	expect_ran(ctl(d, "nodes", "--token-file", path, NULL), 0);
	r = expect_ran(
	    ctl(d, "drain", "cache-c", "--yes", "--token-file", path, "--verbose", NULL), 0);
	ck_assert_ptr_null(strstr(r->err, token));
	expect_ran(
	    ctl(d, "add", "cache-e", "h:1", "--yes", "--token-file", path, NULL), 1); /* its role */
	setenv("HRW_TOKEN", token, 1);
	r = expect_ran(ctl(d, "settle", "--yes", "--verbose", NULL), 0);
	ck_assert_ptr_null(strstr(r->err, token));
	setenv("HRW_TOKEN", "two words", 1);
	expect_ran(ctl(d, "nodes", NULL), 2);
	unsetenv("HRW_TOKEN");
}
END_TEST

START_TEST(a_unix_socket_is_an_address_like_any_other)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"listen\":{\"lookup\":\"127.0.0.1:0\",\"admin\":\"unix:$DIR/admin\"},"),
	    NULL);
	struct ran *r;

	expect_ran(ctl(d, "drain", "cache-c", "--yes", NULL), 0);
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
	r = expect_ran(ctl(d, "nodes", "--verbose", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->err, "curl --unix-socket '"));
}
END_TEST

START_TEST(bytes_of_a_name_never_reach_the_terminal)
{
	struct daemon *d = fleet_start();
	struct ran *r = expect_ran(ctl(d, "drain", "a\x1b[31m\nb", "--yes", NULL), 1);

	ck_assert_ptr_null(strchr(r->err, '\x1b'));
	ck_assert_str_eq(strchr(r->err, '\n'), "\n");
	ck_assert_ptr_nonnull(strstr(r->err, "\\x1b[31m"));
}
END_TEST

START_TEST(what_is_no_hrwd_is_called_so)
{
	struct daemon *d = fleet_start();
	struct ran *r =
	    expect_ran(ctl(NULL, "--admin", text("%s/nowhere", d->admin), "nodes", NULL), 1);

	ck_assert_ptr_nonnull(strstr(r->err, "(unknown-path)"));
}
END_TEST

START_TEST(shells_learn_what_a_word_can_become)
{
	struct daemon *d = fleet_start();

	expect_out(ctl(d, "--print", "words", "--", "pla", NULL),
	    "plan\twhat a change would do, of a file or options\n"
	    "plans\tkept plans, newest first\n");
	expect_out(ctl(d, "--print", "words", "--", "plan", "s", NULL), "show\ta plan's report\n");
	expect_out(ctl(d, "--print", "words", "--", "drain", "cache-a", "cache-b", NULL),
	    "cache-b\tactive\n");
	expect_out(ctl(d, "--print", "words", "--", "drain", "--fo", NULL),
	    "--force\toverride this guard, and no other; may be repeated\n");
	expect_out(ctl(d, "--print", "words", "--", "--output", "", NULL), "text\t\njson\t\n");
	expect_out(ctl(d, "--print", "words", "--", "plan", "--drain", "cache-d", NULL),
	    "cache-d\tactive\n");
	expect_out(ctl(d, "--print", "words", "--", "token", "ops", "a", NULL), "admin\t\n");
	expect_out(
	    ctl(NULL, "--print", "words", "--", "--admin", "127.0.0.1:1", "drain", "", NULL), "");
}
END_TEST

START_TEST(bash_reads_its_script)
{
	struct daemon *d = fleet_start();
	struct ran *r = expect_ran(ctl(NULL, "--print", "bash", NULL), 0);

	write_file(d, "completion", r->out);
	ck_assert_int_eq(system(text("bash -n %s", daemon_path(d, "completion"))), 0);
}
END_TEST

SUITE(ctl)
{
	tcase_add_test(tests, lookups_are_shown_as_they_are);
	tcase_add_test(tests, a_plan_is_shown_as_tables_and_changes_nothing);
	tcase_add_test(tests, the_plan_that_was_shown_is_the_one_that_is_applied);
	tcase_add_test(tests, without_a_terminal_nothing_is_changed_but_with_yes);
	tcase_add_test(tests, a_refused_change_says_which_force_would_do);
	tcase_add_test(tests, a_plan_for_a_pool_that_moved_on_is_a_conflict);
	tcase_add_test(tests, a_kept_plan_is_shown_listed_and_applied);
	tcase_add_test(tests, nobody_there_is_said_with_the_address_and_how_to_change_it);
	tcase_add_test(tests, no_text_of_the_users_becomes_a_request_of_its_own);
	tcase_add_test(tests, a_step_in_a_path_is_a_name_like_any_other);
	tcase_add_loop_test(tests, wrong_use_ends_with_two_and_says_why, 0,
	    (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_test(tests, exit_code_tells_what_a_dry_run_came_to);
	tcase_add_test(tests, every_kind_of_change_can_be_made);
	tcase_add_test(tests, a_declared_pool_is_made_once_and_then_is_so_already);
	tcase_add_test(tests, json_is_what_the_daemon_says);
	tcase_add_test(tests, keys_go_to_the_daemon_and_come_back);
	tcase_add_test(tests, a_plan_without_a_daemon_is_the_daemons_own);
	tcase_add_test(tests, a_plan_without_a_daemon_reads_a_configuration_and_finds_its_faults);
	tcase_add_test(tests, a_token_that_was_made_here_is_taken_by_the_daemon);
	tcase_add_test(tests, a_unix_socket_is_an_address_like_any_other);
	tcase_add_test(tests, bytes_of_a_name_never_reach_the_terminal);
	tcase_add_test(tests, what_is_no_hrwd_is_called_so);
	tcase_add_test(tests, shells_learn_what_a_word_can_become);
	tcase_add_test(tests, bash_reads_its_script);
}
