/*
 * ignite.c - Apache Ignite's rendezvous affinity: a key falls into a partition,
 * each partition ranks the nodes, the lowest number wins.
 *
 * Nodes whose consistent ids have one Java hash tie in every partition; the lower
 * id is before the other.
 *
 * Source: Apache Ignite 2.8, RendezvousAffinityFunction.
 */
#include <stdlib.h>

#include "core/hash/java.h"
#include "core/keytype.h"
#include "core/node.h"
#include "core/place/mark.h"
#include "core/place/order.h"
#include "core/place/race.h"

enum { PARAM_KEY_TYPE, PARAM_PARTITIONS, PARAM_CACHE_MODE, PARAM_CONSISTENT_ID };
enum { MODE_PARTITIONED, MODE_REPLICATED };
enum { ID_TEXT, ID_UUID };

static const char *const key_types[] = {"text", "int32", "int64", "uuid", NULL};
static const char *const modes[] = {"partitioned", "replicated", NULL};
static const char *const id_types[] = {"text", "uuid", NULL};

static const struct hrw_param params[] = {
    {.name = "key_type",
	.type = HRW_PARAM_CHOICE,
	.choices = key_types,
	.help = "the Java type of keys: text (String, UTF-8), int32, int64, uuid"},
    {.name = "partitions",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = 65000,
	.initial = 1024,
	.help = "partitions of the cache, 1 to 65000"},
    {.name = "cache_mode",
	.type = HRW_PARAM_CHOICE,
	.choices = modes,
	.help = "replicated: after the first owner all others in ascending id"},
    {.name = "consistent_id",
	.type = HRW_PARAM_CHOICE,
	.choices = id_types,
	.help = "what the nodes' hash_name is to Ignite: text, or a UUID"},
    {.name = NULL},
};

struct index {
	enum hrw_key_type key_type;
	bool is_replicated;
	uint32_t partitions;
	size_t count;
	uint32_t *order; /* takers in ascending id */
	uint32_t *hash;	 /* of their consistent ids */
};

static void
drop(void *index)
{
	struct index *ix = index;

	free(ix->order);
	free(ix->hash);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + ix->count * (sizeof(*ix->order) + sizeof(*ix->hash));
}

static int
hash_id(const struct hrw_membership *m, const struct hrw_node *node, uint64_t type, uint32_t *hash,
    struct hrw_fault *fault)
{
	struct hrw_bytes text = hrw_text(node->hash_name);
	char shown[HRW_SHOWN];
	uint8_t uuid[16];

	if (type == ID_TEXT) {
		*hash = hrw_java_string(text);
		return 0;
	}
	if (hrw_key_uuid(text, uuid) == 0) {
		*hash = hrw_java_uuid(uuid);
		return 0;
	}
	hrw_fault(fault, HRW_BAD_FIELD,
	    "hash_name \"%s\" of \"%s\" is no UUID: give one like "
	    "123e4567-e89b-12d3-a456-426614174000, or set consistent_id to text",
	    hrw_show(text, shown, sizeof(shown)), node->name);
	hrw_fault_at_node(fault, node, "%s", hrw_hashed_field(m, node));
	return HRW_BAD_FIELD;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	uint64_t id_type = m->param[PARAM_CONSISTENT_ID].number;
	struct index *ix = calloc(1, sizeof(*ix));
	uint32_t hash;
	int rc = 0;

	if (ix != NULL) {
		ix->order = hrw_order_takers(m, &ix->count);
		ix->hash = calloc(m->count + 1, sizeof(*ix->hash));
	}
	if (ix == NULL || ix->order == NULL || ix->hash == NULL) {
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto out;
	}
	ix->key_type = hrw_key_type(m);
	ix->is_replicated = m->param[PARAM_CACHE_MODE].number == MODE_REPLICATED;
	ix->partitions = (uint32_t)m->param[PARAM_PARTITIONS].number;
	/* Those that take no keys too: they may come back. */
	for (size_t n = 0; rc == 0 && n < m->count; n++)
		rc = hash_id(m, &m->node[n], id_type, &hash, fault);
	for (size_t i = 0; rc == 0 && i < ix->count; i++)
		rc = hash_id(m, &m->node[ix->order[i]], id_type, &ix->hash[i], fault);
out:
	if (rc == 0)
		*index = ix;
	else if (ix != NULL)
		drop(ix);
	return rc;
}

static int
check_key(const struct hrw_membership *m, struct hrw_bytes key, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	if (hrw_key_type(m) != HRW_KEY_TEXT || hrw_is_utf8(key))
		return 0;
	return hrw_fault(fault, HRW_BAD_KEY,
	    "key \"%s\" is not UTF-8, so it is no Java String: send text",
	    hrw_show(key, shown, sizeof(shown)));
}

