/*
 * fakes.h - fake servers, each of which answers with its own name: so a proxy
 * in front of them shows which one it chose.
 *
 * One thread serves them all, with kept connections.
 */
#ifndef INTEROP_FAKES_H
#define INTEROP_FAKES_H

#include "tests/dsl/dice.h"

enum speech {
	SPEAKS_HTTP,	  /* 200 to any request without a body */
	SPEAKS_MEMCACHED, /* VALUE to a get */
};

/* Addresses of 127.0.0.0/8 by chance, not in use when asked for; below the ports
 * that the system itself gives out.
 *   port     0: by chance */
const char *loopback_address(struct dice *d, unsigned port);

struct fakes *fakes_new(enum speech speech);

/* One that listens on "host:port" or "unix:/path"; before fakes_run(). */
void fakes_add(struct fakes *f, const char *address, const char *name);

/* Serves until the test's process ends. */
void fakes_run(struct fakes *f);

#endif
