/*
 * snapshot.c - the pools of one moment, by name.
 */
#include <stdlib.h>

#include "daemon/members/snapshot.h"

static struct snapshot *
make(const char *default_name, size_t room)
{
	struct snapshot *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	atomic_init(&s->references, 1);
	s->default_name = default_name;
	s->pool = calloc(room + 1, sizeof(struct pool *));
	if (s->pool == NULL) {
		free(s);
		return NULL;
	}
	return s;
}

struct snapshot *
snapshot_new(const char *default_name)
{
	return make(default_name, 0);
}

struct snapshot *
snapshot_acquire(struct snapshot *s)
{
	atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
	return s;
}

void
snapshot_release(struct snapshot *s)
{
	if (s == NULL || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < s->count; i++)
		pool_release(s->pool[i]);
	free(s->pool);
	free(s);
}

/* Where the name stands, or where it would. */
static size_t
place_of(const struct snapshot *s, struct hrw_bytes name, bool *is_there)
{
	size_t low = 0, high = s->count;

	*is_there = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = hrw_bytes_cmp(hrw_text(s->pool[middle]->name), name);

		if (order == 0) {
			*is_there = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct snapshot *
snapshot_with(const struct snapshot *s, const char *name, struct pool *pool)
{
	struct snapshot *next = make(s->default_name, s->count + 1);
	bool is_there;
	size_t at = place_of(s, hrw_text(name), &is_there);

	if (next == NULL) {
		pool_release(pool);
		return NULL;
	}
	next->is_ready = s->is_ready;
	for (size_t i = 0; i < at; i++)
		next->pool[next->count++] = pool_acquire(s->pool[i]);
	if (pool != NULL)
		next->pool[next->count++] = pool;
	for (size_t i = at + is_there; i < s->count; i++)
		next->pool[next->count++] = pool_acquire(s->pool[i]);
	return next;
}

const struct pool *
snapshot_pool(const struct snapshot *s, struct hrw_bytes name)
{
	bool is_there;
	size_t at = place_of(s, name.data == NULL ? hrw_text(s->default_name) : name, &is_there);

	return is_there ? s->pool[at] : NULL;
}
