/*
 * Typed keys: a number that is taken is written as it was read, a UUID likewise.
 *
 * The first byte is the type: i and l signed, I and L not, of 32 and 64 bits.
 */
#include <strings.h>

#include "core/keytype.h"
#include "tests/fuzz/law.h"

static void
law_of_numbers(struct hrw_bytes key, enum hrw_key_type type)
{
	bool is_signed = type == HRW_KEY_INT32 || type == HRW_KEY_INT64;
	uint64_t number;
	char shown[32];

	if (hrw_key_number(key, type, &number) < 0)
		return;
	if (is_signed)
		snprintf(shown, sizeof(shown), "%lld", (long long)number);
	else
		snprintf(shown, sizeof(shown), "%llu", (unsigned long long)number);
	law(hrw_bytes_equal(key, hrw_text(shown)));
	law(type != HRW_KEY_INT32 || (int64_t)number == (int32_t)number);
	law(type != HRW_KEY_UINT32 || number <= UINT32_MAX);
}

static void
law_of_uuids(struct hrw_bytes key)
{
	uint8_t uuid[16];
	char shown[40];
	size_t at = 0;

	if (hrw_key_uuid(key, uuid) < 0)
		return;
	for (size_t i = 0; i < sizeof(uuid); i++)
		at += (size_t)snprintf(shown + at, sizeof(shown) - at, "%s%02x",
		    i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
	law(key.len == at && strncasecmp((const char *)key.data, shown, at) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct hrw_bytes key;
	uint8_t *copy;

	if (len == 0)
		return 0;
	copy = malloc(len);
	memcpy(copy, data + 1, len - 1);
	key = hrw_bytes(copy, len - 1);
	switch (data[0]) {
	case 'i':
		law_of_numbers(key, HRW_KEY_INT32);
		break;
	case 'l':
		law_of_numbers(key, HRW_KEY_INT64);
		break;
	case 'I':
		law_of_numbers(key, HRW_KEY_UINT32);
		break;
	case 'L':
		law_of_numbers(key, HRW_KEY_UINT64);
		break;
	default:
		law_of_uuids(key);
	}
	free(copy);
	return 0;
}
