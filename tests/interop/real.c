#include <sys/prctl.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "tests/dsl/http.h"
#include "tests/dsl/program.h"
#include "tests/dsl/text.h"
#include "tests/interop/real.h"

enum { ARGS_MAX = 64, READY_MS = 30000, END_MS = 5000, RUN_MS = 60000 };

static void
arguments(const struct daemon *d, va_list list, char **argv)
{
	size_t count = 0;

	for (const char *arg; (arg = va_arg(list, const char *)) != NULL;) {
		ck_assert_uint_lt(count + 1, ARGS_MAX);
		argv[count++] = text_replace(arg, "$DIR", d->dir);
	}
	argv[count] = NULL;
}

static pid_t
spawn(const struct daemon *d, char **argv, const char *out, const char *err)
{
	const char *path = program_path(argv[0]);
	pid_t parent = getpid(), pid;

	ck_assert_msg(path != NULL, "there is no %s", argv[0]);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		int out_fd = open(out, O_WRONLY | O_CREAT | O_APPEND, 0600);
		int err_fd = open(err, O_WRONLY | O_CREAT | O_APPEND, 0600);

		/* Whatever becomes of the test, its program does not outlive it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || chdir(d->dir) != 0)
			_exit(126);
		dup2(out_fd, STDOUT_FILENO);
		dup2(err_fd, STDERR_FILENO);
		signal(SIGPIPE, SIG_DFL);
		execv(path, argv);
		_exit(127);
	}
	return pid;
}

/* Waits for the end; false when it is still alive after so many ms. */
static bool
has_ended(pid_t pid, int timeout_ms, int *status)
{
	double deadline = now_ms() + timeout_ms;

	while (waitpid(pid, status, WNOHANG) == 0) {
		if (now_ms() > deadline)
			return false;
		pause_ms(2);
	}
	return true;
}

struct real *
real_start(const struct daemon *d, const char *listens, ...)
{
	static unsigned serial;
	struct real *r = kept(calloc(1, sizeof(*r)));
	const char *base = text("http://%s", listens);
	double deadline = now_ms() + READY_MS;
	char *argv[ARGS_MAX];
	int fd, status = 0;
	va_list list;

	va_start(list, listens);
	arguments(d, list, argv);
	va_end(list);
	r->log_path = text("%s/%s-%u.log", d->dir, argv[0], serial++);
	r->pid = spawn(d, argv, r->log_path, r->log_path);
	while ((fd = raw_open(base)) < 0) {
		ck_assert_msg(!has_ended(r->pid, 5, &status), "%s ended at its start (%#x): %s",
		    argv[0], (unsigned)status, real_log(r));
		ck_assert_msg(now_ms() < deadline, "%s does not listen on %s: %s", argv[0], listens,
		    real_log(r));
	}
	close(fd);
	return r;
}

void
real_end(struct real *r, int by)
{
	int status;

	if (r->pid == 0)
		return;
	kill(r->pid, by);
	if (!has_ended(r->pid, END_MS, &status)) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, &status, 0);
	}
	r->pid = 0;
}

const char *
real_log(const struct real *r)
{
	const char *log = text_file(r->log_path, NULL);

	return log != NULL ? log : "";
}

const char *
real_output(const struct daemon *d, ...)
{
	static unsigned serial;
	const char *out = text("%s/output-%u", d->dir, serial);
	const char *err = text("%s/errors-%u", d->dir, serial++);
	char *argv[ARGS_MAX];
	const char *said, *complaint;
	int status = 0;
	va_list list;
	pid_t pid;

	va_start(list, d);
	arguments(d, list, argv);
	va_end(list);
	pid = spawn(d, argv, out, err);
	if (!has_ended(pid, RUN_MS, &status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	said = text_file(out, NULL);
	complaint = text_file(err, NULL);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ended with %#x: %s%s",
	    argv[0], (unsigned)status, complaint != NULL ? complaint : "",
	    said != NULL ? said : "");
	return said != NULL ? said : "";
}
