/*
 * membership.c - drafts: nodes come, go and change, each field checked.
 */
#include "core/membership.h"

#include <stdlib.h>

const struct hrw_limits hrw_limits_max = {
    .nodes = HRW_NODES_MAX,
    .key_bytes = HRW_KEY_BYTES_MAX,
    .copies = HRW_COPIES_MAX,
    .name_bytes = HRW_NAME_BYTES_MAX,
};

static const char *const state_names[] = {
    [HRW_ACTIVE] = "active",
    [HRW_JOINING] = "joining",
    [HRW_DRAINING] = "draining",
};

enum { STATES = sizeof(state_names) / sizeof(state_names[0]) };

const char *
hrw_state_name(enum hrw_state state)
{
	return state_names[state];
}

int
hrw_state_from_name(const char *name)
{
	for (int i = 0; i < STATES; i++)
		if (strcmp(state_names[i], name) == 0)
			return i;
	return -1;
}

static int
no_memory(struct hrw_fault *fault)
{
	return hrw_fault(fault, HRW_INTERNAL, "out of memory");
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Copies a text that may be NULL. False: no memory. */
static bool
copy_text(char **to, const char *from)
{
	*to = from != NULL ? strdup(from) : NULL;
	return from == NULL || *to != NULL;
}

static void
node_fini(struct hrw_node *node)
{
	free(node->name);
	free(node->address);
	free(node->zone);
	free(node->hash_name);
	free(node->slots);
	free(node->tokens);
}

/* Copies an array that may be NULL. False: no memory. */
static bool
copy_array(void *to, const void *from, size_t size)
{
	void *copy = size > 0 ? malloc(size) : NULL;

	if (copy != NULL)
		memcpy(copy, from, size);
	memcpy(to, &copy, sizeof(copy));
	return size == 0 || copy != NULL;
}

static int
node_copy(struct hrw_node *to, const struct hrw_node *from)
{
	*to = *from;
	to->name = to->address = to->zone = to->hash_name = NULL;
	to->slots = NULL;
	to->tokens = NULL;
	if (copy_text(&to->name, from->name) && copy_text(&to->address, from->address) &&
	    copy_text(&to->zone, from->zone) && copy_text(&to->hash_name, from->hash_name) &&
	    copy_array(&to->slots, from->slots, from->slot_count * sizeof(*from->slots)) &&
	    copy_array(&to->tokens, from->tokens, from->token_count * sizeof(*from->tokens)))
		return 0;
	node_fini(to);
	return HRW_INTERNAL;
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
	is_good = copy_text(&to->text, from->text) &&
		  copy_array(&to->host, from->host, from->host_count * sizeof(*from->host));
	for (; is_good && to->host_count < from->host_count; to->host_count += is_good)
		is_good =
		    copy_text(&to->host[to->host_count].name, from->host[to->host_count].name);
	if (!is_good)
		hrw_value_fini(to);
	return is_good;
}

static void
params_reset(struct hrw_membership *m)
{
	const struct hrw_param *param = m->placement->params;

	for (size_t i = 0; i < HRW_PARAMS_MAX; i++)
		hrw_value_fini(&m->param[i]);
	for (size_t i = 0; param != NULL && param[i].name != NULL; i++)
		m->param[i].number = param[i].initial; /* 0 where it has none */
}

struct hrw_membership *
hrw_membership_new(const struct hrw_placement *placement, unsigned copies)
{
	struct hrw_membership *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->placement = placement;
	m->copies = copies;
	params_reset(m);
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
		if (node_copy(&copy->node[copy->count], &m->node[copy->count]) < 0)
			goto fail;
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
		node_fini(&m->node[i]);
	for (size_t i = 0; i < HRW_PARAMS_MAX; i++)
		hrw_value_fini(&m->param[i]);
	free(m->zone_of);
	free(m->node);
	free(m);
}

static int
check_hash_name(const struct hrw_placement *placement, const struct hrw_node *node, bool is_stored,
    struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];
	struct hrw_bytes text;

	if (node->hash_name == NULL)
		return 0;
	text = hrw_text(node->hash_name);
	hrw_show(text, shown, sizeof(shown));
	if (text.len < 1 || text.len > HRW_HASH_NAME_BYTES_MAX)
		return hrw_fault(fault, HRW_BAD_FIELD,
		    "hash_name \"%s\" has %zu bytes: use 1 to %d, or leave it out", shown, text.len,
		    HRW_HASH_NAME_BYTES_MAX);
	if (!hrw_is_utf8(text))
		return hrw_fault(
		    fault, HRW_BAD_FIELD, "hash_name \"%s\" is not UTF-8: use text that is", shown);
	if (placement->hashed == HRW_HASHED_NOTHING && !is_stored)
		return hrw_fault(fault, HRW_BAD_FIELD,
		    "hash_name \"%s\" is of no use here: %s hashes no text of a node, leave it out",
		    shown, placement->name);
	return 0;
}

