/*
 * rendezvous_keyed.c - rendezvous hashing for keys that strangers choose: with a
 * secret, nobody can aim keys at a node.
 *
 * raw = fmix64(SipHash(hash_name) XOR SipHash(key)), 64 bits, of which the upper
 * 52 make the score.
 *
 * Source: Thaler & Ravishankar, 1998; Aumasson & Bernstein, 2012.
 */
#include "core/hash/fmix.h"
#include "core/hash/siphash.h"
#include "core/place/scored.h"

enum { PARAM_SECRET_FILE };

static const struct hrw_param params[] = {
    {.name = "secret_file",
	.type = HRW_PARAM_SECRET,
	.min = 1,
	.max = 255,
	.is_required = true,
	.help = "the name of a file of 32 hex digits in the secrets folder"},
    {.name = NULL},
};

static uint64_t
hash(const struct hrw_scored *s, struct hrw_bytes text)
{
	return hrw_siphash(text, s->m->param[PARAM_SECRET_FILE].secret);
}

static uint64_t
raw(const struct hrw_scored *s, uint32_t node, uint64_t key, struct hrw_bytes text)
{
	(void)text;
	return hrw_fmix64(s->hash[node] ^ key);
}

static const struct hrw_scorer keyed = {
    .hash_node = hash,
    .hash_key = hash,
    .raw = raw,
    .ties = HRW_TIES_SMALLER_NAME,
    .bits = 52,
    .is_wide = true,
};

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	if (!m->param[PARAM_SECRET_FILE].has_secret) {
		hrw_fault(fault, HRW_BAD_FIELD,
		    "the secret of this pool was not read: name a file in the secrets folder");
		hrw_fault_at(fault, "/placement/secret_file");
		return HRW_BAD_FIELD;
	}
	return hrw_scored_prepare(m, &keyed, index, fault);
}

const struct hrw_placement hrw_rendezvous_keyed = {
    .name = "rendezvous-keyed",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_ZONED | HRW_KEYED | HRW_FAIR | HRW_MINIMAL | HRW_DELETES,
    .weights = {HRW_WEIGHT_REAL, 0, 1e9},
    .hashed = HRW_HASHED_NAME,
    .source = "Thaler & Ravishankar, 1998; Aumasson & Bernstein, 2012",
    .prepare = prepare,
    .rank = hrw_scored_rank,
    .explain = hrw_scored_explain,
    .free = hrw_scored_free,
    .size = hrw_scored_size,
};
