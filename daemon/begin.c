/*
 * begin.c - descriptors and signals.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "daemon/begin.h"

/* A gap is filled with the lowest descriptor that is free: itself. What is printed on a
 * stdout that is not there must fail, so that its place cannot be written to. */
static int
fill_gaps(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd)
			return -1;
	return 0;
}

/* A daemon whose parent blocked or ignored a signal could not be told to stop. */
static void
hold_signals(void)
{
	static const int held[] = {SIGTERM, SIGINT, SIGHUP};
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a write past the limit fails with EFBIG */
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		sigaddset(&set, held[i]);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	/* One that is ignored would be lost while it is blocked. */
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		signal(held[i], SIG_DFL);
}

int
begin(void)
{
	hold_signals();
	return fill_gaps();
}

void
begin_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
}
