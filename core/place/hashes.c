/*
 * hashes.c - sorts them, so that equal ones meet. The hash is not told: it may be
 * made with a secret.
 */
#include "core/place/hashes.h"

#include <stdlib.h>

#include "core/node.h"

struct hash_of {
	uint64_t hash;
	size_t node;
};

static int
by_hash(const void *left, const void *right)
{
	const struct hash_of *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

int
hrw_hashes_check(const struct hrw_membership *m, const uint64_t *hash, struct hrw_fault *fault)
{
	struct hash_of *list = calloc(m->count + 1, sizeof(*list));
	int rc = 0;

	if (list == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	for (size_t i = 0; i < m->count; i++)
		list[i] = (struct hash_of){hash[i], i};
	qsort(list, m->count, sizeof(*list), by_hash);
	for (size_t i = 1; rc == 0 && i < m->count; i++)
		if (list[i - 1].hash == list[i].hash)
			rc = hrw_fault_collision(fault, m, &m->node[list[i - 1].node],
			    &m->node[list[i].node], "have one hash");
	free(list);
	return rc;
}
