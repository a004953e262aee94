/*
 * The ways in which hrwctl is told what to do: variables, several daemons, pages of
 * lists, deadlines, and the words that shells complete.
 */
#include <arpa/inet.h>
#include <libgen.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

static void
expect_said(const struct ran *r, const char *said)
{
	ck_assert_msg(strstr(r->out, said) != NULL || strstr(r->err, said) != NULL,
	    "%s lacks \"%s\":\n%s%s", r->what, said, r->out, r->err);
}

START_TEST(a_variable_stands_for_an_option_that_is_not_given)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r;

	expect_ran(ctl(d, "pool", "add", "web", "--yes", NULL), 0);
	ck_assert_int_eq(expect_ran(ctl_shell(d, "HRW_OUTPUT=json hrwctl nodes"), 0)->out[0], '{');
	r = expect_ran(ctl_shell(d, "HRW_POOL=web hrwctl nodes"), 0);
	ck_assert_ptr_null(strstr(r->out, "cache-a"));
	/* What is given wins, over a variable that is wrong, too. */
	r = expect_ran(
	    ctl_shell(d, "HRW_POOL=web HRW_OUTPUT=xml hrwctl nodes -p default -o text"), 0);
	expect_said(r, "cache-a");
	/* An empty one is none. */
	expect_ran(ctl_shell(d, "HRW_POOL= HRW_OUTPUT= HRW_TIMEOUT= hrwctl nodes"), 0);
	expect_said(
	    expect_ran(ctl_shell(d, "HRW_OUTPUT=xml hrwctl nodes"), 2), "HRW_OUTPUT is \"xml\"");
	expect_said(expect_ran(ctl_shell(d, "HRW_TIMEOUT=soon hrwctl nodes"), 2),
	    "HRW_TIMEOUT is \"soon\"");
	expect_ran(ctl_shell(d, "HRW_TIMEOUT=soon hrwctl --help"), 0);
	expect_said(expect_ran(ctl_shell(d, "HRW_CA=/nowhere/ca hrwctl nodes"), 2), "/nowhere/ca");
}
END_TEST

START_TEST(a_token_is_in_no_list_of_processes)
{
	struct daemon *d = fleet_with_tokens(
	    "\"auth\":{\"tokens\":\"$DIR/tokens\"},", token_line("reader", "read", "*"));

	daemon_launch(d);
	daemon_write(d, "token", "token-of-reader\n", 16);
	expect_ran(ctl(d, "nodes", NULL), 1);
	expect_ran(ctl_shell(d, "HRW_TOKEN=token-of-reader hrwctl nodes"), 0);
	expect_ran(
	    ctl_shell(d, text("HRW_TOKEN_FILE='%s' hrwctl nodes", daemon_path(d, "token"))), 0);
	/* A file is named for this: it wins. */
	expect_ran(ctl_shell(d, text("HRW_TOKEN=wrong HRW_TOKEN_FILE='%s' hrwctl nodes",
				    daemon_path(d, "token"))),
	    0);
}
END_TEST

