/*
 * writer_private.h - between writer.c (the loop's side), writer_batch.c (what runs
 * on the libuv pool) and writer_load.c (where snapshots come from).
 */
#ifndef HRWD_MEMBERS_WRITER_PRIVATE_H
#define HRWD_MEMBERS_WRITER_PRIVATE_H

#include <pthread.h>

#include "daemon/members/writer.h"

enum item_kind {
	ITEM_CHANGE,
	ITEM_RECORD, /* a history entry that changes no membership */
	ITEM_RELOAD, /* of a plain file */
};

/* One thing in the queue. The loop's thread makes and ends it; in between a
 * batch has it to itself. */
struct item {
	struct item *next;
	enum item_kind kind;
	struct change *change; /* ITEM_CHANGE; ITEM_RECORD: pool, by, from, reason */
	char *ops, *summary;   /* ITEM_RECORD */
	writer_done done;
	void *arg;

	/* The outcome. */
	int status;
	struct hrw_fault fault;
	struct outcome outcome;
	struct buffer entry; /* of the history */
	char *document;
	bool has_write;
	struct store_write write;
};

void item_free(struct item *item);

/* What is under way on the libuv pool. */
struct batch {
	uv_work_t work;
	struct item *first;
	size_t count;
	struct snapshot *base; /* as published; a reference */
	struct snapshot *next; /* after it; a reference, may be the same */
};

struct writer_reader {
	struct writer_reader *next;
	struct writer *writer;
	void (*wake)(void *arg);
	void *arg;
	uint64_t generation; /* of the snapshot it took last */
};

struct writer {
	uv_loop_t *loop;
	const struct members_config *config;
	struct store *store;
	struct item *head, **tail;
	struct batch *batch; /* NULL: none */
	bool is_waiting;     /* the batch is published; its answers wait for readers */
	unsigned entries;    /* written since the history was trimmed */
	uv_async_t adopted;  /* a reader took a snapshot, or left */
	void (*published)(void *arg);
	void *published_arg;

	pthread_mutex_t lock; /* guards what readers touch: */
	struct snapshot *current;
	uint64_t generation;
	struct writer_reader *readers;
};

/* On the libuv pool: judges, builds and stores a whole batch. */
void batch_run(struct writer *w, struct batch *batch);

/* One history entry, without braces of its own missing anything.
 *   change    by, from, reason, forced; pool
 *   ops       JSON array */
void entry_write(struct buffer *out, const struct change *change, int64_t at_ms,
    const struct pool *before, uint64_t epoch_after, unsigned forced, const char *outcome,
    const char *ops);

/* The store's pools, with the configuration's seeds made durable among them.
 * NULL with the fault. At start. */
struct snapshot *load_first(struct writer *w, struct hrw_fault *fault);

/* The pools of a plain file, as they follow on `now`. NULL with the fault. */
struct snapshot *load_again(struct writer *w, const struct snapshot *now, struct hrw_fault *fault);

#endif
