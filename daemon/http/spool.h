/*
 * spool.h - bytes to be answered later: in memory up to 1 MiB, past that in an
 * unlinked file. libmicrohttpd can answer only after a body has ended.
 */
#ifndef HRWD_HTTP_SPOOL_H
#define HRWD_HTTP_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum { SPOOL_MEMORY = 1 << 20 };

struct spool;

struct spool *spool_new(void); /* NULL: no memory */
void spool_free(struct spool *s);

/* 0, or STORE_FAILED when the file cannot take more. */
int spool_add(struct spool *s, const void *data, size_t len);

uint64_t spool_len(const struct spool *s);

/* Reads at an offset: bytes read, 0 at the end, negative on an error. */
long spool_read(struct spool *s, uint64_t at, void *out, size_t len);

#endif
