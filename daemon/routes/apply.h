/*
 * apply.h - from a request for a change to its one answer.
 *
 * The change is queued with the writer and never waits for its report; the
 * answer waits for both, for the latter only so long. A client that goes away
 * stops its report, never its change.
 */
#ifndef HRWD_ROUTES_APPLY_H
#define HRWD_ROUTES_APPLY_H

#include "daemon/routes/order.h"

/* Handles a request for a change of this kind: reads its parameters, headers and
 * body, has the writer judge and make it, and answers with the planChange. */
int apply_request(struct request *req, enum order_kind kind);

/* The same for POST /plans/{id}/apply: the change is the kept plan's, made only
 * if the pool still has the epoch that the plan was made for. */
int apply_plan(struct request *req);

#endif
