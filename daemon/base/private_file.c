/*
 * private_file.c - the mode is asked of the open file, not of its name, which
 * could be another file by then.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/private_file.h"

enum { FILE_BYTES_MAX = 1 << 20, FILE_BYTES_FEW = 1 << 16, NOT_PRIVATE = S_IWGRP | S_IRWXO };

static int
check(int fd, const char *path, bool is_private, struct hrw_fault *fault)
{
	struct stat st;
	unsigned mode;

	if (fstat(fd, &st) < 0)
		return hrw_fault(
		    fault, HRW_BAD_FIELD, "%s cannot be read: %s", path, strerror(errno));
	mode = st.st_mode & 07777u;
	if (!S_ISREG(st.st_mode))
		return hrw_fault(fault, HRW_BAD_FIELD, "%s is no regular file", path);
	if (st.st_size > FILE_BYTES_MAX)
		return hrw_fault(fault, HRW_BAD_FIELD, "%s is larger than 1 MiB", path);
	if (is_private && (mode & NOT_PRIVATE) != 0)
		return hrw_fault(fault, HRW_BAD_FIELD,
		    "%s may be %s (its mode is %04o): chmod %04o %s", path,
		    (mode & S_IRWXO) != 0 ? "used by everybody" : "written by its group", mode,
		    mode & ~(unsigned)(NOT_PRIVATE | S_IXUSR | S_IXGRP), path);
	return 0;
}

static int
read_all(int fd, const char *path, struct buffer *out, struct hrw_fault *fault)
{
	size_t begin = out->len;
	ssize_t got;

	/* At once, so that no part is left behind where a smaller buffer was. */
	if (buffer_reserve(out, FILE_BYTES_FEW) < 0)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for %s", path);
	do {
		if (buffer_reserve(out, 4096) < 0)
			return hrw_fault(fault, HRW_INTERNAL, "no memory for %s", path);
		got = read(fd, out->data + out->len, 4096);
		out->len += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && out->len - begin <= FILE_BYTES_MAX) || (got < 0 && errno == EINTR));
	if (got == 0)
		return 0;
	return hrw_fault(fault, HRW_BAD_FIELD, "%s cannot be read: %s", path,
	    got > 0 ? "it is larger than 1 MiB" : strerror(errno));
}

static int
read_file(const char *path, bool is_private, struct buffer *out, struct hrw_fault *fault)
{
	/* O_NONBLOCK: a pipe of that name must not hold us up. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), rc;

	if (fd < 0)
		return hrw_fault(
		    fault, HRW_BAD_FIELD, "%s cannot be read: %s", path, strerror(errno));
	rc = check(fd, path, is_private, fault);
	if (rc == 0)
		rc = read_all(fd, path, out, fault);
	close(fd);
	return rc;
}

int
private_file_read(const char *path, struct buffer *out, struct hrw_fault *fault)
{
	return read_file(path, true, out, fault);
}

int
private_file_read_public(const char *path, struct buffer *out, struct hrw_fault *fault)
{
	return read_file(path, false, out, fault);
}

void
private_file_forget(struct buffer *text)
{
	if (text->data != NULL)
		sodium_memzero(text->data, text->room);
	buffer_fini(text);
}
