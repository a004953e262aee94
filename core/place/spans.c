#include "core/place/spans.h"

#include <stdlib.h>

int
hrw_spans_init(struct hrw_spans *s, const struct hrw_membership *m, uint32_t *order, size_t count)
{
	*s = (struct hrw_spans){.count = count, .node = order};
	s->end = calloc(count + 1, sizeof(*s->end));
	if (order == NULL || s->end == NULL) {
		hrw_spans_fini(s);
		return HRW_INTERNAL;
	}
	for (size_t i = 0; i < count; i++) {
		s->total += (uint64_t)m->node[order[i]].weight;
		s->end[i] = s->total;
	}
	return 0;
}

void
hrw_spans_fini(struct hrw_spans *s)
{
	free(s->node);
	free(s->end);
	*s = (struct hrw_spans){0};
}

size_t
hrw_spans_size(const struct hrw_spans *s)
{
	return s->count * (sizeof(*s->node) + sizeof(*s->end));
}

uint32_t
hrw_spans_at(const struct hrw_spans *s, uint64_t number)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->end[middle] <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return s->node[low];
}
