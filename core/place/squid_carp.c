/*
 * squid_carp.c - Squid's choice among CARP parents.
 *
 * Not the textbook's Cache Array Routing Protocol: the hash of the key is not
 * started anew for each peer, so the k-th peer in order of weight sees the key
 * repeated k times, and who stands before whom counts. A peer that takes no
 * keys keeps its place.
 *
 * Source: Squid 5.7, carp.cc; Valloppillil & Ross, draft-vinod-carp-v1-03, 1998.
 */
#include <math.h>
#include <stdlib.h>

#include "core/membership.h"
#include "core/place/order.h"

enum { PARAM_CARP_KEY };
enum { SCHEME = 1, HOST = 2, PORT = 4, PATH = 8, PARAMS = 16 };

static const char *const parts[] = {"scheme", "host", "port", "path", "params", NULL};

static const struct hrw_param params[] = {
    {.name = "carp_key",
	.type = HRW_PARAM_SET,
	.choices = parts,
	.help = "the parts of the URL that are hashed; left out, all of it"},
    {.name = NULL},
};

struct peer {
	uint32_t node, hash;
	double weight, multiplier;
	bool is_taker;
};

struct index {
	unsigned parts; /* 0: the whole URL */
	size_t count;
	struct peer *peer; /* by weight, then by id */
};

static void
drop(void *index)
{
	struct index *ix = index;

	free(ix->peer);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + ix->count * sizeof(*ix->peer);
}

static uint32_t
rotate(uint32_t value, unsigned by)
{
	return value << by | value >> (32 - by);
}

static uint32_t
absorb(uint32_t h, struct hrw_bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		h += rotate(h, 19) + (uint32_t)(int8_t)text.data[i];
	return h;
}

static uint32_t
finish(uint32_t h)
{
	return rotate(h + h * 0x62531965u, 21);
}

/* By weight; of equal weights the order by id is kept, as a merge sort does. */
static void
sort_by_weight(struct peer *peer, struct peer *room, size_t count)
{
	size_t half = count / 2, left = 0, right = half, at = 0;

	if (count < 2)
		return;
	sort_by_weight(peer, room, half);
	sort_by_weight(peer + half, room, count - half);
	while (left < half || right < count) {
		bool is_left =
		    right == count || (left < half && peer[left].weight <= peer[right].weight);

		room[at++] = peer[is_left ? left++ : right++];
	}
	memcpy(peer, room, count * sizeof(*peer));
}

/* The multipliers that give each peer its share. A share below 1/1000 counts as
 * 0, and what follows from the division by 0 is the original's. */
