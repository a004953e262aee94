/*
 * loop.c - the main thread: opens everything, runs, and closes it in order.
 *
 * What ends is polled by one timer, step by step: first no new connections; then,
 * when the requests under way, the writer and the reports are done, the servers
 * and the workers; then the rest. So a start that fails half-way ends by the
 * same steps.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/app.h"
#include "daemon/base/log.h"
#include "daemon/base/wall.h"
#include "daemon/begin.h"
#include "daemon/drift.h"
#include "daemon/http/accept.h"
#include "daemon/http/listen.h"
#include "daemon/http/own_socket.h"
#include "daemon/http/server.h"
#include "daemon/loop.h"
#include "daemon/members/clock.h"
#include "daemon/members/keys_owner.h"
#include "daemon/members/secrets.h"
#include "daemon/members/warnings.h"
#include "daemon/memory.h"
#include "daemon/metrics/lag.h"
#include "daemon/metrics/metrics.h"
#include "daemon/notify.h"
#include "daemon/routes/routes.h"
#include "daemon/sockets.h"
#include "daemon/threads.h"
#include "daemon/watchdog.h"
#include "daemon/worker.h"

enum { LOOK_MS = 10, FOLLOW_MS = 1000, FLUSH_MS = 1000 };

enum phase { RUNNING, FINISHING, CLOSING, CLOSED };

struct daemon {
	struct config *config;
	struct app app;
	uv_loop_t loop;
	uv_timer_t look;   /* at what is left to end, or of a reload */
	uv_timer_t follow; /* what happens to the files of the store */
	uv_signal_t term, interrupt, hangup;
	uv_work_t follow_work;
	bool is_following; /* follow_work is under way */
	bool has_file_changed;
	struct watchdog dog;
	struct lag lag;
	struct memory memory;
	struct clock clock;
	uv_timer_t flush; /* of the log */
	struct sockets sockets;
	struct buffer status; /* for the service manager */
	struct store_file_rules file_rules;
	struct worker *worker[WORKERS_MAX];
	size_t worker_count;
	atomic_size_t workers_ended;
	struct http_server *admin[CONFIG_ADDRESSES_MAX + 1]; /* one for health checks */
	size_t admin_count, admin_closed;
	enum phase phase;
	uint64_t deadline; /* of requests under way, by the loop's clock */
};

/* On the main loop, where admin listeners are. */
static void
published(void *arg)
{
	struct daemon *d = arg;
	const struct snapshot *s = *writer_snapshot(d->app.writer);

	metrics_adopt(d->app.metrics, s);
	watchers_tell(d->app.watchers, s);
	clock_look(&d->clock, d->app.writer);
}

static void
admin_closed(void *arg)
{
	struct daemon *d = arg;

	d->admin_closed++;
}

/* From a worker's thread. */
static void
worker_ended(void *arg)
{
	struct daemon *d = arg;

	atomic_fetch_add(&d->workers_ended, 1);
}

static bool
are_requests_done(const struct daemon *d)
{
	for (size_t i = 0; i < d->worker_count; i++)
		if (!worker_is_idle(d->worker[i]))
			return false;
	for (size_t i = 0; i < d->admin_count; i++)
		if (!http_server_is_idle(d->admin[i]))
			return false;
	return true;
}

/* No answer is owed any more, or the time is over; never amid a change. */
static bool
is_finished(struct daemon *d)
{
	if (d->app.writer != NULL && !writer_is_idle(d->app.writer))
		return false;
	return are_requests_done(d) || uv_now(&d->loop) >= d->deadline;
}

static void
close_servers(struct daemon *d)
{
	if (!are_requests_done(d))
		log_warn("requests still under way are cut: limits.stop_seconds is over");
	for (size_t i = 0; i < d->admin_count; i++)
		http_server_stop(d->admin[i], admin_closed, d);
	for (size_t i = 0; i < d->worker_count; i++)
		worker_stop(d->worker[i]);
	if (d->app.reports != NULL)
		reports_stop(d->app.reports);
}

static bool
is_closed(const struct daemon *d)
{
	return d->admin_closed == d->admin_count && !d->is_following &&
	       atomic_load(&d->workers_ended) == d->worker_count &&
	       (d->app.reports == NULL || reports_is_idle(d->app.reports)) &&
	       (d->app.writer == NULL || writer_is_idle(d->app.writer));
}

