/*
 * nginx_consistent.c - `hash <key> consistent` of nginx's upstream module.
 *
 * 160 points for each unit of weight, chained: each is the CRC-32 of host, NUL,
 * port and the point before it. A node that is down keeps its points; a key that
 * meets them goes on to the next point, 21 points at most.
 *
 * Source: nginx 1.22.1, ngx_http_upstream_hash_module.
 */
#include <stdlib.h>
#include <strings.h>

#include "core/hash/crc.h"
#include "core/membership.h"
#include "core/place/mark.h"
#include "core/place/order.h"
#include "core/place/points.h"

enum { POINTS_A_WEIGHT = 160, TRIES = 21 };

struct index {
	const struct hrw_membership *m;
	struct hrw_points points;
};

static void
drop(void *index)
{
	struct index *ix = index;

	if (ix == NULL)
		return;
	hrw_points_fini(&ix->points);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + hrw_points_size(&ix->points);
}

/* Where the host ends in "host:port"; text.len where there is no port. */
static size_t
host_end(struct hrw_bytes text)
{
	size_t at = text.len;

	while (at > 0 && text.data[at - 1] >= '0' && text.data[at - 1] <= '9')
		at--;
	return at > 0 && text.data[at - 1] == ':' ? at - 1 : text.len;
}

/* The text that begins every point's: host, NUL, port. Its length. */
static size_t
prefix_of(struct hrw_bytes text, uint8_t *room)
{
	size_t host;

	if (text.len >= 5 && strncasecmp((const char *)text.data, "unix:", 5) == 0) {
		memcpy(room, text.data + 5, text.len - 5);
		room[text.len - 5] = 0;
		return text.len - 4;
	}
	host = host_end(text);
	memcpy(room, text.data, host);
	room[host] = 0;
	if (host == text.len)
		return host + 1;
	memcpy(room + host + 1, text.data + host + 1, text.len - host - 1);
	return text.len;
}

static int
add_points(struct index *ix, uint32_t node)
{
	uint8_t text[HRW_ADDRESS_BYTES_MAX + 8];
	size_t len = prefix_of(hrw_text(ix->m->node[node].hash_name), text);
	size_t count = POINTS_A_WEIGHT * (size_t)ix->m->node[node].weight;
	uint32_t previous = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		for (size_t b = 0; b < 4; b++)
			text[len + b] = (uint8_t)(previous >> 8 * b);
		previous = hrw_crc32(hrw_bytes(text, len + 4));
		rc = hrw_points_add(&ix->points, previous, node);
	}
	return rc;
}

/* Keeps the first of equal points: that of the node listed first. */
static void
drop_equals(struct hrw_points *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (kept > 0 && p->at[kept - 1] == p->at[i])
			continue;
		p->at[kept] = p->at[i];
		p->node[kept++] = p->node[i];
	}
	p->count = kept;
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	size_t count = 0;
	uint32_t *order = hrw_order_all(m, &count);
	double points = 0;
	int rc = 0;

	if (ix == NULL || order == NULL) {
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
		goto out;
	}
	ix->m = m;
	for (size_t i = 0; i < count; i++)
		points += POINTS_A_WEIGHT * m->node[i].weight;
	rc = hrw_points_make_room(&ix->points, points, fault);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = add_points(ix, order[i]);
	if (rc == 0 && hrw_points_sort(&ix->points) < 0)
		rc = hrw_fault(fault, HRW_INTERNAL, "out of memory");
	if (rc == 0) {
		drop_equals(&ix->points);
		*index = ix;
		ix = NULL; /* taken */
	}
out:
	drop(ix);
	free(order);
	return rc;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	const struct hrw_points *p = &ix->points;
	size_t at;

	(void)want; /* one owner */
	if (ix->m->count == 1) {
		out[0] = 0;
		return 1;
	}
	at = hrw_points_search(p, hrw_crc32(key));
	for (size_t i = 0; i < TRIES; i++, at++) {
		if (at >= p->count)
			at = 0;
		if (hrw_node_is_taker(&ix->m->node[p->node[at]])) {
			out[0] = p->node[at];
			return 1;
		}
	}
	return HRW_NO_SERVERS; /* nginx turns to round robin */
}

/* The CRC of the text that every point begins with. If it is equal for two nodes, all
 * their points are. */
uint64_t
hrw_nginx_mark(const struct hrw_membership *m, const struct hrw_node *node)
{
	uint8_t text[HRW_ADDRESS_BYTES_MAX + 8];

	(void)m;
	return hrw_crc32(hrw_bytes(text, prefix_of(hrw_text(node->hash_name), text)));
}

const struct hrw_placement hrw_nginx_consistent = {
    .name = "nginx-consistent",
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_MINIMAL | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_ADDRESS,
    .source = "nginx 1.22.1",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
