/*
 * removable.h - may a node be switched off? As GET /nodes/{name}/removable says.
 */
#ifndef HRWD_CTL_REMOVABLE_H
#define HRWD_CTL_REMOVABLE_H

#include "daemon/ctl/client.h"

/* Waits until the daemon says that the node may be switched off, and says meanwhile
 * what that waits for. A daemon that is away is waited for.
 *   pool     the pool's name
 *   returns  0: it may, or it is gone; CTL_LEFT: Ctrl-C; or as client_refused() */
int removable_wait(struct ctl *ctl, const char *pool, const char *node);

#endif
