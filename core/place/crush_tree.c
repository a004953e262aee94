#include "core/place/crush_tree.h"

#include <stdlib.h>

#include "core/node.h"
#include "core/number.h"
#include "core/place/order.h"

void
hrw_crush_tree_fini(struct hrw_crush_tree *tree)
{
	free(tree->host_id);
	free(tree->host_weight);
	free(tree->first);
	free(tree->id);
	free(tree->weight);
	free(tree->reweight);
	free(tree->node);
	*tree = (struct hrw_crush_tree){0};
}

size_t
hrw_crush_tree_size(const struct hrw_crush_tree *tree)
{
	/* id, weight and first of each host; four numbers of each osd */
	return (3 * tree->host_count + 4 * (size_t)tree->first[tree->host_count]) *
	       sizeof(*tree->id);
}

/* A decimal as Ceph's compiler makes it 16.16: a 32-bit float, times 65536, cut. */
static uint32_t
fixed_point(double decimal)
{
	return (uint32_t)((float)decimal * (float)HRW_CRUSH_ONE);
}

/* A host while the tree is built. */
struct host {
	const char *name;
	bool has_id, has_weight;
	int32_t id;
	uint32_t weight; /* 16.16 */
	size_t at;	 /* its place in the root */
};

static int
by_name(const void *left, const void *right)
{
	return strcmp(((const struct host *)left)->name, ((const struct host *)right)->name);
}

static int
by_name_and_place(const void *left, const void *right)
{
	const struct host *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static int
by_place(const void *left, const void *right)
{
	const struct host *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

static int
bad_hosts(struct hrw_fault *fault)
{
	hrw_fault_at(fault, "/placement/hosts");
	return HRW_BAD_FIELD;
}

/* The hosts as the parameter lists them. */
static int
given_hosts(const struct hrw_value *value, struct host *hosts, struct hrw_fault *fault)
{
	for (size_t i = 0; i < value->host_count; i++) {
		const struct hrw_host *given = &value->host[i];
		char shown[HRW_NUMBER];

		if (given->has_id && given->id >= 0) {
			hrw_fault(fault, HRW_BAD_FIELD,
			    "id %d of host \"%s\" is an osd's: a host's is negative", given->id,
			    given->name);
			return bad_hosts(fault);
		}
		if (given->has_weight &&
		    !(given->weight >= 0 && given->weight <= HRW_CRUSH_WEIGHT_MAX)) {
			hrw_fault(fault, HRW_BAD_FIELD,
			    "weight %s of host \"%s\" is out of range: use 0 to %d",
			    hrw_show_number(given->weight, shown), given->name,
			    HRW_CRUSH_WEIGHT_MAX);
			return bad_hosts(fault);
		}
		hosts[i] = (struct host){.name = given->name,
		    .has_id = given->has_id,
		    .has_weight = given->has_weight,
		    .id = given->id,
		    .weight = given->has_weight ? fixed_point(given->weight) : 0,
		    .at = i};
	}
	return 0;
}

/* The zones of nodes as hosts, by their lowest osd id; their number.
 *   order  all nodes in ascending id
 *   hosts  room for as many as there are nodes */
static size_t
found_hosts(const struct hrw_membership *m, const uint32_t *order, struct host *hosts)
{
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++)
		hosts[i] = (struct host){.name = m->node[order[i]].zone, .at = i};
	qsort(hosts, m->count, sizeof(*hosts), by_name_and_place);
	for (size_t i = 0; i < m->count; i++)
		if (count == 0 || strcmp(hosts[count - 1].name, hosts[i].name) != 0)
			hosts[count++] = hosts[i];
	qsort(hosts, count, sizeof(*hosts), by_place);
	for (size_t i = 0; i < count; i++)
		hosts[i].at = i;
	return count;
}

static int
by_id(const void *left, const void *right)
{
	const struct host *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* Gives ids, and leaves the hosts sorted by name. */
static int
finish_hosts(struct host *hosts, size_t count, struct hrw_fault *fault)
{
	for (size_t i = 0; i < count; i++)
		if (!hosts[i].has_id)
			hosts[i].id = -2 - (int32_t)i;
	qsort(hosts, count, sizeof(*hosts), by_id);
	for (size_t i = 1; i < count; i++)
		if (hosts[i - 1].id == hosts[i].id) {
			hrw_fault(fault, HRW_BAD_FIELD,
			    "hosts \"%s\" and \"%s\" both have id %d: give each its own",
			    hosts[i - 1].name, hosts[i].name, hosts[i].id);
			return bad_hosts(fault);
		}
	qsort(hosts, count, sizeof(*hosts), by_name);
	for (size_t i = 1; i < count; i++)
		if (strcmp(hosts[i - 1].name, hosts[i].name) == 0) {
			hrw_fault(fault, HRW_BAD_FIELD, "host \"%s\" is listed twice: list it once",
			    hosts[i].name);
			return bad_hosts(fault);
		}
	return 0;
}

/* The host of a node; NULL with a fault where it has none.
 *   hosts  by name */
static struct host *
host_of(const struct hrw_node *node, struct host *hosts, size_t count, struct hrw_fault *fault)
{
	const struct host wanted = {.name = node->zone};
	struct host *host = bsearch(&wanted, hosts, count, sizeof(*hosts), by_name);

	if (host == NULL) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "zone \"%s\" of \"%s\" is none of the placement's \"hosts\": list it there, or "
		    "choose one of them",
		    node->zone, node->name);
		hrw_fault_at_node(fault, node, "zone");
	}
	return host;
}

