/*
 * watching.h - how many requests may wait for a change at a time.
 *
 * Half of a listener's connections (limits.connections): so that those who watch
 * leave room for those who ask.
 */
#ifndef HRWD_HTTP_WATCHING_H
#define HRWD_HTTP_WATCHING_H

#include "daemon/http/request.h"

/* Takes a place, to be given back by watching_leave(). BUSY: all are taken. */
int watching_enter(struct request *req);
void watching_leave(enum listener listener);

/* How many wait now. Any thread. */
size_t watching_count(enum listener listener);

#endif
