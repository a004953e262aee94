/*
 * rendezvous_joined.c - published rendezvous definitions that hash node and key
 * as one string, so that a lookup hashes once a node. Kept for those who use
 * them: their joined strings and their rules for ties differ.
 *
 * Source: PLACEMENTS in the README; RFC 7693; Fowler, Noll, Vo.
 */
#include "core/hash/blake2b.h"
#include "core/hash/fnv1a.h"
#include "core/place/scored.h"

static struct hrw_bytes
text_of(const struct hrw_scored *s, uint32_t node)
{
	return hrw_text(s->m->node[node].hash_name);
}

/* node, NUL, key */
static uint64_t
raw_blake2b(const struct hrw_scored *s, uint32_t node, uint64_t key, struct hrw_bytes text)
{
	(void)key;
	return hrw_blake2b_join(text_of(s, node), hrw_bytes("", 1), text);
}

/* key, |, node */
static uint64_t
raw_bar(const struct hrw_scored *s, uint32_t node, uint64_t key, struct hrw_bytes text)
{
	(void)key;
	return hrw_blake2b_join(text, hrw_text("|"), text_of(s, node));
}

/* node, |, key: the hash of "node|" is where the key's bytes go on */
static uint64_t
raw_fnv1a(const struct hrw_scored *s, uint32_t node, uint64_t key, struct hrw_bytes text)
{
	(void)key;
	return hrw_fnv1a32_more((uint32_t)s->hash[node], text);
}

static uint64_t
hash_fnv1a(const struct hrw_scored *s, struct hrw_bytes text)
{
	(void)s;
	return hrw_fnv1a32_more(hrw_fnv1a32(text), hrw_text("|"));
}

static const struct hrw_scorer blake2b = {
    .raw = raw_blake2b, .ties = HRW_TIES_LARGER_NAME, .bits = 52, .is_wide = true};
static const struct hrw_scorer bar = {.raw = raw_bar, .ties = HRW_TIES_LOWER_ID, .is_wide = true};
static const struct hrw_scorer fnv1a = {
    .hash_node = hash_fnv1a, .raw = raw_fnv1a, .ties = HRW_TIES_LOWER_ID};

static int
prepare_blake2b(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	return hrw_scored_prepare(m, &blake2b, index, fault);
}

static int
prepare_bar(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	return hrw_scored_prepare(m, &bar, index, fault);
}

static int
prepare_fnv1a(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	return hrw_scored_prepare(m, &fnv1a, index, fault);
}

/* A NUL in the key could be the one between node and key. */
static int
check_key(const struct hrw_membership *m, struct hrw_bytes key, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	if (memchr(key.data, 0, key.len) == NULL)
		return 0;
	return hrw_fault(fault, HRW_BAD_KEY,
	    "key \"%s\" holds a NUL, which %s takes for the end of a node's name: send keys "
	    "without",
	    hrw_show(key, shown, sizeof(shown)), m->placement->name);
}

const struct hrw_placement hrw_rendezvous_blake2b = {
    .name = "rendezvous-blake2b",
    .traits = HRW_WEIGHTED | HRW_ZONED | HRW_FAIR | HRW_MINIMAL | HRW_DELETES,
    .weights = {HRW_WEIGHT_REAL, 0, 1e9},
    .hashed = HRW_HASHED_NAME,
    .source = "Thaler & Ravishankar, 1998; RFC 7693",
    .check_key = check_key,
    .prepare = prepare_blake2b,
    .rank = hrw_scored_rank,
    .explain = hrw_scored_explain,
    .free = hrw_scored_free,
    .size = hrw_scored_size,
};

const struct hrw_placement hrw_rendezvous_blake2b_bar = {
    .name = "rendezvous-blake2b-bar",
    .traits = HRW_ZONED | HRW_FAIR | HRW_MINIMAL | HRW_BY_ID | HRW_DELETES,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NAME,
    .source = "Thaler & Ravishankar, 1998; RFC 7693",
    .prepare = prepare_bar,
    .rank = hrw_scored_rank,
    .explain = hrw_scored_explain,
    .free = hrw_scored_free,
    .size = hrw_scored_size,
};

/* Without a mix, shares are not fair: see PLACEMENTS in the README. */
const struct hrw_placement hrw_rendezvous_fnv1a = {
    .name = "rendezvous-fnv1a",
    .traits = HRW_ZONED | HRW_MINIMAL | HRW_BY_ID | HRW_DELETES,
    .weights = {HRW_WEIGHT_NONE, 0, 0},
    .hashed = HRW_HASHED_NAME,
    .source = "Thaler & Ravishankar, 1998; Fowler, Noll, Vo",
    .prepare = prepare_fnv1a,
    .rank = hrw_scored_rank,
    .explain = hrw_scored_explain,
    .free = hrw_scored_free,
    .size = hrw_scored_size,
};
