/*
 * crush_ln.h - the fixed-point logarithm of CRUSH's straw2 buckets.
 *
 * Its tables have errors that are frozen: where data lies depends on them.
 *
 * Source: Ceph 16.2.15, CRUSH.
 */
#ifndef HRW_HASH_CRUSH_LN_H
#define HRW_HASH_CRUSH_LN_H

#include <stdint.h>

/* About 2^44 log2(u + 1), always below 2^48.
 *   u  0..65535 */
uint64_t hrw_crush_ln(uint32_t u);

#endif
