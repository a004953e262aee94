/*
 * watch.c - GET /watch: a pool as a stream of server-sent events.
 *
 * A client is sent the whole pool to begin with, then each later version in
 * turn. A version that the loop never had, because several changes were
 * published together or the client was slow or away, is read from the store;
 * where that has it no more, or too many were missed, the whole pool is sent
 * anew. So a client holds up nothing here but the one event that it reads.
 *
 * Source: WHATWG HTML, 9.2 (server-sent events).
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "daemon/http/watching.h"
#include "daemon/members/document.h"
#include "daemon/routes/common.h"
#include "daemon/routes/handlers.h"
#include "daemon/routes/watch_event.h"

enum {
	BEAT_SECONDS = 15,
	BEAT_SECONDS_MAX = 300,
	MISSED_MAX = 100, /* changes that are told one by one to who was away */
};

struct watch {
	struct watcher watcher;
	struct request *req;
	enum listener listener;
	char *name;
	char lineage[POOL_LINEAGE + 1];
	uint64_t epoch;		   /* that the client has; 0: none */
	struct pool *sent;	   /* the same, while it is the present one; NULL: to be read */
	struct pool *newest;	   /* what is to be told, step by step */
	struct watch_event *event; /* being sent, or made to be sent next */
	uint64_t beat_ms;
	bool has_begun, has_ended;
	bool is_making; /* on the libuv pool: what is above is not to be touched */
	bool is_due;	/* a comment line, to say that the connection lives */
	char text[HRW_NAME_BYTES_MAX + 64];
};

static void
watch_free(void *state)
{
	struct watch *w = state;

	watcher_leave(&w->watcher);
	watching_leave(w->listener);
	watch_event_release(w->event);
	if (watching_count(LISTENER_LOOKUP) + watching_count(LISTENER_ADMIN) == 0)
		watch_events_forget();
	pool_release(w->sent);
	pool_release(w->newest);
	free(w->name);
	free(w);
}

static void
news(struct watcher *watcher, enum watch_news what)
{
	struct watch *w = (struct watch *)watcher; /* its first member */

	w->is_due = w->is_due || what == WATCH_DUE;
	/* Whoever still reads is slow: a version that is past is not kept for it. While
	 * an event is made, `event` is not ours to look at. */
	if (what == WATCH_POOL && !w->is_making && w->event != NULL) {
		pool_release(w->sent);
		w->sent = NULL;
	}
	request_news(w->req);
}

static struct pool *
load(struct watch *w, uint64_t epoch)
{
	struct hrw_fault fault;
	char *document = store_document(w->req->app->store, w->name, w->lineage, epoch, &fault);
	struct pool *pool = document != NULL ? document_load(w->name, document, &fault) : NULL;

	free(document);
	return pool;
}

/* What is told next: the change after the one that the client has, or else
 * (before is 0) the whole pool. */
struct step {
	uint64_t before, epoch;
};

static struct step
next_step(const struct watch *w)
{
	uint64_t newest = w->newest->epoch;

	if (w->epoch == 0 || w->epoch > newest || newest - w->epoch > MISSED_MAX)
		return (struct step){0, newest};
	return (struct step){w->epoch, w->epoch + 1};
}

static struct watch_event *
make_change(struct watch *w, struct step step)
{
	struct watch_event *event = NULL;
	struct pool *pool =
	    step.epoch == w->newest->epoch ? pool_acquire(w->newest) : load(w, step.epoch);

	if (pool != NULL && w->sent == NULL)
		w->sent = load(w, step.before);
	if (pool != NULL && w->sent != NULL)
		event = watch_event_new(w->sent, pool);
	pool_release(pool);
	return event;
}

static void
make(void *state)
{
	struct watch *w = state;
	struct step step = next_step(w);

	if (step.before != 0)
		w->event = make_change(w, step);
	/* The store has it no more. */
	if (w->event == NULL)
		w->event = watch_event_new(NULL, w->newest);
}

/* The client is about to have the version of the event. */
static enum live_step
send_event(struct watch *w, struct pool *now, struct hrw_bytes *piece)
{
	pool_release(w->sent);
	w->sent = NULL;
	w->epoch = watch_event_epoch(w->event);
	if (w->newest == now && w->epoch == now->epoch)
		w->sent = pool_acquire(now);
	pool_release(w->newest);
	w->newest = NULL;
	watcher_due(&w->watcher, w->beat_ms);
	w->is_due = false;
	*piece = watch_event_bytes(w->event);
	return LIVE_PIECE;
}

