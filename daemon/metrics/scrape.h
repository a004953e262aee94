/*
 * scrape.h - one scrape, for the functions that print a metric's samples:
 * write.c has the table and most of them, pools.c those of pools.
 */
#ifndef HRWD_METRICS_SCRAPE_H
#define HRWD_METRICS_SCRAPE_H

#include "daemon/app.h"
#include "daemon/metrics/private.h"
#include "daemon/metrics/process.h"

/* What a row's function is given. */
struct scrape {
	const struct metric *metric;
	const struct app *app;
	const struct snapshot *snapshot;
	const struct token *token; /* whose pools alone are shown */
	struct buffer *out;
	const struct process *process;
	const char *suffix; /* of the sample's name: "_bucket" */
	bool has_label;
};

struct metric {
	const char *name, *type, *help; /* the unit is the last word of the name */
	void (*print)(struct scrape *s);
};

/* A sample: begun, labelled, and ended by its value. */
void scrape_begin(struct scrape *s);
void scrape_label(struct scrape *s, const char *name, const char *value);
void scrape_end(struct scrape *s, uint64_t value);
void scrape_number(struct scrape *s, double value);

/* Rows of pools. */
void metrics_pools_lookups(struct scrape *s);
void metrics_pools_epochs(struct scrape *s);
void metrics_pools_settled(struct scrape *s);
void metrics_pools_missing(struct scrape *s);
void metrics_pools_nodes(struct scrape *s);
void metrics_pools_info(struct scrape *s);
void metrics_pools_node_lookups(struct scrape *s);
void metrics_pools_observed(struct scrape *s);
void metrics_pools_shares(struct scrape *s);
void metrics_pools_drift(struct scrape *s);

#endif
