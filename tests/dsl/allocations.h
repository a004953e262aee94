/*
 * allocations.h - how many allocations our own code has made.
 *
 * The linker leads every call of malloc and its like in our objects through a
 * counter (--wrap); what libraries do inside themselves is not seen.
 */
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

#include <stddef.h>

/* Since the start, over all threads. */
size_t allocations(void);

#endif
