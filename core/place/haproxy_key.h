/*
 * haproxy_key.h - how HAProxy hashes a key: its text cut to what is balanced on,
 * a hash function, and the avalanche that may follow.
 *
 * Source: HAProxy 2.6.12, configuration manual, `balance` and `hash-type`.
 */
#ifndef HRW_PLACE_HAPROXY_KEY_H
#define HRW_PLACE_HAPROXY_KEY_H

#include "core/membership.h"

/* The parameters of both placements, in this order. */
enum {
	HRW_HAPROXY_HASH,
	HRW_HAPROXY_AVALANCHE,
	HRW_HAPROXY_BALANCE,
	HRW_HAPROXY_LEN,
	HRW_HAPROXY_DEPTH,
	HRW_HAPROXY_WHOLE,
};

extern const struct hrw_param hrw_haproxy_params[];

struct hrw_haproxy_key {
	uint32_t (*hash)(struct hrw_bytes text);
	bool has_avalanche, is_uri, is_whole;
	size_t len, depth; /* 0: all */
};

void hrw_haproxy_key_init(struct hrw_haproxy_key *k, const struct hrw_value *value);

uint32_t hrw_haproxy_hash(const struct hrw_haproxy_key *k, struct hrw_bytes key);

#endif
