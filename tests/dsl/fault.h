/*
 * fault.h - a disk that fails under a daemon, at the call it is told to.
 *
 *     struct fault *disk = fault_begin();
 *     struct daemon *d = fleet_start();
 *
 *     fault_arm(disk, FAULT_WRITE, ENOSPC, 3, false);   the 4th write fails
 *     …
 *     fault_disarm(disk);
 *
 * Daemons started after fault_begin() run with tests/fault/disk.c preloaded,
 * which shares the order with the test and obeys it for files named hrwd…: the
 * stores, not the log.
 */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>

enum fault_call {
	FAULT_OPEN = 1, /* for writing */
	FAULT_WRITE = 2,
	FAULT_FLUSH = 4,
	FAULT_RESIZE = 8,
	FAULT_READ = 16,
};

/* What the two processes share. */
struct fault {
	atomic_uint calls; /* of enum fault_call, those that count; 0: none */
	atomic_int error;  /* errno of one that fails */
	atomic_int left;   /* so many succeed before */
	atomic_bool lasts; /* all that follow fail, too */
	atomic_bool tears; /* of a failing write the first half is written */
	atomic_int failed; /* so many did */
	atomic_long clock; /* seconds that the system's clock is set forward; reading it */
};

/* The name of the environment's variable with the path of the shared file. */
#define FAULT_ENVIRONMENT "HRWD_TEST_FAULT"

struct fault *fault_begin(void);
void fault_arm(struct fault *f, unsigned calls, int error, int after, bool lasts);
/* How many calls have failed since it was armed. */
int fault_disarm(struct fault *f);

#endif
