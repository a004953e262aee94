/*
 * common.h - what handlers share: the pool that is asked, what an answer from it
 * carries, pages of lists, forms of key lists.
 */
#ifndef HRWD_ROUTES_COMMON_H
#define HRWD_ROUTES_COMMON_H

#include "daemon/app.h"
#include "daemon/base/json.h"
#include "daemon/http/keylist.h"
#include "daemon/http/request.h"

/* Parameters of every route of a pool, of a list, and of a change. */
#define COMMON_POOL   "pool"
#define COMMON_PAGE   "limit after"
#define COMMON_CHANGE "dry_run force settle report keep sample wait changes"

/* The pool that ?pool= names, the default one without; borrowed from the
 * request's snapshot.
 *   errors   UNKNOWN_POOL with some of those there are, BAD_POOL */
int common_pool(struct request *req, const struct pool **out);
int common_pool_named(struct request *req, struct hrw_bytes name, const struct pool **out);

/* ?pool= where the pool may be gone by now: a C string to free(), NULL for "*",
 * every pool. BAD_POOL. */
int common_past_pool(struct request *req, char **out);

/* A kept plan, and one that is being computed (acquired; NULL: none of that id),
 * if its pool is one that who asks may know of: else it is unknown to them.
 *   errors  UNKNOWN_PLAN, STORE_FAILED; common_plan() on the libuv pool, its plan
 *           to store_plan_fini() */
int common_plan(struct request *req, const char *id, struct store_plan *out);
/* The id in the path, to free().
 *   errors  UNKNOWN_PLAN: none can be written so; INTERNAL */
int common_plan_id(struct request *req, char **id);
struct report *common_running(struct request *req, const char *id);

/* A node's name in the path as a C string. One that no node could have, because
 * of a NUL or its length, stays such a one: \x00 and "…" are in no name. */
struct common_name {
	char text[HRW_NAME_BYTES_MAX + 1];
};
void common_node_name(struct hrw_bytes name, struct common_name *out);

/* Fills UNKNOWN_NODE, with where to see which there are. */
int common_unknown_node(struct request *req, const struct pool *pool, const char *name);

/* BAD_COPIES where the pool's placement knows one copy only. */
int common_check_copies(struct request *req, const struct pool *pool, size_t copies);

/* Fills the fault of a lookup that found no holder: NO_SERVERS with what would
 * help, or the key's own error. Returns it. */
int common_lookup_failed(
    struct request *req, const struct pool *pool, struct hrw_bytes key, int error);

/* Hrw-Epoch and Hrw-Fingerprint; with the ETag where membership is shown. */
void common_epoch_headers(struct request *req, const struct pool *pool);
void common_headers(struct request *req, const struct pool *pool);

/* Does If-None-Match know this version? Then a 304 is the answer. */
bool common_is_known(const struct request *req, const struct pool *pool);

/* Is the token one of a header's list, regardless of case and of a W/ before
 * it? header NULL: no. */
bool common_lists(const char *header, const char *token);

/* Hrw-Reason as the history shows it: made safe, cut at 200 bytes; to free(),
 * NULL without. 0 or INTERNAL. */
int common_reason(struct request *req, char **out);

/* An answer about so many nodes: made at once, or where they are many off the loop,
 * which others wait for; then sent.
 *   make     on any thread: reads the request's snapshot, writes its state
 *   answer   on the loop, as a handler */
int common_make(struct request *req, size_t nodes, void (*make)(struct request *req),
    int (*answer)(struct request *req));

/* ?limit= of a list: 1..1000, 100 without. */
int common_limit(struct request *req, size_t *limit);

/* ?limit= and ?after=KEY of a list of keys: 0 without, and no data. The key's bytes
 * are the request's. */
int common_page(struct request *req, uint64_t *limit, struct hrw_bytes *after);

/* The form of a key list by its Content-Type; text without one. */
enum keylist_form common_keylist_form(const struct request *req);
extern const char *const common_keylist_types[]; /* by enum keylist_form */

/* "keys" of a JSON body, read from its own text as every key list is.
 *   errors  BAD_FIELD: no array; those of keylist_feed(), with the field "/keys" */
int common_json_keys(struct request *req, const struct json *keys, keylist_each each, void *arg);

/* A parameter as a C string to free(). NULL with 0 where it is absent;
 * BAD_PARAMETER for one that holds a NUL. */
int common_text(struct request *req, const char *name, char **out);

#endif
