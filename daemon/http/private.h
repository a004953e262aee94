/*
 * private.h - what the files of http/ share, and nobody else includes.
 *
 *   server      one listening socket's libmicrohttpd on one libuv loop (server.c)
 *   connection  one client's socket: its place, its deadline (connection.c)
 *   exchange    one request and its answer (exchange.c, wait.c, response.c)
 *   prepared    a response that is sent again and again (prepared.c)
 */
#ifndef HRWD_HTTP_PRIVATE_H
#define HRWD_HTTP_PRIVATE_H

#include <microhttpd.h>
#include <uv.h>

#include "daemon/http/accept.h"
#include "daemon/http/config.h"
#include "daemon/http/framing.h"
#include "daemon/http/identity.h"
#include "daemon/http/router.h"
#include "daemon/http/scan.h"
#include "daemon/http/server.h"
#include "daemon/http/target.h"

/* Deadlines. Each queue has one length of time, so it is in order by itself. */
enum queue {
	QUEUE_REFUSED, /* one connection too many: a moment for its answer */
	QUEUE_HEAD,    /* a head has begun, or the connection has */
	QUEUE_NEXT,    /* between requests: idle_seconds, then a head's time */
	QUEUE_BODY,
	QUEUE_GRACE, /* the server stops, and it has not asked yet: its request may be on its way */
	QUEUE_COUNT,
	QUEUE_NONE = QUEUE_COUNT,
};

struct connection {
	struct http_server *server;
	struct MHD_Connection *mhd;
	struct gnutls_session_int *tls; /* NULL: none is spoken */
	int fd;
	struct accept_place place;
	struct connection *next, *previous; /* of the server's */
	struct connection *later, *sooner;  /* in its queue */
	enum queue queue;
	uint64_t deadline; /* of the loop's clock, ms */
	struct exchange *exchange;
	struct scan scan;
	struct connection *next_bad; /* of the server's */
	bool is_noted;		     /* among those */
	bool is_cut;		     /* answered: nothing more is read of it */
	unsigned asked;		     /* requests so far */
	bool is_refused;
	bool lingers;	/* bytes that nobody reads may still come */
	bool has_watch; /* `watch` is an initialised handle */
	bool is_watched;
	bool is_parked;	 /* suspended until its client sends more of a TLS handshake */
	uv_poll_t watch; /* sees the client go while the exchange waits */
	char peer[72];
	char by[48];
};

enum phase {
	PHASE_HEAD,   /* nothing judged yet */
	PHASE_BODY,   /* the body comes, or none does */
	PHASE_HANDLE, /* the handler has been called */
};

struct exchange {
	struct request request; /* first, so that one is the other */
	struct http_server *server;
	struct connection *connection;
	struct exchange *next_spare;

	enum phase phase;
	bool is_head; /* HEAD, which runs as GET */
	bool begins;  /* `begin` is pending: the first call comes again */
	struct framing framing;
	struct identity identity;
	uint64_t arrived;   /* the turn that read it, by uv_hrtime() */
	uint64_t began;	    /* the same, until it has waited for a change */
	const char *method; /* the library's, as long as the exchange; NULL: not read yet */
	char *asked;	    /* the target as it came, cut, for the access log; NULL: it is off */
	unsigned number;    /* of the connection's requests, from 1 on */
	int type;	    /* index into the route's types */
	struct target target;
	struct buffer raw;     /* the target; `target` points into it */
	struct buffer in;      /* a body collected */
	struct gunzip *gunzip; /* decodes the body; NULL: it comes as it is */
	uint64_t came;	       /* bytes of the body as it comes */
	uint64_t seen, limit;  /* and decoded */
	int failed;	       /* the error that the rest of the body waits out */
	uint64_t dropped;      /* bytes since then */

	/* The answer. */
	bool has_answer, closes;
	bool is_sent;	  /* past the library: nothing else may be */
	bool is_queued;	  /* counted by the server as `sending` */
	bool was_counted; /* logged and measured */
	unsigned status;
	struct buffer headers; /* name NUL value NUL … */
	struct buffer out;     /* the body; lent to handlers as request_buffer() */
	struct stream *stream; /* one of these instead of `out`, or neither */
	struct spool *spool;
	uint64_t sent;		   /* bytes of stream or spool */
	struct prepared *prepared; /* lent until it is sent; NULL: none */

