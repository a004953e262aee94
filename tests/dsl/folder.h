/*
 * folder.h - a temporary folder for a test, and what is done to files in it.
 */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <stddef.h>

/* The path of a new empty folder; static storage, one at a time. */
const char *folder_new(void);
/* Removes it with the files in it. */
void folder_remove(void);

/* The path of a file in it; stays valid. */
const char *folder_file(const char *name);

/* A whole file, to free(); NULL and 0 where there is no such
 * regular file. */
char *folder_read(const char *path, size_t *len);
void folder_write(const char *path, const void *data, size_t len);

/* How far to go on in a file that is damaged byte by byte: `usual`, which hits
 * every kind of place, or 1 where HRW_EVERY_BYTE is set. */
size_t folder_step(size_t usual);

#endif
