/*
 * abuse_test.c - nobody can take a CPU, block another client, or stop a change by
 * talk that is half-done: what the daemon spends is counted in ticks of its CPU time.
 */
#include <sys/socket.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#include "tests/dsl/certificates.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/talk.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

enum {
	CLIENTS = 40,
	LINE = 60000, /* longer than any connection's buffer */
	HOLD_MS = 1500,
	TICKS_MAX = 30, /* of 150 that a loop which spins would take meanwhile */
	LOOKUPS = 200,
};

#define PAIR "\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/server.key\""

static struct daemon *
start_tls(void)
{
	struct daemon *d = daemon_prepare(text("{\"tls\":{" PAIR "},%s", &FLEET_CONFIG("")[1]),
	    "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);

	certificate_make((struct certificate){.dir = d->dir, .name = "ca", .is_ca = 1});
	certificate_make((struct certificate){.dir = d->dir, .name = "server", .issuer = "ca"});
	daemon_launch(d);
	trust(daemon_path(d, "ca.pem"), NULL, NULL);
	return d;
}

static void
expect_rest(const struct daemon *d, const char *when)
{
	long before = daemon_ticks(d), spent;

	pause_ms(HOLD_MS);
	spent = daemon_ticks(d) - before;
	ck_assert_msg(spent < TICKS_MAX, "%ld ticks %s", spent, when);
}

static void
expect_lookups(const struct daemon *d)
{
	for (int i = 0; i < LOOKUPS; i++)
		expect_status(get(d->lookup, text("/owner?key=k%d", i)), 200);
}

/* A session of TLS on a descriptor, as a client that trusts anybody. */
static gnutls_session_t
tls_over(int fd)
{
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t session;

	ck_assert_int_eq(gnutls_certificate_allocate_credentials(&credentials), 0);
	ck_assert_int_eq(gnutls_init(&session, GNUTLS_CLIENT), 0);
	gnutls_set_default_priority(session);
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
	gnutls_transport_set_int(session, fd);
	ck_assert_int_eq(gnutls_handshake(session), 0);
	return session;
}

static void
tls_say(gnutls_session_t session, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t sent = gnutls_record_send(session, data, len);

		if (sent <= 0)
			return;
		data += sent;
		len -= (size_t)sent;
	}
}

/* "POST … chunked", then a line of a chunk's size that goes on and on. */
static char *
endless_line(const char *path, const char *begin, char fill, size_t *len)
{
	char *all = text("POST %s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
			 "\r\n%s",
	    path, begin);
	size_t head = strlen(all);
	char *whole = kept(malloc(head + LINE));

	memcpy(whole, all, head);
	memset(whole + head, fill, LINE);
	*len = head + LINE;
	return whole;
}

START_TEST(an_endless_line_of_a_chunk_is_refused_at_once)
{
	static const struct {
		const char *path, *begin;
		char fill;
		int is_admin;
	} lines[] = {{"/owners", "5;", 'x', 0}, {"/owners", "0", '0', 0},
	    {"/owners", "1\r\na\r\n5;", 'x', 0}, {"/owners", "5;", 'x', 1}, {"/keys", "5;", 'x', 1},
	    {"/nodes", "0", '0', 1}, {"/nowhere", "5;", 'x', 1}};
	struct daemon *d = daemon_start(FLEET_CONFIG(""), NULL);
	const size_t count = sizeof(lines) / sizeof(*lines);
	int fd[CLIENTS];

	for (int i = 0; i < CLIENTS; i++) {
		size_t at = (size_t)i % count, len;
		const char *line =
		    endless_line(lines[at].path, lines[at].begin, lines[at].fill, &len);

		fd[i] = raw_open(lines[at].is_admin ? d->admin : d->lookup);
		raw_send(fd[i], line, len);
	}
	for (int i = 0; i < CLIENTS; i++) {
		struct talk t = talk_hear(fd[i], 0, 3000);

		ck_assert_msg(t.answers == 1 && t.is_whole && t.has_ended && t.status[0] / 100 == 4,
		    "client %d (%s): %d answers, ended %d: %s", i, lines[(size_t)i % count].path,
		    t.answers, t.has_ended, t.said);
		free(t.said);
	}
	expect_rest(d, "while clients hold on that were refused");
	for (int i = 0; i < CLIENTS; i++)
		close(fd[i]);
	expect_rest(d, "when they have gone");
	expect_lookups(d);
	daemon_stop(d);
}
END_TEST

