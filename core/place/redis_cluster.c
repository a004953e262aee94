/*
 * redis_cluster.c - hash slots of Redis Cluster: CRC-16 of the key, or of what
 * stands between its first braces; which node holds a slot is the fleet's own.
 *
 * Source: Redis 7.0.15, the cluster specification.
 */
#include <stdlib.h>

#include "core/hash/crc.h"
#include "core/place/slots.h"
#include "core/place/tag.h"

enum { SLOTS = 16384 };

static void
drop(void *index)
{
	hrw_slots_fini(index);
	free(index);
}

static size_t
size(const void *index)
{
	return sizeof(struct hrw_slots) + hrw_slots_size(index);
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct hrw_slots *slots = calloc(1, sizeof(*slots));
	int rc;

	if (slots == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	rc = hrw_slots_init(slots, m, SLOTS - 1, fault);
	if (rc < 0)
		free(slots);
	else
		*index = slots;
	return rc;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	(void)want; /* one owner */
	return hrw_slots_rank(index, hrw_crc16(hrw_tag(key, '{', '}')) % SLOTS, out);
}

const struct hrw_placement hrw_redis_cluster = {
    .name = "redis-cluster",
    .traits = HRW_SINGLE_COPY | HRW_MINIMAL | HRW_SLOTS,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NOTHING,
    .source = "Redis 7.0.15",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
