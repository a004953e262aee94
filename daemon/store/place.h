/*
 * place.h - are the files of a database still where they were opened?
 *
 * A file that is removed, moved or replaced under a daemon stays open, and takes
 * changes that nobody will ever find again. Its name is asked before each commit.
 */
#ifndef HRWD_STORE_PLACE_H
#define HRWD_STORE_PLACE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "daemon/store/database.h"

/* The file, its log, its lock. */
enum { PLACE_FILES = 3 };

struct place {
	const struct database_kind *kind;
	char *path; /* NULL: in memory, and nothing to look at */
	struct {
		dev_t device;
		ino_t inode; /* 0: it was not there */
	} at[PLACE_FILES];
	atomic_bool is_lost; /* as of the last look */
};

/* Notes where the files are, which are open by now. NULL path: in memory. */
int place_note(
    struct place *p, const struct database_kind *kind, const char *path, struct hrw_fault *fault);
void place_fini(struct place *p);

/* 0, or STORE_FAILED where one of them is not there any more. Any thread.
 *   cost  three calls of stat(2) */
int place_look(struct place *p, struct hrw_fault *fault);

#endif
