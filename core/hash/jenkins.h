/*
 * jenkins.h - Bob Jenkins's hashes: one-at-a-time and lookup3.
 *
 * Source: Bob Jenkins, "Hash functions", Dr. Dobb's Journal, 1997, and lookup3,
 * 2006 (public domain).
 */
#ifndef HRW_HASH_JENKINS_H
#define HRW_HASH_JENKINS_H

#include "core/bytes.h"

/* One-at-a-time with start 0 and signed bytes: one from 0x80 on is extended by
 * ones, as C clients with a signed char do it. */
uint32_t hrw_one_at_a_time_signed(struct hrw_bytes text);

/* lookup3's hashlittle with `start` as its initial value. */
uint32_t hrw_lookup3(struct hrw_bytes text, uint32_t start);

#endif
