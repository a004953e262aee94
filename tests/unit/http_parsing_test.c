/*
 * http_parsing_test.c - what the daemon makes of heads that libmicrohttpd alone
 * would take in surprising ways; one row of its table of traps each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "tests/dsl/http.h"
#include "tests/dsl/site.h"
#include "tests/dsl/suite.h"

static const char *base;

/* The stream ends, within two seconds, with nothing more said. */
static bool
ends(int fd)
{
	struct timeval patience = {.tv_sec = 2};
	char byte;
	ssize_t got;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	got = recv(fd, &byte, 1, 0);
	return got == 0;
}

static bool
stays(int fd)
{
	struct timeval patience = {.tv_usec = 50000};
	char byte;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return recv(fd, &byte, 1, 0) < 0;
}

struct row {
	const char *head; /* the whole request; len 0: a C string */
	size_t len;
	long status;
	const char *body; /* in it, or the code of an error */
	bool closes;
};

#define ROW(head, status, body, closes)                                                            \
	{                                                                                          \
		head, sizeof(head) - 1, status, body, closes                                       \
	}
#define HEAD(line) line " HTTP/1.1\r\nHost: x\r\n\r\n"

static const struct row rows[] = {
    /* Keys are bytes. */
    ROW(HEAD("GET /owner?key=a%00b"), 200, "610062", false),
    ROW(HEAD("GET /owner?key=%ff%fe"), 200, "fffe", false),
    ROW(HEAD("GET /owner?key=a+b"), 200, "612062", false),
    ROW(HEAD("GET /owner?key=a%2Bb"), 200, "612b62", false),
    ROW(HEAD("GET /owner?key=a;b"), 200, "613b62", false),
    ROW(HEAD("GET /owner?key=a?b=c"), 200, "613f623d63", false),
    ROW(HEAD("GET /owner?key==a=b"), 200, "3d613d62", false),
    ROW(HEAD("GET /owner?k%65y=a"), 200, "61", false),
    ROW(HEAD("GET /owner?key=\xc3\xa9"), 200, "c3a9", false),
    ROW(HEAD("GET /owner?KEY=a"), 400, "bad-parameter", false),
    ROW(HEAD("GET /owner?key=a&key=b"), 400, "bad-parameter", false),
    ROW(HEAD("GET /owner?key=a&b"), 400, "bad-parameter", false),
    ROW(HEAD("GET /owner?key"), 400, "bad-key", false),
    ROW(HEAD("GET /owner?key="), 400, "bad-key", false),
    ROW(HEAD("GET /owner"), 400, "bad-key", false),
    ROW("GET /owner HTTP/1.1\r\nHost: x\r\nHrw-Key: a \xff& b \t\r\n\r\n", 200, "6120ff262062",
	false),
    ROW("GET /owner?key=a HTTP/1.1\r\nHost: x\r\nHrw-Key: a\r\n\r\n", 400, "bad-parameter", false),
    /* A malformed % is refused. */
    ROW(HEAD("GET /owner?key=%zz"), 400, "bad-parameter", false),
    ROW(HEAD("GET /owner?key=%4"), 400, "bad-parameter", false),
    ROW(HEAD("GET /owner?key=100%"), 400, "bad-parameter", false),
    ROW(HEAD("GET /own%zzer"), 404, "unknown-path", false),
    /* No path is reached by another. */
    ROW(HEAD("GET /owner%00x"), 404, "unknown-path", false),
    ROW(HEAD("GET /owner%3Fkey=a"), 404, "unknown-path", false),
    ROW(HEAD("GET /owner/"), 404, "unknown-path", false),
    ROW(HEAD("GET //owner?key=a"), 404, "unknown-path", false),
    ROW(HEAD("GET /"), 404, "unknown-path", false),
    ROW(HEAD("GET *"), 404, "unknown-path", false),
    ROW(HEAD("OPTIONS *"), 404, "unknown-path", false),
    ROW(HEAD("CONNECT x:80"), 404, "unknown-path", false),
    ROW(HEAD("GET /v1/owner?key=a"), 200, "61", false),
    ROW(HEAD("GET /%6fwner?key=a"), 200, "61", false),
    ROW(HEAD("GET /thing/a%2Fb%00"), 200, "612f6200", false),
    ROW(HEAD("GET /thing/known"), 200, "6b6e6f776e", false),
    ROW(HEAD("GET http://h/owner?key=a"), 200, "61", false),
    /* What no encoder sends. */
    ROW(HEAD("GET /owner?key=a b"), 400, "bad-parameter", false),
    ROW(HEAD("GET /owner?key=a\tb"), 400, "bad-parameter", false),
    ROW(HEAD("GET /owner?key=a#frag"), 400, "bad-parameter", false),
    ROW("GET /owner?key=a  HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad-parameter", false),
    ROW(HEAD("GET /owner?key=a\0b"), 400, "NUL", true),
    ROW(HEAD("GET /owner\0?key=a"), 400, "NUL", true),
    /* Methods. */
    ROW(HEAD("get /owner?key=a"), 405, "bad-method", false),
    ROW(HEAD("OPTIONS /owner"), 405, "bad-method", false),
    ROW(HEAD("POST /thing/a"), 405, "bad-method", false),
    ROW(HEAD("BREW /whole"), 405, "bad-method", false),
    /* Versions and hosts. */
    ROW("GET /owner?key=a HTTP/1.2\r\nHost: x\r\n\r\n", 200, "61", false),
    ROW("GET /owner?key=a HTTP/1.0\r\n\r\n", 200, "61", true),
    ROW("GET /owner?key=a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, "61", false),
    ROW("GET /owner?key=a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200, "61", true),
    ROW("GET /owner?key=a HTTP/1.1\r\n\r\n", 400, "no Host", true),
    ROW("GET /owner?key=a HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400, "two Host", true),
    ROW("GET /owner HTTP/1.1\r\nHost: x\r\nHrw-Key: a\r\nhrw-key: b\r\n\r\n", 400, "two Hrw-Key",
	true),
    ROW("GET /owner?key=a HTTP/1.1\r\nHost : x\r\n\r\n", 400, "header", true),
    ROW("\r\nGET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n", 200, "61", false),
    ROW("GET /owner?key=a HTTP/1.1\nHost: x\n\n", 200, "61", false),
    /* Where a body ends. */
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 200, "2 0", false),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
	"2\r\n{}\r\n1;x=y\r\n \r\n0\r\nTrailer: x\r\n\r\n",
	200, "3 0", false),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", 400,
	"two Content-Length", true),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400,
	"two Content-Length", true),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
	"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n",
	400, "both", true),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n", 400,
	"other than chunked", true),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400,
	"other than chunked", true),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
	"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	400, "other than chunked", true),
    ROW("POST /whole HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "HTTP/1.0",
	true),
    ROW("GET /owner?key=a HTTP/1.1\r\nHost: x\r\nContent-Length : 33\r\n\r\n"
	"GET /owner?key=b HTTP/1.1\r\nHost: x\r\n\r\n",
	400, "header", true),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
	"Content-Type: TEXT/plain ; charset=utf-8\r\n\r\nab",
	200, "2 1", false),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
	"Content-Type: application/x-www-form-urlencoded\r\n\r\nab",
	415, "curl --json @FILE -X POST", false),
    ROW("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nOrigin: http://e\r\n\r\nab", 415,
	"bad-type", false),
    ROW("GET /status?status=x HTTP/1.1\r\nHost: x\r\n\r\n", 400, "\"field\":\"status\"", false),
    ROW(HEAD("GET /nothing"), 500, "internal", false),
};

