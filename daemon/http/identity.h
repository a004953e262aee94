/*
 * identity.h - what a request is called in logs: its Request-Id, and its trace.
 *
 * Source: W3C Trace Context (traceparent, version 00).
 */
#ifndef HRWD_HTTP_IDENTITY_H
#define HRWD_HTTP_IDENTITY_H

#include <stdint.h>

#include "core/bytes.h"

enum { IDENTITY_ID = 64, IDENTITY_TRACE = 32 };

struct identity {
	char id[IDENTITY_ID + 1];
	char trace[IDENTITY_TRACE + 1]; /* the trace's id; "": none */
};

/* Where a server's ids begin: chance, so that no two servers give the same. */
uint64_t identity_seed(void);

/* Names a request.
 *   sent    the client's Request-Id: taken where it is 1 to 64 of [A-Za-z0-9._-];
 *           else an id of 16 hex digits is made
 *   trace   its traceparent: left out where it is malformed
 *   next    the server's; advanced
 *   cost    some nanoseconds; no system call, no allocation */
void identity_give(
    struct identity *identity, struct hrw_bytes sent, struct hrw_bytes trace, uint64_t *next);

#endif