static enum live_step
say(struct watch *w, const char *text, struct hrw_bytes *piece)
{
	watcher_due(&w->watcher, w->beat_ms);
	w->is_due = false;
	*piece = hrw_text(text);
	return LIVE_PIECE;
}

static enum live_step
next(void *state, struct hrw_bytes *piece)
{
	struct watch *w = state;
	bool was_making = w->is_making;
	struct step step;
	struct pool *now;

	w->is_making = false;
	if (!was_making) {
		watch_event_release(w->event);
		w->event = NULL;
	}
	if (w->has_ended || watchers_are_ending(w->req->app->watchers) ||
	    !request_still_may(w->req) || (was_making && w->event == NULL))
		return LIVE_END;
	request_renew_snapshot(w->req);
	now = (struct pool *)snapshot_pool(w->req->snapshot, hrw_text(w->name));
	if (!w->has_begun) {
		w->has_begun = true;
		return say(w, "retry: 1000\n\n", piece);
	}
	if (w->event != NULL)
		return send_event(w, now, piece);
	/* One made anew under the name is another pool. */
	if (now == NULL || strcmp(now->lineage, w->lineage) != 0) {
		w->has_ended = true;
		snprintf(w->text, sizeof(w->text), "event: dropped\ndata: {\"name\":\"%s\"}\n\n",
		    w->name);
		return say(w, w->text, piece);
	}
	if (now->epoch == w->epoch)
		return w->is_due ? say(w, ":\n\n", piece) : LIVE_WAIT;
	pool_release(w->newest);
	w->newest = pool_acquire(now);
	step = next_step(w);
	w->event = watch_event_find(step.before, step.epoch, w->lineage);
	if (w->event != NULL)
		return send_event(w, now, piece);
	w->is_making = true;
	return LIVE_MAKE;
}

static const struct live live = {.next = next, .make = make, .free = watch_free};

/* "4-1f2e…" as an ETag has it, with or without its quotes, or an epoch alone: the
 * epoch, if the pool had it; 0: it is none of the pool's. */
static uint64_t
known_epoch(const char *id, const struct pool *pool)
{
	const char *end;
	uint64_t epoch = 0;

	if (id == NULL)
		return 0;
	if (strncmp(id, "W/", 2) == 0)
		id += 2;
	id += *id == '"';
	for (end = id; *end >= '0' && *end <= '9' && end - id < 18; end++)
		epoch = epoch * 10 + (unsigned)(*end - '0');
	if (*end == '-' && strncmp(end + 1, pool->lineage, POOL_LINEAGE) == 0)
		end += 1 + POOL_LINEAGE;
	end += *end == '"';
	return *end == '\0' && epoch <= pool->epoch ? epoch : 0;
}

int
watch_get(struct request *req)
{
	const struct pool *pool = NULL;
	struct watch *w;
	int64_t beat = 0;
	int rc = request_number(
	    req, "heartbeat", 1, BEAT_SECONDS_MAX, BEAT_SECONDS, HRW_BAD_PARAMETER, &beat);

	if (rc == 0)
		rc = common_pool(req, &pool);
	if (rc == 0)
		rc = watching_enter(req);
	if (rc < 0)
		return rc;
	assert(pool != NULL);
	w = calloc(1, sizeof(*w));
	if (w == NULL || (w->name = strdup(pool->name)) == NULL) {
		watching_leave(req->listener);
		free(w);
		return hrw_fault(&req->fault, HRW_INTERNAL, "no memory to watch");
	}
	w->req = req;
	w->listener = req->listener;
	w->beat_ms = (uint64_t)beat * 1000;
	memcpy(w->lineage, pool->lineage, sizeof(w->lineage));
	w->epoch = known_epoch(request_header(req, "Last-Event-ID"), pool);
	if (w->epoch == pool->epoch)
		w->sent = pool_acquire((struct pool *)(uintptr_t)pool);
	w->watcher = (struct watcher){.name = hrw_text(w->name), .news = news};
	watcher_join(req->app->watchers, &w->watcher, pool);
	common_headers(req, pool);
	respond_text(req, "Cache-Control", "no-cache");
	/* nginx would collect what it is to pass on at once. */
	respond_text(req, "X-Accel-Buffering", "no");
	return respond_live(req, 200, "text/event-stream", &live, w);
}
