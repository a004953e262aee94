/*
 * secrets.h - the secrets of keyed placements, by the names of their files.
 *
 * A document names a file of 32 hex digits and no path; what it holds is read
 * here, once for each name, and stays until the process ends: were it read anew,
 * keys would move without a change, and two pools of one name could differ. It
 * goes into memberships and from there into hashes, never into an answer, a log,
 * a fault or a stored document.
 *
 * The process has one folder and one table, because documents are read in many
 * places, most of which know no configuration, and on any thread.
 */
#ifndef HRWD_MEMBERS_SECRETS_H
#define HRWD_MEMBERS_SECRETS_H

#include "core/placement.h"

/* Names the folder, before any document is read. The first one stays.
 *   errors  BAD_FIELD: there is no such folder */
int secrets_use(const char *path, struct hrw_fault *fault);

/* The secret of a file in the folder. Any thread; may block on a disk the first
 * time.
 *   errors  BAD_FIELD: no folder was named, a path instead of a name, no such
 *           file, one that lies elsewhere (by a symbolic link), that others may use,
 *           or that holds anything but 32 hex digits */
int secrets_get(const char *name, uint8_t out[HRW_SECRET_BYTES], struct hrw_fault *fault);

/* Warns of every file that has changed since it was read: what was read stays in
 * force. Blocks. */
void secrets_look(void);

#endif
