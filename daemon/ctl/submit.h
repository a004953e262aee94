/*
 * submit.h - a change's way: planned, shown, asked about, applied.
 *
 * The plan is a dry run that the daemon keeps; what is applied is that very
 * plan, by its id, so nothing can slip in between the report and the change.
 */
#ifndef HRWD_CTL_SUBMIT_H
#define HRWD_CTL_SUBMIT_H

#include "daemon/ctl/client.h"

/* What is to be changed. */
struct order {
	const char *method;
	const char *pool;		     /* its name, where there are several orders */
	struct buffer path;		     /* without pool=, dry_run= and the like */
	struct buffer body;		     /* JSON; empty: none */
	bool names_pool;		     /* the path does: no pool= */
	bool is_plan;			     /* POST /plan: ends with the report */
	char if_match[64], if_none_match[4]; /* "": none */
};

void order_fini(struct order *order);

/* Plans, shows, asks and applies as the options say. An enum ctl_exit. */
int submit_order(struct ctl *ctl, const struct order *order);

/* The same for several pools: all are planned and shown before it is asked, once,
 * and none is changed where one is refused then. Applied one after another: where one
 * is refused meanwhile, those before it stay changed, which is said. */
int submit_orders(struct ctl *ctl, const struct order *orders, size_t count);

/* The same from the report of a kept plan on. */
int submit_plan(struct ctl *ctl, const struct reply *report);

/* Asks for a report until it has ended, with a progress bar on a terminal.
 *   reply   the report so far, replaced by the last one
 *   so_far  what Ctrl-C leaves behind: "nothing is changed"
 *   returns 0; CTL_LEFT after saying how to take it up again; what
 *           client_refused() returns */
int submit_follow(struct ctl *ctl, struct reply *reply, const char *so_far);

#endif
