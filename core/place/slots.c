#include "core/place/slots.h"

#include <stdlib.h>

void
hrw_slots_fini(struct hrw_slots *slots)
{
	free(slots->held);
	*slots = (struct hrw_slots){0};
}

static int
by_first(const void *left, const void *right)
{
	const struct hrw_held *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static int
check_range(const struct hrw_node *node, size_t at, uint32_t highest, struct hrw_fault *fault)
{
	const struct hrw_range *range = &node->slots[at];

	if (range->first <= range->last && range->last <= highest)
		return 0;
	hrw_fault(fault, HRW_BAD_FIELD,
	    "slots [%u,%u] of \"%s\" are no range: use [first,last] with 0 <= first <= last <= %u",
	    range->first, range->last, node->name, highest);
	hrw_fault_at(fault, "/nodes/%s/slots/%zu", node->name, at);
	return HRW_BAD_FIELD;
}

static int
check_overlap(const struct hrw_slots *slots, struct hrw_fault *fault)
{
	for (size_t i = 1; i < slots->count; i++) {
		const struct hrw_held *before = &slots->held[i - 1], *held = &slots->held[i];
		const char *name = slots->m->node[held->node].name;

		if (held->first > before->last)
			continue;
		if (held->node == before->node)
			hrw_fault(fault, HRW_BAD_FIELD,
			    "slot %u is listed twice by \"%s\": list it once", held->first, name);
		else
			hrw_fault(fault, HRW_BAD_FIELD,
			    "slot %u is held by \"%s\" and \"%s\": leave it to one of them",
			    held->first, slots->m->node[before->node].name, name);
		hrw_fault_at(fault, "/nodes/%s/slots", name);
		return HRW_BAD_FIELD;
	}
	return 0;
}

int
hrw_slots_init(struct hrw_slots *slots, const struct hrw_membership *m, uint32_t highest,
    struct hrw_fault *fault)
{
	size_t count = 0;
	int rc = 0;

	for (size_t n = 0; n < m->count; n++)
		count += m->node[n].slot_count;
	*slots = (struct hrw_slots){.m = m};
	slots->held = calloc(count + 1, sizeof(*slots->held));
	if (slots->held == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	for (size_t n = 0; n < m->count; n++)
		for (size_t i = 0; rc == 0 && i < m->node[n].slot_count; i++) {
			const struct hrw_range *range = &m->node[n].slots[i];

			rc = check_range(&m->node[n], i, highest, fault);
			slots->held[slots->count++] =
			    (struct hrw_held){range->first, range->last, (uint32_t)n};
		}
	if (rc == 0) {
		qsort(slots->held, slots->count, sizeof(*slots->held), by_first);
		rc = check_overlap(slots, fault);
	}
	if (rc < 0)
		hrw_slots_fini(slots);
	return rc;
}

int
hrw_slots_rank(const struct hrw_slots *slots, uint64_t slot, uint32_t *out)
{
	size_t low = 0, high = slots->count;

	/* The first range that ends at or above the slot. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (slots->held[middle].last < slot)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == slots->count || slots->held[low].first > slot ||
	    !hrw_node_is_taker(&slots->m->node[slots->held[low].node]))
		return HRW_NO_SERVERS;
	out[0] = slots->held[low].node;
	return 1;
}
