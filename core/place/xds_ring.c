/*
 * xds_ring.c - RING_HASH of Envoy and ring_hash of gRPC: as many points as make
 * the lightest node's share a whole number, within bounds.
 *
 * Source: Envoy, ring_hash_lb, 2026; grpc-go 4793ad04, ringhash.
 */
#include <math.h>
#include <stdlib.h>

#include "core/hash/gnu_murmur.h"
#include "core/place/order.h"
#include "core/place/points.h"
#include "core/place/xds_key.h"

enum { ENVOY_KEY_TYPE, ENVOY_MINIMUM, ENVOY_MAXIMUM, ENVOY_HASH };
enum { GRPC_CAP = 4096, ENVOY_CAP = 8388608, DEFAULT_MINIMUM = 1024 };

const char *const hrw_xds_key_types[] = {"text", "uint64", NULL};

static const char *const hash_names[] = {"xx_hash", "murmur_hash_2", NULL};

static const struct hrw_param envoy_params[] = {
    HRW_XDS_KEY_TYPE,
    {.name = "minimum_ring_size",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = ENVOY_CAP,
	.initial = DEFAULT_MINIMUM,
	.help = "points at least, 1 to 8388608"},
    {.name = "maximum_ring_size",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = ENVOY_CAP,
	.initial = ENVOY_CAP,
	.help = "points at most, 1 to 8388608"},
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.help = "the hash of the points; keys are hashed by XXH64 always"},
    {.name = NULL},
};

static const struct hrw_param grpc_params[] = {
    HRW_XDS_KEY_TYPE,
    {.name = "minimum_ring_size",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = GRPC_CAP,
	.initial = DEFAULT_MINIMUM,
	.help = "points at least, 1 to 4096"},
    {.name = "maximum_ring_size",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = GRPC_CAP,
	.initial = GRPC_CAP,
	.help = "points at most, 1 to 4096"},
    {.name = NULL},
};

struct index {
	enum hrw_key_type key_type;
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

/* Hands out points node by node. The two sums run on across nodes, so that
 * rounding is carried from one to the next: that is part of the definition. */
static int
add_points(struct index *ix, const struct hrw_membership *m, const uint32_t *order, size_t count,
    uint64_t (*hash)(struct hrw_bytes))
{
	double minimum = (double)m->param[ENVOY_MINIMUM].number;
	double maximum = (double)m->param[ENVOY_MAXIMUM].number;
	double lowest = 1, scale, made = 0, want = 0;
	char room[HRW_POINT_TEXT];
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		lowest = fmin(lowest, m->node[order[i]].weight / m->taker_weight);
	scale = fmin(ceil(lowest * minimum) / lowest, maximum);
	for (size_t i = 0; i < count; i++) {
		const struct hrw_node *node = &m->node[order[i]];

		want += scale * (node->weight / m->taker_weight);
		for (size_t n = 0; rc == 0 && made < want; n++, made++)
			rc = hrw_points_add(&ix->points,
			    hash(hrw_point_text(room, node->hash_name, "_", n)), order[i]);
	}
	return rc < 0 ? rc : hrw_points_sort(&ix->points);
}

static int
prepare(const struct hrw_membership *m, uint32_t *order, size_t count,
    uint64_t (*hash)(struct hrw_bytes), void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));

	if (ix != NULL)
		ix->key_type = hrw_key_type(m);
	if (ix == NULL || order == NULL || add_points(ix, m, order, count, hash) < 0) {
		if (ix != NULL)
			drop(ix);
		free(order);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	free(order);
	*index = ix;
	return 0;
}

static int
check_sizes(const struct hrw_membership *m, struct hrw_fault *fault)
{
	unsigned long long minimum = m->param[ENVOY_MINIMUM].number;
	unsigned long long maximum = m->param[ENVOY_MAXIMUM].number;

	if (minimum <= maximum)
		return 0;
	hrw_fault(fault, HRW_BAD_FIELD,
	    "minimum_ring_size %llu is above maximum_ring_size %llu: lower the one or raise the "
	    "other",
	    minimum, maximum);
	hrw_fault_at(fault, "/placement/minimum_ring_size");
	return HRW_BAD_FIELD;
}

static int
prepare_envoy(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	bool is_murmur = m->param[ENVOY_HASH].number != 0;
	uint32_t *order;
	size_t count;
	int rc = check_sizes(m, fault);

	if (rc < 0)
		return rc;
	order = hrw_order_takers(m, &count);
	return prepare(m, order, count, is_murmur ? hrw_gnu_murmur : hrw_xxh64, index, fault);
}

static int
prepare_grpc(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	uint32_t *order;
	size_t count;
	int rc = check_sizes(m, fault);

	if (rc < 0)
		return rc;
	order = hrw_order_by_text(m, &count);
	return prepare(m, order, count, hrw_xxh64, index, fault);
}

static int
rank_one(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	uint64_t hash;

	(void)want; /* one owner */
	if (hrw_xds_hash(ix->key_type, key, &hash) < 0)
		return HRW_BAD_KEY;
	out[0] = hrw_points_owner(&ix->points, hash);
	return 1;
}

static int
rank_many(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	uint64_t hash;

	if (hrw_xds_hash(ix->key_type, key, &hash) < 0)
		return HRW_BAD_KEY;
	return (int)hrw_points_walk(&ix->points, hrw_points_search(&ix->points, hash), want, out);
}

const struct hrw_placement hrw_envoy_ring_hash = {
    .name = "envoy-ring-hash",
    .params = envoy_params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_ADDRESS,
    .source = "Envoy, ring_hash_lb, 2026",
    .prepare = prepare_envoy,
    .rank = rank_one,
    .free = drop,
    .size = size,
};

const struct hrw_placement hrw_grpc_ring_hash = {
    .name = "grpc-ring-hash",
    .params = grpc_params,
    .traits = HRW_WEIGHTED | HRW_ZONED,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_ADDRESS,
    .source = "grpc-go 4793ad04, ringhash",
    .prepare = prepare_grpc,
    .rank = rank_many,
    .free = drop,
    .size = size,
};
