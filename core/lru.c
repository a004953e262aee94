/*
 * lru.c - chained hashing over places, and a list through them in order of use.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/hash/fmix.h"
#include "core/lru.h"

struct hrw_lru_entry {
	uint32_t number;
	uint32_t newer, older; /* places; no meaning at the ends */
	uint32_t next;	       /* in the bucket's chain */
};

static const uint32_t NOWHERE = UINT32_MAX;

int
hrw_lru_init(struct hrw_lru *lru, uint32_t capacity)
{
	uint32_t buckets = 1;

	while (buckets < capacity)
		buckets *= 2;
	*lru = (struct hrw_lru){.capacity = capacity, .buckets = buckets};
	lru->entry = malloc(capacity * sizeof(*lru->entry));
	lru->bucket = malloc(buckets * sizeof(*lru->bucket));
	if (lru->entry == NULL || lru->bucket == NULL) {
		hrw_lru_fini(lru);
		return HRW_INTERNAL;
	}
	hrw_lru_clear(lru);
	return 0;
}

void
hrw_lru_fini(struct hrw_lru *lru)
{
	free(lru->entry);
	free(lru->bucket);
	*lru = (struct hrw_lru){0};
}

void
hrw_lru_clear(struct hrw_lru *lru)
{
	lru->count = 0;
	memset(lru->bucket, 0xff, lru->buckets * sizeof(*lru->bucket)); /* NOWHERE */
}

static uint32_t *
bucket_of(const struct hrw_lru *lru, uint32_t number)
{
	return &lru->bucket[hrw_fmix32(number) & (lru->buckets - 1)];
}

static uint32_t
find(const struct hrw_lru *lru, uint32_t number)
{
	uint32_t at = *bucket_of(lru, number);

	while (at != NOWHERE && lru->entry[at].number != number)
		at = lru->entry[at].next;
	return at;
}

/* Takes a place out of the order of use. */
static void
unlink_place(struct hrw_lru *lru, uint32_t at)
{
	const struct hrw_lru_entry *e = &lru->entry[at];

	if (at == lru->newest)
		lru->newest = e->older;
	else
		lru->entry[e->newer].older = e->older;
	if (at == lru->oldest)
		lru->oldest = e->newer;
	else
		lru->entry[e->older].newer = e->newer;
}

/* `others` places are in the order already. */
static void
make_newest(struct hrw_lru *lru, uint32_t at, uint32_t others)
{
	if (others == 0)
		lru->oldest = at;
	else
		lru->entry[lru->newest].newer = at;
	lru->entry[at].older = lru->newest;
	lru->newest = at;
}

/* Takes the oldest out of order and chain; its place is free. */
static uint32_t
evict(struct hrw_lru *lru)
{
	uint32_t at = lru->oldest, *from = bucket_of(lru, lru->entry[at].number);

	while (*from != at)
		from = &lru->entry[*from].next;
	*from = lru->entry[at].next;
	unlink_place(lru, at);
	return at;
}

bool
hrw_lru_request(struct hrw_lru *lru, uint32_t number)
{
	uint32_t at = find(lru, number), *bucket;

	if (at != NOWHERE) {
		if (at != lru->newest) {
			unlink_place(lru, at);
			make_newest(lru, at, lru->count - 1);
		}
		return true;
	}
	if (lru->count < lru->capacity)
		at = lru->count++;
	else
		at = evict(lru);
	bucket = bucket_of(lru, number);
	lru->entry[at].number = number;
	lru->entry[at].next = *bucket;
	*bucket = at;
	make_newest(lru, at, lru->count - 1);
	return false;
}