START_TEST(an_endless_line_of_a_chunk_is_refused_over_TLS)
{
	struct daemon *d = start_tls();
	gnutls_session_t session[4];
	size_t len;
	char *line = endless_line("/owners", "5;", 'x', &len), said[256];

	for (int i = 0; i < 4; i++) {
		int fd = raw_open(i % 2 == 0 ? d->lookup : d->admin);

		session[i] = tls_over(fd);
		gnutls_record_set_timeout(session[i], 3000);
		tls_say(session[i], line, len);
	}
	for (int i = 0; i < 4; i++) {
		ssize_t got = gnutls_record_recv(session[i], said, sizeof(said) - 1);

		ck_assert_msg(got > 0, "client %d: %s", i, gnutls_strerror((int)got));
		said[got] = '\0';
		ck_assert_ptr_nonnull(strstr(said, "HTTP/1.1 400"));
	}
	expect_rest(d, "while TLS clients hold on that were refused");
	expect_lookups(d);
	daemon_stop(d);
}
END_TEST

START_TEST(a_handshake_that_stops_takes_no_CPU)
{
	static const struct {
		const char *bytes;
		size_t len;
	} begun[] = {{"\x16", 1}, {"\x16\x03", 2}, {"\x16\x03\x01", 3}, {"\x16\x03\x01\x02\x00", 5},
	    {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11}, {"\x80", 1}, {"\x9c\x01", 2},
	    {"\xb4", 1}, {"\x17\x03\x03\x00", 4}, {"\x15\x03\x01\x00\x02\x01", 6}};
	struct daemon *d = start_tls();
	int fd[CLIENTS];

	for (int i = 0; i < CLIENTS; i++) {
		size_t at = (size_t)i % (sizeof(begun) / sizeof(*begun));

		fd[i] = raw_open(i % 4 == 3 ? d->admin : d->lookup);
		raw_send(fd[i], begun[at].bytes, begun[at].len);
	}
	expect_rest(d, "while handshakes stand still");
	expect_lookups(d);
	/* A byte more wakes one, and no more than one. */
	for (int i = 0; i < CLIENTS; i++)
		raw_send(fd[i], "\x01", 1);
	expect_rest(d, "after another byte of each");
	for (int i = 0; i < CLIENTS; i++)
		close(fd[i]);
	expect_rest(d, "when they have gone");
	expect_lookups(d);
	daemon_stop(d);
}
END_TEST

/* A handshake that comes byte by byte is one all the same. */
START_TEST(a_slow_handshake_succeeds_and_one_that_never_ends_is_ended)
{
	struct daemon *d = start_tls();
	int pair[2], fd = raw_open(d->lookup), never = raw_open(d->lookup);
	gnutls_session_t session;
	char byte;
	pid_t relay;

	raw_send(never, "\x16\x03\x01", 3);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	relay = fork();
	ck_assert_int_ge(relay, 0);
	if (relay == 0) {
		char piece[4096];

		close(pair[0]);
		for (;;) {
			ssize_t got = 0;

			if (raw_is_ready(fd, 0) && (got = recv(fd, piece, sizeof(piece), 0)) <= 0)
				_exit(0);
			raw_send(pair[1], piece, (size_t)got);
			if (raw_is_ready(pair[1], 1)) {
				if (recv(pair[1], piece, 1, 0) <= 0)
					_exit(0);
				raw_send(fd, piece, 1);
			}
		}
	}
	close(pair[1]);
	session = tls_over(pair[0]);
	tls_say(session, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", 33);
	gnutls_record_set_timeout(session, 5000);
	ck_assert_int_gt(gnutls_record_recv(session, &byte, 1), 0);
	close(pair[0]);
	/* head_seconds is 10; and a stop does not wait for it. */
	daemon_stop(d);
	ck_assert_int_le(recv(never, &byte, 1, 0), 0);
}
END_TEST

SUITE(abuse)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, an_endless_line_of_a_chunk_is_refused_at_once);
	tcase_add_test(tests, an_endless_line_of_a_chunk_is_refused_over_TLS);
	tcase_add_test(tests, a_handshake_that_stops_takes_no_CPU);
	tcase_add_test(tests, a_slow_handshake_succeeds_and_one_that_never_ends_is_ended);
}
