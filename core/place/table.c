/*
 * table.c - a table of so many rows, each with a ranking of its own: a lookup is
 * one hash and one read.
 *
 * The rows are ranked as keys row-0, row-1, … by rendezvous-blake2b; a key has
 * the ranking of its row. Coarser than a ranking a key, the coarser the fewer
 * the rows.
 *
 * Source: Thaler & Ravishankar, 1998, on hash buckets.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/hash/blake2b.h"
#include "core/membership.h"

extern const struct hrw_placement hrw_rendezvous_blake2b;

enum { PARAM_ROWS };

/* Places that a row keeps; a longer ranking, seldom asked for, is made anew. */
enum { PLACES = 8 };

static const struct hrw_param params[] = {
    {.name = "rows",
	.type = HRW_PARAM_COUNT,
	.min = 1,
	.max = 1 << 20,
	.initial = 4096,
	.help = "rows of the table, 1 to 1048576"},
    {.name = NULL},
};

struct index {
	void *ranking; /* the index of rendezvous-blake2b on the same membership */
	uint64_t rows;
	size_t places; /* kept a row: PLACES, or all takers */
	size_t takers;
	uint32_t *node; /* places for each row */
};

static void
drop(void *index)
{
	struct index *ix = index;

	if (ix->ranking != NULL)
		hrw_rendezvous_blake2b.free(ix->ranking);
	free(ix->node);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + hrw_rendezvous_blake2b.size(ix->ranking) +
	       (size_t)ix->rows * ix->places * sizeof(*ix->node);
}

/* The ranking of a row's own key. */
static int
rank_row(const struct index *ix, uint64_t row, size_t want, uint32_t *out)
{
	char key[32];
	int len = snprintf(key, sizeof(key), "row-%llu", (unsigned long long)row);

	return hrw_rendezvous_blake2b.rank(ix->ranking, hrw_bytes(key, (size_t)len), want, out);
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	int rc;

	if (ix == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	ix->rows = m->param[PARAM_ROWS].number;
	ix->takers = m->taker_count;
	ix->places = ix->takers < PLACES ? ix->takers : PLACES;
	ix->node = calloc(ix->rows * ix->places + 1, sizeof(*ix->node));
	if (ix->node == NULL) {
		drop(ix);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	rc = hrw_rendezvous_blake2b.prepare(m, &ix->ranking, fault);
	if (rc < 0) {
		drop(ix);
		return rc;
	}
	for (uint64_t row = 0; ix->places > 0 && row < ix->rows; row++)
		rank_row(ix, row, ix->places, ix->node + row * ix->places);
	*index = ix;
	return 0;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	uint64_t row = hrw_blake2b(key) % ix->rows;

	if (want > ix->places && ix->places < ix->takers)
		return rank_row(ix, row, want, out);
	if (want > ix->places)
		want = ix->places;
	memcpy(out, ix->node + row * ix->places, want * sizeof(*out));
	return (int)want;
}

const struct hrw_placement hrw_table = {
    .name = "table",
    .params = params,
    .traits = HRW_ZONED | HRW_MINIMAL,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NAME,
    .source = "Thaler & Ravishankar, 1998",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
