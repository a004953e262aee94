/*
 * kafka.c - the partition of a key as three Kafka clients choose it, and the
 * broker that leads the partition.
 *
 * Partitions are the nodes' slots, up to the highest that is held. A pool without
 * any has its nodes for partitions, number 0 the lowest id.
 *
 * Source: Apache Kafka's Java client, librdkafka 2.0.2, Sarama.
 */
#include <stdlib.h>

#include "core/hash/crc.h"
#include "core/hash/fnv1a.h"
#include "core/hash/murmur2.h"
#include "core/place/order.h"
#include "core/place/slots.h"

#define MURMUR2_SEED 0x9747b28cu /* the Java client's */

/* Before the remainder by the number of partitions. */
typedef uint32_t (*key_hash)(struct hrw_bytes key);

/* The sign bit is masked. */
static uint32_t
murmur2(struct hrw_bytes key)
{
	return hrw_murmur2(key, MURMUR2_SEED) & 0x7fffffff;
}

/* A negative number is negated. */
static uint32_t
fnv1a(struct hrw_bytes key)
{
	uint32_t h = hrw_fnv1a32(key);

	return h >> 31 ? -h : h;
}

/* In the order of the choices below. */
static const key_hash hashes[] = {murmur2, hrw_crc32, fnv1a};

static const char *const hash_names[] = {"murmur2", "crc32", "fnv1a", NULL};

static const struct hrw_param params[] = {
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.help = "whose partitioner: murmur2 (Java), crc32 (librdkafka), fnv1a (Sarama)"},
    {.name = NULL},
};

enum { PARAM_HASH };

struct index {
	const struct hrw_membership *m;
	key_hash hash;
	uint64_t partitions;
	struct hrw_slots slots;
	uint32_t *order; /* nodes by id: the partitions where nobody holds slots */
};

static void
drop(void *index)
{
	struct index *ix = index;

	hrw_slots_fini(&ix->slots);
	free(ix->order);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + hrw_slots_size(&ix->slots) +
	       (ix->order != NULL ? ix->m->count * sizeof(*ix->order) : 0);
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	size_t count = 0;
	int rc;

	if (ix == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	ix->m = m;
	ix->hash = hashes[m->param[PARAM_HASH].number];
	rc = hrw_slots_init(&ix->slots, m, INT32_MAX, fault);
	if (rc < 0)
		goto out;
	if (ix->slots.count > 0) {
		ix->partitions = (uint64_t)ix->slots.held[ix->slots.count - 1].last + 1;
	} else {
		ix->order = hrw_order_all(m, &count);
		if (ix->order == NULL)
			rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
		ix->partitions = count;
	}
out:
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
	uint64_t partition = ix->hash(key) % ix->partitions;

	(void)want; /* one owner */
	if (ix->order == NULL)
		return hrw_slots_rank(&ix->slots, partition, out);
	if (!hrw_node_is_taker(&ix->m->node[ix->order[partition]]))
		return HRW_NO_SERVERS; /* a partition stays where it is */
	out[0] = ix->order[partition];
	return 1;
}

const struct hrw_placement hrw_kafka = {
    .name = "kafka",
    .params = params,
    .traits = HRW_SINGLE_COPY | HRW_SLOTS | HRW_BY_ID,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NOTHING,
    .source = "Apache Kafka's Java client, librdkafka 2.0.2, Sarama",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
