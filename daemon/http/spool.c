/*
 * spool.c - the file has no name from the start (O_TMPFILE), so nothing is left
 * behind however the process ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/buffer.h"
#include "daemon/http/spool.h"

struct spool {
	struct buffer memory; /* the whole while it is short; empty once there is a file */
	int fd;		      /* -1: none yet */
	uint64_t len;
};

struct spool *
spool_new(void)
{
	struct spool *s = calloc(1, sizeof(*s));

	if (s != NULL)
		s->fd = -1;
	return s;
}

void
spool_free(struct spool *s)
{
	if (s == NULL)
		return;
	buffer_fini(&s->memory);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

static int
write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t got = write(fd, data, len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return HRW_STORE_FAILED;
		data += got;
		len -= (size_t)got;
	}
	return 0;
}

/* Opens a file without a name in $TMPDIR, else /tmp. */
static int
open_unnamed(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (folder == NULL || *folder == '\0' || strlen(folder) > sizeof(path) - 32)
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* Some file systems have no O_TMPFILE. */
	memcpy(path, folder, strlen(folder) + 1);
	strcat(path, "/hrwd-spool-XXXXXX");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int
spool_add(struct spool *s, const void *data, size_t len)
{
	if (s->fd < 0 && s->memory.len + len <= SPOOL_MEMORY) {
		buffer_add(&s->memory, data, len);
		if (s->memory.failed)
			return HRW_INTERNAL;
		s->len += len;
		return 0;
	}
	if (s->fd < 0) {
		s->fd = open_unnamed();
		if (s->fd < 0 || write_all(s->fd, s->memory.data, s->memory.len) < 0)
			return HRW_STORE_FAILED;
		buffer_fini(&s->memory);
	}
	if (write_all(s->fd, data, len) < 0)
		return HRW_STORE_FAILED;
	s->len += len;
	return 0;
}

uint64_t
spool_len(const struct spool *s)
{
	return s->len;
}

long
spool_read(struct spool *s, uint64_t at, void *out, size_t len)
{
	ssize_t got;

	if (at >= s->len)
		return 0;
	if (len > s->len - at)
		len = (size_t)(s->len - at);
	if (s->fd < 0) {
		memcpy(out, s->memory.data + at, len);
		return (long)len;
	}
	do
		got = pread(s->fd, out, len, (off_t)at);
	while (got < 0 && errno == EINTR);
	return got < 0 ? HRW_STORE_FAILED : (long)got;
}
