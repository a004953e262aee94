/*
 * pools.h - pools one by one, and what keeps one from being settled.
 */
#ifndef HRWD_CTL_POOLS_H
#define HRWD_CTL_POOLS_H

#include "daemon/ctl/client.h"
#include "daemon/ctl/table.h"

/* Adds why a pool (as GET /pools/{pool} gives it) is not settled: "cache-c is draining,
 * cache-e is joining". Nothing where it is. */
void pools_unsettled(const struct json *pool, struct buffer *out);

/* A cell: the placement's name, or all of it where it has parameters. */
void pools_placement(const struct json *placement, struct table *t);

/* The whole pool. As client_get(). */
int pools_get(struct ctl *ctl, const char *name, struct reply *reply);

/* Every pool in short, in order of names, until one is not taken. 0, or what `take` or
 * client_get() returned. */
int pools_each(struct ctl *ctl, int (*take)(struct ctl *ctl, const struct json *summary, void *arg),
    void *arg);

#endif
