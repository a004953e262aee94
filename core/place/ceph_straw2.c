/*
 * ceph_straw2.c - Ceph's CRUSH with straw2 buckets: osds in one flat bucket, or in
 * hosts, of which each holds one copy.
 *
 * A try draws a host and an osd in it; one that holds a copy already, or is out,
 * fails, and the next try has the next number. What try number r draws depends on
 * nothing else, so that a lookup draws it once however often it is come back to.
 *
 * An osd of weight 0 can still be drawn where no other is left in its bucket, as
 * in the original.
 *
 * Source: Ceph 16.2.15; Weil et al., CRUSH, SC 2006.
 */
#include <stdlib.h>

#include "core/hash/crush_ln.h"
#include "core/hash/rjenkins.h"
#include "core/keytype.h"
#include "core/place/crush_tree.h"

enum { PARAM_KEY_TYPE, PARAM_DOMAIN, PARAM_HOSTS, PARAM_POOL_ID, PARAM_PG_NUM, PARAM_PGP_NUM };
enum { DOMAIN_HOST, DOMAIN_OSD };

/* Tries for one copy: the first and 50 more. */
enum { TRIES = 51 };

static const char *const key_types[] = {"text", "int32", NULL};
static const char *const domains[] = {"host", "osd", NULL};

static const struct hrw_param params[] = {
    {.name = "key_type",
	.type = HRW_PARAM_CHOICE,
	.choices = key_types,
	.help = "text: an object's name; int32: the input of CRUSH itself"},
    {.name = "failure_domain",
	.type = HRW_PARAM_CHOICE,
	.choices = domains,
	.help = "host: a node's zone is its host, of which each holds one copy; osd: one bucket"},
    {.name = "hosts",
	.type = HRW_PARAM_HOSTS,
	.with = "failure_domain",
	.is = "host",
	.help = "the hosts in the root's order: name, id (negative), weight (0 to 65535)"},
    {.name = "pool_id",
	.type = HRW_PARAM_COUNT,
	.min = 0,
	.max = INT32_MAX,
	.initial = 1,
	.with = "key_type",
	.is = "text",
	.help = "number of the pool that objects are in, 0 to 2147483647"},
    {.name = "pg_num",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = INT32_MAX,
	.initial = 32,
	.with = "key_type",
	.is = "text",
	.help = "placement groups of the pool, 1 to 2147483647"},
    {.name = "pgp_num",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = INT32_MAX,
	.initial = 32,
	.with = "key_type",
	.is = "text",
	.help = "groups that are placed apart, 1 to pg_num; pg_num when left out"},
    {.name = NULL},
};

/* Items in their bucket's order. */
struct bucket {
	size_t count;
	const uint32_t *id; /* negative ones as two's complement */
	const uint32_t *weight;
};

struct index {
	enum hrw_key_type key_type;
	uint32_t pool_id, pgp_num;
	struct hrw_crush_tree tree;
};

static void
drop(void *index)
{
	struct index *ix = index;

	hrw_crush_tree_fini(&ix->tree);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + hrw_crush_tree_size(&ix->tree);
}

static void
complete(struct hrw_value *value)
{
	if (!value[PARAM_PGP_NUM].is_given)
		value[PARAM_PGP_NUM].number = value[PARAM_PG_NUM].number;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	const struct hrw_value *value = m->param;
	struct index *ix;
	int rc;

	if (value[PARAM_PGP_NUM].number > value[PARAM_PG_NUM].number) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "pgp_num %llu is above pg_num %llu: use at most as many",
		    (unsigned long long)value[PARAM_PGP_NUM].number,
		    (unsigned long long)value[PARAM_PG_NUM].number);
		hrw_fault_at(fault, "/placement/pgp_num");
		return HRW_BAD_FIELD;
	}
	ix = calloc(1, sizeof(*ix));
	if (ix == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	ix->key_type = hrw_key_type(m);
	ix->pool_id = (uint32_t)value[PARAM_POOL_ID].number;
	ix->pgp_num = (uint32_t)value[PARAM_PGP_NUM].number;
	if (value[PARAM_DOMAIN].number == DOMAIN_HOST)
		rc = hrw_crush_hosts(&ix->tree, m, &value[PARAM_HOSTS], fault);
	else
		rc = hrw_crush_flat(&ix->tree, m, fault);
	if (rc < 0)
		free(ix);
	else
		*index = ix;
	return rc;
}

/* The longest straw's item for try r: its place in the bucket, which is not empty.
 * Straws are negative logarithms over weights; here they are compared without the
 * sign, so that the least is the longest and the first of equals wins. */
