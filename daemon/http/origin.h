/*
 * origin.h - which requests a browser may not have been tricked into.
 *
 * A page of another origin can reach a loopback port, and a name that it
 * controls can be made to point there (DNS rebinding). So the admin listener
 * asks that Host be a name of its own, and that an Origin be the same place.
 */
#ifndef HRWD_HTTP_ORIGIN_H
#define HRWD_HTTP_ORIGIN_H

#include "core/bytes.h"
#include "core/error.h"
#include "daemon/http/config.h"

/* May a request with this Host and Origin be served?
 *   host      "name", "name:port", "[v6]:port"; data NULL: none was sent
 *   origin    data NULL: none was sent
 *   own       the listener's own address, as a socket's name: "10.0.0.4:7071";
 *             NULL: Host may be any, because a token is asked for, which no page
 *             can know
 *   scheme    "http" or "https"
 *   errors    FORBIDDEN with what would be taken */
int origin_check(struct hrw_bytes host, struct hrw_bytes origin, const char *own,
    const char *scheme, const struct http_config *config, struct hrw_fault *fault);

#endif
