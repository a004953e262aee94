/*
 * order.h - what a request wants changed, as data.
 *
 * Each route that changes a pool has a row: where its names stand and how its
 * body becomes tasks. An order can be written down and read again, so that a
 * kept plan is applied by the very code that made it.
 */
#ifndef HRWD_ROUTES_ORDER_H
#define HRWD_ROUTES_ORDER_H

#include "daemon/members/change.h"
#include "daemon/routes/common.h"

enum order_kind {
	ORDER_CHANGES,
	ORDER_PLAN, /* as ORDER_CHANGES, where a node to add needs only a name */
	ORDER_ADD,
	ORDER_PUT,
	ORDER_PATCH,
	ORDER_REMOVE,
	ORDER_DRAIN,
	ORDER_ACTIVATE,
	ORDER_REJOIN,
	ORDER_NODES,
	ORDER_POOL,
	ORDER_POOL_PATCH,
	ORDER_DROP,
	ORDER_SETTLE,
	ORDER_REVERT,
	ORDER_KINDS,
};

enum order_trait {
	ORDER_HAS_BODY = 1u << 0,
	ORDER_NAMES_NODE = 1u << 1, /* in the path */
	ORDER_NAMES_POOL = 1u << 2, /* in the path, not by ?pool= */
	ORDER_MAKES_POOL = 1u << 3, /* there need be none yet */
	ORDER_MAKES_NODE = 1u << 4,
	ORDER_NEEDS_MATCH = 1u << 5, /* 428 without If-Match */
	ORDER_ONLY_PLANS = 1u << 6,  /* always a dry run */
};

struct order {
	enum order_kind kind;
	struct common_name node; /* of the path; "" without */
	const struct json *body; /* borrowed; NULL without */
	bool settles_now;
};

unsigned order_traits(enum order_kind kind);

/* Appends the order's tasks to a change. No pool is regarded.
 *   errors   BAD_FIELD and the fields' own codes */
int order_read(const struct order *order, const struct hrw_limits *limits, struct change *change,
    struct hrw_fault *fault);

/* The order as a JSON object, and back: its body then points into `j`. */
void order_write(const struct order *order, struct buffer *out);
int order_parse(const struct json *j, struct order *out, struct hrw_fault *fault);

#endif
