/*
 * membership.h - the nodes of a pool, with how keys are placed on them.
 *
 * A membership is edited while it is a draft, then frozen once: checked,
 * sorted by name and indexed by its placement. Frozen, it is never written
 * again and any number of threads read it. Listing order changes no answer:
 * nodes stand by name, and where an original system's order counts, by id.
 */
#ifndef HRW_MEMBERSHIP_H
#define HRW_MEMBERSHIP_H

#include "core/placement.h"

/* What a limit may be raised to, whatever a configuration says. */
enum {
	HRW_NODES_MAX = 16384,
	HRW_KEY_BYTES_MAX = 65536,
	HRW_COPIES_MAX = 64,
	HRW_NAME_BYTES_MAX = 253,
	HRW_ZONE_BYTES_MAX = 64,
	HRW_ADDRESS_BYTES_MAX = 280, /* a 253 byte host, brackets, colon, port */
	HRW_HASH_NAME_BYTES_MAX = 255,
};

enum hrw_state {
	HRW_ACTIVE,   /* holds keys */
	HRW_JOINING,  /* takes keys as an active one does, but is still cold */
	HRW_DRAINING, /* takes none; its copies are still there */
};

/* "active", "joining", "draining". Static storage. */
const char *hrw_state_name(enum hrw_state state);

/* The state of that name, -1 where there is none. */
int hrw_state_from_name(const char *name);

enum { HRW_ID_UNSET = -1 };

/* Slots that a node holds, both ends included. */
struct hrw_range {
	uint32_t first, last;
};

struct hrw_node {
	char *name;
	char *address;	 /* NULL: not known, as a dry run's newcomer */
	char *zone;	 /* NULL: a zone of its own */
	char *hash_name; /* the text hashed for it; NULL in a draft: the default.
			  * Stays NULL where the placement hashes nothing */
	bool hash_name_is_default;
	double weight; /* 0, or 1e-6..1e9 */
	int32_t id;    /* 0..2^31-1; HRW_ID_UNSET in a draft: next free */
	enum hrw_state state;
	struct hrw_range *slots; /* in the order given; NULL with 0: none */
	size_t slot_count;
	int64_t *tokens;
	size_t token_count;
	bool has_reweight; /* it was said; else it is 1 */
	double reweight;   /* 0..1 */
	bool has_healthy;  /* it was said; else it is true */
	bool is_unhealthy; /* "healthy" is false */
	bool is_empty;	   /* of a settled membership: it has no copies there any longer */
	int64_t since_ms;  /* Unix time of the last change of state; carried, not read */
	uint64_t joined;   /* the epoch in which it was added, or came back empty; 0: not
			    * known. Carried, not read */
	uint32_t listed;   /* its place in the list that the draft was made from */
};

/* Limits of a configuration. They bind changes, never what a store holds. */
struct hrw_limits {
	size_t nodes, key_bytes, copies, name_bytes;
};

/* The widest limits there are. */
extern const struct hrw_limits hrw_limits_max;

struct hrw_membership {
	const struct hrw_placement *placement;
	struct hrw_value param[HRW_PARAMS_MAX]; /* in the order of placement->params */
	unsigned copies;			/* 1..HRW_COPIES_MAX */
	size_t count;
	struct hrw_node *node; /* frozen: by name, bytewise */
	bool is_sorted;	       /* they stand so, none twice; in a draft too */

	/* Set by freeze. */
	bool is_frozen;
	size_t taker_count;  /* nodes that take keys */
	double taker_weight; /* sum of their weights */
	size_t zone_count;   /* zones that have a taker */
	bool has_zones;	     /* some taker names a zone, and zones count */
	uint32_t *zone_of;   /* by node: equal numbers, equal zone */
	void *index;	     /* the placement's own */

	size_t room; /* node[] has space for so many */
};

/* An empty draft. Parameters have their defaults. NULL: no memory. */
struct hrw_membership *hrw_membership_new(const struct hrw_placement *placement, unsigned copies);

/* A draft with the same content as m (frozen or not). NULL: no memory. */
struct hrw_membership *hrw_membership_copy(const struct hrw_membership *m);

/* Frees a draft or a frozen membership; NULL is fine. */
void hrw_membership_free(struct hrw_membership *m);

/* Frees what a value holds and empties it. */
void hrw_value_fini(struct hrw_value *value);

