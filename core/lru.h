/*
 * lru.h - a cache of so many entries that forgets the one least recently used.
 *
 * It holds numbers, no values: whether a request would have been a hit is all
 * that it tells. Memory is allocated once.
 */
#ifndef HRW_LRU_H
#define HRW_LRU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hrw_lru {
	uint32_t capacity, count;
	uint32_t newest, oldest; /* places; of no meaning while count is 0 */
	uint32_t buckets;	 /* a power of two */
	struct hrw_lru_entry *entry;
	uint32_t *bucket; /* the first place of each chain */
};

/* Bytes that a cache takes for each entry of its capacity, at most. */
enum { HRW_LRU_BYTES_AN_ENTRY = 24 };

/* Empty, for 1..2^30 entries. 0 or HRW_INTERNAL (no memory). */
int hrw_lru_init(struct hrw_lru *lru, uint32_t capacity);
void hrw_lru_fini(struct hrw_lru *lru);

/* Forgets everything. Linear in the capacity. */
void hrw_lru_clear(struct hrw_lru *lru);

/* A request for a number: is it held? From now on it is, as the newest; where
 * there was no room, the oldest is not. Constant time. */
bool hrw_lru_request(struct hrw_lru *lru, uint32_t number);

#endif
