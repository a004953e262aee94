/*
 * membership.c - drafts: nodes come and go.
 */
#include "core/membership.h"

#include <stdlib.h>

#include "core/node.h"
#include "core/params.h"

const struct hrw_limits hrw_limits_max = {
    .nodes = HRW_NODES_MAX,
    .key_bytes = HRW_KEY_BYTES_MAX,
    .copies = HRW_COPIES_MAX,
    .name_bytes = HRW_NAME_BYTES_MAX,
};

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "out of memory");
}

void
hrw_value_fini(struct hrw_value *value)
{
	free(value->text);
	for (size_t i = 0; i < value->host_count; i++)
		free(value->host[i].name);
	free(value->host);
	*value = (struct hrw_value){0};
}

/* False: no memory; `to` is then empty. */
static bool
value_copy(struct hrw_value *to, const struct hrw_value *from)
{
	bool is_good;

	*to = *from;
	to->host = NULL;
	to->host_count = 0;
	is_good = hrw_text_copy(&to->text, from->text) &&
		  hrw_array_copy(&to->host, from->host, from->host_count * sizeof(*from->host));
	for (; is_good && to->host_count < from->host_count; to->host_count += is_good)
		is_good =
		    hrw_text_copy(&to->host[to->host_count].name, from->host[to->host_count].name);
	if (!is_good)
		hrw_value_fini(to);
	return is_good;
}

struct hrw_membership *
hrw_membership_new(const struct hrw_placement *placement, unsigned copies)
{
	struct hrw_membership *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->placement = placement;
	m->copies = copies;
	m->is_sorted = true;
	hrw_params_reset(m);
	return m;
}

/* Makes room for `count` nodes in all. */
static int
reserve(struct hrw_membership *m, size_t count)
{
	struct hrw_node *node;
	size_t room = m->room < 8 ? 8 : m->room;

	if (count <= m->room)
		return 0;
	while (room < count)
		room *= 2;
	node = realloc(m->node, room * sizeof(*node));
	if (node == NULL)
		return HRW_INTERNAL;
	m->node = node;
	m->room = room;
	return 0;
}

struct hrw_membership *
hrw_membership_copy(const struct hrw_membership *m)
{
	struct hrw_membership *copy = hrw_membership_new(m->placement, m->copies);

	if (copy == NULL || reserve(copy, m->count) < 0)
		goto fail;
	for (size_t i = 0; i < HRW_PARAMS_MAX; i++)
		if (!value_copy(&copy->param[i], &m->param[i]))
			goto fail;
	for (; copy->count < m->count; copy->count++)
		if (hrw_node_copy(&copy->node[copy->count], &m->node[copy->count]) < 0)
			goto fail;
	copy->is_sorted = m->is_sorted;
	return copy;
fail:
	hrw_membership_free(copy);
	return NULL;
}

void
hrw_membership_free(struct hrw_membership *m)
{
	if (m == NULL)
		return;
	if (m->is_frozen)
		m->placement->free(m->index);
	for (size_t i = 0; i < m->count; i++)
		hrw_node_fini(&m->node[i]);
	for (size_t i = 0; i < HRW_PARAMS_MAX; i++)
		hrw_value_fini(&m->param[i]);
	free(m->zone_of);
	free(m->node);
	free(m);
}

static int32_t
highest_id(const struct hrw_membership *m)
{
	int32_t highest = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->node[i].id > highest)
			highest = m->node[i].id;
	return highest;
}

/* Appends one node that is good by itself; whether name and id are free is for
 * the caller to see.
 *   highest  the draft's highest id so far, 0 where there is none; kept up */