START_TEST(of_several_daemons_the_first_that_answers_is_asked)
{
	struct daemon *d = fleet_with_photos(), *other = fleet_start();
	const char *nobody = "127.0.0.1:1", *both = text("%s,%s", d->admin, other->admin);
	struct ran *r;

	expect_ran(ctl(NULL, "--admin", text("%s,%s", nobody, d->admin), "nodes", NULL), 0);
	/* All of a command is done there: the plan is kept by one of them. */
	r = expect_ran(ctl(NULL, "--admin", text("unix:/nowhere/x,%s,%s", nobody, both), "drain",
			   "cache-c", "--yes", NULL),
	    0);
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
	ck_assert_str_eq(state_of(other, "cache-c"), "active");
	/* What refuses has answered. */
	expect_ran(ctl(NULL, "--admin", both, "remove", "cache-b", "--yes", NULL), 1);
	expect_ran(
	    ctl(NULL, "--admin", text("%s/nowhere,%s", d->admin, other->admin), "nodes", NULL), 1);
	r = expect_ran(ctl(NULL, "--admin", text("%s,%s", nobody, nobody), "nodes", NULL), 3);
	expect_said(r, "at any of 127.0.0.1:1,127.0.0.1:1 (the last: Connection refused)");
	/* A wrong one is found before anybody is asked. */
	expect_ran(ctl(NULL, "--admin", text("%s,a b", d->admin), "nodes", NULL), 2);
	expect_ran(ctl(NULL, "--admin", text("%s,", d->admin), "nodes", NULL), 2);
	r = ctl_shell(NULL, text("HRW_ADMIN=%s,%s hrwctl status", nobody, d->admin));
	expect_said(expect_ran(r, 0), text("at %s, up", d->admin));
}
END_TEST

START_TEST(a_list_is_taken_in_pages)
{
	struct daemon *d = fleet_with_photos();
	const char *all = expect_ran(ctl(d, "keys", "get", NULL), 0)->out, *id, *cut;
	struct ran *r;

	expect_out(
	    expect_ran(ctl(d, "keys", "get", "--limit", "2", NULL), 0), "photo-1\nphoto-10\n");
	expect_out(
	    expect_ran(ctl(d, "keys", "get", "--limit", "1", "--after", "photo-10", NULL), 0),
	    "photo-11\n");
	expect_out(expect_ran(ctl(d, "keys", "get", "--after", "photo-8", NULL), 0), "photo-9\n");
	expect_out(expect_ran(ctl(d, "keys", "get", "--after", "zz", NULL), 0), "");
	expect_out(expect_ran(ctl(d, "keys", "get", "--limit", "100000", NULL), 0), all);
	expect_out(expect_ran(ctl(d, "keys", "get", "-o", "json", "--limit", "1", NULL), 0),
	    "[\"photo-1\"]\n");
	id = text_at(post(d->admin, "/plan", "{\"drain\":[\"cache-c\"]}"), "plan");
	all = expect_ran(ctl(d, "plan", "changes", id, NULL), 0)->out;
	cut = expect_ran(ctl(d, "plan", "changes", id, "--limit", "5", NULL), 0)->out;
	expect_out(ctl(d, "plan", "changes", id, "--after", "photo-19", NULL), all + strlen(cut));
	/* Copies: a table has some, a list all but where it is told how many. */
	expect_ran(ctl(d, "drain", "cache-c", "--yes", NULL), 0);
	all = expect_ran(ctl(d, "copies", "--csv", NULL), 0)->out;
	cut = expect_ran(ctl(d, "copies", "--csv", "--limit", "5", NULL), 0)->out;
	ck_assert_int_eq(strncmp(all, cut, strlen(cut)), 0);
	ck_assert_uint_lt(strlen(cut), strlen(all));
	r = expect_ran(ctl(d, "copies", "--limit", "2", NULL), 0);
	expect_said(r, "13 copies are to be made");
	expect_said(r, "photo-12");
	ck_assert_ptr_null(strstr(r->out, "photo-14"));
	r = expect_ran(ctl(d, "copies", "--after", "photo-6", NULL), 0);
	expect_said(r, "1 copy is to be made");
	expect_ran(ctl(d, "keys", "get", "--limit", "0", NULL), 2);
}
END_TEST

