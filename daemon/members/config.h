/*
 * config.h - what a configuration says of pools.
 */
#ifndef HRWD_MEMBERS_CONFIG_H
#define HRWD_MEMBERS_CONFIG_H

#include <stdatomic.h>

#include "core/membership.h"
#include "daemon/base/json.h"

/* Owned by the configuration. A reload may change what is atomic while others read it. */
struct members_config {
	/* nodes, key_bytes, copies, name_bytes: never written again, so that any
	 * thread may keep the pointer; a reload puts another in its place. */
	const struct hrw_limits *_Atomic limits;
	char *default_pool;	  /* of a request that names none */
	char *store_path;	  /* absolute */
	const struct json *pools; /* seeds by name; NULL: none given */
	atomic_size_t plans, running_plans, history;
};

#endif
