/*
 * keytype.c - keys as numbers and UUIDs.
 */
#include "core/keytype.h"

#include "core/hex.h"

static const struct {
	const char *name, *form;
	bool is_signed;
	uint64_t highest; /* the largest number; a signed type's lowest is -highest - 1 */
} types[] = {
    [HRW_KEY_TEXT] = {"text", "any bytes", false, 0},
    [HRW_KEY_INT32] = {"int32", "a whole number from -2147483648 to 2147483647", true, INT32_MAX},
    [HRW_KEY_INT64] = {"int64", "a whole number of 64 bits, signed", true, INT64_MAX},
    [HRW_KEY_UINT32] = {"uint32", "a whole number from 0 to 4294967295", false, UINT32_MAX},
    [HRW_KEY_UINT64] = {"uint64", "a whole number from 0 to 2^64 - 1", false, UINT64_MAX},
    [HRW_KEY_UUID] = {"uuid", "a UUID like 123e4567-e89b-12d3-a456-426614174000", false, 0},
};

enum { TYPES = sizeof(types) / sizeof(types[0]) };

const char *
hrw_key_type_name(enum hrw_key_type type)
{
	return types[type].name;
}

enum hrw_key_type
hrw_key_type(const struct hrw_membership *m)
{
	const struct hrw_param *params = m->placement->params;

	for (size_t p = 0; params != NULL && params[p].name != NULL; p++) {
		if (strcmp(params[p].name, "key_type") != 0)
			continue;
		for (int t = 0; t < TYPES; t++)
			if (strcmp(params[p].choices[m->param[p].number], types[t].name) == 0)
				return (enum hrw_key_type)t;
	}
	return HRW_KEY_TEXT;
}

int
hrw_key_number(struct hrw_bytes key, enum hrw_key_type type, uint64_t *out)
{
	bool is_negative = types[type].is_signed && key.len > 0 && key.data[0] == '-';
	uint64_t limit = types[type].highest + is_negative, number = 0;
	size_t first = is_negative, at;

	for (at = first; at < key.len && at - first < 20; at++) {
		unsigned digit = key.data[at] - (unsigned)'0';

		if (digit > 9 || number > (limit - digit) / 10)
			return HRW_BAD_KEY;
		number = number * 10 + digit;
	}
	if (at == first || at < key.len || (key.data[first] == '0' && key.len > 1))
		return HRW_BAD_KEY;
	*out = is_negative ? -number : number;
	return 0;
}

int
hrw_key_uuid(struct hrw_bytes key, uint8_t out[16])
{
	size_t at = 0;

	if (key.len != 36)
		return HRW_BAD_KEY;
	for (size_t i = 0; i < 16; i++) {
		int high, low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && key.data[at++] != '-')
			return HRW_BAD_KEY;
		high = hrw_hex_digit(key.data[at++]);
		low = hrw_hex_digit(key.data[at++]);
		if (high < 0 || low < 0)
			return HRW_BAD_KEY;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

int
hrw_key_check(const struct hrw_membership *m, struct hrw_bytes key, struct hrw_fault *fault)
{
	enum hrw_key_type type = hrw_key_type(m);
	char shown[HRW_SHOWN];
	uint8_t uuid[16];
	uint64_t number;
	int rc = 0;

	if (type == HRW_KEY_UUID)
		rc = hrw_key_uuid(key, uuid);
	else if (type != HRW_KEY_TEXT)
		rc = hrw_key_number(key, type, &number);
	if (rc < 0)
		return hrw_fault(fault, HRW_BAD_KEY,
		    "key \"%s\" is not of the pool's key_type %s: send %s",
		    hrw_show(key, shown, sizeof(shown)), types[type].name, types[type].form);
	if (m->placement->check_key != NULL)
		return m->placement->check_key(m, key, fault);
	return 0;
}
