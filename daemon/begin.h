/*
 * begin.h - puts right what a process is started with, before anything else.
 *
 * A parent may have closed descriptors 0 to 2, blocked or ignored signals, and set a
 * limit to the size of files. libuv and SQLite would get descriptors in which others
 * write; a signal in the first milliseconds would end the process halfway.
 */
#ifndef HRWD_BEGIN_H
#define HRWD_BEGIN_H

/* The first line of main(): descriptors 0 to 2 are open (to /dev/null where they were
 * not), a write past a limit fails instead of killing, and SIGTERM, SIGINT and SIGHUP
 * wait until begin_signals(). 0, or -1: no descriptor is to be had. */
int begin(void);

/* Their handlers stand, or the program needs none: what waited is delivered. On the
 * main thread; threads made before keep them blocked. */
void begin_signals(void);

#endif