static size_t
straw2(const struct bucket *b, uint32_t x, uint32_t r)
{
	uint64_t least = UINT64_MAX;
	size_t best = 0;

	for (size_t i = 0; i < b->count; i++) {
		uint64_t straw;

		if (b->weight[i] == 0)
			continue; /* the shortest there is */
		straw = hrw_crush_ln(hrw_rjenkins3(x, b->id[i], r) & 0xffff);
		straw = ((UINT64_C(1) << 48) - straw) / b->weight[i];
		if (straw < least) {
			least = straw;
			best = i;
		}
	}
	return best;
}

/* What a try draws. */
struct draw {
	uint32_t host, osd; /* osd: NONE where the host is empty */
	bool is_in;	    /* the osd is not out */
};

#define NONE UINT32_MAX

/* Is the osd in, for this x? Its reweight is the chance. */
static bool
is_in(const struct index *ix, uint32_t x, uint32_t osd)
{
	uint32_t reweight = ix->tree.reweight[osd];

	return reweight >= HRW_CRUSH_ONE ||
	       (hrw_rjenkins2(x, ix->tree.id[osd]) & 0xffff) < reweight;
}

static struct draw
draw(const struct index *ix, uint32_t x, uint32_t r)
{
	const struct bucket root = {ix->tree.host_count, ix->tree.host_id, ix->tree.host_weight};
	struct draw d = {.host = 0, .osd = NONE};
	struct bucket host;
	size_t first;

	if (ix->tree.has_hosts)
		d.host = (uint32_t)straw2(&root, x, r);
	first = ix->tree.first[d.host];
	host = (struct bucket){
	    ix->tree.first[d.host + 1] - first, ix->tree.id + first, ix->tree.weight + first};
	if (host.count == 0)
		return d;
	d.osd = (uint32_t)(first + straw2(&host, x, r));
	d.is_in = is_in(ix, x, d.osd);
	return d;
}

/* Is the host (or, where there are none, the osd) free for one more copy? */
static bool
is_free(const struct index *ix, const struct draw *d, const struct draw *held, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ix->tree.has_hosts ? held[i].host == d->host : held[i].osd == d->osd)
			return false;
	return true;
}

/* v modulo n in a way that moves few numbers when n grows. */
static uint32_t
stable_modulo(uint32_t v, uint32_t n)
{
	uint32_t mask = 1;

	while (mask < n)
		mask <<= 1;
	mask--;
	return (v & mask) < n ? v & mask : v & mask >> 1;
}

/* The number that CRUSH places, of a key. 0 or BAD_KEY. */
static int
input_of(const struct index *ix, struct hrw_bytes key, uint32_t *x)
{
	uint64_t number;

	if (ix->key_type == HRW_KEY_TEXT) {
		*x = hrw_rjenkins2(stable_modulo(hrw_rjenkins_name(key), ix->pgp_num), ix->pool_id);
		return 0;
	}
	if (hrw_key_number(key, ix->key_type, &number) < 0)
		return HRW_BAD_KEY;
	*x = (uint32_t)number;
	return 0;
}

/* No more copies than any pool has: each costs tries, and there is no order of
 * nodes beyond them. */
static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	struct draw drawn[HRW_COPIES_MAX + TRIES], held[HRW_COPIES_MAX];
	size_t drawn_count = 0, count = 0;
	uint32_t x;

	if (input_of(ix, key, &x) < 0)
		return HRW_BAD_KEY;
	for (uint32_t copy = 0; copy < want && copy < HRW_COPIES_MAX; copy++)
		for (uint32_t r = copy; r < copy + TRIES; r++) {
			while (drawn_count <= r) {
				drawn[drawn_count] = draw(ix, x, (uint32_t)drawn_count);
				drawn_count++;
			}
			if (drawn[r].osd == NONE || !drawn[r].is_in ||
			    !is_free(ix, &drawn[r], held, count))
				continue;
			out[count] = ix->tree.node[drawn[r].osd];
			held[count++] = drawn[r];
			break;
		}
	return count > 0 ? (int)count : HRW_NO_SERVERS;
}

const struct hrw_placement hrw_ceph_straw2 = {
    .name = "ceph-straw2",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_HOSTS | HRW_REWEIGHT | HRW_BY_ID,
    .weights = {HRW_WEIGHT_REAL, 0, HRW_CRUSH_WEIGHT_MAX},
    .hashed = HRW_HASHED_NOTHING,
    .source = "Ceph 16.2.15",
    .complete = complete,
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
