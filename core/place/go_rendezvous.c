/*
 * go_rendezvous.c - rendezvous hashing in Go: go-redis's Ring, and the
 * go-rendezvous library. One owner; the hash alone differs.
 *
 * Source: go-redis 216593cc; dgryski/go-rendezvous 9f7001d1.
 */
#include "core/hash/fnv1a.h"
#include "core/hash/xorshift.h"
#include "core/hash/xxh64.h"
#include "core/place/scored.h"
#include "core/place/tag.h"

enum { PARAM_HASH };

static const char *const hash_names[] = {"xxhash64", "fnv1a64", NULL};

static const struct hrw_param params[] = {
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.help = "the hash function given to the library"},
    {.name = NULL},
};

static uint64_t
xxh64(const struct hrw_scored *s, struct hrw_bytes text)
{
	(void)s;
	return hrw_xxh64(text);
}

static uint64_t
fnv1a64(const struct hrw_scored *s, struct hrw_bytes text)
{
	(void)s;
	return hrw_fnv1a64(text);
}

static uint64_t
xxh64_of_tag(const struct hrw_scored *s, struct hrw_bytes text)
{
	return xxh64(s, hrw_tag(text, '{', '}'));
}

static uint64_t
raw(const struct hrw_scored *s, uint32_t node, uint64_t key, struct hrw_bytes text)
{
	(void)text;
	return hrw_xorshift64(s->hash[node] ^ key);
}

static const struct hrw_scorer redis_ring = {
    .hash_node = xxh64,
    .hash_key = xxh64_of_tag,
    .raw = raw,
    .ties = HRW_TIES_LOWER_ID,
    .is_wide = true,
};

/* In the order of the parameter's choices. */
static const struct hrw_scorer library[] = {
    {.hash_node = xxh64, .hash_key = xxh64, .raw = raw, .ties = HRW_TIES_LOWER_ID, .is_wide = true},
    {.hash_node = fnv1a64,
	.hash_key = fnv1a64,
	.raw = raw,
	.ties = HRW_TIES_LOWER_ID,
	.is_wide = true},
};

static int
prepare_redis(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	return hrw_scored_prepare(m, &redis_ring, index, fault);
}

static int
prepare_library(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	return hrw_scored_prepare(m, &library[m->param[PARAM_HASH].number], index, fault);
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	(void)want; /* one owner */
	return hrw_scored_rank(index, key, 1, out);
}

const struct hrw_placement hrw_go_redis_ring = {
    .name = "go-redis-ring",
    .traits = HRW_SINGLE_COPY | HRW_FAIR | HRW_MINIMAL | HRW_BY_ID,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NAME,
    .source = "go-redis 216593cc",
    .prepare = prepare_redis,
    .rank = rank,
    .explain = hrw_scored_explain,
    .free = hrw_scored_free,
    .size = hrw_scored_size,
};

const struct hrw_placement hrw_go_rendezvous = {
    .name = "go-rendezvous",
    .params = params,
    .traits = HRW_SINGLE_COPY | HRW_FAIR | HRW_MINIMAL | HRW_BY_ID,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NAME,
    .source = "dgryski/go-rendezvous 9f7001d1",
    .prepare = prepare_library,
    .rank = rank,
    .explain = hrw_scored_explain,
    .free = hrw_scored_free,
    .size = hrw_scored_size,
};