START_TEST(a_list_that_was_cut_says_how_it_goes_on)
{
	struct daemon *d = fleet_start();
	struct ran *r;
	const char *at;

	for (int i = 0; i < 3; i++)
		expect_status(
		    patch(d->admin, "/nodes/cache-a", text("{\"weight\":%d}", i + 2)), 200);
	r = expect_ran(ctl(d, "history", "--limit", "2", NULL), 0);
	at = strstr(r->out, "--after ");
	ck_assert_msg(at != NULL, "%s", r->out);
	at = text("%.*s", (int)strcspn(at + 8, " "), at + 8);
	r = expect_ran(ctl(d, "history", "--after", at, NULL), 0);
	expect_said(r, "1-2");
	ck_assert_ptr_null(strstr(r->out, "2-3"));
	ck_assert_ptr_null(strstr(r->out, "--after"));
	r = expect_ran(ctl(d, "plans", "--limit", "1", NULL), 0);
	at = strstr(r->out, "--after ");
	ck_assert_msg(at != NULL, "%s", r->out);
	at = text("%.*s", (int)strcspn(at + 8, " "), at + 8);
	expect_said(expect_ran(ctl(d, "plans", "--after", at, NULL), 0), "2-3");
}
END_TEST

START_TEST(a_wait_with_a_deadline_ends_with_it)
{
	struct daemon *d = fleet_with_photos();
	struct ran *r =
	    expect_ran(ctl(d, "drain", "cache-c", "--yes", "--wait", "--deadline", "2", NULL), 1);

	/* The drain goes on, and can be waited for again. */
	expect_said(r, "not so yet after 2 seconds (--deadline): the same command waits again");
	ck_assert_str_eq(state_of(d, "cache-c"), "draining");
	r = expect_ran(ctl(d, "removable", "cache-c", "--wait", "--deadline", "1", NULL), 1);
	expect_said(r, "--deadline");
	expect_ran(ctl(d, "settle", "--yes", NULL), 0);
	r = expect_ran(ctl(d, "drain", "cache-c", "--wait", "--deadline", "60", NULL), 0);
	expect_said(r, "cache-c may be switched off");
	/* It is for a wait, and so it is said before anything is done. */
	expect_ran(ctl(d, "drain", "cache-a", "--yes", "--deadline", "1", NULL), 2);
	expect_ran(ctl(d, "removable", "cache-c", "--deadline", "1", NULL), 2);
	ck_assert_str_eq(state_of(d, "cache-a"), "active");
}
END_TEST

/* A daemon that went away is waited for no longer than that either. */
START_TEST(a_deadline_holds_while_the_daemon_is_away)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"listen\":{\"lookup\":\"off\",\"admin\":\"unix:$DIR/admin\"},"), NULL);
	struct screen *s =
	    screen_open(d, "drain", "cache-c", "--yes", "--wait", "--deadline", "8", NULL);

	screen_wait(s, "waiting until");
	daemon_kill(d);
	screen_wait(s, "is away");
	screen_wait(s, "(--deadline)");
	ck_assert_int_eq(screen_end(s), 1);
}
END_TEST

START_TEST(a_pools_fields_are_set_and_taken_away)
{
	struct daemon *d = fleet_start();
	struct ran *r = expect_ran(ctl(d, "pool", "set", "--settles-after", "3600", "--max-ttl",
				       "86400", "--max-moved", "0.25", "--yes", NULL),
	    0);
	struct answer *pool;

	pool = get(d->lookup, "/pools/default");
	expect(pool, "settles_after", "3600");
	expect(pool, "max_ttl", "86400");
	expect(pool, "max_moved", "0.25");
	expect_out(expect_ran(ctl(d, "pool", "set", "default", "--max-ttl", "86400", NULL), 0),
	    "already so: nothing is changed\n");
	expect_ran(ctl(d, "pool", "set", "--max-ttl", "-", "--copies", "3", "--yes", NULL), 0);
	pool = get(d->lookup, "/pools/default");
	expect(pool, "max_ttl", "null");
	expect(pool, "copies", "3");
	expect_ran(ctl(d, "pool", "add", "web", "--settles-after", "60", "--yes", NULL), 0);
	expect(get(d->lookup, "/pools/web"), "settles_after", "60");
	r = expect_ran(ctl(d, "pool", "set", NULL), 2);
	expect_said(r, "--settles-after");
	expect_ran(ctl(d, "pool", "set", "--max-moved", "half", NULL), 2);
	expect_ran(ctl(d, "pool", "set", "--max-moved", "2", "--yes", NULL), 1);
	expect_ran(ctl(d, "pool", "set", "--settles-after", "1.5", "--yes", NULL), 1);
	expect_ran(ctl(d, "pool", "set", "none", "--copies", "2", "--yes", NULL), 1);
}
END_TEST

