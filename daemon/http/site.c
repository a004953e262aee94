/*
 * site.c - the servers of the daemon itself: those with its table of routes.
 */
#include "daemon/http/server.h"
#include "daemon/routes/routes.h"

struct http_server *
http_server_new(uv_loop_t *loop, int fd, enum listener listener, bool is_tls, struct app *app,
    struct snapshot *const *snapshot, struct hrw_fault *fault)
{
	return http_server_new_with(
	    loop, fd, listener, is_tls, app, snapshot, routes, route_count, fault);
}
