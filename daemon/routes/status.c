/*
 * status.c - how the daemon is: for probes, for people, for Prometheus.
 */
#include <stdlib.h>
#include <time.h>

#include "daemon/members/snapshot.h"
#include "daemon/metrics/metrics.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"

static const char plain[] = "text/plain; charset=utf-8";

/* GET /livez: whoever answers is alive. */
int
status_live(struct request *req)
{
	struct buffer *body = request_buffer(req);

	buffer_add_text(body, "ok\n");
	respond_text(req, "Cache-Control", "no-store");
	return respond(req, 200, plain, body);
}

/* ?verbose, alone or as true or false. */
static int
is_verbose(struct request *req, bool *out)
{
	struct hrw_bytes value = request_parameter(req, "verbose");

	if (value.data != NULL && value.len == 0) {
		*out = true;
		return 0;
	}
	return request_flag(req, "verbose", out);
}

/* What would be changed now is gone with the next start. */
#define LOST                                                                                       \
	"failed %s: the %s was removed, moved or replaced while the daemon runs: put it back, or " \
	"restart the daemon\n"

/* The last good pools are as good as before, so the daemon is ready; but whoever looks
 * is told. The fault names files and nodes: only for who may see all of them. */
static void
tell_reading(struct request *req, struct buffer *body)
{
	bool is_open =
	    req->listener == LISTENER_ADMIN && atomic_load(&req->app->config->http.tokens) == NULL;
	struct store_reading reading;

	store_reading(req->app->store, &reading);
	if (reading.is_failing)
		buffer_printf(body, "warning file: the last good pools are served: %s\n",
		    is_open ? reading.detail : "the log says why");
}

/* GET /readyz: 503 until every pool's membership is loaded, and while a file of the store
 * is not where it was opened. */
int
status_ready(struct request *req)
{
	const struct snapshot *s = req->snapshot;
	bool is_store_lost = store_is_lost(req->app->store);
	bool are_keys_lost = keyset_is_lost(req->app->keyset);
	bool is_ready = s->is_ready && !is_store_lost && !are_keys_lost;
	struct buffer *body;
	bool verbose;
	int rc;

	rc = is_verbose(req, &verbose);
	if (rc < 0)
		return rc;
	body = request_buffer(req);
	if (!verbose)
		buffer_add_text(body, is_ready ? "ok\n" : "not ready\n");
	else if (s->is_ready)
		buffer_printf(body, "ok pools: the memberships of %zu %s are loaded\n", s->count,
		    s->count == 1 ? "pool" : "pools");
	else
		buffer_printf(body, "failed pools: %zu %s loaded, more are awaited\n", s->count,
		    s->count == 1 ? "membership is" : "memberships are");
	if (verbose && is_store_lost)
		buffer_printf(body, LOST, "store", "store");
	if (verbose && are_keys_lost)
		buffer_printf(body, LOST, "keys", "key-set file");
	if (verbose)
		tell_reading(req, body);
	if (verbose)
		buffer_add_text(body, is_ready ? "ready\n" : "not ready\n");
	respond_text(req, "Cache-Control", "no-store");
	return respond(req, is_ready ? 200 : 503, plain, body);
}

/* GET /version */
int
status_version(struct request *req)
{
	struct buffer body = {0};
	struct json_out o = json_out(&body);

	json_open_object(&o, NULL);
	json_put_text(&o, "name", "hrwd");
	json_put_text(&o, "version", HRW_VERSION);
	json_open_array(&o, "placements");
	for (size_t i = 0; hrw_placements[i] != NULL; i++)
		json_put_text(&o, NULL, hrw_placements[i]->name);
	json_close_array(&o);
	json_close_object(&o);
	return respond_json(req, 200, &body);
}

/* GET /status */
int
status_get(struct request *req)
{
	const struct config *c = req->app->config;
	int64_t started = metrics_started(req->app->metrics);
	struct buffer body = {0};
	struct json_out o = json_out(&body);
	struct store_reading reading;

	store_reading(req->app->store, &reading);
	json_open_object(&o, NULL);
	json_put_text(&o, "version", HRW_VERSION);
	json_put_bool(&o, "is_ready", req->snapshot->is_ready);
	json_put_time(&o, "started", started * 1000);
	json_put_int(&o, "uptime_seconds", (int64_t)time(NULL) - started);
	json_open_object(&o, "store");
	json_put_text(&o, "kind", c->store == CONFIG_STORE_FILE ? "file" : "sqlite");
	json_put_text(&o, "path", c->members.store_path);
	json_put_bool(&o, "is_writable", store_is_writable(req->app->store));
	if (reading.is_failing)
		json_put_time(&o, "failing_since", reading.since * 1000);
	json_close_object(&o);
	json_close_object(&o);
	respond_text(req, "Cache-Control", "no-store");
	return respond_json(req, 200, &body);
}

struct scraping {
	struct buffer body;
};

static void
scraping_free(void *state)
{
	struct scraping *s = state;

	buffer_fini(&s->body);
	free(s);
}

static void
scrape(struct request *req)
{
	struct scraping *s = req->state;

	metrics_write(req->app, req->snapshot, req->token, &s->body);
}

static int
scraped(struct request *req)
{
	struct scraping *s = req->state;

	return respond(req, 200, "text/plain; version=0.0.4; charset=utf-8", &s->body);
}

/* GET /metrics: samples of each node of each pool. */
int
status_metrics(struct request *req)
{
	struct scraping *s = calloc(1, sizeof(*s));
	size_t nodes = 0;

	if (s == NULL)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory");
	req->state = s;
	req->state_free = scraping_free;
	for (size_t i = 0; i < req->snapshot->count; i++)
		nodes += req->snapshot->pool[i]->present->count;
	return common_make(req, nodes, scrape, scraped);
}
