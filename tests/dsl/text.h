/*
 * text.h - texts that live as long as the test's process.
 *
 * Tests make many small texts and never free one: they stay reachable here.
 */
#ifndef TESTS_TEXT_H
#define TESTS_TEXT_H

#include <stddef.h>

/* Remembers an allocation until the process ends; returns it. NULL aborts. */
void *kept(void *allocation);

/* printf into a new text. */
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A copy in which each `what` is `with`. */
char *text_replace(const char *in, const char *what, const char *with);

/* A whole file with a NUL behind it; NULL where it cannot be read. */
char *text_file(const char *path, size_t *len);

/* A text that grows. */
struct page {
	char *data;
	size_t len, room;
};
void page_add(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_bytes(struct page *page, const void *data, size_t len);

/* Waits so many milliseconds. */
void pause_ms(unsigned ms);
/* Milliseconds of a clock that never goes back. */
double now_ms(void);

#endif
