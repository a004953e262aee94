/*
 * http_limits_test.c - nobody holds a connection for nothing, and nobody takes
 * all there are; and who may listen where.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "daemon/http/accept.h"
#include "daemon/http/listen.h"
#include "daemon/http/own_socket.h"
#include "tests/dsl/http.h"
#include "tests/dsl/site.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

#include <netinet/in.h>

static const char *base;

#define SAY(fd, text) raw_send(fd, text, sizeof(text) - 1)

static void
hasty(struct config *c)
{
	c->http.head_seconds = 1;
	c->http.body_seconds = 1;
	c->http.idle_seconds = 1;
}

/* Sends a byte every 100 ms until the daemon says something. */
static struct answer *
trickle(int fd, const char *bytes)
{
	struct timeval patience = {.tv_usec = 100000};
	char byte;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (int i = 0; i < 60; i++) {
		raw_send(fd, &bytes[(size_t)i % strlen(bytes)], 1);
		if (recv(fd, &byte, 1, MSG_PEEK) >= 0)
			break;
	}
	return raw_answer(fd, 1000);
}

START_TEST(a_head_that_never_ends_is_ended)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, hasty);
	fd = raw_open(base);
	SAY(fd, "GET /owner?key=");
	expect_refusal(trickle(fd, "a"), 408, "timeout", "head");
	close(fd);
	fd = raw_open(base);
	SAY(fd, "GET /owner?key=a HTTP/1.1\r\nHost: x\r\nX: ");
	expect_refusal(trickle(fd, "a"), 408, "timeout", "head");
	close(fd);
	/* Also after a request that went well. */
	fd = raw_open(base);
	SAY(fd, "GET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n");
	expect_body(raw_answer(fd, 1000), "61");
	expect_refusal(trickle(fd, "a"), 408, "timeout", "head");
	close(fd);
	site_stop();
}
END_TEST

