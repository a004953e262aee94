/*
 * key.c - where is this key? The hot path: no lock, and no allocation of ours.
 */
#include <assert.h>
#include <stdlib.h>

#include "daemon/metrics/metrics.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/key.h"

/* The lists of addresses must leave room for the other headers in a connection's
 * buffer: past this the rest of each list is left to the body, and Hrw-Truncated says
 * so, because a writer must reach every holder. */
enum { READ_HEADER_MAX = 1500 };

static const char *const forms[] = {"application/json", "text/plain", NULL};

int
key_look_up(struct request *req, size_t copies, struct hrw_bytes *key, const struct pool **pool,
    struct hrw_lookup *look)
{
	int rc;

	rc = request_key(req, key);
	if (rc < 0)
		return rc;
	rc = common_pool(req, pool);
	if (rc < 0)
		return rc;
	rc = common_check_copies(req, *pool, copies);
	if (rc < 0)
		return rc;
	common_epoch_headers(req, *pool);
	rc = hrw_settled_lookup(&(*pool)->match, *key, copies, look);
	metrics_lookup(req->app->metrics, *pool, rc < 0 ? METRICS_NOBODY : look->holder[0]);
	if (look->fallback_count > 0)
		metrics_asked(req->app->metrics, *pool, look->fallback, look->fallback_count);
	return rc < 0 ? common_lookup_failed(req, *pool, *key, rc) : 0;
}

/* A list of addresses, and whether some list had no room for all of its own. */
struct address_lists {
	struct buffer *to;
	bool is_cut;
};

static void
add_address(struct address_lists *lists, const struct hrw_node *node)
{
	struct buffer *to = lists->to;

	if (node->address == NULL)
		return;
	if (to->len + strlen(node->address) > READ_HEADER_MAX) {
		lists->is_cut = true;
		return;
	}
	if (to->len > 0)
		buffer_add(to, ", ", 2);
	buffer_add_text(to, node->address);
}

enum warmth { WARM, COLD, ANY };

/* The addresses of the key's holders, best first. */
static void
add_holders(struct address_lists *to, const struct pool *pool, const struct hrw_lookup *look,
    enum warmth which)
{
	for (size_t i = 0; i < look->holders; i++)
		if (which == ANY || look->is_warm[i] == (which == WARM))
			add_address(to, &pool->present->node[look->holder[i]]);
}

static void
add_fallback(struct address_lists *to, const struct pool *pool, const struct hrw_lookup *look)
{
	for (size_t i = 0; i < look->fallback_count; i++)
		add_address(to, &pool->present->node[look->fallback[i]]);
}

static void
respond_list(struct request *req, const char *name, struct address_lists *list)
{
	if (list->to->len > 0)
		respond_text(req, name, buffer_text(list->to));
	buffer_clear(list->to);
}

static bool
is_all_warm(const struct hrw_lookup *look)
{
	for (size_t i = 0; i < look->holders; i++)
		if (!look->is_warm[i])
			return false;
	return look->fallback_count == 0;
}

/* The nodes that a reader asks in turn: the warm holders, the fallback, the cold
 * holders. Of a key that has all its copies these are the holders; else a writer
 * needs them in lists of their own. */
static void
lookup_headers(struct request *req, const struct pool *pool, const struct hrw_lookup *look)
{
	const struct hrw_node *owner = &pool->present->node[look->holder[0]];
	struct address_lists lists = {request_buffer(req), false}, *list = &lists;

	respond_text(req, "Hrw-Owner", owner->name);
	if (owner->address != NULL)
		respond_text(req, "Hrw-Address", owner->address);
	add_holders(list, pool, look, WARM);
	if (!is_all_warm(look)) {
		add_fallback(list, pool, look);
		add_holders(list, pool, look, COLD);
		respond_list(req, "Hrw-Read", list);
		add_holders(list, pool, look, ANY);
		respond_list(req, "Hrw-Holders", list);
		add_fallback(list, pool, look);
		respond_list(req, "Hrw-Fallback", list);
	} else {
		respond_list(req, "Hrw-Read", list);
	}
	if (lists.is_cut)
		respond_text(req, "Hrw-Truncated", "true");
	respond_text(req, "Cache-Control", "no-cache");
}

