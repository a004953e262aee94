#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "tests/dsl/ctl.h"
#include "tests/dsl/text.h"

enum { WORDS_MAX = 32, WAIT_MS = 20000 };

const char *ctl_term = "xterm";

static const char *
program(void)
{
	const char *daemon = getenv("HRWD");
	char *folder = text("%s", daemon != NULL ? daemon : "build/hrwd");

	return text("%s/hrwctl", dirname(folder));
}

/* The words as an argv, and as one text in *what. */
static char **
command(va_list list, const char **what)
{
	char **argv = kept(calloc(WORDS_MAX, sizeof(*argv)));
	size_t count = 0;

	*what = "hrwctl";
	argv[count++] = text("%s", program());
	for (const char *word; (word = va_arg(list, const char *)) != NULL;) {
		ck_assert_uint_lt(count + 1, WORDS_MAX);
		*what = text("%s %s", *what, word);
		argv[count++] = text("%s", word);
	}
	return argv;
}

/* In the child: what surrounds a test must not colour it. */
static void
run(const struct daemon *d, char **argv)
{
	static const char *const unwanted[] = {"HRW_POOL", "HRW_TOKEN_FILE", "HRW_OUTPUT",
	    "HRW_TIMEOUT", "HRW_CA", "HRW_CERTIFICATE", "HRW_CERTIFICATE_KEY", NULL};

	for (size_t i = 0; unwanted[i] != NULL; i++)
		unsetenv(unwanted[i]);
	if (d != NULL)
		setenv("HRW_ADMIN", *d->admin != '\0' ? d->admin : d->lookup, 1);
	setenv("TERM", ctl_term, 1);
	execv(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(99);
}

static int
end_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A file without a name, for a child to read from or write to. */
static int
scratch(const char *content)
{
	FILE *file = tmpfile();
	int fd;

	ck_assert_ptr_nonnull(file);
	fputs(content, file);
	rewind(file);
	fd = dup(fileno(file));
	fclose(file);
	return fd;
}

static char *
content_of(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);
	char *data = kept(calloc(1, (size_t)len + 1));

	ck_assert_int_eq(pread(fd, data, (size_t)len, 0), len);
	close(fd);
	return data;
}

static struct ran *
run_argv(const struct daemon *d, const char *what, char **argv, const char *in, bool is_mixed)
{
	struct ran *r = kept(calloc(1, sizeof(*r)));
	int fd[3] = {scratch(in), scratch(""), scratch("")};
	pid_t pid;

	r->what = what;
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		for (int i = 0; i < 3; i++)
			dup2(is_mixed && i == 2 ? fd[1] : fd[i], i);
		run(d, argv);
	}
	r->status = end_of(pid);
	close(fd[0]);
	r->out = content_of(fd[1]);
	r->err = content_of(fd[2]);
	return r;
}

static struct ran *
run_on_files(const struct daemon *d, const char *in, bool is_mixed, va_list words)
{
	const char *what;
	char **argv = command(words, &what);

	return run_argv(d, what, argv, in, is_mixed);
}

struct ran *
ctl_shell(const struct daemon *d, const char *line)
{
	char *script = text("hrwctl() { '%s' \"$@\"; }; %s", program(), line);
	char *argv[] = {text("/bin/sh"), text("-c"), script, NULL};

	return run_argv(d, line, argv, "", false);
}

struct ran *
ctl(const struct daemon *d, ...)
{
	struct ran *r;
	va_list words;

	va_start(words, d);
	r = run_on_files(d, "", false, words);
	va_end(words);
	return r;
}

struct ran *
ctl_mixed(const struct daemon *d, ...)
{
	struct ran *r;
	va_list words;

	va_start(words, d);
	r = run_on_files(d, "", true, words);
	va_end(words);
	return r;
}

struct ran *
ctl_with(const struct daemon *d, const char *in, ...)
{
	struct ran *r;
	va_list words;

	va_start(words, in);
	r = run_on_files(d, in, false, words);
	va_end(words);
	return r;
}

struct ran *
expect_ran_at(struct ran *r, int status, const char *file, int line)
{
	if (r->status != status)
		ck_abort_msg("%s:%d: %s ended with %d, not %d\n%s%s", file, line, r->what,
		    r->status, status, r->out, r->err);
	return r;
}

void
expect_out_at(const struct ran *r, const char *out, const char *file, int line)
{
	if (strcmp(r->out, out) != 0)
		ck_abort_msg(
		    "%s:%d: %s printed\n%s\nnot\n%s\n%s", file, line, r->what, r->out, out, r->err);
}

struct screen *
screen_open(const struct daemon *d, ...)
{
	struct screen *s = kept(calloc(1, sizeof(*s)));
	const struct winsize size = {.ws_row = 40, .ws_col = 120};
	va_list words;
	char **argv;

	va_start(words, d);
	argv = command(words, &s->what);
	va_end(words);
	s->text = text("%s", "");
	s->pid = forkpty(&s->fd, NULL, NULL, &size);
	ck_assert_int_ge(s->pid, 0);
	if (s->pid == 0)
		run(d, argv);
	return s;
}

/* What comes next; false at the end. */
static bool
read_on(struct screen *s)
{
	struct pollfd poll_fd = {.fd = s->fd, .events = POLLIN};
	char piece[4096];
	ssize_t len;

	if (poll(&poll_fd, 1, WAIT_MS) != 1) {
		kill(s->pid, SIGKILL);
		ck_abort_msg("%s hangs after\n%s", s->what, s->text);
	}
	len = read(s->fd, piece, sizeof(piece)); /* EIO: the child is gone */
	if (len > 0)
		s->text = text("%s%.*s", s->text, (int)len, piece);
	return len > 0;
}

void
screen_wait(struct screen *s, const char *what)
{
	while (strstr(s->text, what) == NULL)
		if (!read_on(s))
			ck_abort_msg("%s never showed \"%s\":\n%s", s->what, what, s->text);
}

void
screen_type(struct screen *s, const char *keys)
{
	ck_assert_int_eq(write(s->fd, keys, strlen(keys)), (ssize_t)strlen(keys));
}

int
screen_end(struct screen *s)
{
	while (read_on(s))
		;
	close(s->fd);
	return end_of(s->pid);
}
