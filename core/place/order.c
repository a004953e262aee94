#include "core/place/order.h"

#include <stdlib.h>

struct entry {
	int32_t id;
	uint32_t node;
};

static int
by_id(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static uint32_t *
order(const struct hrw_membership *m, bool takers_only, size_t *count)
{
	struct entry *list = calloc(m->count + 1, sizeof(*list));
	uint32_t *out = calloc(m->count + 1, sizeof(*out));

	*count = 0;
	if (list == NULL || out == NULL) {
		free(list);
		free(out);
		return NULL;
	}
	for (size_t i = 0; i < m->count; i++)
		if (!takers_only || hrw_node_is_taker(&m->node[i]))
			list[(*count)++] = (struct entry){m->node[i].id, (uint32_t)i};
	qsort(list, *count, sizeof(*list), by_id);
	for (size_t i = 0; i < *count; i++)
		out[i] = list[i].node;
	free(list);
	return out;
}

uint32_t *
hrw_order_all(const struct hrw_membership *m, size_t *count)
{
	return order(m, false, count);
}

uint32_t *
hrw_order_takers(const struct hrw_membership *m, size_t *count)
{
	return order(m, true, count);
}

/* A node's text, to be sorted. */
struct text {
	const char *text;
	uint32_t node;
};

static int
by_text(const void *left, const void *right)
{
	return strcmp(((const struct text *)left)->text, ((const struct text *)right)->text);
}

uint32_t *
hrw_order_by_text(const struct hrw_membership *m, size_t *count)
{
	uint32_t *out = hrw_order_takers(m, count);
	struct text *list = calloc(*count + 1, sizeof(*list));

	if (out == NULL || list == NULL) {
		free(out);
		free(list);
		return NULL;
	}
	for (size_t i = 0; i < *count; i++)
		list[i] = (struct text){m->node[out[i]].hash_name, out[i]};
	qsort(list, *count, sizeof(*list), by_text);
	for (size_t i = 0; i < *count; i++)
		out[i] = list[i].node;
	free(list);
	return out;
}
