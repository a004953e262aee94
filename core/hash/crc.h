/*
 * crc.h - cyclic redundancy checks that systems place keys by.
 *
 * Source: CRC-32 (IEEE 802.3) by zlib; CRC-16/XMODEM: polynomial 0x1021,
 * unreflected, initially 0.
 */
#ifndef HRW_HASH_CRC_H
#define HRW_HASH_CRC_H

#include "core/bytes.h"

uint32_t hrw_crc32(struct hrw_bytes text);

/* The CRC-32 of a text and then `text`, where `crc` is that of the first. */
uint32_t hrw_crc32_more(uint32_t crc, struct hrw_bytes text);

uint16_t hrw_crc16(struct hrw_bytes text);

#endif