static void
close_rest(struct daemon *d)
{
	uv_handle_t *const handles[] = {(uv_handle_t *)&d->look, (uv_handle_t *)&d->follow,
	    (uv_handle_t *)&d->dog.timer, (uv_handle_t *)&d->lag.timer,
	    (uv_handle_t *)&d->memory.timer, (uv_handle_t *)&d->clock.timer,
	    (uv_handle_t *)&d->flush, (uv_handle_t *)&d->term, (uv_handle_t *)&d->interrupt,
	    (uv_handle_t *)&d->hangup};

	for (size_t i = 0; i < d->worker_count; i++)
		worker_free(d->worker[i]);
	listen_unlink();
	if (d->app.reports != NULL)
		reports_free(d->app.reports);
	if (d->app.writer != NULL)
		writer_free(d->app.writer);
	watchers_free(d->app.watchers);
	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++)
		uv_close(handles[i], NULL);
}

static void
look(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	/* A plain-file store is read again by the writer, behind what it has to do. */
	if (d->phase == RUNNING && writer_is_idle(d->app.writer)) {
		notify_ready(buffer_text(&d->status));
		uv_timer_stop(timer);
	}
	if (d->phase == FINISHING && is_finished(d)) {
		close_servers(d);
		d->phase = CLOSING;
	}
	if (d->phase == CLOSING && is_closed(d)) {
		close_rest(d);
		d->phase = CLOSED;
	}
}

static void
finish(struct daemon *d, unsigned seconds)
{
	d->phase = FINISHING;
	d->deadline = uv_now(&d->loop) + (uint64_t)seconds * 1000;
	watchdog_stop(&d->dog);
	uv_timer_stop(&d->follow);
	clock_stop(&d->clock);
	if (d->app.watchers != NULL)
		watchers_end(d->app.watchers);
	for (size_t i = 0; i < d->admin_count; i++)
		http_server_quiesce(d->admin[i]);
	for (size_t i = 0; i < d->worker_count; i++)
		worker_quiesce(d->worker[i]);
	uv_timer_start(&d->look, look, 0, LOOK_MS);
}

static void
end_signal(uv_signal_t *signal, int number)
{
	struct daemon *d = signal->data;

	if (d->phase != RUNNING)
		_exit(EXIT_FAILURE);
	log_info("%s: finishing the requests under way", strsignal(number));
	notify_stopping();
	finish(d, d->config->http.stop_seconds);
}

/* What the service manager shows: the listeners, and what a reload met with. */
static void
tell_status(struct daemon *d, const char *fault)
{
	buffer_clear(&d->status);
	buffer_add_text(&d->status, buffer_text(&d->sockets.names));
	if (fault != NULL)
		buffer_printf(&d->status, "; reload failed: %s", fault);
}

static void
reload_signal(uv_signal_t *signal, int number)
{
	struct daemon *d = signal->data;
	struct hrw_fault fault = {0};
	struct buffer fixed = {0};

	(void)number;
	if (d->phase != RUNNING)
		return;
	notify_reloading();
	tell_status(d, NULL);
	if (config_reload(d->config, &fixed, &fault) < 0) {
		log_error("%s; the configuration stays as it was", fault.detail);
		metrics_reload_failed(d->app.metrics);
		tell_status(d, fault.detail);
	} else {
		log_set(d->config->log_level, d->config->log_is_json);
		log_info("the configuration was read again");
		if (fixed.len > 0)
			log_warn("%s cannot change while hrwd runs: restart it for that",
			    buffer_text(&fixed));
	}
	buffer_fini(&fixed);
	secrets_look();
	if (d->config->store == CONFIG_STORE_FILE)
		writer_reload(d->app.writer);
	uv_timer_start(&d->look, look, 0, LOOK_MS);
}

/* On the libuv pool: it may block on a disk. */
static void
follow_look(uv_work_t *work)
{
	struct daemon *d = work->data;

	d->has_file_changed = store_has_changed(d->app.store);
	keyset_look(d->app.keyset);
}

static void
follow_looked(uv_work_t *work, int status)
{
	struct daemon *d = work->data;

	d->is_following = false;
	if (status == 0 && d->has_file_changed && d->phase == RUNNING)
		writer_reload(d->app.writer);
}

static void
follow(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	if (d->is_following)
		return;
	d->follow_work.data = d;
	d->is_following = uv_queue_work(&d->loop, &d->follow_work, follow_look, follow_looked) == 0;
}

