/*
 * site.h - an HTTP server on a loop of its own thread, with routes made to be
 * asked: for the tests of daemon/http/ that need no fleet.
 *
 *     GET  /owner?key=…        the key in hexadecimal
 *     GET  /thing/{name}       the segment in hexadecimal; /thing/known is a row
 *     POST /thing/{name}       admin only, body ignored
 *     POST /whole              "LENGTH TYPE": the body's length and type's index
 *     POST /feed?fail=N        streamed, each piece through the libuv pool; the
 *                              Nth piece is BAD_KEY; "LENGTH"
 *     PUT  /long               the same without a limit
 *     GET  /stream?pieces=N    N pieces of 100,000 bytes; broken=true: cut there
 *     GET  /spool?bytes=N      a spooled body
 *     GET  /work               from the libuv pool
 *     GET  /wait?ms=N          suspended for so long; site_gone counts clients
 *                              that went away meanwhile
 *     GET  /at-once            resumed before its handler returned
 *     GET  /status?code=…      that error; ?status=N: an empty answer
 *     GET  /nothing            a handler that forgets to answer
 */
#ifndef TESTS_SITE_H
#define TESTS_SITE_H

#include <stdatomic.h>

#include "daemon/http/request.h"

struct config;
struct snapshot;

/* Starts a server; fails the test where that fails.
 *   change   may alter the configuration; NULL: the defaults
 *   returns  its base for raw_open(): "http://127.0.0.1:PORT" */
const char *site_start(enum listener listener, void (*change)(struct config *c));
/* The same on a unix socket of that path. */
const char *site_start_unix(
    const char *path, enum listener listener, void (*change)(struct config *c));

/* The daemon's own routes, as its lookup listener has them, over these pools
 * (taken). */
const char *site_start_pools(struct snapshot *pools);

/* Stops it as the daemon would: quiesce, wait for idleness, stop. */
void site_stop(void);
/* Stops it with requests under way. */
void site_stop_now(void);

/* Requests whose client went away; states that were freed, and those of them on the
 * server's own loop. */
extern atomic_int site_gone, site_freed, site_freed_on_loop;

#endif
