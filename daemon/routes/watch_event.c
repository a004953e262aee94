/*
 * watch_event.c - the texts of events, and the last few of them.
 */
#include <stdlib.h>

#include "daemon/members/build.h"
#include "daemon/members/document.h"
#include "daemon/routes/watch_event.h"

enum { KEPT = 4 };

struct watch_event {
	atomic_uint references;
	uint64_t before, epoch;
	char lineage[POOL_LINEAGE + 1];
	struct buffer text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watch_event *kept[KEPT];
static unsigned turn;

void
watch_event_release(struct watch_event *e)
{
	if (e == NULL || atomic_fetch_sub_explicit(&e->references, 1, memory_order_acq_rel) != 1)
		return;
	buffer_fini(&e->text);
	free(e);
}

struct hrw_bytes
watch_event_bytes(const struct watch_event *e)
{
	return buffer_bytes(&e->text);
}

uint64_t
watch_event_epoch(const struct watch_event *e)
{
	return e->epoch;
}

struct watch_event *
watch_event_find(uint64_t before, uint64_t epoch, const char *lineage)
{
	struct watch_event *found = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < KEPT && found == NULL; i++)
		if (kept[i] != NULL && kept[i]->before == before && kept[i]->epoch == epoch &&
		    strcmp(kept[i]->lineage, lineage) == 0)
			found = kept[i];
	if (found != NULL)
		atomic_fetch_add_explicit(&found->references, 1, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
	return found;
}

static void
keep(struct watch_event *e)
{
	struct watch_event *old;

	atomic_fetch_add_explicit(&e->references, 1, memory_order_relaxed);
	pthread_mutex_lock(&lock);
	old = kept[turn];
	kept[turn] = e;
	turn = (turn + 1) % KEPT;
	pthread_mutex_unlock(&lock);
	watch_event_release(old);
}

void
watch_events_forget(void)
{
	struct watch_event *old[KEPT];

	pthread_mutex_lock(&lock);
	memcpy(old, kept, sizeof(old));
	memset(kept, 0, sizeof(kept));
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < KEPT; i++)
		watch_event_release(old[i]);
}

/* Settling alone shows in no node. */
static void
put_change(struct json_out *o, const struct pool *before, const struct pool *pool)
{
	bool settles = !pool_is_settled(before) && pool_is_settled(pool) &&
		       hrw_membership_equal(before->present, pool->present);
	struct buffer ops = {0};

	ops_write(before, pool, settles, &ops);
	json_put_count(o, "epoch_before", before->epoch);
	json_put_raw(o, "change", buffer_bytes(&ops));
	buffer_fini(&ops);
}

/* JSON of ours is one line, as a field of an event must be. Key sets change
 * without an epoch, so their number belongs to no version. */
static void
write_event(struct buffer *out, const struct pool *before, const struct pool *pool)
{
	struct json_out o = json_out(out);

	buffer_printf(
	    out, "id: %s\nevent: %s\ndata: ", pool->etag, before != NULL ? "change" : "pool");
	json_open_object(&o, NULL);
	json_put_text(&o, "name", pool->name);
	document_pool_write(&o, pool);
	json_put_null(&o, "keys");
	if (before != NULL)
		put_change(&o, before, pool);
	json_close_object(&o);
	buffer_add_text(out, "\n\n");
}

struct watch_event *
watch_event_new(const struct pool *before, const struct pool *pool)
{
	struct watch_event *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	atomic_init(&e->references, 1);
	e->before = before != NULL ? before->epoch : 0;
	e->epoch = pool->epoch;
	memcpy(e->lineage, pool->lineage, sizeof(e->lineage));
	write_event(&e->text, before, pool);
	if (e->text.failed) {
		watch_event_release(e);
		return NULL;
	}
	keep(e);
	return e;
}
