#include <stdlib.h>

#include "daemon/members/source.h"

/* Keys of a batch: long enough to hide its cost, short enough for a cache. */
enum { BATCH_KEYS = 4096 };

const char *
source_name(enum source_kind kind)
{
	static const char *const names[] = {"stored", "request", "estimate"};

	return names[kind];
}

int
source_open_stored(struct source *s, struct keyset *keyset, const struct pool *pool,
    uint64_t generation, const struct hrw_membership *membership, struct hrw_fault *fault)
{
	struct keyset_stats stats;
	char name[KEYSET_NAME];

	*s = (struct source){.kind = SOURCE_STORED};
	s->reader = keyset_reader_open(
	    keyset, keyset_name(pool->name, pool->lineage, name), generation, &stats, fault);
	if (s->reader == NULL)
		return (int)fault->error;
	s->total = stats.keys;
	s->generation = stats.generation;
	if (s->total == 0) {
		source_close(s);
		source_open_estimate(s, membership);
	}
	return 0;
}

void
source_open_request(struct source *s, struct hrw_bytes records, uint64_t count)
{
	*s = (struct source){.kind = SOURCE_REQUEST, .records = records, .total = count};
}

void
source_open_estimate(struct source *s, const struct hrw_membership *membership)
{
	*s = (struct source){
	    .kind = SOURCE_ESTIMATE, .membership = membership, .total = HRW_SAMPLE_KEYS};
}

int
source_after(struct source *s, struct hrw_bytes key, struct hrw_fault *fault)
{
	struct hrw_bytes sent;

	if (s->kind == SOURCE_STORED)
		keyset_reader_after(s->reader, key);
	if (s->kind != SOURCE_REQUEST || s->total == 0 || key.len == 0)
		return 0;
	while (record_next(s->records, &s->at, &sent))
		if (hrw_bytes_equal(sent, key))
			return 0;
	hrw_fault(fault, HRW_BAD_PARAMETER,
	    "after is none of the keys that were sent with the plan: take the last key of the "
	    "list before");
	return hrw_fault_at(fault, "after");
}

static long
read_request(struct source *s, struct buffer *out)
{
	struct hrw_bytes key;
	long count = 0;

	while (count < BATCH_KEYS && record_next(s->records, &s->at, &key)) {
		record_add(out, key);
		count++;
	}
	return count;
}

static long
read_sample(struct source *s, struct buffer *out)
{
	char room[HRW_SAMPLE_KEY_BYTES];
	long count = 0;

	while (count < BATCH_KEYS && s->next < HRW_SAMPLE_KEYS) {
		record_add(out, hrw_sample_key(s->membership, s->next++, room));
		count++;
	}
	return count;
}

long
source_read(struct source *s, struct buffer *out, struct hrw_fault *fault)
{
	long count = 0;

	switch (s->kind) {
	case SOURCE_STORED:
		count = keyset_read(s->reader, out, fault);
		break;
	case SOURCE_REQUEST:
		count = read_request(s, out);
		break;
	case SOURCE_ESTIMATE:
		count = read_sample(s, out);
		break;
	}
	if (count >= 0 && out->failed)
		return hrw_fault(fault, HRW_INTERNAL, "no memory for a batch of keys");
	return count;
}

void
source_close(struct source *s)
{
	if (s->reader != NULL)
		keyset_reader_close(s->reader);
	s->reader = NULL;
}

void
record_add(struct buffer *out, struct hrw_bytes key)
{
	uint32_t len = (uint32_t)key.len;

	buffer_add(out, &len, sizeof(len));
	buffer_add(out, key.data, key.len);
}

bool
record_next(struct hrw_bytes records, size_t *at, struct hrw_bytes *key)
{
	uint32_t len;

	if (*at >= records.len)
		return false;
	memcpy(&len, records.data + *at, sizeof(len));
	*key = hrw_bytes(records.data + *at + sizeof(len), len);
	*at += sizeof(len) + len;
	return true;
}

/* One record, by its place. */
struct placed {
	struct hrw_bytes key;
	size_t at;
	bool is_again;
};

static int
placed_cmp(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = hrw_bytes_cmp(a->key, b->key);

	return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static int
place_cmp(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

int
records_unique(struct buffer *records, uint64_t *count)
{
	struct placed *list = calloc(*count + 1, sizeof(*list));
	struct buffer kept = {0};
	uint64_t stay = 0;
	size_t at = 0;

	if (list == NULL)
		return HRW_INTERNAL;
	for (uint64_t i = 0; i < *count; i++) {
		list[i].at = at;
		record_next(buffer_bytes(records), &at, &list[i].key);
	}
	qsort(list, *count, sizeof(*list), placed_cmp);
	for (uint64_t i = 1; i < *count; i++)
		list[i].is_again = hrw_bytes_equal(list[i - 1].key, list[i].key);
	qsort(list, *count, sizeof(*list), place_cmp);
	for (uint64_t i = 0; i < *count; i++) {
		if (list[i].is_again)
			continue;
		record_add(&kept, list[i].key);
		stay++;
	}
	free(list);
	if (kept.failed) {
		buffer_fini(&kept);
		return HRW_INTERNAL;
	}
	buffer_fini(records);
	*records = kept;
	*count = stay;
	return 0;
}
