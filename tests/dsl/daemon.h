/*
 * daemon.h - starts the real daemon for a test, and ends it by its pid.
 *
 * Each daemon has a temporary folder of its own and listens on free ports of
 * loopback. What a test leaves behind, daemons and folders, goes when the
 * test's process ends.
 */
#ifndef TESTS_DAEMON_H
#define TESTS_DAEMON_H

#include <sys/types.h>

#include <stddef.h>

/* A test that takes longer hangs: sanitizers on a busy machine included. */
enum { TEST_SECONDS = 200, HANDED_MAX = 4 };

struct daemon {
	pid_t pid;	      /* 0: not running */
	char *dir;	      /* holds hrwd.json, hrwd.db, log */
	char *store;	      /* DIR/hrwd.db */
	char *lookup, *admin; /* "http://127.0.0.1:PORT", "https:…", "unix:/path", "": off */
	char *log_path;
	char **argv;			     /* ended by NULL */
	const char *handed_name[HANDED_MAX]; /* sockets that it starts with */
	int handed_fd[HANDED_MAX];
	size_t handed_count;
	void (*born)(void *arg); /* in the child, before it is the daemon; NULL: nothing */
	void *born_arg;
	pid_t owner; /* the process that started it, and cleans up */
	struct daemon *next;
};

/* Starts a daemon and waits until it says that it is ready; fails the test
 * where it does not.
 *   config   text of the configuration file; NULL: none. $DIR in it becomes the
 *            folder. Where it has no "listen", free ports are asked for by
 *            flags; where it has no "store", DIR/hrwd.db
 *   ...      further flags, ended by NULL */
struct daemon *daemon_start(const char *config, ...) __attribute__((sentinel));

/* The same without waiting for readiness, flags as they are and none added;
 * $DIR becomes the folder in them too. Not started yet: daemon_launch() does. */
struct daemon *daemon_prepare(const char *config, ...) __attribute__((sentinel));

/* Hands a listening socket over to it at each start, as systemd would; the caller
 * keeps the descriptor. */
void daemon_hand_over(struct daemon *d, const char *name, int fd);

/* Starts a stopped or prepared one (on its folder, its ports anew) and waits
 * until it is ready. */
void daemon_launch(struct daemon *d);

/* A signal (stop: SIGTERM); fails the test unless it exits with 0 within 10
 * seconds. */
void daemon_end(struct daemon *d, int by);
void daemon_stop(struct daemon *d);

/* SIGKILL, and waits for the end. */
void daemon_kill(struct daemon *d);

/* kill, wait and launch: as a machine that lost power. */
void daemon_crash(struct daemon *d);

/* Runs a prepared one to its end.
 *   returns  its exit status; fails the test after 20 seconds
 *   The log has what it wrote to stderr and stdout. */
int daemon_exits_with(struct daemon *d);

/* Runs a prepared one, which a bad configuration must keep from starting: status
 * 2, and one line of log with all of `parts` in it (separated by |). */
void daemon_refuses_to_start(struct daemon *d, const char *parts);

/* Its log has all of these (separated by |). */
void daemon_log_has(const struct daemon *d, const char *parts);

/* Starts a stopped or prepared one and waits for nothing. */
void daemon_spawn(struct daemon *d);

/* The same, come what may: -1 once it is ready, else its
 * exit status; fails the test where a signal ends it. */
int daemon_try(struct daemon *d);
/* The same of one that was spawned, the first time. */
int daemon_comes_up(struct daemon *d);

/* The log until now; waiting until it holds `text` fails the test after 10 s. */
const char *daemon_log(const struct daemon *d);
void daemon_wait_log(const struct daemon *d, const char *text);
/* Its number of lines. */
size_t daemon_log_lines(const struct daemon *d);

/* Descriptors that it has open, and its resident memory in KiB. */
size_t daemon_descriptors(const struct daemon *d);
long daemon_resident(const struct daemon *d);

/* CPU time of all its threads, user and system, in clock ticks: _SC_CLK_TCK a second. */
long daemon_ticks(const struct daemon *d);

/* Files in its folder. */
const char *daemon_path(const struct daemon *d, const char *name);
void daemon_write(const struct daemon *d, const char *name, const void *data, size_t len);

#endif
