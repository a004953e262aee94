#include <sys/mman.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dsl/fault.h"
#include "tests/dsl/text.h"

/* The library stands beside the daemon, where make puts it. */
static const char *
library(void)
{
	const char *daemon = getenv("HRWD"), *slash;
	char *path;

	if (daemon == NULL)
		daemon = "build/hrwd";
	slash = strrchr(daemon, '/');
	path = realpath(text("%.*s/tests/disk.so", slash != NULL ? (int)(slash - daemon) : 1,
			    slash != NULL ? daemon : "."),
	    NULL);
	ck_assert_msg(path != NULL, "no disk.so beside %s: make it", daemon);
	return kept(path);
}

struct fault *
fault_begin(void)
{
	/* No name in the file system: it is reached through this process. */
	int fd = memfd_create("fault", 0);
	const char *options = getenv("ASAN_OPTIONS");
	struct fault *f;

	ck_assert(fd >= 0 && ftruncate(fd, sizeof(*f)) == 0);
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(f, MAP_FAILED);
	setenv(FAULT_ENVIRONMENT, text("/proc/%d/fd/%d", (int)getpid(), fd), 1);
	setenv("LD_PRELOAD", library(), 1);
	/* Its own library need not come first then. */
	setenv("ASAN_OPTIONS",
	    text("%s%sverify_asan_link_order=0", options != NULL ? options : "",
		options != NULL ? ":" : ""),
	    1);
	return f;
}

void
fault_arm(struct fault *f, unsigned calls, int error, int after, bool lasts)
{
	atomic_store(&f->error, error);
	atomic_store(&f->left, after);
	atomic_store(&f->lasts, lasts);
	atomic_store(&f->failed, 0);
	atomic_store(&f->calls, calls);
}

int
fault_disarm(struct fault *f)
{
	atomic_store(&f->calls, 0u);
	return atomic_load(&f->failed);
}