/* The key sets' file, beside the store: hrwd.db -> hrwd-keys.db. */
static int
open_keyset(struct daemon *d, struct hrw_fault *fault)
{
	static const char suffix[] = ".db";
	const char *store = d->config->members.store_path;
	size_t len = strlen(store), end = sizeof(suffix) - 1;
	struct buffer path = {0};

	if (d->config->store == CONFIG_STORE_FILE) {
		d->app.keyset = keyset_open(NULL, fault);
	} else {
		if (len > end && strcmp(store + len - end, suffix) == 0)
			len -= end;
		buffer_printf(&path, "%.*s-keys%s", (int)len, store, suffix);
		d->app.keyset = keyset_open(buffer_text(&path), fault);
		buffer_fini(&path);
	}
	return d->app.keyset == NULL ? (int)fault->error : 0;
}

static int
open_store(struct daemon *d, struct hrw_fault *fault)
{
	const struct config *c = d->config;
	bool is_new = false;

	if (c->store == CONFIG_STORE_FILE)
		d->app.store = store_open_file(c->members.store_path, &d->file_rules, fault);
	else
		d->app.store =
		    store_open_sqlite(c->members.store_path, c->store_create, &is_new, fault);
	if (d->app.store == NULL)
		return fault->error;
	log_info("store %s (%s)", c->members.store_path,
	    c->store == CONFIG_STORE_FILE ? "a plain file, read only"
	    : is_new			  ? "new"
					  : "as it was left");
	return open_keyset(d, fault);
}

/* Which pools were not made by this process: what it does not know of their lookups
 * counts as a lookup of now. */
static void
find_pools(struct daemon *d, int64_t began_ms)
{
	const struct snapshot *s = *writer_snapshot(d->app.writer);

	for (size_t i = 0; i < s->count; i++)
		if (s->pool[i]->made_ms < began_ms || d->config->store == CONFIG_STORE_FILE)
			metrics_found(d->app.metrics, s->pool[i]);
}

/* Of all pools, wherever they come from. */
static void
tell_warnings(const struct snapshot *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->pool[i]->warnings[0] != '\0')
			warnings_find(s->pool[i]->present, warnings_log, s->pool[i]->name);
}

