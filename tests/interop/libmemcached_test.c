/*
 * libmemcached itself, by its own calls: no server is asked.
 */
#include <libmemcached/memcached.h>

#include "tests/dsl/suite.h"
#include "tests/dsl/text.h"
#include "tests/interop/match.h"

enum { KEYS = 200, SERVERS_MAX = 30, POINTS_EQUAL = 25 };

struct hash {
	const char *name; /* of the parameter; NULL: left out */
	memcached_hash_t kind;
};

static const struct hash hashes[] = {
    {NULL, MEMCACHED_HASH_DEFAULT},
    {"md5", MEMCACHED_HASH_MD5},
    {"crc", MEMCACHED_HASH_CRC},
    {"fnv1_32", MEMCACHED_HASH_FNV1_32},
    {"fnv1a_32", MEMCACHED_HASH_FNV1A_32},
    {"fnv1_64", MEMCACHED_HASH_FNV1_64},
    {"fnv1a_64", MEMCACHED_HASH_FNV1A_64},
    {"murmur", MEMCACHED_HASH_MURMUR},
    {"default", MEMCACHED_HASH_DEFAULT},
};

enum { HASHES = sizeof(hashes) / sizeof(*hashes) };

/* How a client is set up: calls whose order decides. */
enum setup {
	MODULA,
	KETAMA_LATE,  /* servers first: their weights are ignored */
	KETAMA_EARLY, /* a weight above 1 then brings the weighted points */
	WEIGHTED,     /* with md5, its own choice */
};

static void
behave(memcached_st *client, memcached_behavior_t behavior, uint64_t value)
{
	ck_assert_int_eq(memcached_behavior_set(client, behavior, value), MEMCACHED_SUCCESS);
}

static memcached_st *
client_new(const struct trial *t, enum setup setup, memcached_hash_t hash)
{
	memcached_st *client = memcached_create(NULL);

	ck_assert_ptr_nonnull(client);
	behave(client, MEMCACHED_BEHAVIOR_HASH, (uint64_t)hash);
	if (setup == KETAMA_EARLY)
		behave(client, MEMCACHED_BEHAVIOR_KETAMA, 1);
	if (setup == WEIGHTED)
		behave(client, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
	/* It knows no server that is there and takes no keys. */
	for (size_t i = 0; i < t->count; i++)
		if (!t->server[i].is_down)
			ck_assert_int_eq(
			    memcached_server_add_with_weight(client, t->server[i].host,
				(in_port_t)t->server[i].port, (uint32_t)t->server[i].weight),
			    MEMCACHED_SUCCESS);
	if (setup == KETAMA_LATE)
		behave(client, MEMCACHED_BEHAVIOR_KETAMA, 1);
	return client;
}

static const char *
name_of(const struct trial *t, const char *host, unsigned port)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->server[i].port == port && strcmp(t->server[i].host, host) == 0)
			return t->server[i].name;
	return "none";
}

/* By both of its calls: its choice by number, and the server that it would ask. */
static void
compare_with_client(struct trial *t, memcached_st *client)
{
	for (size_t i = 0; i < t->keys; i++) {
		const char *key = (const char *)t->key[i].data;
		uint32_t number = memcached_generate_hash(client, key, t->key[i].len);
		const memcached_instance_st *server =
		    memcached_server_instance_by_position(client, number);
		memcached_return_t rc;

		ck_assert_ptr_nonnull(server);
		trial_compare(
		    t, i, name_of(t, memcached_server_name(server), memcached_server_port(server)));
		server = memcached_server_by_key(client, key, t->key[i].len, &rc);
		ck_assert_ptr_nonnull(server);
		ck_assert_str_eq(t->ours[i],
		    name_of(t, memcached_server_name(server), memcached_server_port(server)));
	}
}

/* Some servers listen where memcached does, and are then hashed without a port;
 * the others by address. */
static struct trial *
pool_add(
    struct match *m, const char *placement, const struct hash *hash, size_t count, unsigned kind)
{
	struct trial *t = trial_add(m,
	    hash->name != NULL ? text("{'name':'%s','hash':'%s'}", placement, hash->name)
			       : text("{'name':'%s'}", placement),
	    count, kind);

	for (size_t i = 0; i < t->count; i += 3)
		server_readdress(t, &t->server[i], 11211);
	trial_keys(t, KEYS, 250, NULL);
	return t;
}

static void
compare_all(struct match *m, enum setup setup)
{
	size_t i = 0;

	match_start(m);
	match_each (t, m) {
		memcached_hash_t hash =
		    setup == WEIGHTED ? MEMCACHED_HASH_DEFAULT : hashes[i % HASHES].kind;
		memcached_st *client = client_new(t, setup, hash);

		compare_with_client(t, client);
		memcached_free(client);
		i++;
	}
	match_end(m);
}

static size_t
any_count(struct match *m)
{
	return 2 + dice_below(&m->dice, SERVERS_MAX - 1);
}

START_TEST(modula_chooses_as_the_library_does)
{
	struct match *m = match_new(SPEAKS_MEMCACHED);

	for (unsigned i = 0; i < HASHES; i++)
		pool_add(m, "libmemcached-modula", &hashes[i], any_count(m), i);
	compare_all(m, MODULA);
}
END_TEST

START_TEST(ketama_chooses_as_the_library_does)
{
	struct match *m = match_new(SPEAKS_MEMCACHED);

	for (unsigned i = 0; i < HASHES; i++)
		pool_add(m, "libmemcached-ketama", &hashes[i], any_count(m), i);
	compare_all(m, KETAMA_LATE);
}
END_TEST

/* Weights are added to a ring that is there already, whose hash of keys stays. */
START_TEST(ketama_with_weights_chooses_as_the_library_does)
{
	struct match *m = match_new(SPEAKS_MEMCACHED);

	for (unsigned i = 0; i < HASHES; i++) {
		static const struct hash named = {"default", MEMCACHED_HASH_DEFAULT};
		const struct hash *hash = hashes[i].name != NULL ? &hashes[i] : &named;
		struct trial *t = pool_add(
		    m, "libmemcached-ketama-weighted", hash, any_count(m), i | TRIAL_WEIGHTS);

		t->server[0].weight = 2;
		t->server[0].is_down = false;
	}
	compare_all(m, KETAMA_EARLY);
}
END_TEST

/* 25 servers of one weight have 156 points each, not 160. */
START_TEST(weighted_ketama_chooses_as_the_library_does)
{
	static const struct hash none = {NULL, MEMCACHED_HASH_DEFAULT};
	struct match *m = match_new(SPEAKS_MEMCACHED);

	pool_add(m, "libmemcached-ketama-weighted", &none, POINTS_EQUAL, 0);
	for (unsigned i = 0; i < 8; i++)
		pool_add(m, "libmemcached-ketama-weighted", &none, any_count(m), i);
	compare_all(m, WEIGHTED);
}
END_TEST

SUITE(libmemcached)
{
	tcase_add_test(tests, modula_chooses_as_the_library_does);
	tcase_add_test(tests, ketama_chooses_as_the_library_does);
	tcase_add_test(tests, ketama_with_weights_chooses_as_the_library_does);
	tcase_add_test(tests, weighted_ketama_chooses_as_the_library_does);
}
