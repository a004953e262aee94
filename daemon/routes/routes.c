/*
 * routes.c - the route table.
 *
 * The rows of one path stand together.
 */
#include "daemon/routes/routes.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"

#define BOTH  LISTENER_BOTH
#define ADMIN LISTENER_ADMIN

#define NOBODY ROLE_NONE
#define READ   ROLE_READ
#define PLAN   ROLE_PLAN

#define NOTHING REACH_NOTHING
#define POOL	REACH_POOL
#define POOLS	REACH_POOLS
#define SEEN	REACH_SEEN

#define JSON_TYPE  "application/json"
#define PATCH_TYPE "application/json application/merge-patch+json"
#define KEY_TYPES  "text/plain application/json application/x-ndjson"

#define CHANGE	    COMMON_POOL " " COMMON_CHANGE
#define POOL_CHANGE COMMON_CHANGE

/* clang-format off: a row a line, as far as it goes */
const struct route routes[] = {
    /* Reads */
    {METHOD_GET, "/owner", BOTH, READ, POOL, BODY_NONE, NULL, NULL, key_owner, COMMON_POOL " key",
	"", "The node ranked first for a key, and where to go now"},
    {METHOD_GET, "/replicas", BOTH, READ, POOL, BODY_NONE, NULL, NULL, key_replicas,
	COMMON_POOL " key copies", "",
	"The nodes that hold a key's copies, best first, and where else copies are"},
    {METHOD_GET, "/explain", BOTH, READ, POOL, BODY_NONE, NULL, NULL, key_explain,
	COMMON_POOL " key", "",
	"Every node's rank and score for a key, and why it was chosen or not"},
    {METHOD_POST, "/owners", BOTH, READ, POOL, BODY_STREAM, owners_begin, owners_feed, owners_end,
	COMMON_POOL " copies", KEY_TYPES, "The owners, or holders, of many keys at one epoch"},

    {METHOD_GET, "/nodes", BOTH, READ, POOL, BODY_NONE, NULL, NULL, node_list,
	COMMON_POOL " " COMMON_PAGE, "", "The nodes of a pool, by name"},
    {METHOD_POST, "/nodes", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, node_add, CHANGE, JSON_TYPE,
	"Adds a node"},
    {METHOD_PUT, "/nodes", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, node_put_all, CHANGE,
	JSON_TYPE, "Makes the membership exactly this list, in one change"},
    {METHOD_GET, "/nodes/{name}", BOTH, READ, POOL, BODY_NONE, NULL, NULL, node_get, COMMON_POOL,
	"", "One node"},
    {METHOD_PUT, "/nodes/{name}", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, node_put, CHANGE,
	JSON_TYPE, "Adds a node, or updates it to what is sent"},
    {METHOD_PATCH, "/nodes/{name}", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, node_patch, CHANGE,
	PATCH_TYPE, "Changes a node's weight, address or zone"},
    {METHOD_DELETE, "/nodes/{name}", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, node_remove, CHANGE,
	"", "Removes a draining node"},
    {METHOD_POST, "/nodes/{name}/drain", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, node_drain,
	CHANGE, "", "Stops placing keys on a node; its copies are still there"},
    {METHOD_POST, "/nodes/{name}/activate", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, node_activate,
	CHANGE, "", "Lets a node hold keys, its copies being in place"},
    {METHOD_POST, "/nodes/{name}/rejoin", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, node_rejoin,
	CHANGE, "", "Places keys on a node that came back empty"},

    {METHOD_GET, "/pools", BOTH, READ, SEEN, BODY_NONE, NULL, NULL, pool_list, COMMON_PAGE, "",
	"Every pool in short, by name"},
    {METHOD_GET, "/pools/{pool}", BOTH, READ, POOL, BODY_NONE, NULL, NULL, pool_get, "epoch", "",
	"A whole pool as a configuration file has it, as it is or as it was"},
    {METHOD_PUT, "/pools/{pool}", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, pool_put, POOL_CHANGE,
	JSON_TYPE, "Makes a pool, or makes it exactly this"},
    {METHOD_PATCH, "/pools/{pool}", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, pool_patch,
	POOL_CHANGE, PATCH_TYPE, "Changes a pool's copies, placement or max_moved"},
    {METHOD_DELETE, "/pools/{pool}", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, pool_drop,
	POOL_CHANGE, "", "Removes a pool and its key set"},
    {METHOD_POST, "/pools/{pool}/settle", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, pool_settle,
	POOL_CHANGE, "", "Says that all copies are in place"},
    {METHOD_POST, "/pools/{pool}/revert", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, pool_revert,
	POOL_CHANGE, JSON_TYPE, "Goes back to an earlier epoch's membership, as a new change"},

    {METHOD_GET, "/livez", BOTH, NOBODY, NOTHING, BODY_NONE, NULL, NULL, status_live, "", "",
	"Is it alive?"},
    {METHOD_GET, "/readyz", BOTH, NOBODY, NOTHING, BODY_NONE, NULL, NULL, status_ready, "verbose",
	"", "Is every pool's membership loaded? 503 until then"},
    {METHOD_GET, "/version", BOTH, NOBODY, NOTHING, BODY_NONE, NULL, NULL, status_version, "", "",
	"The version, and the placements it knows"},
    {METHOD_GET, "/metrics", BOTH, READ, SEEN, BODY_NONE, NULL, NULL, status_metrics, "", "",
	"Counts of what it does, as Prometheus reads them"},
    {METHOD_GET, "/openapi.json", BOTH, READ, NOTHING, BODY_NONE, NULL, NULL, openapi_get, "", "",
	"This description"},

    /* Changes */
    {METHOD_POST, "/changes", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, changes_make, CHANGE,
	JSON_TYPE, "Any combination of changes as one change and one epoch"},
    {METHOD_POST, "/plan", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, changes_plan, CHANGE,
	JSON_TYPE, "The same as a dry run: only what it would do"},

    {METHOD_POST, "/compare", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, compare_post, COMMON_POOL,
	JSON_TYPE,
	"The pool's nodes and keys under several placements: spread, moves, times, memory"},
    {METHOD_POST, "/simulate", ADMIN, PLAN, POOL, BODY_STREAM, simulate_begin, simulate_feed,
	simulate_end, COMMON_POOL " placements capacity window leave join", KEY_TYPES,
	"A trace of requests through the nodes' caches under several placements, at random and "
	"in turn"},

    {METHOD_GET, "/keys", ADMIN, READ, POOL, BODY_NONE, NULL, NULL, keys_get, COMMON_POOL, "",
	"The stored keys in order of bytes: NDJSON, a JSON array or text"},
    {METHOD_PUT, "/keys", ADMIN, PLAN, POOL, BODY_LONG, keys_put_begin, keys_feed, keys_end,
	COMMON_POOL, KEY_TYPES, "Replaces the pool's stored key set"},
    {METHOD_POST, "/keys", ADMIN, PLAN, POOL, BODY_LONG, keys_add_begin, keys_feed, keys_end,
	COMMON_POOL, KEY_TYPES, "Adds to the pool's stored key set"},
    {METHOD_DELETE, "/keys", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, keys_empty, COMMON_POOL, "",
	"Empties the pool's stored key set"},
    {METHOD_GET, "/keys/stats", ADMIN, READ, POOL, BODY_NONE, NULL, NULL, keys_get_stats,
	COMMON_POOL, "", "How many keys the stored set has"},

    {METHOD_GET, "/plans", ADMIN, READ, POOLS, BODY_NONE, NULL, NULL, plan_list,
	COMMON_POOL " " COMMON_PAGE, "", "Kept reports, newest first; of every pool with pool=*"},
    {METHOD_GET, "/plans/{id}", ADMIN, READ, SEEN, BODY_NONE, NULL, NULL, plan_get, "wait", "",
	"One report, with wait= when it has ended"},
    {METHOD_GET, "/plans/{id}/changes", ADMIN, READ, SEEN, BODY_NONE, NULL, NULL, plan_changes,
	"lost gained from", "", "A plan's single changes, computed anew: NDJSON, JSON or CSV"},
    {METHOD_POST, "/plans/{id}/apply", ADMIN, PLAN, SEEN, BODY_NONE, NULL, NULL, plan_apply,
	"dry_run force report wait changes", "",
	"Makes the planned change if the pool still has the plan's epoch"},

    {METHOD_GET, "/history", ADMIN, READ, POOLS, BODY_NONE, NULL, NULL, history_list,
	COMMON_POOL " " COMMON_PAGE, "",
	"What was changed or refused, newest first; of every pool with pool=*"},
};
/* clang-format on */

const size_t route_count = sizeof(routes) / sizeof(*routes);
