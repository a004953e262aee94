/*
 * twins.h - nodes that no key tells apart, where the original system takes them.
 *
 * Most placements refuse such nodes. Some follow a system that does not, and its
 * users want its answers; there one of the two owns nothing, which ought to be said.
 */
#ifndef HRW_TWINS_H
#define HRW_TWINS_H

#include "core/membership.h"

/* Finds twins.
 *   m        frozen
 *   twin_of  receives by node the first node that it is a twin of; a node that is
 *            nobody's twin has its own index, and so has the first of them
 *   returns  how many nodes are a twin of one before; INTERNAL: no memory
 *   cost     n log n */
int hrw_twins(const struct hrw_membership *m, uint32_t *twin_of);

#endif
