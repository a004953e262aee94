/*
 * source.h - where a report's keys come from: the stored set, the request, or,
 * where no key is known, the fixed sample.
 *
 * Keys are handed on in batches of records (32-bit length in host order, then
 * the bytes), the form of keyset.h. Blocking: libuv pool only.
 */
#ifndef HRWD_MEMBERS_SOURCE_H
#define HRWD_MEMBERS_SOURCE_H

#include "core/estimate.h"
#include "daemon/base/buffer.h"
#include "daemon/members/pool.h"
#include "daemon/store/keyset.h"

enum source_kind { SOURCE_STORED, SOURCE_REQUEST, SOURCE_ESTIMATE };

/* "stored", "request", "estimate". Static storage. */
const char *source_name(enum source_kind kind);

struct source {
	enum source_kind kind;
	uint64_t total;				 /* keys in all */
	uint64_t generation;			 /* SOURCE_STORED */
	struct keyset_reader *reader;		 /* SOURCE_STORED */
	struct hrw_bytes records;		 /* SOURCE_REQUEST: borrowed */
	size_t at;				 /* … how far read */
	const struct hrw_membership *membership; /* SOURCE_ESTIMATE: borrowed */
	uint32_t next;				 /* … the next sample key */
};

/* The pool's stored set, or the sample where it is empty.
 *   pool        its name and lineage
 *   generation  0: the present one; another: KEYS_CHANGED when it is gone
 *   membership  whose key type the sample follows; outlives the source */
int source_open_stored(struct source *s, struct keyset *keyset, const struct pool *pool,
    uint64_t generation, const struct hrw_membership *membership, struct hrw_fault *fault);

/* Keys sent along: `records` outlive the source. */
void source_open_request(struct source *s, struct hrw_bytes records, uint64_t count);

void source_open_estimate(struct source *s, const struct hrw_membership *membership);

/* Before the first read: goes on after this key. In the stored set that is by bytes,
 * whether or not the key is in it. Keys sent along have their own order: BAD_PARAMETER
 * at "after" where the key is not among them. */
int source_after(struct source *s, struct hrw_bytes key, struct hrw_fault *fault);

/* Appends the next keys, some thousands, to `out`: their number, 0 at the end,
 * negative on an error. */
long source_read(struct source *s, struct buffer *out, struct hrw_fault *fault);

void source_close(struct source *s);

/* Appends one record. */
void record_add(struct buffer *out, struct hrw_bytes key);

/* Leaves out each key that came before: a set, in the order in which it was sent.
 *   count  of the records; receives that of those that stay
 *   cost   n log n. 0 or HRW_INTERNAL (no memory) with nothing changed */
int records_unique(struct buffer *records, uint64_t *count);

/* The record at *at, which moves past it; false at the end. */
bool record_next(struct hrw_bytes records, size_t *at, struct hrw_bytes *key);

#endif
