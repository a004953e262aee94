/*
 * changes.c - any combination of changes as one, made or only planned.
 */
#include "daemon/routes/apply.h"
#include "daemon/routes/handlers.h"

int
changes_make(struct request *req)
{
	return apply_request(req, ORDER_CHANGES);
}

int
changes_plan(struct request *req)
{
	return apply_request(req, ORDER_PLAN);
}
