/*
 * turns.h - how many requests may be busy with many keys at a time.
 *
 * An upload takes memory to sort in, and a thread of the libuv pool while it is
 * put in place; a list keeps a connection to the key sets' file and a batch of
 * keys for as long as its client reads; a trace is in memory whole; a backup
 * takes as much of the disk as the store does. Nobody waits for a turn: if all are
 * taken (limits.running_uploads, running_lists, running_plans), a request is refused
 * before its body is read.
 */
#ifndef HRWD_ROUTES_TURNS_H
#define HRWD_ROUTES_TURNS_H

#include "daemon/http/request.h"

enum turn { TURN_NONE, TURN_UPLOAD, TURN_LIST, TURN_TRACE, TURN_BACKUP, TURN_COUNT };

/* Takes a turn and notes it in *turn. BUSY: all are taken. */
int turn_take(struct request *req, enum turn kind, enum turn *turn);
void turn_give_back(enum turn turn); /* TURN_NONE is fine */

#endif
