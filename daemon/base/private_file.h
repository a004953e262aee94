/*
 * private_file.h - reads the small files that others must not: tokens, secrets,
 * keys.
 *
 * A file that anybody else may read or write keeps no secret, so it is refused
 * before a byte of it is used, with the command that mends it.
 */
#ifndef HRWD_BASE_PRIVATE_FILE_H
#define HRWD_BASE_PRIVATE_FILE_H

#include "core/error.h"
#include "daemon/base/buffer.h"

/* Appends a whole file, 1 MiB at most.
 *   errors  BAD_FIELD: it cannot be read, is no regular file, is too large, may be
 *           read or written by others or written by its group. Its text is in no
 *           fault */
int private_file_read(const char *path, struct buffer *out, struct hrw_fault *fault);

/* The same for a file that is no secret (a certificate): whoever may read it. */
int private_file_read_public(const char *path, struct buffer *out, struct hrw_fault *fault);

/* Overwrites a buffer and frees it. */
void private_file_forget(struct buffer *text);

#endif
