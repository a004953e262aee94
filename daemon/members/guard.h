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
void guard_write(struct json_out *o, const char *name, unsigned set);

/* The same as ?force= has them, "a,b". */
void guard_list(struct buffer *out, unsigned set);

/* A list "a,b" of ?force=: BAD_PARAMETER lists what there is. */
int guard_read(struct hrw_bytes list, unsigned *out, struct hrw_fault *fault);

/* Judges a change from one version of a pool to the next, as if it did not settle.
 *   before   NULL: the pool is made, and no guard applies
 *   after    NULL: the pool is removed
 *   kept     the settled membership after it, had it not settled; frozen; NULL
 *            where after is
 *   force    guards that may not refuse
 *   forced   receives those that would have
 *   returns  0, or the first guard's error with its fault; INTERNAL: no memory */
int guard_judge(const struct pool *before, const struct pool *after,
    const struct hrw_membership *kept, unsigned force, unsigned *forced, struct hrw_fault *fault);

#endif
