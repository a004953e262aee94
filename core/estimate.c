/*
 * estimate.c - sample keys, shares, and how sure an estimate is.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/estimate.h"
#include "core/hash/fmix.h"
#include "core/keytype.h"
#include "core/zones.h"

/* 64 bits that differ for every i, spread over the whole range. */
static uint64_t
spread64(uint32_t i)
{
	return (uint64_t)hrw_fmix32(i) << 32 | hrw_fmix32(i + HRW_SAMPLE_KEYS);
}

static int
write_text(char *room, size_t size, uint32_t i)
{
	return snprintf(room, size, "sample-%" PRIu32, i);
}

static int
write_int32(char *room, size_t size, uint32_t i)
{
	return snprintf(room, size, "%" PRId32, (int32_t)hrw_fmix32(i));
}

static int
write_uint32(char *room, size_t size, uint32_t i)
{
	return snprintf(room, size, "%" PRIu32, hrw_fmix32(i));
}

static int
write_int64(char *room, size_t size, uint32_t i)
{
	return snprintf(room, size, "%" PRId64, (int64_t)spread64(i));
}

static int
write_uint64(char *room, size_t size, uint32_t i)
{
	return snprintf(room, size, "%" PRIu64, spread64(i));
}

/* A version 4 UUID (RFC 9562), its random bits taken from i. */
static int
write_uuid(char *room, size_t size, uint32_t i)
{
	uint64_t high = spread64(i), low = spread64(~i);

	return snprintf(room, size,
	    "%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-%04" PRIx64 "-%012" PRIx64, high >> 32,
	    high >> 16 & 0xffff, high & 0xfff, (low >> 48 & 0x3fff) | 0x8000, low & 0xffffffffffff);
}

struct hrw_bytes
hrw_sample_key(const struct hrw_membership *m, uint32_t i, char room[HRW_SAMPLE_KEY_BYTES])
{
	static int (*const write[])(char *room, size_t size, uint32_t i) = {
	    [HRW_KEY_TEXT] = write_text,
	    [HRW_KEY_INT32] = write_int32,
	    [HRW_KEY_INT64] = write_int64,
	    [HRW_KEY_UINT32] = write_uint32,
	    [HRW_KEY_UINT64] = write_uint64,
	    [HRW_KEY_UUID] = write_uuid,
	};
	int len;

	if (m->placement->sample_key != NULL)
		len = m->placement->sample_key(m, i, room, HRW_SAMPLE_KEY_BYTES);
	else
		len = write[hrw_key_type(m)](room, HRW_SAMPLE_KEY_BYTES, i);

	return hrw_bytes(room, (size_t)len);
}

void
hrw_wilson(uint64_t hits, uint64_t total, double *low, double *high)
{
	const double z = 1.959963984540054; /* the normal distribution's 97.5 % point */
	double n = (double)total, part, middle, reach, scale;

	if (total == 0) {
		*low = 0;
		*high = 1;
		return;
	}
	part = (double)hits / n;
	middle = part + z * z / (2 * n);
	reach = z * sqrt(part * (1 - part) / n + z * z / (4 * n * n));
	scale = 1 + z * z / n;

	/* At the ends the interval touches them: no rounding may open a gap. */
	*low = hits == 0 ? 0 : (middle - reach) / scale;
	*high = hits == total ? 1 : (middle + reach) / scale;
}

/* The name of a key's owner; NULL when nobody takes keys. */
static const char *
owner(const struct hrw_membership *m, struct hrw_bytes key)
{
	uint32_t node;

	return hrw_rank(m, key, 1, &node) < 0 ? NULL : m->node[node].name;
}

static void
shares_by_formula(const struct hrw_membership *m, double *out)
{
	for (size_t i = 0; i < m->count; i++)
		if (hrw_node_is_taker(&m->node[i]))
			out[i] = m->node[i].weight / m->taker_weight;
}

/* Counts are whole numbers below 2^53: a double holds them exactly. */
static void
shares_by_sample(const struct hrw_membership *m, double *out)
{
	char room[HRW_SAMPLE_KEY_BYTES];
	uint32_t node;

	for (uint32_t i = 0; i < HRW_SAMPLE_KEYS; i++)
		if (hrw_rank(m, hrw_sample_key(m, i, room), 1, &node) > 0)
			out[node]++;
	for (size_t i = 0; i < m->count; i++)
		out[i] /= HRW_SAMPLE_KEYS;
}

void
hrw_shares(const struct hrw_membership *m, double *out)
{
	for (size_t i = 0; i < m->count; i++)
		out[i] = 0;
	if (m->placement->traits & HRW_FAIR)
		shares_by_formula(m, out);
	else
		shares_by_sample(m, out);
}

double
hrw_owners_moved(const struct hrw_membership *before, const struct hrw_membership *after)
{
	char room[HRW_SAMPLE_KEY_BYTES];
	uint32_t moved = 0;

	for (uint32_t i = 0; i < HRW_SAMPLE_KEYS; i++) {
		struct hrw_bytes key = hrw_sample_key(before, i, room);
		const char *was = owner(before, key), *is = owner(after, key);

		if (was == NULL || is == NULL)
			moved += was != is;
		else
			moved += strcmp(was, is) != 0;
	}
	return (double)moved / HRW_SAMPLE_KEYS;
}
