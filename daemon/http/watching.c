/*
 * watching.c - one count for each listener, whichever loop a request is on.
 */
#include <stdatomic.h>

#include "daemon/http/private.h"
#include "daemon/http/watching.h"

static atomic_size_t watching[LISTENER_BOTH + 1];

int
watching_enter(struct request *req)
{
	size_t most = req->exchange->server->config->connections / 2;

	if (atomic_fetch_add(&watching[req->listener], 1) < (most > 0 ? most : 1))
		return 0;
	watching_leave(req->listener);
	return hrw_fault(&req->fault, HRW_BUSY,
	    "%zu requests wait for a change already, half of limits.connections: ask again later, "
	    "or GET /pools/{pool} with If-None-Match now and then",
	    most > 0 ? most : 1);
}

void
watching_leave(enum listener listener)
{
	atomic_fetch_sub(&watching[listener], 1);
}

size_t
watching_count(enum listener listener)
{
	return atomic_load(&watching[listener]);
}
