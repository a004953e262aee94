/*
 * figures.h - what a store counts of itself.
 */
#ifndef HRWD_STORE_FIGURES_H
#define HRWD_STORE_FIGURES_H

#include "daemon/base/histogram.h"

struct store;

struct store_figures {
	struct histogram commit; /* of those that succeeded */
	atomic_uint_least64_t errors;
};

/* Read by any thread while the store is open. */
const struct store_figures *store_figures(const struct store *s);

#endif
