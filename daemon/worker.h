/*
 * worker.h - one thread that answers lookups.
 *
 * A loop, a server a listening socket, and a reference of its own to the
 * present snapshot, swapped on its own loop: so a lookup takes no lock.
 */
#ifndef HRWD_WORKER_H
#define HRWD_WORKER_H

#include "daemon/app.h"

struct worker;

/* Starts a thread; returns when it serves.
 *   app     copied; metrics is the worker's own place
 *   fds     one listening socket for each lookup address of the configuration, in
 *           its order; taken, whatever comes
 *   ended   called from the worker's thread when its loop has ended
 *   errors  NULL with the fault filled: no thread is left */
struct worker *worker_start(const struct app *app, const int *fds, size_t count,
    void (*ended)(void *arg), void *arg, struct hrw_fault *fault);

/* Asks for a sign that its loop turns, and whether it gave the one it was last
 * asked for. On the main thread, before worker_stop(). */
void worker_ask(struct worker *w);
bool worker_has_answered(const struct worker *w);

/* Takes no new connections. Any thread, like the next two. */
void worker_quiesce(struct worker *w);
/* After a quiesce: is no request under way? Seen within some milliseconds. */
bool worker_is_idle(struct worker *w);
/* Cuts what is left; `ended` follows. */
void worker_stop(struct worker *w);

/* After `ended`: joins the thread and frees it. On the main thread. */
void worker_free(struct worker *w);

#endif