static void
multiply(struct peer *peer, size_t count)
{
	double total = 0, product = 1, share = 0, multiplier = 0;

	for (size_t k = 0; k < count; k++)
		total += peer[k].weight;
	for (size_t k = 0; k < count; k++) {
		double before = share, left = (double)(count - k);
		double step;

		share = peer[k].weight / total;
		if (floor(share * 1000.0) == 0.0)
			share = 0;
		step = left * (share - before) / product;
		multiplier = pow(step + pow(multiplier, left), 1.0 / left);
		product *= multiplier;
		peer[k].multiplier = multiplier;
	}
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	struct peer *room = calloc(m->count + 1, sizeof(*room));
	size_t count = 0;
	uint32_t *order = hrw_order_all(m, &count);

	if (ix != NULL)
		ix->peer = calloc(count + 1, sizeof(*ix->peer));
	if (ix == NULL || room == NULL || order == NULL || ix->peer == NULL) {
		if (ix != NULL)
			drop(ix);
		free(room);
		free(order);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	ix->parts = (unsigned)m->param[PARAM_CARP_KEY].number;
	for (size_t i = 0; i < count; i++) {
		const struct hrw_node *node = &m->node[order[i]];

		if (node->weight == 0)
			continue;
		ix->peer[ix->count++] = (struct peer){
		    .node = order[i],
		    .hash = finish(absorb(0, hrw_text(node->hash_name))),
		    .weight = node->weight,
		    .is_taker = hrw_node_is_taker(node),
		};
	}
	sort_by_weight(ix->peer, room, ix->count);
	multiply(ix->peer, ix->count);
	free(room);
	free(order);
	*index = ix;
	return 0;
}

/* Pieces of a URL, in the order in which they are hashed. */
struct text {
	struct hrw_bytes piece[5];
	size_t count, len;
};

static void
text_add(struct text *t, struct hrw_bytes piece)
{
	t->piece[t->count++] = piece;
	t->len += piece.len;
}

/* Where `byte` stands first, the length where it does not. */
static size_t
find(struct hrw_bytes text, uint8_t byte)
{
	const uint8_t *at = text.len > 0 ? memchr(text.data, byte, text.len) : NULL;

	return at != NULL ? (size_t)(at - text.data) : text.len;
}

static struct hrw_bytes
from(struct hrw_bytes text, size_t at)
{
	return hrw_bytes(text.data + at, text.len - at);
}

/* The end of the host in "host", "host:port", "[v6]:port". */
static size_t
host_len(struct hrw_bytes authority)
{
	size_t bracket = find(authority, ']');

	if (authority.len > 0 && authority.data[0] == '[' && bracket < authority.len)
		return bracket + 1;
	return find(authority, ':');
}

static struct hrw_bytes
default_port(struct hrw_bytes scheme)
{
	if (hrw_bytes_equal(scheme, hrw_text("https")))
		return hrw_text(":443");
	if (hrw_bytes_equal(scheme, hrw_text("ftp")))
		return hrw_text(":21");
	return hrw_text(":80");
}

/* The parts of "scheme://host:port/path?params" that count. Without a scheme it
 * is a CONNECT's "host:port". */
static void
cut(struct text *t, struct hrw_bytes url, unsigned wanted)
{
	size_t colon = find(url, ':');
	bool has_scheme =
	    colon + 2 < url.len && url.data[colon + 1] == '/' && url.data[colon + 2] == '/';
	struct hrw_bytes scheme = hrw_bytes(url.data, has_scheme ? colon : 0);
	struct hrw_bytes rest = has_scheme ? from(url, colon + 3) : url;
	size_t path = find(rest, '/'), query = find(rest, '?');
	struct hrw_bytes authority, port;
	size_t host;

	path = path < query ? path : query;
	authority = hrw_bytes(rest.data, path);
	host = host_len(authority);
	port = host < authority.len ? from(authority, host) : default_port(scheme);
	if (wanted & SCHEME && has_scheme)
		text_add(t, hrw_bytes(url.data, colon + 3));
	if (wanted & HOST)
		text_add(t, hrw_bytes(authority.data, host));
	if (wanted & PORT)
		text_add(t, port);
	if (wanted & PATH)
		text_add(t, hrw_bytes(rest.data + path, query - path));
	if (wanted & PARAMS)
		text_add(t, from(rest, query));
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	struct text text = {.count = 0};
	double best = 0;
	uint32_t h = 0;
	bool is_found = false;

	(void)want; /* one owner */
	if (ix->parts != 0)
		cut(&text, key, ix->parts);
	if (text.len == 0)
		text = (struct text){.piece = {key}, .count = 1};
	for (size_t k = 0; k < ix->count; k++) {
		double score;

		for (size_t i = 0; i < text.count; i++)
			h = absorb(h, text.piece[i]);
		score = finish(h ^ ix->peer[k].hash) * ix->peer[k].multiplier;
		if (score > best && ix->peer[k].is_taker) {
			best = score;
			out[0] = ix->peer[k].node;
			is_found = true;
		}
	}
	return is_found ? 1 : HRW_NO_SERVERS;
}

const struct hrw_placement hrw_squid_carp = {
    .name = "squid-carp",
    .params = params,
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 0, 1e9},
    .hashed = HRW_HASHED_HOST,
    .source = "Squid 5.7",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
