/*
 * warnings.h - what is done as it was asked for, but is most often a slip.
 *
 * An answer shows them as "warnings":[{"code","detail","nodes"}], and has no such
 * member where there are none. Nothing that is refused is warned of.
 */
#ifndef HRWD_MEMBERS_WARNINGS_H
#define HRWD_MEMBERS_WARNINGS_H

#include "core/membership.h"
#include "daemon/base/json.h"

struct warning {
	const char *code; /* static */
	const char *detail;
	const uint32_t *node; /* of the membership */
	size_t count;
};

/* Calls `each` for what is odd about a membership: nodes on one address, and nodes
 * that no key tells apart. WARNINGS_MOST at most.
 *   m        frozen
 *   returns  0; INTERNAL: no memory
 *   cost     n log n */
enum { WARNINGS_MOST = 20 };
typedef void (*warnings_each)(
    void *arg, const struct hrw_membership *m, const struct warning *warning);
int warnings_find(const struct hrw_membership *m, warnings_each each, void *arg);

/* Appends one as an element of the array, a comma before it where it is not the first.
 * The arguments are those of warnings_each, for a struct buffer. */
void warnings_add(void *buffer, const struct hrw_membership *m, const struct warning *warning);

/* Writes one into the log; the argument is the pool's name. */
void warnings_log(void *pool, const struct hrw_membership *m, const struct warning *warning);

/* The member of an open object; nothing where there are no elements (NULL or ""). */
void warnings_put(struct json_out *o, const char *elements);

#endif
