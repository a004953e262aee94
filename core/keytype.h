/*
 * keytype.h - how a pool reads its keys.
 *
 * A key is bytes. A placement with the parameter key_type may take it as the
 * text of a number or a UUID instead, as the system that it speaks for does.
 */
#ifndef HRW_KEYTYPE_H
#define HRW_KEYTYPE_H

#include "core/membership.h"

enum hrw_key_type {
	HRW_KEY_TEXT, /* its bytes */
	HRW_KEY_INT32,
	HRW_KEY_INT64,
	HRW_KEY_UINT32,
	HRW_KEY_UINT64,
	HRW_KEY_UUID,
};

/* "text", "int32", …; the order is the enum's. Static storage. */
const char *hrw_key_type_name(enum hrw_key_type type);

/* The key type of a membership: its parameter key_type, HRW_KEY_TEXT without. */
enum hrw_key_type hrw_key_type(const struct hrw_membership *m);

/* A number in decimal, as its type writes it: no sign but '-' for a negative
 * one, no leading zeros, no spaces.
 *   out      the number; a negative one as its 64-bit two's complement
 *   returns  0, or HRW_BAD_KEY: not such a text, or out of the type's range */
int hrw_key_number(struct hrw_bytes key, enum hrw_key_type type, uint64_t *out);

/* A UUID in its text form (8-4-4-4-12 hex digits, either case): its 16 bytes in
 * the order they are written. 0 or HRW_BAD_KEY. */
int hrw_key_uuid(struct hrw_bytes key, uint8_t out[16]);

/* Can the pool place this key? Its type, then what the placement itself asks.
 * 0, or HRW_BAD_KEY with the value and the remedy. Not on the lookup path: rank
 * answers HRW_BAD_KEY by itself, and this says why. */
int hrw_key_check(const struct hrw_membership *m, struct hrw_bytes key, struct hrw_fault *fault);

#endif
