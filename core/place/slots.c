#include "core/place/slots.h"

#include <stdlib.h>

#include "core/node.h"

void
hrw_slots_fini(struct hrw_slots *slots)
{
	free(slots->held);
	*slots = (struct hrw_slots){0};
}

size_t
hrw_slots_size(const struct hrw_slots *slots)
{
	return slots->count * sizeof(*slots->held);
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
	hrw_fault_at_node(fault, node, "slots/%zu", at);
	return HRW_BAD_FIELD;
}

static int
check_overlap(const struct hrw_slots *slots, struct hrw_fault *fault)
{
	for (size_t i = 1; i < slots->count; i++) {
		const struct hrw_held *before = &slots->held[i - 1], *held = &slots->held[i];
		const struct hrw_node *node = &slots->m->node[held->node];

		if (held->first > before->last)
			continue;
		if (held->node == before->node)
			hrw_fault(fault, HRW_BAD_FIELD,
			    "slot %u is listed twice by \"%s\": list it once", held->first,
			    node->name);
		else
			hrw_fault(fault, HRW_BAD_FIELD,
			    "slot %u is held by \"%s\" and \"%s\": leave it to one of them",
			    held->first, slots->m->node[before->node].name, node->name);
		hrw_fault_at_node(fault, node, "slots");
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

/* The range of a taker that a slot is in; NULL: nobody's. */
static const struct hrw_held *
holder(const struct hrw_slots *slots, uint64_t slot)
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
		return NULL;
	return &slots->held[low];
}

int
hrw_slots_rank(const struct hrw_slots *slots, uint64_t slot, uint32_t *out)
{
	const struct hrw_held *held = holder(slots, slot);

	if (held == NULL)
		return HRW_NO_SERVERS;
	out[0] = held->node;
	return 1;
}

/* The first slot of the node that no taker holds: true and out->slot. */
static bool
is_orphaned(const struct hrw_slots *after, const struct hrw_node *node, struct hrw_orphan *out)
{
	for (size_t i = 0; i < node->slot_count; i++) {
		uint64_t slot = node->slots[i].first;

		while (slot <= node->slots[i].last) {
			const struct hrw_held *held = holder(after, slot);

			if (held == NULL) {
				*out = (struct hrw_orphan){node->name, true, (uint32_t)slot};
				return true;
			}
			slot = (uint64_t)held->last + 1;
		}
	}
	return false;
}

static bool
holds_any(const struct hrw_membership *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->node[i].slot_count > 0)
			return true;
	return false;
}

int
hrw_slots_orphaned(
    const struct hrw_membership *before, const struct hrw_membership *after, struct hrw_orphan *out)
{
	unsigned traits = before->placement->traits & after->placement->traits;
	bool stand_for_slots;
	struct hrw_slots slots;
	int rc = 0;

	if ((traits & HRW_SLOTS) == 0)
		return 0;
	stand_for_slots = (traits & HRW_BY_ID) && !holds_any(before) && !holds_any(after);
	if (hrw_slots_init(&slots, after, UINT32_MAX, NULL) < 0)
		return HRW_INTERNAL;
	for (size_t i = 0; rc == 0 && i < before->count; i++) {
		const struct hrw_node *was = &before->node[i];
		const struct hrw_node *is = hrw_membership_find(after, was->name);
		bool is_drained =
		    is != NULL && is->state == HRW_DRAINING && was->state != is->state;

		if (stand_for_slots && is_drained) {
			*out = (struct hrw_orphan){.node = was->name};
			rc = 1;
		} else if (is == NULL || is_drained) {
			rc = is_orphaned(&slots, was, out);
		}
	}
	hrw_slots_fini(&slots);
	return rc;
}
