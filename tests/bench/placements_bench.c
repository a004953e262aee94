/*
 * placements_bench.c - what each placement costs: to prepare, to look a key up,
 * in memory. A row each, in the form of http.sh.
 *
 *     placements-bench [NAME]...
 *
 * A row says what was asked for where the project promises a bound.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/estimate.h"

enum { RUNS = 7, KEYS = 4096, TEXT = 40 };

/* A fleet and what is promised of its preparation; 0: nothing. */
struct fleet {
	const char *placement, *param; /* param NULL: defaults alone */
	uint64_t value;
	size_t nodes;
	double bound_ms;
	const char *what;
};

/* Rings of 160 points a node, and a table of 65,537 rows: the promises. Others as
 * large as that, where they can be. */
static const struct fleet fleets[] = {
    {"rendezvous", NULL, 0, 1000, 0, "1,000 nodes"},
    {"rendezvous-keyed", NULL, 0, 1000, 0, "1,000 nodes"},
    {"rendezvous-blake2b", NULL, 0, 1000, 0, "1,000 nodes"},
    {"rendezvous-blake2b-bar", NULL, 0, 1000, 0, "1,000 nodes"},
    {"rendezvous-fnv1a", NULL, 0, 1000, 0, "1,000 nodes"},
    {"ring", "vnodes", 160, 1000, 50, "1,000 nodes, 160 points each"},
    {"table", NULL, 0, 100, 0, "100 nodes, 4,096 rows"},
    {"modulo", NULL, 0, 1000, 0, "1,000 nodes"},
    {"nginx-consistent", NULL, 0, 1000, 50, "1,000 nodes, 160 points each"},
    {"nginx-hash", NULL, 0, 1000, 0, "1,000 nodes"},
    {"libmemcached-ketama", NULL, 0, 1000, 50, "1,000 nodes, 100 points each"},
    {"libmemcached-ketama-weighted", NULL, 0, 1000, 50, "1,000 nodes, 160 points each"},
    {"libmemcached-modula", NULL, 0, 1000, 0, "1,000 nodes"},
    {"twemproxy-ketama", NULL, 0, 1000, 50, "1,000 nodes, 160 points each"},
    {"twemproxy-modula", NULL, 0, 1000, 0, "1,000 nodes"},
    {"haproxy-consistent", NULL, 0, 1000, 50, "1,000 nodes, 16 points each"},
    {"haproxy-map", NULL, 0, 1000, 0, "1,000 nodes"},
    {"squid-carp", NULL, 0, 1000, 0, "1,000 nodes"},
    {"varnish-shard", NULL, 0, 1000, 50, "1,000 nodes, 67 points each"},
    {"envoy-ring-hash", "minimum_ring_size", 160000, 1000, 50, "1,000 nodes, 160 points each"},
    {"envoy-rendezvous", NULL, 0, 1000, 0, "1,000 nodes"},
    {"envoy-maglev", NULL, 0, 100, 20, "100 nodes, 65,537 rows"},
    {"grpc-ring-hash", "minimum_ring_size", 4096, 1000, 50, "1,000 nodes, 4,096 points"},
    {"go-redis-ring", NULL, 0, 1000, 0, "1,000 nodes"},
    {"go-rendezvous", NULL, 0, 1000, 0, "1,000 nodes"},
    {"uhashring", "vnodes", 160, 1000, 50, "1,000 nodes, 160 points each"},
    {"jump", NULL, 0, 1000, 0, "1,000 nodes"},
    {"ceph-straw2", NULL, 0, 1000, 0, "1,000 nodes, 50 hosts"},
    {"glb", NULL, 0, 256, 0, "256 nodes"},
    {"ignite", NULL, 0, 1000, 0, "1,000 nodes"},
    {"kafka", NULL, 0, 1000, 0, "1,000 nodes, 16 slots each"},
    {"redis-cluster", NULL, 0, 1000, 0, "1,000 nodes, 16 slots each"},
    {"cassandra-murmur3", NULL, 0, 1000, 50, "1,000 nodes, 160 tokens each"},
};

