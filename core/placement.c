/*
 * placement.c - the one table of placements, and what holds for all of them.
 */
#include "core/placement.h"

#include <assert.h>

#include "core/membership.h"

extern const struct hrw_placement hrw_rendezvous, hrw_rendezvous_keyed, hrw_rendezvous_blake2b;
extern const struct hrw_placement hrw_rendezvous_blake2b_bar, hrw_rendezvous_fnv1a;
extern const struct hrw_placement hrw_ring, hrw_table, hrw_modulo;
extern const struct hrw_placement hrw_nginx_consistent, hrw_nginx_hash;
extern const struct hrw_placement hrw_libmemcached_ketama, hrw_libmemcached_ketama_weighted,
    hrw_libmemcached_modula;
extern const struct hrw_placement hrw_twemproxy_ketama, hrw_twemproxy_modula;
extern const struct hrw_placement hrw_haproxy_consistent, hrw_haproxy_map;
extern const struct hrw_placement hrw_squid_carp;
extern const struct hrw_placement hrw_varnish_shard;
extern const struct hrw_placement hrw_envoy_ring_hash, hrw_envoy_rendezvous, hrw_envoy_maglev;
extern const struct hrw_placement hrw_grpc_ring_hash;
extern const struct hrw_placement hrw_go_redis_ring, hrw_go_rendezvous;
extern const struct hrw_placement hrw_uhashring, hrw_jump;
extern const struct hrw_placement hrw_ceph_straw2, hrw_glb, hrw_ignite;
extern const struct hrw_placement hrw_kafka, hrw_redis_cluster, hrw_cassandra_murmur3;

const struct hrw_placement *const hrw_placements[] = {
    &hrw_rendezvous,
    &hrw_rendezvous_keyed,
    &hrw_rendezvous_blake2b,
    &hrw_rendezvous_blake2b_bar,
    &hrw_rendezvous_fnv1a,
    &hrw_ring,
    &hrw_table,
    &hrw_modulo,
    &hrw_nginx_consistent,
    &hrw_nginx_hash,
    &hrw_libmemcached_ketama,
    &hrw_libmemcached_ketama_weighted,
    &hrw_libmemcached_modula,
    &hrw_twemproxy_ketama,
    &hrw_twemproxy_modula,
    &hrw_haproxy_consistent,
    &hrw_haproxy_map,
    &hrw_squid_carp,
    &hrw_varnish_shard,
    &hrw_envoy_ring_hash,
    &hrw_envoy_rendezvous,
    &hrw_envoy_maglev,
    &hrw_grpc_ring_hash,
    &hrw_go_redis_ring,
    &hrw_go_rendezvous,
    &hrw_uhashring,
    &hrw_jump,
    &hrw_ceph_straw2,
    &hrw_glb,
    &hrw_ignite,
    &hrw_kafka,
    &hrw_redis_cluster,
    &hrw_cassandra_murmur3,
    NULL,
};

const struct hrw_placement *
hrw_placement_find(const char *name)
{
	for (size_t i = 0; hrw_placements[i] != NULL; i++)
		if (strcmp(hrw_placements[i]->name, name) == 0)
			return hrw_placements[i];
	return NULL;
}

int
hrw_rank(const struct hrw_membership *m, struct hrw_bytes key, size_t want, uint32_t *out)
{
	assert(m->is_frozen);
	if (want == 0)
		return HRW_BAD_COPIES;
	if (m->taker_count == 0)
		return HRW_NO_SERVERS;
	return m->placement->rank(m->index, key, want, out);
}

void
hrw_explain(const struct hrw_membership *m, struct hrw_bytes key, struct hrw_score *out)
{
	uint32_t order[HRW_NODES_MAX];
	int ranked;

	for (size_t i = 0; i < m->count; i++)
		out[i] = (struct hrw_score){0};
	if (m->placement->explain != NULL)
		m->placement->explain(m->index, key, out);
	ranked = m->taker_count > 0 ? hrw_rank(m, key, m->taker_count, order) : 0;
	for (int i = 0; i < ranked; i++)
		out[order[i]].rank = (uint32_t)i + 1;
}
