/*
 * worker.c - orders reach a worker as one number and one uv_async: whatever
 * wakes it, it takes the newest snapshot and looks what it is to do.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/http/server.h"
#include "daemon/metrics/lag.h"
#include "daemon/metrics/metrics.h"
#include "daemon/routes/routes.h"
#include "daemon/threads.h"
#include "daemon/worker.h"

enum { IDLE_CHECK_MS = 10 };

enum order { SERVE, QUIESCE, STOP };

struct worker {
	uv_thread_t thread;
	uv_loop_t loop;
	uv_async_t wake;
	uv_timer_t watch; /* looks whether the last requests have ended */
	struct lag lag;
	uv_sem_t started;
	struct app app;
	struct writer_reader *reader;
	struct snapshot *current;
	int fd[CONFIG_ADDRESSES_MAX];
	size_t fd_count;
	struct http_server *server[CONFIG_ADDRESSES_MAX];
	size_t server_count, open_count;
	enum order done; /* the last order carried out */
	atomic_int order;
	atomic_bool is_asked; /* for a sign, and has not given it yet */
	atomic_bool is_idle;
	int status; /* of its start, with its fault */
	struct hrw_fault fault;
	void (*ended)(void *arg);
	void *arg;
};

static void
look_idle(uv_timer_t *watch)
{
	struct worker *w = watch->data;

	for (size_t i = 0; i < w->server_count; i++)
		if (!http_server_is_idle(w->server[i]))
			return;
	atomic_store(&w->is_idle, true);
	uv_timer_stop(watch);
}

static void
quiesce(struct worker *w)
{
	watchers_end(w->app.watchers);
	for (size_t i = 0; i < w->server_count; i++)
		http_server_quiesce(w->server[i]);
	uv_timer_start(&w->watch, look_idle, 0, IDLE_CHECK_MS);
}

/* When the servers are gone nothing else needs the loop. */
static void
close_handles(struct worker *w)
{
	uv_close((uv_handle_t *)&w->watch, NULL);
	uv_close((uv_handle_t *)&w->lag.timer, NULL);
	uv_close((uv_handle_t *)&w->wake, NULL);
	watchers_free(w->app.watchers);
	w->app.watchers = NULL;
}

static void
server_closed(void *arg)
{
	struct worker *w = arg;

	if (--w->open_count == 0)
		close_handles(w);
}

/* On the worker's own thread: so no adoption can be under way, and nobody wakes
 * a handle that is closing. */
static void
stop(struct worker *w)
{
	writer_remove_reader(w->reader);
	w->reader = NULL;
	w->open_count = w->server_count;
	if (w->open_count == 0)
		close_handles(w);
	for (size_t i = 0; i < w->server_count; i++)
		http_server_stop(w->server[i], server_closed, w);
}

static void
woken(uv_async_t *wake)
{
	struct worker *w = wake->data;
	enum order order = (enum order)atomic_load(&w->order);

	atomic_store(&w->is_asked, false);
	if (w->reader != NULL && order != STOP) {
		writer_adopt(w->reader, &w->current);
		metrics_adopt(w->app.metrics, w->current);
		watchers_tell(w->app.watchers, w->current);
	}
	if (order == w->done)
		return;
	w->done = order;
	if (order == QUIESCE)
		quiesce(w);
	else
		stop(w);
}

static void
wake_up(void *arg)
{
	struct worker *w = arg;

	uv_async_send(&w->wake);
}

static void
give_order(struct worker *w, enum order order)
{
	atomic_store(&w->order, (int)order);
	wake_up(w);
}

static int
serve(struct worker *w)
{
	for (size_t i = 0; i < w->fd_count; i++) {
		bool is_tls = config_is_tls(w->app.config, &w->app.config->http.lookup.at[i]);
		struct http_server *server = http_server_new(&w->loop, w->fd[i], LISTENER_LOOKUP,
		    is_tls, &w->app.config->http, &routes_site, &w->app, &w->current, &w->fault);

		w->fd[i] = -1;
		if (server == NULL)
			return w->fault.error;
		w->server[w->server_count++] = server;
	}
	return 0;
}

