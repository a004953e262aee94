/*
 * cassandra.h - the hash of Cassandra's Murmur3Partitioner: the first half of
 * MurmurHash3 x64 128, seed 0, but that the bytes after the last whole block are
 * signed.
 *
 * Source: Austin Appleby, MurmurHash3, 2011 (public domain); Apache Cassandra.
 */
#ifndef HRW_HASH_CASSANDRA_H
#define HRW_HASH_CASSANDRA_H

#include "core/bytes.h"

/* The token of a serialised partition key; never the lowest number there is. */
int64_t hrw_cassandra_token(struct hrw_bytes key);

#endif
