/*
 * crush_tree.h - the buckets that CRUSH draws from: a root of hosts, hosts of osds;
 * or one bucket of all osds.
 *
 * Items stand in their bucket's order, since equal straws go by it: osds in
 * ascending id, hosts as listed, or by their lowest osd.
 */
#ifndef HRW_PLACE_CRUSH_TREE_H
#define HRW_PLACE_CRUSH_TREE_H

#include "core/membership.h"

/* 1.0 as a weight and as a reweight, 16.16. */
#define HRW_CRUSH_ONE 0x10000u

/* What hosts and osds may weigh: 16 bits before the point. */
enum { HRW_CRUSH_WEIGHT_MAX = 65535 };

struct hrw_crush_tree {
	bool has_hosts;
	size_t host_count; /* one where there are no hosts */
	uint32_t *host_id; /* as two's complement */
	uint32_t *host_weight;
	uint32_t *first; /* by host: its first osd; [host_count] is the number of all */

	/* By osd, host after host. */
	uint32_t *id, *weight, *reweight; /* reweight of a draining one: 0 */
	uint32_t *node;			  /* index into the membership's node[] */
};

/* All nodes in one bucket. 0 or INTERNAL. */
int hrw_crush_flat(
    struct hrw_crush_tree *tree, const struct hrw_membership *m, struct hrw_fault *fault);

/* Nodes in the hosts that their zones name.
 *   hosts   the root's order, ids and weights; none: hosts by their lowest osd id,
 *           with ids -2, -3, … and the sum of their osds' weights
 *   errors  BAD_ZONE: a node without zone. BAD_FIELD: a zone that is not among
 *           the hosts, a host twice, an id or weight out of range. BAD_WEIGHT: a sum
 *           over 32 bits. INTERNAL. Then the tree is empty
 *   cost    n log n */
int hrw_crush_hosts(struct hrw_crush_tree *tree, const struct hrw_membership *m,
    const struct hrw_value *given, struct hrw_fault *fault);

void hrw_crush_tree_fini(struct hrw_crush_tree *tree);

/* Bytes that it holds. */
size_t hrw_crush_tree_size(const struct hrw_crush_tree *tree);

#endif
