/*
 * keys.c - the stored key set of a pool: replaced, extended, emptied, read.
 *
 * Keys are gathered while they arrive and staged on the libuv pool, the next
 * piece waiting meanwhile, so that memory is a batch whatever the set's size.
 * All or nothing: until the commit the set is as it was.
 */
#include <stdlib.h>

#include "core/keytype.h"
#include "daemon/base/log.h"
#include "daemon/members/missing.h"
#include "daemon/members/source.h"
#include "daemon/members/warnings.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/noticed.h"
#include "daemon/routes/turns.h"

/* Keys gathered before they are staged. */
enum { BATCH = 256 << 10 };

struct upload {
	struct request *req;
	const struct pool *now; /* of the snapshot that the request keeps */
	char *pool, *reason;
	char set[KEYSET_NAME];
	enum turn turn; /* until nothing of it is left */
	bool replaces;
	struct keylist *list;
	struct buffer records;
	struct keyset_upload *staged; /* from the first batch on */
	struct keyset_stats stats;
	uv_work_t work; /* the abort of what is left behind */
	int rc;
};

static void
upload_drop(struct upload *u)
{
	keylist_free(u->list);
	buffer_fini(&u->records);
	turn_give_back(u->turn);
	free(u->pool);
	free(u->reason);
	free(u);
}

static void
abort_off_loop(uv_work_t *work)
{
	struct upload *u = work->data;

	keyset_abort(u->staged);
}

static void
aborted(uv_work_t *work, int status)
{
	(void)status; /* never cancelled */
	upload_drop(work->data);
}

/* A client that went away, or a bad line, leaves a stage behind. */
static void
upload_free(void *state)
{
	struct upload *u = state;

	if (u->staged == NULL) {
		upload_drop(u);
		return;
	}
	u->work.data = u;
	uv_queue_work(request_loop(u->req), &u->work, abort_off_loop, aborted);
}

static int
add_key(void *arg, struct hrw_bytes key)
{
	struct upload *u = arg;
	int rc = hrw_key_check(u->now->present, key, &u->req->fault);

	if (rc < 0)
		return rc;
	record_add(&u->records, key);
	if (u->records.failed)
		return hrw_fault(&u->req->fault, HRW_INTERNAL, "no memory for keys");
	return 0;
}

