#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/text.h"

enum { PIECE = 1 << 16 };

static struct text_stamp
stamp_of(const struct stat *st)
{
	return (struct text_stamp){
	    0, st->st_mode, st->st_dev, st->st_ino, st->st_size, st->st_mtim, st->st_ctim};
}

struct text_stamp
text_look(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? (struct text_stamp){.error = errno} : stamp_of(&st);
}

static bool
is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool
text_is_same(const struct text_stamp *a, const struct text_stamp *b)
{
	return a->error == b->error && a->mode == b->mode && a->device == b->device &&
	       a->inode == b->inode && a->size == b->size &&
	       is_same_time(&a->written, &b->written) && is_same_time(&a->changed, &b->changed);
}

bool
text_is_fresh(const struct text_stamp *stamp)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return stamp->error == 0 && now.tv_sec - stamp->written.tv_sec <= 1 &&
	       stamp->written.tv_sec - now.tv_sec <= 1;
}

static int
unreadable(const char *path, const char *why, struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_STORE_FAILED,
	    "the file of pools %s cannot be read: %s; mend the path or the file", path, why);
}

static int
check(const char *path, const struct text_stamp *stamp, size_t most, struct hrw_fault *fault)
{
	if (stamp->error != 0)
		return unreadable(path, strerrordesc_np(stamp->error), fault);
	if (!S_ISREG(stamp->mode))
		return unreadable(path, "it is no regular file", fault);
	if ((uintmax_t)stamp->size > most)
		return hrw_fault(fault, HRW_STORE_FAILED,
		    "the file of pools %s is longer than %zu bytes: raise limits.json_bytes", path,
		    most);
	return 0;
}

static int
read_all(int fd, const char *path, struct buffer *text, size_t most, struct hrw_fault *fault)
{
	ssize_t got;

	do {
		if (buffer_reserve(text, PIECE) < 0)
			return hrw_fault(fault, HRW_INTERNAL, "no memory for the file of pools");
		got = read(fd, text->data + text->len, PIECE);
		text->len += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && text->len <= most) || (got < 0 && errno == EINTR));
	return got < 0 ? unreadable(path, strerrordesc_np(errno), fault) : 0;
}

int
text_read(const char *path, size_t most, struct buffer *text, struct text_stamp *stamp,
    struct hrw_fault *fault)
{
	struct text_stamp after;
	struct stat st;
	int fd, rc;

	*stamp = text_look(path);
	rc = check(path, stamp, most, fault);
	if (rc < 0)
		return rc;
	/* It may be another by now, so it is asked again. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = unreadable(path, strerrordesc_np(errno), fault);
		goto out;
	}
	*stamp = stamp_of(&st);
	rc = check(path, stamp, most, fault);
	if (rc == 0)
		rc = read_all(fd, path, text, most, fault);
	if (rc < 0)
		goto out;
	after = fstat(fd, &st) < 0 ? (struct text_stamp){.error = errno} : stamp_of(&st);
	if (!text_is_same(stamp, &after) || (uintmax_t)after.size != text->len)
		rc = unreadable(path, "it is being written", fault);
out:
	if (fd >= 0)
		close(fd);
	return rc;
}