static void
put_fallback(struct json_out *o, const struct pool *pool, const struct hrw_lookup *look)
{
	json_open_array(o, "fallback");
	for (size_t i = 0; i < look->fallback_count; i++) {
		const struct hrw_node *node = &pool->present->node[look->fallback[i]];

		json_open_object(o, NULL);
		json_put_text(o, "node", node->name);
		json_put_text(o, "address", node->address);
		json_close_object(o);
	}
	json_close_array(o);
}

/* A text of this file's, its length known when it is compiled. */
#define ADD(to, text) buffer_add(to, text, sizeof(text) - 1)

/* The answer that is asked for most is put together from few pieces: name by name
 * it took a quarter of our part of a lookup. Health passes nobody over yet, so
 * node is the owner. */
static void
put_owner(
    struct buffer *to, struct hrw_bytes key, const struct pool *pool, const struct hrw_lookup *look)
{
	const struct hrw_node *owner = &pool->present->node[look->holder[0]];
	struct hrw_bytes name = hrw_text(owner->name);
	struct json_out o = json_out(to);

	json_open_object(&o, NULL);
	json_put_key(&o, key);
	ADD(to, ",\"pool\":");
	json_quote(to, hrw_text(pool->name));
	ADD(to, ",\"owner\":");
	json_quote(to, name);
	ADD(to, ",\"node\":");
	json_quote(to, name);
	json_put_text(&o, "address", owner->address);
	ADD(to, ",\"passed_over\":[]");
	if (look->fallback_count == 0)
		ADD(to, ",\"fallback\":[]");
	else
		put_fallback(&o, pool, look);
	json_put_count(&o, "epoch", pool->epoch);
	json_close_object(&o);
}

/* GET /owner */
int
key_owner(struct request *req)
{
	const struct pool *pool;
	struct hrw_lookup look;
	struct hrw_bytes key;
	struct buffer *body;
	int rc;

	rc = key_look_up(req, 0, &key, &pool, &look);
	if (rc < 0)
		return rc;
	lookup_headers(req, pool, &look);
	body = request_buffer(req);
	if (request_accepts(req, forms) == 1) {
		buffer_add_text(body, pool->present->node[look.holder[0]].name);
		buffer_add(body, "\n", 1);
		return respond(req, 200, "text/plain; charset=utf-8", body);
	}
	put_owner(body, key, pool, &look);
	return respond_json(req, 200, body);
}

static void
put_replica(struct json_out *o, const struct hrw_node *node, bool is_warm)
{
	json_open_object(o, NULL);
	json_put_text(o, "node", node->name);
	json_put_text(o, "address", node->address);
	json_put_number(o, "weight", node->weight);
	json_put_text(o, "zone", node->zone);
	json_put_bool(o, "warm", is_warm);
	json_put_null(o, "healthy");
	json_close_object(o);
}

/* GET /replicas */
int
key_replicas(struct request *req)
{
	const struct pool *pool;
	struct hrw_lookup look;
	struct hrw_bytes key;
	struct buffer *body;
	struct json_out o;
	int64_t copies;
	int rc;

	rc = request_number(req, "copies", 1, (int64_t)req->app->config->members.limits->copies, 0,
	    HRW_BAD_COPIES, &copies);
	if (rc < 0)
		return rc;
	rc = key_look_up(req, (size_t)copies, &key, &pool, &look);
	if (rc < 0)
		return rc;
	lookup_headers(req, pool, &look);
	body = request_buffer(req);
	if (request_accepts(req, forms) == 1) {
		for (size_t i = 0; i < look.count; i++) {
			buffer_add_text(body, pool->present->node[look.holder[i]].name);
			buffer_add(body, "\n", 1);
		}
		return respond(req, 200, "text/plain; charset=utf-8", body);
	}
	o = json_out(body);
	json_open_object(&o, NULL);
	json_put_key(&o, key);
	json_put_text(&o, "pool", pool->name);
	json_put_count(&o, "copies", copies > 0 ? (uint64_t)copies : pool->present->copies);
	json_open_array(&o, "replicas");
	for (size_t i = 0; i < look.count; i++)
		put_replica(&o, &pool->present->node[look.holder[i]], look.is_warm[i]);
	json_close_array(&o);
	put_fallback(&o, pool, &look);
	json_put_count(&o, "epoch", pool->epoch);
	json_close_object(&o);
	return respond_json(req, 200, body);
}
