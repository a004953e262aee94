/*
 * Who may ask for what: every route and every task by every role.
 */
#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

#define AUTH "\"auth\":{\"tokens\":\"$DIR/tokens\"},"

static const char *const roles[] = {"", "read", "plan", "operate", "admin"};
enum { NOBODY, READ, PLAN, OPERATE, ADMIN, ROLES };

static struct daemon *
start(const char *lines)
{
	struct daemon *d = fleet_with_tokens(AUTH, lines);

	daemon_launch(d);
	return d;
}

/* The whole table: what is asked, and the least role that may ask it. Where it
 * comes to a 404 or 409 for those who may, that is as good. */
static const struct {
	const char *method, *path, *body;
	int least;
} rows[] = {
    {"GET", "/livez", NULL, NOBODY},
    {"GET", "/readyz", NULL, NOBODY},
    {"GET", "/version", NULL, NOBODY},
    {"GET", "/metrics", NULL, READ},
    {"GET", "/status", NULL, READ},
    {"GET", "/backup", NULL, ADMIN},
    {"GET", "/openapi.json", NULL, READ},
    {"GET", "/owner?key=a", NULL, READ},
    {"HEAD", "/owner?key=a", NULL, READ},
    {"GET", "/replicas?key=a", NULL, READ},
    {"GET", "/explain?key=a", NULL, READ},
    {"POST", "/owners", "a\nb\n", READ},
    {"GET", "/nodes", NULL, READ},
    {"GET", "/nodes/cache-a", NULL, READ},
    {"GET", "/nodes/cache-a/removable", NULL, READ},
    {"GET", "/pools", NULL, READ},
    {"GET", "/pools/default", NULL, READ},
    {"GET", "/v1/pools/default?epoch=1", NULL, READ},
    {"GET", "/watch?heartbeat=0", NULL, READ}, /* else it would not end */
    {"HEAD", "/watch", NULL, READ},
    {"GET", "/copies", NULL, READ},
    {"GET", "/keys", NULL, READ},
    {"GET", "/keys/stats", NULL, READ},
    {"GET", "/plans", NULL, READ},
    {"GET", "/plans/none", NULL, READ},
    {"GET", "/plans/none/changes", NULL, READ},
    {"GET", "/history", NULL, READ},
    {"PUT", "/keys", "a\n", PLAN},
    {"POST", "/keys", "b\n", PLAN},
    {"DELETE", "/keys", NULL, PLAN},
    {"POST", "/plan", "{\"remove\":[\"cache-a\"]}", PLAN},
    {"POST", "/plan?force=not-draining", "{\"remove\":[\"cache-a\"]}", PLAN},
    {"POST", "/compare", "{\"placements\":[\"ring\"],\"keys\":[\"a\"]}", PLAN},
    {"POST", "/simulate?leave=cache-a@1", "a\nb\n", PLAN},
    {"POST", "/plans/none/apply", NULL, PLAN},
    {"POST", "/nodes/cache-c/drain?dry_run=true", NULL, PLAN},
    {"POST", "/nodes/cache-c/activate?dry_run=true", NULL, PLAN},
    {"POST", "/nodes/cache-c/rejoin?dry_run=true", NULL, PLAN},
    {"DELETE", "/nodes/cache-c?dry_run=true", NULL, PLAN},
    {"DELETE", "/nodes/cache-c?dry_run=true&force=not-draining", NULL, PLAN},
    {"POST", "/nodes?dry_run=true", "{\"name\":\"cache-e\",\"address\":\"h:1\"}", PLAN},
    {"PUT", "/nodes/cache-e?dry_run=true", "{\"address\":\"h:1\"}", PLAN},
    {"PATCH", "/nodes/cache-a?dry_run=true", "{\"zone\":\"r2\"}", PLAN},
    {"PUT", "/nodes?dry_run=true", "[]", PLAN},
    {"POST", "/changes?dry_run=true", "{\"copies\":1}", PLAN},
    {"PUT", "/pools/other?dry_run=true", "{\"nodes\":[]}", PLAN},
    {"PATCH", "/pools/default?dry_run=true", "{\"copies\":1}", PLAN},
    {"DELETE", "/pools/default?dry_run=true", NULL, PLAN},
    {"POST", "/pools/default/settle?dry_run=true", NULL, PLAN},
    {"POST", "/pools/default/revert?dry_run=true", "{\"to\":1}", PLAN},
    {"POST", "/nodes/cache-c/drain", NULL, OPERATE},
    {"POST", "/nodes/cache-c/rejoin", NULL, OPERATE},
    {"POST", "/nodes/cache-c/activate", NULL, OPERATE},
    {"POST", "/pools/default/settle", NULL, OPERATE},
    {"PATCH", "/nodes/cache-a", "{\"weight\":2}", OPERATE},
    {"PATCH", "/nodes/cache-a", "{\"weight\":null}", OPERATE},
    {"PATCH", "/nodes/cache-a?settle=later", "{\"weight\":2}", OPERATE},
    {"POST", "/changes", "{\"drain\":[\"cache-c\"]}", OPERATE},
    {"POST", "/changes", "{\"activate\":[\"cache-c\"],\"reweight\":{\"cache-a\":3}}", OPERATE},
    {"POST", "/changes", "{\"rejoin\":[\"cache-c\"]}", OPERATE},
    {"POST", "/changes", "{\"patch\":{\"cache-a\":{\"weight\":4}}}", OPERATE},
    {"PATCH", "/nodes/cache-a", "{\"weight\":2,\"zone\":\"r1\"}", ADMIN},
    {"PATCH", "/nodes/cache-a", "{\"address\":\"h:2\"}", ADMIN},
    {"PATCH", "/nodes/cache-a", "{\"zone\":null}", ADMIN},
    {"PATCH", "/nodes/cache-a", "{}", ADMIN},
    {"POST", "/nodes/cache-c/drain?force=keys-at-risk", NULL, ADMIN},
    {"POST", "/pools/default/settle?force=too-much-moved", NULL, ADMIN},
    {"POST", "/nodes", "{\"name\":\"cache-e\",\"address\":\"h:1\"}", ADMIN},
    {"PUT", "/nodes/cache-f", "{\"address\":\"h:1\"}", ADMIN},
    {"PUT", "/nodes/cache-a", "{\"weight\":2}", ADMIN},
    {"DELETE", "/nodes/cache-f", NULL, ADMIN},
    {"DELETE", "/nodes/cache-f?force=not-draining", NULL, ADMIN},
    {"PUT", "/nodes", "[]", ADMIN},
    {"POST", "/changes", "{\"drain\":[\"cache-a\"],\"remove\":[\"cache-b\"]}", ADMIN},
    {"POST", "/changes", "{\"add\":[{\"name\":\"g\",\"address\":\"h:1\"}]}", ADMIN},
    {"POST", "/changes", "{\"copies\":2}", ADMIN},
    {"POST", "/changes", "{\"placement\":\"rendezvous\"}", ADMIN},
    {"POST", "/changes", "{\"patch\":{\"cache-a\":{\"zone\":\"r1\"}}}", ADMIN},
    {"PATCH", "/pools/default", "{\"copies\":2}", ADMIN},
    {"PATCH", "/pools/default", "{\"max_moved\":0.5}", ADMIN},
    {"PATCH", "/pools/default", "{\"placement\":\"rendezvous\"}", ADMIN},
    {"POST", "/pools/default/revert", "{\"to\":1}", ADMIN},
    {"PUT", "/pools/other", "{\"nodes\":[]}", ADMIN},
    {"DELETE", "/pools/default", NULL, ADMIN},
    {"DELETE", "/pools/other?force=pool-not-empty", NULL, ADMIN},
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

static const char *
code_of(const struct answer *a)
{
	const cJSON *code = a->json != NULL ? cJSON_GetObjectItem(a->json, "code") : NULL;

	return code != NULL ? code->valuestring : "";
}

START_TEST(each_row_is_for_its_role_and_those_above)
{
	struct daemon *d = start(token_lines());

	for (int i = 0; i < ROWS; i++) {
		for (int role = NOBODY; role < ROLES; role++) {
			struct answer *a = ask_as(role == NOBODY ? NULL : roles[role], d->admin,
			    rows[i].method, rows[i].path, rows[i].body);
			const char *code = code_of(a);
			long want = role >= rows[i].least ? 0 : role == NOBODY ? 401 : 403;

			if (want == 0)
				ck_assert_msg(a->status != 401 && a->status != 403 &&
						  a->status != 0 && a->status < 500,
				    "%s as \"%s\": %ld %s", a->what, roles[role], a->status,
				    a->body);
			else
				ck_assert_msg(a->status == want &&
						  (a->len == 0 ||
						      strcmp(code, want == 401 ? "unauthorized"
									       : "forbidden") == 0),
				    "%s as \"%s\": %ld %s", a->what, roles[role], a->status,
				    a->body);
		}
	}
	daemon_stop(d);
}
END_TEST

/* "/nodes/cache-c/drain?x" and "/nodes/{name}/drain" alike. */
static int
is_path_of(const char *path, const char *shape)
{
	while (*shape != '\0') {
		if (*shape == '{') {
			shape = strchr(shape, '}') + 1;
			path += strcspn(path, "/?");
		} else if (*shape++ != *path++) {
			return 0;
		}
	}
	return *path == '\0' || *path == '?';
}

START_TEST(the_table_has_every_route_and_the_daemon_says_the_same)
{
	struct daemon *d = start(token_lines());
	struct answer *a =
	    expect_status(ask_as("read", d->admin, "GET", "/openapi.json", NULL), 200);
	const cJSON *path, *method;

	expect(a, "components.securitySchemes.token.scheme", "'bearer'");
	cJSON_ArrayForEach (path, value_at(a->json, "paths")) {
		cJSON_ArrayForEach (method, path) {
			const cJSON *role = cJSON_GetObjectItem(method, "x-role");
			int least = ROLES;

			for (int i = 0; i < ROWS; i++)
				if (strcasecmp(rows[i].method, method->string) == 0 &&
				    is_path_of(rows[i].path, path->string) && rows[i].least < least)
					least = rows[i].least;
			ck_assert_msg(
			    least < ROLES, "no row for %s %s", method->string, path->string);
			ck_assert_str_eq(role != NULL ? role->valuestring : "", roles[least]);
		}
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_token_that_is_missing_or_wrong_is_told_so)
{
	static const char *const headers[] = {
	    NULL,
	    "Authorization: Bearer",
	    "Authorization: Bearer token-of-",
	    "Authorization: Bearer token-of-adm",
	    "Authorization: Bearer token-of-admin1",
	    "Authorization: Bearer Token-of-admin",
	    "Authorization: Bearer token-of-admin token-of-admin",
	    "Authorization: token-of-admin",
	    "Authorization: Basic YWRtaW46dG9rZW4tb2YtYWRtaW4=",
	};
	struct daemon *d = start(token_lines());
	struct answer *a;

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		a = ask(d->admin, "GET", "/nodes", headers[i], NULL);
		expect_refusal(a, 401, "unauthorized", "oken");
		expect_header(a, "WWW-Authenticate", "Bearer");
		/* A path that is not there is not told of either. */
		expect_refusal(
		    ask(d->admin, "GET", "/nowhere", headers[i], NULL), 401, "unauthorized", NULL);
		ck_assert_ptr_null(strstr(a->body, "of-adm"));
	}
	expect_refusal(
	    ask_as("read", d->admin, "GET", "/nowhere", NULL), 404, "unknown-path", NULL);
	expect_refusal(ask_as("plan", d->admin, "POST", "/nodes/cache-c/drain", NULL), 403,
	    "forbidden", "operate|plan|dry_run");
	/* The scheme is a word without case (RFC 9110, 11.1). */
	expect_status(
	    ask(d->admin, "GET", "/nodes", "Authorization: bEARER  token-of-read", NULL), 200);
	a = raw(d->admin, "GET /nodes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n"
			  "Authorization: Bearer token-of-admin\r\n\r\n");
	expect_status(a, 400);
	daemon_stop(d);
}
END_TEST

START_TEST(lookups_ask_for_a_token_only_where_that_is_configured)
{
	struct daemon *d = start(token_lines());

	expect_status(get(d->lookup, "/owner?key=a"), 200);
	expect_status(ask(d->lookup, "GET", "/owner?key=a", "Authorization: Bearer x", NULL), 200);
	daemon_stop(d);
	d = fleet_with_tokens(
	    "\"auth\":{\"tokens\":\"$DIR/tokens\",\"lookup\":true},", token_lines());
	daemon_launch(d);
	expect_refusal(get(d->lookup, "/owner?key=a"), 401, "unauthorized", NULL);
	expect_status(ask_as("read", d->lookup, "GET", "/owner?key=a", NULL), 200);
	expect_status(get(d->lookup, "/livez"), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(the_history_and_the_log_name_the_token_and_never_show_it)
{
	struct daemon *d = fleet_with_tokens(
	    "\"log\":{\"level\":\"debug\"},\"auth\":{\"tokens\":\"$DIR/tokens\"},", token_lines());
	struct answer *a;

	daemon_launch(d);
	expect_status(ask_as("operate", d->admin, "POST", "/nodes/cache-c/drain", NULL), 200);
	expect_status(ask_as("plan", d->admin, "PUT", "/keys", "photo-1\n"), 200);
	expect_refusal(ask_as("operate", d->admin, "POST", "/nodes/cache-d/drain", NULL), 409,
	    "keys-at-risk", NULL);
	expect_refusal(
	    ask_as("nobody", d->admin, "GET", "/nodes", NULL), 401, "unauthorized", NULL);
	a = ask_as("read", d->admin, "GET", "/history", NULL);
	expect(a, "history[0].by", "'operate'");
	expect(a, "history[0].outcome", "'refused'");
	expect(a, "history[1].by", "'plan'");
	expect(a, "history[2].by", "'operate'");
	daemon_wait_log(d, " by=operate peer=127.0.0.1:");
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "keys-at-risk"));
	ck_assert_ptr_nonnull(strstr(daemon_log(d), "keys-put"));
	ck_assert_ptr_null(strstr(daemon_log(d), "token-of-"));
	daemon_stop(d);
}
END_TEST

/* Three pools and tokens bound to some of them. */
static struct daemon *
start_bound(void)
{
	struct daemon *d = start(text("%s%s%s", token_lines(), token_line("img", "admin", "img-*"),
	    token_line("one", "admin", "img-? nothing")));

	expect_status(ask_as("admin", d->admin, "PUT", "/pools/img-a?report=none",
			  "{\"nodes\":[{\"name\":\"n1\",\"address\":\"h:1\"}]}"),
	    201);
	expect_status(ask_as("admin", d->admin, "PUT", "/pools/video?report=none",
			  "{\"nodes\":[{\"name\":\"secret-node\",\"address\":\"h:1\"}]}"),
	    201);
	return d;
}

START_TEST(a_token_bound_to_pools_sees_no_other)
{
	struct daemon *d = start_bound();
	struct answer *a;
	const char *plan;

	expect_status(ask_as("img", d->admin, "PUT", "/pools/img-b?report=none",
			  "{\"nodes\":[{\"name\":\"n2\",\"address\":\"h:1\"}]}"),
	    201);
	a = ask_as("img", d->admin, "GET", "/pools", NULL);
	ck_assert_int_eq(count_at(a, "pools"), 2);
	expect(a, "pools[0].name", "'img-a'");
	expect(a, "pools[1].name", "'img-b'");
	/* A page ends at the last one that is seen, not before. */
	a = ask_as("img", d->admin, "GET", "/pools?limit=1", NULL);
	expect(a, "next", "'img-a'");
	a = ask_as("img", d->admin, "GET", "/pools?limit=1&after=img-a", NULL);
	expect(a, "pools[0].name", "'img-b'");
	expect_absent(a, "next");
	a = ask_as("img", d->admin, "GET", "/metrics", NULL);
	ck_assert_ptr_nonnull(strstr(a->body, "pool=\"img-a\""));
	ck_assert_ptr_null(strstr(a->body, "pool=\"video\""));
	ck_assert_ptr_null(strstr(a->body, "pool=\"default\""));
	/* Refused by the name alone, so a pool that is there and one that is not are
	 * one to it, whatever it asks. */
	for (int i = 0; i < 2; i++) {
		const char *pool = i == 0 ? "video" : "absent";

		for (int r = 0; r < ROWS; r++) {
			const char *default_at = strstr(rows[r].path, "/pools/default");
			const char *path = default_at != NULL
					       ? text_replace(rows[r].path, "default", pool)
					       : text("%s%cpool=%s", rows[r].path,
						     strchr(rows[r].path, '?') ? '&' : '?', pool);

			if (rows[r].least == NOBODY || strstr(path, "/pools/other") ||
			    strncmp(path, "/pools?", 7) == 0 || strstr(path, "/plans/") ||
			    strstr(path, "/openapi") || strstr(path, "/metrics") ||
			    strstr(path, "/status") || strstr(path, "/backup"))
				continue;
			a = ask_as("img", d->admin, rows[r].method, path, rows[r].body);
			ck_assert_msg(a->status == 403, "%s: %ld %s", a->what, a->status, a->body);
			if (a->len > 0) {
				expect_refusal(a, 403, "forbidden", pool);
				ck_assert_ptr_null(strstr(a->body, "secret-node"));
			}
		}
	}
	/* Nor the default pool, when none is named. */
	expect_refusal(
	    ask_as("img", d->admin, "GET", "/history", NULL), 403, "forbidden", "default");
	expect_refusal(
	    ask_as("img", d->admin, "GET", "/owner?key=a&pool=*", NULL), 403, "forbidden", NULL);
	expect_refusal(ask_as("img", d->admin, "GET", "/nodes", NULL), 403, "forbidden", "default");
	expect_refusal(ask_as("img", d->admin, "PUT", "/pools/mine", "{\"nodes\":[]}"), 403,
	    "forbidden", "mine|img-*");
	a = ask_as("img", d->admin, "GET", "/nodes?pool=img-c", NULL);
	expect_refusal(a, 404, "unknown-pool", "img-a|img-b");
	ck_assert_ptr_null(strstr(a->body, "video"));
	a = ask_as("one", d->admin, "GET", "/owner?key=a&pool=img-a", NULL);
	expect(a, "owner", "'n1'");

	/* Plans and history of other pools. */
	a = expect_status(
	    ask_as("admin", d->admin, "POST", "/plan?pool=video", "{\"drain\":[\"secret-node\"]}"),
	    200);
	plan = text_at(a, "plan");
	for (int i = 0; i < 3; i++) {
		static const char *const tails[] = {"", "/changes", "/apply"};
		const char *method = i == 2 ? "POST" : "GET";
		const char *path = text("/plans/%s%s", plan, tails[i]);
		struct answer *other =
		    ask_as("img", d->admin, method, text("/plans/none%s", tails[i]), NULL);

		a = ask_as("img", d->admin, method, path, NULL);
		expect_refusal(a, 404, "unknown-plan", plan);
		ck_assert_str_eq(text_replace(a->body, plan, "none"), other->body);
	}
	a = ask_as("img", d->admin, "GET", text("/plans?pool=*&after=%s", plan), NULL);
	expect_refusal(a, 404, "unknown-plan", plan);
	ck_assert_int_eq(
	    count_at(ask_as("img", d->admin, "GET", "/plans?pool=*", NULL), "plans"), 0);
	expect_status(ask_as("img", d->admin, "POST", "/plan?pool=img-a", "{\"copies\":1}"), 200);
	for (int i = 0; i < 5; i++) {
		expect_status(ask_as("admin", d->admin, "POST", "/plan?pool=video", "{}"), 200);
		expect_status(ask_as("admin", d->admin, "PUT", "/keys?pool=video", "a\n"), 200);
	}
	expect_status(
	    ask_as("img", d->admin, "PATCH", "/pools/img-b?report=none", "{\"copies\":2}"), 200);
	for (int limit = 1; limit <= 9; limit += 4) {
		a = ask_as("img", d->admin, "GET", text("/plans?pool=*&limit=%d", limit), NULL);
		ck_assert_int_eq(count_at(a, "plans"), 1);
		expect(a, "plans[0].pool", "'img-a'");
		expect_absent(a, "next");
		a = ask_as("img", d->admin, "GET", text("/history?pool=*&limit=%d", limit), NULL);
		expect(a, "history[0].pool", "'img-b'");
		ck_assert_int_eq(count_at(a, "history"), limit < 3 ? limit : 3);
		ck_assert_ptr_null(strstr(a->body, "video"));
		if (limit == 1) {
			a = ask_as("img", d->admin, "GET",
			    text("/history?pool=*&after=%.0f", number_at(a, "next")), NULL);
			ck_assert_int_eq(count_at(a, "history"), 2);
			expect(a, "history[0].pool", "'img-b'");
			expect(a, "history[1].pool", "'img-a'");
		}
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_plan_is_applied_by_who_may_do_what_it_plans)
{
	struct daemon *d = start(token_lines());
	const char *drain = text_at(
	    expect_status(
		ask_as("plan", d->admin, "POST", "/plan", "{\"drain\":[\"cache-c\"]}"), 200),
	    "plan");
	const char *copies =
	    text_at(expect_status(ask_as("plan", d->admin, "POST", "/plan", "{\"copies\":3}"), 200),
		"plan");
	const char *path = text("/plans/%s/apply", copies);

	expect_refusal(ask_as("operate", d->admin, "POST", path, NULL), 403, "forbidden", "copies");
	expect_status(ask_as("plan", d->admin, "POST", text("%s?dry_run=true", path), NULL), 200);
	path = text("/plans/%s/apply", drain);
	expect_refusal(ask_as("plan", d->admin, "POST", path, NULL), 403, "forbidden", "drain");
	expect_refusal(
	    ask_as("operate", d->admin, "POST", text("%s?force=keys-at-risk", path), NULL), 403,
	    "forbidden", "force");
	ck_assert_int_eq(
	    number_at(ask_as("read", d->admin, "GET", "/pools/default", NULL), "epoch"), 1);
	expect(ask_as("operate", d->admin, "POST", path, NULL), "outcome", "'applied'");
	daemon_stop(d);
}
END_TEST

START_TEST(tokens_are_read_again_and_a_broken_file_keeps_the_old_ones)
{
	struct daemon *d = start(token_lines());
	const char *next =
	    text("%s%s", token_line("read", "operate", ""), token_line("newcomer", "admin", ""));

	/* Broken: the old ones stay, and the line is named but not shown. */
	private_write(d, "tokens", text("%sfourth admin token-of-fourth\n", token_lines()));
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "tokens:6: ");
	ck_assert_ptr_null(strstr(daemon_log(d), "token-of-"));
	expect_status(ask_as("admin", d->admin, "GET", "/nodes", NULL), 200);
	expect_status(ask_as("fourth", d->admin, "GET", "/nodes", NULL), 401);
	/* Empty, and open to others: the same. */
	private_write(d, "tokens", "");
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "holds no token");
	expect_status(ask_as("admin", d->admin, "GET", "/nodes", NULL), 200);
	private_write(d, "tokens", next);
	ck_assert_int_eq(chmod(daemon_path(d, "tokens"), 0644), 0);
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "chmod 0640");
	expect_status(ask_as("newcomer", d->admin, "GET", "/nodes", NULL), 401);
	/* Whole: a token that is not there any more is refused from now on. */
	ck_assert_int_eq(chmod(daemon_path(d, "tokens"), 0640), 0);
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "was read again");
	expect_status(ask_as("newcomer", d->admin, "GET", "/nodes", NULL), 200);
	expect_status(ask_as("read", d->admin, "POST", "/pools/default/settle", NULL), 200);
	expect_refusal(ask_as("admin", d->admin, "GET", "/nodes", NULL), 401, "unauthorized", NULL);
	/* To ask for none takes a restart. */
	daemon_write(d, "hrwd.json", FLEET_CONFIG(""), strlen(FLEET_CONFIG("")));
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "auth.tokens cannot change");
	expect_refusal(get(d->admin, "/nodes"), 401, "unauthorized", NULL);
	daemon_stop(d);
}
END_TEST