/* Memberships before anyone is served: nothing is answered from an empty state. */
static int
load(struct daemon *d, struct hrw_fault *fault)
{
	int64_t began_ms = wall_ms();
	int rc = open_store(d, fault);

	if (rc < 0)
		return rc;
	d->app.writer = writer_new(&d->loop, &d->config->members, d->app.store, fault);
	if (d->app.writer == NULL)
		return fault->error;
	d->app.reports = reports_new(&d->loop, &d->config->members, d->app.store, d->app.keyset);
	d->app.metrics = metrics_new(routes, route_count);
	d->app.watchers = watchers_new(&d->loop);
	if (d->app.reports == NULL || d->app.metrics == NULL || d->app.watchers == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory to start");
	writer_on_publish(d->app.writer, published, d);
	keys_owner_settle(d->app.keyset, d->app.store, *writer_snapshot(d->app.writer));
	drift_tell(&d->app, *writer_snapshot(d->app.writer));
	tell_warnings(*writer_snapshot(d->app.writer));
	find_pools(d, began_ms);
	return 0;
}

/* Starts worker number `i` on its socket of each address. */
static int
start_worker(struct daemon *d, size_t i, struct hrw_fault *fault)
{
	struct app app = d->app;
	int own[CONFIG_ADDRESSES_MAX];
	struct worker *worker;

	app.metrics = metrics_join(d->app.metrics);
	if (app.metrics == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "no memory to start");
	for (size_t k = 0; k < d->config->http.lookup.count; k++)
		own[k] = sockets_take(&d->sockets.lookup[k][i]);
	worker = worker_start(&app, own, d->config->http.lookup.count, worker_ended, d, fault);
	if (worker == NULL)
		return fault->error;
	d->worker[d->worker_count++] = worker;
	return 0;
}

static int
serve_lookup(struct daemon *d, struct hrw_fault *fault)
{
	const struct config *c = d->config;
	int rc = 0;

	for (size_t i = 0; i < c->http.workers && c->http.lookup.count > 0 && rc == 0; i++)
		rc = start_worker(d, i, fault);
	return rc;
}

static int
serve_admin(struct daemon *d, struct hrw_fault *fault)
{
	const struct config_addresses *list = &d->config->http.admin;

	for (size_t i = 0; i < list->count; i++) {
		d->admin[i] = http_server_new(&d->loop, sockets_take(&d->sockets.admin[i]),
		    LISTENER_ADMIN, config_is_tls(d->config, &list->at[i]), &d->config->http,
		    &routes_site, &d->app, writer_snapshot(d->app.writer), fault);
		if (d->admin[i] == NULL)
			return fault->error;
		d->admin_count++;
	}
	return 0;
}

/* A listener of reads for this user's health check, where the others speak TLS. */
static int
serve_health(struct daemon *d, struct hrw_fault *fault)
{
	int fd;

	if (d->sockets.health[0] == '\0')
		return 0;
	fd = own_socket_listen(d->sockets.health);
	if (fd < 0) {
		log_warn("another process has the name of the socket for hrwd --health, which "
			 "asks %s over TLS instead: with tls.client_ca that fails",
		    d->sockets.health);
		return 0;
	}
	d->admin[d->admin_count] = http_server_new(&d->loop, fd, LISTENER_LOOKUP, false,
	    &d->config->http, &routes_site, &d->app, writer_snapshot(d->app.writer), fault);
	if (d->admin[d->admin_count] == NULL)
		return fault->error;
	d->admin_count++;
	return 0;
}

static void
flush(uv_timer_t *timer)
{
	(void)timer;
	log_flush();
}

static int
start(struct daemon *d, struct hrw_fault *fault)
{
	const struct config *c = d->config;
	int rc = sockets_open(&d->sockets, c, fault);

	if (rc == 0)
		rc = load(d, fault);
	if (rc == 0)
		rc = serve_lookup(d, fault);
	if (rc == 0)
		rc = serve_admin(d, fault);
	if (rc == 0)
		rc = serve_health(d, fault);
	if (rc < 0)
		return rc;
	uv_signal_start(&d->term, end_signal, SIGTERM);
	uv_signal_start(&d->interrupt, end_signal, SIGINT);
	uv_signal_start(&d->hangup, reload_signal, SIGHUP);
	begin_signals();
	uv_timer_start(&d->follow, follow, FOLLOW_MS, FOLLOW_MS);
	log_info("ready: %s", buffer_text(&d->sockets.names));
	lag_start(&d->lag, d->app.metrics);
	memory_start(&d->memory);
	clock_look(&d->clock, d->app.writer);
	uv_timer_start(&d->flush, flush, FLUSH_MS, FLUSH_MS);
	watchdog_start(&d->dog, d->worker, d->worker_count);
	tell_status(d, NULL);
	notify_ready(buffer_text(&d->status));
	return 0;
}

static void
init_handles(struct daemon *d)
{
	uv_timer_init(&d->loop, &d->look);
	uv_timer_init(&d->loop, &d->follow);
	watchdog_init(&d->dog, &d->loop);
	lag_init(&d->lag, &d->loop);
	memory_init(&d->memory, &d->loop);
	clock_init(&d->clock, &d->loop);
	uv_timer_init(&d->loop, &d->flush);
	uv_signal_init(&d->loop, &d->term);
	uv_signal_init(&d->loop, &d->interrupt);
	uv_signal_init(&d->loop, &d->hangup);
	d->look.data = d->follow.data = d;
	d->term.data = d->interrupt.data = d->hangup.data = d;
}

int
loop_run(struct config *config, struct hrw_fault *fault)
{
	struct daemon d = {.config = config,
	    .app = {.config = config},
	    .file_rules = {&config->http.json_bytes, &config->allow_empty}};
	int rc;

	log_set(config->log_level, config->log_is_json);
	rc = accept_check(&config->http, fault);
	if (rc == 0)
		rc = threads_make(config, fault);
	if (rc < 0) {
		notify_status(fault->detail);
		return rc;
	}
	if (uv_loop_init(&d.loop) < 0)
		return hrw_fault(fault, HRW_INTERNAL, "no event loop can be made");
	init_handles(&d);
	rc = start(&d, fault);
	if (rc < 0) {
		notify_status(fault->detail);
		finish(&d, 0);
	}
	uv_run(&d.loop, UV_RUN_DEFAULT);
	uv_loop_close(&d.loop);
	if (d.app.keyset != NULL)
		keyset_close(d.app.keyset);
	if (d.app.store != NULL)
		store_close(d.app.store);
	metrics_free(d.app.metrics);
	sockets_fini(&d.sockets);
	buffer_fini(&d.status);
	if (rc == 0)
		log_info("ended");
	return rc;
}
