/*
 * auth.h - who asks, and whether they may.
 *
 * With auth.tokens, the admin listeners (and with auth.lookup the others, too)
 * answer only who sends a token whose role is enough for the route and whose
 * patterns have the pool: whether there is such a pool or not, so that an answer
 * tells nothing of what the token may not see. What a change needs beyond that
 * stands in routes/rights.h.
 */
#ifndef HRWD_HTTP_AUTH_H
#define HRWD_HTTP_AUTH_H

#include "daemon/http/config.h"
#include "daemon/http/request.h"

/* Are requests to such a listener asked for a token? */
bool auth_is_asked(const struct http_config *config, enum listener listener);

/* Takes the token of an Authorization header as the request's.
 *   sent    its value; data NULL: there was none
 *   errors  UNAUTHORIZED: none, or one that is not known */
int auth_identify(struct request *req, struct hrw_bytes sent);

/* May it use the route of the request, and reach what that names?
 *   errors  FORBIDDEN with the role that is needed and the one there is, or with
 *           the patterns that lack the pool */
int auth_judge(struct request *req);

/* Would who was let in be let in again, now that the list may be another? */
bool auth_still_stands(const struct request *req);

#endif
