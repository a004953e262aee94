/*
 * server.h - one listening socket's HTTP server on one libuv loop.
 *
 * libmicrohttpd runs without a thread of its own: its epoll descriptor is a
 * uv_poll, its timeout a uv_timer, its work MHD_run.
 */
#ifndef HRWD_HTTP_SERVER_H
#define HRWD_HTTP_SERVER_H

#include <uv.h>

#include "core/error.h"
#include "daemon/http/request.h"

struct http_server;
struct http_config;
struct route;

/* What servers share: the routes, and what http/ has to ask of those who made them.
 * All of it is called on the loop of the request. */
struct http_site {
	const struct route *routes; /* they outlive the servers */
	size_t route_count;
	/* May a token reach what the request names? Called where its role is enough.
	 *   errors  FORBIDDEN */
	int (*reaches)(
	    const struct request *req, const struct token *token, struct hrw_fault *fault);
	/* A reference more of what is served, and one less (NULL is fine). */
	struct snapshot *(*keep)(struct snapshot *snapshot);
	void (*release)(struct snapshot *snapshot);
	/* A request was answered, `ns` after it was read; `route` is route_count where
	 * none matched. */
	void (*answered)(struct app *app, size_t route, unsigned status, uint64_t ns);
};

/* Serves a bound, listening, non-blocking socket.
 *   loop       the loop it lives on; every call below is on its thread
 *   fd         taken: closed with the server
 *   listener   LISTENER_LOOKUP or LISTENER_ADMIN
 *   is_tls     speaks TLS by the configuration's certificate
 *   app        for the handlers
 *   snapshot   where the loop keeps what it serves now: read at each dispatch
 *   errors     INTERNAL with the fault's detail; NULL then */
struct http_server *http_server_new(uv_loop_t *loop, int fd, enum listener listener, bool is_tls,
    const struct http_config *config, const struct http_site *site, struct app *app,
    struct snapshot *const *snapshot, struct hrw_fault *fault);

/* Takes no new connections; requests under way are finished. */
void http_server_quiesce(struct http_server *server);

/* Is no request under way? After a quiesce: idle connections are closed. */
bool http_server_is_idle(const struct http_server *server);

/* Closes what is left and frees the server; `closed` is called on the loop when
 * every handle is gone. Requests that wait are told that their client is gone;
 * the end comes when all of them have been resumed. */
void http_server_stop(struct http_server *server, void (*closed)(void *arg), void *arg);

#endif