	/* Waiting: see wait.c. */
	bool is_running;   /* a handler is on the stack */
	bool is_waiting;   /* between request_background/suspend and its end */
	bool is_suspended; /* libmicrohttpd's word for it */
	bool is_resumed;   /* resumed before the handler had returned */
	int resumed;	   /* with this */
	uv_work_t work;
	void (*work_do)(struct request *req);
	int (*work_done)(struct request *req);
	void (*gone)(struct request *req);

	struct snapshot *kept;
	struct target_parameter parameter[]; /* limits.parameters */
};

struct http_server {
	uv_loop_t *loop;
	enum listener listener;
	struct app *app;
	const struct http_config *config;
	const struct http_site *site;
	struct snapshot *const *snapshot;
	struct router *router;
	struct MHD_Daemon *mhd;
	int fd;
	bool is_unix, is_tls;
	bool is_own;  /* of own_socket.h */
	char own[72]; /* the listening address */

	uv_poll_t poll;	     /* libmicrohttpd's epoll descriptor */
	uv_timer_t timer;    /* its timeout and our deadlines */
	uv_idle_t again;     /* it has more to do at once */
	uint64_t due;	     /* when `timer` fires; UINT64_MAX: it is off */
	uint64_t identities; /* where the next request's id comes from */
	size_t handles;	     /* not closed yet */
	uint64_t turn;	     /* when this turn began, by uv_hrtime() */
	uint64_t progress;   /* calls of the library: does a turn come to anything? */
	unsigned fruitless;  /* turns without any, one behind another */
	size_t sending;	     /* answers that the library has and may be sending */
	size_t head_room;    /* the longest head that is taken */

	struct connection *connections;
	struct connection *bad;	   /* their scan says so, and nobody has refused them yet */
	struct connection **by_fd; /* the same by descriptor: see wire.c */
	size_t by_fd_room;
	struct {
		struct connection *first, *last;
		uint64_t ms;
	} queue[QUEUE_COUNT];
	uint64_t swept; /* of the loop's clock: when ends were looked for last */
	struct exchange *spare;
	size_t spare_count;
	struct prepared_table *prepared;
	size_t suspended; /* connections that libmicrohttpd must not be stopped with */
	size_t lingering;
	struct lingerer *lingers;

	bool is_closing;   /* a connection is going, which only a later turn can end */
	size_t open, most; /* connections; where all are taken, the library listens no longer */
	bool is_quiesced, is_stopping, is_stopped;
	void (*closed)(void *arg);
	void *closed_arg;
};

/* server.c */

/* A turn of libmicrohttpd soon: it has no descriptor of its own to say that a
 * connection was resumed. */
void server_wake(struct http_server *server);

/* A handle of the server's was closed: the last one frees a stopped server. */
void server_handle_closed(struct http_server *server);

/* wire.c */

/* A turn of libmicrohttpd, which sees what it reads. */
void wire_run(struct http_server *server);
/* From now on, or no longer, what is read of this one is scanned; false: no memory. */
bool wire_add(struct connection *c);
void wire_remove(struct connection *c);
/* Has its scan found a body that is none, or too long a head? Then the request is refused
 * after this turn: the library might wait for more of it, or try again and again. */
void wire_note(struct connection *c);

/* connection.c */

/* libmicrohttpd's two notices. NULL: no memory. */
struct connection *connection_open(struct http_server *server, struct MHD_Connection *mhd);
void connection_close(struct connection *c);

/* Puts it into a queue, at the end; QUEUE_NONE takes it out of all. */
void connection_queue(struct connection *c, enum queue queue);

/* The earliest deadline or look for ends; UINT64_MAX: none. */
uint64_t connection_earliest(const struct http_server *server);

/* Once a second: has libmicrohttpd see the end of what clients send who ended amid
 * a request or with one. */
void connection_sweep(struct http_server *server);

/* Ends those whose deadline has come: 408 where an answer can be sent. */
void connection_expire(struct http_server *server);

/* Turns come to nothing: takes out of them the connections that ask for them all the
 * same. */
void connection_unstick(struct http_server *server);
/* Takes one up again that was parked by it; any other is left alone. */
void connection_unpark(struct connection *c);

/* Answers a request whose scan is bad, without waiting for its end. */
void connection_refuse(struct connection *c);

/* libmicrohttpd cannot go on with a head that has come: refuses it in its place. */
void connection_refuse_head(struct http_server *server, const struct hrw_fault *fault);

