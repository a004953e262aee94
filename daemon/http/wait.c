/*
 * wait.c - a request that waits: for work on the libuv pool, or for another part
 * of its loop.
 *
 * libmicrohttpd must never be told twice to suspend a connection, nor be stopped
 * with one that is; so `is_suspended` is set and cleared here alone. A step that
 * was resumed before it had returned never suspends at all.
 */
#include <assert.h>

#include "daemon/http/private.h"

static int
came_to(struct exchange *ex, int status)
{
	ex->is_running = false;
	if (status != REQUEST_PENDING || !ex->is_resumed)
		return status;
	ex->is_resumed = false;
	return ex->resumed;
}

int
wait_run(struct exchange *ex, int (*step)(struct request *req))
{
	ex->is_running = true;
	return came_to(ex, step(&ex->request));
}

int
wait_feed(struct exchange *ex, struct hrw_bytes piece)
{
	ex->is_running = true;
	return came_to(ex, ex->request.route->feed(&ex->request, piece));
}

void
wait_suspend(struct exchange *ex)
{
	assert(!ex->is_suspended);
	MHD_suspend_connection(ex->connection->mhd);
	ex->is_suspended = true;
	ex->server->suspended++;
	if (ex->gone != NULL)
		connection_watch(ex->connection);
}

void
wait_resume(struct exchange *ex)
{
	assert(ex->is_suspended);
	connection_unwatch(ex->connection);
	ex->gone = NULL;
	ex->is_suspended = false;
	ex->server->suspended--;
	MHD_resume_connection(ex->connection->mhd);
	wire_note(ex->connection);
	server_wake(ex->server);
}

static void
run_work(uv_work_t *work)
{
	struct exchange *ex = work->data;

	ex->work_do(&ex->request);
}

static void
work_ended(uv_work_t *work, int status)
{
	struct exchange *ex = work->data;

	(void)status; /* nobody cancels it */
	ex->is_waiting = false;
	exchange_continue(ex, wait_run(ex, ex->work_done));
}

int
request_background(
    struct request *req, void (*work)(struct request *req), int (*done)(struct request *req))
{
	struct exchange *ex = req->exchange;

	assert(!ex->is_waiting);
	ex->work_do = work;
	ex->work_done = done;
	ex->work.data = ex;
	if (uv_queue_work(ex->server->loop, &ex->work, run_work, work_ended) < 0)
		return hrw_fault(&req->fault, HRW_INTERNAL, "no thread for the request's work");
	ex->is_waiting = true;
	return REQUEST_PENDING;
}

int
request_suspend(struct request *req, void (*gone)(struct request *req))
{
	struct exchange *ex = req->exchange;

	assert(!ex->is_waiting);
	ex->is_waiting = true;
	ex->gone = gone;
	if (ex->is_suspended && gone != NULL)
		connection_watch(ex->connection);
	return REQUEST_PENDING;
}

void
request_resume(struct request *req, int status)
{
	struct exchange *ex = req->exchange;

	assert(ex->is_waiting);
	ex->is_waiting = false;
	if (ex->is_running) {
		ex->is_resumed = true;
		ex->resumed = status;
		ex->gone = NULL;
		connection_unwatch(ex->connection);
		return;
	}
	exchange_continue(ex, status);
}

void
request_go_on(struct request *req, int (*step)(struct request *req))
{
	struct exchange *ex = req->exchange;

	assert(ex->is_waiting && ex->is_suspended && !ex->is_running);
	/* What was waited for was asked for: it is no time that the answer took. */
	ex->began = uv_hrtime();
	ex->is_waiting = false;
	ex->gone = NULL;
	connection_unwatch(ex->connection);
	exchange_continue(ex, wait_run(ex, step));
}

void
wait_stop(struct exchange *ex)
{
	void (*gone)(struct request * req) = ex->gone;

	ex->gone = NULL;
	connection_unwatch(ex->connection);
	if (gone != NULL)
		gone(&ex->request);
}
