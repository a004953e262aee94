/*
 * sockets.h - the listening sockets of a start: opened before a store is made, so
 * that a start which an address fails leaves none behind, and served after it.
 */
#ifndef HRWD_SOCKETS_H
#define HRWD_SOCKETS_H

#include "daemon/base/buffer.h"
#include "daemon/config/config.h"
#include "daemon/http/listen.h"

enum { WORKERS_MAX = 64 };

struct sockets {
	/* By the configuration's addresses; -1: none, or taken by who serves it. */
	int lookup[CONFIG_ADDRESSES_MAX][WORKERS_MAX], admin[CONFIG_ADDRESSES_MAX];
	struct buffer names; /* "lookup on ADDR, admin on ADDR" */
	/* Where all speak TLS, the first of them as bound: a health check asks beside it.
	 * Else "". */
	char health[LISTEN_BOUND];
	bool has_plain; /* one speaks no TLS */
};

/* Opens all of them, one for each worker on a lookup address. An error is that of
 * listen_open(); sockets_fini() closes what is open by then. */
int sockets_open(struct sockets *s, const struct config *config, struct hrw_fault *fault);

/* Takes the socket at `fd` for its server. */
int sockets_take(int *fd);

/* Closes what nobody took. */
void sockets_fini(struct sockets *s);

#endif
