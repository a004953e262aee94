/*
 * missing.c - an entry a pool, behind a lock: it is read at each scrape and written
 * at each report.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/members/missing.h"

struct entry {
	struct entry *next;
	char *pool;
	char etag[sizeof(((struct pool *)0)->etag)]; /* "": forgotten */
	uint64_t copies;
};

struct missing {
	pthread_mutex_t lock;
	struct entry *first;
};

struct missing *
missing_new(void)
{
	struct missing *m = calloc(1, sizeof(*m));

	if (m != NULL)
		pthread_mutex_init(&m->lock, NULL);
	return m;
}

void
missing_free(struct missing *m)
{
	struct entry *e;

	if (m == NULL)
		return;
	while ((e = m->first) != NULL) {
		m->first = e->next;
		free(e->pool);
		free(e);
	}
	pthread_mutex_destroy(&m->lock);
	free(m);
}

/* The pool's entry; NULL: none. Under the lock. */
static struct entry *
find(const struct missing *m, const char *pool)
{
	struct entry *e = m->first;

	while (e != NULL && strcmp(e->pool, pool) != 0)
		e = e->next;
	return e;
}

static struct entry *
entry_new(struct missing *m, const char *pool)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (e == NULL || (e->pool = strdup(pool)) == NULL) {
		free(e);
		return NULL;
	}
	e->next = m->first;
	m->first = e;
	return e;
}

void
missing_note(struct missing *m, const struct pool *pool, uint64_t copies)
{
	struct entry *e;

	pthread_mutex_lock(&m->lock);
	e = find(m, pool->name);
	if (e == NULL)
		e = entry_new(m, pool->name);
	if (e != NULL) {
		memcpy(e->etag, pool->etag, sizeof(e->etag));
		e->copies = copies;
	}
	pthread_mutex_unlock(&m->lock);
}

void
missing_forget(struct missing *m, const char *pool)
{
	struct entry *e;

	pthread_mutex_lock(&m->lock);
	e = find(m, pool);
	if (e != NULL)
		e->etag[0] = '\0';
	pthread_mutex_unlock(&m->lock);
}

bool
missing_of(struct missing *m, const struct pool *pool, uint64_t *copies)
{
	const struct entry *e;
	bool is_known;

	*copies = 0;
	if (pool_is_settled(pool))
		return true;
	pthread_mutex_lock(&m->lock);
	e = find(m, pool->name);
	is_known = e != NULL && strcmp(e->etag, pool->etag) == 0;
	if (is_known)
		*copies = e->copies;
	pthread_mutex_unlock(&m->lock);
	return is_known;
}
