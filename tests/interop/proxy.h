/*
 * proxy.h - asks through a proxy and says which fake server answered.
 */
#ifndef INTEROP_PROXY_H
#define INTEROP_PROXY_H

#include "core/bytes.h"

struct proxy {
	const char *base; /* "http://host:port" */
	int fd;		  /* a kept connection; -1: none yet */
};

struct proxy proxy_at(const char *address);

/* GET of a target with one more header, "X-Key: key".
 *   target   as it stands in the request line; its bytes are the caller's care
 *   returns  the body: the server's name; where the status is not 200, words that
 *            are no server's name */
const char *proxy_get(struct proxy *p, struct hrw_bytes target, struct hrw_bytes key);

#endif
