/*
 * hrwctl before what is no hrwd, and before text that is none of a terminal's.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

static pid_t stranger;

static void
serve(int listener, const char *type, const char *body)
{
	const char *answer = text("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nETag: \"1-ab\"\r\n"
				  "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
	    type, strlen(body), body);

	for (;;) {
		int fd = accept(listener, NULL, NULL);
		char request[65536];

		if (fd < 0)
			_exit(0);
		if (read(fd, request, sizeof(request)) > 0 && write(fd, answer, strlen(answer)) > 0)
			shutdown(fd, SHUT_WR);
		while (read(fd, request, sizeof(request)) > 0)
			;
		close(fd);
	}
}

static const char *
listen_anywhere(int *fd)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(*fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(*fd, 64), 0);
	ck_assert_int_eq(getsockname(*fd, (struct sockaddr *)&at, &len), 0);
	return text("127.0.0.1:%d", ntohs(at.sin_port));
}

/* Answers whatever is asked with this. Its address. */
static const char *
stranger_start(const char *type, const char *body)
{
	int fd;
	const char *address = listen_anywhere(&fd);

	stranger = fork();
	ck_assert_int_ge(stranger, 0);
	if (stranger == 0)
		serve(fd, type, body);
	close(fd);
	return address;
}

static void
stranger_end(void)
{
	kill(stranger, SIGKILL);
	waitpid(stranger, NULL, 0);
}

static const char *const commands_asked[][6] = {{"nodes"}, {"pools"}, {"owner", "k"},
    {"replicas", "k"}, {"explain", "k"}, {"history"}, {"plans"}, {"plan", "--drain", "a"},
    {"plan", "show", "x"}, {"plan", "show", "x", "--watch"}, {"plan", "apply", "x", "--yes"},
    {"drain", "a", "--yes"}, {"add", "a", "h:1", "--yes"}, {"settle", "--yes"},
    {"revert", "1", "--yes"}, {"keys", "stats"}, {"drain", "a", "--yes", "--wait"},
    {"owner", "a", "b"}, {"status"}, {"dump"}, {"pool", "show"}, {"pool", "show", "a"},
    {"pool", "drop", "a", "--yes"}, {"compare", "ring"}, {"simulate", "/dev/null"},
    {"address", "a", "h:1", "--yes"}, {"zone", "a", "r1", "--yes"}};

static void
expect_stranger(struct ran *r)
{
	expect_ran(r, 1);
	ck_assert_msg(strstr(r->err, "not an hrwd") != NULL, "%s: %s", r->what, r->err);
	expect_out(r, "");
}

START_TEST(an_answer_that_hrwd_does_not_give_is_no_success)
{
	static const char *const bodies[] = {"null", "{}", "[]", "5", "\"ok\"", "{\"nodes\":5}",
	    "{\"nodes\":[5],\"pools\":[null],\"plans\":[1],\"history\":[\"\"],\"replicas\":[[]]}",
	    "<html>it works</html>", ""};
	const char *const *w;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		const char *address = stranger_start("application/json", bodies[i]);

		for (size_t k = 0; k < sizeof(commands_asked) / sizeof(commands_asked[0]); k++) {
			w = commands_asked[k];
			expect_stranger(
			    ctl(NULL, "--admin", address, w[0], w[1], w[2], w[3], w[4], NULL));
			expect_stranger(ctl(NULL, "--admin", address, "--output", "json", w[0],
			    w[1], w[2], w[3], w[4], NULL));
		}
		expect_stranger(
		    ctl_with(NULL, "a\n", "--admin", address, "keys", "put", "-", NULL));
		stranger_end();
	}
}
END_TEST

START_TEST(what_is_passed_on_as_it_comes_is_of_the_type_that_was_asked_for)
{
	const char *address = stranger_start("text/html", "<html>it works</html>\n");

	expect_stranger(ctl(NULL, "--admin", address, "keys", "get", NULL));
	expect_stranger(ctl(NULL, "--admin", address, "plan", "changes", "x", NULL));
	expect_stranger(ctl(NULL, "--admin", address, "watch", "--count", "1", NULL));
	stranger_end();
	address = stranger_start("text/event-stream", "data: {\"nodes\":[]}\n\n");
	expect_stranger(ctl(NULL, "--admin", address, "watch", "--count", "1", NULL));
	stranger_end();
}
END_TEST

/* C1 controls (U+009B is what ESC [ is), marks that turn text about, bytes that are
 * no UTF-8 and C0 bytes. */
#define EVIL                                                                                       \
	"\xc2\x9b"                                                                                 \
	"31m\xe2\x80\xae"                                                                          \
	"drow\x9b"                                                                                 \
	"1m\x07"
#define SAID "\\xc2\\x9b31m\\xe2\\x80\\xaedrow"

static void
expect_tame(struct screen *s, const char *said)
{
	screen_end(s);
	ck_assert_msg(strstr(s->text, said) != NULL, "%s:\n%s", s->what, s->text);
	for (const char *at = s->text; *at != '\0'; at++)
		ck_assert_msg((unsigned char)*at != 0x9b && memcmp(at, "\xe2\x80\xae", 3) != 0 &&
				  *at != '\x07',
		    "%s:\n%s", s->what, s->text);
}

