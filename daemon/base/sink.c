/*
 * sink.c - a bounded queue before stderr.
 *
 * Tried instead: O_NONBLOCK, which every process that has this stderr would share. A
 * pipe that poll() calls writable takes PIPE_BUF bytes without waiting; only where
 * another process writes into it at that very moment may a write wait.
 */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/sink.h"

enum { KEPT_BYTES = 256 << 10 };

static struct {
	pthread_mutex_t lock;
	char kept[KEPT_BYTES];
	size_t len;
	uint64_t dropped, told;
} sink = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Does stderr take bytes now? -1: it never will again. */
static int
is_ready(void)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&p, 1, 0) <= 0)
		return 0;
	if ((p.revents & POLLOUT) != 0)
		return 1;
	return (p.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0 ? -1 : 0;
}

/* Bytes that were written without waiting: 0 none now, -1 none ever. */
static ssize_t
write_some(const char *data, size_t len)
{
	struct stat is;
	ssize_t written;
	int ready;

	if (fstat(STDERR_FILENO, &is) == 0 && S_ISSOCK(is.st_mode)) {
		written = send(STDERR_FILENO, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		return written > 0 ? written : 0;
	}
	ready = is_ready();
	if (ready <= 0)
		return ready;
	written = write(STDERR_FILENO, data, len < PIPE_BUF ? len : PIPE_BUF);
	return written > 0 ? written : -1;
}

/* Writes what is kept, until it would wait. Under the lock. */
static void
flush_kept(void)
{
	size_t at = 0;
	ssize_t written = 1;

	while (at < sink.len && written > 0) {
		written = write_some(sink.kept + at, sink.len - at);
		at += written > 0 ? (size_t)written : 0;
	}
	if (written < 0)
		at = sink.len; /* nobody will ever read it */
	memmove(sink.kept, sink.kept + at, sink.len - at);
	sink.len -= at;
}

/* Keeps the rest of a line, or drops a whole one. A line that was begun is ended. */
static void
keep(const char *data, size_t len, bool is_begun)
{
	if (sink.len + len > KEPT_BYTES && !is_begun) {
		sink.dropped++;
		return;
	}
	if (len > KEPT_BYTES - sink.len)
		len = KEPT_BYTES - sink.len;
	memcpy(sink.kept + sink.len, data, len);
	sink.len += len;
}

void
sink_write(struct hrw_bytes line)
{
	const char *data = (const char *)line.data;
	ssize_t written = 1;
	size_t at = 0;

	pthread_mutex_lock(&sink.lock);
	flush_kept();
	while (sink.len == 0 && at < line.len && written > 0) {
		written = write_some(data + at, line.len - at);
		at += written > 0 ? (size_t)written : 0;
	}
	if (at < line.len && written >= 0)
		keep(data + at, line.len - at, at > 0);
	pthread_mutex_unlock(&sink.lock);
}

void
sink_flush(void)
{
	pthread_mutex_lock(&sink.lock);
	flush_kept();
	pthread_mutex_unlock(&sink.lock);
}

void
sink_finish(int timeout_ms)
{
	enum { STEP_MS = 10 };
	bool is_left = true;

	for (int waited = 0; is_left && waited <= timeout_ms; waited += STEP_MS) {
		pthread_mutex_lock(&sink.lock);
		flush_kept();
		is_left = sink.len > 0;
		pthread_mutex_unlock(&sink.lock);
		if (is_left)
			usleep(1000 * STEP_MS);
	}
}

uint64_t
sink_dropped(void)
{
	uint64_t dropped;

	pthread_mutex_lock(&sink.lock);
	dropped = sink.dropped;
	pthread_mutex_unlock(&sink.lock);
	return dropped;
}

uint64_t
sink_untold(void)
{
	uint64_t untold = 0;

	pthread_mutex_lock(&sink.lock);
	if (sink.len == 0) {
		untold = sink.dropped - sink.told;
		sink.told = sink.dropped;
	}
	pthread_mutex_unlock(&sink.lock);
	return untold;
}
