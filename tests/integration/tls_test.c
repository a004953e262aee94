/*
 * Listeners that speak TLS: which certificates are taken, shown, changed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#include "tests/dsl/certificates.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/dsl/tokens.h"

#define PAIR "\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/server.key\""
#define TLS  "\"tls\":{" PAIR "},"
#define MTLS "\"tls\":{" PAIR ",\"client_ca\":\"$DIR/ca.pem\"},"

/* A prepared fleet with an authority "ca" and what it signed: "server", "client". */
static struct daemon *
prepare(const char *options)
{
	struct daemon *d = daemon_prepare(text("{%s%s", options, &FLEET_CONFIG("")[1]), "--lookup",
	    "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);

	certificate_make((struct certificate){.dir = d->dir, .name = "ca", .is_ca = 1});
	certificate_make((struct certificate){.dir = d->dir, .name = "server", .issuer = "ca"});
	certificate_make(
	    (struct certificate){.dir = d->dir, .name = "client", .issuer = "ca", .is_client = 1});
	return d;
}

static struct daemon *
start(const char *options)
{
	struct daemon *d = prepare(options);

	daemon_launch(d);
	trust(daemon_path(d, "ca.pem"), NULL, NULL);
	return d;
}

START_TEST(both_listeners_speak_TLS_and_nothing_else)
{
	struct daemon *d = start(TLS);
	struct answer *a;

	ck_assert_int_eq(strncmp(d->lookup, "https://", 8), 0);
	ck_assert_int_eq(strncmp(d->admin, "https://", 8), 0);
	expect(get(d->lookup, "/owner?key=photo-7"), "owner", "'cache-d'");
	expect_status(keys_put(d, photos()), 200);
	expect(post(d->admin, "/nodes/cache-c/drain", NULL), "keys.changed", "13");
	/* A body of megabytes, streamed both ways. */
	expect_status(keys_put(d, numbered_keys("key-", 200000)), 200);
	a = expect_status(get(d->admin, "/keys"), 200);
	ck_assert_uint_gt(a->len, 2000000);
	a = expect_status(
	    ask(d->lookup, "POST", "/owners", NULL, numbered_keys("key-", 100000)), 200);
	ck_assert_uint_gt(a->len, 1000000);
	/* Plain HTTP gets no answer. */
	ck_assert_int_eq(get(text_replace(d->lookup, "https", "http"), "/livez")->status, 0);
	/* Nor does a client that trusts another authority. */
	trust("/etc/hostname", NULL, NULL);
	ck_assert_int_eq(get(d->lookup, "/livez")->status, 0);
	daemon_stop(d);
}
END_TEST

START_TEST(its_health_is_asked_over_TLS_too)
{
	struct daemon *d = start(TLS), *asks;

	asks = daemon_prepare(NULL, "--health", "--config", daemon_path(d, "hrwd.json"), "--lookup",
	    d->lookup + strlen("https://"), "--admin", "off", NULL);
	ck_assert_msg(daemon_exits_with(asks) == 0, "%s", daemon_log(asks));
	daemon_stop(d);
	ck_assert_int_eq(daemon_exits_with(asks), 1);
}
END_TEST

/* How a container is asked, whose every listener wants a client's certificate. */
static int
health_of(const struct daemon *d, struct daemon **asks)
{
	*asks =
	    daemon_prepare(NULL, "--health", "--config", daemon_path(d, "hrwd.json"), "--lookup",
		d->lookup + strlen("https://"), "--admin", d->admin + strlen("https://"), NULL);
	return daemon_exits_with(*asks);
}

START_TEST(its_health_is_asked_though_clients_need_a_certificate)
{
	struct daemon *d = start(MTLS), *asks;

	ck_assert_msg(health_of(d, &asks) == 0, "%s", daemon_log(asks));
	ck_assert_uint_eq(daemon_log_lines(asks), 0);
	daemon_stop(d);
	ck_assert_int_eq(health_of(d, &asks), 1);
	daemon_log_has(asks, "nobody answers");
}
END_TEST

static void
be_another_user(void)
{
	if (setresuid(54321, 54321, 54321) != 0)
		_exit(77);
}

static int
own_socket(const char *bound, bool is_listener)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "hrwd-health:%s", bound);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (is_listener)
		ck_assert(bind(fd, (struct sockaddr *)&name, size) == 0 && listen(fd, 8) == 0);
	else
		ck_assert_int_eq(connect(fd, (struct sockaddr *)&name, size), 0);
	return fd;
}

