/*
 * site.c - one site a test process: Check forks for each test.
 */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

#include "daemon/app.h"
#include "daemon/http/listen.h"
#include "daemon/http/server.h"
#include "daemon/http/spool.h"
#include "daemon/members/snapshot.h"
#include "daemon/metrics/metrics.h"
#include "daemon/routes/routes.h"
#include "tests/dsl/site.h"

static pthread_t thread; /* the loop's */
atomic_int site_gone, site_freed, site_freed_on_loop;

enum { PIECE = 100000 };

static int
answer_hex(struct request *req, struct hrw_bytes bytes)
{
	struct buffer *out = request_buffer(req);

	for (size_t i = 0; i < bytes.len; i++)
		buffer_printf(out, "%02x", bytes.data[i]);
	return respond(req, 200, "text/plain", out);
}

static int
get_owner(struct request *req)
{
	struct hrw_bytes key;
	int rc = request_key(req, &key);

	respond_header(req, "Hrw-By", "%s", req->by);
	return rc < 0 ? rc : answer_hex(req, key);
}

static int
get_thing(struct request *req)
{
	return answer_hex(req, req->segment[0]);
}

static int
get_known(struct request *req)
{
	return answer_hex(req, hrw_text("known"));
}

static int
answer_length(struct request *req, uint64_t length)
{
	struct buffer out = {0};

	buffer_printf(&out, "%llu %d", (unsigned long long)length, request_type(req));
	return respond(req, 200, "text/plain", &out);
}

static int
post_whole(struct request *req)
{
	return answer_length(req, req->body.len);
}

struct feed {
	uint64_t length, pieces, fail, sum;
};

static void
feed_free(void *state)
{
	free(state);
	site_freed++;
	site_freed_on_loop += pthread_equal(pthread_self(), thread) != 0;
}

static int
begin_feed(struct request *req)
{
	struct feed *f = calloc(1, sizeof(*f));
	int64_t fail;
	int rc = request_number(req, "fail", 0, 1000000, 0, HRW_BAD_PARAMETER, &fail);

	f->fail = (uint64_t)fail;
	req->state = f;
	req->state_free = feed_free;
	return rc;
}

static void
feed_work(struct request *req)
{
	struct feed *f = req->state;

	f->pieces++;
}

static int
feed_done(struct request *req)
{
	struct feed *f = req->state;

	if (f->pieces == f->fail)
		return hrw_fault(&req->fault, HRW_BAD_KEY, "piece %llu is not liked",
		    (unsigned long long)f->pieces);
	return 0;
}

static int
feed_piece(struct request *req, struct hrw_bytes piece)
{
	struct feed *f = req->state;

	f->length += piece.len;
	return request_background(req, feed_work, feed_done);
}

static int
answer_feed(struct request *req)
{
	struct feed *f = req->state;

	return answer_length(req, f->length);
}

struct pieces {
	int64_t left;
	bool breaks;
};

static int
fill(void *state, struct buffer *out)
{
	struct pieces *p = state;

	if (p->left-- <= 0)
		return p->breaks ? HRW_INTERNAL : 0;
	for (size_t i = 0; i < PIECE; i += 10)
		buffer_add(out, "0123456789", 10);
	return 1;
}

static int
get_stream(struct request *req)
{
	struct pieces *p = calloc(1, sizeof(*p));
	int rc = request_number(req, "pieces", 0, 1000000, 3, HRW_BAD_PARAMETER, &p->left);

	if (rc == 0)
		rc = request_flag(req, "broken", &p->breaks);
	if (rc < 0) {
		free(p);
		return rc;
	}
	return respond_stream(req, 200, "text/plain", fill, p, feed_free);
}

static int
get_spool(struct request *req)
{
	struct spool *s = spool_new();
	int64_t bytes;
	int rc = request_number(req, "bytes", 0, 1 << 28, 10, HRW_BAD_PARAMETER, &bytes);

	for (int64_t i = 0; rc == 0 && i < bytes; i += 10)
		rc = spool_add(s, "0123456789", 10);
	if (rc < 0) {
		spool_free(s);
		return rc;
	}
	return respond_spool(req, 200, "text/plain", s);
}

static void
work(struct request *req)
{
	req->state = req;
}

static int
work_again(struct request *req)
{
	return answer_length(req, req->state == req ? 2 : 0);
}

static int
work_done(struct request *req)
{
	req->state = NULL;
	return request_background(req, work, work_again);
}

static int
get_work(struct request *req)
{
	return request_background(req, work, work_done);
}

struct wait {
	uv_timer_t timer;
	struct request *req;
};

static void
wait_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void
wait_ended(uv_timer_t *timer)
{
	struct wait *w = timer->data;
	struct request *req = w->req;

	req->state = NULL;
	uv_close((uv_handle_t *)timer, wait_closed);
	request_resume(req, answer_length(req, 0));
}

static void
wait_gone(struct request *req)
{
	struct wait *w = req->state;

	site_gone++;
	uv_timer_stop(&w->timer);
	wait_ended(&w->timer);
}

static int
get_wait(struct request *req)
{
	struct wait *w = calloc(1, sizeof(*w));
	int64_t ms;

	request_number(req, "ms", 0, 1000000, 10, HRW_BAD_PARAMETER, &ms);
	w->req = req;
	w->timer.data = w;
	req->state = w;
	uv_timer_init(request_loop(req), &w->timer);
	uv_timer_start(&w->timer, wait_ended, (uint64_t)ms, 0);
	return request_suspend(req, wait_gone);
}

static int
get_at_once(struct request *req)
{
	int status = request_suspend(req, wait_gone);

	request_resume(req, answer_length(req, 1));
	return status;
}

