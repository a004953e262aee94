/*
 * keyset_private.h - what the files of the key sets share.
 *
 * A set is one table, keys_N. A large upload fills another table, a batch at a
 * time, and the pool's row in `sets` then names that one: until then nobody sees
 * it. A small addition goes into the present table, as the next generation: each
 * row says since which one it stands, and readers of an earlier one pass it over.
 * A set is_filling until that is done; the next addition first takes out what one
 * that was cut off has left. Readers hold no
 * transaction but for a batch, hence the log is written back however slow they are; a table is
 * dropped when its last reader is gone.
 */
#ifndef HRWD_STORE_KEYSET_PRIVATE_H
#define HRWD_STORE_KEYSET_PRIVATE_H

#include <pthread.h>

#include "daemon/base/buffer.h"
#include "daemon/store/database.h"
#include "daemon/store/keyset.h"
#include "daemon/store/place.h"

enum keyset_statement {
	SET_GET,
	SET_PUT,
	SET_FORGET,
	TABLES_STRAY,
	TABLES_LAST,
	SETS_NEXT,
	SET_RENAME,
	VERSION_GET
};

/* A table that is read, or no longer wanted. */
struct keyset_table {
	uint64_t number;
	unsigned readers;
	bool is_doomed;
	struct keyset_table *next;
};

/* A change of a pool's set, under way. */
struct keyset_change {
	const char *pool;
	bool is_active;	   /* it has its turn */
	bool is_forgotten; /* the pool went away under it */
	struct keyset_change *next;
};

struct keyset {
	/* Held for a batch of keys, or as long as a table takes to drop. */
	pthread_mutex_t writing;
	struct database writer;

	/* Held briefly; taken after `writing` where both are. */
	pthread_mutex_t lock;
	pthread_cond_t turn;
	struct database reader;
	struct keyset_table *tables;
	struct keyset_change *changes;
	uint64_t last_table;

	char *path;
	char *folder; /* temporary, to be removed; NULL: none */
	int claim;
	struct place place;
};

/* A pool's row. */
struct keyset_set {
	uint64_t number; /* of its table; 0: it has no keys */
	bool is_filling; /* the table may have rows of the next generation */
	struct keyset_stats stats;
};

/* The row; all zeros where there is none. Takes the lock. */
int keyset_find(
    struct keyset *k, const char *pool, struct keyset_set *out, struct hrw_fault *fault);

/* Inside a transaction of the writer: writes the row (NULL: takes it away),
 * commits, and dooms the table that `old` names where `set` has another. */
int keyset_swap(struct keyset *k, const char *pool, const struct keyset_set *old,
    const struct keyset_set *set, struct hrw_fault *fault);

/* Takes the rows of a generation that was not to be out of the set's table.
 * `writing` is held. A pass over the table. */
int keyset_undo(
    struct keyset *k, const char *pool, const struct keyset_set *set, struct hrw_fault *fault);

/* The row, and a hold on its table that keeps it from being dropped (NULL where the
 * set has no keys) until it is let go. */
int keyset_hold(struct keyset *k, const char *pool, struct keyset_set *set,
    struct keyset_table **table, struct hrw_fault *fault);
void keyset_let_go(struct keyset *k, struct keyset_table *table);

/* `writing` is held. */
int keyset_drop(struct keyset *k, uint64_t number, struct hrw_fault *fault);

/* Drops what is doomed and unread, and the pages that long work had read. `writing`
 * is held. */
void keyset_sweep(struct keyset *k);

/* A change is listed, has its turn when no other of that pool has, and is over. */
void keyset_change_list(struct keyset *k, struct keyset_change *change);
int keyset_change_begin(struct keyset *k, struct keyset_change *change, struct hrw_fault *fault);
void keyset_change_end(struct keyset *k, struct keyset_change *change);

/* A connection to the file. */
int keyset_connect(struct keyset *k, struct database *d, int flags, struct hrw_fault *fault);

/* A statement whose text names a table; NULL with STORE_FAILED. */
sqlite3_stmt *keyset_prepare(
    struct database *d, const char *format, uint64_t number, struct hrw_fault *fault);

#endif
