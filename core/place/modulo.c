/*
 * modulo.c - hash modulo the number of nodes: what placements are compared with.
 * Nearly every key moves when a node comes or goes.
 *
 * Source: folklore.
 */
#include <stdlib.h>

#include "core/hash/blake2b.h"
#include "core/hash/fmix.h"
#include "core/hash/fnv1a.h"
#include "core/membership.h"
#include "core/place/order.h"

enum { PARAM_HASH };

static uint64_t
fmix32(struct hrw_bytes key)
{
	return hrw_fmix32(hrw_fnv1a32(key));
}

static const char *const hash_names[] = {"fmix32", "blake2b", NULL};
static uint64_t (*const hashes[])(struct hrw_bytes) = {fmix32, hrw_blake2b};

static const struct hrw_param params[] = {
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.help = "fmix32 of FNV-1a, or BLAKE2b"},
    {.name = NULL},
};

struct index {
	uint64_t (*hash)(struct hrw_bytes key);
	size_t count;
	uint32_t *node; /* takers in ascending id */
};

static void
drop(void *index)
{
	struct index *ix = index;

	free(ix->node);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + ix->count * sizeof(*ix->node);
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));

	if (ix != NULL) {
		ix->hash = hashes[m->param[PARAM_HASH].number];
		ix->node = hrw_order_takers(m, &ix->count);
	}
	if (ix == NULL || ix->node == NULL) {
		free(ix);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	*index = ix;
	return 0;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;

	(void)want; /* one owner */
	out[0] = ix->node[ix->hash(key) % ix->count];
	return 1;
}

const struct hrw_placement hrw_modulo = {
    .name = "modulo",
    .params = params,
    .traits = HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NOTHING,
    .source = "folklore",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