/* Adds a node to a draft. The node and its texts are copied, defaults that were
 * said are as if left out. An unset id gets
 * one above the highest there is (the first gets 1), a NULL hash_name the
 * placement's default when frozen.
 *   limits  of names and count. NULL, for what a store holds: the widest, and a
 *           field that the placement does not use is kept, not refused
 *   errors  BAD_SERVER ("name": not a slug; "taken": name or id listed
 *           already), BAD_ADDRESS, BAD_WEIGHT, BAD_ZONE, TOO_MANY,
 *           BAD_FIELD (id, hash_name, state), INTERNAL (no memory)
 *           The fault's field is a pointer into the node: "/weight". The
 *           draft is as before
 *   cost    a pass over the nodes: a list of n costs n^2/2 compares, so
 *           hrw_membership_add_all() for long ones */
int hrw_membership_add(struct hrw_membership *m, const struct hrw_node *node,
    const struct hrw_limits *limits, struct hrw_fault *fault);

/* Adds many nodes, in list order, as hrw_membership_add() would one by one; all
 * of them or, on an error, none.
 *   at      receives the index of the one refused; may be NULL
 *   cost    n log n */
int hrw_membership_add_all(struct hrw_membership *m, const struct hrw_node *nodes, size_t count,
    const struct hrw_limits *limits, size_t *at, struct hrw_fault *fault);

/* The node of that name, to be edited in a draft by the setters below; NULL
 * when there is none. Log n where they are sorted, else a pass. */
struct hrw_node *hrw_membership_find(const struct hrw_membership *m, const char *name);

/* Takes a node out of a draft. UNKNOWN_NODE when it is not there. */
int hrw_membership_remove(struct hrw_membership *m, const char *name);

/* Setters of one field of a draft's node; each checks what it is given.
 * NULL address, zone: none. On an error the node is as before. */
int hrw_node_set_address(struct hrw_node *node, const char *address, struct hrw_fault *fault);
int hrw_node_set_zone(struct hrw_node *node, const char *zone, struct hrw_fault *fault);
int hrw_node_set_weight(struct hrw_node *node, double weight, struct hrw_fault *fault);

/* Replaces a draft's placement: parameters return to their defaults, and every
 * hash_name that was a default is to be taken anew at freeze. */
void hrw_membership_set_placement(struct hrw_membership *m, const struct hrw_placement *placement);

/* Checks the whole, sorts, prepares the index. From here on read only.
 *   limits  NULL: the widest
 *   errors  TOO_MANY, BAD_COPIES (0, over the limit, over what the placement defines),
 *           BAD_WEIGHT (the placement takes no weights), BAD_SERVER
 *           ("collision": two hash texts that no key could tell apart; the
 *           fault names both nodes), BAD_ADDRESS (the placement hashes it, and
 *           there is none), BAD_FIELD (a parameter), INTERNAL. Then m is still
 *           a draft
 *   cost    n log n and the placement's own */
int hrw_membership_freeze(
    struct hrw_membership *m, const struct hrw_limits *limits, struct hrw_fault *fault);

/* Is the text hashed for it what its name or address says by itself now? */
bool hrw_node_hashes_default(const struct hrw_node *node, enum hrw_hashed hashed);

/* Takes keys: it is not draining and its weight is not 0. */
static inline bool
hrw_node_is_taker(const struct hrw_node *node)
{
	return node->state != HRW_DRAINING && node->weight > 0;
}

/* The most copies that a placement defines. */
static inline size_t
hrw_copies_most(const struct hrw_placement *placement)
{
	if ((placement->traits & HRW_SINGLE_COPY) != 0)
		return 1;
	return (placement->traits & HRW_PAIR) != 0 ? 2 : HRW_COPIES_MAX;
}

/* Checks of single texts, with the fault a user should read. `limit` bytes.
 * A name: [a-z][a-z0-9.-]*; a pool's name alike with BAD_POOL as `error`. An
 * address: host:port, v4:port or [v6]:port, port 1..65535. */
int hrw_check_name(
    struct hrw_bytes name, size_t limit, enum hrw_error error, struct hrw_fault *fault);
int hrw_check_address(struct hrw_bytes address, struct hrw_fault *fault);
int hrw_check_zone(struct hrw_bytes zone, struct hrw_fault *fault);
int hrw_check_weight(double weight, struct hrw_fault *fault);

/* Same placement and parameters? */
bool hrw_membership_places_alike(const struct hrw_membership *a, const struct hrw_membership *b);

/* Same placement, parameters, copies and nodes (since_ms and joined aside)? For two
 * frozen ones, or two drafts: what freeze fills in counts. */
bool hrw_membership_equal(const struct hrw_membership *a, const struct hrw_membership *b);

#endif
