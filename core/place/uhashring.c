/*
 * uhashring.c - the two rings of Python's uhashring: whole MD5 digests as points,
 * and a ketama whose node counts are whole numbers.
 *
 * A key belongs to the first point strictly above it, unlike most rings.
 *
 * Source: uhashring 2.4.
 */
#include <stdlib.h>

#include "core/hash/md5.h"
#include "core/membership.h"
#include "core/place/ketama.h"
#include "core/place/order.h"

enum { PARAM_HASH, PARAM_VNODES, PARAM_POINTS };
enum { HASH_MD5, HASH_KETAMA };
enum { KETAMA_VNODES = 40 };

static const char *const hash_names[] = {"md5", "ketama", NULL};

static const struct hrw_param params[] = {
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.help = "md5: whole digests as points; ketama: four points from each digest"},
    {.name = "vnodes",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = 10000,
	.initial = 160,
	.help = "digests for each unit of weight, 1 to 10000; 40 with ketama"},
    {.name = "points_per_digest",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = 4,
	.initial = 4,
	.with = "hash",
	.is = "ketama",
	.help = "points from each digest with ketama, 1 to 4"},
    {.name = NULL},
};

struct index {
	bool is_ketama;
	struct hrw_points points; /* md5: the digests' upper halves */
	uint64_t *low;		  /* md5: the lower halves, in the ring's order */
};

static void
drop(void *index)
{
	struct index *ix = index;

	hrw_points_fini(&ix->points);
	free(ix->low);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + hrw_points_size(&ix->points) +
	       (ix->low != NULL ? ix->points.count * sizeof(*ix->low) : 0);
}

static void
complete(struct hrw_value *value)
{
	if (!value[PARAM_VNODES].is_given && value[PARAM_HASH].number == HASH_KETAMA)
		value[PARAM_VNODES].number = KETAMA_VNODES;
}

static uint64_t
big_endian(const uint8_t *at)
{
	uint64_t number = 0;

	for (size_t i = 0; i < 8; i++)
		number = number << 8 | at[i];
	return number;
}

/* The digest as a number of 128 bits, in halves. */
static void
hash128(struct hrw_bytes text, uint64_t *high, uint64_t *low)
{
	uint8_t digest[16];

	hrw_md5(text, digest);
	*high = big_endian(digest);
	*low = big_endian(digest + 8);
}

/* A ring of whole digests: sorted by their upper halves (which decide, but for a
 * chance of 2^-64), each with its lower half beside it. */
static int
whole_ring(struct index *ix, const struct hrw_membership *m, const uint32_t *order, size_t count)
{
	size_t vnodes = m->param[PARAM_VNODES].number, point = 0;
	char room[HRW_POINT_TEXT];
	uint64_t *low = calloc(ix->points.room + 1, sizeof(*low)), high;
	uint32_t *owner = calloc(ix->points.room + 1, sizeof(*owner));
	int rc = low == NULL || owner == NULL ? HRW_INTERNAL : 0;

	for (size_t n = 0; rc == 0 && n < count; n++) {
		const struct hrw_node *node = &m->node[order[n]];
		size_t points = vnodes * (size_t)node->weight;

		for (size_t i = 0; rc == 0 && i < points; i++, point++) {
			hash128(hrw_point_text(room, node->hash_name, "-", i), &high, &low[point]);
			owner[point] = order[n];
			rc = hrw_points_add(&ix->points, high, (uint32_t)point);
		}
	}
	ix->low = calloc(point + 1, sizeof(*ix->low));
	if (rc == 0)
		rc = ix->low == NULL ? HRW_INTERNAL : hrw_points_sort(&ix->points);
	for (size_t i = 0; rc == 0 && i < point; i++) {
		uint32_t was = ix->points.node[i];

		ix->low[i] = low[was];
		ix->points.node[i] = owner[was];
	}
	free(low);
	free(owner);
	return rc;
}

/* A node's digests: floor(vnodes * nodes * weight / total). */
static int
ketama_ring(struct index *ix, const struct hrw_membership *m, const uint32_t *order, size_t count)
{
	uint64_t vnodes = m->param[PARAM_VNODES].number, total = 0;
	size_t words = m->param[PARAM_POINTS].number;
	char room[HRW_POINT_TEXT];
	uint8_t digest[16];
	int rc = 0;

	for (size_t n = 0; n < count; n++)
		total += (uint64_t)m->node[order[n]].weight;
	for (size_t n = 0; rc == 0 && n < count; n++) {
		const struct hrw_node *node = &m->node[order[n]];
		uint64_t digests = vnodes * count * (uint64_t)node->weight / total;

		for (size_t i = 0; rc == 0 && i < digests; i++) {
			hrw_md5(hrw_point_text(room, node->hash_name, "-", i), digest);
			for (size_t word = 0; rc == 0 && word < words; word++)
				rc = hrw_points_add(
				    &ix->points, hrw_md5_word(digest, word), order[n]);
		}
	}
	if (rc == 0)
		rc = hrw_points_sort(&ix->points);
	/* A point made twice is that of the node written last. */
	for (size_t i = ix->points.count; rc == 0 && i-- > 1;)
		if (ix->points.at[i - 1] == ix->points.at[i])
			ix->points.node[i - 1] = ix->points.node[i];
	return rc;
}

/* The nodes of the ring in insertion order: weight 0 has no points, but counts
 * among the nodes by which ketama multiplies. */
static uint32_t *
ring_order(const struct hrw_membership *m, size_t *count)
{
	uint32_t *order = hrw_order_all(m, count);
	size_t kept = 0;

	for (size_t i = 0; order != NULL && i < *count; i++)
		if (m->node[order[i]].state != HRW_DRAINING)
			order[kept++] = order[i];
	*count = kept;
	return order;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	size_t count = 0;
	uint32_t *order = ring_order(m, &count);
	double points;
	int rc;

	if (ix == NULL || order == NULL) {
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto out;
	}
	ix->is_ketama = m->param[PARAM_HASH].number == HASH_KETAMA;
	points = (double)m->param[PARAM_VNODES].number *
		 (ix->is_ketama ? 4 * (double)count : m->taker_weight);
	rc = hrw_points_make_room(&ix->points, points, fault);
	if (rc < 0)
		goto out;
	rc = ix->is_ketama ? ketama_ring(ix, m, order, m->taker_count > 0 ? count : 0)
			   : whole_ring(ix, m, order, count);
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

/* The first point strictly above the key's hash; the count past the end. */
static size_t
search(const struct index *ix, struct hrw_bytes key)
{
	uint64_t high, low;
	uint8_t digest[16];
	size_t at;

	if (ix->is_ketama) {
		hrw_md5(key, digest);
		return hrw_points_search(&ix->points, (uint64_t)hrw_md5_word(digest, 0) + 1);
	}
	hash128(key, &high, &low);
	at = hrw_points_search(&ix->points, high);
	while (at < ix->points.count && ix->points.at[at] == high && ix->low[at] <= low)
		at++;
	return at;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	size_t count = hrw_points_walk(&ix->points, search(ix, key), want, out);

	return count > 0 ? (int)count : HRW_NO_SERVERS;
}

const struct hrw_placement hrw_uhashring = {
    .name = "uhashring",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_ZONED | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 0, 1e9},
    .hashed = HRW_HASHED_NAME,
    .source = "uhashring 2.4",
    .complete = complete,
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
