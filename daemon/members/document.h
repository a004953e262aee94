/*
 * document.h - a pool as JSON: in the configuration, over HTTP, in the store.
 *
 * All three are the same object: placement with its parameters, copies, nodes,
 * its terms; answers and stored documents add epoch, lineage, fingerprint and
 * settled. A stored document carries "format" and "min_reader"; members that
 * this version does not know are kept in it where min_reader allows.
 */
#ifndef HRWD_MEMBERS_DOCUMENT_H
#define HRWD_MEMBERS_DOCUMENT_H

#include "daemon/base/json.h"
#include "daemon/members/pool.h"

/* Format 2 has nodes that are empty in the settled membership: a reader of format 1
 * would call them warm. */
enum { DOCUMENT_FORMAT = 2, DOCUMENT_READER = 2 };

/* Which fields a node object had, or may have. */
enum node_field {
	NODE_NAME = 1u << 0,
	NODE_ADDRESS = 1u << 1,
	NODE_WEIGHT = 1u << 2,
	NODE_ZONE = 1u << 3,
	NODE_STATE = 1u << 4,
	NODE_ID = 1u << 5,
	NODE_HASH_NAME = 1u << 6,
	NODE_SLOTS = 1u << 7,
	NODE_TOKENS = 1u << 8,
	NODE_REWEIGHT = 1u << 9,
	NODE_HEALTHY = 1u << 10,
	NODE_FIELDS = (1u << 11) - 1, /* all of them */
	NODE_FIXED = NODE_NAME | NODE_STATE | NODE_ID | NODE_HASH_NAME,
	NODE_EDITABLE = NODE_FIELDS & ~(unsigned)NODE_FIXED, /* by a patch */
};

/* "weight" for NODE_WEIGHT. Static storage. */
const char *document_field_name(unsigned field);

/* A node object's fields: texts borrowed from the JSON, slots and tokens
 * allocated. Defaults where left out: weight 1, no zone, active, the next id,
 * the default hash_name.
 *   allowed   of enum node_field; others are BAD_FIELD that say why. Without
 *             NODE_NAME it is a patch, where a null brings back the default.
 *             Read-only fields of answers (share, health, state_since, …) are
 *             ignored with `takes_answers`, so that what GET gave can be sent
 *             back
 *   limits    bind the name's length, but with `takes_answers`, where the node
 *             may be there already; NULL: the widest
 *   out       to be freed by document_node_fini(), not after an error
 *   set       receives which were there
 *   errors    BAD_FIELD and the field's own code, with its JSON pointer */
int document_node_read(const struct json *j, unsigned allowed, bool takes_answers,
    const struct hrw_limits *limits, struct hrw_node *out, unsigned *set, struct hrw_fault *fault);

/* Frees what document_node_read() allocated; borrowed texts are left alone. */
void document_node_fini(struct hrw_node *node);

/* A node of a list has a name and, with `needs_address`, an address: else
 * BAD_SERVER, BAD_ADDRESS. */
int document_node_is_whole(
    const struct json *j, const struct hrw_node *node, bool needs_address, struct hrw_fault *fault);

/* Has one document's list a name or an id twice? BAD_SERVER, which the caller
 * points at `field` of the node at *at; INTERNAL; else 0. */
int document_twice(const struct hrw_node *node, size_t count, size_t *at, const char **field,
    struct hrw_fault *fault);

/* A weight; null, where it may be, is 1. BAD_WEIGHT. */
int document_weight_read(
    const struct json *j, bool takes_null, double *weight, struct hrw_fault *fault);

/* A number of copies, 1..limits->copies: BAD_COPIES. */
int document_copies_read(const struct json *j, const struct hrw_limits *limits, unsigned *copies,
    struct hrw_fault *fault);

/* Which of a pool's terms an object has. */
enum pool_term {
	TERM_MAX_MOVED = 1u << 0,
	TERM_SETTLES_AFTER = 1u << 1,
	TERM_MAX_TTL = 1u << 2,
};

/* "max_moved" for TERM_MAX_MOVED. Static storage. */
const char *document_term_name(enum pool_term term);

/* The terms of a pool object: those that it has, null for none, into `terms`; the
 * others stay.
 *   set     receives which it had
 *   errors  BAD_FIELD: no part of 1, no whole number of seconds */
int document_terms_read(
    const struct json *j, struct pool_terms *terms, unsigned *set, struct hrw_fault *fault);
void document_terms_write(struct json_out *o, const struct pool_terms *terms);

/* The terms in which two pools differ, of enum pool_term. */
unsigned document_terms_differing(const struct pool_terms *a, const struct pool_terms *b);

/* A placement: a name, or an object with parameters, as a draft membership with
 * those parameters and no nodes. BAD_FIELD lists the placements there are, and
 * names a parameter that does not count; is_stored: such are passed over. */
struct hrw_membership *document_placement_read(
    const struct json *j, bool is_stored, unsigned copies, struct hrw_fault *fault);

/* A list of 1 to `most` of them.
 *   out    room for `most` drafts
 *   count  receives how many there are, on an error too; 0 before
 *   fault  not NULL */
int document_placements_read(const struct json *list, size_t most, struct hrw_membership **out,
    size_t *count, struct hrw_fault *fault);
void document_placement_write(struct json_out *o, const char *name, const struct hrw_membership *m);

/* What a pool object says, before it is a membership: which fields a node left
 * out still shows. Texts of nodes are borrowed from the JSON. */
struct document_parts {
	struct hrw_membership *template; /* a draft: placement, parameters, copies */
	struct hrw_node *node;
	unsigned *set; /* of enum node_field, by node */
	size_t count;
	struct pool_terms terms;
};

/* From a configuration, a PUT or (is_stored) a store, where members that are
 * not known are passed over and limits are not regarded. Read-only fields of
 * answers are ignored. BAD_SERVER for a name listed twice. On an error `out`
 * needs no fini. */
int document_parts_read(const struct json *j, bool is_stored, const struct hrw_limits *limits,
    struct document_parts *out, struct hrw_fault *fault);
void document_parts_fini(struct document_parts *parts);

/* A list of nodes alone, as PUT /nodes takes it: `template` stays NULL. */
int document_list_read(const struct json *array, const struct hrw_limits *limits,
    struct document_parts *out, struct hrw_fault *fault);

/* A whole pool from a configuration, as a draft (not frozen), and its terms.
 * Read-only fields of answers are ignored. */
struct hrw_membership *document_pool_read(const struct json *j, const struct hrw_limits *limits,
    struct pool_terms *terms, struct hrw_fault *fault);

/* A stored document back into a pool, limits not regarded. STORE_FAILED: it is
 * damaged, or from a newer version. */
struct pool *document_load(const char *name, const char *document, struct hrw_fault *fault);

/* The stored form: one line, to free(); NULL: no memory. */
char *document_store(const struct pool *pool);

/* Members of the pool object inside an object that is open: placement, copies,
 * its terms, nodes, epoch, lineage, fingerprint, settled. */
void document_pool_write(struct json_out *o, const struct pool *pool);

/* Members of one node inside an open object: name, id, address, weight, zone,
 * state, state_since, hash_name with hash_name_default where one is hashed, and
 * slots, tokens, reweight and healthy where it has them or, for the last two, where
 * the placement uses them. */
void document_node_write(struct json_out *o, const struct hrw_membership *m, size_t node);

#endif
