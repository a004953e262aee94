/*
 * request.h - a request as handlers see it, and the answers they give.
 *
 * bytes in -> request -> handler -> response. The raw target is parsed by us,
 * length-exact; handlers never see libmicrohttpd. A request lives on the loop
 * that accepted it, and only that loop's thread touches it.
 */
#ifndef HRWD_HTTP_REQUEST_H
#define HRWD_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/error.h"
#include "daemon/base/buffer.h"
#include "daemon/base/log.h"
#include "daemon/http/tokens.h"

struct app;	 /* what handlers reach; http/ passes it on */
struct route;	 /* route.h */
struct snapshot; /* the state that is served; http/ passes it on */

enum method { METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_PUT, METHOD_PATCH, METHOD_DELETE };

enum listener { LISTENER_LOOKUP = 1, LISTENER_ADMIN = 2, LISTENER_BOTH = 3 };

/* What a handler, a feed or a background step answers instead of 0 or an error. */
enum { REQUEST_PENDING = 1 };

enum { REQUEST_SEGMENTS_MAX = 2 };

struct request {
	struct app *app;
	const struct route *route;
	const struct snapshot *snapshot; /* the loop's own, at the time of dispatch */
	enum method method;		 /* HEAD is dispatched as GET */
	enum listener listener;
	struct hrw_bytes segment[REQUEST_SEGMENTS_MAX]; /* {…} of the route's path, decoded */
	struct hrw_bytes body;	   /* routes with BODY_WHOLE; json_bytes at most */
	struct hrw_fault fault;	   /* what an error answer will say */
	const char *peer;	   /* "127.0.0.1:55555", "unix"; for the history */
	const struct token *token; /* who asks; NULL: none was asked for */
	const char *by; /* who: the token's name, "uid:NAME" of a unix peer, "" otherwise */
	void *state;	/* the handler's own */
	void (*state_free)(void *state); /* called once when the request ends; may be NULL */
	struct exchange *exchange;	 /* http's side of it */
};

/* The value of a query parameter, percent-decoded, '+' as space; data NULL when
 * absent. Unknown and repeated ones were refused before the handler ran: the
 * route's row lists what it takes. */
struct hrw_bytes request_parameter(const struct request *req, const char *name);

/* As a whole number min..max, or `otherwise` when absent. BAD_PARAMETER, or
 * `error` if the parameter has a code of its own (copies). */
int request_number(struct request *req, const char *name, int64_t min, int64_t max,
    int64_t otherwise, enum hrw_error error, int64_t *out);

/* As true or false; `false` when absent. */
int request_flag(struct request *req, const char *name, bool *out);

/* Which of the route's types the body has: an index into the row's `types`; 0,
 * the route's own, where no Content-Type was sent. */
int request_type(const struct request *req);

/* A header's value, NULL when absent. The bytes are as sent, trimmed. */
const char *request_header(const struct request *req, const char *name);

/* Its Request-Id, and the trace of its traceparent (NULL where it has none). */
const char *request_id(const struct request *req);
const char *request_trace(const struct request *req);

/* Fields of the log: who asks, and what the request is called. */
#define REQUEST_FIELDS(req)                                                                        \
	log_text("by", (req)->by[0] != '\0' ? (req)->by : "-"), log_text("peer", (req)->peer),     \
	    log_text("request", request_id(req)), log_text("trace", request_trace(req))

/* The key of a lookup: ?key= or Hrw-Key, exactly one, 1..key_bytes bytes.
 * BAD_KEY, BAD_PARAMETER. */
int request_key(struct request *req, struct hrw_bytes *key);

/* May who asks do what that role may? FORBIDDEN with both roles; `what` begins
 * the sentence "… needs a token of role …". Whoever needed no token may. */
int request_needs(struct request *req, enum role role, const char *what);

/* May who asks know of a pool of that name? */
bool request_sees(const struct request *req, const char *pool);

/* Which of the offered media types the Accept header likes best: an index into
 * `types` (ended by NULL); 0 on a tie, for *∕* and for no match. */
int request_accepts(const struct request *req, const char *const *types);

