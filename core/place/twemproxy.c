/*
 * twemproxy.c - twemproxy's ketama and modula, over servers sorted by label.
 *
 * Source: twemproxy 0.5.0.
 */
#include <stdlib.h>

#include "core/hash/crc.h"
#include "core/hash/hsieh.h"
#include "core/hash/jenkins.h"
#include "core/hash/memcached.h"
#include "core/membership.h"
#include "core/place/ketama.h"
#include "core/place/order.h"
#include "core/place/spans.h"
#include "core/place/tag.h"

typedef uint32_t (*key_hash)(struct hrw_bytes text);

/* The CRC-16 of text so far runs on in 32 bits and is never cut to 16. */
static uint32_t
crc16(struct hrw_bytes text)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < text.len; i++) {
		uint8_t byte = (uint8_t)(crc >> 8) ^ text.data[i];

		crc = crc << 8 ^ hrw_crc16(hrw_bytes(&byte, 1));
	}
	return crc;
}

static uint32_t
lookup3(struct hrw_bytes text)
{
	return hrw_lookup3(text, 13);
}

/* In the order of the choices below. */
static const key_hash hashes[] = {
    hrw_memcached_fnv1a_64,
    hrw_memcached_fnv1a_32,
    hrw_memcached_fnv1_64,
    hrw_memcached_fnv1_32,
    hrw_one_at_a_time_signed,
    hrw_memcached_md5,
    crc16,
    hrw_memcached_crc,
    hrw_crc32,
    hrw_hsieh,
    hrw_memcached_murmur,
    lookup3,
};

static const char *const hash_names[] = {"fnv1a_64", "fnv1a_32", "fnv1_64", "fnv1_32",
    "one_at_a_time", "md5", "crc16", "crc32", "crc32a", "hsieh", "murmur", "jenkins", NULL};

static const struct hrw_param params[] = {
    {.name = "hash", .type = HRW_PARAM_CHOICE, .choices = hash_names, .help = "the hash of keys"},
    {.name = "hash_tag",
	.type = HRW_PARAM_TEXT,
	.min = 2,
	.max = 2,
	.help = "two characters; only what stands between them in a key is hashed"},
    {.name = NULL},
};

enum { PARAM_HASH, PARAM_HASH_TAG };

struct index {
	key_hash hash;
	const char *tag; /* NULL: none */
	size_t count;
	uint32_t *order;	  /* takers by label */
	struct hrw_points points; /* ketama */
	struct hrw_spans spans;	  /* modula: owns `order` */
};

static void
drop(void *index)
{
	struct index *ix = index;

	hrw_points_fini(&ix->points);
	if (ix->spans.node == NULL)
		free(ix->order);
	hrw_spans_fini(&ix->spans);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + (ix->spans.node == NULL ? ix->count * sizeof(*ix->order) : 0) +
	       hrw_points_size(&ix->points) + hrw_spans_size(&ix->spans);
}

/* A node while labels are sorted. */
struct label {
	const char *text;
	size_t len;
	uint32_t node;
};

static int
by_label(const void *left, const void *right)
{
	const struct label *a = left, *b = right;

	return a->len != b->len ? (a->len < b->len ? -1 : 1) : strcmp(a->text, b->text);
}

/* Replaces an order by id with that by label: length first, then bytes. */
static int
sort_by_label(const struct hrw_membership *m, uint32_t *order, size_t count)
{
	struct label *list = calloc(count + 1, sizeof(*list));

	if (list == NULL)
		return HRW_INTERNAL;
	for (size_t i = 0; i < count; i++) {
		const char *text = m->node[order[i]].hash_name;

		list[i] = (struct label){text, strlen(text), order[i]};
	}
	qsort(list, count, sizeof(*list), by_label);
	for (size_t i = 0; i < count; i++)
		order[i] = list[i].node;
	free(list);
	return 0;
}

static struct index *
index_new(const struct hrw_membership *m, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));

	if (ix != NULL) {
		ix->hash = hashes[m->param[PARAM_HASH].number];
		ix->tag = m->param[PARAM_HASH_TAG].text;
		ix->order = hrw_order_takers(m, &ix->count);
	}
	if (ix == NULL || ix->order == NULL || sort_by_label(m, ix->order, ix->count) < 0) {
		if (ix != NULL)
			drop(ix);
		hrw_fault(fault, HRW_INTERNAL, "out of memory");
		return NULL;
	}
	return ix;
}

static int
prepare_ketama(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = index_new(m, fault);
	int rc;

	if (ix == NULL)
		return HRW_INTERNAL;
	rc = hrw_ketama_ring(&ix->points, m, ix->order, ix->count, true, fault);
	if (rc < 0)
		drop(ix);
	else
		*index = ix;
	return rc;
}

static int
prepare_modula(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = index_new(m, fault);
	uint32_t *order;

	if (ix == NULL)
		return HRW_INTERNAL;
	order = ix->order;
	if (hrw_spans_init(&ix->spans, m, order, ix->count) < 0) {
		ix->order = NULL; /* taken */
		drop(ix);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	*index = ix;
	return 0;
}

/* An empty key hashes to 0 whatever the hash; a tag is never empty. */
static uint32_t
hash_key(const struct index *ix, struct hrw_bytes key)
{
	if (ix->tag != NULL)
		key = hrw_tag(key, (uint8_t)ix->tag[0], (uint8_t)ix->tag[1]);
	return ix->hash(key);
}

static int
rank_ketama(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;

	(void)want; /* one owner */
	out[0] = ix->count == 1 ? ix->order[0] : hrw_points_owner(&ix->points, hash_key(ix, key));
	return 1;
}

static int
rank_modula(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;

	(void)want; /* one owner */
	out[0] = ix->count == 1 ? ix->order[0]
				: hrw_spans_at(&ix->spans, hash_key(ix, key) % ix->spans.total);
	return 1;
}

const struct hrw_placement hrw_twemproxy_ketama = {
    .name = "twemproxy-ketama",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_LABEL,
    .source = "twemproxy 0.5.0",
    .prepare = prepare_ketama,
    .rank = rank_ketama,
    .free = drop,
    .size = size,
};

const struct hrw_placement hrw_twemproxy_modula = {
    .name = "twemproxy-modula",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_LABEL,
    .source = "twemproxy 0.5.0",
    .prepare = prepare_modula,
    .rank = rank_modula,
    .free = drop,
    .size = size,
};