static int
get_status(struct request *req)
{
	struct hrw_bytes code = request_parameter(req, "code");
	char text[64];
	int64_t status;
	int rc = request_number(req, "status", 200, 599, 200, HRW_BAD_PARAMETER, &status);

	if (rc < 0)
		return rc;
	if (code.data == NULL)
		return respond_empty(req, (unsigned)status);
	snprintf(text, sizeof(text), "%.*s", (int)code.len, (const char *)code.data);
	return hrw_fault(&req->fault, (enum hrw_error)hrw_error_from_code(text), "as asked");
}

static int
get_nothing(struct request *req)
{
	(void)req;
	return 0;
}

static const struct route rows[] = {
    {METHOD_GET, "/owner", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_owner, "key pool", NULL, "", NULL, NULL, NULL},
    {METHOD_GET, "/thing/{name}", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_thing, "", NULL, "", NULL, NULL, NULL},
    {METHOD_GET, "/thing/known", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_known, "", NULL, "", NULL, NULL, NULL},
    {METHOD_POST, "/thing/{name}", LISTENER_ADMIN, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_thing, "", NULL, "", NULL, NULL, NULL},
    {METHOD_POST, "/whole", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_WHOLE, NULL, NULL,
	post_whole, "", "application/json text/plain", "", NULL, NULL, NULL},
    {METHOD_POST, "/feed", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_STREAM, begin_feed,
	feed_piece, answer_feed, "fail", "text/plain", "", NULL, NULL, NULL},
    {METHOD_PUT, "/long", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_LONG, begin_feed,
	feed_piece, answer_feed, "fail", "text/plain", "", NULL, NULL, NULL},
    {METHOD_GET, "/stream", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_stream, "pieces broken", NULL, "", NULL, NULL, NULL},
    {METHOD_GET, "/spool", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_spool, "bytes", NULL, "", NULL, NULL, NULL},
    {METHOD_GET, "/work", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL, get_work,
	"", NULL, "", NULL, NULL, NULL},
    {METHOD_GET, "/wait", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL, get_wait,
	"ms", NULL, "", NULL, NULL, NULL},
    {METHOD_GET, "/at-once", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_at_once, "", NULL, "", NULL, NULL, NULL},
    {METHOD_GET, "/status", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_status, "code status", NULL, "", NULL, NULL, NULL},
    {METHOD_GET, "/nothing", LISTENER_BOTH, ROLE_READ, REACH_NOTHING, BODY_NONE, NULL, NULL,
	get_nothing, "", NULL, "", NULL, NULL, NULL},
};

static struct app app;
static struct snapshot *current; /* of site_start_pools() */
static uv_loop_t loop;
static uv_async_t wake;
static uv_timer_t poll_idle;
static struct http_server *server;
static bool is_graceful;

static void
server_closed(void *arg)
{
	(void)arg;
	uv_close((uv_handle_t *)&wake, NULL);
	uv_close((uv_handle_t *)&poll_idle, NULL);
}

static void
when_idle(uv_timer_t *timer)
{
	if (!http_server_is_idle(server))
		return;
	uv_timer_stop(timer);
	http_server_stop(server, server_closed, NULL);
}

static void
on_wake(uv_async_t *async)
{
	(void)async;
	if (is_graceful) {
		http_server_quiesce(server);
		uv_timer_start(&poll_idle, when_idle, 5, 5);
	} else {
		http_server_stop(server, server_closed, NULL);
	}
}

static void *
run(void *arg)
{
	uv_run(&loop, UV_RUN_DEFAULT);
	return arg;
}

static struct http_site site;

static const char *
start(const char *address, enum listener listener, void (*change)(struct config *c),
    const struct route *table, size_t row_count)
{
	static char base[160], bound[128];
	struct hrw_fault fault = {0};
	struct config *config = config_new();
	int fd;

	if (change != NULL)
		change(config);
	app.config = config;
	uv_loop_init(&loop);
	uv_async_init(&loop, &wake, on_wake);
	uv_timer_init(&loop, &poll_idle);
	ck_assert_msg(listen_open(address, NULL, 1, &fd, bound, &fault) == 0, "%s", fault.detail);
	site = routes_site;
	site.routes = table;
	site.route_count = row_count;
	server = http_server_new(
	    &loop, fd, listener, false, &config->http, &site, &app, &current, &fault);
	ck_assert_msg(server != NULL, "%s", fault.detail);
	ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
	snprintf(base, sizeof(base), "%s%s", bound[0] == 'u' ? "" : "http://", bound);
	return base;
}

const char *
site_start(enum listener listener, void (*change)(struct config *c))
{
	return start("127.0.0.1:0", listener, change, rows, sizeof(rows) / sizeof(rows[0]));
}

const char *
site_start_pools(struct snapshot *pools)
{
	current = pools;
	app.metrics = metrics_new(routes, route_count);
	return start("127.0.0.1:0", LISTENER_LOOKUP, NULL, routes, route_count);
}

const char *
site_start_unix(const char *path, enum listener listener, void (*change)(struct config *c))
{
	char address[128];

	snprintf(address, sizeof(address), "unix:%s", path);
	return start(address, listener, change, rows, sizeof(rows) / sizeof(rows[0]));
}

static void
stop(bool gracefully)
{
	is_graceful = gracefully;
	uv_async_send(&wake);
	pthread_join(thread, NULL);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	config_free((struct config *)(uintptr_t)app.config);
	metrics_free(app.metrics);
	app.metrics = NULL;
	snapshot_release(current);
	current = NULL;
	listen_unlink();
}

void
site_stop(void)
{
	stop(true);
}

void
site_stop_now(void)
{
	stop(false);
}
