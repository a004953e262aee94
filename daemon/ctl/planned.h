/*
 * planned.h - a report (planChange) as people read it.
 */
#ifndef HRWD_CTL_PLANNED_H
#define HRWD_CTL_PLANNED_H

#include "daemon/base/buffer.h"
#include "daemon/base/json.h"
#include "daemon/ctl/ctl.h"

/* Prints an ended report: what is changed, the nodes with what each gains and
 * loses, the owners, the keys without a source, the matrix of lost and gained
 * where it is small, and the refusal where there is one. */
void planned_show(const struct ctl *ctl, const struct json *j);

/* "drain cache-c, add cache-e": what a report or an entry of the history changes. */
void planned_ops(const struct json *change, struct buffer *out);

/* Is the report of a change that changes nothing? */
bool planned_is_idle(const struct json *report);

#endif
