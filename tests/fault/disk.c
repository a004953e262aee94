/*
 * disk.c - preloaded into a daemon, makes calls on its stores fail: see
 * tests/dsl/fault.h.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/dsl/fault.h"

static struct fault *order;

__attribute__((constructor)) static void
begin(void)
{
	const char *path = getenv(FAULT_ENVIRONMENT);
	int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at;

	if (fd < 0)
		return;
	at = mmap(NULL, sizeof(*order), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED)
		order = at;
}

static bool
is_store(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash != NULL ? slash + 1 : path, "hrwd", 4) == 0 &&
	       strstr(path, ".json") == NULL;
}

static bool
is_open_store(int fd)
{
	char name[64], path[512];
	ssize_t len;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	len = readlink(name, path, sizeof(path) - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	return is_store(path);
}

/* Is this call to fail? */
static bool
fails(void)
{
	int left = atomic_fetch_sub(&order->left, 1);

	if (left > 0 || (left < 0 && !atomic_load(&order->lasts)))
		return false;
	atomic_fetch_add(&order->failed, 1);
	errno = atomic_load(&order->error);
	return true;
}

static bool
fails_on(enum fault_call call, int fd)
{
	return order != NULL && (atomic_load(&order->calls) & call) != 0 && is_open_store(fd) &&
	       fails();
}

/* The function that this one stands before. */
#define NEXT(name)                                                                                 \
	static __typeof__(&name) next;                                                             \
	if (next == NULL)                                                                          \
	next = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

ssize_t
write(int fd, const void *data, size_t len)
{
	NEXT(write);
	if (!fails_on(FAULT_WRITE, fd))
		return next(fd, data, len);
	return atomic_load(&order->tears) && len > 1 ? next(fd, data, len / 2) : -1;
}

ssize_t
pwrite64(int fd, const void *data, size_t len, off64_t at)
{
	NEXT(pwrite64);
	if (!fails_on(FAULT_WRITE, fd))
		return next(fd, data, len, at);
	/* The rest of a torn write is tried again, and must fail as well. */
	if (atomic_load(&order->tears) && len > 1) {
		next(fd, data, len / 2, at);
		errno = atomic_load(&order->error);
	}
	return -1;
}

ssize_t
pwrite(int fd, const void *data, size_t len, off_t at)
{
	return pwrite64(fd, data, len, at);
}

ssize_t
pread64(int fd, void *data, size_t len, off64_t at)
{
	NEXT(pread64);
	return fails_on(FAULT_READ, fd) ? -1 : next(fd, data, len, at);
}

ssize_t
pread(int fd, void *data, size_t len, off_t at)
{
	return pread64(fd, data, len, at);
}

int
fsync(int fd)
{
	NEXT(fsync);
	return fails_on(FAULT_FLUSH, fd) ? -1 : next(fd);
}

int
fdatasync(int fd)
{
	NEXT(fdatasync);
	return fails_on(FAULT_FLUSH, fd) ? -1 : next(fd);
}

int
ftruncate64(int fd, off64_t len)
{
	NEXT(ftruncate64);
	return fails_on(FAULT_RESIZE, fd) ? -1 : next(fd, len);
}

int
ftruncate(int fd, off_t len)
{
	return ftruncate64(fd, len);
}

static int
open_mode(const char *path, int flags, mode_t mode)
{
	NEXT(open64);
	if (order != NULL && (atomic_load(&order->calls) & FAULT_OPEN) != 0 &&
	    (flags & O_ACCMODE) != O_RDONLY && is_store(path) && fails())
		return -1;
	return next(path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	if ((flags & O_CREAT) != 0) {
		va_list rest;

		va_start(rest, flags);
		mode = va_arg(rest, mode_t);
		va_end(rest);
	}
	return open_mode(path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	if ((flags & O_CREAT) != 0) {
		va_list rest;

		va_start(rest, flags);
		mode = va_arg(rest, mode_t);
		va_end(rest);
	}
	return open_mode(path, flags, mode);
}

/* Somebody sets the system's clock forward. */
int
clock_gettime(clockid_t clock, struct timespec *now)
{
	int rc;
	NEXT(clock_gettime);

	rc = next(clock, now);
	if (rc == 0 && clock == CLOCK_REALTIME && order != NULL)
		now->tv_sec += atomic_load(&order->clock);
	return rc;
}