START_TEST(a_word_behind_an_equals_sign_is_completed)
{
	struct daemon *d = fleet_with_photos();

	/* As zsh and fish have it, and as bash does. */
	expect_out(ctl(d, "--print", "words", "--", "nodes", "--pool=d", NULL),
	    "--pool=default\trendezvous\n");
	expect_out(ctl(d, "--print", "words", "--", "nodes", "--pool", "=", "d", NULL),
	    "default\trendezvous\n");
	expect_out(ctl(d, "--print", "words", "--", "nodes", "--pool", "=", NULL),
	    "default\trendezvous\n");
	expect_out(ctl(d, "--print", "words", "--", "-o", NULL), "");
	expect_out(
	    ctl(d, "--print", "words", "--", "nodes", "--output=j", NULL), "--output=json\t\n");
	expect_out(ctl(d, "--print", "words", "--", "--pool=none", "drain", "", NULL), "");
	/* A node is not offered twice; a placement is, without a daemon. */
	expect_out(
	    ctl(d, "--print", "words", "--", "drain", "cache-a", "cache-b", "cache-c", "", NULL),
	    "cache-d\tactive\n");
	ck_assert_ptr_nonnull(
	    strstr(ctl(NULL, "--print", "words", "--", "compare", "ri", NULL)->out, "ring\t"));
	ck_assert_ptr_nonnull(strstr(
	    ctl(NULL, "--print", "words", "--", "plan", "--placement", "ri", NULL)->out, "ring\t"));
	expect_out(ctl(NULL, "--print", "words", "--", "help", "dra", NULL),
	    "drain\tstop placing keys on nodes; they keep their copies\n");
}
END_TEST

/* Takes connections, and never answers. */
static int
silent(int *port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	*port = ntohs(in.sin_port);
	return fd;
}

/* Whoever presses the tabulator does not wait for --timeout, however long that is. */
START_TEST(completion_waits_for_nobody)
{
	time_t begun = time(NULL);
	struct ran *r;
	int port, fd = silent(&port);

	r = ctl(NULL, "--timeout", "300", "--print", "words", "--", "--admin",
	    text("127.0.0.1:%d", port), "--timeout", "300", "drain", "", NULL);
	expect_out(expect_ran(r, 0), "");
	ck_assert_str_eq(r->err, "");
	ck_assert_int_lt(time(NULL) - begun, 30);
	close(fd);
}
END_TEST

static bool
has(const char *shell)
{
	return ctl_shell(NULL, text("command -v %s", shell))->status == 0;
}

/* What a shell makes of its script and a command line. */
START_TEST(each_shell_completes_with_its_script)
{
	static const struct {
		const char *shell, *line;
	} rows[] = {
	    {"bash",
		"bash -c '. ./script; COMP_WORDS=(hrwctl nodes cache-b); COMP_CWORD=2; _hrwctl; "
		"echo \"${COMPREPLY[@]}\"'"},
	    {"bash",
		"bash -c '. ./script; COMP_WORDS=(hrwctl -p default nodes cache-b); COMP_CWORD=4; "
		"_hrwctl; echo \"${COMPREPLY[@]}\"'"},
	    {"zsh",
		"zsh -fc '_describe() { print -r -- ${found%%:*} }; words=(hrwctl nodes cache-b); "
		"CURRENT=3; f() { . ./script }; f'"},
	    {"fish", "fish -c 'source ./script; complete -C \"hrwctl nodes cache-b\" | cut -f 1'"},
	};
	struct daemon *d = fleet_start();
	char *program = realpath(getenv("HRWD") != NULL ? getenv("HRWD") : "build/hrwd", NULL);

	ck_assert_ptr_nonnull(program);
	program = dirname(kept(program));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ran *script;

		if (!has(rows[i].shell))
			continue;
		script = expect_ran(ctl(NULL, "completion", rows[i].shell, NULL), 0);
		daemon_write(d, "script", script->out, strlen(script->out));
		expect_out(
		    expect_ran(ctl_shell(d, text("cd '%s' && export PATH='%s':$PATH HOME=. && "
						 "unset -f hrwctl && %s",
						d->dir, program, rows[i].line)),
			0),
		    "cache-b\n");
	}
}
END_TEST

