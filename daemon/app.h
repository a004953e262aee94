/*
 * app.h - what a handler can reach.
 */
#ifndef HRWD_APP_H
#define HRWD_APP_H

#include <uv.h>

#include "daemon/config/config.h"
#include "daemon/members/report.h"
#include "daemon/members/watchers.h"
#include "daemon/members/writer.h"
#include "daemon/store/keyset.h"
#include "daemon/store/store.h"

struct metrics;

struct app {
	const struct config *config;
	struct store *store;
	struct keyset *keyset;
	struct writer *writer;	 /* main loop only */
	struct reports *reports; /* main loop only */
	struct metrics *metrics;
	struct watchers *watchers; /* of the loop that this app is of */
};

#endif