START_TEST(a_body_that_never_ends_is_ended)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, hasty);
	fd = raw_open(base);
	SAY(fd, "POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
	expect_refusal(trickle(fd, "a"), 408, "timeout", "body");
	close(fd);
	fd = raw_open(base);
	SAY(fd, "POST /feed HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
	expect_refusal(trickle(fd, "1\r\na\r\n"), 408, "timeout", "body");
	close(fd);
	site_stop();
	ck_assert_int_eq(site_freed, 1);
}
END_TEST

/* Their last bytes and their end come together, so that no edge is left for the
 * end: the deadline, of 300 seconds here, is not what lets them go. */
START_TEST(who_goes_away_amid_a_request_is_let_go_within_seconds)
{
	enum { CLIENTS = 100, PART = 45000 };
	static const char *const heads[] = {
	    "POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",
	    "POST /whole HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n",
	};
	const struct timeval patience = {.tv_sec = 5};
	static char part[PART];
	int fd[CLIENTS];
	char byte;

	base = site_start(LISTENER_LOOKUP, NULL);
	memset(part, 'a', sizeof(part));
	for (int i = 0; i < CLIENTS; i++) {
		fd[i] = raw_open(base);
		setsockopt(fd[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		raw_send(fd[i], heads[i % 2], strlen(heads[i % 2]));
		raw_send(fd[i], part, sizeof(part));
		shutdown(fd[i], SHUT_WR);
	}
	for (int i = 0; i < CLIENTS; i++) {
		ck_assert_msg(recv(fd[i], &byte, 1, 0) == 0 || errno == ECONNRESET,
		    "client %d is still there: %s", i, strerror(errno));
		close(fd[i]);
	}
	site_stop();
}
END_TEST

START_TEST(who_ends_with_a_request_is_answered_and_let_go_within_seconds)
{
	const struct timeval patience = {.tv_sec = 5};
	int fd[10];
	char byte;

	base = site_start(LISTENER_LOOKUP, NULL);
	for (int i = 0; i < 10; i++) {
		fd[i] = raw_open(base);
		SAY(fd[i], "GET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n");
		shutdown(fd[i], SHUT_WR);
	}
	for (int i = 0; i < 10; i++) {
		expect_body(raw_answer(fd[i], 2000), "61");
		setsockopt(fd[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		ck_assert_int_eq(recv(fd[i], &byte, 1, 0), 0);
		close(fd[i]);
	}
	site_stop();
}
END_TEST

START_TEST(an_idle_connection_is_closed_and_one_that_waits_is_not)
{
	char byte;
	int fd, waits;

	base = site_start(LISTENER_LOOKUP, hasty);
	fd = raw_open(base);
	waits = raw_open(base);
	SAY(waits, "GET /wait?ms=2500 HTTP/1.1\r\nHost: x\r\n\r\n");
	SAY(fd, "GET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n");
	expect_body(raw_answer(fd, 1000), "61");
	ck_assert_int_eq(recv(fd, &byte, 1, 0), 0);
	close(fd);
	expect_body(raw_answer(waits, 4000), "0 0");
	close(waits);
	site_stop();
}
END_TEST

static void
few(struct config *c)
{
	c->http.connections = 3;
	c->http.head_seconds = 5;
}

START_TEST(a_connection_too_many_is_told_so)
{
	int fd[3], more;

	base = site_start(LISTENER_LOOKUP, few);
	for (size_t i = 0; i < 3; i++) {
		fd[i] = raw_open(base);
		SAY(fd[i], "GET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n");
		expect_body(raw_answer(fd[i], 1000), "61");
	}
	more = raw_open(base);
	SAY(more, "GET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n");
	{
		struct answer *a = raw_answer(more, 1000);

		expect_refusal(a, 429, "busy", "limits.connections");
		expect_header(a, "Retry-After", "1");
		expect_header(a, "Connection", "close");
	}
	close(more);
	/* One that asks for nothing does not hold its place for long. */
	more = raw_open(base);
	expect_refusal(raw_answer(more, 4000), 429, "busy", NULL);
	close(more);
	close(fd[0]);
	usleep(100000);
	expect_body(raw(base, "GET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n"), "61");
	close(fd[1]);
	close(fd[2]);
	site_stop();
}
END_TEST

START_TEST(an_address_has_its_share_and_loopback_all)
{
	struct config *c = config_new();
	struct sockaddr_in peer = {.sin_family = AF_INET};
	struct accept_place place[5], other;

	c->http.connections_per_address = 3;
	peer.sin_addr.s_addr = htonl(0x0a000001);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(
		    accept_enter(&place[i], LISTENER_LOOKUP, (struct sockaddr *)&peer, &c->http),
		    i < 3);
	peer.sin_addr.s_addr = htonl(0x0a000002);
	ck_assert(accept_enter(&other, LISTENER_LOOKUP, (struct sockaddr *)&peer, &c->http));
	accept_leave(&place[0]);
	accept_leave(&place[1]);
	accept_leave(&place[2]);
	peer.sin_addr.s_addr = htonl(0x0a000001);
	ck_assert(accept_enter(&place[0], LISTENER_LOOKUP, (struct sockaddr *)&peer, &c->http));
	peer.sin_addr.s_addr = htonl(0x7f000001);
	for (int i = 0; i < 5; i++)
		ck_assert(
		    accept_enter(&other, LISTENER_LOOKUP, (struct sockaddr *)&peer, &c->http));
	config_free(c);
}
END_TEST

START_TEST(an_address_is_well_formed)
{
	static const char *const good[] = {"127.0.0.1:7070", "[::1]:7070", "localhost:0",
	    "cache.example:65535", "unix:/run/hrwd.sock"};
	static const char *const bad[] = {"", "7070", ":7070", "127.0.0.1",
	    "127.0.0.1:", "::1:7070", "[::1]", "[::1:7070", "[x]:1", "h:65536", "h:-1", "h:+1",
	    "h: 1", "h:1x", "unix:", "unix:run/x", "[]:1"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(listen_check(good[i], NULL) == 0, "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(listen_check(bad[i], NULL) == HRW_BAD_ADDRESS, "%s", bad[i]);
	ck_assert(listen_is_local("127.8.8.8:1") && listen_is_local("[::1]:1") &&
		  listen_is_local("localhost:1") && listen_is_local("unix:/x"));
	ck_assert(!listen_is_local("0.0.0.0:1") && !listen_is_local("[::]:1") &&
		  !listen_is_local("cache.example:1") && !listen_is_local("128.0.0.1:1"));
}
END_TEST

/* Does another process get the address? 0: yes. */
static int
another_opens(const char *address)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct hrw_fault fault = {0};
		char bound[128];
		int fd, rc = listen_open(address, NULL, 1, &fd, bound, &fault);

		_exit(rc == 0				       ? 0
		      : strstr(fault.detail, address) == NULL  ? 2
		      : strstr(fault.detail, "in use") == NULL ? 3
							       : 1);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

START_TEST(a_port_in_use_is_refused_by_name)
{
	struct sockaddr_in name = {.sin_family = AF_INET};
	struct hrw_fault fault;
	char bound[128], address[128];
	int fds[4], fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	socklen_t len = sizeof(name);

	ck_assert_int_eq(listen_open("127.0.0.1:0", NULL, 4, fds, bound, &fault), 0);
	ck_assert_int_eq(another_opens(bound), 1);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(another_opens(bound), 1);
		close(fds[i]);
	}
	ck_assert_int_eq(another_opens(bound), 0);
	/* One socket is shared with nobody, not even of our own user. */
	ck_assert_int_eq(listen_open(bound, NULL, 1, fds, address, &fault), 0);
	getsockname(fds[0], (struct sockaddr *)&name, &len);
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	ck_assert_int_lt(bind(fd, (struct sockaddr *)&name, len), 0);
	name.sin_port = 0;
	close(fds[0]);
	/* Another program that shares its port, as we would, is noticed too. */
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	bind(fd, (struct sockaddr *)&name, sizeof(name));
	listen(fd, 1);
	getsockname(fd, (struct sockaddr *)&name, &len);
	snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(name.sin_port));
	ck_assert_int_eq(another_opens(address), 1);
	close(fd);
	ck_assert_int_eq(another_opens(address), 0);
	ck_assert_int_eq(
	    listen_open("no.such.host.invalid:1", NULL, 1, fds, bound, &fault), HRW_INTERNAL);
}
END_TEST

START_TEST(workers_share_a_port)
{
	struct hrw_fault fault;
	char bound[128], url[160];
	int fds[3], connected = 0;

	ck_assert_int_eq(listen_open("127.0.0.1:0", NULL, 3, fds, bound, &fault), 0);
	snprintf(url, sizeof(url), "http://%s", bound);
	for (int i = 0; i < 30; i++)
		connected += raw_open(url) >= 0;
	ck_assert_int_eq(connected, 30);
}
END_TEST

START_TEST(a_unix_socket_replaces_a_dead_one_and_says_who_asks)
{
	char folder[] = "/tmp/hrwd-listen-XXXXXX", path[64], address[72];
	struct stat found;
	struct answer *a;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	snprintf(address, sizeof(address), "unix:%s", path);
	if (fork() == 0) {
		char bound[128];
		int fd;

		_exit(listen_open(address, NULL, 1, &fd, bound, NULL) != 0);
	}
	wait(NULL);
	ck_assert_int_eq(stat(path, &found), 0);
	base = site_start_unix(path, LISTENER_ADMIN, NULL);
	ck_assert_int_eq(stat(path, &found), 0);
	ck_assert_uint_eq(found.st_mode & 0777, 0660);
	ck_assert_int_eq(another_opens(address), 1);
	/* Whoever may open it needs no Host of ours. */
	a = raw(base, "GET /owner?key=a HTTP/1.1\r\nHost: x\r\n\r\n");
	expect_body(a, "61");
	ck_assert_int_eq(strncmp(header(a, "Hrw-By"), "uid:", 4), 0);
	site_stop();
	ck_assert_int_eq(stat(path, &found), -1);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(a_file_in_the_way_of_a_unix_socket_stays)
{
	char path[] = "/tmp/hrwd-listen-XXXXXX", address[64], bound[128];
	struct hrw_fault fault;
	struct stat found;
	int fd;

	close(mkstemp(path));
	snprintf(address, sizeof(address), "unix:%s", path);
	ck_assert_int_eq(listen_open(address, NULL, 1, &fd, bound, &fault), HRW_INTERNAL);
	ck_assert_ptr_nonnull(strstr(fault.detail, "no socket"));
	ck_assert_int_eq(stat(path, &found), 0);
	unlink(path);
}
END_TEST

static void
patient_with_bodies(struct config *c)
{
	c->http.idle_seconds = 1;
	c->http.body_seconds = 2;
}

START_TEST(a_body_that_stalls_is_answered_by_its_own_deadline_not_by_idleness)
{
	int fd;

	base = site_start(LISTENER_LOOKUP, patient_with_bodies);
	fd = raw_open(base);
	SAY(fd, "POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab");
	expect_refusal(raw_answer(fd, 5000), 408, "timeout", "body");
	close(fd);
	site_stop();
}
END_TEST

/* Does a user reach the socket beside an address? 1: yes, 0: no, 2: it cannot be tried. */
static int
reaches(uid_t user, const char *bound)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (setresuid(user, user, user) < 0)
			_exit(2);
		_exit(own_socket_connect(bound, 5) >= 0);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

START_TEST(a_health_check_asks_only_its_own_user)
{
	enum { DAEMON = 54321, STRANGER };
	const char *bound = text("127.0.0.1:%ld", 100000 + (long)getpid());
	int told[2], status;
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(told), 0);
	pid = fork();
	if (pid == 0) {
		/* As a stranger who has taken the name, or as the daemon. */
		if (setresuid(DAEMON, DAEMON, DAEMON) < 0 || own_socket_listen(bound) < 0)
			_exit(2);
		_exit(write(told[1], "x", 1) != 1 || pause() != 0);
	}
	close(told[1]);
	if (read(told[0], &byte, 1) == 1) {
		ck_assert_int_eq(reaches(DAEMON, bound), 1);
		ck_assert_int_eq(reaches(STRANGER, bound), 0);
		ck_assert_int_eq(reaches(getuid(), bound), 1);
		ck_assert_int_lt(own_socket_listen(bound), 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(told[0]);
}
END_TEST

SUITE(http_limits)
{
	tcase_add_test(tests, a_head_that_never_ends_is_ended);
	tcase_add_test(tests, a_body_that_never_ends_is_ended);
	tcase_add_test(tests, who_goes_away_amid_a_request_is_let_go_within_seconds);
	tcase_add_test(tests, who_ends_with_a_request_is_answered_and_let_go_within_seconds);
	tcase_add_test(tests, an_idle_connection_is_closed_and_one_that_waits_is_not);
	tcase_add_test(tests, a_connection_too_many_is_told_so);
	tcase_add_test(tests, an_address_has_its_share_and_loopback_all);
	tcase_add_test(tests, an_address_is_well_formed);
	tcase_add_test(tests, a_port_in_use_is_refused_by_name);
	tcase_add_test(tests, a_health_check_asks_only_its_own_user);
	tcase_add_test(tests, workers_share_a_port);
	tcase_add_test(tests, a_unix_socket_replaces_a_dead_one_and_says_who_asks);
	tcase_add_test(tests, a_file_in_the_way_of_a_unix_socket_stays);
	tcase_add_test(tests, a_body_that_stalls_is_answered_by_its_own_deadline_not_by_idleness);
}
