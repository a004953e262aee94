/*
 * freeze.c - a draft becomes a membership: checked as a whole, sorted, indexed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/node.h"
#include "core/number.h"
#include "core/params.h"
#include "core/range.h"

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "out of memory");
}

static int
check_copies(
    const struct hrw_membership *m, const struct hrw_limits *limits, struct hrw_fault *fault)
{
	size_t limit = HRW_COPIES_MAX;
	char range[HRW_RANGE_SHOWN];
	int rc = hrw_check_most_copies(m->placement, m->copies, fault);

	if (limits != NULL && limits->copies < limit)
		limit = limits->copies;
	if (rc == 0 && (m->copies < 1 || m->copies > limit))
		rc = hrw_fault(fault, HRW_BAD_COPIES,
		    "%u is not a number of copies: use %s, or raise limits.copies (to %d at most)",
		    m->copies, hrw_show_whole_range(1, limit, range), HRW_COPIES_MAX);
	if (rc < 0)
		hrw_fault_at(fault, "/copies");
	return rc;
}

static int
check_weights(const struct hrw_membership *m, struct hrw_fault *fault)
{
	const struct hrw_placement *placement = m->placement;
	const struct hrw_weights *weights = &placement->weights;

	for (size_t i = 0; i < m->count; i++) {
		const struct hrw_node *node = &m->node[i];
		char weight[HRW_NUMBER], min[HRW_NUMBER], max[HRW_NUMBER];

		if (hrw_takes_weight(weights, node->weight))
			continue;
		if (weights->rule == HRW_WEIGHT_NONE)
			hrw_fault(fault, HRW_BAD_WEIGHT,
			    "weight %s of \"%s\" cannot be kept: %s takes no weights, use 1",
			    hrw_show_number(node->weight, weight), node->name, placement->name);
		else
			hrw_fault(fault, HRW_BAD_WEIGHT,
			    "weight %s of \"%s\" cannot be kept: %s takes %s from %s to %s",
			    hrw_show_number(node->weight, weight), node->name, placement->name,
			    weights->rule == HRW_WEIGHT_WHOLE ? "whole numbers" : "weights",
			    hrw_show_number(weights->min, min), hrw_show_number(weights->max, max));
		hrw_fault_at_node(fault, node, "weight");
		return HRW_BAD_WEIGHT;
	}
	return 0;
}

static int
nodes_by_name(const void *left, const void *right)
{
	return strcmp(
	    ((const struct hrw_node *)left)->name, ((const struct hrw_node *)right)->name);
}

/* The host of a checked address: without port, without brackets. */
static struct hrw_bytes
host_of(const char *address)
{
	size_t len = (size_t)(strrchr(address, ':') - address);

	return address[0] == '[' ? hrw_bytes(address + 1, len - 2) : hrw_bytes(address, len);
}

/* The label of libmemcached and twemproxy: the host, and the port where it is not
 * 11211; never brackets. */
static struct hrw_bytes
label_of(const char *address, char room[HRW_ADDRESS_BYTES_MAX + 1])
{
	const char *port = strrchr(address, ':');
	struct hrw_bytes host = host_of(address);

	if (strcmp(port, ":11211") == 0)
		return host;
	snprintf(room, HRW_ADDRESS_BYTES_MAX + 1, "%.*s%s", (int)host.len, (const char *)host.data,
	    port);
	return hrw_text(room);
}

/* The text that stands for a node without a hash_name, in its name, its address or
 * `room`; data NULL where it has no address. */
static struct hrw_bytes
default_text(
    const struct hrw_node *node, enum hrw_hashed hashed, char room[HRW_ADDRESS_BYTES_MAX + 1])
{
	struct hrw_bytes address = {NULL, 0};

	if (hashed == HRW_HASHED_NAME || hashed == HRW_HASHED_NOTHING)
		return hrw_text(node->name);
	if (node->address == NULL)
		return address;
	address = hrw_text(node->address);
	switch (hashed) {
	case HRW_HASHED_HOST:
		return host_of(node->address);
	case HRW_HASHED_LABEL:
		return label_of(node->address, room);
	case HRW_HASHED_ADDRESS:
	case HRW_HASHED_NAME:
	case HRW_HASHED_NOTHING:
		break;
	}
	return address;
}

bool
hrw_node_hashes_default(const struct hrw_node *node, enum hrw_hashed hashed)
{
	char room[HRW_ADDRESS_BYTES_MAX + 1];

	return hashed == HRW_HASHED_NOTHING || node->hash_name == NULL ||
	       hrw_bytes_equal(hrw_text(node->hash_name), default_text(node, hashed, room));
}

/* Gives every node without a hash_name its default.
 *   is_filled  by node: receives whether it was done here */
