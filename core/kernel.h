/*
 * kernel.h - which code scores nodes: plain C, or vectors where the CPU has them.
 *
 * Every kernel gives the same answers, bit for bit, so a choice is of speed
 * alone. The best one that the CPU runs is chosen before main(); a membership
 * keeps the one that was chosen when it was frozen.
 */
#ifndef HRW_KERNEL_H
#define HRW_KERNEL_H

#include "core/error.h"

/* Chooses the kernel of memberships frozen from now on. At start, or in a test:
 * not while another thread freezes one.
 *   name     "portable", "avx2", "avx512"
 *   errors   BAD_FIELD: there is no such kernel, or this CPU cannot run it; then
 *            the choice is as before */
int hrw_kernel_choose(const char *name, struct hrw_fault *fault);

/* The name of the one chosen. Static storage. */
const char *hrw_kernel_chosen(void);

/* The i-th kernel that this CPU runs, the slowest (portable) first; NULL past
 * the last. Static storage. */
const char *hrw_kernel_runnable(size_t i);

#endif
