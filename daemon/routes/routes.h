/*
 * routes.h - the table of routes, and what the servers of the daemon share.
 */
#ifndef HRWD_ROUTES_ROUTES_H
#define HRWD_ROUTES_ROUTES_H

#include "daemon/http/route.h"
#include "daemon/http/server.h"

extern const struct route routes[];
extern const size_t route_count;

/* The routes, and who may reach which pool. */
extern const struct http_site routes_site;

#endif
