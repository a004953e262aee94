/*
 * glb.c - the forwarding table of GitHub's load balancer: each of 65,536 rows
 * ranks the backends anew, the two lowest serve it.
 *
 * A row is ranked when a key falls into it, since ranking all of them at every
 * change costs a thousand times what a lookup saves. A backend that is draining
 * or ill keeps its place and changes it with the second one.
 *
 * Source: glb-director, commit a62d37ea, table format 2.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/hash/fmix.h"
#include "core/hash/siphash.h"
#include "core/hex.h"
#include "core/keytype.h"
#include "core/node.h"

enum { BACKENDS_MAX = 256, PAIR = 2, SECRET_BYTES = 16, ROW_SEED_BYTES = 8 };
enum { PARAM_SEED, PARAM_HASH_KEY, PARAM_HASH_FIELDS };
enum { SRC_ADDR, DST_ADDR, SRC_PORT, DST_PORT, FIELDS };

static const char *const field_names[] = {"src_addr", "dst_addr", "src_port", "dst_port", NULL};

static const struct hrw_param params[] = {
    {.name = "seed",
	.type = HRW_PARAM_TEXT,
	.min = 32,
	.max = 32,
	.is_required = true,
	.help = "the table's seed, 32 hex digits"},
    {.name = "hash_key",
	.type = HRW_PARAM_TEXT,
	.min = 32,
	.max = 32,
	.is_required = true,
	.help = "the key that clients are hashed by, 32 hex digits"},
    {.name = "hash_fields",
	.type = HRW_PARAM_SET,
	.choices = field_names,
	.initial = 1u << SRC_ADDR,
	.help = "what of a packet is hashed; a key is their values, joined by commas"},
    {.name = NULL},
};

/* An IP address in network order. */
struct ip {
	uint8_t len; /* 4 or 16 */
	uint8_t byte[16];
};

/* A backend that is not inactive. */
struct backend {
	struct ip ip;
	uint32_t node;
	bool is_active; /* neither draining nor joining */
	bool is_bad;	/* draining or ill */
};

struct index {
	uint8_t seed[SECRET_BYTES], hash_key[SECRET_BYTES];
	unsigned fields;
	size_t count;
	struct backend backend[];
};

static bool
read_ip(struct hrw_bytes text, struct ip *ip)
{
	char room[INET6_ADDRSTRLEN];

	if (text.len >= sizeof(room) || memchr(text.data, '\0', text.len) != NULL)
		return false;
	memcpy(room, text.data, text.len);
	room[text.len] = '\0';
	ip->len = 4;
	if (inet_pton(AF_INET, room, ip->byte) == 1)
		return true;
	ip->len = 16;
	return inet_pton(AF_INET6, room, ip->byte) == 1;
}

static int
read_secret(const struct hrw_membership *m, size_t param, uint8_t out[SECRET_BYTES],
    struct hrw_fault *fault)
{
	const char *text = m->param[param].text;

