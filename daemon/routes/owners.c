/*
 * owners.c - POST /owners: many keys, one epoch.
 *
 * Answers are spooled while the keys arrive, because the answer begins only when
 * the whole body has been read: one bad key refuses the request.
 */
#include <stdlib.h>

#include "core/zones.h"
#include "daemon/http/spool.h"
#include "daemon/metrics/metrics.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/noticed.h"

/* Answers gathered before they go to the spool. */
enum { PIECE = 32 << 10 };

struct owners {
	struct request *req;
	const struct pool *pool; /* of the snapshot that the request keeps */
	struct keylist *list;
	enum keylist_form form;
	bool has_copies;
	size_t copies; /* 1 where none were asked for */
	struct spool *spool;
	struct buffer made;
	struct json_out out; /* into made: the array's, across its pieces */
};

static void
owners_free(void *state)
{
	struct owners *s = state;

	keylist_free(s->list);
	spool_free(s->spool);
	buffer_fini(&s->made);
	free(s);
}

static void
add_line(struct owners *s, struct hrw_bytes key, const uint32_t *holder, int count)
{
	buffer_add(&s->made, key.data, key.len);
	for (int i = 0; i < count; i++) {
		buffer_add(&s->made, i == 0 ? "\t" : ",", 1);
		buffer_add_text(&s->made, s->pool->present->node[holder[i]].name);
	}
	buffer_add(&s->made, "\n", 1);
}

static void
add_object(
    struct owners *s, struct json_out *o, struct hrw_bytes key, const uint32_t *holder, int count)
{
	const struct hrw_node *nodes = s->pool->present->node;

	json_open_object(o, NULL);
	json_put_key(o, key);
	if (s->has_copies) {
		json_open_array(o, "replicas");
		for (int i = 0; i < count; i++)
			json_put_text(o, NULL, nodes[holder[i]].name);
		json_close_array(o);
	} else {
		json_put_text(o, "owner", nodes[holder[0]].name);
	}
	json_close_object(o);
}

static int
spool_made(struct owners *s)
{
	int rc;

	if (s->made.failed)
		return hrw_fault(&s->req->fault, HRW_INTERNAL, "no memory for the answer");
	rc = spool_add(s->spool, s->made.data, s->made.len);
	if (rc < 0)
		return hrw_fault(&s->req->fault, rc, "the answer could not be spooled");
	buffer_clear(&s->made);
	return 0;
}

static int
add_key(void *arg, struct hrw_bytes key)
{
	struct owners *s = arg;
	uint32_t holder[HRW_COPIES_MAX];
	struct json_out line;
	int count;

	count = hrw_holders(s->pool->present, key, s->copies, holder);
	if (count < 0) {
		common_epoch_headers(s->req, s->pool);
		return common_lookup_failed(s->req, s->pool, key, count);
	}
	metrics_lookup(s->req->app->metrics, s->pool, holder[0]);
	switch (s->form) {
	case KEYLIST_TEXT:
		add_line(s, key, holder, count);
		break;
	case KEYLIST_NDJSON:
		line = json_out(&s->made);
		add_object(s, &line, key, holder, count);
		buffer_add(&s->made, "\n", 1);
		break;
	case KEYLIST_JSON:
		add_object(s, &s->out, key, holder, count);
		break;
	}
	return s->made.len >= PIECE ? spool_made(s) : 0;
}

int
owners_begin(struct request *req)
{
	struct owners *s = calloc(1, sizeof(*s));
	int64_t copies;
	int rc;

	if (s == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	req->state = s;
	req->state_free = owners_free;
	s->req = req;
	s->form = common_keylist_form(req);
	rc = request_number(req, "copies", 1, (int64_t)req->app->config->members.limits->copies, 0,
	    HRW_BAD_COPIES, &copies);
	if (rc < 0)
		return rc;
	s->has_copies = copies > 0;
	s->copies = s->has_copies ? (size_t)copies : 1;
	request_keep_snapshot(req);
	rc = common_pool(req, &s->pool);
	if (rc < 0)
		return rc;
	rc = common_check_copies(req, s->pool, s->copies);
	if (rc < 0)
		return rc;
	s->spool = spool_new();
	s->list = keylist_new(s->form, req->app->config->members.limits->key_bytes, add_key, s);
	if (s->spool == NULL || s->list == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for the answer");
	if (s->form == KEYLIST_JSON) {
		s->out = json_out(&s->made);
		json_open_object(&s->out, NULL);
		json_put_text(&s->out, "pool", s->pool->name);
		json_put_count(&s->out, "epoch", s->pool->epoch);
		json_open_array(&s->out, "results");
	}
	return 0;
}

int
owners_feed(struct request *req, struct hrw_bytes piece)
{
	struct owners *s = req->state;

	return keylist_feed(s->list, piece, &req->fault);
}

int
owners_end(struct request *req)
{
	struct owners *s = req->state;
	struct spool *spool;
	int rc;

	rc = keylist_end(s->list, &req->fault);
	if (rc < 0)
		return rc;
	if (s->form == KEYLIST_JSON) {
		json_close_array(&s->out);
		json_close_object(&s->out);
		buffer_add(&s->made, "\n", 1);
	}
	rc = spool_made(s);
	if (rc < 0)
		return rc;
	common_epoch_headers(req, s->pool);
	respond_text(req, "Cache-Control", "no-cache");
	noticed_header(req, keylist_notice(s->list));
	spool = s->spool;
	s->spool = NULL;
	return respond_spool(req, 200, common_keylist_types[s->form], spool);
}
