/*
 * hsieh.h - SuperFastHash, started at 0 as twemproxy has it.
 *
 * Source: Paul Hsieh, SuperFastHash, 2004.
 */
#ifndef HRW_HASH_HSIEH_H
#define HRW_HASH_HSIEH_H

#include "core/bytes.h"

uint32_t hrw_hsieh(struct hrw_bytes text);

#endif
