/*
 * router.h - from a parsed target and a method to a row of the table of routes.
 */
#ifndef HRWD_HTTP_ROUTER_H
#define HRWD_HTTP_ROUTER_H

#include "daemon/http/request.h"
#include "daemon/http/route.h"
#include "daemon/http/target.h"

struct router;

enum { ROUTER_ALLOW = 64 };

/* Reads the rows once; they outlive the router. NULL: no memory, or a row whose
 * path has more segments than TARGET_SEGMENTS_MAX or REQUEST_SEGMENTS_MAX. */
struct router *router_new(const struct route *rows, size_t count, enum listener listener);
void router_free(struct router *router);

/* The row of a request.
 *   method   as sent; HEAD finds GET
 *   segment  receives what the row's braces captured
 *   allow    filled with BAD_METHOD: "GET, HEAD, POST"
 *   errors   UNKNOWN_PATH: no row of this listener has the path. BAD_METHOD
 *   cost     one pass over the rows; no allocation */
const struct route *router_find(const struct router *router, const char *method,
    const struct target *target, struct hrw_bytes segment[REQUEST_SEGMENTS_MAX],
    char allow[ROUTER_ALLOW], struct hrw_fault *fault);

#endif
