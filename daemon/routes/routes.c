/*
 * routes.c - the route table.
 *
 * The rows of one path stand together.
 */
#include "daemon/routes/routes.h"
#include "daemon/members/snapshot.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/site.h"

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

/* What a change is told by header, and how it answers. */
#define CHANGE_SAYS    "If-Match Hrw-Reason Prefer"
#define CHANGE_REFUSED " 409 412"
#define CHANGED	       "+ETag +Hrw-Epoch +Hrw-Fingerprint 200:report 202:report" CHANGE_REFUSED
#define MADE	       "201:report " CHANGED
#define OF_EPOCH       "+Hrw-Epoch +Hrw-Fingerprint"
#define OF_POOL	       "+ETag " OF_EPOCH
#define OF_KEY                                                                                     \
	OF_EPOCH " +Hrw-Owner +Hrw-Address +Hrw-Read +Hrw-Holders +Hrw-Fallback "                  \
		 "+Hrw-Truncated +Cache-Control"

/* clang-format off: a row a line, as far as it goes */
const struct route routes[] = {
    /* Reads */
    {METHOD_GET, "/owner", BOTH, READ, POOL, BODY_NONE, NULL, NULL, key_owner, COMMON_POOL " key",
	"", "The node ranked first for a key, and where to go now", "Hrw-Key", NULL,
	OF_KEY " 200:owner 200:text/plain"},
    {METHOD_GET, "/replicas", BOTH, READ, POOL, BODY_NONE, NULL, NULL, key_replicas,
	COMMON_POOL " key copies", "",
	"The nodes that hold a key's copies, best first, and where else copies are", "Hrw-Key",
	NULL, OF_KEY " 200:replicas 200:text/plain"},
    {METHOD_GET, "/explain", BOTH, READ, POOL, BODY_NONE, NULL, NULL, key_explain,
	COMMON_POOL " key", "",
	"Every node's rank and score for a key, and why it was chosen or not", "Hrw-Key", NULL,
	OF_EPOCH " +Cache-Control 200:explanation"},
    {METHOD_POST, "/owners", BOTH, READ, POOL, BODY_STREAM, owners_begin, owners_feed, owners_end,
	COMMON_POOL " copies", KEY_TYPES, "The owners, or holders, of many keys at one epoch", "",
	"keys",
	OF_EPOCH
	" +Cache-Control +Hrw-Warnings 200:owners 200:text/plain 200:application/x-ndjson"},

    {METHOD_GET, "/nodes", BOTH, READ, POOL, BODY_NONE, NULL, NULL, node_list,
	COMMON_POOL " " COMMON_PAGE, "", "The nodes of a pool, by name", "If-None-Match", NULL,
	OF_POOL " 200:nodes 304"},
    {METHOD_POST, "/nodes", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, node_add, CHANGE, JSON_TYPE,
	"Adds a node", CHANGE_SAYS, "node_sent", MADE},
    {METHOD_PUT, "/nodes", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, node_put_all, CHANGE,
	JSON_TYPE, "Makes the membership exactly this list, in one change", CHANGE_SAYS,
	"nodes_sent", CHANGED " 428"},
    {METHOD_GET, "/nodes/{name}", BOTH, READ, POOL, BODY_NONE, NULL, NULL, node_get, COMMON_POOL,
	"", "One node", "If-None-Match", NULL, OF_POOL " 200:one_node 304"},
    {METHOD_PUT, "/nodes/{name}", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, node_put, CHANGE,
	JSON_TYPE, "Adds a node, or updates it to what is sent", CHANGE_SAYS, "node_sent", MADE},
    {METHOD_PATCH, "/nodes/{name}", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, node_patch, CHANGE,
	PATCH_TYPE, "Changes a node's weight, address or zone", CHANGE_SAYS, "node_patch", CHANGED},
    {METHOD_DELETE, "/nodes/{name}", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, node_remove, CHANGE,
	"", "Removes a draining node", CHANGE_SAYS, NULL, CHANGED},
    {METHOD_POST, "/nodes/{name}/drain", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, node_drain,
	CHANGE, "", "Stops placing keys on a node; its copies are still there", CHANGE_SAYS, NULL,
	CHANGED},
    {METHOD_POST, "/nodes/{name}/activate", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, node_activate,
	CHANGE, "", "Lets a node hold keys, its copies being in place", CHANGE_SAYS, NULL, CHANGED},
    {METHOD_POST, "/nodes/{name}/rejoin", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, node_rejoin,
	CHANGE, "", "Places keys on a node that came back empty", CHANGE_SAYS, NULL, CHANGED},

    {METHOD_GET, "/nodes/{name}/removable", BOTH, READ, POOL, BODY_NONE, NULL, NULL, node_removable,
	COMMON_POOL " wait", "", "May this node be switched off? With wait= when it may", "", NULL,
	OF_POOL " +Cache-Control 200:removable 200:text/plain"},
    {METHOD_GET, "/copies", ADMIN, READ, POOL, BODY_NONE, NULL, NULL, copies_get,
	COMMON_POOL " to from limit after", "",
	"The copies still to be made, of the stored keys: NDJSON, JSON or CSV", "", NULL,
	OF_POOL " 200:application/x-ndjson 200:[key_copies] 200:text/csv"},

    {METHOD_GET, "/pools", BOTH, READ, SEEN, BODY_NONE, NULL, NULL, pool_list, COMMON_PAGE, "",
	"Every pool in short, by name", "", NULL, "200:pools"},
    {METHOD_GET, "/pools/{pool}", BOTH, READ, POOL, BODY_NONE, NULL, NULL, pool_get, "epoch wait",
	"",
	"A whole pool as a configuration file has it, as it is or as it was; with wait= when it is "
	"another than If-None-Match names",
	"If-None-Match", NULL, OF_POOL " 200:pool 304"},
    {METHOD_PUT, "/pools/{pool}", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, pool_put, POOL_CHANGE,
	JSON_TYPE, "Makes a pool, or makes it exactly this", CHANGE_SAYS " If-None-Match",
	"pool_sent", MADE " 428"},
    {METHOD_PATCH, "/pools/{pool}", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, pool_patch,
	POOL_CHANGE, PATCH_TYPE, "Changes a pool's copies, placement, or what was set for it",
	CHANGE_SAYS, "pool_patch", CHANGED},
    {METHOD_DELETE, "/pools/{pool}", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, pool_drop,
	POOL_CHANGE, "", "Removes a pool and its key set", CHANGE_SAYS, NULL, CHANGED},
    {METHOD_POST, "/pools/{pool}/settle", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, pool_settle,
	POOL_CHANGE, "", "Says that all copies are in place", CHANGE_SAYS, NULL, CHANGED},
    {METHOD_POST, "/pools/{pool}/revert", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, pool_revert,
	POOL_CHANGE, JSON_TYPE, "Goes back to an earlier epoch's membership, as a new change",
	CHANGE_SAYS, "revert", CHANGED},

    {METHOD_GET, "/watch", BOTH, READ, POOL, BODY_NONE, NULL, NULL, watch_get,
	COMMON_POOL " heartbeat", "",
	"A pool as server-sent events: the whole of it, then each change", "Last-Event-ID", NULL,
	OF_POOL " +Cache-Control +X-Accel-Buffering 200:text/event-stream"},

    {METHOD_GET, "/livez", BOTH, NOBODY, NOTHING, BODY_NONE, NULL, NULL, status_live, "", "",
	"Is it alive?", "", NULL, "+Cache-Control 200:text/plain"},
    {METHOD_GET, "/readyz", BOTH, NOBODY, NOTHING, BODY_NONE, NULL, NULL, status_ready, "verbose",
	"", "Is every pool's membership loaded, and the store in its place? 503 otherwise", "",
	NULL, "+Cache-Control 200:text/plain 503:text/plain"},
    {METHOD_GET, "/version", BOTH, NOBODY, NOTHING, BODY_NONE, NULL, NULL, status_version, "", "",
	"The version, and the placements it knows", "", NULL, "200:version"},
    {METHOD_GET, "/status", ADMIN, READ, NOTHING, BODY_NONE, NULL, NULL, status_get, "", "",
	"The daemon: its version, how long it runs, its store", "", NULL,
	"+Cache-Control 200:status"},
    {METHOD_GET, "/backup", ADMIN, ROLE_ADMIN, NOTHING, BODY_NONE, NULL, NULL, backup_get, "", "",
	"The whole store as it is now, as an SQLite file for hrwctl restore; key sets are not in "
	"it",
	"", NULL, "+Cache-Control 200:application/vnd.sqlite3"},
    {METHOD_GET, "/metrics", BOTH, READ, SEEN, BODY_NONE, NULL, NULL, status_metrics, "", "",
	"Counts of what it does, as Prometheus reads them", "", NULL, "200:text/plain"},
    {METHOD_GET, "/openapi.json", BOTH, READ, NOTHING, BODY_NONE, NULL, NULL, openapi_get, "", "",
	"This description", "", NULL, "200:any"},

    /* Changes */
    {METHOD_POST, "/changes", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, changes_make, CHANGE,
	JSON_TYPE, "Any combination of changes as one change and one epoch", CHANGE_SAYS, "changes",
	"200:application/x-ndjson " CHANGED},
    {METHOD_POST, "/plan", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, changes_plan, CHANGE,
	JSON_TYPE, "The same as a dry run: only what it would do", CHANGE_SAYS, "changes",
	"200:application/x-ndjson " CHANGED},

    {METHOD_POST, "/compare", ADMIN, PLAN, POOL, BODY_WHOLE, NULL, NULL, compare_post, COMMON_POOL,
	JSON_TYPE,
	"The pool's nodes and keys under several placements: spread, moves, times, memory", "",
	"comparison_request", OF_POOL " 200:comparison 409"},
    {METHOD_POST, "/simulate", ADMIN, PLAN, POOL, BODY_STREAM, simulate_begin, simulate_feed,
	simulate_end, COMMON_POOL " placements capacity window leave join", KEY_TYPES,
	"A trace of requests through the nodes' caches under several placements, at random and "
	"in turn",
	"", "simulation_request", OF_POOL " 200:simulation 409"},

    {METHOD_GET, "/keys", ADMIN, READ, POOL, BODY_NONE, NULL, NULL, keys_get,
	COMMON_POOL " limit after", "",
	"The stored keys in order of bytes: NDJSON, a JSON array or text", "", NULL,
	"200:application/x-ndjson 200:keys 200:text/plain"},
    {METHOD_PUT, "/keys", ADMIN, PLAN, POOL, BODY_LONG, keys_put_begin, keys_feed, keys_end,
	COMMON_POOL, KEY_TYPES, "Replaces the pool's stored key set", "Hrw-Reason", "keys",
	"200:keyset_changed"},
    {METHOD_POST, "/keys", ADMIN, PLAN, POOL, BODY_LONG, keys_add_begin, keys_feed, keys_end,
	COMMON_POOL, KEY_TYPES, "Adds to the pool's stored key set", "Hrw-Reason", "keys",
	"200:keyset_changed"},
    {METHOD_DELETE, "/keys", ADMIN, PLAN, POOL, BODY_NONE, NULL, NULL, keys_empty, COMMON_POOL, "",
	"Empties the pool's stored key set", "Hrw-Reason", NULL, "200:keyset_changed"},
    {METHOD_GET, "/keys/stats", ADMIN, READ, POOL, BODY_NONE, NULL, NULL, keys_get_stats,
	COMMON_POOL, "", "How many keys the stored set has", "", NULL, "200:keyset"},

    {METHOD_GET, "/plans", ADMIN, READ, POOLS, BODY_NONE, NULL, NULL, plan_list,
	COMMON_POOL " " COMMON_PAGE, "", "Kept reports, newest first; of every pool with pool=*",
	"", NULL, "200:plans"},
    {METHOD_GET, "/plans/{id}", ADMIN, READ, SEEN, BODY_NONE, NULL, NULL, plan_get, "wait", "",
	"One report, with wait= when it has ended", "", NULL, "200:report"},
    {METHOD_GET, "/plans/{id}/changes", ADMIN, READ, SEEN, BODY_NONE, NULL, NULL, plan_changes,
	"lost gained from leftover limit after", "",
	"A plan's single changes, computed anew: NDJSON, JSON or CSV", "", NULL,
	"200:application/x-ndjson 200:[key_change] 200:text/csv 409"},
    {METHOD_POST, "/plans/{id}/apply", ADMIN, PLAN, SEEN, BODY_NONE, NULL, NULL, plan_apply,
	"dry_run force report wait changes", "",
	"Makes the planned change if the pool still has the plan's epoch", CHANGE_SAYS, NULL, MADE},

    {METHOD_GET, "/history", ADMIN, READ, POOLS, BODY_NONE, NULL, NULL, history_list,
	COMMON_POOL " " COMMON_PAGE, "",
	"What was changed or refused, newest first; of every pool with pool=*", "", NULL,
	"200:history"},
};
/* clang-format on */

const size_t route_count = sizeof(routes) / sizeof(*routes);

const struct http_site routes_site = {
    .routes = routes,
    .route_count = sizeof(routes) / sizeof(*routes),
    .reaches = site_reaches,
    .keep = snapshot_acquire,
    .release = snapshot_release,
    .answered = site_answered,
};
