/*
 * haproxy_consistent.c - HAProxy's `hash-type consistent`: 16 points for each
 * unit of weight, made of the server's id; a key belongs to the nearest point.
 *
 * Source: HAProxy 2.6.12, lb_chash.
 */
#include <stdlib.h>

#include "core/hash/avalanche.h"
#include "core/place/haproxy_key.h"
#include "core/place/order.h"
#include "core/place/points.h"

enum { POINTS_A_WEIGHT = 16, POINTS_A_SERVER = 4096 };

struct index {
	struct hrw_haproxy_key key;
	size_t count;  /* takers */
	uint32_t only; /* the taker, where there is but one */
	struct hrw_points points;
};

static void
drop(void *index)
{
	struct index *ix = index;

	hrw_points_fini(&ix->points);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + hrw_points_size(&ix->points);
}

static void
complete(struct hrw_value *value)
{
	if (!value[HRW_HAPROXY_AVALANCHE].is_given)
		value[HRW_HAPROXY_AVALANCHE].number = !value[HRW_HAPROXY_HASH].is_given;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	size_t count = 0;
	uint32_t *order = hrw_order_takers(m, &count);
	int rc;

	if (ix == NULL || order == NULL) {
		free(ix);
		free(order);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	hrw_haproxy_key_init(&ix->key, m->param);
	ix->count = count;
	ix->only = count == 1 ? order[0] : 0;
	rc = hrw_points_make_room(&ix->points, POINTS_A_WEIGHT * m->taker_weight, fault);
	for (size_t n = 0; n < count && rc == 0; n++) {
		const struct hrw_node *node = &m->node[order[n]];
		uint32_t seed = (uint32_t)node->id * POINTS_A_SERVER;
		uint32_t points = POINTS_A_WEIGHT * (uint32_t)node->weight;

		for (uint32_t j = 0; rc == 0 && j < points; j++)
			rc = hrw_points_add(&ix->points, hrw_avalanche32(seed + j), order[n]);
	}
	if (rc == 0 && hrw_points_sort(&ix->points) < 0)
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
	free(order);
	if (rc < 0)
		drop(ix);
	else
		*index = ix;
	return rc;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	const struct hrw_points *p = &ix->points;
	uint32_t hash, above, below;
	size_t next, before;

	(void)want; /* one owner */
	if (ix->count == 1) {
		out[0] = ix->only;
		return 1;
	}
	hash = hrw_haproxy_hash(&ix->key, key);
	next = hrw_points_search(p, hash);
	next = next < p->count ? next : 0;
	before = next > 0 ? next - 1 : p->count - 1;
	above = (uint32_t)p->at[next] - hash;
	below = hash - (uint32_t)p->at[before];
	out[0] = p->node[below <= above ? before : next];
	return 1;
}

const struct hrw_placement hrw_haproxy_consistent = {
    .name = "haproxy-consistent",
    .params = hrw_haproxy_params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_MINIMAL | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 0, 256},
    .hashed = HRW_HASHED_NOTHING,
    .source = "HAProxy 2.6.12",
    .complete = complete,
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
