/*
 * accept.h - how many connections there may be.
 *
 * libmicrohttpd's own limit leaves a connection too many unanswered, so it is
 * set where it is never reached, and a connection too many is answered 429.
 */
#ifndef HRWD_HTTP_ACCEPT_H
#define HRWD_HTTP_ACCEPT_H

#include <stdbool.h>
#include <sys/socket.h>

#include "daemon/http/config.h"
#include "daemon/http/request.h"

/* The place a connection takes; give it back with accept_leave(). */
struct accept_place {
	enum listener listener;
	bool has_address; /* counted by its address too */
	unsigned char address[16];
};

/* Can the daemon do with the descriptors that it may open? Before anything is opened.
 *   errors  INTERNAL with the limit's name */
int accept_check(const struct http_config *config, struct hrw_fault *fault);

/* Descriptors for so many connections to both listeners: raises the soft limit of open
 * files as far as the hard one allows, and shares out what there is, so that neither
 * listener can take the other's, or the store's. Says where that is not enough. Before
 * any loop of the configuration runs. */
void accept_prepare(const struct http_config *config);

/* The library's own limit for one server: it takes nobody past it, instead of failing
 * again and again for want of a descriptor. */
size_t accept_limit(const struct http_config *config, enum listener listener);

/* Takes a place: true, or false when the listener, or the peer's address, has
 * all it may have (the place is taken even so, for the answer).
 *   peer     NULL or a unix socket's: not counted by address, nor loopback */
bool accept_enter(struct accept_place *place, enum listener listener, const struct sockaddr *peer,
    const struct http_config *config);
void accept_leave(const struct accept_place *place);

/* The connections that a listener has now. */
size_t accept_count(enum listener listener);

#endif
