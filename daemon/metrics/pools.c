/*
 * pools.c - samples of pools and their nodes, as far as who asks may see them.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/members/missing.h"
#include "daemon/metrics/scrape.h"

static bool
is_shown(const struct scrape *s, const char *pool)
{
	return token_sees(s->token, hrw_text(pool));
}

/* The lookups of one pool over all loops. */
static uint64_t
lookups_of(struct metrics *first, const struct pool *pool)
{
	uint64_t sum = 0;

	for (struct metrics *m = first; m != NULL; m = m->next) {
		const struct pool_count *p;

		pthread_mutex_lock(&m->lock);
		p = metrics_pool(m, pool);
		if (p != NULL)
			sum += counted(&p->keys);
		pthread_mutex_unlock(&m->lock);
	}
	return sum;
}

void
metrics_pools_lookups(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		const struct pool *pool = s->snapshot->pool[i];

		if (!is_shown(s, pool->name))
			continue;
		scrape_begin(s);
		scrape_label(s, "pool", pool->name);
		scrape_end(s, lookups_of(s->app->metrics->first, pool));
	}
}

void
metrics_pools_epochs(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		if (!is_shown(s, s->snapshot->pool[i]->name))
			continue;
		scrape_begin(s);
		scrape_label(s, "pool", s->snapshot->pool[i]->name);
		scrape_end(s, s->snapshot->pool[i]->epoch);
	}
}

void
metrics_pools_settled(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		if (!is_shown(s, s->snapshot->pool[i]->name))
			continue;
		scrape_begin(s);
		scrape_label(s, "pool", s->snapshot->pool[i]->name);
		scrape_end(s, pool_is_settled(s->snapshot->pool[i]));
	}
}

void
metrics_pools_missing(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		const struct pool *pool = s->snapshot->pool[i];
		uint64_t copies;

		if (!is_shown(s, pool->name) || s->app->reports == NULL ||
		    !missing_of(reports_missing(s->app->reports), pool, &copies))
			continue;
		scrape_begin(s);
		scrape_label(s, "pool", pool->name);
		scrape_end(s, copies);
	}
}

void
metrics_pools_nodes(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		const struct pool *pool = s->snapshot->pool[i];
		uint64_t nodes[HRW_DRAINING + 1] = {0};

		if (!is_shown(s, pool->name))
			continue;
		for (size_t k = 0; k < pool->present->count; k++)
			nodes[pool->present->node[k].state]++;
		for (int state = HRW_ACTIVE; state <= HRW_DRAINING; state++) {
			scrape_begin(s);
			scrape_label(s, "pool", pool->name);
			scrape_label(s, "state", hrw_state_name((enum hrw_state)state));
			scrape_end(s, nodes[state]);
		}
	}
}

void
metrics_pools_info(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		const struct pool *pool = s->snapshot->pool[i];

		if (!is_shown(s, pool->name))
			continue;
		scrape_begin(s);
		scrape_label(s, "pool", pool->name);
		scrape_label(s, "placement", pool->present->placement->name);
		scrape_label(s, "fingerprint", pool->fingerprint);
		scrape_label(s, "lineage", pool->lineage);
		scrape_end(s, 1);
	}
}

/* Adds one loop's counts of a pool's nodes to `keys`, by node of the pool. Both
 * stand by name; what has left the pool is passed over. */
static void
add_nodes(const struct node_counts *nodes, const struct hrw_membership *m, uint64_t *keys)
{
	size_t at = 0;

	for (size_t i = 0; nodes != NULL && i < m->count; i++) {
		while (at < nodes->count && strcmp(nodes->node[at].name, m->node[i].name) < 0)
			at++;
		if (at < nodes->count && strcmp(nodes->node[at].name, m->node[i].name) == 0)
			keys[i] += counted(&nodes->node[at].keys);
	}
}

/* The lookups of each node over all loops; to free(). NULL: no memory. */
static uint64_t *
node_lookups(struct metrics *first, const struct pool *pool)
{
	uint64_t *keys = calloc(pool->present->count + 1, sizeof(*keys));

	for (struct metrics *m = first; m != NULL && keys != NULL; m = m->next) {
		const struct pool_count *p;

		pthread_mutex_lock(&m->lock);
		p = metrics_pool(m, pool);
		if (p != NULL)
			add_nodes(p->nodes, pool->present, keys);
		pthread_mutex_unlock(&m->lock);
	}
	return keys;
}

/* A sample for each node of each pool that is shown. */
static void
each_node(struct scrape *s,
    void (*value)(struct scrape *s, const uint64_t *keys, uint64_t all, size_t node))
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		const struct pool *pool = s->snapshot->pool[i];
		uint64_t *keys, all = 0;

		if (!is_shown(s, pool->name))
			continue;
		keys = node_lookups(s->app->metrics->first, pool);
		for (size_t k = 0; keys != NULL && k < pool->present->count; k++)
			all += keys[k];
		for (size_t k = 0; keys != NULL && k < pool->present->count; k++) {
			scrape_begin(s);
			scrape_label(s, "pool", pool->name);
			scrape_label(s, "node", pool->present->node[k].name);
			value(s, keys, all, k);
		}
		free(keys);
	}
}

static void
put_node_lookups(struct scrape *s, const uint64_t *keys, uint64_t all, size_t node)
{
	(void)all;
	scrape_end(s, keys[node]);
}

void
metrics_pools_node_lookups(struct scrape *s)
{
	each_node(s, put_node_lookups);
}

static void
put_observed(struct scrape *s, const uint64_t *keys, uint64_t all, size_t node)
{
	scrape_number(s, all == 0 ? 0 : (double)keys[node] / (double)all);
}

void
metrics_pools_observed(struct scrape *s)
{
	each_node(s, put_observed);
}

/* Where no formula gives them, shares are counted when GET /nodes first asks: not
 * here, where a scrape would hold up a loop. */
void
metrics_pools_shares(struct scrape *s)
{
	for (size_t i = 0; i < s->snapshot->count; i++) {
		struct pool *pool = s->snapshot->pool[i];
		const double *share;

		if (!is_shown(s, pool->name) || !pool_has_shares(pool))
			continue;
		share = pool_shares(pool);
		for (size_t k = 0; share != NULL && k < pool->present->count; k++) {
			scrape_begin(s);
			scrape_label(s, "pool", pool->name);
			scrape_label(s, "node", pool->present->node[k].name);
			scrape_number(s, share[k]);
		}
	}
}

void
metrics_pools_drift(struct scrape *s)
{
	const struct metrics *m = s->app->metrics->first;

	for (size_t i = 0; i < m->drifts; i++) {
		if (!is_shown(s, m->drift[i].name))
			continue;
		scrape_begin(s);
		scrape_label(s, "pool", m->drift[i].name);
		scrape_end(s, m->drift[i].differs);
	}
}
