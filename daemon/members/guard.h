/*
 * guard.h - what a change must not do unless it is forced by name.
 *
 * Judged from memberships alone, without a key, so every daemon judges alike.
 */
#ifndef HRWD_MEMBERS_GUARD_H
#define HRWD_MEMBERS_GUARD_H

#include "daemon/members/change.h"

/* "keys-at-risk" -> GUARD_KEYS_AT_RISK; 0 where there is none. */
unsigned guard_from_code(struct hrw_bytes code);

/* Codes of a set, as a JSON array. */
void guard_write(struct json_out *o, const char *name, unsigned guards);

/* A list "a,b" of ?force=: BAD_PARAMETER lists what there is. */
int guard_read(struct hrw_bytes list, unsigned *out, struct hrw_fault *fault);

/* keys-at-risk and too-much-moved of a change from one version to the next:
 * 0, or the error with its fault. before NULL: none applies. */
int guard_at_risk(const struct pool *before, const struct pool *after, struct hrw_fault *fault);
int guard_moved(const struct pool *before, const struct pool *after, struct hrw_fault *fault);

#endif
