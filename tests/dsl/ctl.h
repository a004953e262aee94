/*
 * ctl.h - runs the real hrwctl: on pipes, or on a terminal of its own.
 *
 *     expect_ran(ctl(d, "drain", "cache-c", "--yes", NULL), 0);
 *     screen = screen_open(d, "drain", "cache-c", NULL);
 *     screen_wait(screen, "[y/N]");
 *     screen_type(screen, "y\n");
 *     ck_assert_int_eq(screen_end(screen), 0);
 *
 * It is the hrwctl beside the daemon that is tested. What is made lives as long
 * as the test's process.
 */
#ifndef TESTS_CTL_H
#define TESTS_CTL_H

#include "tests/dsl/daemon.h"

struct ran {
	const char *what; /* for messages */
	int status;	  /* as exit() had it; 128 and the signal's number for one */
	char *out, *err;
};

/* Runs it to its end, stdin empty and the daemon's admin address (d NULL: none)
 * in HRW_ADMIN. Words end with NULL. */
struct ran *ctl(const struct daemon *d, ...) __attribute__((sentinel));
/* The same with a text on stdin. */
struct ran *ctl_with(const struct daemon *d, const char *in, ...) __attribute__((sentinel));

/* Runs a line of shell in which `hrwctl` is that program: for what only a shell
 * does, such as 2>&- and pipes. */
struct ran *ctl_shell(const struct daemon *d, const char *line);

/* The same as ctl(), stdout and stderr in one file, which is `out`. */
struct ran *ctl_mixed(const struct daemon *d, ...) __attribute__((sentinel));

/* The TERM that it runs with: "xterm". */
extern const char *ctl_term;

/* Fails the test and shows what was said unless that was the exit status. */
#define expect_ran(r, status) expect_ran_at((r), (status), __FILE__, __LINE__)
struct ran *expect_ran_at(struct ran *r, int status, const char *file, int line);
/* … unless stdout is exactly this. */
#define expect_out(r, text) expect_out_at((r), (text), __FILE__, __LINE__)
void expect_out_at(const struct ran *r, const char *out, const char *file, int line);

struct screen {
	const char *what;
	int fd;
	pid_t pid;
	char *text; /* all that was shown so far */
};

struct screen *screen_open(const struct daemon *d, ...) __attribute__((sentinel));
/* Reads on until the text was shown; fails the test after 20 seconds. */
void screen_wait(struct screen *s, const char *text);
void screen_type(struct screen *s, const char *keys);
/* Reads to the end and returns the exit status. */
int screen_end(struct screen *s);

#endif
