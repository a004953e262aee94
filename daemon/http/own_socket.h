/*
 * own_socket.h - a unix socket without a file, for processes of this user alone.
 *
 * A health check asks here where each listener speaks TLS, and may ask for a client's
 * certificate, which it has not. It needs no folder to write to, so that it works with a
 * read-only root. Its name is one of this network namespace, as ports are. Any process
 * there can take the name: so both ends look whom they talk to, and the daemon does
 * without where it is taken.
 */
#ifndef HRWD_HTTP_OWN_SOCKET_H
#define HRWD_HTTP_OWN_SOCKET_H

#include <stdbool.h>

/* Listens beside a TCP address as bound; -1: somebody else has the name. */
int own_socket_listen(const char *bound);

/* Connects to the one beside an address, within so many seconds, which bind each send
 * and receive on the socket too; -1: no process of this user, or root's, listens. Root
 * asks whoever is there, as it would on a port. */
int own_socket_connect(const char *bound, int seconds);

/* Is the other end a process of this user, or root's? */
bool own_socket_is_ours(int fd);

#endif
