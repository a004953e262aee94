/*
 * libmemcached.c - the three distributions of libmemcached: two rings that both
 * go by the name of ketama, and modulo.
 *
 * Source: libmemcached 1.1.4.
 */
#include <stdlib.h>

#include "core/hash/jenkins.h"
#include "core/hash/memcached.h"
#include "core/membership.h"
#include "core/place/ketama.h"
#include "core/place/mark.h"
#include "core/place/order.h"

enum { PLAIN_POINTS = 100 };

typedef uint32_t (*key_hash)(struct hrw_bytes text);

/* In the order of the choices below. */
static const key_hash hashes[] = {
    hrw_one_at_a_time_signed,
    hrw_memcached_md5,
    hrw_memcached_crc,
    hrw_memcached_fnv1_32,
    hrw_memcached_fnv1a_32,
    hrw_memcached_fnv1_64,
    hrw_memcached_fnv1a_64,
    hrw_memcached_murmur,
};

static const char *const hash_names[] = {
    "default", "md5", "crc", "fnv1_32", "fnv1a_32", "fnv1_64", "fnv1a_64", "murmur", NULL};

static const struct hrw_param params[] = {
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.help = "the hash of keys, and of the plain ring's points"},
    {.name = NULL},
};

enum { PARAM_HASH, HASH_MD5 = 1 };

struct index {
	key_hash hash;
	size_t count;
	uint32_t *order;	  /* takers in ascending id */
	struct hrw_points points; /* empty for modula */
};

static void
drop(void *index)
{
	struct index *ix = index;

	hrw_points_fini(&ix->points);
	free(ix->order);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + ix->count * sizeof(*ix->order) + hrw_points_size(&ix->points);
}

static struct index *
index_new(const struct hrw_membership *m, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));

	if (ix != NULL) {
		ix->hash = hashes[m->param[PARAM_HASH].number];
		ix->order = hrw_order_takers(m, &ix->count);
	}
	if (ix == NULL || ix->order == NULL) {
		free(ix);
		hrw_fault(fault, HRW_INTERNAL, "out of memory");
		return NULL;
	}
	return ix;
}

static int
prepare_modula(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = index_new(m, fault);

	if (ix == NULL)
		return HRW_INTERNAL;
	*index = ix;
	return 0;
}

/* The plain ring hashes its points' texts as it does keys, one point a text. */
static int
plain_ring(struct index *ix, const struct hrw_membership *m, struct hrw_fault *fault)
{
	char room[HRW_POINT_TEXT];
	int rc = 0;

	for (size_t n = 0; n < ix->count; n++)
		for (size_t i = 0; rc == 0 && i < PLAIN_POINTS; i++) {
			const char *label = m->node[ix->order[n]].hash_name;

			rc = hrw_points_add(&ix->points,
			    ix->hash(hrw_point_text(room, label, "-", i)), ix->order[n]);
		}
	if (rc == 0)
		rc = hrw_points_sort(&ix->points);
	return rc < 0 ? hrw_fault(fault, HRW_INTERNAL, "out of memory") : 0;
}

static int
prepare_ketama(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = index_new(m, fault);
	int rc;

	if (ix == NULL)
		return HRW_INTERNAL;
	rc = plain_ring(ix, m, fault);
	if (rc < 0)
		drop(ix);
	else
		*index = ix;
	return rc;
}

static int
prepare_weighted(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = index_new(m, fault);
	int rc;

	if (ix == NULL)
		return HRW_INTERNAL;
	rc = hrw_ketama_ring(&ix->points, m, ix->order, ix->count, false, fault);
	if (rc < 0)
		drop(ix);
	else
		*index = ix;
	return rc;
}

/* Weighted rings take MD5 where no hash is given. */
static void
complete_weighted(struct hrw_value *value)
{
	if (!value[PARAM_HASH].is_given)
		value[PARAM_HASH].number = HASH_MD5;
}

static int
rank_ring(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;

	(void)want; /* one owner */
	out[0] = ix->count == 1 ? ix->order[0] : hrw_points_owner(&ix->points, ix->hash(key));
	return 1;
}

static int
rank_modula(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;

	(void)want; /* one owner */
	out[0] = ix->order[ix->count == 1 ? 0 : ix->hash(key) % ix->count];
	return 1;
}

/* These hashes read a text byte by byte. If two labels hash to one value, so do the texts
 * of all their points: it is enough to compare the first two. */
uint64_t
hrw_libmemcached_mark(const struct hrw_membership *m, const struct hrw_node *node)
{
	key_hash hash = hashes[m->param[PARAM_HASH].number];
	char room[HRW_POINT_TEXT];
	uint64_t first = hash(hrw_point_text(room, node->hash_name, "-", 0));

	return first << 32 | hash(hrw_point_text(room, node->hash_name, "-", 1));
}

const struct hrw_placement hrw_libmemcached_ketama = {
    .name = "libmemcached-ketama",
    .params = params,
    .traits = HRW_SINGLE_COPY | HRW_MINIMAL | HRW_BY_ID,
    .weights = {HRW_WEIGHT_IGNORED, 0, 0},
    .hashed = HRW_HASHED_LABEL,
    .source = "libmemcached 1.1.4",
    .prepare = prepare_ketama,
    .rank = rank_ring,
    .free = drop,
    .size = size,
};

const struct hrw_placement hrw_libmemcached_ketama_weighted = {
    .name = "libmemcached-ketama-weighted",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_LABEL,
    .source = "libmemcached 1.1.4",
    .complete = complete_weighted,
    .prepare = prepare_weighted,
    .rank = rank_ring,
    .free = drop,
    .size = size,
};

const struct hrw_placement hrw_libmemcached_modula = {
    .name = "libmemcached-modula",
    .params = params,
    .traits = HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_IGNORED, 0, 0},
    .hashed = HRW_HASHED_NOTHING,
    .source = "libmemcached 1.1.4",
    .prepare = prepare_modula,
    .rank = rank_modula,
    .free = drop,
    .size = size,
};
