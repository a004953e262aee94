/*
 * envoy_maglev.c - Envoy's MAGLEV: nodes take free rows of a table in turn, each
 * along a permutation of its own, the heaviest in every round.
 *
 * Source: Eisenbud et al., NSDI 2016; Envoy, maglev_lb, 2026.
 */
#include <math.h>
#include <stdlib.h>

#include "core/place/order.h"
#include "core/place/xds_key.h"

enum { PARAM_KEY_TYPE, PARAM_TABLE_SIZE };
enum { EMPTY = 0xffff };

/* Turns that filling may take: some seconds. One heavy node among thousands of
 * light ones, and millions of rows, would ask for minutes. */
#define TURNS_MAX 0x1p31

static const struct hrw_param params[] = {
    HRW_XDS_KEY_TYPE,
    {.name = "table_size",
	.type = HRW_PARAM_COUNT,
	.min = 2,
	.max = 5000011,
	.initial = 65537,
	.help = "rows of the table, a prime up to 5000011"},
    {.name = NULL},
};

struct index {
	enum hrw_key_type key_type;
	size_t size;
	uint16_t *row; /* a node each; nodes are fewer than EMPTY */
};

/* A node while the table is filled. */
struct builder {
	uint32_t node;
	uint64_t at, skip; /* its next row; the step to the one after */
	double share, target;
};

static void
drop(void *index)
{
	struct index *ix = index;

	free(ix->row);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + ix->size * sizeof(*ix->row);
}

static bool
is_prime(uint64_t n)
{
	for (uint64_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n >= 2;
}

/* The node's next row that is still empty. */
static size_t
next_row(struct builder *b, const struct index *ix)
{
	size_t row;

	do {
		row = b->at;
		b->at += b->skip;
		if (b->at >= ix->size)
			b->at -= ix->size;
	} while (ix->row[row] != EMPTY);
	return row;
}

static void
fill(struct index *ix, struct builder *builder, size_t count, double highest)
{
	size_t filled = 0;

	for (double round = 1; filled < ix->size; round++)
		for (size_t i = 0; i < count && filled < ix->size; i++) {
			struct builder *b = &builder[i];

			if (round * b->share < b->target)
				continue;
			b->target += highest;
			ix->row[next_row(b, ix)] = (uint16_t)b->node;
			filled++;
		}
}

static int
check_turns(double turns, struct hrw_fault *fault)
{
	if (turns <= TURNS_MAX)
		return 0;
	hrw_fault(fault, HRW_BAD_FIELD,
	    "so many rows for nodes of so unequal weights take too long to fill: choose a smaller "
	    "table_size");
	hrw_fault_at(fault, "/placement/table_size");
	return HRW_BAD_FIELD;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	uint64_t size = m->param[PARAM_TABLE_SIZE].number;
	struct index *ix = NULL;
	struct builder *builder;
	uint32_t *order;
	size_t count;
	double highest = 0;
	int rc;

	if (!is_prime(size)) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "table_size %llu is not a prime: use one like 65537", (unsigned long long)size);
		hrw_fault_at(fault, "/placement/table_size");
		return HRW_BAD_FIELD;
	}
	order = hrw_order_by_text(m, &count);
	builder = calloc(m->count + 1, sizeof(*builder));
	ix = calloc(1, sizeof(*ix));
	if (ix != NULL)
		ix->row = malloc(size * sizeof(*ix->row));
	if (order == NULL || builder == NULL || ix == NULL || ix->row == NULL) {
		free(order);
		free(builder);
		if (ix != NULL)
			drop(ix);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	ix->key_type = hrw_key_type(m);
	ix->size = size;
	memset(ix->row, 0xff, size * sizeof(*ix->row));
	for (size_t i = 0; i < count; i++) {
		const struct hrw_node *node = &m->node[order[i]];
		struct hrw_bytes text = hrw_text(node->hash_name);

		builder[i].node = order[i];
		builder[i].share = node->weight / m->taker_weight;
		builder[i].at = hrw_xxh64(text) % size;
		builder[i].skip = hrw_xxh64_seeded(text, 1) % (size - 1) + 1;
		highest = fmax(highest, builder[i].share);
	}
	rc = check_turns((double)size * highest * (double)count, fault);
	if (rc == 0 && count > 0)
		fill(ix, builder, count, highest);
	free(builder);
	free(order);
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
	uint64_t hash;

	(void)want; /* one owner */
	if (hrw_xds_hash(ix->key_type, key, &hash) < 0)
		return HRW_BAD_KEY;
	out[0] = ix->row[hash % ix->size];
	return 1;
}

const struct hrw_placement hrw_envoy_maglev = {
    .name = "envoy-maglev",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_ADDRESS,
    .source = "Eisenbud et al., NSDI 2016; Envoy, maglev_lb, 2026",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
