/*
 * simulate.c - routes requests, asks caches, and keeps the counts of stretches.
 */
#include <stdlib.h>

#include "core/hash/fmix.h"
#include "core/keytype.h"
#include "core/lru.h"
#include "core/simulate.h"

static const uint32_t NOT_KNOWN = UINT32_MAX, NOBODY = UINT32_MAX - 1;

/* Hits of a part of the trace, [from, to). */
struct stretch {
	size_t from, to;
	uint64_t hits;
};

struct hrw_simulation {
	struct hrw_simulation_setup setup;
	const struct hrw_trace *trace;
	size_t at, phase;

	/* The nodes of all phases, by name. */
	size_t count;
	const char **name;
	uint64_t *requests;
	struct hrw_lru *cache;

	/* Of the present phase. */
	uint32_t *node_of;	  /* node of its membership -> name[] */
	size_t taker_count, turn; /* turn: the next of taker[], round robin */
	uint32_t *taker;	  /* names that take keys */
	uint32_t *owner;	  /* by key: a name, NOBODY, NOT_KNOWN */

	struct stretch steady, recovered, watched; /* watched: where windows lie */
	size_t window;
	uint64_t in_window, worst, worst_at;
	bool has_worst;
	uint64_t hits, unplaced;
};

static int
name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The distinct names of all phases, sorted: their number. */
static size_t
unite(const struct hrw_simulation_setup *setup, const char **name)
{
	size_t all = 0, count = 0;

	for (size_t p = 0; p < setup->phase_count; p++)
		for (size_t i = 0; i < setup->phase[p].membership->count; i++)
			name[all++] = setup->phase[p].membership->node[i].name;
	qsort(name, all, sizeof(*name), name_cmp);
	for (size_t i = 0; i < all; i++)
		if (count == 0 || strcmp(name[count - 1], name[i]) != 0)
			name[count++] = name[i];
	return count;
}

static size_t
listed(const struct hrw_simulation_setup *setup)
{
	size_t all = 0;

	for (size_t p = 0; p < setup->phase_count; p++)
		all += setup->phase[p].membership->count;
	return all;
}

static uint32_t
capacity_of(const struct hrw_simulation_setup *setup)
{
	size_t distinct = setup->trace->distinct;

	return (uint32_t)(setup->capacity == 0 || setup->capacity > distinct ? distinct
									     : setup->capacity);
}

uint64_t
hrw_simulation_bytes(const struct hrw_simulation_setup *setup)
{
	size_t nodes = 0, added = 0;

	/* Nodes that join later may be those that left: the most there can be. */
	for (size_t p = 0; p < setup->phase_count; p++) {
		size_t count = setup->phase[p].membership->count;

		if (p == 0)
			nodes = count;
		else if (count > setup->phase[p - 1].membership->count)
			added += count - setup->phase[p - 1].membership->count;
	}
	return (uint64_t)(nodes + added) * capacity_of(setup) * HRW_LRU_BYTES_AN_ENTRY;
}

static uint32_t
place_of(const struct hrw_simulation *s, const char *name)
{
	const char **at = bsearch(&name, s->name, s->count, sizeof(*s->name), name_cmp);

	return (uint32_t)(at - s->name);
}

static struct stretch
second_half(size_t from, size_t to)
{
	return (struct stretch){.from = from + (to - from) / 2, .to = to};
}

static size_t
phase_end(const struct hrw_simulation *s, size_t phase)
{
	return phase + 1 < s->setup.phase_count ? s->setup.phase[phase + 1].from : s->trace->count;
}

static void
mark_stretches(struct hrw_simulation *s)
{
	size_t last = s->setup.phase_count - 1, first_end = phase_end(s, 0), length;

	s->steady = second_half(0, first_end);
	s->recovered = second_half(s->setup.phase[last].from, s->trace->count);
	s->watched =
	    last == 0 ? s->steady : (struct stretch){.from = first_end, .to = s->trace->count};
	length = s->watched.to - s->watched.from;
	s->window = s->setup.window < length ? s->setup.window : length;
}

/* Caches of nodes that are there no more are empty when they come back. */
static void
enter_phase(struct hrw_simulation *s, size_t phase)
{
	const struct hrw_membership *m = s->setup.phase[phase].membership;

	s->phase = phase;
	s->taker_count = 0;
	s->turn = 0;
	for (size_t i = 0; i < s->count; i++)
		if (s->cache[i].count > 0 && hrw_membership_find(m, s->name[i]) == NULL)
			hrw_lru_clear(&s->cache[i]);
	for (size_t i = 0; i < m->count; i++) {
		s->node_of[i] = place_of(s, m->node[i].name);
		if (hrw_node_is_taker(&m->node[i]))
			s->taker[s->taker_count++] = s->node_of[i];
	}
	for (size_t i = 0; i < s->trace->distinct; i++)
		s->owner[i] = NOT_KNOWN;
}

