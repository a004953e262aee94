/*
 * gunzip.h - a body that comes with Content-Encoding: gzip, decoded as it comes.
 */
#ifndef HRWD_HTTP_GUNZIP_H
#define HRWD_HTTP_GUNZIP_H

#include "core/bytes.h"
#include "core/error.h"

struct gunzip;

/* NULL: no memory. */
struct gunzip *gunzip_new(void);
void gunzip_free(struct gunzip *g);

/* Decodes some more, a bounded piece however small its code is.
 *   in       what has come and is not decoded yet; what was used is cut off
 *   out      receives the piece, valid until the next call
 *   returns  1, or 0: it needs more to come; BAD_FIELD: it is no gzip */
int gunzip_next(
    struct gunzip *g, struct hrw_bytes *in, struct hrw_bytes *out, struct hrw_fault *fault);

/* The end of the body: BAD_FIELD where it was cut short. */
int gunzip_end(const struct gunzip *g, struct hrw_fault *fault);

#endif
