/*
 * jump.c - jump consistent hash: a bucket number without any table. Bucket i is
 * the i-th node in ascending id; only the last can leave without moving others.
 *
 * Source: Lamping & Veach, arXiv:1406.2294, 2014; go-jump ba001c3f.
 */
#include <stdlib.h>

#include "core/hash/crc.h"
#include "core/hash/crc64.h"
#include "core/hash/fnv1a.h"
#include "core/keytype.h"
#include "core/place/order.h"

enum { PARAM_KEY_TYPE, PARAM_HASH };

static uint64_t
crc32(struct hrw_bytes key)
{
	return hrw_crc32(key);
}

static const char *const key_types[] = {"text", "uint64", NULL};
static const char *const hash_names[] = {"crc64", "crc32", "fnv1", "fnv1a", NULL};
static uint64_t (*const hashes[])(struct hrw_bytes) = {hrw_crc64, crc32, hrw_fnv1_64, hrw_fnv1a64};

static const struct hrw_param params[] = {
    {.name = "key_type",
	.type = HRW_PARAM_CHOICE,
	.choices = key_types,
	.help = "text: hashed; uint64: the number itself"},
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.with = "key_type",
	.is = "text",
	.help = "the hash of keys that are text"},
    {.name = NULL},
};

struct index {
	enum hrw_key_type key_type;
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
		ix->key_type = hrw_key_type(m);
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

/* First the quotient, then the product, then cut: in another association some
 * keys fall into another bucket. */
static size_t
bucket_of(uint64_t key, size_t count)
{
	int64_t bucket = -1, next = 0;

	while (next < (int64_t)count) {
		bucket = next;
		key = key * 2862933555777941757u + 1;
		next = (int64_t)((double)(bucket + 1) * (2147483648.0 / (double)((key >> 33) + 1)));
	}
	return (size_t)bucket;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	uint64_t number;

	(void)want; /* one owner */
	if (ix->key_type == HRW_KEY_TEXT)
		number = ix->hash(key);
	else if (hrw_key_number(key, ix->key_type, &number) < 0)
		return HRW_BAD_KEY;
	out[0] = ix->node[bucket_of(number, ix->count)];
	return 1;
}

const struct hrw_placement hrw_jump = {
    .name = "jump",
    .params = params,
    .traits = HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NOTHING,
    .source = "Lamping & Veach, arXiv:1406.2294, 2014",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
