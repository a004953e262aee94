/*
 * fleet.h - the worked example: four caches that keep two copies of 24 photos.
 *
 * The figures for it are published: see the tests that use it.
 */
#ifndef TESTS_FLEET_H
#define TESTS_FLEET_H

#include "tests/dsl/daemon.h"
#include "tests/dsl/http.h"

#define FLEET_NODES                                                                                \
	"[{\"name\":\"cache-a\",\"address\":\"10.0.0.1:11211\"},"                                  \
	"{\"name\":\"cache-b\",\"address\":\"10.0.0.2:11211\"},"                                   \
	"{\"name\":\"cache-c\",\"address\":\"10.0.0.3:11211\"},"                                   \
	"{\"name\":\"cache-d\",\"address\":\"10.0.0.4:11211\"}]"

/* A configuration with the pool `default`; `options` stand before it: "" or
 * members with a comma behind each. */
#define FLEET_CONFIG(options)                                                                      \
	"{" options "\"pools\":{\"default\":{\"placement\":\"rendezvous\",\"copies\":2,"           \
	"\"nodes\":" FLEET_NODES "}}}"

/* A daemon with the four caches, no keys. */
struct daemon *fleet_start(void);
/* The same with the 24 photos stored. */
struct daemon *fleet_with_photos(void);

/* "photo-1\n…photo-24\n" */
const char *photos(void);
/* "prefix0\n…" */
const char *numbered_keys(const char *prefix, size_t count);

/* Stores a key list (text/plain) as the default pool's whole set. */
struct answer *keys_put(const struct daemon *d, const char *lines);

/* The epoch of a pool; the epoch that every lookup answers from. */
long epoch_of(const struct daemon *d, const char *pool);
/* The state of a node of the default pool. */
const char *state_of(const struct daemon *d, const char *node);

#endif
