/*
 * change_line.h - the line of the log that a change leaves: who, what, which epoch,
 * how many keys.
 */
#ifndef HRWD_ROUTES_CHANGE_LINE_H
#define HRWD_ROUTES_CHANGE_LINE_H

#include "daemon/http/request.h"
#include "daemon/members/change.h"
#include "daemon/members/report.h"

/* Writes the line of a change that was made, or refused by a guard.
 *   req      who asks; nothing of it is kept
 *   report   that counts its keys; NULL: none does, and the line comes at once. Else
 *            it comes when that has ended, 10 seconds from now at the latest; what
 *            is counted later has a line of its own. Main loop */
void change_line_tell(
    const struct request *req, const char *pool, const struct outcome *out, struct report *report);

#endif