/* The Java hash of a key. 0 or BAD_KEY. */
static int
hash_key(enum hrw_key_type type, struct hrw_bytes key, uint32_t *hash)
{
	uint8_t uuid[16];
	uint64_t number;

	if (type == HRW_KEY_TEXT) {
		if (!hrw_is_utf8(key))
			return HRW_BAD_KEY;
		*hash = hrw_java_string(key);
		return 0;
	}
	if (type == HRW_KEY_UUID) {
		if (hrw_key_uuid(key, uuid) < 0)
			return HRW_BAD_KEY;
		*hash = hrw_java_uuid(uuid);
		return 0;
	}
	if (hrw_key_number(key, type, &number) < 0)
		return HRW_BAD_KEY;
	*hash = type == HRW_KEY_INT32 ? hrw_java_int(number) : hrw_java_long(number);
	return 0;
}

static uint32_t
partition_of(uint32_t hash, uint32_t partitions)
{
	if ((partitions & (partitions - 1)) == 0)
		return (hash ^ hash >> 16) & (partitions - 1);
	/* The remainder without its sign. */
	return (hash >> 31 ? -hash : hash) % partitions;
}

/* A node's number in a partition. Source: Thomas Wang's 64-bit integer hash. */
static uint64_t
number_of(uint32_t hash, uint32_t partition)
{
	uint64_t k = (uint64_t)partition << 32 | hash;

	k = ~k + (k << 21);
	k ^= k >> 24;
	k *= 265;
	k ^= k >> 14;
	k *= 21;
	k ^= k >> 28;
	return k + (k << 31);
}

/* Lowest of signed numbers becomes highest of unsigned ones. */
static uint64_t
raw_of(uint64_t number)
{
	return ~(number ^ UINT64_C(1) << 63);
}

static int
rank_into(const struct index *ix, uint32_t partition, size_t want, struct hrw_race_candidate *heap,
    uint32_t *out)
{
	struct hrw_race race = {.heap = heap, .want = want};

	for (size_t i = 0; i < ix->count; i++)
		hrw_race_offer(&race, raw_of(number_of(ix->hash[i], partition)), 0, (uint32_t)i);
	return hrw_race_finish(&race, ix->order, out);
}

/* The two frames stand apart, so that a lookup never needs the large one. */
__attribute__((noinline)) static int
rank_few(const struct index *ix, uint32_t partition, size_t want, uint32_t *out)
{
	struct hrw_race_candidate heap[HRW_RACE_FEW];

	return rank_into(ix, partition, want, heap, out);
}

__attribute__((noinline)) static int
rank_many(const struct index *ix, uint32_t partition, size_t want, uint32_t *out)
{
	struct hrw_race_candidate heap[HRW_NODES_MAX];

	return rank_into(ix, partition, want, heap, out);
}

/* The first owner, then the others by id. */
static int
rank_replicated(const struct index *ix, uint32_t partition, size_t want, uint32_t *out)
{
	size_t count = 1;

	rank_few(ix, partition, 1, out);
	for (size_t i = 0; i < ix->count && count < want; i++)
		if (ix->order[i] != out[0])
			out[count++] = ix->order[i];
	return (int)count;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	uint32_t hash, partition;

	if (hash_key(ix->key_type, key, &hash) < 0)
		return HRW_BAD_KEY;
	partition = partition_of(hash, ix->partitions);
	if (want > ix->count)
		want = ix->count;
	if (ix->is_replicated)
		return rank_replicated(ix, partition, want, out);
	return want <= HRW_RACE_FEW ? rank_few(ix, partition, want, out)
				    : rank_many(ix, partition, want, out);
}

static void
explain(const void *index, struct hrw_bytes key, struct hrw_score *out)
{
	const struct index *ix = index;
	uint32_t hash;

	if (hash_key(ix->key_type, key, &hash) < 0)
		return;
	for (size_t i = 0; i < ix->count; i++) {
		struct hrw_score *score = &out[ix->order[i]];

		score->has_raw = score->is_wide = true;
		score->raw = number_of(ix->hash[i], partition_of(hash, ix->partitions));
	}
}

uint64_t
hrw_ignite_mark(const struct hrw_membership *m, const struct hrw_node *node)
{
	uint32_t hash = 0;

	hash_id(m, node, m->param[PARAM_CONSISTENT_ID].number, &hash, NULL);
	return hash;
}

const struct hrw_placement hrw_ignite = {
    .name = "ignite",
    .params = params,
    .traits = HRW_ZONED | HRW_MINIMAL | HRW_BY_ID,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NAME,
    .source = "Apache Ignite 2.8",
    .check_key = check_key,
    .prepare = prepare,
    .rank = rank,
    .explain = explain,
    .free = drop,
    .size = size,
};
