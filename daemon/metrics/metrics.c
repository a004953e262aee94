/*
 * metrics.c - each loop counts what it does in a place of its own.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/http/route.h"
#include "daemon/members/snapshot.h"
#include "daemon/metrics/private.h"

/* Of the table that finds a pool's place most slots are free: a pool that others
 * hash beside costs a lookup one more line of memory. */
enum { FEWEST_SLOTS = 16, SPARSE = 4 };

static void
nodes_free(struct node_counts *nodes)
{
	for (size_t i = 0; nodes != NULL && i < nodes->count; i++)
		free(nodes->node[i].name);
	free(nodes);
}

static void
pool_free(struct pool_count *p)
{
	if (p == NULL)
		return;
	nodes_free(p->nodes);
	free(p->name);
	free(p);
}

static void
place_free(struct metrics *m)
{
	for (size_t i = 0; i < m->slots; i++)
		pool_free(m->slot[i]);
	for (size_t i = 0; i < m->drifts; i++)
		free(m->drift[i].name);
	pthread_mutex_destroy(&m->lock);
	free(m->slot);
	free(m->drift);
	free(m->request);
	free(m);
}

struct metrics *
metrics_new(const struct route *rows, size_t count)
{
	struct metrics *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->first = m;
	m->started = (int64_t)time(NULL);
	m->routes = rows;
	m->route_count = count;
	m->request = calloc((count + 1) * CLASSES, sizeof(*m->request));
	if (m->request == NULL) {
		free(m);
		return NULL;
	}
	pthread_mutex_init(&m->lock, NULL);
	return m;
}

struct metrics *
metrics_join(struct metrics *first)
{
	struct metrics *m = metrics_new(first->routes, first->route_count);

	if (m == NULL)
		return NULL;
	m->first = first;
	atomic_store(&m->next, atomic_load(&first->next));
	atomic_store(&first->next, m);
	return m;
}

void
metrics_free(struct metrics *first)
{
	while (first != NULL) {
		struct metrics *next = first->next;

		place_free(first);
		first = next;
	}
}

void
metrics_request(struct metrics *m, size_t route, unsigned status, uint64_t ns)
{
	size_t class = status / 100 < CLASSES ? status / 100 : 0;

	histogram_add(&m->request[route * CLASSES + class], ns);
}

/* Seconds since the system started, one at least. */
static uint64_t
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec + 1;
}

void
metrics_lag(struct metrics *m, uint64_t ns)
{
	histogram_add(&m->lag, ns);
	m->now = seconds();
}

/* Does the pool still stand, and is it the same one? */
static bool
is_in(const struct pool_count *p, const struct snapshot *s)
{
	const struct pool *pool = snapshot_pool(s, hrw_text(p->name));

	return pool != NULL && memcmp(p->lineage, pool->lineage, POOL_LINEAGE) == 0;
}

static bool
is_of(const struct pool_count *p, const struct pool *pool)
{
	return p->name_hash == pool->name_hash &&
	       memcmp(p->lineage, pool->lineage, POOL_LINEAGE) == 0 &&
	       strcmp(p->name, pool->name) == 0;
}

struct pool_count *
metrics_pool(const struct metrics *m, const struct pool *pool)
{
	size_t last = m->slots - 1;

	if (m->slots == 0)
		return NULL;
	for (size_t i = pool->name_hash & last; m->slot[i] != NULL; i = (i + 1) & last)
		if (is_of(m->slot[i], pool))
			return m->slot[i];
	return NULL;
}

static void
put(struct metrics *m, struct pool_count *p)
{
	size_t last = m->slots - 1, i = p->name_hash & last;

	while (m->slot[i] != NULL)
		i = (i + 1) & last;
	m->slot[i] = p;
	m->pools++;
}

/* Puts what the pools counted into a new table, which has room for one more; those
 * that `s` lacks are forgotten (s NULL: none). False: no memory, nothing is changed. */
static bool
rebuild(struct metrics *m, const struct snapshot *s)
{
	struct pool_count **old = m->slot, **slot;
	size_t old_slots = m->slots, slots = FEWEST_SLOTS;

	while (slots < SPARSE * (m->pools + 1))
		slots *= 2;
	slot = calloc(slots, sizeof(struct pool_count *));
	if (slot == NULL)
		return false;
	pthread_mutex_lock(&m->lock);
	m->slot = slot;
	m->slots = slots;
	m->pools = 0;
	for (size_t i = 0; i < old_slots; i++) {
		if (old[i] == NULL)
			continue;
		if (s == NULL || is_in(old[i], s))
			put(m, old[i]);
		else
			pool_free(old[i]);
	}
	pthread_mutex_unlock(&m->lock);
	free(old);
	return true;
}

void
metrics_adopt(struct metrics *m, const struct snapshot *s)
{
	for (size_t i = 0; i < m->slots; i++)
		if (m->slot[i] != NULL && !is_in(m->slot[i], s)) {
			rebuild(m, s);
			return;
		}
}

/* The pool's place, made for its first lookup. NULL: no memory. */
static struct pool_count *
place_of(struct metrics *m, const struct pool *pool)
{
	struct pool_count *p = metrics_pool(m, pool);

	if (p != NULL)
		return p;
	if (SPARSE * (m->pools + 1) > m->slots && !rebuild(m, NULL))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (p == NULL || (p->name = strdup(pool->name)) == NULL) {
		free(p);
		return NULL;
	}
	p->name_hash = pool->name_hash;
	memcpy(p->lineage, pool->lineage, sizeof(p->lineage));
	pthread_mutex_lock(&m->lock);
	put(m, p);
	pthread_mutex_unlock(&m->lock);
	return p;
}