/* Fields that only some placements use. What a store holds may have others,
 * kept unused from a placement that did. */
static int
check_fields(const struct hrw_placement *placement, const struct hrw_node *node, const char **field,
    struct hrw_fault *fault)
{
	const struct {
		bool is_set;
		unsigned trait;
		const char *name;
	} rows[] = {
	    {node->slots != NULL, HRW_SLOTS, "/slots"},
	    {node->tokens != NULL, HRW_TOKENS, "/tokens"},
	    {node->has_reweight, HRW_REWEIGHT, "/reweight"},
	    {node->is_unhealthy, HRW_HEALTH, "/healthy"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].is_set || (placement->traits & rows[i].trait) != 0)
			continue;
		*field = rows[i].name;
		return hrw_fault(fault, HRW_BAD_FIELD, "%s uses no \"%s\" of a node: leave it out",
		    placement->name, rows[i].name + 1);
	}
	*field = "/reweight";
	if (node->has_reweight && !(node->reweight >= 0 && node->reweight <= 1))
		return hrw_fault(fault, HRW_BAD_FIELD,
		    "reweight %.17g is out of range: use 0 to 1, or leave it out", node->reweight);
	return 0;
}

/* All that can be said of a node without looking at the others. */
static int
check_node(const struct hrw_membership *m, const struct hrw_node *node,
    const struct hrw_limits *limits, struct hrw_fault *fault)
{
	size_t name_limit = limits != NULL ? limits->name_bytes : HRW_NAME_BYTES_MAX;
	const char *field = "/name";
	int rc;

	rc = hrw_check_name(hrw_text(node->name), name_limit, HRW_BAD_SERVER, fault);
	if (rc == 0 && node->address != NULL) {
		field = "/address";
		rc = hrw_check_address(hrw_text(node->address), fault);
	}
	if (rc == 0) {
		field = "/weight";
		rc = hrw_check_weight(node->weight, fault);
	}
	if (rc == 0 && node->zone != NULL) {
		field = "/zone";
		rc = hrw_check_zone(hrw_text(node->zone), fault);
	}
	if (rc == 0) {
		field = "/hash_name";
		rc = check_hash_name(m->placement, node, limits == NULL, fault);
	}
	if (rc == 0 && limits != NULL)
		rc = check_fields(m->placement, node, &field, fault);
	if (rc == 0 && node->id < HRW_ID_UNSET) {
		field = "/id";
		rc = hrw_fault(fault, HRW_BAD_FIELD,
		    "id %d is negative: use a whole number from 0 to %d, or leave it out", node->id,
		    INT32_MAX);
	}
	if (rc == 0 && (int)node->state != HRW_ACTIVE && (int)node->state != HRW_JOINING &&
	    (int)node->state != HRW_DRAINING) {
		field = "/state";
		rc = hrw_fault(fault, HRW_BAD_FIELD,
		    "state %d is none: use active, joining or draining", (int)node->state);
	}
	if (rc < 0)
		hrw_fault_at(fault, "%s", field);
	return rc;
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
		    "%zu nodes are the most that fit: remove one, or raise limits.nodes (to %d at "
		    "most)",
		    limit, HRW_NODES_MAX);
	rc = check_node(m, node, limits, fault);
	if (rc < 0)
		return rc;
	if (node->id == HRW_ID_UNSET && *highest == INT32_MAX) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "no id is left above %d for \"%s\": give it an \"id\" that is free", INT32_MAX,
		    node->name);
		hrw_fault_at(fault, "/id");
		return HRW_BAD_FIELD;
	}
	if (reserve(m, m->count + 1) < 0 || node_copy(&m->node[m->count], node) < 0)
		return no_memory(fault);
	added = &m->node[m->count++];
	added->weight += 0.0; /* -0 becomes 0 */
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
		node_fini(&m->node[--m->count]);
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

/* Finds the first node in list order that has the name or id of one before it:
 * *at is that node and *by the other, or *at is the count where there is none. */
