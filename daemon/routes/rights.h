/*
 * rights.h - what a change needs of the token that asks for it.
 *
 * The route's row says who may ask at all: whoever may plan may ask for any
 * change as a dry run. To make it needs the most that one of its tasks needs.
 */
#ifndef HRWD_ROUTES_RIGHTS_H
#define HRWD_ROUTES_RIGHTS_H

#include "daemon/http/request.h"
#include "daemon/members/change.h"

/* The role that the change needs: plan for a dry run, admin with any guard
 * overridden.
 *   because  receives what of it needs that role ("force", "remove"): static */
enum role rights_of(const struct change *c, const char **because);

/* May who asks have it? FORBIDDEN. */
int rights_judge(struct request *req, const struct change *c);

#endif
