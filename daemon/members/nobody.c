/*
 * nobody.c - no nodes, none that takes keys, or none that takes this one.
 */
#include "daemon/members/nobody.h"

static int
no_taker(const struct hrw_membership *m, const char *of, const char *pool, struct hrw_fault *fault)
{
	if (m->count == 1)
		return hrw_fault(fault, HRW_NO_SERVERS,
		    "the one node%s%s takes no keys, it is draining or of weight 0: activate it, "
		    "or "
		    "give it a weight",
		    of, pool);
	return hrw_fault(fault, HRW_NO_SERVERS,
	    "none of the %zu nodes%s%s takes keys, each is draining or of weight 0: activate one, "
	    "or give it a weight",
	    m->count, of, pool);
}

int
nobody_owns(const struct hrw_membership *m, const char *pool, struct hrw_fault *fault)
{
	unsigned traits = m->placement->traits;
	const char *of = pool != NULL ? " of pool " : "", *name = pool != NULL ? pool : "";

	if (m->count == 0)
		return pool != NULL
			   ? hrw_fault(fault, HRW_NO_SERVERS,
				 "pool %s has no nodes: add one with POST /nodes?pool=%s", pool,
				 pool)
			   : hrw_fault(fault, HRW_NO_SERVERS, "there are no nodes: add one");
	if (m->taker_count == 0)
		return no_taker(m, of, name, fault);
	if ((traits & HRW_SLOTS) != 0)
		return hrw_fault(fault, HRW_NO_SERVERS,
		    "no node%s%s that takes keys holds the key's slot: list it in the \"slots\" of "
		    "one (PUT /nodes), as %s places by them",
		    of, name, m->placement->name);
	if ((traits & HRW_TOKENS) != 0)
		return hrw_fault(fault, HRW_NO_SERVERS,
		    "no node%s%s that takes keys has tokens: give them \"tokens\" (PUT /nodes), as "
		    "%s places by them",
		    of, name, m->placement->name);
	if ((traits & HRW_REWEIGHT) != 0)
		return hrw_fault(fault, HRW_NO_SERVERS,
		    "each node%s%s that %s tries is out for this key: raise a \"reweight\"", of,
		    name, m->placement->name);
	return hrw_fault(fault, HRW_NO_SERVERS,
	    "%s gives up on this key, as too many nodes%s%s are draining or of weight 0: activate "
	    "one",
	    m->placement->name, of, name);
}
