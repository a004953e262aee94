/*
 * follow.h - a pool as it changes: asked for again and again, answered when it is
 * another than before (If-None-Match, ?wait=).
 */
#ifndef HRWD_CTL_FOLLOW_H
#define HRWD_CTL_FOLLOW_H

#include "daemon/ctl/client.h"

/* The pool that is meant: --pool, else the daemon's default one; to free(). */
int follow_pool_name(struct ctl *ctl, char **out);

/* The node of that name in a pool; NULL: none. */
const struct json *follow_node(const struct json *pool, const char *name);

/* Until each node of the arguments may be switched off or is removed, or its drain was
 * called off, which is CTL_REFUSED. Says meanwhile how many copies are to be made. */
int follow_drain(struct ctl *ctl);

/* Does --deadline stand beside --wait? 0 or CTL_USAGE. */
int follow_judge(const struct options *options);

#endif
