/*
 * accept.c - counts are the process's, not a server's: a listener's connections
 * spread over as many servers as there are workers, by the kernel's choice. So
 * these are the room's one piece of shared state, touched when a connection
 * comes and goes and never by a request.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "daemon/http/accept.h"
#include "daemon/log.h"

enum {
	SPARE_FILES = 256, /* store, logs, event descriptors, plans' readers */
	BUCKETS = 4096,
};

struct peer {
	struct peer *next;
	unsigned char address[16];
	size_t count;
};

static atomic_size_t connections[LISTENER_BOTH + 1];
static pthread_mutex_t peers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct peer *peers[BUCKETS];

void
accept_prepare(const struct config *config)
{
	static atomic_flag was_said = ATOMIC_FLAG_INIT;
	rlim_t needed = (rlim_t)config->connections + SPARE_FILES;
	rlim_t wanted = needed + (rlim_t)config->connections; /* both listeners full */
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= wanted)
		return;
	files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_cur < needed && !atomic_flag_test_and_set(&was_said))
		log_warn("limits.connections is %zu, but the process may open %llu files only; "
			 "raise its limit (LimitNOFILE, ulimit -n) to %llu",
		    config->connections, (unsigned long long)files.rlim_cur,
		    (unsigned long long)needed);
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
    const struct config *config)
{
	size_t all = atomic_fetch_add(&connections[listener], 1) + 1, same = 0;

	*place = (struct accept_place){.listener = listener};
	if (address_of(peer, place->address)) {
		same = count_address(place->address);
		place->has_address = same > 0;
	}
	return all <= config->connections && same <= config->connections_per_address;
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
