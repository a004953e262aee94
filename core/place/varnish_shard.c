/*
 * varnish_shard.c - Varnish's shard director: points by SHA-256, and a binary
 * search that does not wrap. A node that takes no keys keeps its points.
 *
 * Source: Varnish Cache 7.1.1, vmod_directors, shard_dir.
 */
#include <stdlib.h>

#include "core/hash/sha256.h"
#include "core/keytype.h"
#include "core/place/ketama.h"
#include "core/place/order.h"
#include "core/place/points.h"

enum { PARAM_KEY_TYPE, PARAM_VNODES, PARAM_BY, PARAM_HOST };
enum { BY_KEY, BY_URL, BY_HASH };

static const char *const key_types[] = {"text", "uint32", NULL};
static const char *const by_names[] = {"key", "url", "hash", NULL};

static const struct hrw_param params[] = {
    {.name = "key_type",
	.type = HRW_PARAM_CHOICE,
	.choices = key_types,
	.help = "text: hashed; uint32: the hash itself"},
    {.name = "vnodes",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = 100000,
	.initial = 67,
	.help = "points for each unit of weight (its replicas), 1 to 100000"},
    {.name = "by",
	.type = HRW_PARAM_CHOICE,
	.choices = by_names,
	.with = "key_type",
	.is = "text",
	.help = "key, url: the text is hashed; hash: it is a URL, hashed as vcl_hash does"},
    {.name = "host",
	.type = HRW_PARAM_TEXT,
	.min = 1,
	.max = 255,
	.with = "by",
	.is = "hash",
	.help = "the Host that is hashed with a URL; by hash needs it"},
    {.name = NULL},
};

struct index {
	const struct hrw_membership *m;
	enum hrw_key_type key_type;
	const char *host; /* NULL: the text alone is hashed */
	struct hrw_points points;
};

static void
drop(void *index)
{
	struct index *ix = index;

	hrw_points_fini(&ix->points);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + hrw_points_size(&ix->points);
}

/* The last four bytes of the digest, little-endian. */
static uint32_t
hash(struct hrw_bytes text)
{
	uint8_t digest[HRW_SHA256_BYTES];
	uint32_t h = 0;

	hrw_sha256(text, digest);
	for (size_t i = 0; i < 4; i++)
		h = h << 8 | digest[HRW_SHA256_BYTES - 1 - i];
	return h;
}

static size_t
point_count(const struct hrw_membership *m, const struct hrw_node *node)
{
	return (size_t)((double)m->param[PARAM_VNODES].number * node->weight);
}

static int
add_points(struct index *ix, uint32_t n)
{
	const struct hrw_node *node = &ix->m->node[n];
	size_t count = point_count(ix->m, node);
	char room[HRW_POINT_TEXT];
	int rc = 0;

	for (size_t j = 0; rc == 0 && j < count; j++)
		rc = hrw_points_add(
		    &ix->points, hash(hrw_point_text(room, node->hash_name, "", j)), n);
	return rc;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	bool is_by_hash = m->param[PARAM_BY].number == BY_HASH;
	struct index *ix;
	size_t count = 0;
	uint32_t *order;
	double points = 0;
	int rc;

	if (is_by_hash && m->param[PARAM_HOST].text == NULL) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "\"by\": \"hash\" needs \"host\": give the Host that is hashed with each URL");
		hrw_fault_at(fault, "/placement/host");
		return HRW_BAD_FIELD;
	}
	ix = calloc(1, sizeof(*ix));
	order = hrw_order_all(m, &count);
	if (ix == NULL || order == NULL) {
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto out;
	}
	ix->m = m;
	ix->key_type = hrw_key_type(m);
	ix->host = is_by_hash ? m->param[PARAM_HOST].text : NULL;
	for (size_t i = 0; i < count; i++)
		points += (double)m->param[PARAM_VNODES].number * m->node[i].weight;
	rc = hrw_points_make_room(&ix->points, points, fault);
	if (rc < 0)
		goto out;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = add_points(ix, order[i]);
	if (rc == 0)
		rc = hrw_points_sort(&ix->points);
	if (rc < 0) {
		hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto out;
	}
	*index = ix;
	ix = NULL; /* taken */
out:
	if (ix != NULL)
		drop(ix);
	free(order);
	return rc;
}

/* What the built-in vcl_hash makes of a URL and a Host: the first four bytes of
 * the digest, big-endian. */
static uint32_t
request_hash(const struct index *ix, struct hrw_bytes url)
{
	uint8_t digest[HRW_SHA256_BYTES];
	uint32_t h = 0;

	hrw_sha256_join(url, hrw_text(ix->host), digest);
	for (size_t i = 0; i < 4; i++)
		h = h << 8 | digest[i];
	return h;
}

/* The original's search, step by step: where points are equal, or there are but
 * two, which one it stops at depends on the path. */
static size_t
search(const struct hrw_points *p, uint32_t key)
{
	size_t low = 0, high = p->count;

	for (;;) {
		size_t at = (low + high) / 2;

		if (p->at[at] == key || at == p->count - 1)
			return at;
		if (p->at[at] < key && key <= p->at[at + 1])
			return at + 1;
		if (p->at[at] > key) {
			if (at == 0)
				return 0;
			high = at;
		} else {
			low = at;
		}
	}
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	const struct hrw_points *p = &ix->points;
	uint64_t number;
	uint32_t h;
	size_t at;

	(void)want; /* one owner */
	if (ix->key_type == HRW_KEY_UINT32) {
		if (hrw_key_number(key, ix->key_type, &number) < 0)
			return HRW_BAD_KEY;
		h = (uint32_t)number;
	} else {
		h = ix->host != NULL ? request_hash(ix, key) : hash(key);
	}
	at = search(p, h);
	while (!hrw_node_is_taker(&ix->m->node[p->node[at]]))
		at = at + 1 < p->count ? at + 1 : 0;
	out[0] = p->node[at];
	return 1;
}

const struct hrw_placement hrw_varnish_shard = {
    .name = "varnish-shard",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_REAL, 1, 1e9},
    .hashed = HRW_HASHED_NAME,
    .source = "Varnish Cache 7.1.1",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
