/*
 * nginx_hash.c - `hash <key>` of nginx's upstream module, not consistent.
 *
 * 15 bits of CRC-32, modulo the total weight, over the nodes in their order. A
 * key that meets a node that is down tries again with a number before its text,
 * adding up the hashes, 21 times at most.
 *
 * Source: nginx 1.22.1, ngx_http_upstream_hash_module.
 */
#include <stdlib.h>

#include "core/hash/crc.h"
#include "core/membership.h"
#include "core/place/order.h"
#include "core/place/spans.h"

enum { TRIES = 21 };

struct index {
	const struct hrw_membership *m;
	struct hrw_spans spans; /* of all nodes, those that are down too */
};

static void
drop(void *index)
{
	struct index *ix = index;

	hrw_spans_fini(&ix->spans);
	free(ix);
}

static size_t
size(const void *index)
{
	const struct index *ix = index;

	return sizeof(*ix) + hrw_spans_size(&ix->spans);
}

static int
prepare(const struct hrw_membership *m, void **index, struct hrw_fault *fault)
{
	struct index *ix = calloc(1, sizeof(*ix));
	uint32_t *order;
	size_t count;

	if (ix == NULL)
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	ix->m = m;
	order = hrw_order_all(m, &count);
	if (hrw_spans_init(&ix->spans, m, order, count) < 0) {
		free(ix);
		return hrw_fault(fault, HRW_INTERNAL, "out of memory");
	}
	*index = ix;
	return 0;
}

static int
rank(const void *index, struct hrw_bytes key, size_t want, uint32_t *out)
{
	const struct index *ix = index;
	uint32_t sum = 0;

	(void)want; /* one owner */
	if (ix->m->count == 1) {
		out[0] = 0;
		return 1;
	}
	for (unsigned i = 0; i < TRIES; i++) {
		uint8_t number[2] = {(uint8_t)('0' + i / 10), (uint8_t)('0' + i % 10)};
		size_t digits = i == 0 ? 0 : i < 10 ? 1 : 2;
		uint32_t crc = hrw_crc32(hrw_bytes(number + 2 - digits, digits));

		sum += (hrw_crc32_more(crc, key) >> 16) & 0x7fff;
		out[0] = hrw_spans_at(&ix->spans, sum % ix->spans.total);
		if (hrw_node_is_taker(&ix->m->node[out[0]]))
			return 1;
	}
	return HRW_NO_SERVERS; /* nginx turns to round robin */
}

const struct hrw_placement hrw_nginx_hash = {
    .name = "nginx-hash",
    .traits = HRW_WEIGHTED | HRW_SINGLE_COPY | HRW_BY_ID,
    .weights = {HRW_WEIGHT_WHOLE, 1, 1e9},
    .hashed = HRW_HASHED_NOTHING,
    .source = "nginx 1.22.1",
    .prepare = prepare,
    .rank = rank,
    .free = drop,
    .size = size,
};
