/*
 * listen.h - from "host:port", "[v6]:port" or "unix:/path" to listening sockets.
 *
 * Workers listen on sockets of their own (SO_REUSEPORT), which would let a
 * second daemon share the port in silence; so an address is first taken by one
 * socket alone, and a port that anybody else listens on is refused.
 */
#ifndef HRWD_HTTP_LISTEN_H
#define HRWD_HTTP_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/error.h"

enum { LISTEN_BOUND = 128 }; /* room for an address as bound */

/* Who may connect to a unix socket. */
struct listen_access {
	mode_t mode; /* 0660 where nothing else is asked for */
	gid_t group; /* (gid_t)-1: the process's own */
};

/* Is the text an address to listen on? BAD_ADDRESS with what is wrong. */
int listen_check(const char *address, struct hrw_fault *fault);

/* Loopback or a unix socket? */
bool listen_is_local(const char *address);

/* A unix socket? */
bool listen_is_unix(const char *address);

/* Do two addresses take the same port or path, as far as their texts tell? */
bool listen_meet(const char *address, const char *other);

/* Opens `count` sockets that share the address, bound and listening,
 * non-blocking, close-on-exec. Port 0 takes a free one, the same for all.
 *   access   of a unix socket; NULL: its mode is 0660
 *   bound    receives the address as bound ("127.0.0.1:49152")
 *   errors   INTERNAL: in use (by whom where known), not allowed, no such host;
 *            nothing stays open then */
int listen_open(const char *address, const struct listen_access *access, unsigned count, int *fds,
    char bound[LISTEN_BOUND], struct hrw_fault *fault);

/* Takes a listening socket that another process opened for this one: to open its
 * address is then to share it. Its path, if it has one, stays at the end.
 *   bound    receives the address to open
 *   errors   BAD_ADDRESS: it is no listening TCP or unix socket with a path */
int listen_adopt(int fd, char bound[LISTEN_BOUND], struct hrw_fault *fault);

/* A TCP address as it is bound, its host resolved; false: it has none. */
bool listen_name(const char *address, char bound[LISTEN_BOUND]);

/* Connects to whoever listens on an address, within so many seconds, which bind
 * each send and receive on the socket too.
 *   returns  the socket, to close(); INTERNAL: nobody is there */
int listen_connect(const char *address, int seconds, struct hrw_fault *fault);

/* Removes the unix sockets that were made: at the process's end. */
void listen_unlink(void);

#endif