static int
check_zones(const struct hrw_membership *m, struct hrw_fault *fault)
{
	for (size_t n = 0; n < m->count; n++)
		if (m->node[n].zone == NULL) {
			hrw_fault(fault, HRW_BAD_ZONE,
			    "\"%s\" has no zone, and %s takes it for its host: give a \"zone\", or "
			    "set failure_domain to osd",
			    m->node[n].name, m->placement->name);
			hrw_fault_at_node(fault, &m->node[n], "zone");
			return HRW_BAD_ZONE;
		}
	return 0;
}

static int
reserve(struct hrw_crush_tree *tree, const struct hrw_membership *m, size_t host_count)
{
	*tree = (struct hrw_crush_tree){.host_count = host_count};
	tree->host_id = calloc(host_count + 1, sizeof(uint32_t));
	tree->host_weight = calloc(host_count + 1, sizeof(uint32_t));
	tree->first = calloc(host_count + 2, sizeof(uint32_t));
	tree->id = calloc(m->count + 1, sizeof(uint32_t));
	tree->weight = calloc(m->count + 1, sizeof(uint32_t));
	tree->reweight = calloc(m->count + 1, sizeof(uint32_t));
	tree->node = calloc(m->count + 1, sizeof(uint32_t));
	if (tree->host_id != NULL && tree->host_weight != NULL && tree->first != NULL &&
	    tree->id != NULL && tree->weight != NULL && tree->reweight != NULL &&
	    tree->node != NULL)
		return 0;
	hrw_crush_tree_fini(tree);
	return HRW_INTERNAL;
}

/* Puts the osds into their hosts, in ascending id.
 *   place  by node: its host's place in the root */
static void
fill(struct hrw_crush_tree *tree, const struct hrw_membership *m, const uint32_t *order,
    const uint32_t *place)
{
	uint32_t *next = tree->first + 1;

	/* next[h] counts host h, then is where its next osd goes, at last its end:
	 * where the one after it begins. */
	for (size_t n = 0; n < m->count; n++)
		if (place[n] + 1 < tree->host_count)
			next[place[n] + 1]++;
	for (size_t h = 1; h < tree->host_count; h++)
		next[h] += next[h - 1];
	for (size_t i = 0; i < m->count; i++) {
		const struct hrw_node *node = &m->node[order[i]];
		uint32_t at = next[place[order[i]]]++;
		double reweight = node->has_reweight ? node->reweight : 1;

		tree->id[at] = (uint32_t)node->id;
		tree->weight[at] = fixed_point(node->weight);
		tree->reweight[at] = node->state == HRW_DRAINING ? 0 : fixed_point(reweight);
		tree->node[at] = order[i];
	}
}

/* Weighs the hosts: what is given, or the sum of their osds.
 *   hosts  by name */
static int
weigh(struct hrw_crush_tree *tree, const struct host *hosts, struct hrw_fault *fault)
{
	for (size_t i = 0; i < tree->host_count; i++) {
		const struct host *host = &hosts[i];
		uint64_t sum = 0;

		for (size_t o = tree->first[host->at]; o < tree->first[host->at + 1]; o++)
			sum += tree->weight[o];
		if (!host->has_weight && sum > UINT32_MAX)
			return hrw_fault(fault, HRW_BAD_WEIGHT,
			    "the osds of host \"%s\" weigh more than %d together: divide all "
			    "weights by a common factor",
			    host->name, HRW_CRUSH_WEIGHT_MAX);
		tree->host_id[host->at] = (uint32_t)host->id;
		tree->host_weight[host->at] = host->has_weight ? host->weight : (uint32_t)sum;
	}
	return 0;
}

int
hrw_crush_flat(struct hrw_crush_tree *tree, const struct hrw_membership *m, struct hrw_fault *fault)
{
	size_t count = 0;
	uint32_t *order = hrw_order_all(m, &count);
	uint32_t *place = calloc(m->count + 1, sizeof(*place)); /* all in the first */
	int rc = order != NULL && place != NULL ? reserve(tree, m, 1) : HRW_INTERNAL;

	if (rc == 0)
		fill(tree, m, order, place);
	else
		hrw_fault(fault, HRW_INTERNAL, "out of memory");
	free(place);
	free(order);
	return rc;
}

int
hrw_crush_hosts(struct hrw_crush_tree *tree, const struct hrw_membership *m,
    const struct hrw_value *given, struct hrw_fault *fault)
{
	size_t room = given->host_count > m->count ? given->host_count : m->count, count = 0;
	uint32_t *order = hrw_order_all(m, &count);
	struct host *hosts = calloc(room + 1, sizeof(*hosts));
	uint32_t *place = calloc(m->count + 1, sizeof(*place));
	int rc = check_zones(m, fault);

	if (rc < 0)
		goto out;
	if (order == NULL || hosts == NULL || place == NULL) {
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto out;
	}
	if (given->host_count > 0) {
		count = given->host_count;
		rc = given_hosts(given, hosts, fault);
	} else {
		count = found_hosts(m, order, hosts);
	}
	if (rc < 0 || (rc = finish_hosts(hosts, count, fault)) < 0)
		goto out;
	for (size_t n = 0; n < m->count; n++) {
		const struct host *host = host_of(&m->node[n], hosts, count, fault);

		if (host == NULL) {
			rc = HRW_BAD_FIELD;
			goto out;
		}
		place[n] = (uint32_t)host->at;
	}
	if (reserve(tree, m, count) < 0) {
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto out;
	}
	tree->has_hosts = true;
	fill(tree, m, order, place);
	rc = weigh(tree, hosts, fault);
	if (rc < 0)
		hrw_crush_tree_fini(tree);
out:
	free(place);
	free(hosts);
	free(order);
	return rc;
}