START_TEST(no_byte_that_a_terminal_obeys_reaches_it)
{
	struct daemon *d = fleet_start();
	static const char reason[] = "\xc2\x9b"
				     "31m\xe2\x80\xae"
				     "drow";

	expect_ran(ctl_with(d, EVIL "\nhalves \xc3\xa9\n", "keys", "put", "-", NULL), 0);
	expect_tame(screen_open(d, "keys", "get", NULL), SAID "\\x9b1m\\x07");
	expect_tame(screen_open(d, "keys", "get", "--format", "ndjson", NULL), "key_base64");
	expect_tame(screen_open(d, "keys", "get", NULL), "halves \xc3\xa9");
	expect_tame(screen_open(d, "drain", EVIL, "--yes", NULL), SAID);
	expect_tame(screen_open(d, "owner", EVIL, "--pool", EVIL, NULL), SAID);
	expect_tame(
	    screen_open(d, "drain", "cache-a", "--yes", "--verbose", "--reason", reason, NULL),
	    "\\302\\23331m\\342\\200\\256drow");
	expect_tame(screen_open(d, "history", NULL), SAID);
	expect_tame(screen_open(d, "history", "--output", "json", NULL), "drow");
	expect_tame(screen_open(d, EVIL, NULL), SAID);
	/* Into a file goes what there is. */
	ck_assert_ptr_nonnull(strstr(ctl(d, "keys", "get", NULL)->out, EVIL));
}
END_TEST

START_TEST(a_report_of_a_stranger_is_shown_without_what_a_terminal_obeys)
{
	static const char report[] =
	    "{\"plan\":\"x\",\"outcome\":\"dry_run\",\"pool\":\"\xc2\x9b"
	    "31m\",\"state\":\"\xc2\x9b"
	    "31m\","
	    "\"epoch_before\":1,\"epoch_after\":2,\"change\":[{\"op\":\"\xc2\x9b"
	    "31m\","
	    "\"node\":\"\xc2\x9b"
	    "31m\"}],\"nodes\":[{\"node\":\"\xc2\x9b"
	    "31m\"}],"
	    "\"refusal\":{\"code\":\"\xc2\x9b"
	    "31m\",\"detail\":\"\xc2\x9b"
	    "31m\"}}";
	const char *address = stranger_start("application/json", report);

	expect_tame(screen_open(NULL, "--admin", address, "plan", "show", "x", NULL), "31m");
	expect_tame(screen_open(NULL, "--admin", address, "plan", "--drain", "x", NULL), "31m");
	stranger_end();
}
END_TEST

START_TEST(no_name_that_a_shell_would_run_is_offered_to_it)
{
	const char *address = stranger_start("application/json",
	    "{\"nodes\":[{\"name\":\"$(reboot)\"},{\"name\":\"a b\"},{\"name\":\"a;b\"},"
	    "{\"name\":\"ok-1\",\"state\":\"\xc2\x9b"
	    "31m\"},{\"name\":\"a\\tb\"},{\"name\":5},{}]}");

	expect_out(ctl(NULL, "--print", "words", "--", "--admin", address, "drain", "", NULL),
	    "ok-1\t\\xc2\\x9b31m\n");
	stranger_end();
}
END_TEST

START_TEST(what_an_answer_warns_of_is_said_beside_it)
{
	const char *address = stranger_start("application/json",
	    "{\"pool\":\"p\",\"keys\":1,\"nodes\":[],\"warnings\":[\"2 lines end in CR\","
	    "{\"code\":\"x\",\"detail\":\"a and b have one \xc2\x9b"
	    "31maddress\"}]}");
	struct ran *r = expect_ran(ctl(NULL, "--admin", address, "keys", "stats", NULL), 0);

	expect_out(r, "pool p: 1 keys\n");
	ck_assert_str_eq(r->err, "hrwctl: warning: 2 lines end in CR\n"
				 "hrwctl: warning: a and b have one \\xc2\\x9b31maddress\n");
	r = expect_ran(ctl(NULL, "--admin", address, "nodes", NULL), 0);
	ck_assert_ptr_nonnull(strstr(r->err, "warning: 2 lines"));
	r = expect_ran(ctl(NULL, "--admin", address, "nodes", "-o", "json", NULL), 0);
	ck_assert_str_eq(r->err, "");
	stranger_end();
}
END_TEST

START_TEST(an_answer_is_waited_for_as_long_as_was_said)
{
	int fd;
	const char *address = listen_anywhere(&fd);
	struct ran *r =
	    expect_ran(ctl(NULL, "--admin", address, "--timeout", "1", "nodes", NULL), 3);

	ck_assert_ptr_nonnull(strstr(r->err, "no hrwd answers"));
	expect_ran(ctl(NULL, "--timeout", "0", "nodes", NULL), 2);
	close(fd);
}
END_TEST

SUITE(ctl_stranger)
{
	tcase_add_test(tests, no_name_that_a_shell_would_run_is_offered_to_it);
	tcase_add_test(tests, what_an_answer_warns_of_is_said_beside_it);
	tcase_add_test(tests, an_answer_is_waited_for_as_long_as_was_said);
	tcase_add_test(tests, an_answer_that_hrwd_does_not_give_is_no_success);
	tcase_add_test(tests, what_is_passed_on_as_it_comes_is_of_the_type_that_was_asked_for);
	tcase_add_test(tests, no_byte_that_a_terminal_obeys_reaches_it);
	tcase_add_test(tests, a_report_of_a_stranger_is_shown_without_what_a_terminal_obeys);
}