/* Keeps the snapshot until the request ends: for answers that outlive the
 * dispatch (streams, background work, uploads). */
void request_keep_snapshot(struct request *req);

/* The loop's snapshot of now becomes the request's, for one that has waited; what
 * was kept before is given back. Until the callback returns, unless kept anew. */
void request_renew_snapshot(struct request *req);

/* Is who asks still let in? The tokens may have been read again meanwhile. */
bool request_still_may(const struct request *req);

/* Answers. Each sets the one response of the request; the handler returns 0
 * after it. Bodies and texts are copied or taken as said. */

/* A header of the answer; the value must be free of control bytes (our own
 * texts, or checked names). Before respond_*(). */
void respond_header(struct request *req, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a text as it stands: printf's machinery is not free. */
void respond_text(struct request *req, const char *name, const char *value);

/* An empty buffer that the loop lends until the answer is made: its room is kept
 * from request to request, so that a lookup allocates nothing. respond() copies
 * out of it. */
struct buffer *request_buffer(struct request *req);

/* A whole body; the buffer's content is taken, the buffer left empty. A buffer
 * that failed answers 500. */
int respond(struct request *req, unsigned status, const char *type, struct buffer *body);

/* The status of an error; `reason`: of its fault, may be NULL. */
unsigned respond_status(enum hrw_error error, const char *reason);

/* application/json with a newline at its end. */
int respond_json(struct request *req, unsigned status, struct buffer *body);

/* No body: 304, 204. */
int respond_empty(struct request *req, unsigned status);

/* A body made piece by piece off the loop, on the libuv pool, while it is sent.
 *   fill   appends some 64 KiB to `out`; 1 more to come, 0 at the end, negative
 *          on failure (the connection is then cut, so that a client sees it)
 *   free   called once, there too, at the end or when the client went away (at once
 *          where memory lacks)
 * Backpressure is kept: fill runs only when the former piece was sent. */
int respond_stream(struct request *req, unsigned status, const char *type,
    int (*fill)(void *state, struct buffer *out), void *state, void (*free)(void *state));

/* A body whose pieces come as there is news, without an end of its own. */
enum live_step {
	LIVE_PIECE, /* `piece` is to be sent; it stays until the next step */
	LIVE_MAKE,  /* make() is to be called, and then next() again */
	LIVE_WAIT,  /* nothing yet: next() is called again after request_news() */
	LIVE_END,
};
struct live {
	/* On the loop, when the former piece was sent. */
	enum live_step (*next)(void *state, struct hrw_bytes *piece);
	void (*make)(void *state); /* on the libuv pool */
	void (*free)(void *state); /* once, on the loop, also when the client went away */
};
int respond_live(
    struct request *req, unsigned status, const char *type, const struct live *live, void *state);

/* Has next() called where it waits; nothing otherwise. On the request's loop. */
void request_news(struct request *req);

/* A body that was spooled: see spool.h. Takes the spool. */
struct spool;
int respond_spool(struct request *req, unsigned status, const char *type, struct spool *spool);

/* Waiting. */

/* Runs `work` on the libuv pool, then `done` on the request's loop; the
 * connection is suspended meanwhile. The handler returns what this returns
 * (REQUEST_PENDING, or an error). `done` answers as a handler does: 0 when it
 * responded, an error, or REQUEST_PENDING after asking for more background. */
int request_background(
    struct request *req, void (*work)(struct request *req), int (*done)(struct request *req));

/* Suspends until request_resume(): for answers that another part of the same
 * loop brings. `gone` (may be NULL) is called when the client closed meanwhile;
 * the request must still be resumed or ended by request_resume(). */
int request_suspend(struct request *req, void (*gone)(struct request *req));

/* Ends a request_suspend(): `status` is what a handler would return. On the
 * request's own loop. */
void request_resume(struct request *req, int status);

/* The same by a step of the handler's, which may answer REQUEST_PENDING in turn
 * (after request_background()). Never from within the handler. */
void request_go_on(struct request *req, int (*step)(struct request *req));

/* The loop this request lives on, for timers. */
struct uv_loop_s *request_loop(const struct request *req);

#endif
