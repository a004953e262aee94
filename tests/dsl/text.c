#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/dsl/text.h"

struct keep {
	void *allocation;
	struct keep *next;
};

static struct keep *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *
kept(void *allocation)
{
	struct keep *keep = malloc(sizeof(*keep));

	if (allocation == NULL || keep == NULL)
		abort();
	keep->allocation = allocation;
	pthread_mutex_lock(&lock);
	keep->next = all;
	all = keep;
	pthread_mutex_unlock(&lock);
	return allocation;
}

char *
text(const char *format, ...)
{
	char *out = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&out, format, args) < 0)
		abort();
	va_end(args);
	return kept(out);
}

char *
text_replace(const char *in, const char *what, const char *with)
{
	struct page page = {0};
	const char *at;

	while ((at = strstr(in, what)) != NULL) {
		page_bytes(&page, in, (size_t)(at - in));
		page_bytes(&page, with, strlen(with));
		in = at + strlen(what);
	}
	page_bytes(&page, in, strlen(in));
	return kept(page.data);
}

char *
text_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	struct page page = {0};
	char piece[65536];
	size_t got;

	if (file == NULL)
		return NULL;
	page_bytes(&page, "", 0);
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
		page_bytes(&page, piece, got);
	fclose(file);
	if (len != NULL)
		*len = page.len;
	return kept(page.data);
}

void
page_bytes(struct page *page, const void *data, size_t len)
{
	if (page->room < page->len + len + 1) {
		page->room = 2 * (page->len + len) + 256;
		page->data = realloc(page->data, page->room);
		if (page->data == NULL)
			abort();
	}
	if (len != 0)
		memcpy(page->data + page->len, data, len);
	page->len += len;
	page->data[page->len] = '\0';
}

void
page_add(struct page *page, const char *format, ...)
{
	char *out = NULL;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&out, format, args);
	va_end(args);
	if (len < 0)
		abort();
	page_bytes(page, out, (size_t)len);
	free(out);
}

void
pause_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
