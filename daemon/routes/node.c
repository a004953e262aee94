/*
 * node.c - the nodes of a pool: read, and changed one at a time or as a list.
 */
#include <stdlib.h>

#include "daemon/members/document.h"
#include "daemon/members/warnings.h"
#include "daemon/routes/apply.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"

static void
put_node(struct json_out *o, const struct pool *pool, size_t node)
{
	document_node_write(o, pool->present, node);
	json_put_number(o, "share", pool->share[node]);
	json_put_null(o, "health");
}

/* The first node whose name sorts after `after`. */
static size_t
first_after(const struct hrw_membership *m, struct hrw_bytes after)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hrw_bytes_cmp(hrw_text(m->node[middle].name), after) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
count_shares(struct request *req)
{
	pool_shares(req->state);
}

/* Answers once the shares are known: at once, or after they were counted off the
 * loop. */
static int
with_shares(struct request *req, int (*answer)(struct request *req))
{
	const struct pool *pool;
	int rc = common_pool(req, &pool);

	if (rc < 0)
		return rc;
	if (pool_has_shares(pool))
		return answer(req);
	request_keep_snapshot(req);
	req->state = (struct pool *)pool; /* the kept snapshot's */
	return request_background(req, count_shares, answer);
}

/* A list of nodes that is being made. */
struct listing_nodes {
	struct pool *pool;
	size_t from, to;
	struct buffer body;
};

static void
listing_free(void *state)
{
	struct listing_nodes *l = state;

	buffer_fini(&l->body);
	free(l);
}

static void
list_nodes(struct request *req)
{
	struct listing_nodes *l = req->state;
	const struct hrw_membership *m = l->pool->present;
	struct json_out o = json_out(&l->body);

	pool_shares(l->pool);
	json_open_object(&o, NULL);
	json_put_text(&o, "pool", l->pool->name);
	json_put_count(&o, "epoch", l->pool->epoch);
	json_open_array(&o, "nodes");
	for (size_t i = l->from; i < l->to; i++) {
		json_open_object(&o, NULL);
		put_node(&o, l->pool, i);
		json_close_object(&o);
	}
	json_close_array(&o);
	if (l->to < m->count)
		json_put_text(&o, "next", m->node[l->to - 1].name);
	warnings_put(&o, l->pool->warnings);
	json_close_object(&o);
}

static int
nodes_listed(struct request *req)
{
	struct listing_nodes *l = req->state;

	return respond_json(req, 200, &l->body);
}

/* GET /nodes */
int
node_list(struct request *req)
{
	struct hrw_bytes after = request_parameter(req, "after");
	struct listing_nodes *l;
	const struct pool *pool;
	size_t limit, count;
	int rc;

	rc = common_limit(req, &limit);
	if (rc < 0)
		return rc;
	rc = common_pool(req, &pool);
	if (rc < 0)
		return rc;
	common_headers(req, pool);
	if (common_is_known(req, pool))
		return respond_empty(req, 304);
	l = calloc(1, sizeof(*l));
	if (l == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	req->state = l;
	req->state_free = listing_free;
	l->pool = (struct pool *)pool; /* the snapshot's */
	count = pool->present->count;
	/* Whole unless asked for in parts: PUT /nodes takes back what this gave, and
	 * what a list lacks is removed. */
	if (request_parameter(req, "limit").data == NULL)
		limit = count;
	l->from = after.data != NULL ? first_after(pool->present, after) : 0;
	l->to = count - l->from > limit ? l->from + limit : count;
	return common_make(
	    req, pool_has_shares(pool) ? l->to - l->from : SIZE_MAX, list_nodes, nodes_listed);
}

static int
get_node(struct request *req)
{
	const struct hrw_node *node;
	struct common_name name;
	const struct pool *pool;
	struct buffer body = {0};
	struct json_out o;
	int rc;

	rc = common_pool(req, &pool);
	if (rc < 0)
		return rc;
	common_node_name(req->segment[0], &name);
	node = hrw_membership_find(pool->present, name.text);
	if (node == NULL)
		return common_unknown_node(req, pool, name.text);
	common_headers(req, pool);
	if (common_is_known(req, pool))
		return respond_empty(req, 304);
	o = json_out(&body);
	json_open_object(&o, NULL);
	json_put_text(&o, "pool", pool->name);
	json_put_count(&o, "epoch", pool->epoch);
	put_node(&o, pool, (size_t)(node - pool->present->node));
	json_close_object(&o);
	return respond_json(req, 200, &body);
}

/* GET /nodes/{name} */
int
node_get(struct request *req)
{
	return with_shares(req, get_node);
}

int
node_add(struct request *req)
{
	return apply_request(req, ORDER_ADD);
}

int
node_put(struct request *req)
{
	return apply_request(req, ORDER_PUT);
}

int
node_patch(struct request *req)
{
	return apply_request(req, ORDER_PATCH);
}

int
node_remove(struct request *req)
{
	return apply_request(req, ORDER_REMOVE);
}

int
node_drain(struct request *req)
{
	return apply_request(req, ORDER_DRAIN);
}

int
node_activate(struct request *req)
{
	return apply_request(req, ORDER_ACTIVATE);
}

int
node_rejoin(struct request *req)
{
	return apply_request(req, ORDER_REJOIN);
}

int
node_put_all(struct request *req)
{
	return apply_request(req, ORDER_NODES);
}
