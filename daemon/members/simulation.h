/*
 * simulation.h - a trace through the caches of a pool under several placements,
 * and, to see what they are worth, at random and in turn; off the loops.
 *
 * One after the other, so that memory is the trace and the caches of one.
 */
#ifndef HRWD_MEMBERS_SIMULATION_H
#define HRWD_MEMBERS_SIMULATION_H

#include "daemon/members/change.h"
#include "daemon/members/errand.h"

enum {
	SIMULATION_PLACEMENTS_MAX = 64,
	SIMULATION_EVENTS_MAX = 64,
	SIMULATION_REQUESTS_MAX = 10000000,
	SIMULATION_CACHE_BYTES_MAX = 256 << 20,
};

/* What is to be simulated; all zeros is nothing yet. */
struct simulation {
	struct errand errand; /* `done` and `owner` are set by whoever starts it */
	struct pool *pool;    /* a reference */
	struct hrw_membership *template[SIMULATION_PLACEMENTS_MAX]; /* drafts without nodes */
	size_t count;						    /* 0: the pool's own alone */
	struct change *events; /* TASK_REMOVE and TASK_ADD, in order of time; NULL: none */
	size_t at[SIMULATION_EVENTS_MAX]; /* before which request, 1 or more, by task */
	size_t capacity;		  /* entries of a node's cache; 0: no limit */
	size_t window;
	struct buffer keys;	/* records as keyset.h has them, in order of time */
	size_t requests;	/* so many, 1 or more */
	struct buffer warnings; /* elements of "warnings", of the trace */

	/* What came of it. */
	int rc; /* 0; BAD_FIELD: the caches would be too large; INTERNAL */
	struct hrw_fault fault;
	struct buffer answer; /* a JSON object */
};

/* Can the events be, one after the other?
 *   error   of a position outside of the trace
 *   fault   not NULL; at the event, or the parameter "leave" or "join"
 *   errors  UNKNOWN_NODE: it leaves and is not there. BAD_SERVER ("taken"): it
 *           joins and is there. `error` */
int simulation_check_events(
    const struct simulation *s, enum hrw_error error, struct hrw_fault *fault);

/* Sorts the events by time; those of one time stay as they are. */
void simulation_sort_events(struct simulation *s);

/* The errand's run. */
void simulation_run(struct errand *errand);

void simulation_free(struct simulation *s); /* NULL is fine */

#endif
