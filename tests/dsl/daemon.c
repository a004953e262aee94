#include <sys/prctl.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "tests/dsl/daemon.h"
#include "tests/dsl/text.h"

enum { ARGS_MAX = 32, READY_MS = 20000, STOP_MS = 10000 };

static struct daemon *daemons;
static pid_t runner; /* the process that forks the tests */

__attribute__((constructor)) static void
note_runner(void)
{
	runner = getpid();
}

static const char *
folders(void)
{
	const char *tmp = getenv("TMPDIR");

	return text("%s/hrwd-test-%d-", tmp != NULL ? tmp : "/tmp", (int)runner);
}

static int
unlink_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* Check ends a failed test without this: the runner sweeps its folders too. */
__attribute__((destructor)) static void
sweep_all(void)
{
	glob_t found;

	if (getpid() != runner || glob(text("%s*", folders()), 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		nftw(found.gl_pathv[i], unlink_one, 16, FTW_DEPTH | FTW_PHYS);
	globfree(&found);
}

/* Children of a runner inherit its list: each process sweeps its own. */
static void
sweep(void)
{
	for (struct daemon *d = daemons; d != NULL; d = d->next) {
		if (d->owner != getpid())
			continue;
		if (d->pid != 0) {
			kill(d->pid, SIGKILL);
			waitpid(d->pid, NULL, 0);
		}
		nftw(d->dir, unlink_one, 16, FTW_DEPTH | FTW_PHYS);
	}
}

static const char *
program(void)
{
	const char *path = getenv("HRWD");
	char *whole = realpath(path != NULL ? path : "build/hrwd", NULL);

	ck_assert_msg(whole != NULL, "no daemon at %s: build it, or set HRWD",
	    path != NULL ? path : "build/hrwd");
	return kept(whole);
}

static struct daemon *
prepare(const char *config)
{
	struct daemon *d = kept(calloc(1, sizeof(*d)));
	static pid_t swept;

	d->dir = text("%sXXXXXX", folders());
	ck_assert_msg(mkdtemp(d->dir) != NULL, "%s: %s", d->dir, strerror(errno));
	d->owner = getpid();
	d->store = text("%s/hrwd.db", d->dir);
	d->log_path = text("%s/log", d->dir);
	d->lookup = d->admin = text("%s", "");
	d->argv = kept(calloc(ARGS_MAX, sizeof(*d->argv)));
	d->next = daemons;
	daemons = d;
	if (swept != getpid()) {
		swept = getpid();
		atexit(sweep);
	}
	d->argv[0] = text("%s", program());
	if (config != NULL) {
		char *whole = text_replace(config, "$DIR", d->dir);

		daemon_write(d, "hrwd.json", whole, strlen(whole));
		d->argv[1] = text("%s", "--config");
		d->argv[2] = text("%s/hrwd.json", d->dir);
	}
	return d;
}

static void
add_flag(struct daemon *d, const char *flag)
{
	size_t at = 0;

	while (d->argv[at] != NULL)
		at++;
	ck_assert_uint_lt(at + 1, ARGS_MAX);
	d->argv[at] = text_replace(flag, "$DIR", d->dir);
}

static void
add_flags(struct daemon *d, va_list flags)
{
	for (const char *flag; (flag = va_arg(flags, const char *)) != NULL;)
		add_flag(d, flag);
}

struct daemon *
daemon_prepare(const char *config, ...)
{
	struct daemon *d = prepare(config);
	va_list flags;

	va_start(flags, config);
	add_flags(d, flags);
	va_end(flags);
	return d;
}

struct daemon *
daemon_start(const char *config, ...)
{
	struct daemon *d = prepare(config);
	va_list flags;

	if (config == NULL || strstr(config, "\"listen\"") == NULL) {
		add_flag(d, "--lookup");
		add_flag(d, "127.0.0.1:0");
		add_flag(d, "--admin");
		add_flag(d, "127.0.0.1:0");
	}
	if (config == NULL || strstr(config, "\"store\"") == NULL) {
		add_flag(d, "--store");
		add_flag(d, d->store);
	}
	va_start(flags, config);
	add_flags(d, flags);
	va_end(flags);
	daemon_launch(d);
	return d;
}

void
daemon_hand_over(struct daemon *d, const char *name, int fd)
{
	ck_assert_uint_lt(d->handed_count, HANDED_MAX);
	d->handed_name[d->handed_count] = name;
	d->handed_fd[d->handed_count++] = fd;
}

/* In the child: the descriptors from 3 on, and what sd_listen_fds(3) reads. */
static void
hand_over(const struct daemon *d)
{
	enum { FIRST = 3, APART = 100 };
	char *names = text("%s", "");
	int fd[HANDED_MAX];

	/* First out of the way of one another. */
	for (size_t i = 0; i < d->handed_count; i++) {
		fd[i] = fcntl(d->handed_fd[i], F_DUPFD_CLOEXEC, APART);
		names = text("%s%s%s", names, i == 0 ? "" : ":", d->handed_name[i]);
	}
	for (size_t i = 0; i < d->handed_count; i++)
		dup2(fd[i], FIRST + (int)i);
	setenv("LISTEN_PID", text("%ld", (long)getpid()), 1);
	setenv("LISTEN_FDS", text("%zu", d->handed_count), 1);
	setenv("LISTEN_FDNAMES", names, 1);
}

void
daemon_spawn(struct daemon *d)
{
	int fd = open(d->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	pid_t parent = getpid();

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(d->pid, 0);
	d->pid = fork();
	ck_assert_int_ge(d->pid, 0);
	if (d->pid == 0) {
		/* Whatever becomes of the test, its daemon does not outlive it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || chdir(d->dir) != 0)
			_exit(126);
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		unsetenv("STATE_DIRECTORY");
		if (d->handed_count > 0)
			hand_over(d);
		if (d->born != NULL)
			d->born(d->born_arg);
		execv(d->argv[0], d->argv);
		_exit(127);
	}
	close(fd);
}

/* Waits for the end; false when it is still alive after so many ms. */
static int
has_ended(struct daemon *d, int timeout_ms, int *status)
{
	double deadline = now_ms() + timeout_ms;

	for (;;) {
		pid_t got = waitpid(d->pid, status, WNOHANG);

		if (got == d->pid || (got < 0 && errno == ECHILD)) {
			d->pid = 0;
			return 1;
		}
		if (now_ms() > deadline)
			return 0;
		pause_ms(1);
	}
}

/* "…" behind `label`, up to a comma or the end of the line, as a base URL; ""
 * where the line has no such listener. */
static char *
base_url(const char *line, const char *label)
{
	const char *at = strstr(line, label);
	size_t len;

	if (at == NULL)
		return text("%s", "");
	at += strlen(label);
	len = strcspn(at, ", \"\n");
	if (strncmp(at, "unix:", 5) == 0)
		return text("%.*s", (int)len, at);
	return text(
	    "%s://%.*s", strncmp(at + len, " with TLS", 9) == 0 ? "https" : "http", (int)len, at);
}

/* What a failure shows of the log: its end, since Check breaks on a text that is
 * too long for it, and tells nothing then. */
static const char *
log_end(const struct daemon *d)
{
	enum { SHOWN = 3000 };
	const char *log = daemon_log(d);
	size_t len = strlen(log);

	return len > SHOWN ? log + len - SHOWN : log;
}

/* Waits for a spawned one, whose log had so many bytes before. */
static int
comes_up(struct daemon *d, size_t before)
{
	double deadline = now_ms() + READY_MS;
	int status = 0;

	for (;;) {
		const char *line = strstr(daemon_log(d) + before, "ready: ");

		if (line != NULL && strchr(line, '\n') != NULL) {
			d->lookup = base_url(line, "lookup on ");
			d->admin = base_url(line, "admin on ");
			return -1;
		}
		if (has_ended(d, 1, &status)) {
			ck_assert_msg(
			    WIFEXITED(status), "ended with %#x: %s", (unsigned)status, log_end(d));
			return WEXITSTATUS(status);
		}
		ck_assert_msg(now_ms() < deadline, "the daemon is not ready: %s", log_end(d));
	}
}

int
daemon_try(struct daemon *d)
{
	size_t before = strlen(daemon_log(d));

	daemon_spawn(d);
	return comes_up(d, before);
}

int
daemon_comes_up(struct daemon *d)
{
	return comes_up(d, 0);
}

void
daemon_launch(struct daemon *d)
{
	int status = daemon_try(d);

	ck_assert_msg(status < 0, "the daemon ended at its start with %d: %s", status, log_end(d));
}

void
daemon_end(struct daemon *d, int by)
{
	int status = 0;

	ck_assert_int_gt(d->pid, 0);
	kill(d->pid, by);
	ck_assert_msg(
	    has_ended(d, STOP_MS, &status), "%s did not end it: %s", strsignal(by), log_end(d));
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "ended with %#x: %s",
	    (unsigned)status, log_end(d));
}

void
daemon_stop(struct daemon *d)
{
	daemon_end(d, SIGTERM);
}

void
daemon_kill(struct daemon *d)
{
	int status;

	ck_assert_int_gt(d->pid, 0);
	kill(d->pid, SIGKILL);
	ck_assert(has_ended(d, STOP_MS, &status));
}

void
daemon_crash(struct daemon *d)
{
	daemon_kill(d);
	daemon_launch(d);
}

int
daemon_exits_with(struct daemon *d)
{
	int status = 0;

	daemon_spawn(d);
	ck_assert_msg(has_ended(d, READY_MS, &status), "it runs on: %s", log_end(d));
	ck_assert_msg(WIFEXITED(status), "ended with %#x: %s", (unsigned)status, log_end(d));
	return WEXITSTATUS(status);
}

void
daemon_refuses_to_start(struct daemon *d, const char *parts)
{
	int status = daemon_exits_with(d);

	ck_assert_msg(status == 2, "%d: %s", status, log_end(d));
	daemon_log_has(d, parts);
	ck_assert_uint_eq(daemon_log_lines(d), 1);
}

void
daemon_log_has(const struct daemon *d, const char *parts)
{
	char *rest = text("%s", parts);

	for (const char *part; (part = strsep(&rest, "|")) != NULL;)
		ck_assert_msg(
		    strstr(daemon_log(d), part) != NULL, "\"%s\" is not in: %s", part, log_end(d));
}

const char *
daemon_log(const struct daemon *d)
{
	const char *log = text_file(d->log_path, NULL);

	return log != NULL ? log : "";
}

void
daemon_wait_log(const struct daemon *d, const char *what)
{
	double deadline = now_ms() + STOP_MS;

	while (strstr(daemon_log(d), what) == NULL) {
		ck_assert_msg(
		    now_ms() < deadline, "the log never said \"%s\": %s", what, log_end(d));
		pause_ms(5);
	}
}

size_t
daemon_log_lines(const struct daemon *d)
{
	size_t lines = 0;

	for (const char *at = daemon_log(d); (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	return lines;
}

const char *
daemon_path(const struct daemon *d, const char *name)
{
	return text("%s/%s", d->dir, name);
}

void
daemon_write(const struct daemon *d, const char *name, const void *data, size_t len)
{
	const char *path = daemon_path(d, name);
	FILE *file = fopen(path, "wb");

	ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
	ck_assert_uint_eq(fwrite(data, 1, len, file), len);
	ck_assert_int_eq(fclose(file), 0);
}

size_t
daemon_descriptors(const struct daemon *d)
{
	DIR *folder = opendir(text("/proc/%d/fd", (int)d->pid));
	size_t count = 0;

	ck_assert_ptr_nonnull(folder);
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count;
}

long
daemon_ticks(const struct daemon *d)
{
	char name[64], stat[1024] = "";
	long user = 0, system = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)d->pid);
	file = fopen(name, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(stat, 1, sizeof(stat) - 1, file), 0);
	fclose(file);
	ck_assert_int_eq(
	    sscanf(strrchr(stat, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld",
		&user, &system),
	    2);
	return user + system;
}

long
daemon_resident(const struct daemon *d)
{
	const char *status = text_file(text("/proc/%d/status", (int)d->pid), NULL);
	const char *line = status != NULL ? strstr(status, "VmRSS:") : NULL;

	ck_assert_ptr_nonnull(line);
	return strtol(line + strlen("VmRSS:"), NULL, 10);
}
