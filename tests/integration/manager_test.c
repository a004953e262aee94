/*
 * hrwd under a service manager: what it says on the notify socket, the sockets it
 * is handed, and the watchdog, with the test in systemd's place.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/dsl/fleet.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

/* Built without libsystemd, hrwd tells nobody anything. */
#ifdef HRWD_SYSTEMD

enum { PATIENCE_MS = 20000 };

/* The test as a manager: daemons that start from now on report to it. */
static int
manager_open(const struct daemon *d)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", daemon_path(d, "notify.sock"));
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	ck_assert_int_eq(setenv("NOTIFY_SOCKET", name.sun_path, 1), 0);
	return fd;
}

/* The next message; NULL when none comes in time. */
static char *
next_message(int fd, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char room[4096];
	ssize_t len;

	if (poll(&poll_fd, 1, timeout_ms) <= 0)
		return NULL;
	len = recv(fd, room, sizeof(room) - 1, 0);
	ck_assert_int_gt(len, 0);
	return text("%.*s", (int)len, room);
}

static const char *
expect_message(int fd, const char *part)
{
	const char *message = next_message(fd, PATIENCE_MS);

	ck_assert_msg(message != NULL, "no message with %s came", part);
	ck_assert_msg(strstr(message, part) != NULL, "wanted %s, got %s", part, message);
	return message;
}

START_TEST(readiness_is_told_when_it_serves_and_stopping_when_it_ends)
{
	struct daemon *d =
	    daemon_prepare(FLEET_CONFIG(""), "--lookup", "127.0.0.1:0", "--admin", "off", NULL);
	int manager = manager_open(d);
	const char *status;

	daemon_launch(d);
	status = expect_message(manager, "READY=1");
	/* What `systemctl status` shows: where it listens. */
	ck_assert_msg(
	    strstr(status, text("STATUS=lookup on %s", d->lookup + 7)) != NULL, "%s", status);
	ck_assert_ptr_nonnull(strstr(status, "admin off"));
	expect_status(get(d->lookup, "/readyz"), 200);
	ck_assert_ptr_null(next_message(manager, 0));
	daemon_stop(d);
	expect_message(manager, "STOPPING=1");
}
END_TEST

START_TEST(a_start_that_fails_says_why_and_never_that_it_is_ready)
{
	struct daemon *d = daemon_prepare(FLEET_CONFIG(""), "--lookup", "127.0.0.1:0", "--admin",
	    "off", "--store", "/nowhere/hrwd.db", NULL);
	int manager = manager_open(d);

	ck_assert_int_eq(daemon_exits_with(d), 1);
	ck_assert_ptr_null(strstr(expect_message(manager, "STATUS="), "READY"));
	ck_assert_ptr_null(next_message(manager, 0));
}
END_TEST

static void
reload(const struct daemon *d, const char *config)
{
	daemon_write(d, "hrwd.json", config, strlen(config));
	ck_assert_int_eq(kill(d->pid, SIGHUP), 0);
}

