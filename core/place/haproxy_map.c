/*
 * haproxy_map.c - HAProxy's `hash-type map-based`: a table filled smoothly by
 * weight, and the key's hash modulo its length.
 *
 * Source: HAProxy 2.6.12, lb_map.
 */
#include <stdlib.h>

#include "core/place/haproxy_key.h"
#include "core/place/order.h"

/* Steps that filling may take: about a second. Weights of no common divisor, 256
 * times thousands of nodes, would ask for minutes. */
enum { STEPS_MAX = 1 << 30 };

struct index {
	struct hrw_haproxy_key key;
	size_t count;
	uint32_t *slot; /* a node each */
};

static void
drop(void *index)
{
	struct index *ix = index;

	free(ix->slot);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + ix->count * sizeof(*ix->slot);
}

static uint32_t
common_divisor(uint32_t a, uint32_t b)
{
	while (b != 0) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The greatest common divisor of all weights that are not 0, those of nodes
 * that take no keys too. */
static uint32_t
divisor_of(const struct hrw_membership *m)
{
	uint32_t divisor = 0;

	for (size_t i = 0; i < m->count; i++)
		divisor = common_divisor(divisor, (uint32_t)m->node[i].weight);
	return divisor > 0 ? divisor : 1;
}

/* Fills the slots: each goes to the node whose running score, in whole turns of
 * the table, is highest. The division makes that coarse, and is the original's. */
static void
fill(struct index *ix, const uint32_t *order, const int64_t *weight, int64_t *score, size_t nodes)
{
	int64_t total = (int64_t)ix->count;

	for (size_t slot = 0; slot < ix->count; slot++) {
		int64_t highest = 0;
		size_t best = 0;

		for (size_t n = 0; n < nodes; n++) {
			int64_t turns;

			score[n] += weight[n];
			turns = (score[n] + total) / total;
			if (n == 0 || turns > highest) {
				highest = turns;
				best = n;
			}
		}
		ix->slot[slot] = order[best];
		score[best] -= total;
	}
}

/* Divides the weights, counts the slots. */
static int
measure(struct index *ix, const struct hrw_membership *m, const uint32_t *order, int64_t *weight,
    size_t nodes, struct hrw_fault *fault)
{
	uint32_t divisor = divisor_of(m);

	for (size_t n = 0; n < nodes; n++) {
		weight[n] = (uint32_t)m->node[order[n]].weight / divisor;
		ix->count += (size_t)weight[n];
	}
	if (nodes > 0 && ix->count > STEPS_MAX / nodes)
		return hrw_fault(fault, HRW_BAD_WEIGHT,
		    "the weights ask for a table of %zu slots for %zu nodes, too many to fill: "
		    "choose weights with a larger common divisor",
		    ix->count, nodes);
	ix->slot = calloc(ix->count + 1, sizeof(*ix->slot));
	return ix->slot != NULL ? 0 : hrw_fault(fault, HRW_INTERNAL, "out of memory");
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	int64_t *weight = calloc(m->count + 1, sizeof(*weight));
	int64_t *score = calloc(m->count + 1, sizeof(*score));
	size_t nodes = 0;
	uint32_t *order = hrw_order_takers(m, &nodes);
	int rc;

	if (ix == NULL || weight == NULL || score == NULL || order == NULL) {
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto out;
	}
	hrw_haproxy_key_init(&ix->key, m->param);
	rc = measure(ix, m, order, weight, nodes, fault);
	if (rc < 0)
		goto out;
	fill(ix, order, weight, score, nodes);
	*index = ix;
	ix = NULL; /* taken */
out:
	if (ix != NULL)
		drop(ix);
	free(weight);
	free(score);
	free(order);
	return rc;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;

	(void)want; /* one owner */
	out[0] = ix->slot[ix->count == 1 ? 0 : hrw_haproxy_hash(&ix->key, key) % ix->count];
	return 1;
}

const struct hrw_placement hrw_haproxy_map = {
    .name = "haproxy-map",
    .params = hrw_haproxy_params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 0, 256},
    .hashed = HRW_HASHED_NOTHING,
    .source = "HAProxy 2.6.12",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