static void
run(void *arg)
{
	struct worker *w = arg;

	pthread_setname_np(pthread_self(), "lookup");
	w->status = serve(w);
	if (w->status < 0)
		stop(w);
	else
		lag_start(&w->lag, w->app.metrics);
	uv_sem_post(&w->started);
	uv_run(&w->loop, UV_RUN_DEFAULT);
	snapshot_release(w->current);
	w->current = NULL;
	w->ended(w->arg);
}

/* What is left when no thread runs. */
static void
destroy(struct worker *w)
{
	for (size_t i = 0; i < w->fd_count; i++)
		if (w->fd[i] >= 0)
			close(w->fd[i]);
	uv_sem_destroy(&w->started);
	uv_loop_close(&w->loop);
	free(w);
}

static void
no_one(void *arg)
{
	(void)arg;
}

static struct worker *
worker_new(const struct app *app, const int *fds, size_t count)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->app = *app;
	w->fd_count = count;
	for (size_t i = 0; i < count; i++)
		w->fd[i] = fds[i];
	if (uv_loop_init(&w->loop) < 0) {
		free(w);
		return NULL;
	}
	if (uv_sem_init(&w->started, 0) < 0) {
		uv_loop_close(&w->loop);
		free(w);
		return NULL;
	}
	return w;
}

struct worker *
worker_start(const struct app *app, const int *fds, size_t count, void (*ended)(void *arg),
    void *arg, struct hrw_fault *fault)
{
	struct worker *w = worker_new(app, fds, count);
	int rc;

	if (w == NULL) {
		for (size_t i = 0; i < count; i++)
			close(fds[i]);
		hrw_fault(fault, HRW_INTERNAL, "no memory for a worker");
		return NULL;
	}
	w->ended = no_one;
	uv_timer_init(&w->loop, &w->watch);
	w->watch.data = w;
	lag_init(&w->lag, &w->loop);
	rc = uv_async_init(&w->loop, &w->wake, woken);
	w->wake.data = w;
	w->app.watchers = watchers_new(&w->loop);
	if (rc == 0 && w->app.watchers != NULL)
		w->reader = writer_add_reader(app->writer, wake_up, w);
	if (w->reader != NULL)
		writer_adopt(w->reader, &w->current);
	if (w->reader == NULL) {
		hrw_fault(fault, HRW_INTERNAL, "no memory for a worker");
		goto failed;
	}
	if (uv_thread_create(&w->thread, run, w) < 0) {
		threads_fault(app->config, fault);
		goto failed;
	}
	uv_sem_wait(&w->started);
	if (w->status == 0) {
		w->ended = ended;
		w->arg = arg;
		return w;
	}
	*fault = w->fault;
	uv_thread_join(&w->thread);
	destroy(w);
	return NULL;
failed:
	if (w->reader != NULL)
		writer_remove_reader(w->reader);
	snapshot_release(w->current);
	if (rc == 0) {
		close_handles(w);
	} else {
		uv_close((uv_handle_t *)&w->watch, NULL);
		uv_close((uv_handle_t *)&w->lag.timer, NULL);
		watchers_free(w->app.watchers);
	}
	uv_run(&w->loop, UV_RUN_DEFAULT);
	destroy(w);
	return NULL;
}

void
worker_ask(struct worker *w)
{
	atomic_store(&w->is_asked, true);
	wake_up(w);
}

bool
worker_has_answered(const struct worker *w)
{
	return !atomic_load(&w->is_asked);
}

void
worker_quiesce(struct worker *w)
{
	give_order(w, QUIESCE);
}

bool
worker_is_idle(struct worker *w)
{
	return atomic_load(&w->is_idle);
}

void
worker_stop(struct worker *w)
{
	give_order(w, STOP);
}

void
worker_free(struct worker *w)
{
	uv_thread_join(&w->thread);
	destroy(w);
}
