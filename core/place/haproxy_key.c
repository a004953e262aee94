#include "core/place/haproxy_key.h"

#include "core/hash/avalanche.h"
#include "core/hash/crc.h"

static uint32_t
sdbm(struct hrw_bytes text)
{
	uint32_t h = 0;

	for (size_t i = 0; i < text.len; i++)
		h = text.data[i] + h * 65599;
	return h;
}

static uint32_t
djb2(struct hrw_bytes text)
{
	uint32_t h = 5381;

	for (size_t i = 0; i < text.len; i++)
		h = h * 33 + text.data[i];
	return h;
}

/* By 0 it leaves the value as it is; a shift by 32 would be undefined. */
static uint32_t
rotate(uint32_t value, unsigned by)
{
	return by == 0 ? value : value << by | value >> (32 - by);
}

static uint32_t
wt6(struct hrw_bytes text)
{
	uint32_t h0 = 0xa53c965au, h1 = 0x5ca6953au, was, fold;
	unsigned by0 = 6, by1 = 18;

	for (size_t i = 0; i < text.len; i++) {
		h0 = ~(h0 ^ text.data[i]);
		h1 = ~(h1 + text.data[i]);
		was = h0;
		h0 = rotate(h1, by0);
		h1 = rotate(was, by1);
		fold = (h0 >> 16 ^ h1) & 0xffff;
		by0 = fold & 31;
		by1 = fold >> 11;
	}
	return h0 ^ h1;
}

static const char *const hash_names[] = {"sdbm", "djb2", "wt6", "crc32", NULL};
static uint32_t (*const hashes[])(struct hrw_bytes) = {sdbm, djb2, wt6, hrw_crc32};

static const char *const balance_names[] = {"hash", "uri", NULL};

const struct hrw_param hrw_haproxy_params[] = {
    {.name = "hash",
	.type = HRW_PARAM_CHOICE,
	.choices = hash_names,
	.help = "the function of hash-type"},
    {.name = "avalanche",
	.type = HRW_PARAM_FLAG,
	.help = "a full avalanche after it; true in haproxy-consistent without hash"},
    {.name = "balance",
	.type = HRW_PARAM_CHOICE,
	.choices = balance_names,
	.help = "hash: the key as it is; uri: a request target, cut by len, depth, whole"},
    {.name = "len",
	.type = HRW_PARAM_COUNT,
	.max = UINT32_MAX,
	.with = "balance",
	.is = "uri",
	.help = "bytes of a uri that count, 0 for all"},
    {.name = "depth",
	.type = HRW_PARAM_COUNT,
	.max = UINT32_MAX,
	.with = "balance",
	.is = "uri",
	.help = "levels of a uri's path that count, 0 for all"},
    {.name = "whole",
	.type = HRW_PARAM_FLAG,
	.with = "balance",
	.is = "uri",
	.help = "the query of a uri counts too"},
    {.name = NULL},
};

void
hrw_haproxy_key_init(struct hrw_haproxy_key *k, const struct hrw_value *value)
{
	*k = (struct hrw_haproxy_key){
	    .hash = hashes[value[HRW_HAPROXY_HASH].number],
	    .has_avalanche = value[HRW_HAPROXY_AVALANCHE].number != 0,
	    .is_uri = value[HRW_HAPROXY_BALANCE].number != 0,
	    .is_whole = value[HRW_HAPROXY_WHOLE].number != 0,
	    .len = value[HRW_HAPROXY_LEN].number,
	    .depth = value[HRW_HAPROXY_DEPTH].number,
	};
}

/* What `balance uri` looks at: up to the slash after `depth` levels, or the
 * question mark. */
static struct hrw_bytes
cut(const struct hrw_haproxy_key *k, struct hrw_bytes uri)
{
	size_t slashes = 0, at;

	if (k->len != 0 && uri.len > k->len)
		uri.len = k->len;
	for (at = 0; at < uri.len; at++) {
		if (uri.data[at] == '/' && k->depth != 0 && ++slashes > k->depth)
			break;
		if (uri.data[at] == '?' && !k->is_whole)
			break;
	}
	return hrw_bytes(uri.data, at);
}

uint32_t
hrw_haproxy_hash(const struct hrw_haproxy_key *k, struct hrw_bytes key)
{
	uint32_t h = k->hash(k->is_uri ? cut(k, key) : key);

	return k->has_avalanche ? hrw_avalanche32(h) : h;
}