START_TEST(another_user_is_answered_nothing_beside_TLS)
{
	struct daemon *d = start(MTLS);
	static const char request[] = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int status = 0, fd = own_socket(d->lookup + strlen("https://"), false);
	pid_t pid;

	raw_send(fd, request, sizeof(request) - 1);
	expect_status(raw_answer(fd, 10000), 200);
	close(fd);
	pid = fork();
	if (pid == 0) {
		be_another_user();
		fd = own_socket(d->lookup + strlen("https://"), false);
		send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL);
		_exit(raw_answer(fd, 10000)->status == 0 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	ck_assert_msg(status == 0 || WEXITSTATUS(status) == 77, "%#x", (unsigned)status);
	daemon_stop(d);
}
END_TEST

START_TEST(a_stranger_who_has_the_name_beside_TLS_does_not_stop_it)
{
	struct daemon *d = start(TLS), *other, *asks;
	const char *lookup = text("%s", d->lookup + strlen("https://"));
	int fd;

	daemon_stop(d);
	fd = own_socket(lookup, true);
	other = daemon_prepare(NULL, "--config", daemon_path(d, "hrwd.json"), "--lookup", lookup,
	    "--admin", "127.0.0.1:0", "--store", "$DIR/hrwd.db", NULL);
	daemon_launch(other);
	daemon_log_has(other, "another process has the name of the socket for hrwd --health");
	expect_status(get(text("https://%s", lookup), "/livez"), 200);
	close(fd);
	/* Over TLS it is asked as before. */
	asks = daemon_prepare(NULL, "--health", "--config", daemon_path(d, "hrwd.json"), "--lookup",
	    lookup, "--admin", "off", NULL);
	ck_assert_msg(daemon_exits_with(asks) == 0, "%s", daemon_log(asks));
	daemon_stop(other);
}
END_TEST

START_TEST(an_address_may_stay_plain_and_a_unix_socket_always_does)
{
	struct daemon *d = daemon_prepare(
	    text("{\"listen\":{\"lookup\":{\"address\":\"127.0.0.1:0\",\"tls\":false},"
		 "\"admin\":[{\"address\":\"127.0.0.1:0\",\"tls\":true},\"unix:$DIR/admin.sock\"]},"
		 "%s%s",
		TLS, &FLEET_CONFIG("")[1]),
	    "--store", "$DIR/hrwd.db", NULL);

	certificate_make((struct certificate){.dir = d->dir, .name = "server"});
	daemon_launch(d);
	trust(daemon_path(d, "server.pem"), NULL, NULL);
	ck_assert_int_eq(strncmp(d->lookup, "http://", 7), 0);
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	ck_assert_int_eq(strncmp(d->admin, "https://", 8), 0);
	expect_status(get(d->admin, "/nodes"), 200);
	expect_status(get(text("unix:%s/admin.sock", d->dir), "/nodes"), 200);
	daemon_stop(d);
}
END_TEST

START_TEST(with_a_client_ca_only_its_clients_are_answered)
{
	struct daemon *d = start(MTLS);
	const char *ca = daemon_path(d, "ca.pem");

	certificate_make((struct certificate){.dir = d->dir, .name = "stranger", .is_client = 1});
	certificate_make((struct certificate){.dir = d->dir,
	    .name = "late",
	    .issuer = "ca",
	    .is_client = 1,
	    .from_s = -20,
	    .till_s = -10});
	trust(ca, daemon_path(d, "client.pem"), daemon_path(d, "client.key"));
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	expect_status(get(d->admin, "/nodes"), 200);
	trust(ca, NULL, NULL);
	ck_assert_int_eq(get(d->lookup, "/livez")->status, 0);
	trust(ca, daemon_path(d, "stranger.pem"), daemon_path(d, "stranger.key"));
	ck_assert_int_eq(get(d->lookup, "/livez")->status, 0);
	trust(ca, daemon_path(d, "late.pem"), daemon_path(d, "late.key"));
	ck_assert_int_eq(get(d->lookup, "/livez")->status, 0);
	/* A server's certificate is none of a client's. */
	trust(ca, daemon_path(d, "server.pem"), daemon_path(d, "server.key"));
	ck_assert_int_eq(get(d->lookup, "/livez")->status, 0);
	daemon_stop(d);
}
END_TEST

/* A TLS client of its own, for what curl does not do. */
struct session {
	int fd;
	gnutls_session_t tls;
	gnutls_certificate_credentials_t credentials;
};

static int
session_open(struct session *s, const char *base, const char *priorities)
{
	int rc;

	s->fd = raw_open(base);
	ck_assert_int_ge(s->fd, 0);
	gnutls_init(&s->tls, GNUTLS_CLIENT);
	gnutls_certificate_allocate_credentials(&s->credentials);
	gnutls_credentials_set(s->tls, GNUTLS_CRD_CERTIFICATE, s->credentials);
	ck_assert_int_eq(gnutls_priority_set_direct(s->tls, priorities, NULL), 0);
	gnutls_transport_set_int(s->tls, s->fd);
	gnutls_handshake_set_timeout(s->tls, 10000);
	do
		rc = gnutls_handshake(s->tls);
	while (rc < 0 && !gnutls_error_is_fatal(rc));
	return rc;
}

static void
session_close(struct session *s)
{
	gnutls_deinit(s->tls);
	gnutls_certificate_free_credentials(s->credentials);
	close(s->fd);
}

/* Asks over the open session; the status, 0 without an answer. */
static long
session_get(struct session *s, const char *path)
{
	const char *request = text("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	char answer[4096] = "";
	size_t len = 0, want = SIZE_MAX;
	long status = 0;

	if (gnutls_record_send(s->tls, request, strlen(request)) < 0)
		return 0;
	/* Head and body come in records of their own. */
	while (len < want && len < sizeof(answer) - 1) {
		ssize_t got = gnutls_record_recv(s->tls, answer + len, sizeof(answer) - 1 - len);
		const char *length, *body;

		if (got == GNUTLS_E_AGAIN || got == GNUTLS_E_INTERRUPTED)
			continue;
		if (got <= 0)
			return 0;
		len += (size_t)got;
		answer[len] = '\0';
		length = strstr(answer, "Content-Length: ");
		body = strstr(answer, "\r\n\r\n");
		if (length != NULL && body != NULL)
			want = (size_t)(body + 4 - answer) + strtoul(length + 16, NULL, 10);
	}
	sscanf(answer, "HTTP/1.1 %ld", &status);
	return status;
}

/* The name on the certificate that was shown. */
static unsigned
serial_of(struct session *s)
{
	unsigned count, sum = 0;
	const gnutls_datum_t *list = gnutls_certificate_get_peers(s->tls, &count);

	ck_assert_ptr_nonnull(list);
	for (unsigned i = 0; i < list[0].size; i++)
		sum = sum * 31 + list[0].data[i];
	return sum;
}

START_TEST(versions_before_1_2_are_refused)
{
	struct daemon *d = start(TLS);
	static const struct {
		const char *priorities;
		int is_taken;
	} rows[] = {
	    {"NORMAL:-VERS-ALL:+VERS-TLS1.3", 1},
	    {"NORMAL:-VERS-ALL:+VERS-TLS1.2", 1},
	    {"NORMAL:-VERS-ALL:+VERS-TLS1.1", 0},
	    {"NORMAL:-VERS-ALL:+VERS-TLS1.0", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct session s;
		int rc = session_open(&s, d->lookup, rows[i].priorities);

		ck_assert_msg((rc == 0) == rows[i].is_taken, "%s: %s", rows[i].priorities,
		    gnutls_strerror(rc));
		session_close(&s);
	}
	daemon_stop(d);
}
END_TEST

START_TEST(a_new_certificate_is_shown_to_new_connections_and_old_ones_go_on)
{
	struct daemon *d = start(TLS);
	struct session old, new;
	unsigned first;

	ck_assert_int_eq(session_open(&old, d->lookup, "NORMAL"), 0);
	ck_assert_int_eq(session_get(&old, "/livez"), 200);
	first = serial_of(&old);
	certificate_make((struct certificate){.dir = d->dir, .name = "server", .issuer = "ca"});
	kill(d->pid, SIGHUP);
	daemon_wait_log(d, "was read again");
	ck_assert_int_eq(session_get(&old, "/owner?key=a"), 200);
	ck_assert_int_eq(session_open(&new, d->lookup, "NORMAL"), 0);
	ck_assert_uint_ne(serial_of(&new), first);
	ck_assert_int_eq(session_get(&new, "/owner?key=a"), 200);
	ck_assert_int_eq(session_get(&old, "/owner?key=a"), 200);
	session_close(&new);

	session_close(&old);
	daemon_stop(d);
}
END_TEST

/* Has the certificate that is there read again, which is refused with these words. */
static void
refuse_certificate(const struct daemon *d, const char *words, struct session *old)
{
	struct session new;

	kill(d->pid, SIGHUP);
	daemon_wait_log(d, words);
	ck_assert_int_eq(session_open(&new, d->lookup, "NORMAL"), 0);
	ck_assert_uint_eq(serial_of(&new), serial_of(old));
	ck_assert_int_eq(session_get(&new, "/owner?key=a"), 200);
	ck_assert_int_eq(session_get(old, "/owner?key=a"), 200);
	session_close(&new);
}

START_TEST(a_certificate_that_is_broken_or_ended_leaves_the_good_one)
{
	struct daemon *d = start(TLS);
	struct session old;

	ck_assert_int_eq(session_open(&old, d->lookup, "NORMAL"), 0);
	certificate_make((struct certificate){
	    .dir = d->dir, .name = "server", .issuer = "ca", .from_s = -2000, .till_s = -1000});
	refuse_certificate(d, "server.pem ended at", &old);
	certificate_make((struct certificate){
	    .dir = d->dir, .name = "server", .issuer = "ca", .from_s = 1000, .till_s = 2000});
	refuse_certificate(d, "server.pem is not valid before", &old);
	daemon_write(d, "server.pem", "none", 4);
	refuse_certificate(d, "server.pem holds no certificate in PEM", &old);
	session_close(&old);
	daemon_stop(d);
}
END_TEST

/* Asks without a pause, on one connection as long as it lasts. */
static struct {
	struct daemon *d;
	atomic_long answered, failed;
	atomic_int is_over;
} load;

static void *
look_up(void *arg)
{
	struct session s;

	(void)arg;
	if (session_open(&s, load.d->lookup, "NORMAL") != 0) {
		atomic_fetch_add(&load.failed, 1);
		return NULL;
	}
	while (!atomic_load(&load.is_over))
		atomic_fetch_add(
		    session_get(&s, "/owner?key=a") == 200 ? &load.answered : &load.failed, 1);
	session_close(&s);
	return NULL;
}

START_TEST(a_hundred_reloads_under_load_drop_no_connection)
{
	enum { CLIENTS = 3 };
	pthread_t client[CLIENTS];

	load.d = start(TLS);
	for (int i = 0; i < CLIENTS; i++)
		ck_assert_int_eq(pthread_create(&client[i], NULL, look_up, NULL), 0);
	for (int i = 0; i < 100; i++) {
		if (i % 10 == 0)
			certificate_make((struct certificate){
			    .dir = load.d->dir, .name = "server", .issuer = "ca"});
		kill(load.d->pid, SIGHUP);
		pause_ms(10);
	}
	expect_status(get(load.d->admin, "/nodes"), 200);
	atomic_store(&load.is_over, 1);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(client[i], NULL);
	ck_assert_int_gt(atomic_load(&load.answered), 100);
	ck_assert_int_eq(atomic_load(&load.failed), 0);
	daemon_stop(load.d);
}
END_TEST

/* What a silent peer gets: an end, soon. */
static double
seconds_until_closed(int fd)
{
	double begun = now_ms();
	char piece[512];
	ssize_t got;

	do
		got = recv(fd, piece, sizeof(piece), 0);
	while (got > 0);
	return (now_ms() - begun) / 1000;
}

START_TEST(a_handshake_that_drips_and_a_head_that_does_not_end_are_cut)
{
	struct daemon *d = start("\"limits\":{\"head_seconds\":1},\"workers\":1," TLS);
	static const char begin[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
	struct session s;
	double seconds;
	char answer[2048];
	ssize_t got;
	int fd = raw_open(d->lookup);

	/* Nothing at all. */
	seconds = seconds_until_closed(fd);
	ck_assert_msg(seconds > 0.5 && seconds < 4, "%f", seconds);
	close(fd);
	/* A ClientHello, a byte now and then. */
	fd = raw_open(d->lookup);
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	for (size_t i = 0; i < 40 && recv(fd, answer, 1, MSG_PEEK) < 0; i++) {
		raw_send(fd, i < sizeof(begin) - 1 ? &begin[i] : "x", 1);
		pause_ms(100);
	}
	ck_assert_int_ge(recv(fd, answer, sizeof(answer), 0), 0);
	close(fd);
	/* Half a head within TLS: it is told why. */
	ck_assert_int_eq(session_open(&s, d->lookup, "NORMAL"), 0);
	ck_assert_int_gt(gnutls_record_send(s.tls, "GET /owner HTTP/1.1\r\nHost: ", 27), 0);
	got = gnutls_record_recv(s.tls, answer, sizeof(answer) - 1);
	ck_assert_int_gt(got, 0);
	answer[got] = '\0';
	ck_assert_msg(strstr(answer, "408") != NULL, "%s", answer);
	session_close(&s);
	/* Others are answered all along. */
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	daemon_stop(d);
}
END_TEST

/* Requests that come in one record are all answered: what GnuTLS holds back is
 * asked for though the socket is silent. */
START_TEST(requests_in_one_record_are_all_answered)
{
	enum { REQUESTS = 20 };
	struct daemon *d = start(TLS);
	struct page page = {0}, answers = {0};
	struct session s;
	char piece[4096];
	int count = 0;

	for (int i = 0; i < REQUESTS; i++)
		page_add(&page, "GET /owner?key=%d HTTP/1.1\r\nHost: localhost\r\n\r\n", i);
	ck_assert_int_eq(session_open(&s, d->lookup, "NORMAL"), 0);
	gnutls_record_set_timeout(s.tls, 5000);
	ck_assert_int_eq(gnutls_record_send(s.tls, page.data, page.len), (int)page.len);
	while (count < REQUESTS) {
		ssize_t got = gnutls_record_recv(s.tls, piece, sizeof(piece));

		ck_assert_msg(got > 0, "%d answers, then %s", count, gnutls_strerror((int)got));
		page_bytes(&answers, piece, (size_t)got);
		count = 0;
		for (const char *at = answers.data; (at = strstr(at, "HTTP/1.1 200")); at++)
			count++;
	}
	session_close(&s);
	free(page.data);
	free(answers.data);
	daemon_stop(d);
}
END_TEST

START_TEST(with_tokens_a_page_of_the_same_place_is_one_of_https)
{
	struct daemon *d = fleet_with_tokens(
	    "\"auth\":{\"tokens\":\"$DIR/tokens\"},\"tls\":{" PAIR "},", token_lines());
	const char *host;

	certificate_make((struct certificate){.dir = d->dir, .name = "server"});
	daemon_launch(d);
	trust(daemon_path(d, "server.pem"), NULL, NULL);
	host = d->admin + strlen("https://");
	expect_status(
	    ask(d->admin, "GET", "/nodes",
		text("Authorization: Bearer token-of-read\nOrigin: https://%s", host), NULL),
	    200);
	expect_refusal(
	    ask(d->admin, "GET", "/nodes",
		text("Authorization: Bearer token-of-read\nOrigin: http://%s", host), NULL),
	    403, "forbidden", "https://");
	expect_refusal(get(d->admin, "/nodes"), 401, "unauthorized", NULL);
	daemon_stop(d);
}
END_TEST

/* Files that no daemon starts with: what is done to them, and what is said. */
static const struct {
	const char *options, *parts;
} bad[] = {
    {"\"tls\":{\"certificate\":\"$DIR/server.pem\"},", "/tls|tls.key"},
    {"\"tls\":{\"key\":\"$DIR/server.key\"},", "/tls|tls.certificate"},
    {"\"tls\":{\"client_ca\":\"$DIR/ca.pem\"},", "/tls|certificate"},
    {"\"tls\":{\"certificate\":\"$DIR/none.pem\",\"key\":\"$DIR/server.key\"},",
	"/tls/certificate|none.pem|No such file"},
    {"\"tls\":{\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/client.key\"},",
	"/tls/key|client.key|not that of the certificate"},
    {"\"tls\":{\"certificate\":\"$DIR/server.key\",\"key\":\"$DIR/server.key\"},",
	"/tls/certificate|server.key holds no certificate"},
    {"\"tls\":{\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/server.pem\"},",
	"/tls/key|chmod"},
    {"\"tls\":{\"certificate\":\"$DIR/server.pem\",\"key\":\"$DIR/open.key\"},",
	"/tls/key|everybody|chmod"},
    {"\"tls\":{\"certificate\":\"$DIR/old.pem\",\"key\":\"$DIR/old.key\"},",
	"/tls/certificate|old.pem ended at|renew"},
    {"\"tls\":{\"certificate\":\"$DIR/future.pem\",\"key\":\"$DIR/future.key\"},",
	"/tls/certificate|not valid before|clock"},
    {"\"tls\":{" PAIR ",\"client_ca\":\"$DIR/client.key\"},",
	"/tls/client_ca|client.key holds no certificate"},
    {"\"listen\":{\"lookup\":{\"address\":\"127.0.0.1:0\",\"tls\":true}},", "tls.certificate"},
    {"\"listen\":{\"lookup\":{\"address\":\"unix:$DIR/x\",\"tls\":true}}," TLS, "unix socket"},
};

START_TEST(what_no_listener_can_speak_with_is_said_at_start)
{
	struct daemon *d = daemon_prepare(
	    text("{%s%s", bad[_i].options, &FLEET_CONFIG("")[1]), "--store", "$DIR/hrwd.db", NULL);

	certificate_make((struct certificate){.dir = d->dir, .name = "ca", .is_ca = 1});
	certificate_make((struct certificate){.dir = d->dir, .name = "server"});
	certificate_make((struct certificate){.dir = d->dir, .name = "client"});
	certificate_make((struct certificate){.dir = d->dir, .name = "open"});
	ck_assert_int_eq(chmod(daemon_path(d, "open.key"), 0644), 0);
	ck_assert_int_eq(chmod(daemon_path(d, "server.pem"), 0644), 0);
	certificate_make(
	    (struct certificate){.dir = d->dir, .name = "old", .from_s = -20, .till_s = -10});
	certificate_make(
	    (struct certificate){.dir = d->dir, .name = "future", .from_s = 3600, .till_s = 7200});
	daemon_refuses_to_start(d, bad[_i].parts);
}
END_TEST

SUITE(tls)
{
	tcase_add_test(tests, both_listeners_speak_TLS_and_nothing_else);
	tcase_add_test(tests, its_health_is_asked_over_TLS_too);
	tcase_add_test(tests, its_health_is_asked_though_clients_need_a_certificate);
	tcase_add_test(tests, another_user_is_answered_nothing_beside_TLS);
	tcase_add_test(tests, a_stranger_who_has_the_name_beside_TLS_does_not_stop_it);
	tcase_add_test(tests, an_address_may_stay_plain_and_a_unix_socket_always_does);
	tcase_add_test(tests, with_a_client_ca_only_its_clients_are_answered);
	tcase_add_test(tests, versions_before_1_2_are_refused);
	tcase_add_test(tests, a_new_certificate_is_shown_to_new_connections_and_old_ones_go_on);
	tcase_add_test(tests, a_certificate_that_is_broken_or_ended_leaves_the_good_one);
	tcase_add_test(tests, a_hundred_reloads_under_load_drop_no_connection);
	tcase_add_test(tests, a_handshake_that_drips_and_a_head_that_does_not_end_are_cut);
	tcase_add_test(tests, requests_in_one_record_are_all_answered);
	tcase_add_test(tests, with_tokens_a_page_of_the_same_place_is_one_of_https);
	tcase_add_loop_test(
	    tests, what_no_listener_can_speak_with_is_said_at_start, 0, sizeof(bad) / sizeof(*bad));
}
