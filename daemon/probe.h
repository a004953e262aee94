/*
 * probe.h - asks a running hrwd whether it is ready, as a container's health check.
 */
#ifndef HRWD_PROBE_H
#define HRWD_PROBE_H

#include "daemon/config/config.h"

/* Asks for /readyz on a listener of the configuration: a unix socket if there is
 * one, else one without TLS, else on the socket that a daemon of TLS alone keeps for
 * its own user, else over TLS.
 *   errors  INTERNAL: nobody answers within five seconds, or not with 200 */
int probe_ready(const struct config *c, struct hrw_fault *fault);

#endif
