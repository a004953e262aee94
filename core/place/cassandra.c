/*
 * cassandra.c - the token ring of Cassandra and Scylla: nodes list their tokens, a
 * node owns the keys up to and with its token, copies go on to the next nodes.
 *
 * Source: DataStax Python driver 3.25.0: Murmur3Partitioner, SimpleStrategy.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/hash/cassandra.h"
#include "core/keytype.h"
#include "core/node.h"
#include "core/place/points.h"

enum { PARAM_KEY_TYPE };

static const char *const key_types[] = {"text", "int32", "int64", "uuid", NULL};

static const struct hrw_param params[] = {
    {.name = "key_type",
	.type = HRW_PARAM_CHOICE,
	.choices = key_types,
	.help = "text: the bytes are hashed; int32, int64, uuid: their serialised form"},
    {.name = NULL},
};

struct index {
	enum hrw_key_type key_type;
	struct hrw_points points; /* the takers' tokens */
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

/* A token's place on a ring of unsigned numbers. */
static uint64_t
place_of(int64_t token)
{
	return (uint64_t)token ^ UINT64_C(1) << 63;
}

/* No token may be listed twice, by draining nodes neither: they may come back. */
static int
check_tokens(const struct hrw_membership *m, const struct hrw_points *all, struct hrw_fault *fault)
{
	for (size_t i = 1; i < all->count; i++) {
		const struct hrw_node *node = &m->node[all->node[i]];
		int64_t token = (int64_t)place_of((int64_t)all->at[i]);

		if (all->at[i - 1] != all->at[i])
			continue;
		if (all->node[i - 1] == all->node[i])
			hrw_fault(fault, HRW_BAD_FIELD,
			    "token %" PRId64 " is listed twice by \"%s\": list it once", token,
			    node->name);
		else
			hrw_fault(fault, HRW_BAD_FIELD,
			    "token %" PRId64 " is held by \"%s\" and \"%s\": leave it to one of "
			    "them",
			    token, m->node[all->node[i - 1]].name, node->name);
		hrw_fault_at_node(fault, node, "tokens");
		return HRW_BAD_FIELD;
	}
	return 0;
}

/* Leaves the takers' points. */
static void
keep_takers(const struct hrw_membership *m, struct hrw_points *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (!hrw_node_is_taker(&m->node[p->node[i]]))
			continue;
		p->at[kept] = p->at[i];
		p->node[kept++] = p->node[i];
	}
	p->count = kept;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	int rc = 0;

	if (ix == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	ix->key_type = hrw_key_type(m);
	for (size_t n = 0; n < m->count; n++)
		for (size_t i = 0; rc == 0 && i < m->node[n].token_count; i++)
			rc = hrw_points_add(
			    &ix->points, place_of(m->node[n].tokens[i]), (uint32_t)n);
	if (rc < 0 || hrw_points_sort(&ix->points) < 0)
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
	else
		rc = check_tokens(m, &ix->points, fault);
	if (rc < 0) {
		drop(ix);
		return rc;
	}
	keep_takers(m, &ix->points);
	*index = ix;
	return 0;
}

/* The bytes that the key's type is serialised to; `room` may hold them. */
static int
serialise(enum hrw_key_type type, struct hrw_bytes key, uint8_t room[16], struct hrw_bytes *out)
{
	size_t len = type == HRW_KEY_INT32 ? 4 : 8;
	uint64_t number;

	*out = key;
	if (type == HRW_KEY_TEXT)
		return 0;
	if (type == HRW_KEY_UUID) {
		*out = hrw_bytes(room, 16);
		return hrw_key_uuid(key, room);
	}
	if (hrw_key_number(key, type, &number) < 0)
		return HRW_BAD_KEY;
	for (size_t i = 0; i < len; i++)
		room[i] = (uint8_t)(number >> 8 * (len - 1 - i));
	*out = hrw_bytes(room, len);
	return 0;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	struct hrw_bytes bytes;
	uint8_t room[16];
	size_t first;

	if (serialise(ix->key_type, key, room, &bytes) < 0)
		return HRW_BAD_KEY;
	if (ix->points.count == 0)
		return HRW_NO_SERVERS;
	first = hrw_points_search(&ix->points, place_of(hrw_cassandra_token(bytes)));
	return (int)hrw_points_walk(&ix->points, first, want, out);
}

const struct hrw_placement hrw_cassandra_murmur3 = {
    .name = "cassandra-murmur3",
    .params = params,
    .traits = HRW_ZONED | HRW_MINIMAL | HRW_TOKENS,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NOTHING,
    .source = "DataStax Python driver 3.25.0",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
