/*
 * turns.h - how many requests may be busy with key sets at a time.
 *
 * An upload takes memory to sort in, and a thread of the libuv pool while it is
 * put in place; a list keeps a connection to the key sets' file and a batch of
 * keys for as long as its client reads. Nobody waits for a turn: where all are
 * taken (limits.running_uploads, limits.running_lists), one more is told so.
 */
#ifndef HRWD_ROUTES_TURNS_H
#define HRWD_ROUTES_TURNS_H

#include "daemon/http/request.h"

enum turn { TURN_NONE, TURN_UPLOAD, TURN_LIST, TURN_COUNT };

/* Takes a turn and notes it in *turn. BUSY: all are taken. */
int turn_take(struct request *req, enum turn kind, enum turn *turn);
void turn_give_back(enum turn turn); /* TURN_NONE is fine */

#endif
