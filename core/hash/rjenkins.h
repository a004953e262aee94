/*
 * rjenkins.h - Bob Jenkins's mixing step as Ceph uses it: for numbers, and for
 * the names of objects (lookup2).
 *
 * Source: Bob Jenkins, "Hash functions", Dr. Dobb's Journal, 1997 (public domain);
 * Ceph 16.2.15, rjenkins1.
 */
#ifndef HRW_HASH_RJENKINS_H
#define HRW_HASH_RJENKINS_H

#include "core/bytes.h"

uint32_t hrw_rjenkins2(uint32_t a, uint32_t b);
uint32_t hrw_rjenkins3(uint32_t a, uint32_t b, uint32_t c);

/* The hash of an object's name. */
uint32_t hrw_rjenkins_name(struct hrw_bytes name);

#endif
