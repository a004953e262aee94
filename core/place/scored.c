#include "core/place/scored.h"

#include <stdlib.h>

#include "core/place/hashes.h"
#include "core/place/order.h"
#include "core/place/race.h"

void
hrw_scored_free(void *scored)
{
	struct hrw_scored *s = scored;

	free(s->node);
	free(s->weight);
	free(s->hash);
	free(s);
}

size_t
hrw_scored_size(const void *scored)
{
	const struct hrw_scored *s = scored;

	return sizeof(*s) +
	       s->m->count * (sizeof(*s->node) + sizeof(*s->weight) + sizeof(*s->hash));
}

/* Takers, the winner of a tie first. The membership stands by name. */
static uint32_t *
order_of(const struct hrw_membership *m, enum hrw_ties ties, size_t *count)
{
	uint32_t *order;

	if (ties == HRW_TIES_LOWER_ID)
		return hrw_order_takers(m, count);
	order = calloc(m->count + 1, sizeof(*order));
	*count = 0;
	for (size_t i = 0; order != NULL && i < m->count; i++) {
		size_t at = ties == HRW_TIES_LARGER_NAME ? m->count - 1 - i : i;

		if (hrw_node_is_taker(&m->node[at]))
			order[(*count)++] = (uint32_t)at;
	}
	return order;
}

static int
fill(struct hrw_scored *s, struct hrw_fault *fault)
{
	const struct hrw_membership *m = s->m;

	s->node = order_of(m, s->by->ties, &s->count);
	s->weight = calloc(m->count + 1, sizeof(*s->weight));
	s->hash = calloc(m->count + 1, sizeof(*s->hash));
	if (s->node == NULL || s->weight == NULL || s->hash == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	for (size_t i = 0; i < s->count; i++) {
		s->weight[i] = m->node[s->node[i]].weight;
		s->has_weights = s->has_weights || s->weight[i] != s->weight[0];
	}
	if (s->by->hash_node == NULL)
		return 0;
	for (size_t i = 0; i < m->count; i++)
		s->hash[i] = s->by->hash_node(s, hrw_text(m->node[i].hash_name));
	return hrw_hashes_check(m, s->hash, fault);
}

int
hrw_scored_prepare(const struct hrw_membership *m, const struct hrw_scorer *by, void **index,
    struct hrw_fault *fault)
{
	struct hrw_scored *s = calloc(1, sizeof(*s));
	int rc;

	if (s == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	s->m = m;
	s->by = by;
	rc = fill(s, fault);
	if (rc < 0)
		hrw_scored_free(s);
	else
		*index = s;
	return rc;
}

static uint64_t
hash_key(const struct hrw_scored *s, struct hrw_bytes key)
{
	return s->by->hash_key != NULL ? s->by->hash_key(s, key) : 0;
}

/* The top bits of a raw: those that make a score. */
static uint64_t
top(const struct hrw_scored *s, uint64_t raw)
{
	return raw >> (64 - s->by->bits);
}

static int
rank_into(const struct hrw_scored *s, struct hrw_bytes key, size_t want,
    struct hrw_race_candidate *heap, uint32_t *out)
{
	struct hrw_race race = {
	    .weight = s->has_weights ? s->weight : NULL, .bits = s->by->bits, .heap = heap};
	uint64_t hashed = hash_key(s, key);

	race.want = want;
	for (size_t i = 0; i < s->count; i++) {
		uint64_t raw = s->by->raw(s, s->node[i], hashed, key);
		double score = 0;

		if (s->has_weights) {
			raw = top(s, raw);
			score = hrw_ln_score(raw, s->by->bits, s->weight[i]);
		}
		hrw_race_offer(&race, raw, score, (uint32_t)i);
	}
	return hrw_race_finish(&race, s->node, out);
}

/* The two frames stand apart, so that a lookup never needs the large one. */
__attribute__((noinline)) static int
rank_few(const struct hrw_scored *s, struct hrw_bytes key, size_t want, uint32_t *out)
{
	struct hrw_race_candidate heap[HRW_RACE_FEW];

	return rank_into(s, key, want, heap, out);
}

__attribute__((noinline)) static int
rank_many(const struct hrw_scored *s, struct hrw_bytes key, size_t want, uint32_t *out)
{
	struct hrw_race_candidate heap[HRW_NODES_MAX];

	return rank_into(s, key, want, heap, out);
}

int
hrw_scored_rank(const void *scored, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct hrw_scored *s = scored;

	if (s->m->placement->check_key != NULL && s->m->placement->check_key(s->m, key, NULL) < 0)
		return HRW_BAD_KEY;
	if (want > s->count)
		want = s->count;
	return want <= HRW_RACE_FEW ? rank_few(s, key, want, out) : rank_many(s, key, want, out);
}

void
hrw_scored_explain(const void *scored, struct hrw_bytes key, struct hrw_score *out)
{
	const struct hrw_scored *s = scored;
	uint64_t hashed = hash_key(s, key);

	for (size_t i = 0; i < s->m->count; i++) {
		double weight = s->m->node[i].weight;
		uint64_t raw = s->by->raw(s, (uint32_t)i, hashed, key);

		out[i].has_raw = true;
		out[i].is_wide = s->by->is_wide;
		out[i].raw = raw;
		if (s->by->bits == 0)
			continue;
		out[i].has_score = true;
		out[i].score = weight > 0 ? hrw_ln_score(top(s, raw), s->by->bits, weight) : 0;
	}
}
