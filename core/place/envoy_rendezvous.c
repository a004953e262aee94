/*
 * envoy_rendezvous.c - rendezvous hashing in Envoy, with a fast logarithm.
 *
 * The scores are plain doubles, rounding and all: nodes that rounding ties go by
 * their order.
 *
 * Source: Envoy, 2026.
 */
#include <stdlib.h>

#include "core/hash/xorshift.h"
#include "core/place/order.h"
#include "core/place/xds_key.h"

static const struct hrw_param params[] = {
    HRW_XDS_KEY_TYPE,
    {.name = NULL},
};

struct peer {
	uint64_t hash;
	double share;
	uint32_t node;
};

struct index {
	const struct hrw_membership *m;
	enum hrw_key_type key_type;
	size_t count;
	struct peer *peer; /* takers in ascending id */
};

static void
drop(void *index)
{
	struct index *ix = index;

	free(ix->peer);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + ix->count * sizeof(*ix->peer);
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	size_t count = 0;
	uint32_t *order = hrw_order_takers(m, &count);

	if (ix != NULL)
		ix->peer = calloc(count + 1, sizeof(*ix->peer));
	if (ix == NULL || order == NULL || ix->peer == NULL) {
		if (ix != NULL)
			drop(ix);
		free(order);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	ix->m = m;
	ix->key_type = hrw_key_type(m);
	ix->count = count;
	for (size_t i = 0; i < count; i++) {
		const struct hrw_node *node = &m->node[order[i]];

		ix->peer[i] = (struct peer){
		    .hash = hrw_xxh64(hrw_text(node->hash_name)),
		    .share = node->weight / m->taker_weight,
		    .node = order[i],
		};
	}
	free(order);
	*index = ix;
	return 0;
}

/* About log2 of 0 <= u < 1: the exponent, and a quotient for the mantissa. */
static double
log2_fast(double u)
{
	uint64_t bits, mantissa, bias;
	double y, t;

	memcpy(&bits, &u, sizeof(bits));
	mantissa = bits & ((UINT64_C(1) << 52) - 1);
	bias = 1023 ^ (mantissa >> 51);
	bits = bias << 52 | mantissa;
	memcpy(&y, &bits, sizeof(y));
	memcpy(&bits, &u, sizeof(bits));
	t = y - 1.0;
	return (double)((int64_t)(bits >> 52) - (int64_t)bias) +
	       t * (0.338953 * t + 2.198599) / (t + 1.523692);
}

static double
score(uint64_t raw, double share)
{
	/* 2^-53 times the low 53 bits: exact */
	double u = (double)(raw & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;

	return -share / (log2_fast(u) * 0.6931471805599453);
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	uint64_t hash;
	double best = 0;

	(void)want; /* one owner */
	if (hrw_xds_hash(ix->key_type, key, &hash) < 0)
		return HRW_BAD_KEY;
	for (size_t i = 0; i < ix->count; i++) {
		double s = score(hrw_xorshift64(hash ^ ix->peer[i].hash), ix->peer[i].share);

		if (i == 0 || s > best) {
			best = s;
			out[0] = ix->peer[i].node;
		}
	}
	return 1;
}

static void
explain(const void *index, struct hrw_bytes key, struct hrw_score *out)
{
	const struct index *ix = index;
	uint64_t hash;

	if (hrw_xds_hash(ix->key_type, key, &hash) < 0)
		return;
	for (size_t i = 0; i < ix->count; i++) {
		struct hrw_score *s = &out[ix->peer[i].node];

		s->has_raw = s->is_wide = s->has_score = true;
		s->raw = hrw_xorshift64(hash ^ ix->peer[i].hash);
		s->score = score(s->raw, ix->peer[i].share);
	}
}

const struct hrw_placement hrw_envoy_rendezvous = {
    .name = "envoy-rendezvous",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_MINIMAL | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_ADDRESS,
    .source = "Envoy, 2026",
    .prepare = prepare,
    .rank = rank,
    .explain = explain,
    .free = drop,
    .size = size,
};