START_TEST(with_tokens_an_admin_listener_may_face_others_but_no_page)
{
	struct daemon *d = fleet_with_tokens(
	    "\"listen\":{\"lookup\":\"127.0.0.1:0\",\"admin\":\"0.0.0.0:0\"}," AUTH, token_lines());
	const char *base;

	daemon_launch(d);
	base = text_replace(d->admin, "0.0.0.0", "127.0.0.1");
	expect_refusal(get(base, "/nodes"), 401, "unauthorized", NULL);
	expect_status(ask(base, "GET", "/nodes",
			  "Host: any.example\nAuthorization: Bearer token-of-read", NULL),
	    200);
	expect_refusal(ask(base, "GET", "/nodes",
			   "Host: any.example\nOrigin: http://other.example\n"
			   "Authorization: Bearer token-of-read",
			   NULL),
	    403, "forbidden", "other.example");
	expect_status(ask(base, "GET", "/nodes",
			  "Host: any.example\nOrigin: http://any.example\n"
			  "Authorization: Bearer token-of-read",
			  NULL),
	    200);
	daemon_stop(d);
}
END_TEST

/* A file of tokens, and parts of what keeps the daemon from starting with it. */
static const struct {
	const char *lines;
	unsigned mode;
	const char *parts;
} files[] = {
    {"", 0600, "hrwd.json:|auth/tokens|no token"},
    {"# nothing\n\n", 0600, "no token"},
    {"a\n", 0600, "tokens:1: |second word|operate"},
    {"\n# x\na b c\n", 0600, "tokens:3: |role"},
    {"a read 00\n", 0600, "tokens:1: |64 hex digits|sha256sum"},
    {"-a read 00\n", 0600, "tokens:1: |name"},
    {"a/b read 00\n", 0600, "tokens:1: |name"},
    {NULL, 0640, NULL},
    {NULL, 0644, "everybody|0644|chmod 0640"},
    {NULL, 0660, "its group|0660|chmod 0640"},
    {NULL, 0604, "chmod 0600"},
};

