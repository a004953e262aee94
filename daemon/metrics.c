/*
 * metrics.c - each loop counts what it does in a place of its own.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/metrics_impl.h"
#include "daemon/routes/routes.h"

static void
nodes_free(struct node_counts *nodes)
{
	for (size_t i = 0; nodes != NULL && i < nodes->count; i++)
		free(nodes->node[i].name);
	free(nodes);
}

static void
place_free(struct metrics *m)
{
	for (size_t i = 0; i < POOLS; i++) {
		free(atomic_load(&m->pool[i].name));
		nodes_free(m->pool[i].nodes);
		pthread_mutex_destroy(&m->pool[i].lock);
		free(m->drift[i]);
	}
	free(m->request);
	free(m);
}

struct metrics *
metrics_new(void)
{
	struct metrics *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->first = m;
	m->started = (int64_t)time(NULL);
	m->request = calloc((route_count + 1) * CLASSES, sizeof(*m->request));
	if (m->request == NULL) {
		free(m);
		return NULL;
	}
	for (size_t i = 0; i < POOLS; i++)
		pthread_mutex_init(&m->pool[i].lock, NULL);
	return m;
}

struct metrics *
metrics_join(struct metrics *first)
{
	struct metrics *m = metrics_new();

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

void
metrics_lag(struct metrics *m, uint64_t ns)
{
	histogram_add(&m->lag, ns);
}

/* The pool's place among those counted; NULL: it is one of the others. */
static struct pool_count *
place_of(struct metrics *m, const struct pool *pool)
{
	uint8_t *slot = &m->slot[pool->name_hash % SLOTS];
	struct pool_count *p;
	char *name;

	for (; *slot != 0; slot = slot == &m->slot[SLOTS - 1] ? m->slot : slot + 1) {
		p = &m->pool[*slot - 1];
		if (strcmp(atomic_load_explicit(&p->name, memory_order_relaxed), pool->name) == 0)
			return p;
	}
	if (m->pools == POOLS || (name = strdup(pool->name)) == NULL)
		return NULL;
	p = &m->pool[m->pools];
	*slot = ++m->pools;
	atomic_store_explicit(&p->name, name, memory_order_release);
	return p;
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
	memcpy(nodes->lineage, pool->lineage, sizeof(nodes->lineage));
	if (before != NULL && strcmp(before->lineage, pool->lineage) != 0)
		before = NULL;
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
			histogram_count(&at->keys, counted(&before->node[old].keys));
	}
	return nodes;
}

/* Brings the counts of a place to the pool's version. False: they are of a later
 * one (a request may keep a snapshot for long), or there is no memory. */
static bool
follow(struct pool_count *p, const struct pool *pool)
{
	struct node_counts *old = p->nodes, *now;
	bool is_same = old != NULL && memcmp(old->lineage, pool->lineage, POOL_LINEAGE) == 0;

	if (is_same && old->epoch == pool->epoch)
		return true;
	if (is_same && old->epoch > pool->epoch)
		return false;
	now = nodes_of(pool, old);
	if (now == NULL)
		return false;
	pthread_mutex_lock(&p->lock);
	p->nodes = now;
	pthread_mutex_unlock(&p->lock);
	nodes_free(old);
	return true;
}

void
metrics_lookup(struct metrics *m, const struct pool *pool, uint32_t owner)
{
	struct pool_count *p = place_of(m, pool);

	histogram_count(p != NULL ? &p->keys : &m->other_keys, 1);
	if (p != NULL && owner != METRICS_NOBODY && follow(p, pool))
		histogram_count(&p->nodes->node[owner].keys, 1);
}

void
metrics_change(struct metrics *m, enum metrics_change outcome)
{
	histogram_count(&m->change[outcome], 1);
}

void
metrics_drift(struct metrics *m, const char *pool, bool differs)
{
	for (size_t i = 0; i < POOLS; i++) {
		if (m->drift[i] != NULL)
			continue;
		m->drift[i] = strdup(pool);
		m->differs[i] = differs;
		return;
	}
}
