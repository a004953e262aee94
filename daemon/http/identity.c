/*
 * identity.c - ids count up from a place of chance, and are then mixed.
 */
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "core/hash/fmix.h"
#include "daemon/http/identity.h"

enum { TRACEPARENT = 55, TRACE_AT = 3, PARENT_AT = 36, PARENT = 16, FLAGS_AT = 53 };

static const char hex[] = "0123456789abcdef";

uint64_t
identity_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) == sizeof(seed))
		return seed;
	return hrw_fmix64((uint64_t)time(NULL));
}

static bool
is_plain(unsigned char c)
{
	unsigned char letter = c | 0x20;

	return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
	       c == '-';
}

static bool
is_id(struct hrw_bytes sent)
{
	if (sent.len == 0 || sent.len > IDENTITY_ID)
		return false;
	for (size_t i = 0; i < sent.len; i++)
		if (!is_plain(sent.data[i]))
			return false;
	return true;
}

/* Lower-case hex digits, `some` of them not 0. */
static bool
is_hex(const unsigned char *at, size_t len, bool some)
{
	for (size_t i = 0; i < len; i++) {
		if (at[i] == '\0' || strchr(hex, at[i]) == NULL)
			return false;
		some = some && at[i] == '0';
	}
	return !some;
}

/* 00-TRACE-PARENT-FLAGS. Later versions may have more behind a dash. */
static bool
is_trace(struct hrw_bytes t)
{
	if (t.len < TRACEPARENT || !is_hex(t.data, 2, false) || memcmp(t.data, "ff", 2) == 0)
		return false;
	if (t.len > TRACEPARENT && (memcmp(t.data, "00", 2) == 0 || t.data[TRACEPARENT] != '-'))
		return false;
	return t.data[TRACE_AT - 1] == '-' && t.data[PARENT_AT - 1] == '-' &&
	       t.data[FLAGS_AT - 1] == '-' && is_hex(t.data + TRACE_AT, IDENTITY_TRACE, true) &&
	       is_hex(t.data + PARENT_AT, PARENT, true) && is_hex(t.data + FLAGS_AT, 2, false);
}

void
identity_give(
    struct identity *identity, struct hrw_bytes sent, struct hrw_bytes trace, uint64_t *next)
{
	identity->trace[0] = '\0';
	if (trace.data != NULL && is_trace(trace)) {
		memcpy(identity->trace, trace.data + TRACE_AT, IDENTITY_TRACE);
		identity->trace[IDENTITY_TRACE] = '\0';
	}
	if (sent.data != NULL && is_id(sent)) {
		memcpy(identity->id, sent.data, sent.len);
		identity->id[sent.len] = '\0';
	} else {
		uint64_t id = hrw_fmix64((*next)++);

		for (int i = 15; i >= 0; i--, id >>= 4)
			identity->id[i] = hex[id & 15];
		identity->id[16] = '\0';
	}
}