START_TEST(a_bad_file_of_tokens_is_said_to_be_so_at_start)
{
	struct daemon *d =
	    fleet_with_tokens(AUTH, files[_i].lines != NULL ? files[_i].lines : token_lines());

	ck_assert_int_eq(chmod(daemon_path(d, "tokens"), files[_i].mode), 0);
	if (files[_i].parts == NULL) {
		daemon_launch(d);
		daemon_stop(d);
		return;
	}
	daemon_refuses_to_start(d, files[_i].parts);
}
END_TEST

SUITE(tokens)
{
	tcase_add_test(tests, each_row_is_for_its_role_and_those_above);
	tcase_add_test(tests, the_table_has_every_route_and_the_daemon_says_the_same);
	tcase_add_test(tests, a_token_that_is_missing_or_wrong_is_told_so);
	tcase_add_test(tests, lookups_ask_for_a_token_only_where_that_is_configured);
	tcase_add_test(tests, the_history_and_the_log_name_the_token_and_never_show_it);
	tcase_add_test(tests, a_token_bound_to_pools_sees_no_other);
	tcase_add_test(tests, a_plan_is_applied_by_who_may_do_what_it_plans);
	tcase_add_test(tests, tokens_are_read_again_and_a_broken_file_keeps_the_old_ones);
	tcase_add_test(tests, with_tokens_an_admin_listener_may_face_others_but_no_page);
	tcase_add_loop_test(tests, a_bad_file_of_tokens_is_said_to_be_so_at_start, 0,
	    sizeof(files) / sizeof(*files));
}
