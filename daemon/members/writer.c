/*
 * writer.c - the queue of changes, the snapshot that is current, and its readers.
 */
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/members/writer_private.h"

void
item_free(struct item *item)
{
	if (item == NULL)
		return;
	change_free(item->change);
	free(item->ops);
	free(item->summary);
	outcome_fini(&item->outcome);
	buffer_fini(&item->entry);
	free(item->document);
	free(item);
}

static void
batch_free(struct batch *batch)
{
	struct item *item;

	if (batch == NULL)
		return;
	while ((item = batch->first) != NULL) {
		batch->first = item->next;
		item_free(item);
	}
	snapshot_release(batch->base);
	snapshot_release(batch->next);
	free(batch);
}

static void start(struct writer *w);

/* Every answer of the batch, in the order in which they were asked for. */
static void
answer(struct writer *w)
{
	struct batch *batch = w->batch;

	for (struct item *item = batch->first; item != NULL; item = item->next) {
		bool is_told = item->status == 0 || item->outcome.refusal != 0;

		if (item->done != NULL)
			item->done(item->arg, item->status, is_told ? &item->outcome : NULL,
			    item->write.history_id, &item->fault);
	}
	w->batch = NULL;
	w->is_waiting = false;
	batch_free(batch);
	start(w);
}

static bool
have_all_adopted(struct writer *w)
{
	bool have = true;

	pthread_mutex_lock(&w->lock);
	for (const struct writer_reader *r = w->readers; r != NULL; r = r->next)
		have = have && r->generation == w->generation;
	pthread_mutex_unlock(&w->lock);
	return have;
}

static void
adopted(uv_async_t *async)
{
	struct writer *w = async->data;

	if (w->is_waiting && have_all_adopted(w))
		answer(w);
}

static void
publish(struct writer *w, struct snapshot *next)
{
	struct snapshot *old;

	pthread_mutex_lock(&w->lock);
	old = w->current;
	w->current = next;
	w->generation++;
	for (struct writer_reader *r = w->readers; r != NULL; r = r->next)
		r->wake(r->arg);
	pthread_mutex_unlock(&w->lock);
	snapshot_release(old);
	if (w->published != NULL)
		w->published(w->published_arg);
}

static void
run(uv_work_t *work)
{
	struct writer *w = work->data;

	batch_run(w, w->batch);
}

static void
ran(uv_work_t *work, int status)
{
	struct writer *w = work->data;
	struct batch *batch = w->batch;

	(void)status; /* nobody cancels it */
	if (batch->next != batch->base) {
		publish(w, batch->next);
		batch->next = NULL; /* taken */
	}
	w->is_waiting = true;
	if (have_all_adopted(w))
		answer(w);
}

/* Takes all that waits, unless something is under way. */
static void
start(struct writer *w)
{
	struct batch *batch;

	if (w->batch != NULL || w->head == NULL)
		return;
	batch = calloc(1, sizeof(*batch));
	if (batch == NULL) {
		log_error("no memory to go on with the queue of changes: trying again with the "
			  "next one");
		return;
	}
	batch->first = w->head;
	w->head = NULL;
	w->tail = &w->head;
	for (struct item *item = batch->first; item != NULL; item = item->next)
		batch->count++;
	batch->base = snapshot_acquire(w->current);
	batch->next = snapshot_acquire(w->current);
	batch->work.data = w;
	w->batch = batch;
	uv_queue_work(w->loop, &batch->work, run, ran);
}

static void
enqueue(struct writer *w, struct item *item)
{
	*w->tail = item;
	w->tail = &item->next;
	start(w);
}

void
writer_apply(struct writer *w, struct change *change, writer_done done, void *arg)
{
	struct item *item = calloc(1, sizeof(*item));
	struct hrw_fault fault;

	if (item == NULL) {
		hrw_fault(&fault, HRW_INTERNAL, "no memory for the change");
		change_free(change);
		done(arg, HRW_INTERNAL, NULL, 0, &fault);
		return;
	}
	item->kind = ITEM_CHANGE;
	item->change = change;
	item->done = done;
	item->arg = arg;
	enqueue(w, item);
}

