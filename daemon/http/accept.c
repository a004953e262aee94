/*
 * accept.c - counts are the process's, not a server's: a listener's connections
 * spread over as many servers as there are workers, by the kernel's choice. So
 * these are the room's one piece of shared state, touched when a connection
 * comes and goes and never by a request.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "daemon/base/log.h"
#include "daemon/http/accept.h"

enum {
	SPARE_FILES = 256, /* store, logs, event descriptors, plans' readers */
	LOOP_FILES = 5,	   /* of a loop that is still to be made */
	FEW_FILES = 12,
	BASE_FILES = 24,    /* of an idle daemon with its store, beside loops and listeners */
	LIMIT_SLACK = 1024, /* connections above the limit that can be told so */
	BUCKETS = 4096,
};

/* What the descriptors suffice for, by listener. Written before any loop runs. */
static struct share {
	size_t most;  /* connections: limits.connections, or fewer */
	size_t slack; /* above these, to be told that there are too many */
} shares[LISTENER_BOTH + 1];
static const struct http_config *prepared_for;

struct peer {
	struct peer *next;
	unsigned char address[16];
	size_t count;
};

static atomic_size_t connections[LISTENER_BOTH + 1];
static pthread_mutex_t peers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct peer *peers[BUCKETS];

/* Descriptors that are open. */
static size_t
count_open(size_t limit)
{
	enum { LOOKED_AT = 4096 };
	size_t count = 0;

	for (size_t fd = 0; fd < limit && fd < LOOKED_AT; fd++)
		count += fcntl((int)fd, F_GETFD) >= 0;
	return count;
}

/* Raises the soft limit of open files as far as it is wanted and the hard one allows. */
static size_t
raise_limit(const struct http_config *config)
{
	rlim_t wanted = 2 * ((rlim_t)config->connections + LIMIT_SLACK) + 2 * (rlim_t)SPARE_FILES;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return SIZE_MAX;
	if (files.rlim_cur < wanted) {
		files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return (size_t)files.rlim_cur;
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

int
accept_check(const struct http_config *c, struct hrw_fault *fault)
{
	size_t limit = raise_limit(c), loops = c->lookup.count > 0 ? c->workers : 0;
	size_t needed = count_open(limit) + BASE_FILES + loops * (LOOP_FILES + c->lookup.count) +
			c->admin.count + FEW_FILES;

	if (limit >= needed)
		return 0;
	return hrw_fault(fault, HRW_INTERNAL,
	    "%zu descriptors are needed for the store, %zu loops and a few connections, and the "
	    "process may open %zu: raise ulimit -n (LimitNOFILE= of a unit, --ulimit nofile= of a "
	    "container)",
	    needed, loops + 1, limit);
}

/* What a listener may have of so many descriptors: some of them only to say that there
 * are too many connections. */
static void
share_out(enum listener listener, size_t files, size_t wanted)
{
	size_t slack = smaller(LIMIT_SLACK, files / 8 + 2);

	shares[listener].slack = slack;
	shares[listener].most = smaller(wanted, files > slack ? files - slack : 1);
}

static void
prepare(const struct http_config *config)
{
	size_t loops = config->workers * (config->lookup.count > 0 ? config->lookup.count : 1);
	size_t limit = raise_limit(config), wanted = config->connections + LIMIT_SLACK;
	size_t spare = smaller(SPARE_FILES, limit / 8);
	size_t used = count_open(limit) + spare + LOOP_FILES * loops;
	size_t files = limit > used ? limit - used : 0;
	/* A quarter for the operators, and of few a half. */
	size_t kept = files / 4 > FEW_FILES ? files / 4 : smaller(FEW_FILES, files / 2);
	size_t lookup = smaller(wanted, files - smaller(wanted, kept));

	share_out(LISTENER_LOOKUP, lookup, config->connections);
	share_out(LISTENER_ADMIN, smaller(wanted, files - lookup), config->connections);
	if (shares[LISTENER_LOOKUP].most < config->connections)
		log_warn(
		    "limits.connections is %zu, but the process may open %zu files only: the "
		    "lookup listeners take %zu connections, the admin listeners %zu; raise its "
		    "limit (LimitNOFILE, ulimit -n) to %zu",
		    config->connections, limit, shares[LISTENER_LOOKUP].most,
		    shares[LISTENER_ADMIN].most, 2 * wanted + used);
}

void
accept_prepare(const struct http_config *config)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (prepared_for != config)
		prepare(config);
	prepared_for = config;
	pthread_mutex_unlock(&lock);
}

size_t
accept_limit(const struct http_config *config, enum listener listener)
{
	const struct share *share = &shares[listener];
	size_t servers = listener == LISTENER_LOOKUP ? config->workers * config->lookup.count
						     : config->admin.count;

	/* The kernel spreads connections over the loops, more or less: where there are
	 * descriptors enough, any one of them may have all. */
	if (share->most == config->connections || servers == 0)
		return share->most + share->slack;
	return (share->most + share->slack) / servers + 1;
}

/* The peer's address as 16 bytes, IPv4 mapped; false for what is not counted. */
static bool
address_of(const struct sockaddr *peer, unsigned char out[16])
{
	if (peer != NULL && peer->sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)peer;

		memset(out, 0, 10);
		memset(out + 10, 0xff, 2);
		memcpy(out + 12, &v4->sin_addr, 4);
		return out[12] != 127;
	}
	if (peer != NULL && peer->sa_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const void *)peer;

		memcpy(out, &v6->sin6_addr, 16);
		return !IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	}
	return false;
}

static struct peer **
find(const unsigned char address[16])
{
	uint32_t hash = 0x811c9dc5;
	struct peer **at;

	for (size_t i = 0; i < 16; i++)
		hash = (hash ^ address[i]) * 0x01000193;
	at = &peers[hash % BUCKETS];
	while (*at != NULL && memcmp((*at)->address, address, 16) != 0)
		at = &(*at)->next;
	return at;
}

/* One more connection of an address: how many there are now; 0: no memory. */
static size_t
count_address(const unsigned char address[16])
{
	struct peer **at;
	size_t count = 0;

	pthread_mutex_lock(&peers_lock);
	at = find(address);
	if (*at == NULL) {
		*at = calloc(1, sizeof(**at));
		if (*at != NULL)
			memcpy((*at)->address, address, 16);
	}
	if (*at != NULL)
		count = ++(*at)->count;
	pthread_mutex_unlock(&peers_lock);
	return count;
}

bool
accept_enter(struct accept_place *place, enum listener listener, const struct sockaddr *peer,
    const struct http_config *config)
{
	size_t all = atomic_fetch_add(&connections[listener], 1) + 1, same = 0;
	size_t most = shares[listener].most > 0
			  ? smaller(shares[listener].most, config->connections)
			  : config->connections;

	*place = (struct accept_place){.listener = listener};
	if (address_of(peer, place->address)) {
		same = count_address(place->address);
		place->has_address = same > 0;
	}
	return all <= most && same <= config->connections_per_address;
}

void
accept_leave(const struct accept_place *place)
{
	atomic_fetch_sub(&connections[place->listener], 1);
	if (!place->has_address)
		return;
	pthread_mutex_lock(&peers_lock);
	{
		struct peer **at = find(place->address), *gone = *at;

		if (--gone->count == 0) {
			*at = gone->next;
			free(gone);
		}
	}
	pthread_mutex_unlock(&peers_lock);
}

size_t
accept_count(enum listener listener)
{
	return atomic_load(&connections[listener]);
}
