/*
 * ring.c - consistent hashing with so many points a node.
 *
 * A key belongs to the first point strictly above its hash, wrapping; replicas
 * are the next nodes that are new.
 *
 * Source: Karger et al., STOC 1997.
 */
#include <stdlib.h>

#include "core/hash/blake2b.h"
#include "core/membership.h"
#include "core/place/order.h"
#include "core/place/points.h"

enum { PARAM_HASH, PARAM_VNODES };

static const char *const hash_names[] = {"blake2b", NULL};

static const struct hrw_param params[] = {
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.help = "the hash of points and keys"},
    {.name = "vnodes",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = 100000,
	.initial = 100,
	.help = "points a node, 1 to 100000"},
    {.name = NULL},
};

static void
drop(void *index)
{
	hrw_points_fini(index);
	free(index);
}

static size_t
size(const void *index)
{
	return sizeof(struct hrw_points) + hrw_points_size(index);
}

static int
add_points(
    struct hrw_points *p, const struct hrw_membership *m, const uint32_t *order, size_t count)
{
	size_t vnodes = m->param[PARAM_VNODES].number;
	char room[HRW_POINT_TEXT];
	int rc = 0;

	for (size_t n = 0; n < count; n++)
		for (size_t i = 0; rc == 0 && i < vnodes; i++)
			rc = hrw_points_add(p,
			    hrw_blake2b(hrw_point_text(room, m->node[order[n]].hash_name, "#", i)),
			    order[n]);
	return rc < 0 ? rc : hrw_points_sort(p);
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct hrw_points *p = calloc(1, sizeof(*p));
	size_t count = 0;
	uint32_t *order = hrw_order_takers(m, &count);
	int rc;

	if (p == NULL || order == NULL) {
		free(p);
		free(order);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	rc = hrw_points_make_room(p, (double)count * (double)m->param[PARAM_VNODES].number, fault);
	if (rc == 0 && add_points(p, m, order, count) < 0)
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
	free(order);
	if (rc < 0)
		drop(p);
	else
		*index = p;
	return rc;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct hrw_points *p = index;
	uint64_t hash = hrw_blake2b(key);
	size_t first = hash == UINT64_MAX ? p->count : hrw_points_search(p, hash + 1);

	return (int)hrw_points_walk(p, first, want, out);
}

const struct hrw_placement hrw_ring = {
    .name = "ring",
    .params = params,
    .traits = HRW_ZONED | HRW_MINIMAL,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NAME,
    .source = "Karger et al., STOC 1997",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
