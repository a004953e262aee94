/*
 * zones.c - copies in rank order, one a zone while zones last.
 */
#include "core/zones.h"

/* Holders are looked for in the beginning of a ranking, a longer one when it
 * does not tell. */
enum { FEW = 64, LONGER = 3 };

static bool
zone_is_held(const struct hrw_membership *m, uint32_t node, const uint32_t *holder, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (m->zone_of[holder[i]] == m->zone_of[node])
			return true;
	return false;
}

static bool
is_holder(uint32_t node, const uint32_t *holder, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (holder[i] == node)
			return true;
	return false;
}

/* Picks holders from the first `ranked` of a ranking: the first of each zone, then
 * those passed over. Fewer than copies when more of it is needed; a whole one has
 * no more zones than it shows. */
static size_t
pick(const struct hrw_membership *m, const uint32_t *ranking, size_t ranked, bool is_all,
    size_t copies, uint32_t *out)
{
	size_t zones = copies < m->zone_count ? copies : m->zone_count;
	size_t count = 0;

	for (size_t i = 0; i < ranked && count < zones; i++)
		if (!zone_is_held(m, ranking[i], out, count))
			out[count++] = ranking[i];
	for (size_t i = 0; (count >= zones || is_all) && i < ranked && count < copies; i++)
		if (!is_holder(ranking[i], out, count))
			out[count++] = ranking[i];
	return count;
}

/* Was a ranking asked for `want` nodes all there is? */
static bool
is_whole(const struct hrw_membership *m, int ranked, size_t want)
{
	return (size_t)ranked < want || want >= m->count;
}

/* The rare long way has a frame of its own.
 *   want  what was too little */
__attribute__((noinline)) static int
hold_long(
    const struct hrw_membership *m, struct hrw_bytes key, size_t copies, size_t want, uint32_t *out)
{
	uint32_t ranking[HRW_NODES_MAX];
	size_t count;
	int ranked;

	do {
		want = want * LONGER < m->count ? want * LONGER : m->count;
		ranked = hrw_rank(m, key, want, ranking);
		if (ranked < 0)
			return ranked;
		count = pick(m, ranking, (size_t)ranked, is_whole(m, ranked, want), copies, out);
	} while (count < copies && (size_t)ranked == want && want < m->count);
	return (int)count;
}

int
hrw_holders(const struct hrw_membership *m, struct hrw_bytes key, size_t copies, uint32_t *out)
{
	uint32_t ranking[FEW];
	size_t want, count;
	int ranked;

	if (copies < 1 || copies > hrw_copies_most(m->placement))
		return HRW_BAD_COPIES;
	if (copies == 1 || !m->has_zones)
		return hrw_rank(m, key, copies, out);
	want = hrw_holders_places(m, copies);
	ranked = hrw_rank(m, key, want, ranking);
	if (ranked < 0)
		return ranked;
	count = pick(m, ranking, (size_t)ranked, is_whole(m, ranked, want), copies, out);
	if (count == copies || (size_t)ranked < want)
		return (int)count;
	return hold_long(m, key, copies, want, out);
}

size_t
hrw_holders_places(const struct hrw_membership *m, size_t copies)
{
	if (copies == 1 || !m->has_zones)
		return copies;
	/* So many rarely stand in fewer zones than there are copies. */
	return 2 * copies + 1 < FEW ? 2 * copies + 1 : FEW;
}

int
hrw_holders_among(const struct hrw_membership *m, const uint32_t *ranking, size_t ranked,
    size_t copies, uint32_t *out)
{
	bool is_all = ranked >= m->taker_count;
	size_t count = copies < ranked ? copies : ranked;

	if (copies == 1 || !m->has_zones)
		for (size_t i = 0; i < count; i++)
			out[i] = ranking[i];
	else
		count = pick(m, ranking, ranked, is_all, copies, out);
	return is_all || count == copies ? (int)count : 0;
}
