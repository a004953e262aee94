/*
 * What a lookup asks of the system, and that answers made in one mould stay
 * apart.
 */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/dsl/daemon.h"
#include "tests/dsl/http.h"
#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"

enum { REQUESTS = 1000, AT_ONCE = 50 };

/* Names and addresses of one length, so that headers are too. */
static const char fleet[] = "{\"workers\":1,\"pools\":{\"default\":{\"copies\":2,\"nodes\":["
			    "{\"name\":\"cache-a\",\"address\":\"10.0.0.1:11211\"},"
			    "{\"name\":\"cache-b\",\"address\":\"10.0.0.2:11211\"},"
			    "{\"name\":\"cache-c\",\"address\":\"10.0.0.3:11211\"},"
			    "{\"name\":\"cache-d\",\"address\":\"10.0.0.4:11211\"}]}}}";

static void
ask_owner(int fd, int key)
{
	const char *request = text("GET /owner?key=photo-%d HTTP/1.1\r\nHost: x\r\n\r\n", key);

	raw_send(fd, request, strlen(request));
}

static void
expect_own_answer(int fd, int key)
{
	struct answer *a = expect_status(raw_answer(fd, 5000), 200);
	const char *owner = text_at(a, "owner");

	ck_assert_str_eq(text_at(a, "key"), text("photo-%d", key));
	expect_header(a, "Hrw-Owner", owner);
	expect_header(a, "Hrw-Address", text_at(a, "address"));
	ck_assert_str_eq(text_at(a, "address"), text("10.0.0.%d:11211", owner[6] - 'a' + 1));
}

START_TEST(answers_of_one_shape_are_each_their_own)
{
	struct daemon *d = daemon_start(fleet, NULL);
	int fd = raw_open(d->lookup), other = raw_open(d->lookup);
	const char *seen = "";

	for (int key = 100; key < 200; key++) {
		ask_owner(fd, key);
		expect_own_answer(fd, key);
	}
	/* Many at once, none taken before all are asked. */
	for (int key = 100; key < 100 + AT_ONCE; key++) {
		ask_owner(fd, key);
		ask_owner(other, key + AT_ONCE);
	}
	for (int key = 100; key < 100 + AT_ONCE; key++) {
		expect_own_answer(fd, key);
		expect_own_answer(other, key + AT_ONCE);
	}
	/* Each node is somebody's owner: the texts did change. */
	for (int key = 100; key < 200; key++) {
		ask_owner(fd, key);
		seen = text("%s%s", seen, text_at(raw_answer(fd, 5000), "owner"));
	}
	for (const char *node = "abcd"; *node != '\0'; node++)
		ck_assert_ptr_nonnull(strstr(seen, text("cache-%c", *node)));
	close(fd);
	close(other);
	daemon_stop(d);
}
END_TEST

/* Other threads of a sanitizer's make calls of their own. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static bool
is_traced(pid_t pid)
{
	FILE *file = fopen(text("/proc/%d/status", (int)pid), "r");
	char line[256];
	int tracer = 0;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		sscanf(line, "TracerPid: %d", &tracer);
	if (file != NULL)
		fclose(file);
	return tracer != 0;
}

/* The thread that answers lookups; the daemon has one worker. */
static pid_t
lookup_thread(const struct daemon *d)
{
	DIR *tasks = opendir(text("/proc/%d/task", (int)d->pid));
	struct dirent *task;
	pid_t found = 0;

	ck_assert_ptr_nonnull(tasks);
	while ((task = readdir(tasks)) != NULL) {
		const char *name =
		    text_file(text("/proc/%d/task/%s/comm", (int)d->pid, task->d_name), NULL);

		if (name != NULL && strcmp(name, "lookup\n") == 0) {
			ck_assert_msg(found == 0, "two threads are called lookup");
			found = (pid_t)atol(task->d_name);
		}
	}
	closedir(tasks);
	ck_assert_int_ne(found, 0);
	return found;
}

/* strace -C over the thread that answers lookups, into a file; returns its pid. What the
 * others do meanwhile, as looking whether the store is still there, costs no lookup. */
static pid_t
trace(const struct daemon *d, const char *file)
{
	pid_t thread = lookup_thread(d);
	const char *traced = text("%d", (int)thread);
	pid_t strace = fork();

	if (strace == 0) {
		freopen("/dev/null", "w", stderr);
		execlp("strace", "strace", "-C", "-o", file, "-p", traced, (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 1000 && !is_traced(thread); i++)
		usleep(10000);
	ck_assert_msg(is_traced(thread), "strace does not reach the daemon");
	return strace;
}

/* How often a call was made: the line "… calls [errors] name" of the summary. */
static long
calls_of(const char *file, const char *name)
{
	FILE *table = fopen(file, "r");
	char line[256], called[64];
	long calls, found = 0;

	ck_assert_ptr_nonnull(table);
	while (fgets(line, sizeof(line), table) != NULL) {
		char *word = strrchr(line, ' ');

		if (word == NULL || sscanf(word, "%63s", called) != 1 || strcmp(called, name) != 0)
			continue;
		if (sscanf(line, "%*f %*f %*d %ld", &calls) == 1)
			found = calls;
	}
	fclose(table);
	return found;
}

/* Receives that took bytes: one that looks whether the client is still there, or finds
 * nothing yet, belongs to a turn of the loop, not to a request. */
static long
receives_of(const char *file)
{
	FILE *calls = fopen(file, "r");
	char line[1024];
	long found = 0;

	ck_assert_ptr_nonnull(calls);
	while (fgets(line, sizeof(line), calls) != NULL) {
		const char *result = strrchr(line, '=');

		found += strstr(line, "recvfrom") != NULL && strstr(line, "MSG_PEEK") == NULL &&
			 result != NULL && atol(result + 1) > 0;
	}
	fclose(calls);
	return found;
}

START_TEST(a_lookup_is_one_receive_that_brings_bytes_and_one_send_and_waits_for_no_lock)
{
	struct daemon *d = daemon_start(fleet, NULL);
	const char *file = text("%s/calls", d->dir);
	int fd = raw_open(d->lookup), status;
	pid_t strace;

	for (int key = 100; key < 200; key++) {
		ask_owner(fd, key);
		expect_own_answer(fd, key);
	}
	strace = trace(d, file);
	for (int key = 0; key < REQUESTS; key++) {
		ask_owner(fd, key);
		expect_own_answer(fd, key);
	}
	kill(strace, SIGINT);
	ck_assert_int_eq(waitpid(strace, &status, 0), strace);
	ck_assert_int_eq(receives_of(file), REQUESTS);
	ck_assert_int_eq(calls_of(file, "sendmsg") + calls_of(file, "sendto"), REQUESTS);
	ck_assert_int_eq(calls_of(file, "futex"), 0);
	/* To wait for the next request is all the rest. */
	ck_assert_int_eq(calls_of(file, "mmap") + calls_of(file, "brk"), 0);
	close(fd);
	daemon_stop(d);
}
END_TEST

#endif

SUITE(lookup_cost)
{
	tcase_set_timeout(tests, TEST_SECONDS);
	tcase_add_test(tests, answers_of_one_shape_are_each_their_own);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(
	    tests, a_lookup_is_one_receive_that_brings_bytes_and_one_send_and_waits_for_no_lock);
#endif
}
