/*
 * allocations.c - the counter that the linker puts before malloc and its like.
 */
#include "tests/dsl/allocations.h"

#include <stdatomic.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t len);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t len);

static atomic_size_t count;

size_t
allocations(void)
{
	return atomic_load(&count);
}

void *
__wrap_malloc(size_t size)
{
	atomic_fetch_add(&count, 1);
	return __real_malloc(size);
}

void *
__wrap_calloc(size_t number, size_t size)
{
	atomic_fetch_add(&count, 1);
	return __real_calloc(number, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
	atomic_fetch_add(&count, 1);
	return __real_realloc(old, size);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
	atomic_fetch_add(&count, 1);
	return __real_aligned_alloc(alignment, size);
}

char *
__wrap_strdup(const char *text)
{
	atomic_fetch_add(&count, 1);
	return __real_strdup(text);
}

char *
__wrap_strndup(const char *text, size_t len)
{
	atomic_fetch_add(&count, 1);
	return __real_strndup(text, len);
}