/* What needs no turn (TURN_NONE) is done at once. */
static int
upload_begin(struct request *req, bool replaces, enum turn turn)
{
	struct upload *u = calloc(1, sizeof(*u));
	int rc;

	if (u == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for keys");
	u->req = req;
	u->replaces = replaces;
	req->state = u;
	req->state_free = upload_free;
	request_keep_snapshot(req);
	rc = common_pool(req, &u->now);
	if (rc < 0)
		return rc;
	rc = common_reason(req, &u->reason);
	if (rc == 0 && turn != TURN_NONE)
		rc = turn_take(req, turn, &u->turn);
	if (rc < 0)
		return rc;
	u->pool = strdup(u->now->name);
	keyset_name(u->now->name, u->now->lineage, u->set);
	u->list = keylist_new(
	    common_keylist_form(req), req->app->config->members.limits->key_bytes, add_key, u);
	if (u->pool == NULL || u->list == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory for keys");
	return 0;
}

int
keys_put_begin(struct request *req)
{
	return upload_begin(req, true, TURN_UPLOAD);
}

int
keys_add_begin(struct request *req)
{
	return upload_begin(req, false, TURN_UPLOAD);
}

/* On the libuv pool: what was gathered goes to the stage. */
static void
stage(struct request *req)
{
	struct upload *u = req->state;

	u->rc = 0;
	if (u->staged == NULL)
		u->staged = keyset_begin(
		    req->app->keyset, u->set, u->replaces, req->app->config->keys, &req->fault);
	if (u->staged == NULL)
		u->rc = (int)req->fault.error;
	else if (u->records.len > 0)
		u->rc = keyset_stage(u->staged, buffer_bytes(&u->records), &req->fault);
	buffer_clear(&u->records);
}

static int
staged(struct request *req)
{
	struct upload *u = req->state;

	return u->rc;
}

int
keys_feed(struct request *req, struct hrw_bytes piece)
{
	struct upload *u = req->state;
	int rc;

	rc = keylist_feed(u->list, piece, &req->fault);
	if (rc < 0)
		return rc;
	return u->records.len >= BATCH ? request_background(req, stage, staged) : 0;
}

static void
put_stats(struct json_out *o, const struct keyset_stats *stats)
{
	json_put_count(o, "keys", stats->keys);
	json_put_count(o, "bytes", stats->bytes);
	json_put_count(o, "added", stats->added);
	json_put_count(o, "removed", stats->removed);
	json_put_count(o, "generation", stats->generation);
}

static void
record(struct request *req, const char *pool, const char *reason, const char *op,
    const struct keyset_stats *stats)
{
	struct buffer summary = {0};
	struct json_out o = json_out(&summary);
	char ops[64];

	json_open_object(&o, NULL);
	put_stats(&o, stats);
	json_close_object(&o);
	snprintf(ops, sizeof(ops), "[{\"op\":\"%s\"}]", op);
	if (!summary.failed)
		writer_record(
		    req->app->writer, pool, req->by, req->peer, reason, ops, buffer_text(&summary));
	buffer_fini(&summary);
	log_event(LOG_INFO, "key set changed", log_text("pool", pool), log_text("what", op),
	    log_count("keys", stats->keys), log_count("added", stats->added),
	    log_count("removed", stats->removed), log_count("generation", stats->generation),
	    REQUEST_FIELDS(req));
}

/* As with a pool's changes, one that changes nothing stands in no history. */
static int
record_and_answer(struct request *req, const char *pool, const char *reason, const char *op,
    const struct keyset_stats *stats, const struct keylist_notice *notice)
{
	struct buffer body = {0}, warnings = {0};
	struct json_out o = json_out(&body);

	if (stats->added > 0 || stats->removed > 0) {
		record(req, pool, reason, op, stats);
		missing_forget(reports_missing(req->app->reports), pool);
	}
	json_open_object(&o, NULL);
	json_put_text(&o, "pool", pool);
	put_stats(&o, stats);
	noticed_add(notice, &warnings);
	warnings_put(&o, buffer_text(&warnings));
	json_close_object(&o);
	buffer_fini(&warnings);
	return respond_json(req, 200, &body);
}

static void
commit(struct request *req)
{
	struct upload *u = req->state;
	struct keyset_upload *ending;

	stage(req);
	if (u->rc < 0)
		return;
	ending = u->staged;
	u->staged = NULL; /* freed, whatever comes */
	u->rc = keyset_commit(ending, &u->stats, &req->fault);
}

static int
committed(struct request *req)
{
	struct upload *u = req->state;

	if (u->rc < 0)
		return u->rc;
	return record_and_answer(req, u->pool, u->reason, u->replaces ? "keys-put" : "keys-add",
	    &u->stats, keylist_notice(u->list));
}

int
keys_end(struct request *req)
{
	struct upload *u = req->state;
	int rc = keylist_end(u->list, &req->fault);

	return rc < 0 ? rc : request_background(req, commit, committed);
}

/* DELETE /keys and GET /keys/stats */

static void
clear(struct request *req)
{
	struct upload *u = req->state;

	u->rc = keyset_clear(req->app->keyset, u->set, false, &u->stats, &req->fault);
}

static int
cleared(struct request *req)
{
	struct upload *u = req->state;

	if (u->rc < 0)
		return u->rc;
	return record_and_answer(
	    req, u->pool, u->reason, "keys-delete", &u->stats, keylist_notice(u->list));
}

int
keys_empty(struct request *req)
{
	int rc = upload_begin(req, true, TURN_UPLOAD);

	return rc < 0 ? rc : request_background(req, clear, cleared);
}

static void
count(struct request *req)
{
	struct upload *u = req->state;

	u->rc = keyset_stats(req->app->keyset, u->set, &u->stats, &req->fault);
}

static int
counted(struct request *req)
{
	struct upload *u = req->state;
	struct buffer body = {0};
	struct json_out o = json_out(&body);

	if (u->rc < 0)
		return u->rc;
	json_open_object(&o, NULL);
	json_put_text(&o, "pool", u->pool);
	json_put_count(&o, "keys", u->stats.keys);
	json_put_count(&o, "bytes", u->stats.bytes);
	json_put_count(&o, "generation", u->stats.generation);
	json_close_object(&o);
	return respond_json(req, 200, &body);
}

int
keys_get_stats(struct request *req)
{
	int rc = upload_begin(req, false, TURN_NONE);

	return rc < 0 ? rc : request_background(req, count, counted);
}