static int
append(struct hrw_membership *m, const struct hrw_node *node, const struct hrw_limits *limits,
    int32_t *highest, struct hrw_fault *fault)
{
	size_t limit = HRW_NODES_MAX;
	struct hrw_node *added;
	int rc;

	if (limits != NULL && limits->nodes < limit)
		limit = limits->nodes;
	if (m->count >= limit)
		return hrw_fault(fault, HRW_TOO_MANY,
		    "no more than %zu fit: remove a node, or raise limits.nodes (to %d at most)",
		    limit, HRW_NODES_MAX);
	rc = hrw_node_check(node, m->placement, limits, fault);
	if (rc < 0)
		return rc;
	if (node->id == HRW_ID_UNSET && *highest == INT32_MAX) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "no id is left above %d for \"%s\": give it an \"id\" that is free", INT32_MAX,
		    node->name);
		hrw_fault_at(fault, "/id");
		return HRW_BAD_FIELD;
	}
	if (reserve(m, m->count + 1) < 0 || hrw_node_copy(&m->node[m->count], node) < 0)
		return no_memory(fault);
	added = &m->node[m->count];
	added->listed = (uint32_t)m->count++;
	if (m->count > 1 && strcmp(added[-1].name, added->name) >= 0)
		m->is_sorted = false;
	added->weight += 0.0; /* -0 becomes 0 */
	/* A default that was said is one that was left out. */
	added->has_reweight = added->has_reweight && added->reweight != 1;
	added->has_healthy = added->is_unhealthy;
	if (added->hash_name == NULL)
		added->hash_name_is_default = true;
	if (added->id == HRW_ID_UNSET)
		added->id = *highest + 1;
	if (added->id > *highest)
		*highest = added->id;
	return 0;
}

/* The fault of node `at`, whose name or id is that of node `by` before it. */
static int
taken(const struct hrw_membership *m, size_t by, size_t at, struct hrw_fault *fault)
{
	const struct hrw_node *first = &m->node[by], *second = &m->node[at];
	bool is_name = strcmp(first->name, second->name) == 0;

	if (is_name)
		hrw_fault(fault, HRW_BAD_SERVER,
		    "a node \"%s\" is listed already: choose another name", second->name);
	else
		hrw_fault(fault, HRW_BAD_SERVER,
		    "id %d of \"%s\" is that of \"%s\" already: choose another id, or leave it out",
		    second->id, second->name, first->name);
	hrw_fault_at(fault, is_name ? "/name" : "/id");
	if (fault != NULL)
		fault->reason = "taken";
	return HRW_BAD_SERVER;
}

/* Drops the nodes from `count` on. */
static void
truncate_to(struct hrw_membership *m, size_t count)
{
	while (m->count > count)
		hrw_node_fini(&m->node[--m->count]);
}

int
hrw_membership_add(struct hrw_membership *m, const struct hrw_node *node,
    const struct hrw_limits *limits, struct hrw_fault *fault)
{
	size_t at = m->count;
	int32_t highest = highest_id(m);
	int rc = append(m, node, limits, &highest, fault);

	for (size_t i = 0; rc == 0 && i < at; i++)
		if (m->node[i].id == m->node[at].id ||
		    strcmp(m->node[i].name, m->node[at].name) == 0)
			rc = taken(m, i, at, fault);
	if (rc < 0)
		truncate_to(m, at);
	return rc;
}

/* A node while duplicates are looked for. */
struct listed {
	const char *name;
	int32_t id;
	size_t at;
};