static void
keep_counts(struct node_count *to, const struct node_count *from)
{
	histogram_count(&to->keys, counted(&from->keys));
	atomic_store_explicit(&to->asked, counted(&from->asked), memory_order_relaxed);
}

/* The counts of a pool's nodes, those that stayed with what they had. Nodes of a
 * membership stand by name. */
static struct node_counts *
nodes_of(const struct pool *pool, const struct node_counts *before)
{
	const struct hrw_membership *m = pool->present;
	struct node_counts *nodes = calloc(1, sizeof(*nodes) + m->count * sizeof(nodes->node[0]));
	size_t old = 0;

	if (nodes == NULL)
		return NULL;
	nodes->epoch = pool->epoch;
	for (; nodes->count < m->count; nodes->count++) {
		struct node_count *at = &nodes->node[nodes->count];

		at->name = strdup(m->node[nodes->count].name);
		if (at->name == NULL) {
			nodes_free(nodes);
			return NULL;
		}
		while (before != NULL && old < before->count &&
		       strcmp(before->node[old].name, at->name) < 0)
			old++;
		if (before != NULL && old < before->count &&
		    strcmp(before->node[old].name, at->name) == 0)
			keep_counts(at, &before->node[old]);
	}
	return nodes;
}

/* Brings the counts of a place to the pool's version. False: they are of a later
 * one (a request may keep a snapshot for long), or there is no memory. */
static bool
follow(struct metrics *m, struct pool_count *p, const struct pool *pool)
{
	struct node_counts *old = p->nodes, *now;

	if (old != NULL && old->epoch >= pool->epoch)
		return old->epoch == pool->epoch;
	now = nodes_of(pool, old);
	if (now == NULL)
		return false;
	pthread_mutex_lock(&m->lock);
	p->nodes = now;
	pthread_mutex_unlock(&m->lock);
	nodes_free(old);
	return true;
}

void
metrics_lookup(struct metrics *m, const struct pool *pool, uint32_t owner)
{
	struct pool_count *p = place_of(m, pool);

	if (p == NULL)
		return;
	histogram_count(&p->keys, 1);
	atomic_store_explicit(&p->last, m->now != 0 ? m->now : seconds(), memory_order_relaxed);
	if (owner != METRICS_NOBODY && follow(m, p, pool))
		histogram_count(&p->nodes->node[owner].keys, 1);
}

void
metrics_asked(struct metrics *m, const struct pool *pool, const uint32_t *node, size_t count)
{
	struct pool_count *p = place_of(m, pool);
	uint64_t now = seconds();

	if (p == NULL || !follow(m, p, pool))
		return;
	for (size_t i = 0; i < count; i++)
		atomic_store_explicit(&p->nodes->node[node[i]].asked, now, memory_order_relaxed);
}

void
metrics_found(struct metrics *m, const struct pool *pool)
{
	struct pool_count *p = place_of(m, pool);

	if (p != NULL)
		atomic_store_explicit(&p->found, seconds(), memory_order_relaxed);
}

static uint64_t
later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* In seconds, what is known of a pool's lookups, and of those that named a node. */
struct known {
	uint64_t asked; /* named it as its fallback last */
	uint64_t last;	/* were made last */
	uint64_t found; /* the start, where they are not known before it */
};

/* Under the lock. */
static void
add_known(const struct metrics *m, const struct pool *pool, const char *node, struct known *known)
{
	const struct pool_count *p = metrics_pool(m, pool);

	if (p == NULL)
		return;
	known->last = later(known->last, counted(&p->last));
	known->found = later(known->found, counted(&p->found));
	for (size_t i = 0; p->nodes != NULL && i < p->nodes->count; i++)
		if (strcmp(p->nodes->node[i].name, node) == 0)
			known->asked = later(known->asked, counted(&p->nodes->node[i].asked));
}

uint64_t
metrics_asked_ago(
    struct metrics *m, const struct pool *pool, const char *node, uint64_t held_ago, bool *is_start)
{
	uint64_t asked, now = seconds(), held = now > held_ago ? now - held_ago : 0;
	struct known known = {0};

	for (struct metrics *at = m->first; at != NULL; at = atomic_load(&at->next)) {
		pthread_mutex_lock(&at->lock);
		add_known(at, pool, node, &known);
		pthread_mutex_unlock(&at->lock);
	}
	/* As a holder it was named by a lookup before it ceased to be one. */
	asked = later(known.asked, known.last < held ? known.last : held);
	*is_start = known.found > asked;
	asked = later(asked, known.found);
	return asked == 0 ? UINT64_MAX : now > asked ? now - asked : 0;
}

void
metrics_change(struct metrics *m, enum metrics_change outcome)
{
	histogram_count(&m->change[outcome], 1);
}

void
metrics_reload_failed(struct metrics *m)
{
	atomic_fetch_add_explicit(&m->first->reload_failures, 1, memory_order_relaxed);
}

void
metrics_drift(struct metrics *m, const char *pool, bool differs)
{
	struct drift *drift = reallocarray(m->drift, m->drifts + 1, sizeof(*drift));

	if (drift == NULL)
		return;
	m->drift = drift;
	drift[m->drifts] = (struct drift){strdup(pool), differs};
	if (drift[m->drifts].name != NULL)
		m->drifts++;
}

int64_t
metrics_started(const struct metrics *m)
{
	return m->first->started;
}
