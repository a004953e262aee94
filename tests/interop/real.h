/*
 * real.h - real programs, started by a test on loopback and ended by their pid.
 *
 * Their files lie in a folder of the test's daemon, which goes with it. What a
 * test leaves running dies with the test's process.
 */
#ifndef INTEROP_REAL_H
#define INTEROP_REAL_H

#include "tests/dsl/daemon.h"
#include "tests/dsl/program.h"

struct real {
	pid_t pid; /* 0: not running */
	const char *log_path;
};

/* Starts a program in the daemon's folder and waits until it listens.
 *   listens  "host:port" that takes a connection once it is ready
 *   ...      the program and its arguments, ended by NULL; $DIR is the folder */
struct real *real_start(const struct daemon *d, const char *listens, ...) __attribute__((sentinel));

/* A signal, SIGKILL five seconds later, and waits for the end. */
void real_end(struct real *r, int by);

/* What it has written until now. */
const char *real_log(const struct real *r);

/* Runs a program to its end and returns what it wrote to stdout; fails the test
 * unless it exits with 0 within 60 seconds. */
const char *real_output(const struct daemon *d, ...) __attribute__((sentinel));

#endif