/* Watches for the client's going while the exchange waits. */
void connection_watch(struct connection *c);
/* Watches its descriptor for libuv's events; false: it cannot be. */
bool connection_watch_for(struct connection *c, int events, uv_poll_cb seen);
void connection_unwatch(struct connection *c);

/* linger.c: takes a descriptor whose answer was sent before the whole request
 * was read: reads on for a while, so that closing it does not destroy the answer
 * on its way (RFC 9112, 9.6). */
void linger_start(struct http_server *server, int fd);
void linger_stop_all(struct http_server *server);

/* exchange.c */
struct exchange *exchange_new(struct connection *c, const char *raw_target);
void exchange_end(struct exchange *ex);
/* libmicrohttpd's access handler. */
enum MHD_Result exchange_step(
    struct exchange *ex, const char *method, const char *version, const char *data, size_t *len);
/* What a handler, a feed or a step of waiting came to, outside of
 * libmicrohttpd's calls: the connection goes on unless it still waits. */
void exchange_continue(struct exchange *ex, int status);
/* Answers past libmicrohttpd, and lets the connection linger: it must be closed. */
void exchange_refuse(struct exchange *ex, int status);
/* The body's time is over. */
void exchange_expire(struct exchange *ex);

/* type.c: the Content-Type against the types of the route.
 *   host    for the hint: the Host, or what stands for it
 *   errors  BAD_TYPE, with the curl command that sends the same request as it is taken */
int type_judge(struct exchange *ex, const char *method, struct hrw_bytes host);

/* exchange_body.c */
bool body_is_expected(const struct exchange *ex);
/* Its encoding and its length against what the route takes. */
int body_judge(struct exchange *ex);
/* Is what remains of a refused one too much to wait for? */
bool body_is_too_much(const struct exchange *ex);
/* A piece; *len becomes what is left for later. */
enum MHD_Result body_piece(struct exchange *ex, const char *data, size_t *len);
/* All of it has come: what is still to be decoded. Called again after a wait. */
int body_end(struct exchange *ex);
/* A change that takes no body must not be made by a request that says more in
 * one: {"dry_run":true} would be read over. Nothing is white space or {}. */
int body_judge_nothing(struct exchange *ex);

/* wait.c */

/* Calls a step of the handler; its status, after what was resumed meanwhile. */
int wait_run(struct exchange *ex, int (*step)(struct request *req));
int wait_feed(struct exchange *ex, struct hrw_bytes piece);
/* Tells libmicrohttpd to leave the connection alone, and to take it up. */
void wait_suspend(struct exchange *ex);
void wait_resume(struct exchange *ex);
/* The server stops: who waits for its client hears that it is gone. */
void wait_stop(struct exchange *ex);

/* response.c */

/* Makes the answer of an error: problem+json from the request's fault. */
void response_fault(struct exchange *ex, int status);
/* Gives a response the headers of an exchange: name NUL value NUL … */
void response_add_headers(struct MHD_Response *response, const struct buffer *headers);
/* Hands the answer to libmicrohttpd. */
enum MHD_Result response_queue(struct exchange *ex);
/* Writes the answer past libmicrohttpd, which can queue none while a body comes;
 * the connection must be closed after it. */
void response_send(struct exchange *ex);
/* The same before there is a request: 408 to a head that never ends. */
void response_send_timeout(struct connection *c);

/* access.c: the line of an answered exchange, when it ends. */
void access_line(const struct exchange *ex);

/* prepared.c: libmicrohttpd allocates three times for each header of a response.
 * The answers to lookups have few shapes (the same headers, texts of the same
 * lengths), so a response is kept for each, and the texts are written into its
 * own copies: those that MHD_get_response_headers() shows. */

/* NULL: no memory. Free it after libmicrohttpd has stopped. */
struct prepared_table *prepared_new(void);
void prepared_free(struct prepared_table *table);

/* A response with these headers and a copy of this body, lent until
 * prepared_return(). NULL: none can be had (too long, or under way elsewhere). */
struct prepared *prepared_take(
    struct prepared_table *table, const struct buffer *headers, const struct buffer *body);
struct MHD_Response *prepared_response(const struct prepared *p);
void prepared_return(struct prepared *p); /* NULL: nothing */

/* stream.c */
struct MHD_Response *stream_response(struct exchange *ex);
struct MHD_Response *spool_response(struct exchange *ex);
void stream_free(struct stream *s);

#endif
