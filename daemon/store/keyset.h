/*
 * keyset.h - the stored key sets of pools, in an SQLite file of their own.
 *
 * An upload is staged apart and swapped in at its end as a new generation, all
 * or nothing; readers keep the generation they began with. Sets are read in
 * order of bytes. Every call may block, a commit of millions of keys for tens of
 * seconds: libuv pool only. No call waits for the store, nor the store for one.
 */
#ifndef HRWD_STORE_KEYSET_H
#define HRWD_STORE_KEYSET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"

struct keyset; /* the file */

/* What a set is called: its pool and that pool's lineage. A pool that is made anew has
 * another lineage, and none of the keys that an earlier one of its name had. */
enum { KEYSET_NAME = 253 + 1 + 16 + 1 };
const char *keyset_name(const char *pool, const char *lineage, char out[KEYSET_NAME]);

/* path NULL: a file in a temporary folder, removed at close. Missing: made.
 * Damaged, newer or held by another daemon: refused with STORE_FAILED, untouched.
 * What an upload had put in when its daemon was killed is dropped. The first call
 * of a process makes SQLite's temporary files go beside `path`. */
struct keyset *keyset_open(const char *path, struct hrw_fault *fault);
void keyset_close(struct keyset *k);

/* Asks of each set that the file holds whose it is now; at start, before any is used.
 *   owner   gives the set's present name in `out`, or false: nobody's, and the set goes.
 *           lineage NULL: the file is of an older hrwd, which kept sets by pool alone
 *   gone    receives how many sets went; each in a transaction of its own */
typedef bool (*keyset_owner)(
    void *arg, const char *pool, const char *lineage, char out[KEYSET_NAME]);
int keyset_adopt(
    struct keyset *k, keyset_owner owner, void *arg, size_t *gone, struct hrw_fault *fault);

/* As of the last change of a set or keyset_look(): was the file removed, moved or
 * replaced underneath? Any thread. */
bool keyset_is_lost(struct keyset *k);
void keyset_look(struct keyset *k);

struct keyset_stats {
	uint64_t keys, bytes;	 /* bytes of the keys themselves */
	uint64_t added, removed; /* by the upload; 0 from keyset_stats() */
	uint64_t generation;	 /* 0: never loaded; one more with each change of the set.
				  * An upload that changes nothing leaves it */
};

int keyset_stats(
    struct keyset *k, const char *pool, struct keyset_stats *out, struct hrw_fault *fault);

/* In these `pool` is the set's name, of keyset_name().
 *
 * An upload. `replaces`: the set becomes exactly these keys, else they are
 * added to it. limit: TOO_LARGE past so many keys in the set. */
struct keyset_upload;
struct keyset_upload *keyset_begin(
    struct keyset *k, const char *pool, bool replaces, uint64_t limit, struct hrw_fault *fault);
/* Stages keys, one call at a time for one upload. `keys` is a run of records:
 * 32-bit length (host order), bytes; a key has one byte at least. */
int keyset_stage(struct keyset_upload *u, struct hrw_bytes keys, struct hrw_fault *fault);
/* Swaps the set in; frees the upload, as keyset_abort() does, whatever comes.
 * Commits to one pool follow one another.
 *   errors  TOO_LARGE; UNKNOWN_POOL: the pool was forgotten meanwhile;
 *           STORE_FAILED. The set is then as it was */
int keyset_commit(struct keyset_upload *u, struct keyset_stats *out, struct hrw_fault *fault);
void keyset_abort(struct keyset_upload *u);

/* Empties the set (a new generation); `forget` with its pool: no trace is kept. */
int keyset_clear(struct keyset *k, const char *pool, bool forget, struct keyset_stats *out,
    struct hrw_fault *fault);

/* Reads one generation in order of bytes, several readers at once. */
struct keyset_reader;
/* generation 0: the present one. Another: KEYS_CHANGED when it is gone. */
struct keyset_reader *keyset_reader_open(struct keyset *k, const char *pool, uint64_t generation,
    struct keyset_stats *stats, struct hrw_fault *fault);
/* Before the first batch: goes on after this key, whether or not it is in the set. */
void keyset_reader_after(struct keyset_reader *r, struct hrw_bytes key);
/* The next keys, some thousands, as records like keyset_stage() takes, appended
 * to `out` (cleared by the caller).
 *   returns  keys appended, 0 at the end, negative on an error */
struct buffer;
long keyset_read(struct keyset_reader *r, struct buffer *out, struct hrw_fault *fault);
void keyset_reader_close(struct keyset_reader *r);

#endif
