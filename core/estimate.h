/*
 * estimate.h - a change's size where no key is known.
 *
 * 65,536 fixed sample keys stand for all keys; the part of them that changes
 * estimates the part of all, with a Wilson score interval at 95 %.
 *
 * Source: E. B. Wilson, JASA 22 (158), 1927.
 */
#ifndef HRW_ESTIMATE_H
#define HRW_ESTIMATE_H

#include "core/membership.h"

enum { HRW_SAMPLE_KEYS = 65536, HRW_SAMPLE_KEY_BYTES = 64 };

/* The i-th sample key of a pool's key type, written to `room`.
 *   m   whose key_type counts
 *   i   0..HRW_SAMPLE_KEYS-1 */
struct hrw_bytes hrw_sample_key(
    const struct hrw_membership *m, uint32_t i, char room[HRW_SAMPLE_KEY_BYTES]);

/* The 95 % interval of a part of 1: `hits` of `total`. total 0: 0 and 1. */
void hrw_wilson(uint64_t hits, uint64_t total, double *low, double *high);

/* The part of all keys that each node owns, by formula where the placement is
 * HRW_FAIR, else counted on the sample. out[] in the membership's order, a sum
 * of 1, all zeros when nobody takes keys. */
void hrw_shares(const struct hrw_membership *m, double *out);

/* The part of the sample's keys whose owner differs between the two. */
double hrw_owners_moved(const struct hrw_membership *before, const struct hrw_membership *after);

#endif
