/*
 * handlers.h - the handlers that the route table names, file by file.
 */
#ifndef HRWD_ROUTES_HANDLERS_H
#define HRWD_ROUTES_HANDLERS_H

#include "daemon/http/request.h"

/* key.c: one key */
int key_owner(struct request *req);
int key_replicas(struct request *req);
int key_explain(struct request *req);

/* owners.c: many keys */
int owners_begin(struct request *req);
int owners_feed(struct request *req, struct hrw_bytes piece);
int owners_end(struct request *req);

/* node.c */
int node_list(struct request *req);
int node_get(struct request *req);
int node_add(struct request *req);
int node_put(struct request *req);
int node_patch(struct request *req);
int node_remove(struct request *req);
int node_drain(struct request *req);
int node_activate(struct request *req);
int node_rejoin(struct request *req);
int node_put_all(struct request *req);

/* pool.c */
int pool_list(struct request *req);
int pool_get(struct request *req);
int pool_put(struct request *req);
int pool_patch(struct request *req);
int pool_drop(struct request *req);
int pool_settle(struct request *req);
int pool_revert(struct request *req);

/* watch.c */
int watch_get(struct request *req);

/* changes.c: any combination, made or planned */
int changes_make(struct request *req);
int changes_plan(struct request *req);

/* compare.c, simulate.c */
int compare_post(struct request *req);
int simulate_begin(struct request *req);
int simulate_feed(struct request *req, struct hrw_bytes piece);
int simulate_end(struct request *req);

/* plan.c */
int plan_list(struct request *req);
int plan_get(struct request *req);
int plan_changes(struct request *req);
int plan_apply(struct request *req);

/* keys.c, keys_out.c */
int keys_put_begin(struct request *req);
int keys_add_begin(struct request *req);
int keys_feed(struct request *req, struct hrw_bytes piece);
int keys_end(struct request *req);
int keys_empty(struct request *req);
int keys_get(struct request *req);
int keys_get_stats(struct request *req);

/* copies.c, removable.c: is a change done? */
int copies_get(struct request *req);
int node_removable(struct request *req);

/* history.c */
int history_list(struct request *req);

/* status.c */
int status_live(struct request *req);
int status_ready(struct request *req);
int status_version(struct request *req);
int status_get(struct request *req);
int status_metrics(struct request *req);

/* backup.c */
int backup_get(struct request *req);

/* openapi.c */
int openapi_get(struct request *req);

#endif