static int
by_name(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static int
by_id(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

int
hrw_find_taken(const struct hrw_node *node, size_t count, bool names_ascend, size_t *by, size_t *at)
{
	struct listed *list = calloc(count + 1, sizeof(*list));

	*by = *at = count;
	if (list == NULL)
		return HRW_INTERNAL;
	for (size_t i = 0; i < count; i++)
		list[i] = (struct listed){node[i].name, node[i].id, i};
	if (!names_ascend) {
		qsort(list, count, sizeof(*list), by_name);
		for (size_t i = 1; i < count; i++)
			if (list[i].at < *at && strcmp(list[i - 1].name, list[i].name) == 0) {
				*by = list[i - 1].at;
				*at = list[i].at;
			}
	}
	qsort(list, count, sizeof(*list), by_id);
	for (size_t i = 1; i < count; i++)
		if (list[i].at < *at && list[i - 1].id == list[i].id &&
		    list[i].id != HRW_ID_UNSET) {
			*by = list[i - 1].at;
			*at = list[i].at;
		}
	free(list);
	return 0;
}

int
hrw_membership_add_all(struct hrw_membership *m, const struct hrw_node *nodes, size_t count,
    const struct hrw_limits *limits, size_t *at, struct hrw_fault *fault)
{
	size_t before = m->count, refused, by, again;
	int32_t highest = highest_id(m);
	int rc = 0;

	for (refused = 0; refused < count; refused++) {
		rc = append(m, &nodes[refused], limits, &highest, fault);
		if (rc < 0)
			break;
	}
	/* A duplicate among those before the one refused came first. */
	if (hrw_find_taken(m->node, m->count, m->is_sorted, &by, &again) < 0) {
		rc = no_memory(fault);
	} else if (again < m->count) {
		rc = taken(m, by, again, fault);
		refused = again - before;
	}
	if (rc < 0) {
		truncate_to(m, before);
		if (at != NULL)
			*at = refused;
	}
	return rc;
}

struct hrw_node *
hrw_membership_find(const struct hrw_membership *m, const char *name)
{
	size_t low = 0, high = m->count;

	for (size_t i = 0; !m->is_sorted && i < m->count; i++)
		if (strcmp(m->node[i].name, name) == 0)
			return &m->node[i];
	while (m->is_sorted && low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(m->node[middle].name, name);

		if (order == 0)
			return &m->node[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int
hrw_membership_remove(struct hrw_membership *m, const char *name)
{
	struct hrw_node *node = hrw_membership_find(m, name);
	size_t at;

	if (node == NULL)
		return HRW_UNKNOWN_NODE;
	at = (size_t)(node - m->node);
	hrw_node_fini(node);
	m->count--;
	memmove(node, node + 1, (m->count - at) * sizeof(*node));
	return 0;
}

void
hrw_membership_set_placement(struct hrw_membership *m, const struct hrw_placement *placement)
{
	m->placement = placement;
	hrw_params_reset(m);
	for (size_t i = 0; i < m->count; i++)
		if (m->node[i].hash_name_is_default) {
			free(m->node[i].hash_name);
			m->node[i].hash_name = NULL;
		}
}

static bool
same_value(const struct hrw_value *a, const struct hrw_value *b)
{
	if (a->number != b->number || !hrw_text_same(a->text, b->text) ||
	    a->has_secret != b->has_secret ||
	    memcmp(a->secret, b->secret, sizeof(a->secret)) != 0 || a->host_count != b->host_count)
		return false;
	for (size_t i = 0; i < a->host_count; i++) {
		const struct hrw_host *x = &a->host[i], *y = &b->host[i];

		if (!hrw_text_same(x->name, y->name) || x->has_id != y->has_id || x->id != y->id ||
		    x->has_weight != y->has_weight || x->weight != y->weight)
			return false;
	}
	return true;
}

bool
hrw_membership_places_alike(const struct hrw_membership *a, const struct hrw_membership *b)
{
	if (a->placement != b->placement)
		return false;
	for (size_t i = 0; i < HRW_PARAMS_MAX; i++)
		if (!same_value(&a->param[i], &b->param[i]))
			return false;
	return true;
}

bool
hrw_membership_equal(const struct hrw_membership *a, const struct hrw_membership *b)
{
	if (!hrw_membership_places_alike(a, b) || a->copies != b->copies || a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct hrw_node *other = hrw_membership_find(b, a->node[i].name);

		if (other == NULL || !hrw_node_same(&a->node[i], other))
			return false;
	}
	return true;
}
