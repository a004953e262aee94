/*
 * notify.h - what the service manager is told, and the sockets it hands over.
 *
 * The protocol is sd_notify(3)'s and sd_listen_fds(3)'s, through libsystemd. Built
 * without that library, or started by hand, each of these does nothing.
 */
#ifndef HRWD_NOTIFY_H
#define HRWD_NOTIFY_H

#include "daemon/config/config.h"

/* Takes the sockets handed over as "lookup" and "admin" (FileDescriptorName=) in
 * place of what the configuration and the flags say of that listener. Once, before
 * config_check(), which judges them like any other address.
 *   errors  BAD_FIELD: a socket of another name; BAD_ADDRESS: one that is no
 *           listening TCP or unix socket; INTERNAL: no memory */
int notify_take_sockets(struct config *c, struct hrw_fault *fault);

/* Serves, from now on or again. `status` is what `systemctl status` shows. */
void notify_ready(const char *status);
/* A reload begins; notify_ready() ends it. */
void notify_reloading(void);
void notify_stopping(void);
void notify_status(const char *status);

/* Within how many milliseconds notify_alive() is expected; 0: nobody waits. */
uint64_t notify_watchdog_ms(void);
void notify_alive(void);

#endif