START_TEST(a_head_is_read_to_the_letter)
{
	const struct row *row = &rows[_i];
	struct answer *a;
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	raw_send(fd, row->head, row->len);
	a = raw_answer(fd, 5000);
	ck_assert_msg(a->status == row->status && strstr(a->body, row->body) != NULL,
	    "%s\ngot %ld, not %ld: %s%s", row->head, a->status, row->status, a->headers, a->body);
	if (row->status >= 400)
		ck_assert_str_eq(header(a, "Content-Type"), "application/problem+json");
	ck_assert_ptr_nonnull(header(a, "Date"));
	/* Connection: close stands where it must, and only there. */
	ck_assert_msg((header(a, "Connection") != NULL &&
			  strcmp(header(a, "Connection"), "close") == 0) == row->closes,
	    "%s\n%s", row->head, a->headers);
	ck_assert_msg(row->closes ? ends(fd) : stays(fd), "%s", row->head);
	close(fd);
	site_stop();
}
END_TEST

/* These never reach us: the library's own answers, and the end of the connection. */
START_TEST(what_the_library_refuses_is_answered_and_closed)
{
	static const struct {
		const char *head;
		long status;
	} refused[] = {
	    {"GET /owner?key=a HTTP/2.0\r\nHost: x\r\n\r\n", 505},
	    {"GET /owner?key=a HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400},
	    {"POST /whole HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
	};
	static char large[60000];
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		expect_status(raw(base, refused[i].head), refused[i].status);
	memset(large, 'a', sizeof(large) - 1);
	fd = raw_open(base);
	raw_send(fd, "GET /", 5);
	raw_send(fd, large, sizeof(large) - 1);
	expect_status(raw_answer(fd, 2000), 414);
	close(fd);
	fd = raw_open(base);
	raw_send(fd, "GET / HTTP/1.1\r\nX: ", 19);
	raw_send(fd, large, sizeof(large) - 1);
	expect_status(raw_answer(fd, 2000), 431);
	close(fd);
	site_stop();
}
END_TEST

START_TEST(a_second_request_is_never_smuggled)
{
	static const char two[] = "POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n"
				  "Transfer-Encoding: chunked\r\n\r\n"
				  "0\r\n\r\nGET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n";
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	raw_send(fd, two, sizeof(two) - 1);
	expect_refusal(raw_answer(fd, 2000), 400, "bad-parameter", "both");
	ck_assert(ends(fd));
	site_stop();
}
END_TEST

START_TEST(a_thousand_parameters_get_an_answer)
{
	static char head[1 << 16];
	size_t len = (size_t)snprintf(head, sizeof(head), "GET /owner?");

	for (int i = 0; i < 1000; i++)
		len += (size_t)snprintf(head + len, sizeof(head) - len, "p%d=%d&", i, i);
	snprintf(head + len, sizeof(head) - len, "key=a HTTP/1.1\r\nHost: x\r\n\r\n");
	base = site_start(LISTENER_LOOKUP, NULL);
	expect_refusal(raw(base, head), 400, "bad-parameter", "more than 64");
	site_stop();
}
END_TEST

START_TEST(requests_sent_ahead_are_answered_in_turn)
{
	enum { REQUESTS = 500 };
	static char heads[REQUESTS * 64];
	size_t len = 0;
	int fd;

	for (int i = 0; i < REQUESTS; i++)
		len += (size_t)snprintf(heads + len, sizeof(heads) - len,
		    "GET /owner?key=%03d HTTP/1.1\r\nHost: x\r\n\r\n", i);
	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	raw_send(fd, heads, len);
	for (int i = 0; i < REQUESTS; i++) {
		char want[16], key[16];

		snprintf(key, sizeof(key), "%03d", i);
		snprintf(want, sizeof(want), "%02x%02x%02x", key[0], key[1], key[2]);
		expect_body(raw_answer(fd, 5000), want);
	}
	close(fd);
	site_stop();
}
END_TEST

START_TEST(head_is_get_without_its_body)
{
	static const char two[] =
	    "HEAD /owner?key=abc HTTP/1.1\r\nHost: x\r\n\r\n"
	    "HEAD /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
	    "HEAD /spool?bytes=2000000 HTTP/1.1\r\nHost: x\r\n\r\n"
	    "GET /status?status=204 HTTP/1.1\r\nHost: x\r\n\r\n"
	    "GET /owner?key=a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
	static char all[65536];
	size_t len = 0;
	ssize_t got;
	int fd;

	base = site_start(LISTENER_LOOKUP, NULL);
	fd = raw_open(base);
	raw_send(fd, two, sizeof(two) - 1);
	while ((got = recv(fd, all + len, sizeof(all) - 1 - len, 0)) > 0)
		len += (size_t)got;
	ck_assert_ptr_nonnull(strstr(all, "Content-Length: 6\r\n"));
	ck_assert_ptr_nonnull(strstr(all, "Content-Length: 2000000\r\n"));
	/* After each head comes the next one: no body in between. */
	for (char *at = all; (at = strstr(at, "\r\n\r\n")) != NULL;) {
		at += 4;
		ck_assert_msg(strncmp(at, "HTTP/1.1 ", 9) == 0 || strcmp(at, "61") == 0,
		    "%s\n--\n%s", all, at);
	}
	ck_assert_uint_eq(len > 2 && strcmp(all + len - 2, "61") == 0, 1);
	ck_assert_ptr_nonnull(strstr(all, "HTTP/1.1 404"));
	close(fd);
	site_stop();
}
END_TEST

START_TEST(a_length_that_is_not_known_is_not_told)
{
	static const char *const heads[] = {"HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n",
	    "GET /status?status=304 HTTP/1.1\r\nHost: x\r\n\r\n"};

	base = site_start(LISTENER_LOOKUP, NULL);
	for (size_t i = 0; i < 2; i++) {
		char all[4096];
		size_t len = 0;
		ssize_t got;
		int fd = raw_open(base);

		raw_send(fd, heads[i], strlen(heads[i]));
		while ((got = recv(fd, all + len, sizeof(all) - 1 - len, 0)) > 0)
			len += (size_t)got;
		all[len] = '\0';
		ck_assert_ptr_null(strstr(all, "Content-Length"));
		ck_assert_str_eq(strstr(all, "\r\n\r\n"), "\r\n\r\n");
		close(fd);
	}
	site_stop();
	ck_assert_int_eq(site_freed, 1);
}
END_TEST

START_TEST(a_wrong_method_is_told_which_are_right)
{
	base = site_start(LISTENER_ADMIN, NULL);
	expect_header(raw(base, "PUT /thing/a HTTP/1.1\r\nHost: localhost\r\n\r\n"), "Allow",
	    "GET, HEAD, POST");
	expect_header(raw(base, "PUT /thing/known HTTP/1.1\r\nHost: localhost\r\n\r\n"), "Allow",
	    "GET, HEAD");
	site_stop();
}
END_TEST

START_TEST(every_error_has_a_status)
{
	static const struct {
		const char *code;
		long status;
	} errors[] = {{"no-servers", 503}, {"too-many", 400}, {"bad-server", 400}, {"bad-key", 400},
	    {"bad-copies", 400}, {"bad-weight", 400}, {"bad-address", 400}, {"bad-zone", 400},
	    {"bad-pool", 400}, {"bad-json", 400}, {"bad-field", 400}, {"bad-parameter", 400},
	    {"unknown-path", 404}, {"unknown-pool", 404}, {"unknown-node", 404},
	    {"unknown-plan", 404}, {"unknown-epoch", 404}, {"bad-method", 405}, {"bad-type", 415},
	    {"not-draining", 409}, {"keys-at-risk", 409}, {"too-much-moved", 409},
	    {"pool-not-empty", 409}, {"keys-changed", 409}, {"conflict", 409}, {"stale-epoch", 412},
	    {"precondition-required", 428}, {"timeout", 408}, {"too-large", 413}, {"busy", 429},
	    {"unauthorized", 401}, {"forbidden", 403}, {"read-only", 403}, {"store-failed", 503},
	    {"internal", 500}};

	base = site_start(LISTENER_LOOKUP, NULL);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		char head[128];
		struct answer *a;

		snprintf(head, sizeof(head),
		    "GET /status?code=%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		    errors[i].code);
		a = raw(base, head);
		expect_refusal(a, errors[i].status, errors[i].code, "as asked");
		ck_assert_int_eq(header(a, "Retry-After") != NULL,
		    errors[i].status == 429 || strcmp(errors[i].code, "no-servers") == 0);
	}
	site_stop();
}
END_TEST

static void
with_a_name(struct config *c)
{
	free(c->http.hosts);
	c->http.hosts = calloc(1, sizeof(c->http.hosts[0]));
	c->http.hosts[0] = strdup("admin.example");
	c->http.host_count = 1;
}

START_TEST(the_admin_listener_asks_who_it_is_taken_for)
{
	static const struct {
		const char *host, *origin;
		long status;
	} asks[] = {{"localhost", NULL, 200}, {"LocalHost:9", NULL, 200},
	    {"127.0.0.1:7071", NULL, 200}, {"127.9.9.9", NULL, 200}, {"[::1]:7071", NULL, 200},
	    {"Admin.Example:7071", NULL, 200}, {"evil.example", NULL, 403},
	    {"localhost.evil.example", NULL, 403}, {"10.0.0.1", NULL, 403}, {"", NULL, 403},
	    {"[::1", NULL, 403}, {"1.2.3.4:80", NULL, 403},
	    {"localhost:7071", "http://localhost:7071", 200},
	    {"localhost", "http://localhost:80", 200}, {"localhost:80", "http://LOCALHOST", 200},
	    {"localhost:7071", "http://localhost:7070", 403},
	    {"localhost:7071", "https://localhost:7071", 403},
	    {"localhost:7071", "http://127.0.0.1:7071", 403}, {"localhost:7071", "null", 403},
	    {"localhost:7071", "", 403}};

	base = site_start(LISTENER_ADMIN, with_a_name);
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		char head[256];
		struct answer *a;

		snprintf(head, sizeof(head), "GET /owner?key=a HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n",
		    asks[i].host, asks[i].origin == NULL ? "" : "Origin: ",
		    asks[i].origin == NULL ? "" : asks[i].origin,
		    asks[i].origin == NULL ? "" : "\r\n");
		a = raw(base, head);
		ck_assert_msg(a->status == asks[i].status, "Host %s, Origin %s: %ld %s",
		    asks[i].host, asks[i].origin, a->status, a->body);
	}
	expect_refusal(raw(base, "GET /owner?key=a HTTP/1.0\r\n\r\n"), 403, "forbidden", "Host");
	expect_refusal(
	    raw(base, "GET http://evil.example/owner?key=a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
	    403, "forbidden", "evil.example");
	site_stop();
}
END_TEST

SUITE(http_parsing)
{
	tcase_add_loop_test(
	    tests, a_head_is_read_to_the_letter, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tests, what_the_library_refuses_is_answered_and_closed);
	tcase_add_test(tests, a_second_request_is_never_smuggled);
	tcase_add_test(tests, a_thousand_parameters_get_an_answer);
	tcase_add_test(tests, requests_sent_ahead_are_answered_in_turn);
	tcase_add_test(tests, head_is_get_without_its_body);
	tcase_add_test(tests, a_length_that_is_not_known_is_not_told);
	tcase_add_test(tests, a_wrong_method_is_told_which_are_right);
	tcase_add_test(tests, every_error_has_a_status);
	tcase_add_test(tests, the_admin_listener_asks_who_it_is_taken_for);
}