START_TEST(an_option_that_is_none_is_answered_with_the_nearest)
{
	static const struct {
		const char *words[4], *said;
	} rows[] = {
	    {{"nodes", "--outptu", "json"},
		"\"--outptu\" is no option: did you mean \"--output\"?"},
	    {{"nodes", "--poool=x"}, "did you mean \"--pool\"?"},
	    {{"nodes", "--frobnicate"}, "\"--frobnicate\" is no option: hrwctl COMMAND --help"},
	    {{"nodes", "--output"}, "--output lacks its value: give --output FORM (text json)"},
	    {{"nodes", "-p"}, "-p lacks its value: give -p POOL"},
	    {{"reweight", "cache-a", "-1"}, "-- stands before words"},
	    {{"owner"}, "usage: hrwctl owner KEY... (hrwctl owner --help tells more)"},
	    {{"history", "--limit", "1001"}, "--after goes on behind them"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *w = rows[i].words;
		struct ran *r = expect_ran(
		    ctl(NULL, "--admin", "127.0.0.1:1", w[0], w[1], w[2], w[3], NULL), 2);

		expect_said(r, rows[i].said);
		ck_assert_str_eq(strchr(r->err, '\n'), "\n");
	}
}
END_TEST

START_TEST(help_fits_a_screen)
{
	static const char *const names[] = {
	    "owner", "drain", "change", "apply", "keys", "pool", "compare", "simulate", "options"};

	for (size_t i = 0; i <= sizeof(names) / sizeof(names[0]); i++) {
		struct ran *r =
		    i == 0 ? ctl(NULL, "--help", NULL) : ctl(NULL, "help", names[i - 1], NULL);
		size_t lines = 0;

		for (const char *at = r->out, *end; (end = strchr(at, '\n')) != NULL;
		     at = end + 1) {
			ck_assert_msg(end - at <= 80, "%s: %.*s", r->what, (int)(end - at), at);
			lines++;
		}
		ck_assert_msg(lines <= (i == 0 ? 70 : 40), "%s has %zu lines", r->what, lines);
	}
}
END_TEST

SUITE(ctl_ways)
{
	tcase_add_test(tests, a_variable_stands_for_an_option_that_is_not_given);
	tcase_add_test(tests, a_token_is_in_no_list_of_processes);
	tcase_add_test(tests, of_several_daemons_the_first_that_answers_is_asked);
	tcase_add_test(tests, a_list_is_taken_in_pages);
	tcase_add_test(tests, a_list_that_was_cut_says_how_it_goes_on);
	tcase_add_test(tests, a_wait_with_a_deadline_ends_with_it);
	tcase_add_test(tests, a_deadline_holds_while_the_daemon_is_away);
	tcase_add_test(tests, a_pools_fields_are_set_and_taken_away);
	tcase_add_test(tests, a_word_behind_an_equals_sign_is_completed);
	tcase_add_test(tests, completion_waits_for_nobody);
	tcase_add_test(tests, each_shell_completes_with_its_script);
	tcase_add_test(tests, an_option_that_is_none_is_answered_with_the_nearest);
	tcase_add_test(tests, help_fits_a_screen);
}