/* CPU time: whoever else uses the machine does not count. */
static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
number_cmp(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double
median(double *list, size_t count)
{
	qsort(list, count, sizeof(*list), number_cmp);
	return list[count / 2];
}

static void
fail(const struct fleet *f, const char *why)
{
	fprintf(stderr, "%s: %s\n", f->placement, why);
	exit(EXIT_FAILURE);
}

static void
set_params(struct hrw_membership *m, const struct fleet *f)
{
	const struct hrw_param *param = m->placement->params;

	for (size_t i = 0; param != NULL && param[i].name != NULL; i++) {
		struct hrw_value *value = &m->param[i];

		if (f->param != NULL && strcmp(f->param, param[i].name) == 0) {
			value->is_given = true;
			value->number = f->value;
		} else if (param[i].is_required) {
			value->is_given = true;
			value->text = strdup("0123456789abcdef0123456789abcdef");
			value->has_secret = true;
		}
	}
}

/* Node number i; slots and tokens are shared out where they count. */
static void
add_node(struct hrw_membership *m, const struct fleet *f, size_t i)
{
	enum { TOKENS = 160 };
	char name[TEXT], address[TEXT], zone[TEXT];
	struct hrw_range slots = {(uint32_t)(i * 16), (uint32_t)(i * 16 + 15)};
	int64_t tokens[TOKENS];
	struct hrw_node node = {
	    .name = name, .address = address, .weight = 1, .id = (int32_t)i + 1};
	struct hrw_fault fault;

	snprintf(name, sizeof(name), "node-%zu", i);
	snprintf(address, sizeof(address), "10.0.%zu.%zu:11211", i / 250, i % 250 + 1);
	snprintf(zone, sizeof(zone), "host-%zu", i / 20);
	if (strcmp(f->placement, "ceph-straw2") == 0)
		node.zone = zone;
	if (m->placement->traits & HRW_SLOTS) {
		node.slots = &slots;
		node.slot_count = 1;
	}
	/* Odd steps of 64 bits: all differ. */
	for (size_t t = 0; t < TOKENS; t++)
		tokens[t] = (int64_t)((i * TOKENS + t) * UINT64_C(0x9e3779b97f4a7c15));
	if (m->placement->traits & HRW_TOKENS) {
		node.tokens = tokens;
		node.token_count = TOKENS;
	}
	if (hrw_membership_add(m, &node, NULL, &fault) < 0)
		fail(f, fault.detail);
}

static struct hrw_membership *
make(const struct fleet *f)
{
	struct hrw_membership *m = hrw_membership_new(hrw_placement_find(f->placement), 1);
	struct hrw_fault fault;

	if (m == NULL)
		fail(f, "no memory");
	set_params(m, f);
	for (size_t i = 0; i < f->nodes; i++)
		add_node(m, f, i);
	if (hrw_membership_freeze(m, NULL, &fault) < 0)
		fail(f, fault.detail);
	return m;
}

static double
prepare_ms(const struct hrw_membership *m, size_t *bytes)
{
	double ms[RUNS];

	for (size_t i = 0; i < RUNS; i++) {
		double began = now_ns();
		void *index;

		if (m->placement->prepare(m, &index, NULL) < 0)
			exit(EXIT_FAILURE);
		ms[i] = (now_ns() - began) / 1e6;
		*bytes = m->placement->size(index);
		m->placement->free(index);
	}
	return median(ms, RUNS);
}

static double
lookup_ns(const struct hrw_membership *m)
{
	static char room[KEYS][HRW_SAMPLE_KEY_BYTES];
	struct hrw_bytes key[KEYS];
	double ns[RUNS];
	uint32_t node;

	for (uint32_t i = 0; i < KEYS; i++)
		key[i] = hrw_sample_key(m, i, room[i]);
	for (size_t run = 0; run < RUNS; run++) {
		double began = now_ns();

		for (size_t i = 0; i < KEYS; i++)
			hrw_rank(m, key[i], 1, &node);
		ns[run] = (now_ns() - began) / KEYS;
	}
	return median(ns, RUNS);
}

/* row WHAT FIGURE UNIT BESIDE RATIO */
static void
row(const char *what, double figure, const char *unit, const char *beside, const char *ratio)
{
	printf("%-38s %10.3f %-14s %-34s %s\n", what, figure, unit, beside, ratio);
	fflush(stdout);
}

static void
measure(const struct fleet *f)
{
	struct hrw_membership *m = make(f);
	char bound[TEXT] = "", memory[TEXT];
	size_t bytes;
	double ms = prepare_ms(m, &bytes);

	if (f->bound_ms > 0)
		snprintf(bound, sizeof(bound), "%.2f of %.0f ms", ms / f->bound_ms, f->bound_ms);
	snprintf(memory, sizeof(memory), "index %zu KiB", (bytes + 1023) / 1024);
	row(f->placement, ms, "ms to prepare", f->what, bound);
	row("", lookup_ns(m), "ns a lookup", memory, "");
	hrw_membership_free(m);
}

static bool
is_asked(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc == 1;
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(fleets) / sizeof(*fleets); i++)
		if (is_asked(fleets[i].placement, argc, argv))
			measure(&fleets[i]);
	return EXIT_SUCCESS;
}
