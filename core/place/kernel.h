/*
 * kernel.h - the few best nodes of `rendezvous` for one key, by vectors.
 *
 * A kernel mixes many nodes at once and keeps those of the lowest value: the
 * inverted raw; or, where weights differ, the cost, which is -ln u / weight,
 * the score upside down. Its logarithm is good to three digits, and that decides
 * nearly every key. Where it does not the kernel says so, and the plain loops of
 * rendezvous.c answer: they are the reference.
 */
#ifndef HRW_PLACE_KERNEL_H
#define HRW_PLACE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HRW_KERNEL_FEW = 16, /* the most that can be wanted */
	HRW_KERNEL_PAD = 64, /* arrays are whole multiples of so many nodes */
};

/* Nodes, a field an array, each aligned to 64 bytes. What pads an array repeats
 * its last node. */
struct hrw_kernel_nodes {
	size_t count;	       /* 1 at least */
	const uint32_t *hash;  /* all different */
	const float *per_unit; /* 1 / weight */
	uint32_t small_limit;  /* bits of the float -ln(3/4) / the highest weight */
};

/* The `want` best for a key's hash, best first.
 *   want     1..HRW_KERNEL_FEW, not above count
 *   out      room for `want` indexes of nodes
 *   returns  false: two costs were too close to tell, out[] is not to be used.
 *            Never so where weights are equal */
typedef bool hrw_kernel_rank(
    const struct hrw_kernel_nodes *nodes, uint32_t key, size_t want, uint32_t *out);

struct hrw_kernel {
	const char *name;
	bool (*is_runnable)(void);
	hrw_kernel_rank *by_raw; /* weights are equal; NULL: plain loops alone */
	hrw_kernel_rank *by_cost;
	/* As by_cost, quicker, but it tells nothing where one of the best costs more
	 * than small_limit: for pools in which no node has a large share. */
	hrw_kernel_rank *by_small_cost;
};

/* The one chosen. */
const struct hrw_kernel *hrw_kernel_now(void);

#endif
