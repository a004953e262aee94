/*
 * trace.h - requests in the order of time, each a key, as small numbers: a key's
 * number is that of its first appearance among the distinct ones.
 *
 * So what is computed for a key is computed once, however often it is asked for.
 */
#ifndef HRW_TRACE_H
#define HRW_TRACE_H

#include "core/bytes.h"
#include "core/error.h"

struct hrw_trace {
	size_t count, room;
	uint32_t *request; /* numbers, below `distinct` */
	size_t distinct, key_room;
	struct hrw_bytes *key; /* borrowed, by number */
	size_t slots;	       /* a power of two, or 0 */
	uint32_t *slot;	       /* open addressing: number + 1, 0 is empty */
};

/* All zeros is an empty trace. */
void hrw_trace_fini(struct hrw_trace *t);

/* One more request. The key's bytes outlive the trace. At most 2^31 distinct
 * keys. 0 or HRW_INTERNAL (no memory). */
int hrw_trace_add(struct hrw_trace *t, struct hrw_bytes key);

#endif
