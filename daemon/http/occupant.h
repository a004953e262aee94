/*
 * occupant.h - who has an address that cannot be had.
 */
#ifndef HRWD_HTTP_OCCUPANT_H
#define HRWD_HTTP_OCCUPANT_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "core/error.h"

struct occupant {
	bool has_user; /* `user` is known */
	uid_t user;
	pid_t pid;     /* 0: not known, as of another user's process */
	char name[16]; /* of its program; "" where not known */
};

/* Looks for who listens on a TCP address or at the path of a unix socket.
 *   returns  false: nobody listens there. Of a TCP address that is not known */
bool occupant_find(const struct sockaddr *address, struct occupant *out);

/* "ADDRESS is in use by …", with no more than is known. INTERNAL */
int occupant_fault(const struct occupant *who, const char *address, struct hrw_fault *fault);

#endif