START_TEST(a_reload_begins_with_its_time_and_ends_with_readiness)
{
	struct daemon *d =
	    daemon_prepare(FLEET_CONFIG(""), "--lookup", "127.0.0.1:0", "--admin", "off", NULL);
	int manager = manager_open(d);
	unsigned long long told = 0, before, after;
	struct timespec now;

	daemon_launch(d);
	expect_message(manager, "READY=1");
	clock_gettime(CLOCK_MONOTONIC, &now);
	before = (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
	reload(d, FLEET_CONFIG("\"limits\":{\"copies\":3},"));
	sscanf(expect_message(manager, "RELOADING=1\nMONOTONIC_USEC="),
	    "RELOADING=1\nMONOTONIC_USEC=%llu", &told);
	clock_gettime(CLOCK_MONOTONIC, &now);
	after = (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
	ck_assert_msg(
	    before <= told && told <= after, "%llu not in %llu..%llu", told, before, after);
	ck_assert_ptr_null(strstr(expect_message(manager, "READY=1"), "failed"));
	expect_status(get(d->lookup, "/replicas?key=a&copies=4"), 400);
	/* One that fails ends too, and says what was wrong. */
	reload(d, "{\"limts\":{}}");
	expect_message(manager, "RELOADING=1");
	ck_assert_ptr_nonnull(strstr(expect_message(manager, "READY=1"), "limts"));
	daemon_stop(d);
}
END_TEST

START_TEST(a_reload_of_a_plain_file_ends_when_its_pools_are_served)
{
	struct daemon *d = daemon_prepare("{\"store\":{\"file\":\"$DIR/pools.json\"}}", "--lookup",
	    "127.0.0.1:0", "--admin", "off", NULL);
	int manager = manager_open(d);
	static const char one[] =
	    "{\"default\":{\"nodes\":[{\"name\":\"a\",\"address\":\"h:1\"}]}}",
			  other[] =
			      "{\"default\":{\"nodes\":[{\"name\":\"b\",\"address\":\"h:1\"}]}}";

	daemon_write(d, "pools.json", one, strlen(one));
	daemon_launch(d);
	expect_message(manager, "READY=1");
	for (int i = 0; i < 6; i++) {
		const char *next = i % 2 == 0 ? other : one;

		daemon_write(d, "pools.json", next, strlen(next));
		kill(d->pid, SIGHUP);
		expect_message(manager, "RELOADING=1");
		expect_message(manager, "READY=1");
		expect(get(d->lookup, "/owner?key=k"), "owner", i % 2 == 0 ? "'b'" : "'a'");
	}
	daemon_stop(d);
}
END_TEST

static int
listen_on_port(char **url)
{
	struct sockaddr_in name = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(name);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	ck_assert_int_eq(listen(fd, 128), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&name, &len), 0);
	*url = text("http://127.0.0.1:%u", ntohs(name.sin_port));
	return fd;
}

static int
listen_on_path(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	ck_assert_int_eq(listen(fd, 128), 0);
	return fd;
}

START_TEST(sockets_handed_over_take_the_place_of_configured_ones)
{
	/* Port 1 of the documentation's network: nobody could listen there. */
	struct daemon *d = daemon_prepare(FLEET_CONFIG("\"workers\":3,"), "--lookup", "192.0.2.1:1",
	    "--admin", "192.0.2.1:1", NULL);
	const char *path = daemon_path(d, "admin.sock");
	char *lookup, *second;
	struct stat st;

	/* In any order, and several of one name. */
	daemon_hand_over(d, "lookup", listen_on_port(&lookup));
	daemon_hand_over(d, "admin", listen_on_path(path));
	daemon_hand_over(d, "lookup", listen_on_port(&second));
	daemon_launch(d);
	ck_assert_str_eq(d->lookup, lookup);
	ck_assert_str_eq(d->admin, text("unix:%s", path));
	for (int i = 0; i < 40; i++)
		expect(
		    get(i % 2 == 0 ? lookup : second, "/owner?key=photo-7"), "owner", "'cache-d'");
	expect_status(post(d->admin, "/nodes/cache-c/drain", NULL), 200);
	expect_status(post(lookup, "/nodes/cache-c/activate", NULL), 404);
	daemon_stop(d);
	/* They stay the manager's: the path too, and who connects meanwhile waits. */
	ck_assert_int_eq(stat(path, &st), 0);
	{
		static const char request[] =
		    "GET /nodes/cache-c HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
		int waiting = raw_open(lookup);
		struct answer *a;

		ck_assert_int_ge(waiting, 0);
		raw_send(waiting, request, sizeof(request) - 1);
		daemon_launch(d);
		a = raw_answer(waiting, PATIENCE_MS);
		expect_status(a, 200);
		ck_assert_ptr_nonnull(strstr(a->body, "draining"));
		close(waiting);
	}
	daemon_stop(d);
}
END_TEST

/* Connects, asks a moment later, and counts what it is answered until it is killed. */
static void
ask_on(const char *lookup, atomic_int *counts)
{
	static const char request[] =
	    "GET /owner?key=a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	char said[4096];

	for (;;) {
		int fd = raw_open(lookup);
		ssize_t got;

		if (fd < 0)
			continue;
		usleep(2000);
		raw_send(fd, request, sizeof(request) - 1);
		got = recv(fd, said, sizeof(said), 0);
		atomic_fetch_add(&counts[got > 12 && memcmp(said, "HTTP/1.1 200", 12) == 0], 1);
		close(fd);
	}
}

START_TEST(whoever_has_connected_is_answered_across_restarts)
{
	enum { CLIENTS = 6, RESTARTS = 12 };
	struct daemon *d = daemon_prepare(FLEET_CONFIG("\"workers\":2,"), NULL);
	/* Without an answer, and with one. */
	atomic_int *counts = mmap(
	    NULL, 2 * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t client[CLIENTS];
	char *lookup, *admin;

	ck_assert_ptr_ne(counts, MAP_FAILED);
	daemon_hand_over(d, "lookup", listen_on_port(&lookup));
	daemon_hand_over(d, "admin", listen_on_port(&admin));
	daemon_launch(d);
	for (int i = 0; i < CLIENTS; i++) {
		client[i] = fork();
		ck_assert_int_ge(client[i], 0);
		if (client[i] == 0)
			ask_on(lookup, counts);
	}
	for (int i = 0; i < RESTARTS; i++) {
		int before = counts[1];

		while (counts[1] < before + 2 * CLIENTS)
			usleep(1000);
		daemon_stop(d);
		daemon_launch(d);
	}
	for (int i = 0; i < CLIENTS; i++) {
		kill(client[i], SIGKILL);
		waitpid(client[i], NULL, 0);
	}
	ck_assert_msg(counts[0] == 0, "%d had no answer, %d had one", counts[0], counts[1]);
	daemon_stop(d);
}
END_TEST

/* Who never asks does not hold the stop for head_seconds, nor for stop_seconds. */
START_TEST(who_connects_and_asks_nothing_holds_the_stop_for_a_second)
{
	struct daemon *d = daemon_start(
	    FLEET_CONFIG("\"limits\":{\"head_seconds\":300,\"stop_seconds\":300},"), NULL);
	int fd[3] = {raw_open(d->lookup), raw_open(d->admin), raw_open(d->lookup)};
	char byte;

	raw_send(fd[2], "GE", 2);
	expect_status(get(d->lookup, "/owner?key=a"), 200);
	daemon_stop(d);
	for (int i = 0; i < 3; i++)
		ck_assert_int_le(recv(fd[i], &byte, 1, 0), 0);
}
END_TEST

/* What must not be handed over, and what is said of it. */
static const struct {
	const char *name;
	enum { NO_SOCKET, DATAGRAM, ADMIN_FOR_ALL, GOOD } kind;
	const char *said;
} bad_sockets[] = {
    {"lookups", GOOD, "lookups"},
    {"lookup", NO_SOCKET, "no listening"},
    {"lookup", DATAGRAM, "no listening"},
    {"admin", ADMIN_FOR_ALL, "token"},
};

static int
bad_socket(int kind)
{
	struct sockaddr_in name = {.sin_family = AF_INET};
	char *url;
	int fd;

	if (kind == GOOD)
		return listen_on_port(&url);
	if (kind == NO_SOCKET)
		return dup(STDERR_FILENO);
	fd = socket(AF_INET, (kind == DATAGRAM ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	if (kind != DATAGRAM)
		ck_assert_int_eq(listen(fd, 1), 0);
	return fd;
}

START_TEST(a_socket_that_cannot_serve_is_refused_and_named)
{
	struct daemon *d = daemon_prepare(
	    FLEET_CONFIG(""), "--lookup", "127.0.0.1:0", "--admin", "127.0.0.1:0", NULL);

	daemon_hand_over(d, bad_sockets[_i].name, bad_socket((int)bad_sockets[_i].kind));
	ck_assert_int_eq(daemon_exits_with(d), 2);
	ck_assert_msg(strstr(daemon_log(d), bad_sockets[_i].said) != NULL, "%s", daemon_log(d));
}
END_TEST

/* Counts the signs of life of so many milliseconds. */
static int
signs(int manager, int for_ms)
{
	double end = now_ms() + for_ms;
	int count = 0;

	for (double left; (left = end - now_ms()) > 0;) {
		const char *message = next_message(manager, (int)left + 1);

		if (message != NULL)
			count += strstr(message, "WATCHDOG=1") != NULL;
	}
	return count;
}

/* The thread of a process that has this name; fails the test without one. */
static pid_t
thread_named(pid_t pid, const char *name)
{
	DIR *tasks = opendir(text("/proc/%ld/task", (long)pid));
	pid_t found = 0;

	ck_assert_ptr_nonnull(tasks);
	for (struct dirent *e; found == 0 && (e = readdir(tasks)) != NULL;) {
		const char *comm =
		    text_file(text("/proc/%ld/task/%s/comm", (long)pid, e->d_name), NULL);

		if (comm != NULL && strncmp(comm, name, strlen(name)) == 0)
			found = (pid_t)atol(e->d_name);
	}
	closedir(tasks);
	ck_assert_msg(found != 0, "no thread is named %s", name);
	return found;
}

START_TEST(signs_of_life_stop_when_one_loop_hangs)
{
	/* The lookup loops have this name; the main loop has the program's. */
	static const char *const names[] = {"lookup", "hrwd"};
	struct daemon *d = daemon_prepare(
	    FLEET_CONFIG("\"workers\":2,"), "--lookup", "127.0.0.1:0", "--admin", "off", NULL);
	int manager = manager_open(d), status;
	pid_t thread;

	setenv("WATCHDOG_USEC", "600000", 1);
	daemon_launch(d);
	ck_assert_int_ge(signs(manager, 2000), 3);
	thread = thread_named(d->pid, names[_i]);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, thread, NULL, NULL), 0);
	ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(thread, &status, __WALL), thread);
	/* One may have been under way, for a sign given before. */
	signs(manager, 400);
	ck_assert_int_eq(signs(manager, 1000), 0);
	ck_assert_int_eq(ptrace(PTRACE_DETACH, thread, NULL, NULL), 0);
	ck_assert_int_ge(signs(manager, 2000), 3);
	daemon_stop(d);
}
END_TEST

START_TEST(nobody_who_waits_for_no_sign_gets_one)
{
	struct daemon *d =
	    daemon_prepare(FLEET_CONFIG(""), "--lookup", "127.0.0.1:0", "--admin", "off", NULL);
	int manager = manager_open(d);

	unsetenv("WATCHDOG_USEC");
	daemon_launch(d);
	ck_assert_int_eq(signs(manager, 500), 0);
	daemon_stop(d);
}
END_TEST

SUITE(manager)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, readiness_is_told_when_it_serves_and_stopping_when_it_ends);
	tcase_add_test(tests, a_start_that_fails_says_why_and_never_that_it_is_ready);
	tcase_add_test(tests, a_reload_begins_with_its_time_and_ends_with_readiness);
	tcase_add_test(tests, a_reload_of_a_plain_file_ends_when_its_pools_are_served);
	tcase_add_test(tests, sockets_handed_over_take_the_place_of_configured_ones);
	tcase_add_test(tests, whoever_has_connected_is_answered_across_restarts);
	tcase_add_test(tests, who_connects_and_asks_nothing_holds_the_stop_for_a_second);
	tcase_add_loop_test(tests, a_socket_that_cannot_serve_is_refused_and_named, 0,
	    sizeof(bad_sockets) / sizeof(*bad_sockets));
	tcase_add_loop_test(tests, signs_of_life_stop_when_one_loop_hangs, 0, 2);
	tcase_add_test(tests, nobody_who_waits_for_no_sign_gets_one);
}

#endif