static int
find_taken(const struct hrw_membership *m, size_t *by, size_t *at)
{
	struct listed *list = calloc(m->count + 1, sizeof(*list));

	*by = *at = m->count;
	if (list == NULL)
		return HRW_INTERNAL;
	for (size_t i = 0; i < m->count; i++)
		list[i] = (struct listed){m->node[i].name, m->node[i].id, i};
	qsort(list, m->count, sizeof(*list), by_name);
	for (size_t i = 1; i < m->count; i++)
		if (list[i].at < *at && strcmp(list[i - 1].name, list[i].name) == 0) {
			*by = list[i - 1].at;
			*at = list[i].at;
		}
	qsort(list, m->count, sizeof(*list), by_id);
	for (size_t i = 1; i < m->count; i++)
		if (list[i].at < *at && list[i - 1].id == list[i].id) {
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
	if (find_taken(m, &by, &again) < 0) {
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

	for (size_t i = 0; !m->is_frozen && i < m->count; i++)
		if (strcmp(m->node[i].name, name) == 0)
			return &m->node[i];
	while (m->is_frozen && low < high) {
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
	node_fini(node);
	m->count--;
	memmove(node, node + 1, (m->count - at) * sizeof(*node));
	return 0;
}

static int
replace_text(char **field, const char *text, struct hrw_fault *fault)
{
	char *copy;

	if (!copy_text(&copy, text))
		return no_memory(fault);
	free(*field);
	*field = copy;
	return 0;
}

int
hrw_node_set_address(struct hrw_node *node, const char *address, struct hrw_fault *fault)
{
	int rc = address != NULL ? hrw_check_address(hrw_text(address), fault) : 0;

	return rc < 0 ? rc : replace_text(&node->address, address, fault);
}

int
hrw_node_set_zone(struct hrw_node *node, const char *zone, struct hrw_fault *fault)
{
	int rc = zone != NULL ? hrw_check_zone(hrw_text(zone), fault) : 0;

	return rc < 0 ? rc : replace_text(&node->zone, zone, fault);
}

int
hrw_node_set_weight(struct hrw_node *node, double weight, struct hrw_fault *fault)
{
	int rc = hrw_check_weight(weight, fault);

	if (rc == 0)
		node->weight = weight + 0.0; /* -0 becomes 0 */
	return rc;
}

void
hrw_membership_set_placement(struct hrw_membership *m, const struct hrw_placement *placement)
{
	m->placement = placement;
	params_reset(m);
	for (size_t i = 0; i < m->count; i++)
		if (m->node[i].hash_name_is_default) {
			free(m->node[i].hash_name);
			m->node[i].hash_name = NULL;
		}
}

static bool
same_array(const void *a, size_t a_count, const void *b, size_t b_count, size_t size)
{
	return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * size) == 0);
}

static bool
same_value(const struct hrw_value *a, const struct hrw_value *b)
{
	if (a->number != b->number || !same_text(a->text, b->text) ||
	    a->has_secret != b->has_secret ||
	    memcmp(a->secret, b->secret, sizeof(a->secret)) != 0 || a->host_count != b->host_count)
		return false;
	for (size_t i = 0; i < a->host_count; i++) {
		const struct hrw_host *x = &a->host[i], *y = &b->host[i];

		if (!same_text(x->name, y->name) || x->has_id != y->has_id || x->id != y->id ||
		    x->has_weight != y->has_weight || x->weight != y->weight)
			return false;
	}
	return true;
}

static bool
same_node(const struct hrw_node *a, const struct hrw_node *b)
{
	return same_text(a->address, b->address) && same_text(a->zone, b->zone) &&
	       same_text(a->hash_name, b->hash_name) &&
	       a->hash_name_is_default == b->hash_name_is_default && a->weight == b->weight &&
	       a->id == b->id && a->state == b->state && a->has_reweight == b->has_reweight &&
	       a->reweight == b->reweight && a->is_unhealthy == b->is_unhealthy &&
	       same_array(a->slots, a->slot_count, b->slots, b->slot_count, sizeof(*a->slots)) &&
	       same_array(a->tokens, a->token_count, b->tokens, b->token_count, sizeof(*a->tokens));
}

bool
hrw_membership_equal(const struct hrw_membership *a, const struct hrw_membership *b)
{
	if (a->placement != b->placement || a->copies != b->copies || a->count != b->count)
		return false;
	for (size_t i = 0; i < HRW_PARAMS_MAX; i++)
		if (!same_value(&a->param[i], &b->param[i]))
			return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct hrw_node *other = hrw_membership_find(b, a->node[i].name);

		if (other == NULL || !same_node(&a->node[i], other))
			return false;
	}
	return true;
}
