/*
 * text.h - a plain file that others write: looked at without opening it, and read
 * whole.
 *
 * Only regular files are opened: a pipe would wait for a writer, and a device may
 * act when it is opened.
 */
#ifndef HRWD_STORE_TEXT_H
#define HRWD_STORE_TEXT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "core/error.h"
#include "daemon/base/buffer.h"

/* What tells one text of a file from the next: a rename gives another inode, a
 * write in place another time. */
struct text_stamp {
	int error; /* of stat(2); then the rest is 0 */
	mode_t mode;
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec written, changed;
};

struct text_stamp text_look(const char *path);
bool text_is_same(const struct text_stamp *a, const struct text_stamp *b);

/* Was it written within the last second? Then more may have followed that no stamp
 * shows, because the clock of a file system moves in steps. */
bool text_is_fresh(const struct text_stamp *stamp);

/* Appends the whole text, `most` bytes of it at most.
 *   stamp   receives that of what was read, or of what would not be read
 *   errors  STORE_FAILED: it cannot be read, is no regular file, is longer, or was
 *           written meanwhile. INTERNAL: no memory */
int text_read(const char *path, size_t most, struct buffer *text, struct text_stamp *stamp,
    struct hrw_fault *fault);

#endif
