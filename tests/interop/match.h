/*
 * match.h - node sets and keys by chance, and what hrwd answers for them, to be
 * held against what a real program answers.
 *
 *     struct match *m = match_new(SPEAKS_HTTP);
 *     struct trial *t = trial_add(m, "{'name':'nginx-hash'}", 8, TRIAL_WEIGHTS);
 *     trial_keys(t, 200, 64, is_header_byte);
 *     match_start(m);                        hrwd has answered every key
 *     …                                      the real program is started
 *     trial_compare(t, key, "n3");
 *     match_end(m);
 *
 * All chance grows from one seed, printed; HRW_SEED=that runs it again.
 */
#ifndef INTEROP_MATCH_H
#define INTEROP_MATCH_H

#include "core/bytes.h"
#include "tests/dsl/daemon.h"
#include "tests/dsl/dice.h"
#include "tests/interop/fakes.h"

struct server {
	const char *name;    /* slug, unique in its trial */
	const char *address; /* host:port on loopback */
	const char *host;
	const char *hash_name; /* NULL: the default. Set before match_start() */
	const char *more;      /* further members of the node, each behind a comma; "" */
	unsigned id;
	unsigned port;
	double weight;
	bool is_down; /* draining in hrwd */
};

struct trial {
	struct match *match;
	const char *pool;
	const char *placement; /* JSON in which ' stands for " */
	unsigned copies;       /* 1 unless set */
	struct server *server; /* ascending id: the order of the program's own list */
	size_t count;
	struct hrw_bytes *key;
	const char **ours; /* by key: names with commas between; "": nobody */
	size_t keys;
	struct trial *next;
};

struct match {
	uint64_t seed;
	struct dice dice;
	struct daemon *daemon; /* its folder is for the real program's files too */
	struct fakes *fakes;
	struct trial *trials; /* in the order they were added */
	size_t compared;
};

#define match_each(t, m) for (struct trial *t = (m)->trials; t != NULL; t = t->next)

struct match *match_new(enum speech speech);

/* A pool of `count` servers n1, n2, … with ids and addresses by chance. */
enum trial_kind {
	TRIAL_WEIGHTS = 1, /* 1 to 9; else all are 1 */
	TRIAL_DOWN = 2,	   /* about a quarter is down, never all */
};
struct trial *trial_add(struct match *m, const char *placement, size_t count, unsigned kind);

/* Another address for a server, its port given (0: by chance). */
void server_readdress(struct trial *t, struct server *s, unsigned port);

/* Adds keys: numbered words, and bytes by chance, 1 to max_len of those that may
 * stand in a key of the program's protocol (NULL: any). */
void trial_keys(struct trial *t, size_t count, size_t max_len, bool (*may_have)(unsigned char));
void trial_key(struct trial *t, const void *key, size_t len);

/* Bytes that a header's value may hold anywhere: controls too, where the proxy
 * lets them through. */
bool is_header_byte(unsigned char c);

/* Starts hrwd on all pools and asks it for every key. */
void match_start(struct match *m);

/* Fails the test where the real program chose otherwise: says seed, pool, key. */
void trial_compare(struct trial *t, size_t key, const char *theirs);

/* Prints what was compared; ends hrwd. */
void match_end(struct match *m);

#endif