static int
fill_hash_names(struct hrw_membership *m, bool *is_filled, struct hrw_fault *fault)
{
	enum hrw_hashed hashed = m->placement->hashed;

	if (hashed == HRW_HASHED_NOTHING)
		return 0;
	for (size_t i = 0; i < m->count; i++) {
		struct hrw_node *node = &m->node[i];
		char room[HRW_ADDRESS_BYTES_MAX + 1];
		struct hrw_bytes text;

		if (node->hash_name != NULL)
			continue;
		text = default_text(node, hashed, room);
		if (text.data == NULL) {
			hrw_fault(fault, HRW_BAD_ADDRESS,
			    "\"%s\" has no address, and %s hashes it: give an \"address\" or a "
			    "\"hash_name\"",
			    node->name, m->placement->name);
			hrw_fault_at_node(fault, node, "address");
			return HRW_BAD_ADDRESS;
		}
		node->hash_name = strndup((const char *)text.data, text.len);
		if (node->hash_name == NULL)
			return no_memory(fault);
		node->hash_name_is_default = true;
		is_filled[i] = true;
	}
	return 0;
}

/* A node's text, to be sorted. */
struct text_of {
	const char *text;
	size_t node;
};

static int
by_text(const void *left, const void *right)
{
	const struct text_of *a = left, *b = right;
	int order = strcmp(a->text, b->text);

	return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

static int
check_hash_names(const struct hrw_membership *m, struct text_of *list, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN], because[HRW_SHOWN + 32];

	if (m->placement->hashed == HRW_HASHED_NOTHING)
		return 0;
	for (size_t i = 0; i < m->count; i++)
		list[i] = (struct text_of){m->node[i].hash_name, i};
	qsort(list, m->count, sizeof(*list), by_text);
	for (size_t i = 1; i < m->count; i++) {
		if (strcmp(list[i - 1].text, list[i].text) != 0)
			continue;
		snprintf(because, sizeof(because), "are both hashed as \"%s\"",
		    hrw_show(hrw_text(list[i].text), shown, sizeof(shown)));
		return hrw_fault_collision(
		    fault, m, &m->node[list[i - 1].node], &m->node[list[i].node], because);
	}
	return 0;
}

/* Numbers the zones; a node without one has a number of its own.
 *   list  room for all nodes */
static void
number_zones(struct hrw_membership *m, struct text_of *list)
{
	uint32_t zone = 0;
	size_t named = 0;
	bool has_taker = false;

	m->zone_count = 0;
	m->has_zones = false;
	for (size_t i = 0; i < m->count; i++) {
		bool is_taker = hrw_node_is_taker(&m->node[i]);

		if (m->node[i].zone != NULL && (m->placement->traits & HRW_ZONED) != 0) {
			list[named++] = (struct text_of){m->node[i].zone, i};
			m->has_zones = m->has_zones || is_taker;
			continue;
		}
		m->zone_of[i] = zone++;
		m->zone_count += is_taker;
	}
	qsort(list, named, sizeof(*list), by_text);
	for (size_t i = 0; i < named; i++) {
		bool is_first = i == 0 || strcmp(list[i - 1].text, list[i].text) != 0;

		if (is_first)
			has_taker = false;
		if (is_first && i > 0)
			zone++;
		m->zone_of[list[i].node] = zone;
		if (hrw_node_is_taker(&m->node[list[i].node]) && !has_taker) {
			has_taker = true;
			m->zone_count++;
		}
	}
}

static void
count_takers(struct hrw_membership *m)
{
	m->taker_count = 0;
	m->taker_weight = 0;
	for (size_t i = 0; i < m->count; i++)
		if (hrw_node_is_taker(&m->node[i])) {
			m->taker_count++;
			m->taker_weight += m->node[i].weight;
		}
}

int
hrw_membership_freeze(
    struct hrw_membership *m, const struct hrw_limits *limits, struct hrw_fault *fault)
{
	bool *is_filled = calloc(m->count + 1, sizeof(*is_filled));
	struct text_of *list = calloc(m->count + 1, sizeof(*list));
	uint32_t *zone_of = calloc(m->count + 1, sizeof(*zone_of));
	int rc;

	if (is_filled == NULL || list == NULL || zone_of == NULL) {
		rc = no_memory(fault);
		goto out;
	}
	/* The widest limits bind here too: rank keeps its candidates on the stack. */
	if (m->count > HRW_NODES_MAX) {
		rc = hrw_fault(fault, HRW_TOO_MANY, "%zu nodes are more than %d: remove some",
		    m->count, HRW_NODES_MAX);
		goto out;
	}
	/* The next version of a membership stands in order already. */
	if (!m->is_sorted && m->count > 0)
		qsort(m->node, m->count, sizeof(*m->node), nodes_by_name);
	m->is_sorted = true;
	hrw_params_complete(m);
	if ((rc = hrw_params_check(m, fault)) < 0 || (rc = check_copies(m, limits, fault)) < 0 ||
	    (rc = check_weights(m, fault)) < 0 || (rc = fill_hash_names(m, is_filled, fault)) < 0 ||
	    (rc = check_hash_names(m, list, fault)) < 0)
		goto out;
	free(m->zone_of);
	m->zone_of = zone_of;
	zone_of = NULL; /* taken */
	number_zones(m, list);
	count_takers(m);
	rc = m->placement->prepare(m, &m->index, fault);
	m->is_frozen = rc == 0;
out:
	/* A draft that stays one takes its defaults anew when it is mended. */
	for (size_t i = 0; rc < 0 && is_filled != NULL && i < m->count; i++)
		if (is_filled[i]) {
			free(m->node[i].hash_name);
			m->node[i].hash_name = NULL;
		}
	free(zone_of);
	free(list);
	free(is_filled);
	return rc;
}
