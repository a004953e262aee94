/*
 * nobody.h - why a key has no owner.
 */
#ifndef HRWD_MEMBERS_NOBODY_H
#define HRWD_MEMBERS_NOBODY_H

#include "core/membership.h"

/* NO_SERVERS, with the reason and what would mend it.
 *   pool  whose nodes they are; NULL: a placement that is only tried on them */
int nobody_owns(const struct hrw_membership *m, const char *pool, struct hrw_fault *fault);

#endif