struct hrw_simulation *
hrw_simulation_new(const struct hrw_simulation_setup *setup)
{
	struct hrw_simulation *s = calloc(1, sizeof(*s));
	size_t all = listed(setup);

	if (s == NULL)
		return NULL;
	s->setup = *setup;
	s->trace = setup->trace;
	mark_stretches(s);
	s->name = malloc((all + 1) * sizeof(*s->name));
	s->requests = calloc(all + 1, sizeof(*s->requests));
	s->cache = calloc(all + 1, sizeof(*s->cache));
	s->node_of = malloc((all + 1) * sizeof(*s->node_of));
	s->taker = malloc((all + 1) * sizeof(*s->taker));
	s->owner = malloc((s->trace->distinct + 1) * sizeof(*s->owner));
	if (s->name == NULL || s->requests == NULL || s->cache == NULL || s->node_of == NULL ||
	    s->taker == NULL || s->owner == NULL)
		goto fail;
	s->count = unite(setup, s->name);
	for (size_t i = 0; i < s->count; i++)
		if (hrw_lru_init(&s->cache[i], capacity_of(setup)) < 0)
			goto fail;
	enter_phase(s, 0);
	return s;
fail:
	hrw_simulation_free(s);
	return NULL;
}

void
hrw_simulation_free(struct hrw_simulation *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; s->cache != NULL && i < s->count; i++)
		hrw_lru_fini(&s->cache[i]);
	free(s->name);
	free(s->requests);
	free(s->cache);
	free(s->node_of);
	free(s->taker);
	free(s->owner);
	free(s);
}

/* The owner, looked up at the key's first request of a phase. */
static int
route_by_placement(struct hrw_simulation *s, uint32_t number, uint32_t *to, struct hrw_fault *fault)
{
	const struct hrw_membership *m = s->setup.phase[s->phase].membership;
	uint32_t *owner = &s->owner[number], node;
	int rc;

	if (*owner == NOT_KNOWN) {
		rc = hrw_rank(m, s->trace->key[number], 1, &node);
		if (rc == HRW_BAD_KEY)
			return hrw_key_check(m, s->trace->key[number], fault);
		*owner = rc > 0 ? s->node_of[node] : NOBODY;
	}
	*to = *owner;
	return 0;
}

/* The place of a request decides: two simulations of a trace route alike. */
static uint32_t
route_at_random(const struct hrw_simulation *s)
{
	uint64_t chance = hrw_fmix64((uint64_t)s->at + 1);

	return s->taker[(chance >> 32) * s->taker_count >> 32];
}

static int
route(struct hrw_simulation *s, uint32_t number, uint32_t *to, struct hrw_fault *fault)
{
	*to = NOBODY;
	if (s->taker_count == 0)
		return 0;
	switch (s->setup.router) {
	case HRW_BY_PLACEMENT:
		return route_by_placement(s, number, to, fault);
	case HRW_AT_RANDOM:
		*to = route_at_random(s);
		break;
	case HRW_ROUND_ROBIN:
		*to = s->taker[s->turn];
		s->turn = (s->turn + 1) % s->taker_count;
		break;
	}
	return 0;
}

static void
count_stretch(struct stretch *stretch, size_t at, bool is_hit)
{
	if (at >= stretch->from && at < stretch->to)
		stretch->hits += is_hit;
}

/* Windows lie end to end; what is left of the last does not count. */
static void
count_window(struct hrw_simulation *s, bool is_hit)
{
	size_t seen = s->at - s->watched.from;

	if (s->at < s->watched.from)
		return;
	if (seen % s->window == 0)
		s->in_window = 0;
	s->in_window += is_hit;
	if ((seen + 1) % s->window != 0 || (s->has_worst && s->in_window >= s->worst))
		return;
	s->has_worst = true;
	s->worst = s->in_window;
	s->worst_at = s->at + 1 - s->window;
}

int
hrw_simulation_run(struct hrw_simulation *s, size_t count, struct hrw_fault *fault)
{
	for (; count > 0 && s->at < s->trace->count; count--) {
		uint32_t number = s->trace->request[s->at], to;
		bool is_hit;
		int rc;

		if (s->at == phase_end(s, s->phase))
			enter_phase(s, s->phase + 1);
		rc = route(s, number, &to, fault);
		if (rc < 0)
			return rc;
		is_hit = to != NOBODY && hrw_lru_request(&s->cache[to], number);
		s->hits += is_hit;
		if (to == NOBODY)
			s->unplaced++;
		else
			s->requests[to]++;
		count_stretch(&s->steady, s->at, is_hit);
		count_stretch(&s->recovered, s->at, is_hit);
		count_window(s, is_hit);
		s->at++;
	}
	return s->at < s->trace->count;
}

static double
rate(uint64_t hits, uint64_t requests)
{
	return requests == 0 ? 0 : (double)hits / (double)requests;
}

void
hrw_simulation_result(const struct hrw_simulation *s, struct hrw_simulated *out)
{
	*out = (struct hrw_simulated){.requests = s->trace->count,
	    .hits = s->hits,
	    .unplaced = s->unplaced,
	    .steady = rate(s->steady.hits, s->steady.to - s->steady.from),
	    .worst = rate(s->worst, s->window),
	    .worst_at = s->worst_at,
	    .has_recovered = s->setup.phase_count > 1,
	    .recovered = rate(s->recovered.hits, s->recovered.to - s->recovered.from)};
	for (size_t i = 0; i < s->count; i++)
		if (s->requests[i] > out->busiest_requests) {
			out->busiest = s->name[i];
			out->busiest_requests = s->requests[i];
		}
}