/* A text that may be NULL. False: no memory. */
static bool
copy(char **to, const char *from)
{
	*to = from != NULL ? strdup(from) : NULL;
	return from == NULL || *to != NULL;
}

void
writer_record(struct writer *w, const char *pool, const char *by, const char *from,
    const char *reason, const char *ops, const char *summary)
{
	struct item *item = calloc(1, sizeof(*item));

	if (item != NULL)
		item->change = change_new(pool);
	if (item == NULL || item->change == NULL || !copy(&item->change->by, by) ||
	    !copy(&item->change->from, from) || !copy(&item->change->reason, reason) ||
	    !copy(&item->ops, ops) || !copy(&item->summary, summary)) {
		log_event(LOG_ERROR, "no memory to write into the history", log_text("pool", pool),
		    log_text("what", ops));
		item_free(item);
		return;
	}
	item->kind = ITEM_RECORD;
	enqueue(w, item);
}

void
writer_reload(struct writer *w)
{
	struct item *item = calloc(1, sizeof(*item));

	if (item == NULL) {
		log_error("no memory to read the pools again");
		return;
	}
	item->kind = ITEM_RELOAD;
	enqueue(w, item);
}

struct writer *
writer_new(uv_loop_t *loop, const struct members_config *config, struct store *store,
    struct hrw_fault *fault)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (w == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "no memory for the writer");
		return NULL;
	}
	w->loop = loop;
	w->config = config;
	w->store = store;
	w->tail = &w->head;
	w->current = load_first(w, fault);
	if (w->current == NULL) {
		free(w);
		return NULL;
	}
	if (uv_async_init(loop, &w->adopted, adopted) < 0) {
		hrw_fault(fault, HRW_INTERNAL, "no handle for the writer");
		snapshot_release(w->current);
		free(w);
		return NULL;
	}
	w->adopted.data = w;
	pthread_mutex_init(&w->lock, NULL);
	return w;
}

static void
closed(uv_handle_t *handle)
{
	struct writer *w = handle->data;

	pthread_mutex_destroy(&w->lock);
	snapshot_release(w->current);
	free(w);
}

void
writer_free(struct writer *w)
{
	uv_close((uv_handle_t *)&w->adopted, closed);
}

bool
writer_is_idle(const struct writer *w)
{
	return w->batch == NULL && w->head == NULL;
}

struct snapshot *const *
writer_snapshot(const struct writer *w)
{
	return &w->current;
}

void
writer_on_publish(struct writer *w, void (*published)(void *arg), void *arg)
{
	w->published = published;
	w->published_arg = arg;
}

struct writer_reader *
writer_add_reader(struct writer *w, void (*wake)(void *arg), void *arg)
{
	struct writer_reader *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->writer = w;
	r->wake = wake;
	r->arg = arg;
	pthread_mutex_lock(&w->lock);
	r->next = w->readers;
	w->readers = r;
	/* It has taken none yet: a change that comes first waits for it. */
	r->generation = w->generation - 1;
	pthread_mutex_unlock(&w->lock);
	return r;
}

void
writer_adopt(struct writer_reader *r, struct snapshot **current)
{
	struct writer *w = r->writer;
	struct snapshot *old = *current;

	pthread_mutex_lock(&w->lock);
	*current = snapshot_acquire(w->current);
	r->generation = w->generation;
	pthread_mutex_unlock(&w->lock);
	uv_async_send(&w->adopted);
	snapshot_release(old);
}

void
writer_remove_reader(struct writer_reader *r)
{
	struct writer *w = r->writer;
	struct writer_reader **at = &w->readers;

	pthread_mutex_lock(&w->lock);
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	pthread_mutex_unlock(&w->lock);
	uv_async_send(&w->adopted);
	free(r);
}
