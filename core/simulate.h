/*
 * simulate.h - a trace of requests through the caches of a pool whose nodes come
 * and go.
 *
 * Each request goes to one node: the key's owner under a placement, or, to see
 * what affinity is worth, one taken at random or in turn. There it is a hit or a
 * miss, and is cached from then on. A node that leaves takes its cache along; one
 * that joins begins with an empty one; the others keep theirs.
 */
#ifndef HRW_SIMULATE_H
#define HRW_SIMULATE_H

#include "core/membership.h"
#include "core/trace.h"

enum hrw_router {
	HRW_BY_PLACEMENT,
	HRW_AT_RANDOM,	 /* each node that takes keys alike, whatever its weight */
	HRW_ROUND_ROBIN, /* in order of name, alike */
};

/* The nodes from a request on; the first phase begins at 0, none is empty. */
struct hrw_phase {
	size_t from;
	const struct hrw_membership *membership; /* frozen */
};

/* Borrowed; all of it outlives the simulation. */
struct hrw_simulation_setup {
	const struct hrw_trace *trace; /* not empty */
	const struct hrw_phase *phase; /* ascending, below the trace's count */
	size_t phase_count;
	enum hrw_router router;
	size_t capacity; /* entries of a node's cache, which forgets the one least
			  * recently used; 0: it forgets none */
	size_t window;	 /* requests, 1 or more */
};

/* Hit rates are parts of 1. */
struct hrw_simulated {
	uint64_t requests, hits;
	uint64_t unplaced; /* requests for keys that had no owner: misses */

	/* The second half of the first phase: until then the caches fill. */
	double steady;
	/* The window of fewest hits, and where it begins. Windows lie end to end
	 * from the end of the first phase on (in a trace of one phase: within that
	 * half); a stretch shorter than a window is one. */
	double worst;
	uint64_t worst_at;
	/* The second half of the last phase, where there is more than one. */
	bool has_recovered;
	double recovered;

	/* The node that got the most requests of all; the first by name. NULL:
	 * none got any. */
	const char *busiest;
	uint64_t busiest_requests;
};

struct hrw_simulation;

/* Bytes of caches that a simulation allocates at once: what to check before.
 * A cache has room for as many entries as there are distinct keys at most. */
uint64_t hrw_simulation_bytes(const struct hrw_simulation_setup *setup);

/* NULL: no memory. */
struct hrw_simulation *hrw_simulation_new(const struct hrw_simulation_setup *setup);
void hrw_simulation_free(struct hrw_simulation *s);

/* Replays up to `count` more requests.
 *   returns  1 with more to come, 0 at the end
 *   errors   BAD_KEY with its fault: the placement cannot place it
 *   cost     a ranking for each distinct key of a phase, else constant a request */
int hrw_simulation_run(struct hrw_simulation *s, size_t count, struct hrw_fault *fault);

/* After the end. */
void hrw_simulation_result(const struct hrw_simulation *s, struct hrw_simulated *out);

#endif