	for (size_t i = 0; i < SECRET_BYTES; i++) {
		int high = hrw_hex_digit((uint8_t)text[2 * i]),
		    low = hrw_hex_digit((uint8_t)text[2 * i + 1]);

		if (high < 0 || low < 0) {
			hrw_fault(fault, HRW_BAD_FIELD,
			    "parameter \"%s\" of glb is no hex number: use 32 hex digits",
			    params[param].name);
			hrw_fault_at(fault, "/placement/%s", params[param].name);
			return HRW_BAD_FIELD;
		}
		out[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static int
check_pool(const struct hrw_membership *m, struct hrw_fault *fault)
{
	if (m->count > BACKENDS_MAX)
		return hrw_fault(fault, HRW_TOO_MANY,
		    "%zu nodes are more than the %d that a table of glb has room for: remove some",
		    m->count, BACKENDS_MAX);
	return 0;
}

/* Every node's address: inactive ones too, they may come back.
 *   ip  receives them, by node */
static int
read_ips(const struct hrw_membership *m, struct ip *ip, struct hrw_fault *fault)
{
	char shown[HRW_SHOWN];

	for (size_t n = 0; n < m->count; n++) {
		const struct hrw_node *node = &m->node[n];

		if (!read_ip(hrw_text(node->hash_name), &ip[n])) {
			hrw_fault(fault, HRW_BAD_FIELD,
			    "\"%s\" of \"%s\" is no IP address, and glb hashes one: give one as "
			    "\"hash_name\"",
			    hrw_show(hrw_text(node->hash_name), shown, sizeof(shown)), node->name);
			hrw_fault_at_node(fault, node, "%s", hrw_hashed_field(m, node));
			return HRW_BAD_FIELD;
		}
		for (size_t i = 0; i < n; i++)
			if (ip[i].len == ip[n].len &&
			    memcmp(ip[i].byte, ip[n].byte, ip[n].len) == 0)
				return hrw_fault_collision(
				    fault, m, &m->node[i], node, "have one IP address");
	}
	return 0;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct ip ip[BACKENDS_MAX];
	struct index *ix;
	int rc = check_pool(m, fault);

	if (rc < 0 || (rc = read_ips(m, ip, fault)) < 0)
		return rc;
	ix = calloc(1, sizeof(*ix) + m->count * sizeof(ix->backend[0]));
	if (ix == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	if ((rc = read_secret(m, PARAM_SEED, ix->seed, fault)) < 0 ||
	    (rc = read_secret(m, PARAM_HASH_KEY, ix->hash_key, fault)) < 0) {
		free(ix);
		return rc;
	}
	ix->fields = (unsigned)m->param[PARAM_HASH_FIELDS].number;
	for (size_t n = 0; n < m->count; n++) {
		const struct hrw_node *node = &m->node[n];

		if (node->weight == 0)
			continue; /* inactive */
		ix->backend[ix->count++] = (struct backend){
		    .ip = ip[n],
		    .node = (uint32_t)n,
		    .is_active = node->state == HRW_ACTIVE,
		    .is_bad = node->state == HRW_DRAINING || node->is_unhealthy,
		};
	}
	*index = ix;
	return 0;
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + ix->count * sizeof(ix->backend[0]);
}

/* Cuts off and returns what stands before the first comma. */
static struct hrw_bytes
next_value(struct hrw_bytes *rest)
{
	const uint8_t *comma = rest->len > 0 ? memchr(rest->data, ',', rest->len) : NULL;
	size_t len = comma != NULL ? (size_t)(comma - rest->data) : rest->len;
	struct hrw_bytes value = hrw_bytes(rest->data, len);

	*rest = comma != NULL ? hrw_bytes(comma + 1, rest->len - len - 1) : hrw_bytes(NULL, 0);
	return value;
}

enum { PACKET_BYTES = 2 * 16 + 2 * 2 };

/* The bytes of a packet that are hashed: their number, or BAD_KEY. */
static int
read_key(unsigned fields, struct hrw_bytes key, uint8_t packet[PACKET_BYTES])
{
	struct hrw_bytes rest = key;
	int len = 0;

	for (unsigned field = 0; field < FIELDS; field++) {
		struct hrw_bytes value;
		struct ip ip;
		uint64_t port;

		if ((fields >> field & 1) == 0)
			continue;
		if (rest.data == NULL)
			return HRW_BAD_KEY;
		value = next_value(&rest);
		if (field == SRC_ADDR || field == DST_ADDR) {
			if (!read_ip(value, &ip))
				return HRW_BAD_KEY;
			memcpy(packet + len, ip.byte, ip.len);
			len += ip.len;
		} else {
			if (hrw_key_number(value, HRW_KEY_UINT32, &port) < 0 || port > UINT16_MAX)
				return HRW_BAD_KEY;
			packet[len++] = (uint8_t)(port >> 8);
			packet[len++] = (uint8_t)port;
		}
	}
	return rest.data == NULL ? len : HRW_BAD_KEY;
}

/* The fields' names, joined by commas as their values are. */
static void
form_of(unsigned fields, char *room)
{
	*room = '\0';
	for (unsigned field = 0; field < FIELDS; field++)
		if ((fields >> field & 1) != 0) {
			if (*room != '\0')
				strcat(room, ",");
			strcat(room, field_names[field]);
		}
}

static int
check_key(const struct hrw_membership *m, struct hrw_bytes key, struct hrw_fault *fault)
{
	unsigned fields = (unsigned)m->param[PARAM_HASH_FIELDS].number;
	char form[FIELDS * sizeof("src_addr")], shown[HRW_SHOWN];
	uint8_t packet[PACKET_BYTES];

	if (read_key(fields, key, packet) >= 0)
		return 0;
	form_of(fields, form);
	return hrw_fault(fault, HRW_BAD_KEY,
	    "key \"%s\" is not of the form %s: send IP addresses and ports, joined by commas",
	    hrw_show(key, shown, sizeof(shown)), form);
}

static int
sample_key(const struct hrw_membership *m, uint32_t i, char *room, size_t size)
{
	unsigned fields = (unsigned)m->param[PARAM_HASH_FIELDS].number;
	uint32_t client = hrw_fmix32(i), server = hrw_fmix32(~i);
	uint8_t address[2][4];
	size_t len = 0;

	for (size_t b = 0; b < 4; b++) {
		address[0][b] = (uint8_t)(client >> 8 * b);
		address[1][b] = (uint8_t)(server >> 8 * b);
	}
	for (unsigned field = 0; field < FIELDS; field++) {
		if ((fields >> field & 1) == 0)
			continue;
		if (len > 0)
			room[len++] = ',';
		if (field == SRC_ADDR || field == DST_ADDR)
			inet_ntop(AF_INET, address[field == DST_ADDR], room + len,
			    (socklen_t)(size - len));
		else
			snprintf(room + len, size - len, "%u",
			    (field == SRC_PORT ? client : server) >> 16);
		len += strlen(room + len);
	}
	return (int)len;
}

/* The number whose digest bytes, first to last, are its own from the highest. */
static uint64_t
digest_number(uint64_t digest)
{
	uint64_t number = 0;

	for (size_t i = 0; i < 8; i++)
		number |= (digest >> 8 * i & 0xff) << (56 - 8 * i);
	return number;
}

/* What a backend's address is appended to in this key's row. */
static int
row_seed(const struct index *ix, struct hrw_bytes key, uint8_t out[ROW_SEED_BYTES])
{
	uint8_t packet[PACKET_BYTES], row[4] = {0};
	int len = read_key(ix->fields, key, packet);
	uint64_t hash;

	if (len < 0)
		return len;
	hash = hrw_siphash(hrw_bytes(packet, (size_t)len), ix->hash_key);
	row[2] = (uint8_t)(hash >> 8);
	row[3] = (uint8_t)hash;
	hash = hrw_siphash(hrw_bytes(row, sizeof(row)), ix->seed);
	for (size_t i = 0; i < ROW_SEED_BYTES; i++)
		out[i] = (uint8_t)(hash >> 8 * i);
	return 0;
}

/* A backend's rank in a row: the lowest wins. */
static uint64_t
rank_of(const struct index *ix, const uint8_t seed[ROW_SEED_BYTES], const struct ip *ip)
{
	uint8_t text[ROW_SEED_BYTES + 16];

	memcpy(text, seed, ROW_SEED_BYTES);
	memcpy(text + ROW_SEED_BYTES, ip->byte, ip->len);
	return digest_number(
	    hrw_siphash(hrw_bytes(text, (size_t)ROW_SEED_BYTES + ip->len), ix->seed));
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	const struct backend *first = NULL, *second = NULL;
	uint64_t lowest = 0, next = 0;
	uint8_t seed[ROW_SEED_BYTES];

	if (row_seed(ix, key, seed) < 0)
		return HRW_BAD_KEY;
	for (const struct backend *b = ix->backend; b < ix->backend + ix->count; b++) {
		uint64_t number = rank_of(ix, seed, &b->ip);

		if (first == NULL || number < lowest) {
			second = first;
			next = lowest;
			first = b;
			lowest = number;
		} else if (second == NULL || number < next) {
			second = b;
			next = number;
		}
	}
	if (first == NULL)
		return HRW_NO_SERVERS;
	/* The second one's health is not looked at, as in the original. */
	if (second != NULL && first->is_bad && second->is_active) {
		const struct backend *swap = first;

		first = second;
		second = swap;
	}
	out[0] = first->node;
	if (want < PAIR || second == NULL)
		return 1;
	out[1] = second->node;
	return PAIR;
}

static void
explain(const void *index, struct hrw_bytes key, struct hrw_score *out)
{
	const struct index *ix = index;
	uint8_t seed[ROW_SEED_BYTES];

	if (row_seed(ix, key, seed) < 0)
		return;
	for (size_t i = 0; i < ix->count; i++) {
		struct hrw_score *score = &out[ix->backend[i].node];

		score->has_raw = score->is_wide = true;
		score->raw = rank_of(ix, seed, &ix->backend[i].ip);
	}
}

const struct hrw_placement hrw_glb = {
    .name = "glb",
    .params = params,
    .traits = HRW_PAIR | HRW_HEALTH,
    .weights = {HRW_WEIGHT_WHOLE, 0, 1},
    .hashed = HRW_HASHED_HOST,
    .source = "glb-director a62d37ea",
    .check_key = check_key,
    .sample_key = sample_key,
    .prepare = prepare,
    .rank = rank,
    .explain = explain,
    .free = free,
    .size = size,
};
