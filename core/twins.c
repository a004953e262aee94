#include <stdlib.h>

#include "core/place/mark.h"
#include "core/twins.h"

extern const struct hrw_placement hrw_ignite, hrw_libmemcached_ketama, hrw_nginx_consistent;

static const struct {
	const struct hrw_placement *placement;
	hrw_mark *mark;
} marked[] = {
    {&hrw_ignite, hrw_ignite_mark},
    {&hrw_libmemcached_ketama, hrw_libmemcached_mark},
    {&hrw_nginx_consistent, hrw_nginx_mark},
};

struct marked_node {
	uint64_t mark;
	uint32_t node;
};

static int
by_mark(const void *left, const void *right)
{
	const struct marked_node *a = left, *b = right;

	if (a->mark != b->mark)
		return a->mark < b->mark ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static hrw_mark *
mark_of(const struct hrw_placement *placement)
{
	for (size_t i = 0; i < sizeof(marked) / sizeof(marked[0]); i++)
		if (marked[i].placement == placement)
			return marked[i].mark;
	return NULL;
}

int
hrw_twins(const struct hrw_membership *m, uint32_t *twin_of)
{
	hrw_mark *mark = mark_of(m->placement);
	struct marked_node *list;
	int count = 0;

	for (size_t i = 0; i < m->count; i++)
		twin_of[i] = (uint32_t)i;
	if (mark == NULL || m->count < 2)
		return 0;
	list = calloc(m->count, sizeof(*list));
	if (list == NULL)
		return HRW_INTERNAL;
	for (size_t i = 0; i < m->count; i++)
		list[i] = (struct marked_node){mark(m, &m->node[i]), (uint32_t)i};
	qsort(list, m->count, sizeof(*list), by_mark);
	for (size_t i = 1; i < m->count; i++) {
		if (list[i].mark != list[i - 1].mark)
			continue;
		twin_of[list[i].node] = twin_of[list[i - 1].node];
		count++;
	}
	free(list);
	return count;
}
