/*
 * xds_key.h - how Envoy and gRPC hash a request: XXH64 of the key's text, or,
 * with key_type uint64, the key itself.
 *
 * Source: Envoy and grpc-go, hash policies.
 */
#ifndef HRW_PLACE_XDS_KEY_H
#define HRW_PLACE_XDS_KEY_H

#include "core/hash/xxh64.h"
#include "core/keytype.h"

/* The choices of the parameter key_type; ends with NULL. */
extern const char *const hrw_xds_key_types[];

#define HRW_XDS_KEY_TYPE                                                                           \
	{                                                                                          \
		.name = "key_type", .type = HRW_PARAM_CHOICE, .choices = hrw_xds_key_types,        \
		.help = "text: hashed by XXH64; uint64: the key is the hash"                       \
	}

/* 0 or HRW_BAD_KEY. */
static inline int
hrw_xds_hash(enum hrw_key_type type, struct hrw_bytes key, uint64_t *hash)
{
	if (type == HRW_KEY_UINT64)
		return hrw_key_number(key, type, hash);
	*hash = hrw_xxh64(key);
	return 0;
}

#endif
