/*
 * document.h - a pool as JSON: in the configuration, over HTTP, in the store.
 *
 * All three are the same object: placement with its parameters, copies, nodes,
 * max_moved; answers and stored documents add epoch, lineage, fingerprint and
 * settled. A stored document carries "format" and "min_reader"; members that
 * this version does not know are kept in it where min_reader allows.
 */
#ifndef HRWD_MEMBERS_DOCUMENT_H
#define HRWD_MEMBERS_DOCUMENT_H

#include "daemon/json.h"
#include "daemon/members/pool.h"

/* Which fields a node object had. */
enum node_field {
	NODE_NAME = 1u << 0,
	NODE_ADDRESS = 1u << 1,
	NODE_WEIGHT = 1u << 2,
	NODE_ZONE = 1u << 3,
	NODE_STATE = 1u << 4,
	NODE_ID = 1u << 5,
	NODE_HASH_NAME = 1u << 6,
};

/* A node object's fields: texts borrowed from the JSON. Defaults where left
 * out: weight 1, no zone, active. A null in a patch brings back the default.
 *   allowed   of enum node_field; others are BAD_FIELD that say why. Read-only
 *             fields of answers (share, health, state_since, …) are ignored
 *             with `takes_answers`, so that what GET gave can be sent back
 *   set       receives which were there
 *   errors    BAD_FIELD and the field's own code, with its JSON pointer */
int document_node_read(const struct json *j, unsigned allowed, bool takes_answers,
    const struct hrw_limits *limits, struct hrw_node *out, unsigned *set,
    struct hrw_fault *fault);

/* A placement: a name, or an object with parameters, as a draft membership with
 * those parameters and no nodes. BAD_FIELD lists the placements there are. */
struct hrw_membership *document_placement_read(
    const struct json *j, unsigned copies, struct hrw_fault *fault);
void document_placement_write(
    struct json_out *o, const char *name, const struct hrw_membership *m);

/* A whole pool from a configuration or a PUT, as a draft (not frozen), and its
 * max_moved (negative: none). Read-only fields of answers are ignored. */
struct hrw_membership *document_pool_read(const struct json *j,
    const struct hrw_limits *limits, double *max_moved, struct hrw_fault *fault);

/* A stored document back into a pool, limits not regarded. */
struct pool *document_load(const char *name, const char *document, struct hrw_fault *fault);

/* The stored form: one line, to free(); NULL: no memory. */
char *document_store(const struct pool *pool);

/* Members of the pool object inside an object that is open: placement, copies,
 * max_moved, nodes, epoch, lineage, fingerprint, settled. */
void document_pool_write(struct json_out *o, const struct pool *pool);

/* Members of one node inside an open object: name, id, address, weight, zone,
 * state, state_since, and hash_name with hash_name_default where one is hashed. */
void document_node_write(struct json_out *o, const struct hrw_membership *m, size_t node);

/* 16 hex digits and a NUL; see CONFIG in the README. */
void document_fingerprint(const struct hrw_membership *m, char out[POOL_FINGERPRINT + 1]);

#endif
